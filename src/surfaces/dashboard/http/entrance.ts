// Access: a one-time token from the link → a session with two secrets, both checked on each request.
// The cookie alone is not enough: browsers send it to every port of this machine. The key alone is not enough either.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { makePrivateFolder, runtimeFolder } from '../../../host.ts';

const HOLDS_MS = 12 * 3_600_000;
const MAX_SESSIONS = 20;
const KEY_HEADER = 'x-hardshell-key';

interface Session {
  /** Hashes: the file gives no access. */
  readonly cookie: string;
  readonly key: string;
  readonly until: number;
}

export class Entrance {
  readonly #port: number;
  readonly #file: string;
  #token: string | null = null;
  #sessions: readonly Session[];

  constructor(port: number) {
    this.#port = port;
    // In the folder that the sandbox hides from commands. A browser keeps its access when the dashboard is restarted.
    const folder = makePrivateFolder(join(makePrivateFolder(runtimeFolder()), 'dashboard'));
    this.#file = join(folder, `${port}.sessions`);
    this.#sessions = readSessions(this.#file);
  }

  /** The link that gives one browser access, once; the previous one no longer works. The token is where no server sees it. */
  makeLink(): string {
    this.#token = randomBytes(32).toString('hex');
    return `http://127.0.0.1:${this.#port}/#enter=${this.#token}`;
  }

  /** The two secrets of a new session, or `null` if the token is wrong or was used. */
  enter(token: unknown): { readonly cookie: string; readonly key: string } | null {
    const wanted = this.#token;
    if (wanted === null || typeof token !== 'string' || !isSame(hash(token), hash(wanted))) return null;
    this.#token = null;
    const [secret, key] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const session = { cookie: hash(secret), key: hash(key), until: Date.now() + HOLDS_MS };
    this.#sessions = [session, ...this.#sessions].slice(0, MAX_SESSIONS);
    this.#save();
    const age = HOLDS_MS / 1_000;
    return { cookie: `${this.#cookieName}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}`, key };
  }

  isLetIn({ headers }: IncomingMessage): boolean {
    const cookie = hash(cookieOf(headers.cookie ?? '', this.#cookieName));
    const said = headers[KEY_HEADER];
    const key = hash(typeof said === 'string' ? said : '');
    const now = Date.now();
    return this.#sessions.some(
      (session) => session.until > now && isSame(session.cookie, cookie) && isSame(session.key, key),
    );
  }

  /** Cookies are not separated by port: two dashboards must not overwrite each other's. */
  get #cookieName(): string {
    return `hardshell-${this.#port}`;
  }

  #save(): void {
    const draft = `${this.#file}.${process.pid}`;
    rmSync(draft, { force: true });
    writeFileSync(draft, JSON.stringify(this.#sessions), { mode: 0o600, flag: 'wx' });
    renameSync(draft, this.#file);
  }
}

function readSessions(file: string): readonly Session[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read) ? read.filter(isSession).slice(0, MAX_SESSIONS) : [];
  } catch {
    // No browser has access yet, or the file is broken: a new link is needed then.
    return [];
  }
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false;
  const { cookie, key, until } = value as Record<string, unknown>;
  const areHashes = [cookie, key].every((text) => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text));
  return areHashes && typeof until === 'number' && until > Date.now() && until <= Date.now() + HOLDS_MS;
}

function cookieOf(header: string, name: string): string {
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return '';
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
