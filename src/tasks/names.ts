// Names: task ids, and the files that belong to one. A malformed id names no file.

import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Without look-alikes: ids are read aloud and typed. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 6;
const ID = /^[a-z]{1,12}-[a-z0-9]{4,16}$/;

export interface TaskFiles {
  readonly output: string;
  readonly record: string;
  /** Where the shell writes its final folder. */
  readonly cwd: string;
}

export function isTaskId(text: string): boolean {
  return ID.test(text);
}

export function nameFiles(folder: string, id: string): TaskFiles {
  const file = (ending: string) => join(folder, `${id}.${ending}`);
  return { output: file('out'), record: file('json'), cwd: file('cwd') };
}

/** `bash-k7mw2q`: an id without files. The runner creates its files with O_EXCL, so a race cannot mix two tasks. */
export function createTaskId(folder: string | null, kind: string): string {
  for (;;) {
    const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length)));
    const id = `${kind}-${letters.join('')}`;
    if (folder === null) return id;
    const { output, record } = nameFiles(folder, id);
    if (!existsSync(output) && !existsSync(record)) return id;
  }
}

/** `bash-k7mw2q.json` → `bash-k7mw2q`; null for every other file. */
export function idOfRecord(file: string): string | null {
  const id = file.endsWith('.json') ? file.slice(0, -5) : '';
  return isTaskId(id) ? id : null;
}
