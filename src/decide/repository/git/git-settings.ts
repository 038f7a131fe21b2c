// Repositories → all their settings with file and line: config, config.worktree, includes. Bounded.
// Content that cannot be read or parsed is reported as a problem, never treated as empty. Include conditions count as met.

import { posix } from 'node:path';
import type { Probe } from '../../../core/probe.ts';
import { type GitSetting, parseGitConfig } from './git-config.ts';
import type { GitFolder } from './git-folders.ts';

export interface LocatedSetting extends GitSetting {
  readonly file: string;
}

const FILE_LIMIT_BYTES = 262_144;
/** Enough for all checked repositories, and some includes. */
const MAX_FILES = 600;
const MAX_DEPTH = 10;

export const TOO_MANY = 'the repository has more submodules and configuration files than are checked';

/** Reads one repository after the other; each file is read once. */
export class SettingsReader {
  readonly settings: LocatedSetting[] = [];
  readonly problems: string[] = [];
  readonly #probe: Probe;
  readonly #home: string | null;
  readonly #seen = new Set<string>();

  constructor(probe: Probe, home: string | null) {
    this.#probe = probe;
    this.#home = home;
  }

  read({ own, common }: GitFolder): void {
    this.#readFile(posix.join(common, 'config'), 0);
    this.#readFile(posix.join(own, 'config.worktree'), 0);
  }

  #readFile(file: string, depth: number): void {
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    if (this.#probe.kind(file) === 'absent') return;
    if (this.#seen.size > MAX_FILES || depth > MAX_DEPTH) {
      if (!this.problems.includes(TOO_MANY)) this.problems.push(TOO_MANY);
      return;
    }
    const text = this.#probe.readText(file, FILE_LIMIT_BYTES);
    const parsed = text === null ? null : parseGitConfig(text);
    if (parsed === null) {
      this.problems.push(`${file} cannot be ${text === null ? 'read' : 'parsed'}`);
      return;
    }
    for (const setting of parsed) {
      this.settings.push({ ...setting, file });
      const isInclude = setting.section === 'include' || setting.section === 'includeif';
      if (!isInclude || setting.name !== 'path' || setting.value === null) continue;
      const target = resolvePathSetting(setting.value, posix.dirname(file), this.#home);
      if (target === null)
        this.problems.push(`${file}:${setting.line} includes ${setting.value}, which cannot be resolved`);
      else this.#readFile(target, depth + 1);
    }
  }
}

/**
 * A path in a setting as git resolves it; `null` if that depends on something unknown here: the home of
 * another user (`~name/x`), the install folder of git (`%(prefix)/x`), or a prefix of a newer git (`:(optional)x`).
 */
export function resolvePathSetting(value: string, from: string, home: string | null): string | null {
  if (value === '~' || value.startsWith('~/')) return home === null ? null : posix.join(home, value.slice(1));
  if (/^(?:~|%\(|:\()/.test(value)) return null;
  return posix.resolve(from, value);
}
