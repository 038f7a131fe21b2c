import { describe, expect, test } from 'vitest';
import { parseAddress, parseNetwork } from '../../../core/names/addresses.ts';
import { classifyAddress } from './address.ts';
import { parseAuthority, parseHost } from './host.ts';
import { createRules, parseRule } from './rules.ts';

describe('addresses in every spelling are one address', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0X7F.1', '127.0.0.1'],
    ['0x7f.0x0.0x0.0x1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['0x', '0.0.0.0'],
    ['00000.0.0.0', '0.0.0.0'],
    ['4294967295', '255.255.255.255'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::', '::'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['0:0:0:0:0:ffff:7f00:0001', '127.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]', 'fe80::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:0:2::', '1:0:0:2::'],
    ['::1.2.3.4', '::102:304'],
    ['a:b:c:d:e:f:0:1', 'a:b:c:d:e:f:0:1'],
    ['1.2.3.4.5', null],
    ['256.1.1.1', null],
    ['1.2.3.256', null],
    ['1.2.65536', null],
    ['08.0.0.1', null],
    ['1..2', null],
    ['4294967296', null],
    ['[127.0.0.1]', null],
    ['0x7g', null],
    ['-1', null],
    ['1e3', null],
    ['::1::', null],
    ['', null],
  ])('%s', (text, expected) => expect(parseAddress(text)?.text ?? null).toBe(expected));
});

