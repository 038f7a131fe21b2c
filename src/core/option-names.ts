// Names of options: a caller without types who writes one wrong hears of it, and an old name leads to the new one.

import { HardshellError } from './errors.ts';

/** Names that options had, or have in similar packages → their names. */
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

/** Options that were renamed are refused; others that are not known are left alone. */
export function refuseRenamed(options: object): void {
  for (const name of Object.keys(options)) {
    const now = RENAMED.get(name);
    if (now !== undefined) throw unknownOption(name, `Use ${now}.`);
  }
}

/** An option that would have no effect may be one that somebody relies on. */
export function refuseUnknown(options: object, known: Readonly<Record<string, unknown>>): void {
  refuseRenamed(options);
  const name = Object.keys(options).find((each) => !Object.hasOwn(known, each));
  if (name !== undefined) throw unknownOption(name, `Options: ${Object.keys(known).join(', ')}.`);
}

function unknownOption(name: string, hint: string): HardshellError {
  return new HardshellError('invalid-argument', `Unknown option: ${name}. ${hint}`, { hint });
}
