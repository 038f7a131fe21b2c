// A result → our exit code, and the one line that explains it.

import { existsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  describeCounts,
  describeLeftovers,
  isAtOrBelow,
  NOT_STAGED,
  quoteIfNeeded,
  whyWithoutSandbox,
} from '../../../host/values.ts';
import { homeSecrets, type RunChanges, type RunResult, type TaskInfo, whyNeverWritable } from '../../../host.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import { RUN_EXIT, type RunVerbOptions } from './options.ts';

/** `interrupt`: the exit code for a signal to us, if there was one. */
export function chooseExitCode(result: RunResult, interrupt: number | null = null): number {
  switch (result.status) {
    case 'exited':
      return result.exitCode ?? RUN_EXIT.failed;
    case 'signalled':
    case 'limited':
      return codeOfSignal(result.signal) ?? result.exitCode ?? 128 + constants.signals.SIGKILL;
    case 'timed-out':
      return RUN_EXIT.timedOut;
    case 'cancelled':
      return interrupt ?? RUN_EXIT.interrupted;
    case 'running':
      return 0;
    case 'denied':
      return interrupt ?? RUN_EXIT.denied;
    case 'failed':
      if (result.failure?.type === 'command_not_found') return RUN_EXIT.notFound;
      return interrupt ?? RUN_EXIT.failed;
    default:
      return result.status satisfies never;
  }
}

export function exitCodeOfTask(info: TaskInfo): number {
  if (info.status === 'timed-out') return RUN_EXIT.timedOut;
  return info.exitCode ?? codeOfSignal(info.signal) ?? RUN_EXIT.failed;
}

function codeOfSignal(signal: string | null): number | null {
  if (signal === null) return null;
  const number = (constants.signals as Readonly<Record<string, number>>)[signal];
  return number === undefined ? null : 128 + number;
}

/** What to report at the end; actions of hardshell are always reported, the rest only to a person. */
export function closingLines(
  result: RunResult,
  reader: { readonly isPerson: boolean; readonly wasInterrupted: boolean },
): string[] {
  switch (result.status) {
    case 'exited':
      if (!reader.isPerson || result.exitCode === 0 || result.meaning === null) return [];
      return [`exit code ${result.exitCode}: ${visible(result.meaning)}`];
    case 'signalled':
      return reader.isPerson ? [describeSignal(result)] : [];
    case 'cancelled':
      // It was ended from outside: without a message it would look like a failure of the command.
      if (!reader.wasInterrupted) return [visible(result.failure?.message ?? 'The command was ended.')];
      return reader.isPerson ? ['The command was ended.'] : [];
    case 'timed-out':
    case 'limited':
    case 'failed':
      return failureLines(result);
    case 'running':
    case 'denied':
      return [];
    default:
      return result.status satisfies never;
  }
}

function describeSignal({ signal, meaning }: RunResult): string {
  return `ended by ${visible(signal ?? 'a signal')}${meaning === null ? '' : `: ${visible(meaning)}`}`;
}

export function warnWithoutSandbox(enforcement: RunResult['enforcement'] | null): readonly string[] {
  const why = whyWithoutSandbox(enforcement);
  return why === null ? [] : [`Warning: the command runs without a sandbox: ${why}`];
}

/** A server that was started with `&` ends with the command: without a message it would look as if it had failed. */
export function leftoverLines(
  { status, leftoversKilled }: Pick<RunResult, 'status' | 'leftoversKilled'>,
  background: string | null = '--background',
): string[] {
  if (status !== 'exited' && status !== 'signalled') return [];
  return [...describeLeftovers({ leftoversKilled }, background)];
}

/** `isAsked`: by an option of the command line. */
export interface ChangesReader {
  readonly isPerson: boolean;
  readonly isAsked: boolean;
}

export function changesReader({ staging, verbose }: Pick<RunVerbOptions, 'staging' | 'verbose'>): ChangesReader {
  const isAsked = verbose === true || (staging !== undefined && staging !== 'off');
  return { isPerson: process.stderr.isTTY === true, isAsked };
}

