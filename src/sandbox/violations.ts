// Output about files that could not be accessed → violations, if the sandbox is the reason; and their text for a model.
// A line of output proves nothing. It counts only in a form that programs use, for a path that the sandbox refuses
// and that the command may have accessed, and is marked as `told`: metrics and alerts leave it out.

import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { ConfineGuarantee, MissingGuarantee, SandboxViolation } from '../core/confinement.ts';
import type { Effects, Facts } from '../core/facts.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { adviceForModel } from '../core/values/violation-advice.ts';
import type { RunEvent } from '../run/port.ts';
import type { Boundary } from './boundary.ts';
import { undoneBy } from './repositories/new-repositories.ts';

/** Messages for EROFS, EACCES, EPERM, and EBUSY: a protected file cannot be replaced by renaming another. */
const READ_ONLY = 'read-only file system';
/** Message for ENOENT: a hidden folder appears empty. */
const ABSENT = 'no such file or directory';
const REFUSALS = [READ_ONLY, 'permission denied', 'operation not permitted', 'device or resource busy', ABSENT];
const MAX_LINES = 2_000;
const MAX_TEXT = 256 << 10;
const MAX_TOLD = 20;
const MAX_PATH = 4_096;

export interface CommandReport {
  readonly output: string;
  readonly cwd: string;
  readonly home: string | null;
  readonly boundary: Boundary;
  readonly held: readonly ConfineGuarantee[];
  /** Private temporary folders of the command. */
  readonly temporary: readonly string[];
  readonly facts: Facts;
  /** Milliseconds since 1970. A file that has changed since then was not refused. */
  readonly startedAt: number;
}

type Operation = 'read' | 'write' | 'remove' | 'unknown';

interface Report {
  readonly path: string;
  readonly operation: Operation;
  readonly isReadOnly: boolean;
  readonly isAbsent: boolean;
}

export function findReportedViolations(told: CommandReport): SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  // The last lines: the reason for a failure is printed at the end.
  for (const line of told.output.slice(-MAX_TEXT).split('\n').slice(-MAX_LINES)) {
    if (found.size >= MAX_TOLD) break;
    const report = line.length > 2 * MAX_PATH ? null : readReport(line);
    const path = report === null ? null : absolutePath(report.path, told);
    if (report === null || path === null || !mayTouch(told.facts, path)) continue;
    const violation = explain({ ...report, path }, told);
    if (violation !== null) found.set(path, violation);
  }
  return [...found.values()];
}

