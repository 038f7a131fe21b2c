// Processes that were killed and have not ended, because a tracer outside holds them or they wait for a device → a sentence.

export interface Unended {
  readonly count: number;
  /** Of the first of them, outside of the sandbox. */
  readonly pids: readonly number[];
}

export function describeUnended({ count, pids }: Unended): string {
  const more = count > pids.length ? [`${count - pids.length} more`] : [];
  const what = count === 1 ? '1 process' : `${count} processes`;
  return `${what} could not be ended: ${[...pids, ...more].join(', ')}.`;
}

export function withUnended(meaning: string | null, unended: Unended | undefined): string | null {
  if (unended === undefined) return meaning;
  return `${meaning === null ? '' : `${meaning} `}${describeUnended(unended)}`;
}
