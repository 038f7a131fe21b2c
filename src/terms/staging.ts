// Whether the changes of one command are staged: from settings and request, within the managed settings.

import { isStricterStaging } from '../config/layers/keys.ts';
import type { LoadedSettings } from '../config/load.ts';
import { managedValue } from '../config/managed.ts';
import type { StagingMode } from '../core/staging.ts';

export interface StagingTerms {
  readonly mode: StagingMode;
  /** How long changes are kept that can be undone. */
  readonly store: { readonly maxBytes: number; readonly maxMs: number };
}

const MEGABYTE = 2 ** 20;
const DAY_MS = 86_400_000;

export function resolveStaging(asked: StagingMode | undefined, settings: LoadedSettings): StagingTerms {
  const { maxMegabytes = 2048, maxDays = 14 } = settings.stagingStore;
  const fixed = managedValue<StagingMode>(settings.origins, 'staging');
  const isAllowed = asked !== undefined && (fixed === null || isStricterStaging(asked, fixed.value));
  return {
    mode: isAllowed ? asked : settings.staging,
    store: { maxBytes: maxMegabytes * MEGABYTE, maxMs: maxDays * DAY_MS },
  };
}