/** Programs whose files are on another machine. */
const REMOTE = /^(?:scp|sftp|ssh|rsync|curl|wget): /;
const QUOTED = /['"‘“`]([^'"’”`]{1,4096})['"’”`]$/;
/** `bash: line 1: name: …`, `script.sh: 3: cannot create name: …`: a shell that could not open the target of `>`. */
const SHELL_FORM = /^\S+: (?:line )?\d+: (?:cannot create )?$/;

/** `null`: not a refusal, or without a path. */
function readReport(line: string): Report | null {
  const small = line.toLowerCase();
  const phrase = REFUSALS.find((text) => small.includes(text));
  if (phrase === undefined || REMOTE.test(line)) return null;
  const isReadOnly = phrase === READ_ONLY;
  const isAbsent = phrase === ABSENT;
  const at = small.indexOf(phrase);
  // `permission denied, open '/x'`, `Permission denied: '/x'`.
  const behind = /^(?:, (\w+))?:? ['"]([^'"]{1,4096})['"]/.exec(line.slice(at + phrase.length));
  if (behind !== null) {
    const [, call = '', path = ''] = behind;
    return { path, isReadOnly, isAbsent, operation: isReadOnly ? 'write' : (CALLS.get(call) ?? 'unknown') };
  }
  const before = line
    .slice(0, at)
    .replace(/[:\s]+$/, '')
    .replace(/ for (?:writing|reading)$/, '');
  const quoted = QUOTED.exec(before);
  const bare = /\S*$/.exec(before)?.[0] ?? '';
  const path = quoted?.[1] ?? bare;
  const head = before.slice(0, before.length - (quoted?.[0] ?? bare).length);
  const isName = /^[\w.@+-]*[A-Za-z][\w.@+-]*$/.test(path);
  const isNamed = quoted !== null ? isName && / $/.test(head) : isReadOnly && isName && SHELL_FORM.test(head);
  if (!isNamed && !/^(?:~\/|\.{0,2}\/|[\w.@+-]+\/)[^\s:]*$/.test(path) && quoted === null) return null;
  if (!isNamed && !path.includes('/')) return null;
  return { path, isReadOnly, isAbsent, operation: operationOf(line.slice(0, at), isReadOnly) };
}

/** System calls as Node names them. */
const CALLS: ReadonlyMap<string, Operation> = new Map([
  ...['scandir', 'opendir', 'stat', 'lstat', 'read', 'readlink', 'realpath', 'access'].map(
    (name) => [name, 'read'] as const,
  ),
  ...['mkdir', 'mkdtemp', 'rename', 'link', 'symlink', 'copyfile', 'chmod', 'chown', 'utime', 'truncate', 'write'].map(
    (name) => [name, 'write'] as const,
  ),
  ...['unlink', 'rmdir', 'rm'].map((name) => [name, 'remove'] as const),
]);
const REMOVES = /\b(?:cannot remove|could not remove|failed to remove|unlink(?:at)?|rmdir|remove) /;
const READS =
  /\b(?:cannot (?:open|read|access|stat)|opening|reading) |\bfor reading\b|^(?:cat|head|tail|less|more|grep|ls|wc|sort|stat|file|find|diff|cmp|du): /;
const WRITES =
  /\bfor writing\b|\b(?:cannot|could not|unable to|failed to) (?:touch|create|make|move|rename|overwrite|write|truncate|link|lock|set|change|preserve)\b|\b(?:changing (?:permissions|ownership|group)|setting times|mkdir|mkdirat|rename|chmod|chown|symlink|link|creating|writing)\b/;

function operationOf(text: string, isReadOnly: boolean): Operation {
  if (REMOVES.test(text)) return 'remove';
  if (isReadOnly || WRITES.test(text)) return 'write';
  return READS.test(text) ? 'read' : 'unknown';
}

const MOVES: ReadonlySet<string | null> = new Set(['cd', 'pushd', 'popd']);

/** If a command may have left its folder, only absolute paths are certain. */
function absolutePath(path: string, { cwd, home, facts }: CommandReport): string | null {
  if (/\p{Cc}|:\/\//u.test(path)) return null;
  if (isAbsolute(path)) return resolve(path);
  if (path.startsWith('~/')) return home === null ? null : join(home, path.slice(2));
  return facts.commands.some(({ name }) => MOVES.has(name)) ? null : resolve(cwd, path);
}

/** A command that is fully understood was refused only paths that it names, whatever it prints. */
function mayTouch({ status, effects }: Facts, path: string): boolean {
  const { executes, unknown, changes, reads, writes, deletes } = effects;
  if (status !== 'understood' || executes.length > 0 || unknown.length > 0) return true;
  // Git's changes to its own folder are described by effects, not by paths.
  if (changes.length > 0 && /\/\.git\//.test(path)) return true;
  return [...reads, ...writes, ...deletes].some((effect) => isMeant(effect, path));
}

function isMeant({ path: named, glob, recursive }: Effects['reads'][number], path: string): boolean {
  if (named === null || glob === true) return true;
  // A file that is copied or moved into a folder gets a name there.
  return named === path || dirname(path) === named || (recursive === true && isAtOrBelow(path, named));
}

function explain({ path, operation, isReadOnly, isAbsent }: Report, told: CommandReport): SandboxViolation | null {
  const { boundary, held, temporary } = told;
  const holds = (places: readonly string[]) => places.find((place) => isAtOrBelow(path, place));
  const isWrite = operation === 'write' || operation === 'remove';
  const base = { kind: 'file', target: path, certainty: 'told' } as const;
  const secret = holds(boundary.shown ?? []) === undefined ? holds(boundary.hidden ?? []) : undefined;
  // A hidden file is visible but cannot be opened; a file in a hidden folder seems to be missing.
  const isHidden = secret !== undefined && (!isAbsent || (secret !== path && existsSync(path)));
  if (isHidden && held.includes('hidden-content'))
    return {
      ...base,
      operation: isWrite ? 'write' : 'read',
      rule: `hidden: ${secret}`,
      instead: 'Do without it, or ask the user.',
    };
  if (isAbsent) return null;
  // Everything else is readable: any other refusal comes from the owner's mode.
  if (holds(temporary) !== undefined || isAtOrBelow(path, '/dev') || !wasRefused(path, operation, told)) return null;
  if (isReadOnly && isOnReadOnlyDisk(path)) return null;
  const guarded = holds(boundary.protected ?? []);
  const isInside = holds([...(boundary.writable ?? []), ...(boundary.scratch ?? [])]) !== undefined;
  if (!isInside && held.includes('writes-outside'))
    return { ...base, operation: 'write', rule: 'outside the writable folders', instead: whereToWrite(told) };
  const isProtected = guarded !== undefined || isReadOnly;
  if (!isInside || !isProtected || holds(boundary.unprotected ?? []) !== undefined) return null;
  if (!held.includes('protected-existing')) return null;
  return {
    ...base,
    operation: 'write',
    rule: `protected: ${guarded ?? path}`,
    instead: 'It controls what runs outside of the sandbox. Ask the user to change it.',
  };
}

function whereToWrite({ boundary, temporary }: CommandReport): string {
  const places = [...(boundary.writable ?? []).slice(0, 3), ...temporary.slice(0, 1)];
  return places.length === 0 ? 'Nothing can be written here.' : `Write below ${places.join(' or ')} instead.`;
}

/** As far as the disk shows. This process is not confined: files that it can read, the command can read. */
function wasRefused(path: string, operation: Operation, { startedAt }: CommandReport): boolean {
  if (operation === 'read') return false;
  try {
    if (lstatSync(path).ctimeMs >= startedAt) return false;
    if (operation === 'unknown') accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    // Reading a missing file fails in another way, and there is nothing to remove.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && operation !== 'remove';
  }
}

/** For this unconfined process: a disk that is read-only for all is not the sandbox's doing. */
function isOnReadOnlyDisk(path: string): boolean {
  for (let place = path; ; place = dirname(place)) {
    try {
      accessSync(place, constants.W_OK);
      return false;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EROFS') return true;
      if (code !== 'ENOENT' || place === dirname(place)) return false;
    }
  }
}

/** For the model, after the output: what was refused and by which rule, then what to do, each sentence once. */
export function annotate(violations: readonly SandboxViolation[]): string {
  if (violations.length === 0) return '';
  const shown = violations.slice(0, MAX_TOLD);
  const lines = shown.map(({ operation, target, rule, certainty }) => {
    const told = certainty === 'told' ? ' (as the command reports)' : '';
    return `- ${operation} ${visible(target)}: ${visible(rule)}${told}`;
  });
  const rest = violations.length > MAX_TOLD ? [`- and ${violations.length - MAX_TOLD} more`] : [];
  const advice = [...new Set(shown.map((violation) => visible(adviceForModel(violation))))];
  return ['<sandbox_violations>', ...lines, ...rest, ...advice, '</sandbox_violations>'].join('\n');
}

/** A name could end the block and add its own text. */
function visible(text: string): string {
  return text.replace(/[\p{C}<>]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

/** Guarantees that were lost while the command ran. */
export function readLoss(event: RunEvent): MissingGuarantee | null {
  if (event.type === 'unsearched') {
    const { path, why = 'too many folders, or one that cannot be read' } = event;
    return {
      guarantee: 'protected-absent',
      why: `the search for new repositories and settings stopped at ${path}: ${why}`,
    };
  }
  if (event.type !== 'exposed') return null;
  const { how, path } = event;
  switch (how) {
    case 'hidden':
      return { guarantee: 'hidden-content', why: `${path} was replaced outside, and the new file was not hidden` };
    case 'appeared':
      return { guarantee: 'hidden-content', why: `${path} was created outside, and was not hidden` };
    case 'protected':
      return { guarantee: 'protected-existing', why: `${path} was replaced outside, and was no longer protected` };
    case 'unwatched':
      return { guarantee: 'hidden-content', why: 'a hidden file that is replaced outside would not be noticed' };
  }
}

/** Refusals that the runner reports, as seen by the kernel. */
export function readViolation(event: RunEvent): SandboxViolation | null {
  switch (event.type) {
    case 'refusal':
      return {
        kind: event.target.startsWith('/') ? 'socket' : 'network',
        operation: event.operation,
        target: event.target,
        rule: event.target.startsWith('/') ? 'sandbox.network.allowUnixSockets' : 'only the proxy can be reached',
        instead: event.target.startsWith('/')
          ? 'Add the socket to sandbox.network.allowUnixSockets.'
          : 'Use the proxy in the environment, or allow the port with sandbox.network.allowPorts.',
        certainty: 'seen',
      };
    case 'undone':
      return undoneBy(event);
    default:
      return null;
  }
}
