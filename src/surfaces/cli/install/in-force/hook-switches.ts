// An agent's settings, of every layer that it reads → the one that disables its hooks, with its line.
// Agents do not report that hooks are off: an installed hook then only looks like protection.
// A layer that may not apply (a project that may not be trusted) counts if it disables hooks, but not if it
// enables them.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { claudeManagedFiles } from '../../claude-settings.ts';
import { findValue } from '../../edit/json-edit.ts';
import { findKey } from '../../edit/toml-edit.ts';
import { readText } from '../change.ts';
import type { Surroundings } from '../target.ts';

/** One place that can disable hooks. */
interface Switch {
  readonly file: string;
  readonly path: readonly string[];
  readonly isOff: (value: unknown) => boolean;
  /** It certainly applies: if it enables hooks, weaker layers are ignored. */
  readonly isFirm?: true;
  /** What to do about it. */
  readonly remedy: string;
}

const BY_ADMINISTRATOR = 'Ask the administrator of this machine to change it.';

/** Why the agent runs no hooks, `null` if nothing disables them. The strongest layer comes first. */
function findOff(switches: readonly Switch[]): string | null {
  const decided = new Set<string>();
  for (const { file, path, isOff, isFirm, remedy } of switches) {
    const name = path.join('.');
    if (decided.has(name)) continue;
    const found = valueIn(file, path);
    if (found === null) continue;
    if (isOff(found.value)) return `\`${name}\` in ${file}:${found.line} switches hooks off. ${remedy}`;
    if (isFirm === true) decided.add(name);
  }
  return null;
}

/** Throws if the file cannot be read: then the answer is unknown. */
function valueIn(file: string, path: readonly string[]): { readonly value: unknown; readonly line: number } | null {
  const text = readText(file);
  if (text === null || text.trim() === '') return null;
  return file.endsWith('.toml') ? findKey(text, path) : findValue(text, path);
}

export function whyCodexHooksAreOff(userFolder: string, place: Surroundings): string | null {
  const machine = join(place.root ?? '/', 'etc/codex');
  const layers = [
    { file: join(machine, 'requirements.toml'), isFirm: true, remedy: BY_ADMINISTRATOR },
    { file: join(machine, 'managed_config.toml'), isFirm: true, remedy: BY_ADMINISTRATOR },
    ...projectFolders(place.cwd).map((folder) => ({ file: join(folder, '.codex/config.toml'), remedy: DELETE_LINE })),
    { file: join(userFolder, 'config.toml'), isFirm: true, remedy: DELETE_LINE },
    { file: join(machine, 'config.toml'), isFirm: true, remedy: BY_ADMINISTRATOR },
  ] as const;
  const isFalse = (value: unknown): boolean => value === false;
  return findOff([
    {
      file: join(machine, 'requirements.toml'),
      path: ['allow_managed_hooks_only'],
      isOff: (value) => value === true,
      remedy: BY_ADMINISTRATOR,
    },
    // `codex_hooks` is the earlier name, and counts if the file does not have the current one.
    ...layers.flatMap((layer) => [
      { ...layer, path: ['features', 'hooks'], isOff: isFalse },
      ...(valueIn(layer.file, ['features', 'hooks']) === null
        ? [{ ...layer, path: ['features', 'codex_hooks'], isOff: isFalse }]
        : []),
    ]),
  ]);
}

const DELETE_LINE = 'Delete that line.';

export function whyClaudeHooksAreOff(userFolder: string, place: Surroundings): string | null {
  const managed = claudeManagedFiles(place);
  const isOn = (value: unknown): boolean => value !== false && value !== null;
  const layers = [
    ...managed.map((file) => ({ file, isFirm: true as const, remedy: BY_ADMINISTRATOR })),
    { file: join(place.cwd, '.claude/settings.local.json'), isFirm: true, remedy: DELETE_LINE },
    { file: join(place.cwd, '.claude/settings.json'), isFirm: true, remedy: DELETE_LINE },
    { file: join(userFolder, 'settings.json'), isFirm: true, remedy: DELETE_LINE },
  ] as const;
  return findOff([
    ...managed.flatMap((file) => [
      { file, path: ['allowManagedHooksOnly'], isOff: isOn, remedy: BY_ADMINISTRATOR },
      { file, path: ['strictPluginOnlyCustomization'], isOff: coversHooks, remedy: BY_ADMINISTRATOR },
    ]),
    ...layers.map((layer) => ({ ...layer, path: ['disableAllHooks'], isOff: isOn })),
  ]);
}

export function whyQwenHooksAreOff({ home, cwd }: Surroundings): string | null {
  const files = [join(cwd, '.qwen/settings.json'), join(home, '.qwen/settings.json')];
  return findOff(
    files.map((file) => ({ file, path: ['disableAllHooks'], isOff: (on) => on === true, remedy: DELETE_LINE })),
  );
}

/** `true`, or a list of what only plugins may provide. */
function coversHooks(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.includes('hooks'));
}

export function whyGeminiHooksAreOff(userFolder: string, name: string, place: Surroundings): string | null {
  const { environment, cwd } = place;
  const machine = geminiFolder(place);
  const layers = [
    {
      file: environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(machine, 'settings.json'),
      isFirm: true,
      remedy: BY_ADMINISTRATOR,
    },
    { file: join(cwd, '.gemini/settings.json'), remedy: DELETE_LINE },
    { file: join(userFolder, 'settings.json'), isFirm: true, remedy: DELETE_LINE },
    {
      file: environment.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(machine, 'system-defaults.json'),
      isFirm: true,
      remedy: BY_ADMINISTRATOR,
    },
  ] as const;
  const isNamed = (value: unknown): boolean => Array.isArray(value) && value.includes(name);
  return findOff([
    ...layers.map((layer) => ({ ...layer, path: ['hooksConfig', 'enabled'], isOff: (on: unknown) => on === false })),
    // The lists of all layers add up.
    ...layers.map(({ file, remedy }) => ({
      file,
      path: ['hooksConfig', 'disabled'],
      isOff: isNamed,
      remedy: remedy === DELETE_LINE ? `Remove "${name}" from the list.` : remedy,
    })),
  ]);
}

/** From here up to the root of the repository, as Codex reads them. */
function projectFolders(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, '.git')); ) {
    const above = dirname(folder);
    if (above === folder) return [cwd];
    folders.push(above);
    folder = above;
  }
  return folders;
}

function geminiFolder({ platform, environment, root = '/' }: Surroundings): string {
  if (platform === 'darwin') return join(root, 'Library/Application Support/GeminiCli');
  if (platform === 'win32') return join(environment.ProgramData ?? 'C:\\ProgramData', 'gemini-cli');
  return join(root, 'etc/gemini-cli');
}
