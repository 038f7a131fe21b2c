import { expect, test } from 'vitest';
import { decodeError, decodeHello, encodeKill, encodeSignal, encodeStart, OUT } from './messages.ts';

/** [tag, bytes] of a START frame. */
function fieldsOf(frame: Buffer): [number, string][] {
  const fields: [number, string][] = [];
  for (let at = 9; at < frame.length; ) {
    const size = frame.readUInt32LE(at + 2);
    fields.push([frame.readUInt16LE(at), frame.toString('latin1', at + 6, at + 6 + size)]);
    at += 6 + size;
  }
  return fields;
}

const REQUEST = { program: '/bin/true', argv: ['true', ''], cwd: '/', env: { A: 'b=c' } };

test('a request becomes its fields, flags first', () => {
  const fields = fieldsOf(encodeStart(3, { ...REQUEST, streams: 'split', stdin: 'open' }, 65_536));
  expect(fields).toEqual([
    [1, '\x11\0\0\0'],
    [11, '\0\0\x01\0'],
    [7, '/bin/true\0'],
    [6, '/\0'],
    [4, 'true\0'],
    [4, '\0'],
    [5, 'A=b=c\0'],
    [12, '\x06\0\0\0\0\0\0\0\0'],
  ]);
});

test('the fields of a record are the inside of a JSON object', () => {
  const record = { path: '/r', fields: { id: 'a"b', n: 1 } };
  const fields = fieldsOf(encodeStart(1, { ...REQUEST, record }, 0));
  expect(fields).toContainEqual([22, '"id":"a\\"b","n":1\0']);
  expect(
    fieldsOf(encodeStart(1, { ...REQUEST, record: { path: '/r', fields: {} } }, 0)).map(([tag]) => tag),
  ).not.toContain(22);
});

test('limits are identified by their number', () => {
  const fields = fieldsOf(
    encodeStart(1, { ...REQUEST, limits: { openFiles: 64, memoryBytes: 256, cpuSeconds: 1 } }, 0),
  );
  expect(fields).toContainEqual([12, '\x04\x40\0\0\0\0\0\0\0']);
  expect(fields).toContainEqual([12, '\x02\x01\0\0\0\0\0\0\0']);
  expect(fields).toContainEqual([16, '\0\x01\0\0\0\0\0\0']);
});

test('a request that is too large for a frame is refused with a code', () => {
  const stdin = Buffer.alloc(4 << 20);
  expect(() => encodeStart(1, { ...REQUEST, stdin }, 0)).toThrow(expect.objectContaining({ code: 'too-long' }));
});

test('kill and signal are one frame type with two modes', () => {
  expect([...encodeKill(1, 5000)]).toEqual([10, 0, 0, 0, 2, 1, 0, 0, 0, 0, 136, 19, 0, 0]);
  expect([...encodeSignal(1, 9)]).toEqual([10, 0, 0, 0, 2, 1, 0, 0, 0, 1, 9, 0, 0, 0]);
});

test('a greeting lists the cgroup controllers, or says that there are none', () => {
  const hello = (bits: number) => decodeHello(Buffer.from([2, 0, 0, 0, 7, 0, 0, 0, bits, 0, 0, 0]));
  expect(hello(0)).toEqual({ version: 2, pid: 7, cgroup: null });
  expect(hello(1)).toEqual({ version: 2, pid: 7, cgroup: [] });
  expect(hello(31)).toEqual({ version: 2, pid: 7, cgroup: ['kill', 'memory', 'processes', 'cpu'] });
  expect(() => decodeHello(Buffer.alloc(3))).toThrow(RangeError);
});

test('an error names the step that failed', () => {
  const payload = Buffer.concat([Buffer.from([2, 2, 2, 0, 0, 0]), Buffer.from('No such file')]);
  expect(decodeError(payload)).toEqual({ code: 'start', step: 'folder', errno: 2, message: 'No such file' });
  expect(OUT.error).toBe(136);
});
