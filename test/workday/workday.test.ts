// A developer's day in the sandbox: every step ends and prints as it does outside, and nothing is refused.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram, makePlace, type Place, whyNoKeeper, writeTree } from '../sandboxed/place.ts';
import { RUSTUP } from '../sandboxed/project.ts';
import { DAY, type Work } from './rows.ts';

const STEP_MS = 90_000;
const READY_ROUNDS = 100;
/** Programs that are not on the usual path. */
const MORE = 'ls node_modules/.bin/vite /usr/lib/postgresql/*/bin/{initdb,pg_ctl,postgres} 2>/dev/null';

/** `vite.js` is called vite. */
function nameOf(path: string): string {
  return basename(path).replace(/\.js$/, '');
}

/** A folder with links to them. */
function linkPrograms(): string {
  const folder = mkdtempSync('/srv/hardshell-programs-');
  const root = join(import.meta.dirname, '../..');
  const { stdout } = spawnSync('bash', ['-c', MORE], { cwd: root, encoding: 'utf8' });
  const paths = stdout.split('\n').filter((line) => line !== '');
  // Inside, /tmp is another folder.
  for (const path of paths.map((line) => realpathSync(resolve(root, line))).filter((path) => !path.startsWith('/tmp/')))
    symlinkSync(path, join(folder, nameOf(path)));
  return folder;
}

/** What a home has that is in use. */
function furnish(home: string): void {
  for (const folder of ['.config', '.cache', '.local/share']) mkdirSync(join(home, folder), { recursive: true });
  if (existsSync(RUSTUP)) symlinkSync(RUSTUP, join(home, '.rustup'));
}

/** The program may be one that looks for another one in the home. */
function hasToolchain(): boolean {
  return spawnSync('cargo', ['--version'], { env: { PATH: process.env.PATH, HOME: dirname(RUSTUP) } }).status === 0;
}

function whyNot({ needs = [], asUser }: Work): string | null {
  if (asUser === true && process.getuid?.() === 0) return 'it refuses to run as root';
  const missing = needs.filter((name) => !hasProgram(name) || (name === 'cargo' && !hasToolchain()));
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

interface Day {
  step(command: string): Promise<{ exitCode: number | null; output: string }>;
  serve(command: string): Promise<void>;
}

describe.skipIf(process.platform !== 'linux' || whyNoKeeper !== null)('a day of work', () => {
  const places: Place[] = [];
  const servers: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    for (const place of places.splice(0)) await place.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const usualPath = process.env.PATH;
  let programs = '';
  beforeAll(() => {
    programs = linkPrograms();
    process.env.PATH = `${programs}:${usualPath}`;
  });
  afterAll(() => {
    process.env.PATH = usualPath;
    rmSync(programs, { recursive: true });
  });

  function inside(work: Work): Day {
    const place = makePlace();
    places.push(place);
    furnish(place.home);
    writeTree(place.project, work.files ?? {});
    return {
      step: async (command) => {
        const { exitCode, output, violations } = await place.run(command, { timeout: STEP_MS });
        const refused = violations.filter(({ kind }) => !(work.callsHome === true && kind === 'network'));
        expect({ command, refused }).toEqual({ command, refused: [] });
        const told = output.indexOf('<sandbox_violations>');
        const own = told < 0 ? output : output.slice(0, told);
        return { exitCode, output: own.replaceAll(place.project, 'PROJECT') };
      },
      serve: async (command) => void (await place.start(command)),
    };
  }

  function outside(work: Work): Day {
    const base = realpathSync(mkdtempSync('/srv/hardshell-workday-'));
    folders.push(base);
    const [project, home] = [join(base, 'project'), join(base, 'home')];
    for (const folder of [project, home]) mkdirSync(folder);
    furnish(home);
    writeTree(project, work.files ?? {});
    const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', USER: 'me', GIT_CONFIG_NOSYSTEM: '1' };
    return {
      step: async (command) => {
        const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1; ${command}`], {
          cwd: project,
          env,
          encoding: 'utf8',
          timeout: STEP_MS,
        });
        return { exitCode: status, output: stdout.replaceAll(project, 'PROJECT') };
      },
      serve: async (command) => {
        servers.push(spawn('bash', ['-c', command], { cwd: project, env, stdio: 'ignore', detached: true }));
      },
    };
  }

  async function live(work: Work, day: Day) {
    if (work.server !== undefined) {
      await day.serve(work.server.command);
      for (let round = 0; (await day.step(work.server.ready)).exitCode !== 0; round += 1) {
        if (round === READY_ROUNDS) throw new Error(`never up: ${work.server.command}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    const results: { step: string; exitCode: number | null; output: string }[] = [];
    for (const step of work.steps) results.push({ step, ...(await day.step(step)) });
    return results;
  }

  for (const work of DAY)
    test(
      work.name,
      async (context) => {
        const reason = whyNot(work);
        if (reason !== null) return context.skip(reason);
        const expected = await live(work, outside(work));
        for (const server of servers.splice(0)) if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
        expect(await live(work, inside(work))).toEqual(expected);
      },
      4 * STEP_MS,
    );
});
