import { expect, test } from 'vitest';
import type { ConfinementSpec } from '../../confine/port.ts';
import { decodeConfineReport, encodeConfinement } from './confinement.ts';

const least: ConfinementSpec = {
  tier: 'landlock',
  paths: [],
  reads: 'all',
  network: 'host',
  unixSockets: 'any',
  optional: [],
};

test.each<[Partial<ConfinementSpec>, number]>([
  [{}, 512 | 256],
  [{ tier: 'namespaces' }, 512 | 1 | 4],
  [{ tier: 'namespaces', network: 'own' }, 512 | 1 | 4 | 2],
  [{ network: 'none' }, 512 | 256 | 8],
  [{ unixSockets: 'pairs' }, 512 | 256 | 16],
  [{ connectPorts: [] }, 512 | 256 | 32],
  [{ bindPorts: [] }, 512 | 256 | 64],
  [{ reads: 'listed' }, 512 | 256 | 128],
])('%j has its flags', (change, flags) => {
  expect(encodeConfinement({ ...least, ...change }).readUInt32LE(1)).toBe(flags);
});

test('paths, binds and ports are entries of a kind and a size', () => {
  const spec: ConfinementSpec = {
    ...least,
    tier: 'namespaces',
    paths: [
      { kind: 'write', path: '/w' },
      { kind: 'bind', path: '/a', from: '/b' },
    ],
    connectPorts: [443],
    optional: ['files', 'scope'],
  };
  const bytes = encodeConfinement(spec);
  expect(bytes.readUInt32LE(5)).toBe((1 << 9) | (1 << 14));
  expect(bytes.subarray(9).toString('latin1')).toBe('\x01\x03\x00/w\0\x05\x06\x00/a\0/b\0\x09\x02\x00\xbb\x01');
});

test('what cannot be carried is refused here', () => {
  expect(() => encodeConfinement({ ...least, paths: [{ kind: 'write', path: '/a\0b' }] })).toThrow('NUL');
  const ports = Array.from({ length: 8193 }, (_, index) => index);
  expect(() => encodeConfinement({ ...least, connectPorts: ports })).toThrow('at most 8192');
});

test('a report names steps and errors', () => {
  const payload = Buffer.alloc(12);
  payload.writeUInt32LE((1 << 7) | (1 << 15), 0);
  payload.writeUInt32LE(1 << 14, 4);
  payload.writeUInt32LE(38, 8);
  expect(decodeConfineReport(payload)).toEqual({
    held: ['capabilities', 'system-calls'],
    missing: [{ step: 'scope', error: 'ENOSYS' }],
  });
  expect(decodeConfineReport(Buffer.alloc(0))).toBeNull();
  expect(() => decodeConfineReport(payload.subarray(0, 10))).toThrow(RangeError);
});
