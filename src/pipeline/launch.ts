// A permitted command → the request for the runner: program and argv, environment, limits, files.
// The verdict's variables come last: nobody's wish may undo what the verdict depends on.

import { tmpdir } from 'node:os';
import type { Facts } from '../core/facts.ts';
import { userPolicyOf } from '../core/policy.ts';
import { LIMITS, type RunOptions } from '../core/running.ts';
import type { Verdict } from '../core/verdict.ts';
import { buildEnvironment } from '../run/environment.ts';
import type { RunRequest } from '../run/port.ts';
import { markOfThisProcess } from '../run/record.ts';
import { buildArgvCommand } from '../run/shells/argv.ts';
import { type BuiltCommand, quoteWord } from '../run/shells/provider.ts';
import { findShell } from '../run/shells/trusted-shells.ts';
import type { TaskFiles } from '../tasks/names.ts';
import type { TaskFields } from '../tasks/registry.ts';
import { type Question, rootsOf } from './permission.ts';
import type { Enclosure } from './sandbox/enclosure.ts';
import { sandboxNameOf } from './sandbox/managed.ts';
import { temporaryFolder } from './sandbox/own-folders.ts';
import type { ShellSetup } from './shell-options.ts';

export interface LaunchInputs {
  readonly command: string;
  readonly options: RunOptions;
  readonly question: Question;
  readonly facts: Facts;
  readonly verdict: Verdict;
  readonly setup: ShellSetup;
  readonly fields: TaskFields;
  readonly files: TaskFiles;
  readonly isBackground: boolean;
  readonly canDetach: boolean;
  readonly isPaced: boolean;
  readonly enclosure: Enclosure;
}

export interface Launch {
  readonly request: RunRequest;
  readonly timeoutMs: number | null;
  /** After this time it goes on as a task. */
  readonly detachAfterMs: number | null;
  readonly limits: NonNullable<RunOptions['limits']>;
  /** Null when the folder cannot change, or nobody will tell. */
  readonly cwdFile: string | null;
  readonly enclosure: Enclosure;
  /** Variables of the request that the command does not get. */
  readonly withheld: readonly string[];
}

export function buildLaunch(inputs: LaunchInputs): Launch {
  const { options, setup, files, isBackground, canDetach, enclosure } = inputs;
  const wantsFolder = options.args === undefined && !isBackground && mayChangeFolder(inputs.facts);
  const note = enclosure.noteFile ?? { inside: files.cwd, outside: files.cwd };
  const built = buildProgram(inputs, wantsFolder ? note.inside : null);
  const { env, withheld } = environmentOf(inputs, built);
  const limits = limitsOf(inputs);
  const times = timesOf(inputs, limits.timeoutMs);
  // More of the beginning than of the end: the end is a ring, and a small one stays in the processor's caches.
  const tailBytes = Math.floor(setup.keepBytes / 32) * 8;
  const isInputOpen = isBackground && options.isInputOpen === true;
  return {
    request: enclosure.apply({
      program: built.file,
      argv: built.argv,
      cwd: options.cwd,
      env: { ...env, ...built.env },
      ...(isInputOpen
        ? { stdin: 'open' as const }
        : options.stdin === undefined
          ? {}
          : { stdin: bytesOf(options.stdin) }),
      streams: options.streams ?? 'merged',
      ...(times.timeoutMs === null ? {} : { timeoutMs: times.timeoutMs }),
      spool: { path: files.output, headBytes: setup.keepBytes - tailBytes, tailBytes },
      ...(isBackground || canDetach
        ? { record: { path: files.record, fields: { ...inputs.fields, host: HOST } } }
        : {}),
      // A task lives as long as anything of it does; after a foreground command nothing may go on unseen.
      ...(isBackground ? { background: true, leftovers: 'wait' as const } : {}),
      isPaced: inputs.isPaced,
      ...(inputs.isPaced ? { sampleMs: 1000 } : {}),
      limits: limits.forRunner,
      useCgroup: limits.isOfTree,
    }),
    ...times,
    limits: limits.forRunner,
    cwdFile: built.tellsFolder ? note.outside : null,
    enclosure,
    withheld: [
      ...Object.keys(options.env ?? {}).filter((name) => MOVES.test(name)),
      ...withheld.map(({ name }) => name).filter((name) => Object.hasOwn(options.env ?? {}, name)),
    ],
  };
}

/** By whom a task was started: when that is gone, others may end it. */
const HOST = markOfThisProcess();

export function bytesOf(input: string | Uint8Array): Uint8Array {
  return typeof input === 'string' ? Buffer.from(input) : input;
}

const FOLDER_CHANGERS: ReadonlySet<string | null> = new Set(['cd', 'pushd', 'popd']);

export function mayChangeFolder(facts: Facts): boolean {
  return facts.status === 'cannot-tell' || facts.commands.some(({ name }) => FOLDER_CHANGERS.has(name));
}

