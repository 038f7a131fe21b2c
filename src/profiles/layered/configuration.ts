// LAYER's `BashConfiguration` in its own names: with the document's defaults, and the longest timeout.

import type { Shell } from '../../core/facts.ts';
import { checkOptions } from '../../core/option-checks.ts';
import {
  type BashConfiguration,
  CONFIGURATION_CHECKS,
  DEFAULT_BASH_CONFIGURATION,
  shellOfPath,
} from '../../core/profile-configuration.ts';
import { defined } from '../../core/values/defined.ts';

export { type BashConfiguration, DEFAULT_BASH_CONFIGURATION } from '../../core/profile-configuration.ts';

/** With the document's defaults. Throws if a value is invalid, or if it would have no effect. */
export function completeConfiguration(given: Partial<BashConfiguration> = {}): BashConfiguration {
  checkOptions(given, CONFIGURATION_CHECKS.layered);
  return { ...DEFAULT_BASH_CONFIGURATION, ...defined(given) };
}

export function findShell({ defaultShell }: BashConfiguration): Shell {
  return shellOfPath(defaultShell) ?? 'bash';
}
