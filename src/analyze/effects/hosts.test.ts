import { expect, test } from 'vitest';
import { hostAndPort, hostOfAddress, hostOfUrl, isRemotePath } from './hosts.ts';

test.each([
  ['https://example.com/a', 'example.com', undefined],
  ['https://user:secret@Example.COM:8443/a?b@c', 'example.com', 8443],
  ['ssh://git@host:2222/x', 'host', 2222],
  ['git@github.com:a/b.git', 'github.com', undefined],
  ['http://[::1]:80/', '::1', 80],
  ['localhost:5173/a', 'localhost', 5173],
  ['host:5173a', 'host', undefined],
  ['https://evil.example?@good.example/', 'evil.example', undefined],
  ['https://evil.example#@good.example/', 'evil.example', undefined],
  ['https://good.example@evil.example/', 'evil.example', undefined],
  ['http://host./', 'host', undefined],
  ['http://{a,b}.example/', null, undefined],
])('%s names %s', (text, host, port) => {
  expect(hostOfUrl(text)?.host).toBe(host);
  expect(hostOfUrl(text)?.port).toBe(port);
});

test.each(['file:///etc/passwd', './a', '/a/b', 'a/b:c'])('%s names no host', (text) => {
  expect(hostOfUrl(text)).toBeNull();
});

test('credentials do not stay in the address', () => {
  expect(hostOfUrl('https://u:p@h/x')?.url).toBe('https://h/x');
});

test('a bare word is a host for curl', () => {
  expect(hostOfAddress('example.com:81/x')).toMatchObject({ host: 'example.com', port: 81 });
});

test('user, host and port', () => {
  expect(hostAndPort('u@h:22')).toEqual({ host: 'h', port: 22 });
  expect(hostAndPort('h')).toEqual({ host: 'h' });
});

test.each([
  ['h:p', true],
  ['u@h:', true],
  ['./h:p', false],
  ['/a:b', false],
  ['a', false],
  [':p', false],
])('%s remote: %s', (text, remote) => {
  expect(isRemotePath(text)).toBe(remote);
});
