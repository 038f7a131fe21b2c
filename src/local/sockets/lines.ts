// The protocol of the sockets: one JSON object per line, each with the version. One request per connection.
// Refuses lines beyond a limit and text that is not JSON; the connection is then closed.

export type Line = Readonly<Record<string, unknown>>;

/** Bytes as they arrive → whole lines. Returns `false` if a line exceeds the limit. */
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

/** `null` if it is not an object. */
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
