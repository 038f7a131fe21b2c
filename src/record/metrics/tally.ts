// A bounded counter of names: names beyond the limit count as `other`.

export const OTHER = 'other';

export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(name: string, count = 1): void {
    const key = this.#counts.has(name) || this.#counts.size < this.#limit ? name : OTHER;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  entries(): [name: string, count: number][] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  toObject(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.entries());
  }
}
