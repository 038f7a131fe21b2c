// Settings files of a folder, or for a request → the layers that resolve() uses.

import { homedir } from 'node:os';
import { type LoadedLayers, type LoadedSettings, type LoadOptions, loadLayers, loadSettings } from '../config/load.ts';
import type { Policy } from '../core/policy.ts';
import { CHECKS } from '../decide/checks/table.ts';
import { parseRule } from '../decide/rules/patterns/grammar.ts';
import { currentFolder } from './current-folder.ts';

/** Names that settings may refer to. */
export const SETTINGS_VALIDATORS = { checkRule: parseRule, knownCheckIds: new Set(CHECKS.map((check) => check.id)) };

/** The settings that apply in a folder: of the machine, the user, the project and, if named, a file. */
export function loadPolicy(options: PolicyOptions = {}): LoadedSettings {
  const home = homeOfUser();
  return loadSettings({ ...options, ...SETTINGS_VALIDATORS, home, cwd: options.cwd ?? currentFolder() });
}

/** `cwd`: absolute. Default: the current folder of the process. */
export interface PolicyOptions
  extends Omit<LoadOptions, 'checkRule' | 'knownCheckIds' | 'home' | 'cwd'>,
    Partial<Pick<LoadOptions, 'cwd'>> {}

function loadHere(options: PolicyOptions & { readonly cwd: string }): LoadedLayers {
  return loadLayers({ ...options, ...SETTINGS_VALIDATORS, home: homeOfUser() });
}

function homeOfUser(): string | null {
  const home = homedir();
  return home.startsWith('/') ? home : null;
}

/** The user whose settings they are. */
interface Asking {
  readonly cwd: string;
  readonly originalCwd: string | null;
  readonly asked: { readonly policy?: Policy };
}

/** Where the files are, if not in their standard places. */
export interface SettingsFiles extends Pick<LoadOptions, 'settingsFile' | 'places' | 'read'> {}

/** A caller's own policy replaces all files except the managed one. */
export function loadLayersFor(request: Asking, { settingsFile, ...disk }: SettingsFiles): LoadedLayers {
  const { cwd, originalCwd, asked } = request;
  if (asked.policy !== undefined) return loadHere({ cwd, isManagedOnly: true, ...disk });
  // A command that runs in another folder still has the settings of its project.
  const projects = originalCwd === null || originalCwd === cwd ? undefined : [originalCwd];
  return loadHere({ cwd, projects, settingsFile, ...disk });
}
