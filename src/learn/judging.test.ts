import { expect, test } from 'vitest';
import { type JudgeInputs, judge } from './judging.ts';

const NOTHING = { writes: [], ports: [], publish: [], sockets: [], domains: [] };

function portsOf(spec: Partial<JudgeInputs['watch']['spec']>): number[] {
  const watch = {
    seen: [{ operation: 'connect', target: '127.0.0.1:5173' }],
    undone: [],
    untold: 0,
    refused: null,
    startedAtMs: 0,
    spec: { tier: 'namespaces', paths: [], optional: [], network: 'own', reads: 'all', ...spec },
  } as unknown as JudgeInputs['watch'];
  const closed = { home: null, guarded: [], hidden: [] };
  const { ports } = judge({ watch, violations: [], granted: NOTHING, closed, isListening: () => true, own: [] });
  return [...ports];
}

test('a port of this machine is a need, unless the command publishes it: then its own server listens there', () => {
  expect(portsOf({})).toEqual([5173]);
  expect(portsOf({ publishPorts: [5173] })).toEqual([]);
});
