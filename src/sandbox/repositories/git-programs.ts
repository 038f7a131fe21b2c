// The settings of a repository → files and folders in the project that git runs, or reads more settings from.
// Changing those would control what runs, although the settings themselves cannot be changed.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isBelow } from '../../core/values/containment.ts';
import { type GitSetting, parseGitConfig } from '../../decide/repository/git/git-config.ts';
import { keyOf, listTriggers } from '../../decide/repository/git/git-keys.ts';
import { resolvePathSetting } from '../../decide/repository/git/git-settings.ts';
import { runsUnknown, wordsIn } from './command-words.ts';
import { Unchanged } from './folder-listings.ts';

const MAX_BYTES = 1 << 20;
const MAX_INCLUDED = 12;
const MAX_WORDS = 200;
const HOOKS = 'core.hookspath';
const STARTER =
  /^(?:.*\/)?(?:env|exec|command|nice|nohup|setsid|stdbuf|time|timeout|sh|bash|dash|zsh|node|bun|deno|perl|ruby|python[\d.]*)$/;

/** A setting that names files: programs, hooks, further settings. */
interface NamingSetting {
  readonly key: string;
  readonly value: string;
}
type ReadSettings = (file: string) => readonly NamingSetting[];

const unchanged = new Unchanged(settingsIn, []);

/** For one search: the user's settings, and files that several repositories include, are looked up once. */
export function createSettingsReader(): ReadSettings {
  const known = new Map<string, readonly NamingSetting[]>();
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
): { readonly paths: string[]; readonly unclear: string[] } {
  const found: string[] = [];
  const unclear: string[] = [];
  // The user's own settings may also name places in the project: `core.hooksPath = .githooks`.
  const files = [join(git, 'config'), join(git, 'config.worktree'), ...userConfigFiles()];
  for (let next = 0; next < files.length && next < MAX_INCLUDED; next++) {
    const file = files[next] as string;
    for (const { key, value } of readSettings(file)) {
      if (isInclude(key)) {
        const included = resolvePathSetting(value, dirname(file), homedir());
        if (included === null) continue;
        files.push(included);
        found.push(included);
      } else if (worktree !== null) {
        const programs = programsIn(key, value, worktree);
        found.push(...programs.paths);
        // Aliases and pagers are started by the user.
        if (programs.isUnclear && !isCommand(key)) unclear.push(`${key} in ${file}`);
      }
    }
  }
  return { paths: found.filter((path) => isBelow(path, root)), unclear };
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
    for (const { key, value } of readSettings(file)) {
      const included = isInclude(key) ? resolvePathSetting(value, dirname(file), homedir()) : null;
      if (included !== null) files.push(included);
      // The user starts these by name.
      if (isInclude(key) || isCommand(key)) continue;
      for (const path of programsIn(key, value, NOWHERE).paths)
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

function settingsIn(file: string): readonly NamingSetting[] {
  const text = readPlain(file, MAX_BYTES);
  const settings = text === null ? [] : (parseGitConfig(text) ?? []);
  return settings.filter(isNaming).map((setting) => ({ key: keyOf({ ...setting, file }), value: setting.value ?? '' }));
}

function isNaming(setting: GitSetting): boolean {
  const located = { ...setting, file: '' };
  const key = keyOf(located);
  return isInclude(key) || key === HOOKS || isCommand(key) || listTriggers(located).length > 0;
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

interface Programs {
  readonly paths: readonly string[];
  /** It may run files of the project that are not among them. */
  readonly isUnclear: boolean;
}

function programsIn(key: string, value: string, worktree: string): Programs {
  if (key === HOOKS) {
    const folder = resolvePathSetting(value, worktree, homedir());
    if (folder === null) return { paths: [], isUnclear: false };
    // Husky's own hooks, in `.husky/_`, run those in the parent folder.
    const husky = /^(.*?\/\.husky)(?:\/|$)/.exec(folder)?.[1];
    return { paths: [husky ?? folder].filter((path) => path !== worktree), isUnclear: false };
  }
  return filesNamedIn(value.replace(/^!/, ''), worktree);
}

function filesNamedIn(command: string, worktree: string): Programs {
  const words = wordsIn(command, worktree).slice(0, MAX_WORDS);
  const folders = words.map((word) => resolve(worktree, word)).filter((path) => infoOf(path)?.isDirectory() === true);
  // `cd tools && ./t`
  const places = [...new Set([worktree, ...folders])];
  const candidates = places.flatMap((place) => words.map((word) => resolve(place, word)));
  const files = [...new Set(candidates)].filter((path) => infoOf(path)?.isFile() === true);
  // A file that does not exist yet counts only if it must be a program.
  const plain = command.split(/[\s;&|()<>"']+/).filter((word) => word !== '' && !/^\w+=/.test(word));
  const program = plain.find((word) => !STARTER.test(word) && !word.startsWith('-'));
  const path = program?.includes('/') ? resolve(worktree, program) : null;
  const isMissing = path !== null && !/[$`]/.test(path) && infoOf(path) === undefined;
  return { paths: isMissing ? [...files, path] : files, isUnclear: runsUnknown(command, worktree) };
}

function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
