// Refusals that the runner reports → violations, each with its rule; and the text about them for models.
// The output of a command neither adds nor hides a violation: it is used for a hint at most.

import { UNSEARCHED } from '../confine/protected-names.ts';
import type { MissingGuarantee, SandboxViolation } from '../core/confinement.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { adviceForModel } from '../core/values/violation-advice.ts';
import type { RunEvent } from '../run/port.ts';
import type { Boundary } from './boundary.ts';
import { undoneBy } from './repositories/new-repositories.ts';

const MAX_SHOWN = 20;
const READ_ONLY = 'the restricted sandbox is read-only';
const FIXED = ', and the managed settings allow no other';
const MAX_TEXT = 64 << 10;

/** What the command may change, and where it can write instead. */
export interface Places {
  readonly boundary: Boundary;
  /** Private temporary folders of the command. */
  readonly temporary: readonly string[];
  /** The managed settings allow no wider sandbox. */
  readonly isFixed: boolean;
}

type Refusal = Extract<RunEvent, { type: 'refusal' }>;

/** A refusal in an event of the runner; `null` for other events. */
export function readViolation(event: RunEvent, places: Places): SandboxViolation | null {
  if (event.type === 'undone') return undoneBy(event);
  if (event.type !== 'refusal') return null;
  switch (event.operation) {
    case 'connect':
    case 'send':
    case 'bind':
      return ofConnection(event, places);
    case 'write':
    case 'create':
    case 'delete':
    case 'change':
      return ofFile(event, places);
    case 'configure':
      return ofSetting(event);
    case 'signal':
      return {
        kind: 'process',
        operation: event.operation,
        target: event.target,
        rule: 'processes outside the sandbox',
        instead: 'Only processes that the command started can be signalled.',
      };
  }
}

function ofConnection({ operation, target }: Refusal, { boundary, isFixed }: Places): SandboxViolation {
  if (target.startsWith('/') || target.startsWith('@'))
    return {
      kind: 'socket',
      operation,
      target,
      rule: 'sandbox.network.allowUnixSockets',
      instead: 'Add the socket to sandbox.network.allowUnixSockets.',
    };
  const name = LOOKED_UP.exec(target)?.[1];
  const base = { kind: 'network', operation, target: name ?? target } as const;
  if (boundary.name === 'restricted')
    return { ...base, rule: 'the restricted sandbox has no network', instead: wayOut(isFixed) };
  if (name !== undefined) return { ...base, rule: NO_LOOKUPS, instead: `${BY_THE_PROXY} ${NOT_BY_SSH}` };
  if (target.endsWith(DNS_PORT)) return { ...base, rule: NO_LOOKUPS, instead: BY_THE_PROXY };
  const port = operation === 'bind' ? undefined : LOCAL_PORT.exec(target)?.[1];
  const instead = port === undefined ? BY_THE_PROXY : `Allow it: --allow-port ${port}`;
  return { ...base, rule: 'only the proxy can be reached', instead };
}

const DNS_PORT = ':53';
const NO_LOOKUPS = 'only the proxy resolves names, for the hosts that are allowed';
/** A host, and the name server that was asked for it (native/refusal.c). */
const LOOKED_UP = /^([\w.-]+) via \S+:53$/;
const NOT_BY_SSH = 'Programs such as ssh do not: use https.';
const BY_THE_PROXY = 'Use the proxy that HTTPS_PROXY names.';
/** A port of this machine, which the proxy does not open either. */
const LOCAL_PORT = /^(?:127(?:\.\d+){3}|\[::1\]|\[::ffff:127(?:\.\d+){3}\]):(\d+)$/;

/** For the user: of the restricted sandbox, nothing can be opened. */
function wayOut(isFixed: boolean): string {
  return isFixed
    ? 'Ask the administrator of this machine: the managed settings allow only the restricted sandbox.'
    : 'Use the workspace sandbox: --sandbox workspace';
}