describe('kinds of addresses', () => {
  test.each([
    ['1.1.1.1', 'public'],
    ['2606:4700::1', 'public'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.1', 'unspecified'],
    ['::', 'unspecified'],
    ['10.255.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.1.1', 'private'],
    ['fd12::1', 'private'],
    ['fec0::1', 'private'],
    ['100.64.0.1', 'shared'],
    ['100.128.0.0', 'public'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['224.0.0.251', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2001::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::127.0.0.1', 'reserved'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b:1::1', 'private'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:808:808::1', 'public'],
  ])('%s is %s', (text, kind) => {
    const address = parseAddress(text);
    expect(address === null ? null : classifyAddress(address)).toBe(kind);
  });
});

test.each([
  ['10.0.0.0/8', { family: 4, base: 0x0a000000n, bits: 8 }],
  ['::ffff:10.0.0.0/104', { family: 4, base: 0x0a000000n, bits: 8 }],
  ['1.2.3.4', { family: 4, base: 0x01020304n, bits: 32 }],
  ['0.0.0.0/0', { family: 4, base: 0n, bits: 0 }],
  ['10.0.0.1/8', null],
  ['10.0.0.0/33', null],
  ['10.0.0.0/08', null],
  ['10.0.0.0/', null],
  ['10.0.0.0/8/8', null],
  ['::ffff:10.0.0.0/90', null],
])('the network %s', (text, expected) => expect(parseNetwork(text)).toEqual(expected));

describe('hosts', () => {
  test.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a_b.example', 'a_b.example'],
    ['localhost.', 'localhost'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['①②⑦.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['good.com\0.evil.com', null],
    ['a b', null],
    ['a%2eb', null],
    ['a..b', null],
    ['.a', null],
    ['a.', 'a'],
    ['a..', null],
    ['.', null],
    ['', null],
    ['-a.com', null],
    ['xn--a.example', null],
    ['a.1', null],
    ['a.0x1', null],
    ['1.2.3.4.5', null],
    ['good.com/evil', null],
    ['good.com\\evil', null],
    ['a@b', null],
    [`${'a'.repeat(64)}.com`, null],
    [`${'a.'.repeat(127)}com`, null],
    ['x'.repeat(100_000), null],
  ])('%j', (text, expected) => expect(parseHost(text)?.text ?? null).toBe(expected));

  test.each([
    ['a.com:443', { host: 'a.com', port: 443 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['a.com', null],
    ['a.com:', null],
    ['a.com:0', null],
    ['a.com:65536', null],
    ['a.com:80:80', null],
    ['::1:80', null],
    ['a.com:80/', null],
    ['u@a.com:80', null],
    ['a.com:+80', null],
  ])('the authority %s', (text, expected) => {
    const place = parseAuthority(text, null);
    expect(place === null ? null : { host: place.host.text, port: place.port }).toEqual(expected);
  });
});

describe('patterns', () => {
  const judge = (allow: string[], deny: string[], host: string, port: number, allowAddresses: string[] = []) => {
    const rules = createRules({ domains: { allow, deny }, ports: [80, 443], allowAddresses, ownAddresses: () => [] });
    const parsed = parseHost(host);
    if (parsed === null) return 'no host';
    const opinion = rules.judgeHost(parsed, port);
    return opinion.verdict === 'deny' ? opinion.reason : opinion.verdict;
  };

  test.each<[string[], string[], string, number, string]>([
    [['example.com'], [], 'example.com', 443, 'allow'],
    [['example.com'], [], 'EXAMPLE.com.', 80, 'allow'],
    [['EXAMPLE.com.'], [], 'example.com', 80, 'allow'],
    [['example.com'], [], 'www.example.com', 443, 'unknown'],
    [['example.com'], [], 'notexample.com', 443, 'unknown'],
    [['example.com'], [], 'example.com.evil.com', 443, 'unknown'],
    [['*.example.com'], [], 'www.example.com', 443, 'allow'],
    [['*.example.com'], [], 'a.b.example.com', 443, 'allow'],
    [['*.example.com'], [], 'example.com', 443, 'unknown'],
    [['*.example.com'], [], 'evilexample.com', 443, 'unknown'],
    [['*'], [], 'anything.org', 443, 'allow'],
    [['*'], [], '1.1.1.1', 443, 'unknown'],
    [['*'], [], '0x01.1', 443, 'unknown'],
    [['*'], [], '[2606:4700::1]', 443, 'unknown'],
    [['*'], [], 'anything.org', 22, 'port'],
    [['example.com:8080'], [], 'example.com', 8080, 'allow'],
    [['example.com:8080'], [], 'example.com', 443, 'port'],
    [['example.com:8080', 'example.com'], [], 'example.com', 443, 'allow'],
    [['example.com:*'], [], 'example.com', 22, 'allow'],
    [['*:*'], [], 'example.com', 22, 'allow'],
    [['*.example.com:8443'], [], 'a.example.com', 8443, 'allow'],
    [['*'], ['evil.com'], 'evil.com', 443, 'denied'],
    [['evil.com'], ['evil.com'], 'evil.com', 443, 'denied'],
    [['evil.com'], ['EVIL.com.'], 'evil.com', 443, 'denied'],
    [['*'], ['*.evil.com'], 'x.evil.com', 443, 'denied'],
    [['*'], ['*.evil.com'], 'evil.com', 443, 'allow'],
    [['*:*'], ['evil.com'], 'evil.com', 8080, 'denied'],
    [['*:*'], ['evil.com:22'], 'evil.com', 443, 'allow'],
    [['*:*'], ['evil.com:22'], 'evil.com', 22, 'denied'],
    [['1.1.1.1'], ['*'], '1.1.1.1', 443, 'denied'],
    [['1.1.1.1'], [], '0x01010101', 443, 'allow'],
    [['1.1.1.1'], [], '1.1.1.1', 853, 'port'],
    [['1.1.1.1:853'], [], '1.1.1.1', 853, 'allow'],
    [['1.1.0.0/16'], [], '1.1.2.3', 443, 'allow'],
    [['[2606:4700::1]:853'], [], '2606:4700:0::1', 853, 'allow'],
    [['2606:4700::/32'], [], '2606:4700:0::1', 443, 'allow'],
    [['bücher.example'], [], 'xn--bcher-kva.example', 443, 'allow'],
    [['*.xn--bcher-kva.example'], [], 'a.bücher.example', 443, 'allow'],
    [['127.0.0.1.nip.io'], [], '127.0.0.1', 80, 'unknown'],
    [[], [], 'example.com', 443, 'unknown'],
  ])('allow %j, deny %j: %s port %i is %s', (allow, deny, host, port, expected) =>
    expect(judge(allow, deny, host, port)).toBe(expected),
  );

  test.each([
    '',
    '**.example.com',
    '.example.com',
    'example.*',
    '*example.com',
    'a.*.com',
    '*.1.2.3.4',
    '*.127.0.0.1',
    'http://example.com',
    'example.com/path',
    'example.com:0',
    'example.com:65536',
    'example.com:http',
    'example.com ',
    'user@example.com',
    '10.0.0.1/8',
    '1.2.3.4.5',
    '*.*',
  ])('the pattern %j is refused with advice', (text) => expect(() => parseRule(text)).toThrow(/is not valid/));

  test('a network list takes no names', () =>
    expect(() =>
      createRules({
        domains: { allow: [], deny: [] },
        ports: [],
        allowAddresses: ['localhost'],
        ownAddresses: () => [],
      }),
    ).toThrow(/not an address/));
});

describe('the address behind a name', () => {
  const judge = (address: string, host: string, lists: { allow?: string[]; deny?: string[]; explicit?: string[] }) => {
    const rules = createRules({
      domains: { allow: lists.allow ?? ['*:*'], deny: lists.deny ?? [] },
      ports: [80],
      allowAddresses: lists.explicit ?? [],
      ownAddresses: () => [parseAddress('8.8.4.4') as never],
    });
    const opinion = rules.judgeAddress(parseAddress(address) as never, parseHost(host) as never, 80);
    return opinion.verdict === 'allow' ? 'allow' : 'kind' in opinion ? opinion.kind : opinion.rule.text;
  };

  test.each<[string, string, Parameters<typeof judge>[2], string]>([
    ['8.8.8.8', 'a.com', {}, 'allow'],
    ['127.0.0.1', 'a.com', {}, 'loopback'],
    ['127.0.0.1', 'a.com', { explicit: ['127.0.0.0/8'] }, 'allow'],
    ['127.0.0.1', 'a.com', { explicit: ['127.0.0.1:80'] }, 'allow'],
    ['127.0.0.1', 'a.com', { explicit: ['127.0.0.1:81'] }, 'loopback'],
    ['127.0.0.1', 'a.com', { allow: ['a.com', '127.0.0.1'] }, 'loopback'],
    ['127.0.0.1', '127.0.0.1', { allow: ['127.0.0.1'] }, 'allow'],
    ['127.0.0.1', '127.0.0.1', { allow: ['127.0.0.1:81'] }, 'loopback'],
    ['::ffff:127.0.0.1', 'a.com', {}, 'loopback'],
    ['10.1.1.1', 'a.com', { explicit: ['10.0.0.0/8'], deny: ['10.1.0.0/16'] }, '10.1.0.0/16'],
    ['8.8.8.8', 'a.com', { deny: ['8.8.8.8'] }, '8.8.8.8'],
    ['8.8.4.4', 'a.com', {}, 'own'],
    ['8.8.4.4', 'a.com', { explicit: ['8.8.4.4'] }, 'allow'],
    ['169.254.169.254', 'a.com', { explicit: ['127.0.0.0/8'] }, 'metadata'],
  ])('%s for %s with %j: %s', (address, host, lists, expected) => expect(judge(address, host, lists)).toBe(expected));
});
