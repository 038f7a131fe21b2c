// A machine with managed settings: a process with private mounts, in which the managed file exists.
// Nothing else moves that file, so nothing else can be tried.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { type Place, writeTree } from './place.ts';

export const MANAGED_FILE = '/etc/hardshell/managed-settings.json';

const MOUNTS = [
  'mkdir "$base/etc" && cp -r /etc/. "$base/etc/" 2>/dev/null || :',
  'mkdir -p "$base/etc/hardshell"',
  'cp "$base/managed.json" "$base/etc/hardshell/managed-settings.json"',
  'mount --rbind "$base/etc" /etc',
  'exec "$@"',
].join('\n');

const PROGRAM = fileURLToPath(new URL('../../bin/hardshell.js', import.meta.url));

export interface ManagedMachine {
  /** Words that start a program of Node there. */
  words(...args: readonly string[]): [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  cli(...args: readonly string[]): SpawnSyncReturns<string>;
}

export function managedMachine(context: TestContext, place: Place, managed: Settings): ManagedMachine {
  if (!existsSync(fileURLToPath(new URL('../../dist/index.js', import.meta.url))))
    context.skip('dist is not built: run `npm run build`');
  if (spawnSync('unshare', ['-Urm', 'true']).status !== 0)
    context.skip('this machine does not let its users have mounts of their own');
  writeTree(place.base, { 'managed.json': JSON.stringify(managed) });
  const env = { PATH: process.env.PATH ?? '', HOME: place.home, base: place.base };
  const words = (...args: readonly string[]): [string, ...string[]] => [
    'unshare',
    '-Urm',
    'sh',
    '-ec',
    MOUNTS,
    'sh',
    process.execPath,
    ...args,
  ];
  return {
    words,
    env,
    cli(...args) {
      const [program, ...rest] = words(PROGRAM, ...args);
      return spawnSync(program, rest, { cwd: place.project, env, encoding: 'utf8', timeout: 60_000 });
    },
  };
}
