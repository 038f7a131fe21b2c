// Programs in a stand-in for a container (container.c), as another user: made once for a file of tests.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, type TestContext } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');
/** As in container.c. */
const NOBODY = 61_234;
const TIME_MS = 60_000;

export interface Container {
  readonly base: string;
  /** Skips the test where there can be no container. */
  need(context: TestContext): void;
  /** The program and its words that run hardshell with these arguments inside. */
  argv(profile: string, args: readonly string[]): [string, string[]];
  options(): { cwd: string; env: NodeJS.ProcessEnv };
  run(profile: string, args: readonly string[]): SpawnSyncReturns<string>;
}

/** `files`: the content of the folder `project`, in which hardshell starts. */
export function useContainer(files: Readonly<Record<string, string>>): Container {
  let base = '';
  let why: string | null = null;
  const container: Container = {
    get base() {
      return base;
    },
    need: (context) => {
      if (why !== null) context.skip(why);
    },
    argv: (profile, args) => [join(base, 'container'), [profile, process.execPath, BIN, ...args]],
    options: () => ({
      cwd: join(base, 'project'),
      env: { PATH: process.env.PATH, HOME: base, HARDSHELL_RUNTIME_DIR: join(base, 'run'), LANG: 'C.UTF-8' },
    }),
    run: (profile, args) => {
      const [program, words] = container.argv(profile, args);
      return spawnSync(program, words, { ...container.options(), encoding: 'utf8', timeout: TIME_MS });
    },
  };
  beforeAll(() => {
    if (process.platform !== 'linux') {
      why = 'it needs Linux';
      return;
    }
    base = makeBase(files);
    const source = join(ROOT, 'test/doctor/container.c');
    const made = spawnSync('cc', ['-O1', '-o', join(base, 'container'), source], { encoding: 'utf8' });
    if (made.status !== 0) why = `the launcher cannot be built: ${made.stderr ?? made.error?.message}`;
    else if (container.run('none', ['--version']).status !== 0) why = 'another user cannot read this folder';
  }, 120_000);
  afterAll(() => {
    if (base !== '') rmSync(base, { recursive: true, force: true });
  });
  return container;
}

/** Not below a temporary folder: there the doctor can prove nothing. */
function makeBase(files: Readonly<Record<string, string>>): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      const folder = realpathSync(mkdtempSync(join(parent, 'hardshell-container-')));
      mkdirSync(join(folder, 'project'));
      const names = Object.entries(files).map(([name, text]) => {
        writeFileSync(join(folder, 'project', name), text);
        return join('project', name);
      });
      for (const name of ['', 'project', ...names])
        if (process.getuid?.() === 0) chownSync(join(folder, name), NOBODY, NOBODY);
      return folder;
    } catch {}
  }
  throw new Error('there is no folder to work in');
}
