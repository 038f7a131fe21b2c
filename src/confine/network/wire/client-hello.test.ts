import { describe, expect, test } from 'vitest';
import { readGreeting } from './client-hello.ts';

const u8 = (value: number) => Buffer.from([value]);
const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const u24 = (value: number) => Buffer.from([value >> 16, (value >> 8) & 255, value & 255]);
const join = (...parts: Buffer[]) => Buffer.concat(parts);
const sized = (size: (value: number) => Buffer, body: Buffer) => join(size(body.length), body);

const entry = (name: string, type = 0) => join(u8(type), sized(u16, Buffer.from(name, 'latin1')));
const names = (...entries: Buffer[]) => join(u16(0), sized(u16, sized(u16, join(...entries))));
const other = join(u16(43), sized(u16, Buffer.from([2, 3, 4])));
const START = join(
  u16(0x0303),
  Buffer.alloc(32),
  sized(u8, Buffer.alloc(32)),
  sized(u16, u16(0x1301)),
  sized(u8, u8(0)),
);
const hello = (...extensions: Buffer[]) => join(START, sized(u16, join(...extensions)));
const message = (body: Buffer, type = 1) => join(u8(type), sized(u24, body));
const record = (body: Buffer, type = 22, version = 0x0301) => join(u8(type), u16(version), sized(u16, body));
const greeting = (...extensions: Buffer[]) => record(message(hello(...extensions)));

describe('the name in a TLS greeting', () => {
  test.each<[string, Buffer, string | null]>([
    ['alone', greeting(names(entry('a.test'))), 'a.test'],
    ['after another extension', greeting(other, names(entry('a.test'))), 'a.test'],
    ['before another extension', greeting(names(entry('a.test')), other), 'a.test'],
    ['with bytes after the greeting', join(greeting(names(entry('a.test'))), Buffer.from('rest')), 'a.test'],
    ['with a NUL, for the rules to refuse', greeting(names(entry('a.test\0'))), 'a.test\0'],
    ['none in the extensions', greeting(other), null],
    ['none, with empty extensions', greeting(), null],
    ['none, without extensions', record(message(START)), null],
  ])('%s', (_, bytes, serverName) => expect(readGreeting(bytes)).toEqual({ kind: 'hello', serverName }));

  test.each<[string, Buffer]>([
    ['two lists of names', greeting(names(entry('a.test')), names(entry('evil.test')))],
    ['two names in a list', greeting(names(entry('a.test'), entry('evil.test')))],
    ['an empty name', greeting(names(entry('')))],
    ['an empty list', greeting(names())],
    ['another kind of name', greeting(names(entry('a.test', 1)))],
    ['an empty extension of names', greeting(join(u16(0), u16(0)))],
    ['bytes after the list', greeting(join(u16(0), sized(u16, join(sized(u16, entry('a.test')), u8(0)))))],
    ['bytes after the extensions', record(message(join(hello(names(entry('a.test'))), u8(0))))],
    ['a length out of bounds', greeting(join(u16(0), u16(500)))],
    ['a session out of bounds', record(message(join(u16(0x0303), Buffer.alloc(32), u8(255))))],
    ['another message', record(message(hello(), 2))],
    ['an endless message', record(join(u8(1), u24(0xffffff)))],
    ['an empty record', record(Buffer.alloc(0))],
    ['a record that is too long', join(u8(22), u16(0x0301), u16(17_000), u8(1))],
    ['a record of another kind in between', join(record(message(hello()).subarray(0, 9)), record(u8(0), 21))],
    ['a record of another version', record(message(hello()), 22, 0x0200)],
    ['too many records', join(...Array.from(message(hello(names(entry('a.test')))), (byte) => record(u8(byte))))],
  ])('%s is broken', (_, bytes) => expect(readGreeting(bytes)).toEqual({ kind: 'broken' }));

  test('every cut of a greeting waits for more, in one record or in many', () => {
    const whole = message(hello(other, names(entry('a.test'))));
    const cut = join(record(whole.subarray(0, 1)), record(whole.subarray(1, 50)), record(whole.subarray(50)));
    for (const bytes of [record(whole), cut]) {
      for (let end = 0; end < bytes.length; end++)
        expect(readGreeting(bytes.subarray(0, end)), `after ${end} bytes`).toEqual({ kind: 'partial' });
      expect(readGreeting(bytes)).toEqual({ kind: 'hello', serverName: 'a.test' });
    }
  });

  test.each(['GET / HTTP/1.1', 'SSH-2.0', '\x80\x2e\x01'])('%j is not TLS', (text) =>
    expect(readGreeting(Buffer.from(text, 'latin1'))).toEqual({ kind: 'not-tls' }),
  );
});
