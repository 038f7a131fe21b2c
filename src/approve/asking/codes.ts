// Number of codes in use → a short code that a person can read aloud and type.

/** Only two vowels, and no look-alikes: 0 o, 1 i l, 2 z, 5 s, 8 b, u v. */
const CODE_ALPHABET = '34679acdefghjkmnpqrtwxy';
const SHORTEST = 4;
const TRIES_PER_LENGTH = 4;

/** Grows by a character when several in a row are taken, so it always ends. */
export function createCode(isTaken: (code: string) => boolean, random: (limit: number) => number): string {
  for (let length = SHORTEST; ; length += 1) {
    for (let attempt = 0; attempt < TRIES_PER_LENGTH; attempt += 1) {
      const code = Array.from({ length }, () => CODE_ALPHABET[random(CODE_ALPHABET.length)]).join('');
      if (!isTaken(code)) return code;
    }
  }
}

export function randomBelow(limit: number): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value % limit;
}

/** As typed by a person → as generated. */
export function normalizeCode(code: string): string {
  return code.trim().toLowerCase();
}
