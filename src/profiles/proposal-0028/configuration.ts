// P28's `BashConfig`, with its defaults.

import { checkOptions } from '../../core/option-checks.ts';
import { type BashConfig, CONFIGURATION_CHECKS, DEFAULT_BASH_CONFIG } from '../../core/profile-configuration.ts';
import { defined } from '../../core/values/defined.ts';

export { type BashConfig, DEFAULT_BASH_CONFIG } from '../../core/profile-configuration.ts';

/** With the document's defaults. Invalid values are thrown here, not reported by every later call. */
export function completeConfig(given: Partial<BashConfig>): BashConfig {
  checkOptions(given, CONFIGURATION_CHECKS['proposal-0028']);
  return { ...DEFAULT_BASH_CONFIG, ...defined(given) };
}
