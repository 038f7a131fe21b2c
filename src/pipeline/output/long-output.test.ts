import { describe, expect, test } from 'vitest';
import { MemoryOutput } from '../../run/output.ts';
import { viewOutput } from './long-output.ts';

/** Lines of one stream with a few lines of the other in between. */
function output(lines: number, stderrAt: readonly number[] = []) {
  const memory = new MemoryOutput(1 << 30);
  const counts = { stdout: 0, stderr: 0 };
  let offset = 0;
  const add = (stream: 'stdout' | 'stderr', text: string) => {
    const bytes = Buffer.from(text);
    memory.add(stream, offset, bytes);
    offset += bytes.length;
    counts[stream] += bytes.length;
  };
  for (let i = 0; i < lines; i += 1) {
    if (stderrAt.includes(i)) add('stderr', `error at ${i}\n`);
    add('stdout', `${String(i).padStart(7, '0')}\n`);
  }
  return memory.finish(counts.stdout, counts.stderr);
}

const options = { view: 'req', stripAnsi: false, path: '/t/x.out' } as const;

describe('one stream within the other', () => {
  test.each([
    [10, [5]],
    [200_000, [3, 100_000, 199_999]],
  ])('%i lines with errors at %j', async (lines, at) => {
    const view = await viewOutput(output(lines, at), options, 'stderr');
    expect(view).toEqual({ text: at.map((i) => `error at ${i}\n`).join(''), isTruncated: false, omittedBytes: 0 });
  });

  test.each([40_000, 200_000])('%i lines: both ends belong to the stream', async (lines) => {
    const view = await viewOutput(output(lines, [0, lines - 1]), options, 'stdout');
    expect(view.isTruncated).toBe(true);
    expect(view.text).toMatch(/^0000000\n0000001\n/);
    expect(view.text.endsWith(`${String(lines - 1).padStart(7, '0')}\n`)).toBe(true);
    expect(view.omittedBytes).toBe(lines * 8 - 8192);
  });
});

test.each([
  ['proposal-0028', /\.\.\. \(1570000 characters truncated\) \.\.\./],
  ['claude-code', /^The output is 1562\.5 KB, too large to show\. All of it is in: \/t\/x\.out\n/],
] as const)('%s counts all of it', async (view, expected) => {
  expect((await viewOutput(output(200_000), { ...options, view })).text).toMatch(expected);
});
