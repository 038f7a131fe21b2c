// The end of a `switch` over a closed set of kinds: the compiler refuses a kind that has no case.

export function unreachable(value: never): never {
  throw new TypeError(`Unexpected value: ${String(value)}`);
}
