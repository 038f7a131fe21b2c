// Projects for tests of real work: under version control, with a home full of files that tools look at, by one tier.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, type TestContext } from 'vitest';
import type { RunResult } from '../../src/core/running.ts';
import { makeStagesFolder } from '../../src/stage/store.ts';
import {
  hasProgram,
  type KeeperTier,
  makePlace,
  outside,
  type Place,
  type PlaceOptions,
  whyNoKeeper,
  writeTree,
} from './place.ts';

export const RUSTUP = join(homedir(), '.rustup');

/** What must not break tools although it cannot be read, and what must stay readable. */
const HOME_FILES = {
  '.npmrc': '//registry.npmjs.org/:_authToken=npm_0123456789abcdef\n',
  '.gitconfig': '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n',
  '.config/pip/pip.conf': '[global]\ndisable-pip-version-check = true\n',
  '.cargo/config.toml': '[net]\nretry = 0\n',
  '.cargo/credentials.toml': '[registry]\ntoken = "x"\n',
};

interface Projects {
  /** A project under version control with these files; skips where the tier or a program cannot be had. */
  project(
    context: TestContext,
    files: Readonly<Record<string, string>>,
    options?: PlaceOptions & { programs?: readonly string[] },
  ): Promise<Place>;
  /** An empty folder. */
  bare(context: TestContext, options?: PlaceOptions, programs?: readonly string[]): Promise<Place>;
}

export function useProjects(tier: KeeperTier): Projects {
  const places: Place[] = [];
  /** What the machine can do is tried once; settings may ask for something else. */
  let isThere = false;
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
  });

  async function project(
    context: TestContext,
    files: Readonly<Record<string, string>>,
    { programs = [], ...options }: PlaceOptions & { programs?: readonly string[] } = {},
  ): Promise<Place> {
    const made = await bare(context, options, programs);
    writeTree(made.project, files);
    outside('git', ['init', '-q'], made.project);
    outside('git', ['add', '-A', '-f'], made.project);
    outside('git', ['commit', '-q', '-m', 'first'], made.project);
    return made;
  }

  async function bare(context: TestContext, options: PlaceOptions = {}, programs: readonly string[] = []) {
    if (whyNoKeeper !== null) context.skip(whyNoKeeper);
    for (const program of ['git', ...programs]) if (!hasProgram(program)) context.skip(`${program} is not installed`);
    const place = makePlace({ tier, ...options });
    places.push(place);
    writeTree(place.home, HOME_FILES);
    if (existsSync(RUSTUP)) symlinkSync(RUSTUP, join(place.home, '.rustup'));
    const isUsual = options.settings === undefined && options.shell === undefined;
    if (isUsual && isThere) return place;
    const enforcement = await place.shell.enforcement({ cwd: place.project });
    if (enforcement.tier !== tier) context.skip(`this machine confines by ${enforcement.tier}`);
    isThere ||= isUsual;
    return place;
  }
  return { project, bare };
}

/** Runs it; what git and the folder show of the project is the same afterwards. */
export async function isUnchanged(place: Place, work: () => Promise<RunResult>): Promise<RunResult> {
  const look = () => ({
    status: outside('git', ['status', '--porcelain', '--untracked-files=all'], place.project),
    config: readFileSync(join(place.project, '.git/config'), 'utf8'),
    hidden: readdirSync(place.project).filter((name) => name.startsWith('.')),
    home: readdirSync(place.home).filter((name) => name !== '.cache'),
  });
  // Its own state is in the home as well.
  makeStagesFolder();
  const before = look();
  const result = await work();
  expect(look()).toEqual(before);
  return result;
}

export function said({ exitCode, output, failure }: RunResult): [number | null, string] {
  return [exitCode, failure === null ? output : `${failure.message} ${output}`];
}

export function makeRepository(base: string, name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'one'), 'one\n');
  outside('git', ['init', '-q'], folder);
  outside('git', ['add', '-A'], folder);
  outside('git', ['commit', '-q', '-m', 'first'], folder);
  return folder;
}
