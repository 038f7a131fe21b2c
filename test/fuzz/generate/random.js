// A seeded source of random choices (sfc32): the same seed gives the same programs on every machine.

export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.a = 0x9e3779b9 ^ seed;
    this.b = 0x243f6a88;
    this.c = 0xb7e15162 + seed;
    this.counter = 1;
    for (let i = 0; i < 12; i++) this.next();
  }

  next() {
    const value = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + value;
    return value >>> 0;
  }

  /** @param {number} below */
  int(below) {
    return this.next() % below;
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability * 4294967296;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list[this.int(list.length)]);
  }
}