function ofFile({ operation, target }: Refusal, places: Places): SandboxViolation {
  const { boundary } = places;
  const find = (list: readonly string[] = []) => list.find((place) => isAtOrBelow(target, place));
  const base = { kind: 'file', operation, target } as const;
  const secret = find(boundary.shown) === undefined ? find(boundary.hidden) : undefined;
  if (secret !== undefined) return { ...base, rule: `hidden: ${secret}`, instead: 'Do without it, or ask the user.' };
  const isInside = find([...(boundary.writable ?? []), ...(boundary.scratch ?? [])]) !== undefined;
  if (boundary.name === 'restricted')
    return { ...base, rule: `${READ_ONLY}${places.isFixed ? FIXED : ''}`, instead: whereToWrite(places) };
  if (!isInside) return { ...base, rule: 'outside the writable folders', instead: whereToWrite(places) };
  return {
    ...base,
    rule: `protected: ${find(boundary.protected) ?? target}`,
    instead: adviceForProtected(target),
  };
}

function ofSetting({ operation, target, setting = '' }: Refusal): SandboxViolation {
  return {
    kind: 'file',
    operation,
    target: setting === '' ? target : `${setting} in ${target}`,
    rule: `protected: ${target}`,
    instead:
      setting === ''
        ? 'The file was not changed: it is a link, has a second name, or is too large. Ask the user to change it.'
        : 'The file was not changed: this setting may run programs, or the command is not known to change it. Ask the user to change it.',
  };
}

const SETTINGS = /(?:\/\.git(?:\/.*)?\/config|\/\.gitmodules)$/;

export function adviceForProtected(target: string): string {
  return SETTINGS.test(target)
    ? 'Settings of git can be changed by git commands that run nothing else, such as `git remote add`: run the git command by itself. Ask the user to change settings that run programs.'
    : 'It controls what runs outside of the sandbox. Ask the user to change it.';
}

function whereToWrite({ boundary, temporary }: Places): string {
  const writable = boundary.name === 'restricted' ? [] : (boundary.writable ?? []);
  const places = [...writable.slice(0, 3), ...temporary.slice(0, 1)];
  return places.length === 0 ? 'Nothing can be written here.' : `Write below ${places.join(' or ')} instead.`;
}

/** For the model, after the output: what was refused and by which rule, and what to do about it; each sentence once. */
export function annotate(violations: readonly SandboxViolation[], omitted = 0): string {
  if (violations.length === 0) return '';
  const shown = violations.slice(0, MAX_SHOWN);
  const groups = new Map<string, string[]>();
  for (const violation of shown) {
    const advice = visible(adviceForModel(violation));
    groups.set(advice, [...(groups.get(advice) ?? []), lineOf(violation)]);
  }
  const left = violations.length - shown.length + omitted;
  const rest = left > 0 ? [`- and ${left} more`] : [];
  const lines = [...groups].flatMap(([advice, group]) => [...group, `  ${advice}`]);
  return ['<sandbox_violations>', ...lines, ...rest, '</sandbox_violations>'].join('\n');
}

function lineOf({ operation, target, rule }: SandboxViolation): string {
  // A rule about this very file: its path is not repeated.
  const why = rule === `protected: ${target}` ? 'protected' : rule;
  return `- ${operation} ${visible(target)}: ${visible(why)}`;
}

/** A file name could close the block and add its own text. */
function visible(text: string): string {
  return text.replace(/[\p{C}<>]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

const REFUSED_TEXT = /read-only file system|permission denied|operation not permitted|\b(?:EROFS|EACCES|EPERM)\b/i;

/** A hint for commands that failed without a violation: not every refusal is reported, and text is no proof. */
export function hintAt(output: string, seen: readonly SandboxViolation[]): string | null {
  if (seen.length > 0 || !REFUSED_TEXT.test(output.slice(-MAX_TEXT))) return null;
  return 'The output mentions a missing permission. The sandbox reported no refusal, but it may be the reason: refused reads, for example, are not reported.';
}

/** The name is chosen by the process. */
export function describeTracer({ pid, name }: Extract<RunEvent, { type: 'traced' }>): string {
  const shown = name.replace(/[^\x20-\x7e]/g, '?');
  const who =
    pid === 0 ? `A process outside of the sandbox (${shown})` : `Process ${pid} (${shown}) of another command`;
  return `${who} was tracing it, and may have held it.`;
}

/** Whether the file was there before cannot be told: its folder is only searched afterwards. */
function inUnsearched(path: string): MissingGuarantee | null {
  const folder = path.split('/').find((part) => UNSEARCHED.includes(part));
  if (folder === undefined) return null;
  return {
    guarantee: 'protected-existing',
    why: `${path} was created or changed: repositories in ${folder} are not protected beforehand`,
  };
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
  if (event.type === 'undone') return inUnsearched(event.path);
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
