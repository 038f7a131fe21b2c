// Any thrown value → its message.

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
