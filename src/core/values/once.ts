// A lazy value, computed on first use. Every process pays for the work a module does while loading, and an agent's
// hook is a new process for every command.

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export interface WordSet {
  has(word: string): boolean;
}

/** The words of a text, split on first use. */
export function wordSet(text: string): WordSet {
  const words = once(() => new Set(text.trim().split(/\s+/)));
  return { has: (word) => words().has(word) };
}
