// What a command says about files that it could not touch → violations, where the sandbox is why; and how a model reads
// all of them. A line of output proves nothing: a path counts only if the boundary forbids it, and is marked as told.

import { accessSync, constants } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { SandboxViolation } from '../../core/confinement.ts';
import type { RunEvent } from '../../run/port.ts';
import { type Boundary, isAtOrBelow } from './boundary.ts';
import { undoneBy } from './new-repositories.ts';

/** What programs print for EROFS, EACCES and EPERM. */
const REFUSALS = ['read-only file system', 'permission denied', 'operation not permitted'];
const MAX_LINES = 2_000;
const MAX_TEXT = 256 << 10;
const MAX_TOLD = 20;
const MAX_PATH = 4_096;

export interface Told {
  readonly output: string;
  readonly cwd: string;
  readonly home: string | null;
  readonly boundary: Boundary;
}

export function findTold({ output, cwd, home, boundary }: Told): SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  // The last lines: what ended the command is told at its end.
  for (const line of output.slice(-MAX_TEXT).split('\n').slice(-MAX_LINES)) {
    if (found.size >= MAX_TOLD) break;
    if (line.length > 2 * MAX_PATH) continue;
    const small = line.toLowerCase();
    const phrase = REFUSALS.find((text) => small.includes(text));
    if (phrase === undefined) continue;
    for (const path of pathsIn(line, small.indexOf(phrase))) {
      const full = isAbsolute(path)
        ? resolve(path)
        : home !== null && path.startsWith('~/')
          ? join(home, path.slice(2))
          : resolve(cwd, path);
      const violation = explain(full, boundary, phrase === REFUSALS[0]);
      if (violation !== null) {
        found.set(full, violation);
        break;
      }
    }
  }
  return [...found.values()];
}

/** The words before the phrase, or quoted after it: `open '/x'`, `'/x'`, `/x:`. The nearest first. */
function* pathsIn(line: string, at: number): Generator<string> {
  const after = /['"‘“`]([^'"’”`]{1,4096})['"’”`]/.exec(line.slice(at))?.[1];
  if (after !== undefined) yield after;
  const before = line.slice(0, at).replace(/[:\s]+$/, '');
  const inQuotes = /['"‘“`]([^'"’”`]{1,4096})['"’”`]$/.exec(before)?.[1];
  if (inQuotes !== undefined) yield inQuotes;
  const bare = /\S*$/.exec(before)?.[0] ?? '';
  if (inQuotes === undefined && bare !== '') yield bare;
}

function explain(path: string, boundary: Boundary, isReadOnly: boolean): SandboxViolation | null {
  const writable = [...(boundary.writable ?? []), ...(boundary.scratch ?? [])];
  const { hidden = [], unprotected = [] } = boundary;
  const holds = (places: readonly string[]) => places.find((place) => isAtOrBelow(path, place));
  const base = { kind: 'file', target: path, certainty: 'told' } as const;
  const secret = holds(hidden);
  if (secret !== undefined)
    return {
      ...base,
      operation: 'read',
      rule: `hidden: ${secret}`,
      instead: 'Do without it, or add it to sandbox.filesystem.allowRead.',
    };
  const guarded = holds(boundary.protected ?? []);
  const root = holds(writable);
  const isHeld = guarded !== undefined || (isReadOnly && !isOnReadOnlyDisk(path));
  if (root !== undefined && holds(unprotected) === undefined && isHeld)
    return {
      ...base,
      operation: 'write',
      rule: `protected: ${guarded ?? path}`,
      instead: 'It decides what runs outside of the sandbox: ask the person to change it.',
    };
  if (root !== undefined) return null;
  const shown = boundary.writable ?? [];
  const where = shown.length === 0 ? 'nothing can be written here' : `write below ${shown.slice(0, 3).join(', ')}`;
  return {
    ...base,
    operation: 'write',
    rule: `outside the writable folders`,
    instead: `Instead, ${where}; or allow it with --allow-write.`,
  };
}

/** For us, who are not confined: a disk that is read-only for everybody is not the sandbox's doing. */
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

/** For the model, behind the output: what was refused, by which rule, and what to do. */
export function annotate(violations: readonly SandboxViolation[]): string {
  if (violations.length === 0) return '';
  const lines = violations
    .slice(0, MAX_TOLD)
    .map(
      ({ operation, target, rule, instead }) =>
        `- ${operation} ${visible(target)}: ${visible(rule)}. ${visible(instead)}`,
    );
  const rest = violations.length > MAX_TOLD ? [`- and ${violations.length - MAX_TOLD} more`] : [];
  return ['<sandbox_violations>', ...lines, ...rest, '</sandbox_violations>'].join('\n');
}

/** A name could end the block and say something of its own. */
function visible(text: string): string {
  return text.replace(/[\p{C}<>]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

/** What the runner reports of refusals, as the kernel told it. */
export function violationOf(event: RunEvent): SandboxViolation | null {
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
