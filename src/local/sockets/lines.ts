// The language of our sockets: one JSON object per line, each with the version. One request per connection.
// Refuses lines beyond a limit and text that is not JSON; the other end is then not worth listening to.

export type Line = Readonly<Record<string, unknown>>;

/** Bytes as they arrive → whole lines. Says `false` when a line is beyond the limit. */
export function createLineReader(limitBytes: number, onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (size + end - start > limitBytes) return false;
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      size = 0;
      start = end + 1;
      onLine(line);
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    return size <= limitBytes;
  };
}

/** `null` when it is no object. */
export function decodeLine(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