function buildProgram({ command, options }: LaunchInputs, cwdFile: string | null): BuiltCommand {
  if (options.args !== undefined) return buildArgvCommand(command, options.args);
  return findShell({ kind: options.shell ?? 'bash' }).buildCommand({
    command,
    ...(cwdFile === null ? {} : { cwdFile }),
  });
}

/** Words that a shell would take for something else where a command begins. */
const RESERVED = new Set(
  'if then elif else fi time for in until while do done case esac coproc select function'.split(' '),
);

/** argv mode → the shell text that would run the same, to be judged and shown. */
export function quoteCommand(program: string, args: readonly string[]): string {
  const quote = (word: string) => (/^[\w@%+:,./-]+$/.test(word) ? word : quoteWord(word));
  const first = RESERVED.has(program) ? quoteWord(program) : quote(program);
  // `--option=value` reads better bare; before the program it would be an assignment.
  const rest = args.map((word) => (/^-[\w-]+=[\w@%+:,./-]*$/.test(word) ? word : quote(word)));
  return [first, ...rest].join(' ');
}

/** In a request these would make `~`, `cd -` and the settings of programs mean something else than what was judged. */
const MOVES = /^(?:HOME|PWD|OLDPWD|XDG_.*)$/i;

function environmentOf({ options, question, verdict, setup, enclosure }: LaunchInputs, built: BuiltCommand) {
  const { set, keep, drop } = question.environment;
  const writable = [options.cwd, ...rootsOf(question.policy, options), '/tmp', '/var/tmp', tmpdir()];
  return buildEnvironment({
    host: setup.hostEnvironment,
    platform: process.platform,
    temporaryFolder: enclosure.temporaryFolder ?? temporaryFolder(),
    ...(options.args === undefined ? { shellPath: built.file } : {}),
    path: { keep: 'all', refuseBelow: writable.filter((root) => !holdsPrograms(root)) },
    set: { ...enclosure.env, ...set },
    keep,
    drop,
    preserveEnvironment: options.preserveEnvironment === true,
    request: Object.fromEntries(Object.entries(options.env ?? {}).filter(([name]) => !MOVES.test(name))),
    verdict: verdict.environment,
  });
}

const SYSTEM = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** A command that starts in `/` or `/usr` still needs the programs of the system. */
function holdsPrograms(root: string): boolean {
  const base = root.endsWith('/') ? root : `${root}/`;
  return SYSTEM.some((folder) => `${folder}/`.startsWith(base));
}

type Limits = NonNullable<RunOptions['limits']>;

/** REQ-BASH-008: what only reads needs no more than this. */
const RESTRICTED_LIMITS = { memoryBytes: 4 * 2 ** 30, cpuSeconds: 900, processes: 512 };

function smallest(...values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

/** Of the request, of the user's policy, of the settings and of the sandbox, the smallest one each. */
function limitsOf({ options, question }: LaunchInputs): {
  forRunner: Limits;
  isOfTree: boolean;
  timeoutMs: number | null;
} {
  const wished: Record<string, number | undefined> = { ...options.limits };
  const ruled = userPolicyOf(question.policy, options.user ?? null)?.limits ?? {};
  const built: Record<string, number | undefined> =
    sandboxNameOf(options, question.sandbox) === 'restricted' ? RESTRICTED_LIMITS : {};
  const forRunner: Record<string, number> = {};
  for (const name of LIMITS) {
    if (name === 'timeoutMs') continue;
    const values = [wished[name], ruled[name], question.limits[name], built[name]].filter(
      (value) => value !== undefined,
    );
    if (values.length > 0) forRunner[name] = Math.max(1, Math.floor(Math.min(...values)));
  }
  const isOfTree = ['memoryBytes', 'cpuPercent', 'processes'].some((name) => name in forRunner);
  return { forRunner, isOfTree, timeoutMs: smallest(ruled.timeoutMs, question.limits.timeoutMs) };
}

function timesOf(
  { options, setup, isBackground, canDetach }: LaunchInputs,
  ruledMs: number | null,
): Pick<Launch, 'timeoutMs' | 'detachAfterMs'> {
  const { timeoutMs, backgroundAfterMs } = options;
  const most = ruledMs ?? Number.POSITIVE_INFINITY;
  const cap = (ms: number) => Math.max(1, Math.min(ms, most));
  // A task ends when it ends, unless somebody says otherwise.
  if (isBackground) return { timeoutMs: timeoutMs === undefined ? ruledMs : cap(timeoutMs), detachAfterMs: null };
  const limit = cap(Math.min(timeoutMs ?? setup.defaultTimeoutMs, setup.maxTimeoutMs));
  // The runner cannot take a time limit back: what will go on as a task gets only the one that the policy sets.
  if (canDetach && backgroundAfterMs !== undefined && backgroundAfterMs < limit)
    return { timeoutMs: ruledMs, detachAfterMs: backgroundAfterMs };
  return { timeoutMs: limit, detachAfterMs: null };
}
