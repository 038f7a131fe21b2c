// A value that is made when it is first asked for. What a module makes while it loads is paid by every process that
// loads it, and an agent's hook is a new process for every command.

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

/** The words of a text, which is taken apart when the first word is asked about. */
export function wordSet(text: string): WordSet {
  const words = once(() => new Set(text.trim().split(/\s+/)));
  return { has: (word) => words().has(word) };
}
