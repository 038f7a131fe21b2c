// An unknown word → the known word that was probably meant.

/** `null` if nothing is similar enough. */
export function findNearest(word: string, known: Iterable<string>): string | null {
  // Long words cannot be similar, and comparing them would be slow.
  if (word.length > 64) return null;
  const plain = simplify(word);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (simplify(candidate) === plain) return candidate;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `require_confirmation`, `require-confirmation` and `requireConfirmation` are the same word. */
function simplify(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    previous = row;
  }
  return previous[b.length] as number;
}
