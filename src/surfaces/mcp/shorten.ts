// Text → its beginning, for a client that shows one line.

/** At most so many characters, with the end cut off; never between the halves of a pair. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]/.test(text[limit - 2] as string) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}
