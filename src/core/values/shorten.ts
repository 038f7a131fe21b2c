// Long text → its beginning.

/** At most so many characters, the ellipsis included; never between the halves of a pair. */
export function shorten(text: string, limit: number, ellipsis = '…'): string {
  if (text.length <= limit) return text;
  const end = limit - ellipsis.length;
  return text.slice(0, /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end) + ellipsis;
}
