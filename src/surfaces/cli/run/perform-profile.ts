// `hardshell run --profile`: one call of the profile's tool. Its answer is printed as a model would get it: the text, or with
// --json the fields of its document. The exit code is that of the command, as without a profile.

import { defined } from '../../../host/values.ts';
import {
  createShell,
  openRecording,
  type ProfileName,
  type ProfileTool,
  profileHere,
  type RunResult,
  type ShellEvent,
  type ShellObserver,
} from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { toLine } from '../json.ts';
import { process } from '../process.ts';
import { readSandboxOverrides } from '../sandbox-overrides.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { createDirectRunner } from './live/direct-runner.ts';
import { listenForInterrupts } from './live/interrupts.ts';
import { narrateEnd, narrateStart } from './narration.ts';
import { RUN_EXIT } from './options.ts';
import { changeLines, changesReader, chooseExitCode, warnWithoutSandbox } from './outcome.ts';
import type { PerformOptions } from './perform.ts';
import { inputFor } from './profile-input.ts';
import { eventLine } from './result-json.ts';

export interface ProfileRun extends PerformOptions {
  readonly profile: ProfileName;
  readonly cwd: string;
}

/** Resolves with the exit code. */
export async function performProfile(
  command: string,
  args: readonly string[] | null,
  options: ProfileRun,
): Promise<number> {
  const { profile, cwd, settingsFile, broker, mode, yes, staging, shell: kind } = options;
  const [tool] = profileHere(profile, { cwd, settingsFile }).tools as readonly [ProfileTool, ...ProfileTool[]];
  const input = inputFor(tool, command, args, options);
  const interrupts = listenForInterrupts();
  process.stdout.removeAllListeners('error').on('error', () => interrupts.abandon(RUN_EXIT.readerGone));
  // The documents give a command no input.
  const runner = createDirectRunner(options.runner, {});
  interrupts.onSecond = () => runner.killNow();
  const recording = openRecording({ cwd, settingsFile, onAlertProblem: complain });
  const ends: RunResult[] = [];
  const errors: NodeJS.WriteStream = process.stderr;
  const terminal = createTerminal(options, process.env, errors as typeof process.stdout);
  const shell = createShell({
    profile,
    broker,
    runner,
    recording: false,
    observers: [...recording.observers, observe(ends, options.verbose === true ? terminal : null)],
    ...defined({ settingsFile }),
  });
  try {
    const session = shell.session({ cwd, ...defined({ mode }) }).with({
      sandbox: readSandboxOverrides(options),
      ...defined({ staging }),
      ...(yes === undefined ? {} : { assumeYes: true }),
      ...(kind === 'bash' || args !== null ? {} : { shell: kind }),
    });
    const onEvent = (event: ShellEvent) => void process.stdout.write(eventLine(event));
    const answer = await tool.call(input, {
      shell,
      session,
      state: new Map(),
      signal: interrupts.signal,
      ...(options.stream ? { onEvent } : {}),
    });
    const abandoned = interrupts.abandoned();
    if (abandoned !== null) return abandoned;
    if (options.json) await writeOut(toLine(answer.data));
    else if (options.stream) await writeOut(toLine({ type: 'result', ...answer.data }));
    else await writeOut(answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`);
    const result = ends.at(-1);
    // The tool refused its input, so that there was no request.
    if (result === undefined) return EXIT.badInput;
    for (const line of changeLines(result, changesReader(options))) complain(line);
    if (options.verbose && result.status !== 'denied')
      writeErrors(
        narrateEnd(result, { terminal, place: { cwd, home: process.env.HOME }, auditFolder: recording.auditFolder }),
      );
    return chooseExitCode(result, interrupts.exitCode());
  } finally {
    interrupts.close();
    await shell.close();
    await recording.close();
  }
}

function observe(ends: RunResult[], terminal: Terminal | null): ShellObserver {
  const narrated = terminal === null ? {} : narrateStart(terminal, writeErrors);
  return {
    ...narrated,
    onStart(request, started) {
      narrated.onStart?.(request, started);
      for (const warning of warnWithoutSandbox(started.enforcement)) complain(warning);
    },
    onEnd(_, result) {
      ends.push(result);
    },
  };
}

function complain(message: string): void {
  process.stderr.write(`hardshell: ${visible(message)}\n`);
}

function writeErrors(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** Settles when the reader has taken it. */
function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
