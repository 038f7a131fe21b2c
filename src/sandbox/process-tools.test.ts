import { expect, test } from 'vitest';
import { analyze } from '../analyze/analyze.ts';
import { looksIntoProcesses } from './process-tools.ts';

test.each([
  ['lsof -ti:3000 | xargs kill', true],
  ['fuser -k 3000/tcp', true],
  ['gdb -p 42', true],
  ['gdb -batch -ex bt -p "$PID"', true],
  ['gdb ./a.out 42', true],
  ['strace -fp 42', true],
  ['strace --pid=42', true],
  ['lldb --attach-pid 42', true],
  ['gdb -batch -ex run ./a.out', false],
  ['strace -f make', false],
  ['kill 42', false],
  ['pkill -f vite && rm -f pid', false],
])('%s', (command, expected) => {
  expect(looksIntoProcesses(analyze(command))).toBe(expected);
});
