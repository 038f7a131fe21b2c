// Words of the command line → values of options that several verbs share. Invalid ones are reported at once.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The sandbox opens files and folders that exist: a path that does not would be left closed without a word. */
export function collectExisting(value: string, before: readonly string[] = []): readonly string[] {
  if (existsSync(resolve(value))) return [...before, value];
  throw new InvalidArgumentError('No such file or folder. Create it first, or name its folder.');
}

export function collectPort(value: string, before: readonly number[] = []): readonly number[] {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return [...before, port];
  throw new InvalidArgumentError('Use a port from 1 to 65535.');
}

/** More than 0, up to a maximum. */
export function secondsUpTo(most: number): (value: string) => number {
  return (value) => {
    const seconds = Number(value);
    if (value.trim() !== '' && seconds > 0 && seconds <= most) return seconds;
    throw new InvalidArgumentError(`Use a number of seconds, more than 0 and at most ${most}.`);
  };
}
