// Names: new task ids, and the files that belong to one.

import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isTaskId } from '../core/names/task-id.ts';
import { secretTasksFolder } from '../local/places.ts';

/** Without look-alikes: ids are read aloud and typed. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 6;

export interface TaskFiles {
  readonly output: string;
  readonly record: string;
  /** Where the shell writes its final folder. */
  readonly cwd: string;
  /** Output of a command in the foreground with its record, in one file. */
  readonly kept: string;
}

export function nameFiles(folder: string, id: string): TaskFiles {
  const file = (ending: string) => join(folder, `${id}.${ending}`);
  return { output: file('out'), record: file('json'), cwd: file('cwd'), kept: file('kept') };
}

/** `bash-k7mw2q`: an id without files. The runner creates its files with O_EXCL, so a race cannot mix two tasks. */
export function createTaskId(folder: string | null, kind: string): string {
  for (;;) {
    const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length)));
    const id = `${kind}-${letters.join('')}`;
    if (folder === null) return id;
    const files = taskFolders(folder).map((each) => nameFiles(each, id));
    if (!files.some(({ output, record, kept }) => [output, record, kept].some((path) => existsSync(path)))) return id;
  }
}

/** `bash-k7mw2q.json` → `bash-k7mw2q`; null for every other file. */
export function idOfRecord(file: string): string | null {
  return idBefore('.json', file);
}

/** The same for `bash-k7mw2q.kept`. */
export function idOfKept(file: string): string | null {
  return idBefore('.kept', file);
}

function idBefore(ending: string, file: string): string | null {
  const id = file.endsWith(ending) ? file.slice(0, -ending.length) : '';
  return isTaskId(id) ? id : null;
}

/** Where the output of commands in the foreground is kept. Apart from the tasks: lists of those are read often. */
export function foregroundFolder(folder: string): string {
  return join(folder, 'foreground');
}

/** Folders with background tasks. */
export function backgroundFolders(folder: string): readonly string[] {
  return [folder, secretTasksFolder(folder)];
}

/** Folders with outputs of any kind. */
export function taskFolders(folder: string): readonly string[] {
  return backgroundFolders(folder).flatMap((each) => [each, foregroundFolder(each)]);
}