/**
 * What a staged command changed, and how to undo it; or why it cannot be undone. Without a person, and unless somebody asked,
 * only what is not as usual: changes that are not in the project.
 */
export function changeLines(
  { changes, whyNoUndo }: Pick<RunResult, 'changes' | 'whyNoUndo'>,
  { isPerson, isAsked }: ChangesReader,
): string[] {
  const quiet: readonly (string | null)[] = [null, ...Object.values(NOT_STAGED)];
  const isLanded = changes?.state === 'landed' && changes.heldBack.length === 0;
  const isShown = changes !== null && (isPerson || isAsked || !isLanded);
  const isDirect = !quiet.includes(whyNoUndo) && (isAsked || (isPerson && changes !== null));
  return [
    ...(isShown ? [describeChanges(changes)] : []),
    ...(isDirect ? [`Cannot be undone: ${visible(whyNoUndo ?? '')}.`] : []),
  ];
}

function describeChanges(changes: RunChanges): string {
  const { id, state, heldBack } = changes;
  if (state === 'landing') return `Interrupted while the changes landed. Complete it: hardshell apply ${id}`;
  if (state !== 'landed' && state !== 'held')
    return `Interrupted: the changes are not in the project. Look at them: hardshell changes ${id}\n  Then make or delete them: hardshell apply ${id}, hardshell drop ${id}`;
  const what = describeCounts(changes);
  const held = heldBack.length === 0 ? '' : ` ${heldBack.length} held back: hardshell changes --held ${id}`;
  if (what === null) return `No files changed.${held}`;
  if (state === 'landed') return `${what}. Undo: hardshell undo ${id}${held === '' ? '' : `\n ${held}`}`;
  return `${what}, held for review: hardshell changes ${id}`;
}

type Violation = RunResult['violations'][number];

/** Refusals of the sandbox, each followed by how a user can allow it; repeated advice is shown once. */
export function violationLines(
  { violations, omittedViolations }: Pick<RunResult, 'violations' | 'omittedViolations'>,
  adviceFor: (violation: Violation) => string = adviceForPerson,
): string[] {
  if (violations.length === 0) return [];
  const held = violations.filter(isHeldBack);
  const refused = violations.filter((violation) => !isHeldBack(violation));
  const rest = omittedViolations > 0 ? [`  and ${omittedViolations} more`] : [];
  return [
    ...(refused.length > 0 ? ['The sandbox refused:', ...groupByAdvice(refused, adviceFor)] : []),
    ...(held.length > 0 ? ['Held back:', ...groupByAdvice(held, adviceFor)] : []),
    ...rest,
  ];
}

/** The sandbox allows these changes: only their files could not be replaced. */
function isHeldBack({ rule }: Violation): boolean {
  return rule.startsWith('changed outside') || rule.startsWith('the change could not be applied');
}

function groupByAdvice(violations: readonly Violation[], adviceFor: (violation: Violation) => string): string[] {
  const groups = new Map<string, string[]>();
  for (const violation of violations) {
    const { operation, target, rule } = violation;
    // A rule about this very file: its path is not repeated.
    const why = rule === `protected: ${target}` ? 'protected' : rule;
    const line = `  ${operation} ${visible(target)}: ${visible(why)}`;
    const advice = visible(adviceFor(violation));
    groups.set(advice, [...(groups.get(advice) ?? []), line]);
  }
  return [...groups].flatMap(([advice, lines]) => [...lines, `    ${advice}`]);
}

/** Hidden folders that the command names: inside they look empty, which no one can tell from a folder that is empty. */
export function hiddenLines(
  { facts, enforcement, status }: Pick<RunResult, 'facts' | 'enforcement' | 'status'>,
  readShown: () => readonly string[],
): string[] {
  if (status !== 'exited' || enforcement.tier === 'none') return [];
  const secrets = homeSecrets(process.env.HOME || null);
  const named = facts.effects.reads.flatMap(({ path }) => (path === null ? [] : [path]));
  const hidden = [...new Set(named)].filter(
    (path) => secrets.some((place) => isAtOrBelow(path, place)) && isFolder(path),
  );
  if (hidden.length === 0) return [];
  const shown = readShown();
  return hidden
    .filter((path) => !shown.some((place) => isAtOrBelow(path, place) || isAtOrBelow(place, path)))
    .flatMap((path) => [
      `${visible(path)} is hidden from commands, and looks empty to them.`,
      `  ${visible(showIt(path))}`,
    ]);
}

