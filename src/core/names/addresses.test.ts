import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAddress } from './addresses.ts';

test('IPv6 addresses match what the system accepts', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '',
      ':',
      '::',
      '0',
      'ffff',
      '12345',
      'g',
      '1.2.3.4',
      '1.2.3',
      '256.1.1.1',
      '01.2.3.4',
      '1.2.3.4.5',
      '.',
    ),
    fc.stringMatching(/^[0-9a-fA-F]{1,4}$/),
  );
  const text = fc.array(part, { maxLength: 10 }).chain((parts) => fc.constantFrom(parts.join(':'), parts.join('')));
  const valid = fc.ipV6();
  fc.assert(
    fc.property(fc.oneof(text, valid), (each) => {
      if (!each.includes(':') || /[%[]/.test(each)) return;
      expect([each, parseAddress(each) !== null]).toEqual([each, isIPv6(each)]);
    }),
    { numRuns: 20_000 },
  );
});
