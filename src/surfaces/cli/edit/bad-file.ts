// A file of an agent that we cannot edit, and where in it.

export interface Spot {
  readonly line: number;
  readonly column: number;
}

export class BadFile extends Error {
  readonly spot: Spot;

  constructor(message: string, spot: Spot) {
    super(message);
    this.spot = spot;
  }
}

export function findSpot(text: string, offset: number): Spot {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}
