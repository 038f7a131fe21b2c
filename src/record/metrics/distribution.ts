// Numbers, one after the other → their count, sum, minimum, maximum and quantiles, in constant memory.
// A quantile is within 1 % of the exact value; counts below the bounds are exact.

/** Maximum relative error of a quantile. */
export const QUANTILE_ERROR = 0.01;

/** Bucket i contains values greater than BASE ** (i - 1) and not greater than BASE ** i, counted from the smallest. */
const BASE = (1 + QUANTILE_ERROR) / (1 - QUANTILE_ERROR);
const LOG_BASE = Math.log(BASE);
/** In milliseconds: a microsecond, and eleven days. For values outside only minimum and maximum are exact. */
const SMALLEST = 1e-3;
const LARGEST = 1e9;
const FIRST = Math.ceil(Math.log(SMALLEST) / LOG_BASE);
const BUCKETS = Math.ceil(Math.log(LARGEST) / LOG_BASE) - FIRST + 1;

export class Distribution {
  readonly bounds: readonly number[];
  /** How many are at or below each bound and above the previous one. */
  readonly #between: Float64Array;
  /** Created with the first value: most kinds never occur. */
  #buckets: Float64Array | null = null;
  count = 0;
  sum = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  /** `bounds` are ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#between = new Float64Array(bounds.length);
  }

  add(given: number): void {
    if (!Number.isFinite(given)) return;
    const value = Math.max(0, given);
    this.#buckets ??= new Float64Array(BUCKETS);
    const index = bucketOf(value);
    this.#buckets[index] = (this.#buckets[index] as number) + 1;
    const bound = this.bounds.findIndex((each) => value <= each);
    if (bound !== -1) this.#between[bound] = (this.#between[bound] as number) + 1;
    this.count += 1;
    this.sum += value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  get average(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }

  /** The value with `floor(q * (count - 1))` values not greater than it; `null` if there is none. */
  quantile(q: number): number | null {
    if (this.#buckets === null) return null;
    const rank = Math.floor(q * (this.count - 1));
    let before = 0;
    for (let index = 0; index < BUCKETS; index += 1) {
      before += this.#buckets[index] as number;
      if (before > rank) return this.#valueIn(index);
    }
    return this.max;
  }

  /** The outermost buckets contain values outside the range. */
  #valueIn(index: number): number {
    if (index === 0) return this.min;
    return index === BUCKETS - 1 ? this.max : Math.min(this.max, Math.max(this.min, middleOf(index)));
  }

  /** For each bound: how many are not greater. */
  cumulative(): number[] {
    let total = 0;
    return Array.from(this.#between, (each) => {
      total += each;
      return total;
    });
  }
}

function bucketOf(value: number): number {
  if (value <= SMALLEST) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(value) / LOG_BASE) - FIRST);
}

/** At the same relative distance from both ends. */
function middleOf(index: number): number {
  return (2 * BASE ** (index + FIRST)) / (BASE + 1);
}
