// Text that is too long → its two ends with a note between them, at most as long as requested.

const NOTE = (count: number) => `\n[… ${count} characters omitted …]\n`;

export function keepEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = NOTE(text.length);
  if (limit <= 2 * note.length) return text.slice(0, wholeEnd(text, limit));
  const half = Math.floor((limit - note.length) / 2);
  const head = wholeEnd(text, half);
  const tail = wholeEnd(text, text.length - half);
  // A surrogate pair across the cut belongs to neither end.
  const start = tail === text.length - half ? tail : tail + 2;
  return text.slice(0, head) + NOTE(start - head) + text.slice(start);
}

/** Not between the halves of a pair. */
function wholeEnd(text: string, at: number): number {
  const isBetween = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return isBetween ? at - 1 : at;
}
