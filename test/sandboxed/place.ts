// Shared by the tests of sandboxed commands: a separate project, home and settings, and a shell tool for one tier.
// The home is generated, so that no real files are at risk and its content is known.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Settings } from '../../src/config/settings.ts';
import type { RunOptions, RunResult, ShellEvent, ShellTool } from '../../src/core/running.ts';
import { createShell, type ShellOptions } from '../../src/pipeline/shell.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';

export const whyNoKeeper = keeperUnderTest.isAvailable ? null : keeperUnderTest.reason;

/** The two tiers of the keeper, by the name of the setting that asks for them. */
export const TIERS = { namespaces: 'keeper', landlock: 'landlock' } as const;
export type KeeperTier = keyof typeof TIERS;

export interface PlaceOptions {
  readonly tier?: KeeperTier;
  readonly settings?: Settings;
  readonly shell?: ShellOptions;
  /** Where the project is; by default not below a temporary folder, like real projects. */
  readonly parent?: string;
}

export interface Place {
  readonly shell: ShellTool;
  readonly base: string;
  readonly project: string;
  readonly home: string;
  readonly settingsFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  run(command: string, options?: Partial<RunOptions>): Promise<RunResult>;
  start(command: string, options?: Partial<RunOptions>): Promise<RunResult>;
  /** The same, with every event. */
  hear(
    command: string,
    options?: Partial<RunOptions>,
  ): Promise<{ readonly result: RunResult; readonly events: readonly ShellEvent[] }>;
  close(): Promise<void>;
}

const OWN_HOME = homedir();
/** Tests of what the sandbox refuses at once: changes are made directly, or with HARDSHELL_STAGED_TESTS=1 all of them staged. */
export const isStaged = process.env.HARDSHELL_STAGED_TESTS !== undefined;
const STAGING: Settings = { staging: isStaged ? 'apply' : 'off' };

export function makeBase(parent?: string): string {
  for (const folder of parent === undefined ? ['/srv', '/opt', OWN_HOME] : [parent]) {
    try {
      return realpathSync(mkdtempSync(join(folder, 'hardshell-sandboxed-')));
    } catch {}
  }
  throw new Error('there is no folder for projects outside of the temporary ones');
}

export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

export function makePlace({ tier = 'namespaces', settings = {}, shell: more = {}, parent }: PlaceOptions = {}): Place {
  const base = makeBase();
  const apart = parent === undefined ? null : makeBase(parent);
  const project = join(apart ?? base, 'project');
  const home = join(base, 'home');
  mkdirSync(project);
  mkdirSync(home);
  // Of the home of the tests only the tools are wanted.
  const settingsFile = join(base, 'settings.json');
  const { sandbox, ...rest } = settings;
  writeFileSync(
    settingsFile,
    JSON.stringify({ mode: 'bypass', ...STAGING, ...rest, sandbox: { backend: TIERS[tier], ...sandbox } }),
  );
  process.env.HOME = home;
  // As hosts have them: the same home as this process, and nothing that npm set for the tests.
  const environment = { PATH: pathOfPrograms(), HOME: home, LANG: 'C.UTF-8', USER: process.env.USER };
  const shell = createShell({
    tasksFolder: join(base, 'tasks'),
    settingsFile,
    // The home is compared before and after.
    recording: false,
    hostEnvironment: environment,
    ...more,
  });
  const complete = (options: Partial<RunOptions> = {}): RunOptions => ({ cwd: project, timeout: 90_000, ...options });
  return {
    shell,
    base,
    project,
    home,
    settingsFile,
    environment,
    run: (command, options) => shell.run(command, complete(options)),
    start: (command, options) => shell.start(command, { cwd: project, ...options }),
    async hear(command, options) {
      const events: ShellEvent[] = [];
      const onEvent = (event: ShellEvent) => void events.push(event);
      return { result: await shell.run(command, complete({ ...options, onEvent })), events };
    },
    async close() {
      if (!existsSync(base)) return;
      for (const { id, state } of await shell.tasks()) if (state === 'running') await (await shell.task(id))?.stop();
      await shell.close();
      process.env.HOME = OWN_HOME;
      for (const folder of [base, apart])
        if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function pathOfPrograms(): string {
  const folders = (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/') && !/node_modules/.test(folder));
  return [...new Set([...folders, '/usr/local/bin', '/usr/bin', '/bin'])].join(':');
}

/** Outside of the sandbox, as the person at the keyboard. */
export function outside(program: string, argv: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, argv, {
    cwd,
    encoding: 'utf8',
    env: { PATH: pathOfPrograms(), HOME: process.env.HOME, ...GIT_IDENTITY },
  });
  if (status !== 0) throw new Error(`${program} ${argv.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

const GIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

const programs = new Map<string, boolean>();

export function hasProgram(name: string): boolean {
  const known = programs.get(name);
  if (known !== undefined) return known;
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`], { env: { PATH: pathOfPrograms() } }).status === 0;
  programs.set(name, isThere);
  return isThere;
}
