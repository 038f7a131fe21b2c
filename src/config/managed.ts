// Values fixed by the managed settings, each with its position. No other layer can loosen them.

import type { Mode } from '../core/policy.ts';
import { isStricterMode } from './layers/keys.ts';
import type { LoadedSettings } from './load.ts';

export interface Managed<T> {
  readonly value: T;
  readonly file: string | null;
  readonly line: number | null;
}

export function managedValue<T>(origins: LoadedSettings['origins'], wanted: string): Managed<T> | null {
  const found = origins.find(({ key, layer, state }) => key === wanted && layer === 'managed' && state === 'used');
  return found === undefined ? null : { value: found.value as T, file: found.file, line: found.line };
}

/** The stricter of the requested mode and the managed one. */
export function managedMode({ origins }: Pick<LoadedSettings, 'origins'>, asked: Mode): Mode {
  const fixed = managedValue<Mode>(origins, 'mode');
  return fixed === null || isStricterMode(asked, fixed.value) ? asked : fixed.value;
}
