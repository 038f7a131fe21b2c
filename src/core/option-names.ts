// Names of options: a caller without types gets an error for a wrong name, with the name that was probably meant.

import { HardshellError } from './errors.ts';
import { findNearest } from './values/nearest.ts';

/** Former names, and names in similar packages → the names here. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['timeoutMs', 'timeout'],
  ['defaultTimeoutMs', 'timeout'],
  ['maxTimeoutMs', 'maxTimeout'],
  ['stdin', 'input'],
  ['backgroundAfterMs', 'backgroundAfter'],
  ['answerWithinMs', 'answerWithin'],
  ['withinMs', 'timeout'],
  ['patienceMs', 'timeout'],
  ['pollMs', 'interval'],
  ['everyMs', 'interval'],
  ['firstDelayMs', 'firstDelay'],
  ['longestDelayMs', 'longestDelay'],
  ['cancelSignal', 'signal'],
]);

/**
 * An option that would have no effect may be one that the caller relies on. `within`: the option that contains them, such
 * as `sandbox`.
 */
export function refuseUnknown(options: object, known: Iterable<string>, within: string | null = null): void {
  const names = new Set(known);
  for (const name of Object.keys(options)) if (!names.has(name)) throw unknownOption(name, names, within);
}

function unknownOption(name: string, known: ReadonlySet<string>, within: string | null): HardshellError {
  const path = (each: string) => (within === null ? each : `${within}.${each}`);
  const renamed = RENAMED.get(name);
  const near = findNearest(name, known);
  const hint =
    renamed !== undefined && known.has(renamed)
      ? `Use ${path(renamed)}.`
      : near !== null
        ? `Did you mean ${path(near)}?`
        : `Options${within === null ? '' : ` of ${within}`}: ${[...known].join(', ')}.`;
  return new HardshellError('invalid-argument', `Unknown option: ${path(name)}.`, { hint });
}
