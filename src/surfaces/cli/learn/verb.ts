// `hardshell learn`: verdict first, then the command under observation, then what it needs. Its output goes to stderr,
// the report to stdout. Settings are written only with --write.

import { resolve } from 'node:path';
import { defined, MAX_TIMER_MS } from '../../../host/values.ts';
import {
  type Broker,
  type LearnOptions,
  type LearnReport,
  learn,
  loadSettings,
  type Need,
  openRecording,
  saveSettings,
} from '../../../host.ts';
import { gatherPeople } from '../approvals/people.ts';
import { noteChange } from '../config/record.ts';
import { knowledge, loadOptions, refuseInside, targetFile } from '../config/surroundings.ts';
import { EXIT, reportFailure, writeFailure } from '../failure.ts';
import { findMistake, readCommand, readFolder } from '../input.ts';
import { nestedVerdict, SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { drawBlock } from '../run/block.ts';
import { listenForInterrupts } from '../run/live/interrupts.ts';
import { RUN_EXIT } from '../run/options.ts';
import { chooseExitCode } from '../run/outcome.ts';
import { readSandboxOverrides } from '../sandbox-overrides.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { drawLesson } from './drawing.ts';
import { LEARN_EXIT, type LearnVerbOptions } from './options.ts';

const NO_TIMEOUT_MS = MAX_TIMER_MS;
/** In a terminal each further run is asked about. */
const ASKED_RUNS = 10;

export async function learnFrom(
  argument: string,
  args: readonly string[] | null,
  options: LearnVerbOptions,
): Promise<number> {
  try {
    if (options.write !== undefined) refuseInside('change what it is allowed');
    return await learnOne(args === null ? await readCommand(argument) : argument, args, options);
  } catch (error) {
    return reportFailure(error, { json: options.json === true, ownFailure: RUN_EXIT.failed });
  }
}

async function learnOne(command: string, args: readonly string[] | null, options: LearnVerbOptions): Promise<number> {
  const cwd = readFolder(options.cwd);
  const mistake = args === null ? findMistake(command, cwd, options.shell) : null;
  if (mistake !== null) {
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: mistake }));
    writeFailure(mistake);
    return EXIT.badInput;
  }
  const people = gatherPeople({ cwd, color: options.color, waits: options.ask === true });
  const interrupts = listenForInterrupts();
  const settingsFile = options.settings === undefined ? undefined : resolve(options.settings);
  const onAlertProblem = (message: string) => void process.stderr.write(`hardshell: ${visible(message)}\n`);
  const recording = openRecording({ cwd, settingsFile, onAlertProblem });
  try {
    announce(cwd, options);
    const lesson = await learn(command, {
      ...requestFor(cwd, args, options),
      broker: people.broker,
      recording,
      signal: interrupts.signal,
      ...againBy(people.broker, cwd, options),
      onEvent: (event) => {
        if (event.type === 'stdout' || event.type === 'stderr') process.stderr.write(event.text);
      },
    });
    const saved = await save(lesson, options).catch((error: unknown) => {
      // What was learned is not lost if it cannot be written.
      report(lesson, null, options);
      throw error;
    });
    report(lesson, saved, options);
    return interrupts.exitCode() ?? exitCodeOf(lesson);
  } finally {
    interrupts.close();
    await people.close();
  }
}

function requestFor(cwd: string, args: readonly string[] | null, options: LearnVerbOptions): LearnOptions {
  const { mode, profile, timeout, yes, shell, settings, prove, withSecrets } = options;
  return {
    cwd,
    ...defined({ mode, profile }),
    ...(args === null ? { shell } : { args }),
    ...(yes === undefined ? {} : { assumeYes: true }),
    ...(settings === undefined ? {} : { settingsFile: resolve(settings) }),
    ...defined({ prove, withSecrets }),
    timeout: timeout === undefined ? NO_TIMEOUT_MS : Math.ceil(timeout * 1_000),
    maxTimeout: NO_TIMEOUT_MS,
    sandbox: readSandboxOverrides(options),
  };
}

/** The user must know what is open. */
function announce(
  cwd: string,
  { allowWrite = [], allowDomain = [], allowPort = [], runs = 1 }: LearnVerbOptions,
): void {
  const more = [
    ...allowWrite.map((path) => `changes below ${resolve(path)}`),
    ...allowDomain.map((host) => `the host ${host}`),
    ...allowPort.map((port) => `port ${port} of this machine`),
  ];
  const lines = [
    `Learning in ${cwd}, in the sandbox of the current settings.`,
    more.length === 0
      ? 'Nothing else is open: an approval lets it run, but opens nothing that it names.'
      : `ALSO OPEN: ${more.join(', ')}.`,
    ...(runs > 1
      ? [
          `It may run ${runs} times, and everything it asks for is OPEN in the next run, except protected and hidden files.`,
        ]
      : []),
  ];
  process.stderr.write(`hardshell: ${lines.map(visible).join('\n  ')}\n`);
}

