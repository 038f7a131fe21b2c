// Answers about the disk for one plan: the same question has one answer, and a folder that is asked about often is listed.

import type { FolderReader } from './reading.ts';

/** From this question on, listing a folder is faster than asking about each name: of hundreds, few exist. */
const ASKED_OFTEN = 3;

export function rememberAnswers(folders: FolderReader): FolderReader {
  const known = new Map<string, string | null>();
  const asked = new Map<string, number>();
  const listed = new Map<string, ReadonlySet<string> | null>();

  function isAbsent(path: string): boolean {
    const at = path.lastIndexOf('/');
    const [folder, name] = [path.slice(0, at) || '/', path.slice(at + 1)];
    const times = (asked.get(folder) ?? 0) + 1;
    asked.set(folder, times);
    if (times < ASKED_OFTEN || name === '' || name === '.' || name === '..') return false;
    let names = listed.get(folder);
    if (names === undefined) {
      names = folders.names?.(folder) ?? null;
      listed.set(folder, names);
    }
    return names !== null && !names.has(foldName(name));
  }

  return {
    realPath(path) {
      let answer = known.get(path);
      if (answer === undefined) {
        answer = isAbsent(path) ? null : folders.realPath(path);
        known.set(path, answer);
      }
      return answer;
    },
    isFile: (path) => folders.isFile?.(path) === true,
    list: (path) => folders.list(path),
  };
}

/** Equal for names that may be the same file: some folders ignore case and Unicode form. Upper first: that maps `ſ` to `s`. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}
