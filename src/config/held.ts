// What the machine's own settings say, by key: the values that nobody else may loosen, with the place that says so.

import type { SandboxName } from '../core/confinement.ts';
import type { Mode } from '../core/policy.ts';
import { isStricterMode } from './layers/keys.ts';
import type { LoadedSettings } from './load.ts';
import type { SandboxSettings } from './settings.ts';

export interface Held<T> {
  readonly value: T;
  readonly file: string | null;
  readonly line: number | null;
}

/** The settings of the sandbox, with what the machine's own file fixes about it. */
export interface HeldSandbox extends SandboxSettings {
  readonly fixed?: {
    readonly name: Held<SandboxName> | null;
    /** `managedPathsOnly`: no other paths open, whoever asks. */
    readonly paths: Held<true> | null;
    /** `managedDomainsOnly`: no other hosts, addresses and ports of this machine. */
    readonly hosts: Held<true> | null;
    /** What that file hides, and what it shows of it: nobody else shows more. */
    readonly hidden: readonly string[];
    readonly shown: readonly string[];
  };
}

export function heldValue<T>(origins: LoadedSettings['origins'], wanted: string): Held<T> | null {
  const found = origins.find(({ key, layer, state }) => key === wanted && layer === 'managed' && state === 'used');
  return found === undefined ? null : { value: found.value as T, file: found.file, line: found.line };
}

/** The mode that holds: of a request's and the machine's, the stricter one. */
export function heldMode({ origins }: Pick<LoadedSettings, 'origins'>, wished: Mode): Mode {
  const fixed = heldValue<Mode>(origins, 'mode');
  return fixed === null || isStricterMode(wished, fixed.value) ? wished : fixed.value;
}
