// Text of an address → its host. Refuses to guess: text that is not an address has no host.

import type { NetworkEffect, WordValue } from '../../core/facts.ts';

export const UNKNOWN_HOST: NetworkEffect = { host: null };

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;
const SCP_LIKE = /^(?:[^@/\s:]+@)?(\[[0-9a-f:]+\]|[^:/\s]+):(?!\/\/)/i;

/** `https://…`, `user@host:path`, `host/path`; `null` for a local path. */
export function hostOfUrl(text: string): NetworkEffect | null {
  const match = SCHEME.exec(text);
  if (match) {
    if (match[1]?.toLowerCase() === 'file') return null;
    const authority = (match[2] ?? '').split(/[/?#]/, 1)[0] ?? '';
    return { ...hostAndPort(authority), url: redactCredentials(text) };
  }
  const scp = SCP_LIKE.exec(text);
  if (scp?.[1]) {
    // For curl it is a port, for git a path that does not exist in practice.
    const port = /^\d{1,5}(?=[/?#]|$)/.exec(text.slice(scp[0].length))?.[0];
    return { host: normaliseHost(scp[1]), ...(port === undefined ? {} : { port: Number(port) }) };
  }
  return null;
}

/** How curl, wget and the like parse a bare word: a host without a scheme. */
export function hostOfAddress(text: string): NetworkEffect {
  return hostOfUrl(text.includes('://') ? text : `http://${text}`) ?? UNKNOWN_HOST;
}

/** `user@host`, `host:port`, `[::1]:80`. */
export function hostAndPort(text: string): NetworkEffect {
  const authority = text.slice(text.lastIndexOf('@') + 1);
  const match = /^(\[[0-9a-f:.%]+\]|[^:]*)(?::([0-9]+))?$/i.exec(authority);
  if (!match) return { host: normaliseHost(authority) };
  const port = match[2] === undefined ? undefined : Number(match[2]);
  const host = normaliseHost(match[1] ?? '');
  return port === undefined ? { host } : { host, port };
}

/** This machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || /^(?:.+\.)?localhost$|^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A local path or `host:path`, as scp and rsync parse it. */
export function isRemotePath(text: string): boolean {
  const colon = text.indexOf(':');
  if (colon <= 0) return false;
  const slash = text.indexOf('/');
  return slash === -1 || colon < slash;
}

function normaliseHost(host: string): string | null {
  const bare = host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
  // Braces and brackets are curl's globbing: several hosts.
  return bare === '' || /[{}[\]*]/.test(bare) ? null : bare;
}

function redactCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, '$1');
}

export function hostOfWord(word: WordValue, read: (text: string) => NetworkEffect | null): NetworkEffect | null {
  return word.kind === 'literal' ? read(word.value) : UNKNOWN_HOST;
}
