// Repositories → all their settings with file and line: config, config.worktree, includes, submodules. Bounded.
// What cannot be read or parsed is a problem that is told, never an empty file. Conditions of includes count as met.

import { posix } from 'node:path';
import type { Probe } from '../../core/probe.ts';
import { type GitSetting, parseGitConfig } from './git-config.ts';
import type { GitFolder } from './git-folders.ts';

export interface LocatedSetting extends GitSetting {
  readonly file: string;
}

export interface GitSettings {
  readonly settings: readonly LocatedSetting[];
  readonly problems: readonly string[];
}

const FILE_LIMIT_BYTES = 262_144;
const MAX_FILES = 64;
const MAX_DEPTH = 10;
const MAX_MODULES = 64;

export function readGitSettings(folders: readonly GitFolder[], probe: Probe, home: string | null): GitSettings {
  const settings: LocatedSetting[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  const read = (file: string, depth: number): void => {
    if (seen.has(file)) return;
    seen.add(file);
    if (probe.kind(file) === 'absent') return;
    if (seen.size > MAX_FILES || depth > MAX_DEPTH) {
      if (!problems.includes(TOO_MANY)) problems.push(TOO_MANY);
      return;
    }
    const text = probe.readText(file, FILE_LIMIT_BYTES);
    const parsed = text === null ? null : parseGitConfig(text);
    if (parsed === null) {
      problems.push(`${file} cannot be ${text === null ? 'read' : 'understood'}`);
      return;
    }
    for (const setting of parsed) {
      settings.push({ ...setting, file });
      const isInclude = setting.section === 'include' || setting.section === 'includeif';
      if (!isInclude || setting.name !== 'path' || setting.value === null) continue;
      const target = includedFile(setting.value, file, home);
      if (target === null) problems.push(`${file}:${setting.line} includes ${setting.value}, which cannot be resolved`);
      else read(target, depth + 1);
    }
  };
  for (const { own, common, workTree } of folders) {
    read(posix.join(common, 'config'), 0);
    read(posix.join(own, 'config.worktree'), 0);
    for (const file of moduleConfigs(common, workTree, probe, problems)) read(file, 0);
  }
  return { settings, problems };
}

const TOO_MANY = 'the repository has more configuration files than are looked at';

function includedFile(value: string, file: string, home: string | null): string | null {
  if (value.startsWith('~/')) return home === null ? null : posix.join(home, value.slice(2));
  if (value.startsWith('~') || value.startsWith('%(')) return null;
  return posix.resolve(posix.dirname(file), value);
}

/** `git status` and `git diff` also run in submodules, each with a configuration of its own. */
function moduleConfigs(common: string, workTree: string | null, probe: Probe, problems: string[]): readonly string[] {
  const files: string[] = [];
  const pending = [posix.join(common, 'modules')];
  for (let looked = 0; pending.length > 0; looked++) {
    const folder = pending.pop() as string;
    const names = probe.list(folder);
    if (names === null) continue;
    if (looked > MAX_MODULES) {
      problems.push(TOO_MANY);
      break;
    }
    if (names.includes('HEAD')) {
      files.push(posix.join(folder, 'config'), posix.join(folder, 'config.worktree'));
      if (names.includes('modules')) pending.push(posix.join(folder, 'modules'));
    } else pending.push(...names.map((name) => posix.join(folder, name)));
  }
  const text = workTree === null ? null : probe.readText(posix.join(workTree, '.gitmodules'), FILE_LIMIT_BYTES);
  for (const { section, name, value } of (text === null ? null : parseGitConfig(text)) ?? []) {
    if (section === 'submodule' && name === 'path' && value !== null && workTree !== null)
      files.push(posix.join(workTree, value, '.git', 'config'));
  }
  return files.slice(0, MAX_MODULES * 2);
}
