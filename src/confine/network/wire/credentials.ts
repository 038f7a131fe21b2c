// Secrets of a client × the expected ones → whether they are equal, in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';

export function isSameSecret(given: Buffer | string, expected: string): boolean {
  const digest = (value: Buffer | string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The `Proxy-Authorization` value for these. */
export function basicHeader({ user, password }: { readonly user: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
