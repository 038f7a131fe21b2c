import { describe, expect, test } from 'vitest';
import { OutputRedactor } from './output-redactor.ts';

const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}`;
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBg\n'.repeat(20)}-----END PRIVATE KEY-----`;
const TEXT = `begin\nuser token=${TOKEN} end\npassword: hunter2horse\n${KEY}\nafter the key\nlast line`;

function inPieces(size: number): string {
  const redactor = new OutputRedactor({ MY_SECRET_TOKEN: 'value-of-the-host-1' });
  let shown = '';
  for (let at = 0; at < TEXT.length; at += size) shown += redactor.push(TEXT.slice(at, at + size));
  return shown + redactor.flush();
}

describe('cut anywhere, no secret is shown and the rest is', () => {
  test.each([1, 2, 3, 7, 20, 100, 5000])('pieces of %d characters', (size) => {
    const shown = inPieces(size);
    for (const secret of [TOKEN, TOKEN.slice(0, 20), 'hunter2horse', 'MIIEvQ']) expect(shown).not.toContain(secret);
    expect(shown).toMatch(/^begin\nuser token=\[redacted:[^\]]+\] end\n/);
    expect(shown).toMatch(/\nafter the key\nlast line$/);
  });
});

test('a secret of the host is taken out', () => {
  const redactor = new OutputRedactor({ MY_SECRET_TOKEN: 'value-of-the-host-1' });
  expect(redactor.push('it is value-of-the-host-1\n')).toBe('it is [redacted:variable MY_SECRET_TOKEN]\n');
});

test('an unfinished line waits, and is shown when it is asked for', () => {
  const redactor = new OutputRedactor({});
  expect(redactor.push('a\nb')).toBe('a\n');
  expect([redactor.held, redactor.flush(), redactor.held]).toEqual(['b', 'b', '']);
  expect(redactor.push('10 %\r20 %')).toBe('10 %\r');
});

test('the beginning of a key that never ends does not hide everything that follows', () => {
  const redactor = new OutputRedactor({});
  let shown = redactor.push('-----BEGIN PRIVATE KEY-----\n');
  for (let line = 0; line < 3000; line += 1) shown += redactor.push(`line ${line} of the rest\n`);
  expect(shown).toContain('line 2999 of the rest');
});
