import { expect, test } from 'vitest';
import { createResolver } from './resolve.ts';

test('two names at a time, each once, and a failure frees its slot', async () => {
  const begun: string[] = [];
  const ends = new Map<string, (error: Error | null) => void>();
  const resolve = createResolver((host) => {
    begun.push(host);
    return new Promise((settle, reject) => ends.set(host, (error) => (error ? reject(error) : settle([host]))));
  });
  const turn = () => new Promise((settle) => setImmediate(settle));
  const found = ['a', 'b', 'c', 'a', 'c', 'd'].map((host) => resolve(host).catch((error: Error) => error.message));
  await turn();
  expect(begun).toEqual(['a', 'b']);
  ends.get('a')?.(new Error('no a'));
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  ends.get('b')?.(null);
  ends.get('c')?.(null);
  await turn();
  ends.get('d')?.(null);
  expect(await Promise.all(found)).toEqual(['no a', ['b'], ['c'], 'no a', ['c'], ['d']]);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('the system knows localhost', async () => {
  expect((await createResolver()('localhost')).some((address) => address === '127.0.0.1' || address === '::1')).toBe(
    true,
  );
});
