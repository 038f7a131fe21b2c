// Where text can be cut: never inside a character, never inside a terminal escape sequence.

const ESC = 0x1b;
const BEL = 0x07;
/** Longer sequences are data, not terminal control; waiting for their end would hide text. */
const MAX_SEQUENCE = 4_096;

/** The largest cut at or before `at` that splits neither a character nor an escape sequence. */
export function cutBefore(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (at <= 0) return 0;
  const end = splitsPair(text, at) ? at - 1 : at;
  const start = sequenceAround(text, end);
  return start === null ? end : start[0];
}

/** The smallest cut at or after `at` that splits neither. */
export function cutAfter(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const start = splitsPair(text, at) ? at + 1 : at;
  const around = sequenceAround(text, start);
  return around === null ? start : around[1];
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** The escape sequence that a cut at `at` would split, if any. */
function sequenceAround(text: string, at: number): readonly [start: number, end: number] | null {
  const start = text.lastIndexOf('\x1b', at - 1);
  if (start === -1 || start < at - MAX_SEQUENCE) return null;
  // `ESC \` ends a sequence that started at an earlier ESC.
  const outer = text[start + 1] === '\\' && start > 0 ? text.lastIndexOf('\x1b', start - 1) : -1;
  if (outer !== -1 && sequenceEnd(text, outer) > at) return [outer, sequenceEnd(text, outer)];
  const end = sequenceEnd(text, start);
  return end > at ? [start, end] : null;
}

/** Index after the sequence that starts at `start`; the end of the text if it is not complete. */
function sequenceEnd(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === undefined) return start + 1;
  if (kind === '[') return endOfControl(text, start + 2);
  if (kind === ']' || kind === 'P' || kind === '_' || kind === '^' || kind === 'X') return endOfString(text, start + 2);
  let at = start + 1;
  while (at < text.length && isBetween(text.charCodeAt(at), 0x20, 0x2f)) at++;
  return Math.min(at + 1, text.length);
}

function endOfControl(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_SEQUENCE);
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (isBetween(code, 0x40, 0x7e)) return at + 1;
    if (!isBetween(code, 0x20, 0x3f)) return at;
  }
  return limit;
}

function endOfString(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_SEQUENCE);
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === BEL) return at + 1;
    if (code === ESC) return text[at + 1] === '\\' ? at + 2 : at;
  }
  return limit;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}

/** The largest cut at or before `at` in UTF-8 bytes that splits no character. */
export function byteCutBefore(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let cut = Math.max(0, at);
  for (let steps = 0; steps < 3 && cut > 0 && isContinuation(bytes[cut] as number); steps++) cut--;
  return isContinuation(bytes[cut] as number) ? Math.max(0, at) : cut;
}

/** The smallest cut at or after `at` in UTF-8 bytes that splits no character. */
export function byteCutAfter(bytes: Uint8Array, at: number): number {
  let cut = Math.max(0, at);
  for (let steps = 0; steps < 3 && cut < bytes.length && isContinuation(bytes[cut] as number); steps++) cut++;
  return Math.min(cut, bytes.length);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Text without escape sequences, for readers that are not terminals. Carriage returns and other controls stay. */
export function stripSequences(text: string): string {
  let at = text.indexOf('\x1b');
  if (at === -1) return text;
  let plain = '';
  let from = 0;
  while (at !== -1) {
    plain += text.slice(from, at);
    from = sequenceEnd(text, at);
    at = text.indexOf('\x1b', from);
  }
  return plain + text.slice(from);
}
