import { expect, test } from 'vitest';
import { MemoryOutput, readHead, readTail } from './output.ts';

function collect(limit: number, ...chunks: ['stdout' | 'stderr', string][]) {
  const memory = new MemoryOutput(limit);
  const counts = { stdout: 0, stderr: 0 };
  for (const [stream, text] of chunks) {
    memory.add(stream, counts.stdout + counts.stderr, Buffer.from(text));
    counts[stream] += text.length;
  }
  return memory.finish(counts.stdout, counts.stderr);
}

test('output that fits is kept, in order and by stream', async () => {
  const output = collect(100, ['stdout', 'abc'], ['stderr', 'XYZ'], ['stdout', 'def']);
  expect(output).toMatchObject({
    totalBytes: 9,
    stdoutBytes: 6,
    stderrBytes: 3,
    headBytes: 9,
    missingBytes: 0,
    path: null,
  });
  expect(String(await output.read(0, 9))).toBe('abcXYZdef');
  expect(String(await output.read(2, 7))).toBe('cXYZd');
  expect(String(await output.read(0, 9, 'stdout'))).toBe('abcdef');
  expect(String(await output.read(1, 8, 'stderr'))).toBe('XYZ');
  expect(String(await readHead(output, 4))).toBe('abcX');
  expect(String(await readTail(output, 4))).toBe('Zdef');
  expect(String(await readTail(output, 1000))).toBe('abcXYZdef');
});

test('output that does not fit is missing, and the count says how much', async () => {
  const output = collect(4, ['stdout', 'abc'], ['stdout', 'def'], ['stdout', 'ghi']);
  expect(output).toMatchObject({ totalBytes: 9, headBytes: 4, tailBytes: 0, missingBytes: 5 });
  expect(String(await output.read(0, 9))).toBe('abcd');
  expect(String(await readTail(output, 5))).toBe('');
});

test('a gap in live output ends the kept part: later bytes would have wrong offsets', async () => {
  const memory = new MemoryOutput(100);
  memory.add('stdout', 0, Buffer.from('abc'));
  memory.add('stdout', 5, Buffer.from('fgh'));
  const output = memory.finish(8, 0);
  expect(output).toMatchObject({ headBytes: 3, missingBytes: 5 });
  expect(String(await output.read(0, 8))).toBe('abc');
});
