// A probe that reads the disk once per question: all checks of one decision see the same disk, and it costs less.

import type { Probe } from '../core/probe.ts';

export function rememberAnswers(probe: Probe | null): Probe | null {
  if (probe === null) return null;
  const kinds = new Map<string, ReturnType<Probe['kind']>>();
  const real = new Map<string, string | null>();
  const texts = new Map<string, string | null>();
  const bytes = new Map<string, Uint8Array | null>();
  const lists = new Map<string, readonly string[] | null>();
  const { blobId } = probe;
  return {
    realPath: (path) => remember(real, path, () => probe.realPath(path)),
    kind: (path) => remember(kinds, path, () => probe.kind(path)),
    readText: (path, limitBytes) => remember(texts, `${limitBytes} ${path}`, () => probe.readText(path, limitBytes)),
    readBytes: (path, limitBytes) => remember(bytes, `${limitBytes} ${path}`, () => probe.readBytes(path, limitBytes)),
    list: (path) => remember(lists, path, () => probe.list(path)),
    // Asked about each file once, in one place.
    ...(blobId === undefined ? {} : { blobId }),
  };
}

function remember<T>(answers: Map<string, T>, key: string, ask: () => T): T {
  const known = answers.get(key);
  if (known !== undefined || answers.has(key)) return known as T;
  const answer = ask();
  answers.set(key, answer);
  return answer;
}
