// Shared by the verbs that serve: folder and port options, and the signal that ends them.
// Loads nothing of the engine: a client of `mcp` gets its greeting before that.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { process } from './process.ts';
import { usageError } from './refusal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export function readFolder(folder = '.'): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw usageError(`Not a directory: ${path}`, 'Pass an existing folder to --cwd.');
}

export function toPort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError('Use a number from 0 to 65535; 0 is any free one.');
}

/** The first signal asks us to end; a second one does not wait. */
export function listenForSignals(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of SIGNALS) {
      process.removeAllListeners(signal);
      process.on(signal, () => {
        if (isAsked) process.exit(1);
        isAsked = true;
        resolve();
      });
    }
  });
}
