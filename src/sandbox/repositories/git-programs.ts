// The settings of a repository → files and folders in the project that git runs, or reads more settings from.
// Changing those would control what runs, although the settings themselves cannot be changed.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isBelow } from '../../core/values/containment.ts';
import { type GitSetting, parseGitConfig } from '../../decide/repository/git/git-config.ts';
import { keyOf, listTriggers } from '../../decide/repository/git/git-keys.ts';
import { resolvePathSetting } from '../../decide/repository/git/git-settings.ts';
import { Unchanged } from './folder-listings.ts';

const MAX_BYTES = 1 << 20;
const MAX_INCLUDED = 12;
const INTERPRETER = /^(?:.*\/)?(?:env|sh|bash|dash|zsh|node|bun|deno|perl|ruby|python[\d.]*)$/;

type ReadSettings = (file: string) => readonly GitSetting[];

const unchanged = new Unchanged(settingsIn);

/** For one search: the user's settings, and files that several repositories include, are looked up once. */
export function createSettingsReader(): ReadSettings {
  const known = new Map<string, readonly GitSetting[]>();
  return (file) => {
    const settings = known.get(file) ?? unchanged.get(file);
    known.set(file, settings);
    return settings;
  };
}

/** @param worktree where its programs are started; null when that is not known */
export function findNamedPrograms(
  git: string,
  worktree: string | null,
  root: string,
  readSettings: ReadSettings,
): string[] {
  const found: string[] = [];
  // The user's own settings may also name places in the project: `core.hooksPath = .githooks`.
  const files = [join(git, 'config'), join(git, 'config.worktree'), ...userConfigFiles()];
  for (let next = 0; next < files.length && next < MAX_INCLUDED; next++) {
    const file = files[next] as string;
    for (const setting of readSettings(file)) {
      const key = keyOf({ ...setting, file });
      const value = setting.value ?? '';
      if (isInclude(key)) {
        const included = resolvePathSetting(value, dirname(file), homedir());
        if (included === null) continue;
        files.push(included);
        found.push(included);
      } else if (worktree !== null) found.push(...programsIn(key, value, setting, worktree));
    }
  }
  return found.filter((path) => isBelow(path, root));
}

/** Nothing can exist below it. */
const NOWHERE = '/dev/null/worktree';

/**
 * Relative paths in the user's own settings that git runs in every repository, also in new ones: `core.hooksPath = .githooks`.
 * As names for any depth: of longer paths the last two parts.
 */
export function findNamesOfUser(readSettings: ReadSettings): readonly string[] {
  const names = new Set<string>();
  const files = userConfigFiles();
  for (let next = 0; next < files.length && next < MAX_INCLUDED; next++) {
    const file = files[next] as string;
    for (const setting of readSettings(file)) {
      const key = keyOf({ ...setting, file });
      const value = setting.value ?? '';
      const included = isInclude(key) ? resolvePathSetting(value, dirname(file), homedir()) : null;
      if (included !== null) files.push(included);
      // The user starts these by name.
      if (isInclude(key) || isCommand(key)) continue;
      for (const path of programsIn(key, value, setting, NOWHERE))
        if (isBelow(path, NOWHERE)) names.add(relative(NOWHERE, path).split('/').slice(-2).join('/'));
    }
  }
  return [...names];
}

function isInclude(key: string): boolean {
  return /^include(?:if\..*)?\.path$/s.test(key);
}

function isCommand(key: string): boolean {
  return /^(?:alias\.|core\.pager$|pager\.)/.test(key);
}

function userConfigFiles(): string[] {
  const home = homedir();
  const folder = process.env.XDG_CONFIG_HOME ?? join(home, '.config');
  return ['/etc/gitconfig', join(folder, 'git/config'), join(home, '.gitconfig')];
}

function settingsIn(file: string): readonly GitSetting[] {
  const text = readPlain(file, MAX_BYTES);
  return text === null ? [] : (parseGitConfig(text) ?? []);
}

/** Null for anything but a regular file: reading a pipe that a command has left would block forever. */
export function readPlain(file: string, maxBytes: number): string | null {
  let fd: number | null = null;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(fd);
    return info.isFile() && info.size <= maxBytes ? readFileSync(fd, 'utf8') : null;
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function programsIn(key: string, value: string, setting: GitSetting, worktree: string): string[] {
  if (key === 'core.hookspath') {
    const folder = resolvePathSetting(value, worktree, homedir());
    if (folder === null) return [];
    // Husky's own hooks, in `.husky/_`, run those in the parent folder.
    const husky = /^(.*?\/\.husky)(?:\/|$)/.exec(folder)?.[1];
    return [husky ?? folder].filter((path) => path !== worktree);
  }
  const runs = isCommand(key) || listTriggers({ ...setting, file: '' }).length > 0;
  if (!runs) return [];
  const words = value
    .replace(/^!/, '')
    .split(/[\s;&|()<>"']+/)
    .filter((word) => word !== '');
  const first = words.findIndex((word) => !INTERPRETER.test(word) && !word.startsWith('-'));
  const program = first === -1 ? undefined : words[first];
  if (program === undefined) return [];
  const path = resolve(worktree, program);
  const info = infoOf(path);
  // A file that does not exist yet counts only if the value must be a path.
  return info?.isFile() === true || (info === undefined && program.includes('/')) ? [path] : [];
}

function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
