// Why a command runs without a sandbox although the settings did not choose to have none.

import type { Enforcement } from '../confinement.ts';

/** Ends the reason that is given when a machine has no sandbox, and nothing requires one. */
export const RUN_WITHOUT = 'commands run without one';

/** `null`: it is confined, or the settings turned the sandbox off. */
export function whyWithoutSandbox(enforcement: Enforcement | null): string | null {
  const why = enforcement?.tier === 'none' ? enforcement.missing[0]?.why : undefined;
  return why?.endsWith(RUN_WITHOUT) === true ? why : null;
}
