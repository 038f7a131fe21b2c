// One command, run or started, in the requested form: live on our streams, as JSON, or in the background.

import { fstatSync, statSync } from 'node:fs';
import { checkChosenRuntimeFolder } from '../../../host/running.ts';
import { defined, MAX_TIMER_MS } from '../../../host/values.ts';
import {
  type Broker,
  createShell,
  HardshellError,
  openRecording,
  type Recording,
  type RunOptions,
  type RunResult,
  type ShellEvent,
  type ShellObserver,
  type ShellOptions,
} from '../../../host.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import { createDirectRunner, type Direct } from './live/direct-runner.ts';
import type { EarlyRunner } from './live/early-runner.ts';
import { type Interrupts, listenForInterrupts } from './live/interrupts.ts';
import { createScreen, type Screen } from './live/screen.ts';
import { createStatusLine } from './live/status-line.ts';
import { narrateEnd, narrateStart } from './narration.ts';
import { RUN_EXIT, type RunVerbOptions } from './options.ts';
import { chooseExitCode, warnWithoutSandbox } from './outcome.ts';
import { type ReportOptions, report, terminalOfErrors, writeOut } from './report.ts';
import { eventLine } from './result-json.ts';

/** A user may wait as long as they like; --timeout is for all others. The longest possible timer. */
const NO_TIMEOUT_MS = MAX_TIMER_MS;
const SAMPLE_MS = 1_000;

export interface PerformOptions extends ReportOptions {
  readonly broker: Broker;
  readonly onResult?: (result: RunResult) => void;
  readonly runner: EarlyRunner;
  readonly settingsFile?: string;
}

/** Resolves with the exit code. */
export async function perform(
  command: string,
  request: RunOptions & { readonly cwd: string },
  options: PerformOptions,
): Promise<number> {
  const interrupts = listenForInterrupts();
  const onReaderGone = (error: NodeJS.ErrnoException): void => abandonOutput(error, interrupts);
  // The handler of main exits at once when the reader is gone; here the command is ended first.
  process.stdout.removeAllListeners('error').on('error', onReaderGone);
  const isLive = !options.json && !options.stream && !options.background;
  const screen = isLive ? openScreen([command, ...(request.args ?? [])].join(' '), options, onReaderGone) : null;
  const narration = openNarration(options);
  const runner = createDirectRunner(options.runner, directFor(screen, options, narration.isWritten));
  interrupts.onSecond = () => runner.killNow();
  const recording = openRecording({ cwd: request.cwd, settingsFile: options.settingsFile, onAlertProblem: complain });
  reportRuntimeFolder();
  const shell = createShell({
    ...shellOptions(options),
    runner,
    // Closed below, while the keeper ends.
    recording: false,
    observers: [...recording.observers, narration.observer],
  });
  const release = screen?.isWatched ? holdForQuestions(screen, options.broker) : null;
  try {
    const work: RunOptions = { ...request, signal: interrupts.signal, ...formFor(screen, options) };
    const result = options.background ? await shell.start(command, work) : await shell.run(command, work);
    await screen?.end();
    options.onResult?.(result);
    await report(result, screen, options, interrupts);
    if (options.verbose && result.status !== 'denied' && interrupts.abandoned() === null) {
      const place = { cwd: request.cwd, home: process.env.HOME };
      const terminal = terminalOfErrors(options);
      writeErrors(narrateEnd(result, { terminal, place, auditFolder: recording.auditFolder }));
    }
    return interrupts.abandoned() ?? chooseExitCode(result, interrupts.exitCode());
  } finally {
    release?.();
    await screen?.end();
    interrupts.close();
    // Input that never ends must not keep the process alive.
    if (!process.stdin.isTTY) process.stdin.destroy();
    const closed = shell.close();
    // The keeper hears of it first, and ends while the log is closed: nothing is recorded any more.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([closed, endRecording(recording)]);
  }
}

/** Leftovers of an alert's delivery, such as a DNS lookup, must not keep the process alive. */
const LINGERING_MS = 500;

async function endRecording(recording: Recording): Promise<void> {
  const { undelivered } = await recording.close();
  if (undelivered > 0) setTimeout(() => process.exit(), LINGERING_MS).unref();
}

function complain(message: string): void {
  process.stderr.write(`hardshell: ${visible(message)}\n`);
}

/** It runs nevertheless, but the user chose a folder, and expects it to be used. */
function reportRuntimeFolder(): void {
  try {
    checkChosenRuntimeFolder();
  } catch (error) {
    if (!(error instanceof HardshellError)) throw error;
    complain(`Other terminals and the dashboard cannot see this command: ${error.message}`);
    if (error.hint !== null) process.stderr.write(`  ${visible(error.hint)}\n`);
  }
}

