// The profile of a request → its rules, from the configurations of the settings and of the caller.
// Restrictions name folders relative to the project; here they become absolute.

import { resolve } from 'node:path';
import type { LoadedSettings } from '../config/load.ts';
import { type ProfileRules, rulesOfProfile } from '../core/profile-rules.ts';
import type { RunContext } from '../core/running.ts';

/** `null`: no profile, so only the settings and the request count. */
export function resolveProfile(
  { profile, profiles }: { readonly profile: RunContext['profile'] | null; readonly profiles?: RunContext['profiles'] },
  settings: Pick<LoadedSettings, 'profiles'>,
  project: string,
): ProfileRules | null {
  if (profile === undefined || profile === null) return null;
  const rules = rulesOfProfile(profile, { settings: settings.profiles, given: profiles });
  const narrowing = rules.narrowing.map((each) =>
    each.roots === undefined ? each : { ...each, roots: each.roots.map((root) => resolve(project, root)) },
  );
  return { ...rules, narrowing };
}