function againBy(
  broker: Broker,
  cwd: string,
  options: LearnVerbOptions,
): Pick<LearnOptions, 'runs'> & Partial<Pick<LearnOptions, 'onAgain'>> {
  const tell = (lesson: LearnReport) => process.stderr.write(`hardshell: It needs more: ${wishesOf(lesson)}.\n`);
  if (options.runs !== undefined)
    return {
      runs: options.runs,
      onAgain: (lesson) => {
        tell(lesson);
        process.stderr.write('hardshell: Running it again with this OPEN.\n');
        return true;
      },
    };
  if (!process.stdin.isTTY || !process.stderr.isTTY) return { runs: 1 };
  return { runs: ASKED_RUNS, onAgain: (lesson) => ask(lesson, broker, cwd) };
}

async function ask(lesson: LearnReport, broker: Broker, cwd: string): Promise<boolean> {
  const message = `It needs more: ${wishesOf(lesson)}. Yes runs it once more, with exactly this open.`;
  const { verdict } = await broker.ask({
    command: lesson.command,
    display: lesson.command,
    cwd,
    session: null,
    user: null,
    profile: null,
    risk: 'medium',
    findings: [
      {
        id: 'learn-again',
        layer: 'sandbox',
        verdict: 'ask',
        severity: 'medium',
        message,
        instead: null,
        span: null,
        command: null,
        rule: null,
        confidence: null,
      },
    ],
    suggestions: [],
    effects: null,
  });
  return verdict === 'allow';
}

function wishesOf({ needs }: LearnReport): string {
  return needs.map((need) => visible(wishOf(need))).join(', ');
}

function wishOf(need: Need): string {
  switch (need.kind) {
    case 'write':
      return `changes in ${need.path}`;
    case 'domain':
      return `the host ${need.host}`;
    case 'port':
      return `port ${need.port} of this machine`;
    case 'publish':
      return `to listen on port ${need.port}`;
    case 'socket':
      return `the socket ${need.path}`;
  }
}

interface Written {
  readonly file: string;
  readonly changed: boolean;
  /** Why the file has no effect, if it has none. */
  readonly notices: readonly { readonly why: string; readonly hint: string | null }[];
}

async function save(lesson: LearnReport, options: LearnVerbOptions): Promise<Written | null> {
  if (options.write === undefined || Object.keys(lesson.settings).length === 0) return null;
  const { file, changed } = await saveSettings(targetFile(options.write, options.cwd), lesson.settings, knowledge);
  if (changed) {
    const here = { layer: options.write, file, cwd: readFolder(options.cwd) };
    await noteChange(`added what was learned of: ${lesson.command}`, here);
  }
  const { notices } = loadSettings(loadOptions(options));
  const own = notices.filter(
    (notice) => notice.file === file && Object.keys(lesson.settings).some((key) => notice.key.startsWith(key)),
  );
  return { file, changed, notices: own.map(({ why, hint }) => ({ why, hint: hint ?? null })) };
}

function report(lesson: LearnReport, saved: Written | null, options: LearnVerbOptions): void {
  const { result, facts, ...rest } = lesson;
  if (options.json) {
    const ran = result === null ? null : { status: result.status, exitCode: result.exitCode, signal: result.signal };
    process.stdout.write(
      toLine({
        schemaVersion: SCHEMA_VERSION,
        exitCode: exitCodeOf(lesson),
        ...rest,
        verdict: nestedVerdict(rest.verdict),
        result: ran,
        saved,
      }),
    );
    return;
  }
  if (lesson.end === 'denied') {
    // A user who said no in this terminal knows why it did not run.
    if (lesson.answer?.by === 'terminal') return;
    const isPerson = process.stderr.isTTY === true;
    process.stderr.write(`${drawBlock({ ...rest, facts }, createTerminal(options), { isPerson }).join('\n')}\n`);
    return;
  }
  if (result?.failure) process.stderr.write(`hardshell: ${visible(result.failure.message)}\n`);
  process.stdout.write(`${drawLesson(lesson, createTerminal(options)).join('\n')}\n`);
  if (saved === null) return;
  const where = `${saved.changed ? 'Written to' : 'Already in'} ${visible(saved.file)}`;
  const reasons = new Map(saved.notices.map(({ why, hint }) => [why, hint]));
  if (reasons.size === 0) process.stdout.write(`\n${where}\n`);
  for (const [why, hint] of reasons)
    process.stderr.write(`\n${where}, where it has no effect: ${visible(why)}\n  ${visible(hint ?? '')}\n`);
}

function exitCodeOf({ end, result }: LearnReport): number {
  switch (end) {
    case 'settled':
      return result?.isError ? chooseExitCode(result) : LEARN_EXIT.learned;
    case 'more-wanted':
    case 'judged-differently':
      return LEARN_EXIT.unsettled;
    case 'denied':
      return RUN_EXIT.denied;
    case 'failed':
      return RUN_EXIT.failed;
    case 'cancelled':
      return RUN_EXIT.interrupted;
  }
}