function writeErrors(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

interface Narration {
  readonly observer: ShellObserver;
  /** Settles when the output of the command may follow. */
  readonly isWritten: Promise<void>;
}

function openNarration(options: RunVerbOptions): Narration {
  const begin = options.verbose ? narrateStart(terminalOfErrors(options), writeErrors) : {};
  let release = (): void => {};
  const isWritten = new Promise<void>((resolve) => {
    release = resolve;
  });
  const observer: ShellObserver = {
    ...begin,
    onStart(request, started) {
      begin.onStart?.(request, started);
      for (const warning of warnWithoutSandbox(started.enforcement)) complain(warning);
      if (started.withheld.length > 0)
        complain(`Not passed to the command, because it could run other code: ${started.withheld.join(', ')}`);
      release();
    },
  };
  return { observer, isWritten };
}

function shellOptions({ broker, settingsFile }: PerformOptions): ShellOptions {
  const limits = { timeout: NO_TIMEOUT_MS, maxTimeout: NO_TIMEOUT_MS };
  return { broker, ...limits, ...defined({ settingsFile }) };
}

interface LiveScreen extends Screen {
  readonly isWatched: boolean;
}

function openScreen(
  display: string,
  options: ReportOptions,
  onReaderGone: (error: NodeJS.ErrnoException) => void,
): LiveScreen {
  // A terminal of an agent shows its model what its own tool would show.
  const isPerson = options.agent === undefined;
  const isWatched = isPerson && process.stdout.isTTY === true && process.stderr.isTTY === true;
  const status = isWatched ? createStatusLine(display, terminalOfErrors(options)) : null;
  return { ...createScreen({ stdout: process.stdout, stderr: process.stderr, status, onReaderGone }), isWatched };
}

/** A command with input shares no processes with others: /dev/null is none. */
function isNull(fd: number | undefined): boolean {
  if (fd === undefined) return false;
  try {
    const { rdev } = fstatSync(fd);
    return rdev !== 0 && rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

function directFor(screen: LiveScreen | null, options: RunVerbOptions, isNarrated: Promise<void>): Direct {
  if (options.background) return {};
  return {
    // A terminal stays ours, for questions and Ctrl-C; any other input belongs to the command.
    ...(process.stdin.isTTY || isNull(process.stdin.fd) ? {} : { input: process.stdin }),
    ...(screen === null
      ? {}
      : { onEvent: listenFor(screen, isNarrated), ...(screen.isWatched ? { sampleMs: SAMPLE_MS } : {}) }),
  };
}

function listenFor(screen: Screen, isNarrated: Promise<void>): NonNullable<Direct['onEvent']> {
  return (event) => {
    if (event.type === 'started') screen.begin();
    if (event.type === 'resource') screen.setMemory(event.memoryBytes);
    return event.type === 'output' ? isNarrated.then(() => screen.write(event.stream, event.bytes)) : undefined;
  };
}

/** A question about a host comes while the command runs: neither the status line nor output may overwrite it. */
function holdForQuestions(screen: Screen, broker: Broker): () => void {
  const held = new Map<string, () => void>();
  const release = (code: string): void => {
    held.get(code)?.();
    held.delete(code);
  };
  const detach = broker.attach({
    name: 'other',
    present({ code }) {
      if (!held.has(code)) held.set(code, screen.hold());
    },
    withdraw: release,
  });
  return () => {
    detach();
    for (const code of [...held.keys()]) release(code);
  };
}

function formFor(screen: LiveScreen | null, options: ReportOptions): Pick<RunOptions, 'streams' | 'onEvent'> {
  // Separate streams, except on one terminal, where the exact order matters; agents show both as one text, too.
  const isOne = screen?.isWatched || options.agent !== undefined;
  const streams = isOne || options.background ? 'merged' : 'split';
  return { streams, ...(options.stream ? { onEvent: (event: ShellEvent) => writeOut(eventLine(event)) } : {}) };
}

function abandonOutput(error: NodeJS.ErrnoException, interrupts: Interrupts): void {
  // The stream reports it twice: to the write, and by an event.
  if (interrupts.abandoned() !== null) return;
  if (error.code !== 'EPIPE') process.stderr.write(`hardshell: Cannot write the output: ${error.message}\n`);
  interrupts.abandon(error.code === 'EPIPE' ? RUN_EXIT.readerGone : RUN_EXIT.unwritable);
}
