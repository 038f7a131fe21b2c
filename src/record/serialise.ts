// An entry → its JSON without the braces, with secrets removed from every text, limited to what the level includes.

import { HardshellError } from '../core/errors.ts';
import type { AuditLevel } from '../core/observer.ts';
import { type AuditEntry, ENTRY_TYPES } from './entries.ts';
import type { Redactor } from './redact/redactor.ts';

/** Reserved for the log: an entry cannot set them. */
const OWN_FIELDS = new Set(['n', 'at', 'prev', 'hash', 'signature', 'lane']);
const DETAILED_FIELDS = new Set(['operations', 'files']);
const MAX_TEXT = 64 << 10;
const MAX_DEPTH = 12;

export function serialiseEntry(entry: AuditEntry, level: AuditLevel, redactor: Redactor): string {
  if (!ENTRY_TYPES.includes(entry.type))
    throw new HardshellError('invalid-argument', `Unknown type of audit entry: ${String(entry.type)}.`);
  const clean: Record<string, unknown> = { type: entry.type };
  const fields = entry as unknown as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    if (name === 'type' || OWN_FIELDS.has(name) || (level === 'basic' && DETAILED_FIELDS.has(name))) continue;
    const value = fields[name];
    clean[name] =
      name === 'args' && Array.isArray(value) ? cleanWords(value, redactor) : cleanValue(value, redactor, 0);
  }
  return JSON.stringify(clean).slice(1, -1);
}

function cleanWords(words: readonly unknown[], redactor: Redactor): string[] {
  return redactor.words(words.map(String)).map(shorten);
}

/** The same value if nothing in it is a secret: the usual case, and copies are the main cost here. */
function cleanValue(value: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof value === 'string') return shorten(redactor.text(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return cleanList(value, redactor, depth + 1);
  const fields = value as Record<string, unknown>;
  // An object with its own serialization would differ from what was checked.
  let copy: Record<string, unknown> | null = isPlain(fields) ? null : { ...fields, toJSON: undefined };
  for (const name in fields) {
    const cleaned = cleanValue(fields[name], redactor, depth + 1);
    if (cleaned === fields[name]) continue;
    copy ??= { ...fields };
    copy[name] = cleaned;
  }
  return copy ?? value;
}

function cleanList(list: readonly unknown[], redactor: Redactor, depth: number): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let at = 0; at < list.length; at += 1) {
    const cleaned = cleanValue(list[at], redactor, depth);
    if (cleaned === list[at]) continue;
    copy ??= [...list];
    copy[at] = cleaned;
  }
  return copy ?? list;
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value);
}

/** After redaction: half a key would not be recognized. */
function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}[cut: ${text.length - MAX_TEXT} characters]`;
}
