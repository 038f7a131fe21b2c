// What the tests of learning share: a place with a project and a home of its own, lessons there, and their proof: what a
// lesson lists is enough for the same command in the ordinary sandbox, and nothing of it can be left out.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, type TestContext } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { type LearnOptions, type LearnReport, learn, SETTINGS_VALIDATORS, saveSettings } from '../../src/host.ts';
import { hasProgram, type KeeperTier, makePlace, type Place, whyNoKeeper } from '../sandboxed/place.ts';

export const TIME_MS = 120_000;
/** Not the one of a version manager, which is a shell script that looks at many files. */
export const PYTHON = '/usr/bin/python3';

export interface Classroom extends Place {
  learn(command: string, options?: Partial<LearnOptions>): Promise<LearnReport>;
  /** `prepare` brings the disk back to where it was before each run. */
  prove(command: string, lesson: LearnReport, prepare?: () => void): Promise<void>;
}

export function useClassroom(tier: KeeperTier) {
  let place: Place | null = null;
  afterEach(async () => {
    await place?.close();
    place = null;
  });
  return async (
    context: TestContext,
    { settings = {}, programs = [] }: { settings?: Settings; programs?: readonly string[] } = {},
  ): Promise<Classroom> => {
    if (whyNoKeeper !== null) context.skip(whyNoKeeper);
    for (const program of programs) if (!hasProgram(program)) context.skip(`${program} is not installed`);
    const made = makePlace({ tier, settings });
    place = made;
    const enforcement = await made.shell.enforcement({ cwd: made.project });
    if (enforcement.tier !== tier) context.skip(`this machine confines by ${enforcement.tier}`);
    return { ...made, learn: learnIn(made), prove: proveIn(made) };
  };
}

function learnIn({ project, base, home, settingsFile }: Place): Classroom['learn'] {
  const PATH = '/usr/local/bin:/usr/bin:/bin';
  return (command, options = {}) =>
    learn(command, {
      cwd: project,
      settingsFile,
      tasksFolder: join(base, 'tasks'),
      hostEnvironment: { PATH, HOME: home, LANG: 'C.UTF-8' },
      timeout: 60_000,
      ...options,
    });
}

function proveIn(place: Place): Classroom['prove'] {
  return async (command, { settings }, prepare = () => {}) => {
    const before = readFileSync(place.settingsFile, 'utf8');
    const tryWith = async (added: Settings) => {
      writeFileSync(place.settingsFile, before);
      await saveSettings(place.settingsFile, added, SETTINGS_VALIDATORS);
      prepare();
      const { exitCode, output } = await place.run(command);
      return { exitCode, output };
    };
    expect(await tryWith(settings)).toMatchObject({ exitCode: 0 });
    for (const [left, fewer] of leaveOneOut(settings)) {
      const { exitCode } = await tryWith(fewer);
      expect([left, exitCode]).not.toEqual([left, 0]);
    }
    writeFileSync(place.settingsFile, before);
    prepare();
  };
}

/** Every item of every list, and the settings without it. */
function leaveOneOut(settings: Settings): [left: string, fewer: Settings][] {
  const found: [string, Settings][] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (Array.isArray(value))
      for (const [i, item] of value.entries())
        found.push([`${path.join('.')}: ${item}`, remove(settings, [...path, i])]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(settings, []);
  return found;
}

function remove(settings: Settings, path: readonly (string | number)[]): Settings {
  const copy = structuredClone(settings) as Record<string, unknown>;
  let at: unknown = copy;
  for (const key of path.slice(0, -1)) at = (at as Record<string, unknown>)[key];
  (at as unknown[]).splice(path.at(-1) as number, 1);
  return copy as Settings;
}