/** In settings, `/x` is relative to their folder, and `//x` is absolute. */
function showIt(path: string): string {
  const home = process.env.HOME || null;
  const written = home !== null && path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : `/${path}`;
  return `Show it: "sandbox": {"filesystem": {"allowRead": [${JSON.stringify(written)}]}}`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** For a person at a terminal: an option of `hardshell run`, or a setting. */
function adviceForPerson(violation: Violation): string {
  const { kind, target, rule, instead } = violation;
  // The reader is the user.
  if (kind === 'protected-name')
    return instead.replace(/Ask the user to (\w+) it\.$/, (_, verb) =>
      verb === 'create' ? 'If you want it, create it yourself.' : `Please ${verb} it yourself.`,
    );
  if (kind !== 'file') return instead;
  // `git remote add` in a script: the command itself must be known to be a git command that only changes settings.
  if (instead.includes('run the git command by itself'))
    return instead.replace(
      /Ask the user to change settings that run programs\.$/,
      'Change settings that run programs yourself, outside of the sandbox.',
    );
  // `allowRead` would show a hidden file; no setting lets commands change it.
  if (rule.startsWith('hidden: ') || rule.startsWith('protected: '))
    return 'Change it yourself, outside of the sandbox.';
  if (isHeldBack(violation)) return instead;
  // It cannot be widened.
  if (rule.startsWith('the restricted sandbox'))
    return rule.includes('managed')
      ? 'Ask the administrator of this machine.'
      : 'Use the workspace sandbox: --sandbox workspace';
  const folder = repositoryAround(target) ?? folderOf(target);
  if (WHOLE_SYSTEM.has(folder)) return `Change it yourself: ${folder} cannot be opened to commands.`;
  // A home is more than anyone wants to open for one file.
  if (isAtOrBelow(process.env.HOME ?? '', folder)) {
    // Git creates `.gitconfig.lock` to change `.gitconfig`: a lock that exists already would make it fail.
    const changed = target.replace(/\.lock$/, '');
    if (whyNeverWritable(changed, process.env.HOME ?? null) !== null)
      return 'Change it yourself: it is protected, and cannot be opened to commands.';
    if (changed !== target) return 'Run it yourself, outside of the sandbox.';
    const first = existsSync(target) ? '' : 'create it first, as a file or a folder, then ';
    return `Allow it: ${first}--allow-write ${quoteIfNeeded(target)}`;
  }
  // Files of other programs are there.
  if (folder === '/tmp') return 'Write below $TMPDIR instead.';
  return `Allow it: --allow-write ${quoteIfNeeded(folder)}`;
}

/** Folders that the sandbox never makes writable as a whole. */
const WHOLE_SYSTEM = new Set([
  '/',
  '/bin',
  '/etc',
  '/lib',
  '/usr',
  '/usr/bin',
  '/usr/lib',
  '/var',
  '/var/lib',
  '/home',
]);

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The folder of the repository in which git stores the file: it writes to several folders there. */
function repositoryAround(path: string): string | null {
  for (let folder = folderOf(path); folder !== '/'; folder = folderOf(folder))
    if (['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))) return folder;
  return null;
}

const MORE_TIME = 'Allow more time with --timeout SECONDS, or run it with --background.';

function failureLines({ failure, status, outputFile }: RunResult): string[] {
  if (failure === null)
    return [status === 'timed-out' ? 'The command ran longer than allowed.' : 'The command was ended.'];
  const suggestion = status === 'timed-out' ? MORE_TIME : failure.suggestions[0];
  const file = status === 'failed' && outputFile !== null ? [`  Its output so far: ${visible(outputFile)}`] : [];
  return [visible(failure.message), ...(suggestion === undefined ? [] : [`  ${visible(suggestion)}`]), ...file];
}
