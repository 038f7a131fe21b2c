import { expect, test } from 'vitest';
import type { ConfinementSpec } from '../../confine/port.ts';
import { encodeConfinement } from './confinement.ts';
import { decodeConfineReport, decodeObserved, decodeRefusal, decodeStaged } from './confinement-reports.ts';

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
  [{ network: 'listed' }, 512 | 256 | 1024],
  [{ unixSockets: 'pairs', unixPaths: ['/s'] }, 512 | 256 | 16 | 2048],
  [{ tier: 'namespaces', network: 'own', unixSockets: 'own' }, 512 | 1 | 4 | 2 | 16 | 65536],
  [{ observe: 'writes' }, 512 | 256 | 4096],
  [{ observe: 'all' }, 512 | 256 | 8192],
  [{ settings: { files: [], names: ['a'] } }, 512 | 256 | 262144],
  [{ stage: { folder: '/s', mode: 'apply', guarded: [] } }, 512 | 256 | 524288],
  [{ stage: { folder: '/s', mode: 'review', guarded: [] } }, 512 | 256 | 524288 | 1048576],
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

test('settings of git are entries, and their names a list', () => {
  const settings = { files: ['/w/.git/config'], names: ['remote', 'user.name'] };
  const bytes = encodeConfinement({ ...least, tier: 'namespaces', settings }).subarray(9);
  expect(bytes.toString('latin1')).toBe('\x19\x0f\x00/w/.git/config\0\x1a\x13\x00/remote\0/user.name\0');
  const text = '/w/a\n/.git/config\nalias.x';
  const payload = Buffer.concat([Buffer.from([9, 1, 0, 0, 0]), Buffer.from(text)]);
  expect(decodeRefusal(payload)).toEqual({
    type: 'refusal',
    operation: 'configure',
    target: '/w/a\n/.git/config',
    setting: 'alias.x',
    error: 'EPERM',
  });
});

test('overlays, and the names that they hide as one list', () => {
  const paths = [{ kind: 'overlay', path: '/h' }] as const;
  const bytes = encodeConfinement({
    ...least,
    tier: 'namespaces',
    paths,
    covered: ['/h/a', '/h/b'],
    optional: ['overlays'],
  });
  expect(bytes.readUInt32LE(5)).toBe(1 << 19);
  expect(bytes.subarray(9).toString('latin1')).toBe('\x17\x03\x00/h\0\x18\x0a\x00/h/a\0/h/b\0');
});

test('staged folders have their place in the stage, and guarded names are a list', () => {
  const spec: ConfinementSpec = {
    ...least,
    tier: 'namespaces',
    paths: [{ kind: 'staged', path: '/w', from: '/s/0' }],
    stage: { folder: '/s', mode: 'apply', guarded: ['/w/a', '/w/b'] },
    // The gate judges them when the command has ended: nothing is written while it runs.
    settings: { files: ['/w/c'], names: ['user.name'] },
  };
  const bytes = encodeConfinement(spec);
  expect(bytes.readUInt32LE(1) & 262144).toBe(0);
  expect(bytes.subarray(9).toString('latin1')).toBe(
    '\x1c\x08\x00/w\0/s/0\0\x1d\x0a\x00/w/a\0/w/b\0\x19\x05\x00/w/c\0\x1a\x0b\x00/user.name\0',
  );
});

test.each([
  [[0, 0, 0, 0], 'empty'],
  [[1, 0, 0, 0], 'running'],
  [[2, 0, 3, 4], 'held'],
  [[3, 5, 1, 300], 'landed'],
  [[4, 0, 0, 0], 'failed'],
  [[99, 0, 0, 0], 'failed'],
] as const)('the result %j of a stage is %s', ([number, landed, held, names], state) => {
  const payload = Buffer.alloc(13);
  payload[0] = number;
  for (const [i, value] of [landed, held, names].entries()) payload.writeUInt32LE(value, 1 + 4 * i);
  expect(decodeStaged(payload)).toEqual({ type: 'staged', state, landed, held, names });
});

test('ports are listeners in a private network, and addresses of the host otherwise', () => {
  const ports = { proxyPort: 1, hostPorts: [2], publishPorts: [3] };
  const own = encodeConfinement({ ...least, tier: 'namespaces', network: 'own', ...ports }).subarray(9);
  expect(own.toString('latin1')).toBe('\x0b\x02\x00\x01\x00\x1b\x02\x00\x02\x00\x0c\x02\x00\x03\x00');
  const listed = encodeConfinement({ ...least, network: 'listed', ...ports }).subarray(9);
  expect(listed.toString('latin1')).toBe(
    '\x09\x02\x00\x01\x00\x09\x02\x00\x02\x00\x09\x02\x00\x03\x00\x0a\x02\x00\x03\x00',
  );
  expect(() => encodeConfinement({ ...least, hostPorts: [2] })).toThrow('own or listed');
  const sockets = encodeConfinement({ ...least, unixSockets: 'pairs', unixPaths: ['/s'] }).subarray(9);
  expect(sockets.toString('latin1')).toBe('\x0d\x03\x00/s\0');
});

test('refusals and observations become events', () => {
  const payload = (operation: number, value: number, text: string) => {
    const bytes = Buffer.alloc(5);
    bytes[0] = operation;
    bytes.writeUInt32LE(value, 1);
    return Buffer.concat([bytes, Buffer.from(text)]);
  };
  expect(decodeRefusal(payload(1, 13, '127.0.0.1:1'))).toEqual({
    type: 'refusal',
    operation: 'connect',
    target: '127.0.0.1:1',
    error: 'EACCES',
  });
  expect(decodeRefusal(payload(3, 1, ''))).toMatchObject({ operation: 'bind', error: 'EPERM' });
  expect(decodeRefusal(payload(0, 7, ''))).toEqual({ type: 'untold', what: 'refusal', count: 7 });
  expect(decodeObserved(payload(6, 0, '/bin/a'))).toEqual({ type: 'observed', operation: 'execute', target: '/bin/a' });
  expect(decodeObserved(payload(0, 9, ''))).toEqual({ type: 'untold', what: 'observed', count: 9 });
  expect(() => decodeRefusal(Buffer.alloc(3))).toThrow(RangeError);
});

test('a confinement that cannot be encoded is refused here', () => {
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
