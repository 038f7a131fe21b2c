// Makes a counter-example small. In: a text and a question "does it still show?". Out: a text from which nothing
// can be taken away. Tries big pieces first: lines, then words, then characters.

/**
 * @param {string} text
 * @param {(candidate: string) => Promise<boolean>} stillShows
 * @param {{ maxTries?: number }} [options]
 */
export async function minimise(text, stillShows, { maxTries = 600 } = {}) {
  let best = text;
  let tries = 0;
  const cuts = [/(?<=\n)/, /(?<=[;&|\n])/, /(?<=\s)|(?=\s)/, /(?<=[^\w.-])|(?=[^\w.-])/, /(?:)/];
  for (let changed = true; changed && tries < maxTries; ) {
    changed = false;
    for (const cut of cuts) {
      const smaller = await shrink(best.split(cut));
      if (smaller !== best) {
        best = smaller;
        changed = true;
      }
    }
  }
  return best;

  /** @param {string[]} pieces */
  async function shrink(pieces) {
    let current = pieces;
    for (
      let size = Math.ceil(current.length / 2);
      size >= 1 && tries < maxTries;
      size = size > 1 ? Math.ceil(size / 2) : 0
    ) {
      for (let at = 0; at < current.length && tries < maxTries; ) {
        const candidate = [...current.slice(0, at), ...current.slice(at + size)];
        tries++;
        if (candidate.length < current.length && (await stillShows(candidate.join('')))) current = candidate;
        else at += size;
      }
    }
    return current.join('');
  }
}
