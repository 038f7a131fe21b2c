// Answers about the disk for one plan: the same question has one answer, and a folder that is asked about often is listed.

import { type FolderReader, isOddPath, type NamesIn } from './reading.ts';

/** From this absent name on, listing the folder is faster than asking about each name: of hundreds, few exist. */
const ABSENT_OFTEN = 3;

export function rememberAnswers(folders: FolderReader): FolderReader {
  const known = new Map<string, string | null>();
  const absent = new Map<string, number>();
  const listed = new Map<string, NamesIn | null>();

  function namesIn(folder: string): NamesIn | null {
    let names = listed.get(folder);
    if (names === undefined) {
      names = folders.names?.(folder) ?? null;
      listed.set(folder, names);
    }
    return names;
  }

  function isUnlisted(folder: string, name: string): boolean {
    if (!listed.has(folder) && (absent.get(folder) ?? 0) < ABSENT_OFTEN) return false;
    return namesIn(folder)?.has(foldName(name)) === false;
  }

  /** The real path of its folder is known or found first, so that only the last name is looked up. */
  function findBelow(folder: string, name: string, path: string): string | null {
    if (folders.isLink === undefined) return folders.realPath(path);
    const parent = find(folder);
    if (parent === null) return null;
    const isLink = folders.isLink(path);
    if (isLink === null) return null;
    return isLink ? folders.realPath(path) : parent === '/' ? `/${name}` : `${parent}/${name}`;
  }

  function find(path: string): string | null {
    let answer = known.get(path);
    if (answer !== undefined) return answer;
    if (isOddPath(path)) answer = folders.realPath(path);
    else {
      const at = path.lastIndexOf('/');
      const [folder, name] = [path.slice(0, at) || '/', path.slice(at + 1)];
      answer = isUnlisted(folder, name) ? null : findBelow(folder, name, path);
      if (answer === null) absent.set(folder, (absent.get(folder) ?? 0) + 1);
    }
    known.set(path, answer);
    return answer;
  }

  function isAbsent(path: string): boolean {
    const at = path.lastIndexOf('/');
    return !isOddPath(path) && isUnlisted(path.slice(0, at) || '/', path.slice(at + 1));
  }

  return {
    realPath: find,
    names: namesIn,
    isFile: (path) => folders.isFile?.(path) === true,
    list: (path) => folders.list(path),
    isLink: (path) => (isAbsent(path) ? null : (folders.isLink?.(path) ?? null)),
    mountPoints: () => folders.mountPoints?.() ?? [],
  };
}

/** Equal for names that may be the same file: some folders ignore case and Unicode form. Upper first: that maps `ſ` to `s`. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}
