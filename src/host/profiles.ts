// A profile with the configuration that holds in a folder: of its settings, and what the caller adds.

import type { ProfileName } from '../core/profile-names.ts';
import { joinConfigurations } from '../core/profile-rules.ts';
import type { Profile } from '../profiles/profile.ts';
import { type ProfileConfiguration, profileOf } from '../profiles/profiles.ts';
import { loadPolicy } from '../terms/settings.ts';

export interface ProfilePlace {
  /** The folder whose settings hold. */
  readonly cwd: string;
  readonly settingsFile?: string | undefined;
  readonly configuration?: ProfileConfiguration | undefined;
}

/** `null`: hardshell's own tools. Throws if the settings cannot be read. */
export function profileHere(name: ProfileName | null, { cwd, settingsFile, configuration }: ProfilePlace): Profile {
  if (name === null) return profileOf(null, configuration);
  // Errors of the caller come first.
  profileOf(name, configuration);
  const { profiles } = loadPolicy({ cwd, settingsFile });
  return profileOf(name, joinConfigurations({ settings: profiles, given: configuration }));
}
