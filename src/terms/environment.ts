// The variables of a command: from the host, the settings, the profile and the request, and the refused folders of PATH.

import type { LoadedSettings } from '../config/load.ts';
import type { ProfileRules } from '../core/profile-rules.ts';
import type { RunOptions } from '../core/running.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import type { Machine } from './machine.ts';

export interface EnvironmentTerms {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly set: Readonly<Record<string, string>>;
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  readonly preserve: boolean;
  /** Variables of the request. */
  readonly request: Readonly<Record<string, string>>;
  /** Names of variables that the request sets and that are withheld. */
  readonly withheld: readonly string[];
  /** Folders that commands can write: programs are not looked up in them by bare name. */
  readonly refusePathBelow: readonly string[];
}

/** In a request these would change the meaning of `~`, `cd -` and the settings of programs after the check. */
const MOVES = /^(?:HOME|PWD|OLDPWD|XDG_.*)$/i;

export function resolveEnvironment(
  { env = {}, preserveEnvironment }: Pick<RunOptions, 'env' | 'preserveEnvironment'>,
  profile: Pick<ProfileRules, 'preservesEnvironment'> | null,
  { environment }: Pick<LoadedSettings, 'environment'>,
  writable: readonly string[],
  machine: Pick<Machine, 'variables' | 'temporary'>,
): EnvironmentTerms {
  const folders = [...writable, ...TEMPORARY_FOLDERS, machine.temporary];
  return {
    host: machine.variables,
    ...environment,
    preserve: preserveEnvironment ?? profile?.preservesEnvironment ?? false,
    request: Object.fromEntries(Object.entries(env).filter(([name]) => !MOVES.test(name))),
    withheld: Object.keys(env).filter((name) => MOVES.test(name)),
    refusePathBelow: folders.filter((folder) => !holdsPrograms(folder)),
  };
}

const SYSTEM = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** A command that starts in `/` or `/usr` still needs the system's programs. */
function holdsPrograms(folder: string): boolean {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return SYSTEM.some((place) => `${place}/`.startsWith(base));
}

/** What `~` means for the command; `null` if it has no HOME. */
export function homeSeen({ host, set, drop }: EnvironmentTerms): string | null {
  const seen = set.HOME ?? (drop.includes('HOME') ? undefined : host.HOME);
  return seen?.startsWith('/') ? seen : null;
}
