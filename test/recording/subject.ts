// What the tests of the audit log share: a private place, entries, files to look into, and processes that record.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Audit, type AuditEntry, type AuditOptions, type EndEntry, openAudit } from '../../src/api/audit.ts';

const WRITER = fileURLToPath(new URL('writer.js', import.meta.url));

export interface Place {
  readonly root: string;
  readonly folder: string;
  readonly keyFolder: string;
  remove(): void;
}

export function createPlace(): Place {
  return placeAt(mkdtempSync(join(tmpdir(), 'hs-audit-')));
}

function placeAt(root: string): Place {
  // It can be passed as options: only the places are enumerable.
  const place = { folder: join(root, 'audit'), keyFolder: join(root, 'keys') };
  const remove = () => rmSync(root, { recursive: true, force: true });
  return Object.defineProperties(place, { root: { value: root }, remove: { value: remove } }) as Place;
}

export function copyPlace(place: Place): Place {
  const copy = createPlace();
  cpSync(place.root, copy.root, { recursive: true });
  return copy;
}

export function openAt({ folder, keyFolder }: Place, options: AuditOptions = {}): Audit {
  return openAudit({ folder, keyFolder, fsync: 'never', environment: {}, ...options });
}

export function entry(index: number, more: Partial<EndEntry> = {}): AuditEntry {
  return {
    type: 'end',
    task: `bash-${index}`,
    session: `s${index % 5}`,
    user: null,
    command: `echo ${index}`,
    cwd: '/work',
    verdict: index % 3 === 0 ? 'deny' : 'allow',
    risk: index % 4 === 0 ? 'high' : 'low',
    status: 'exited',
    exit: index % 2,
    signal: null,
    startedAt: 1,
    usage: null,
    outputBytes: 0,
    leftoversKilled: 0,
    violations: 0,
    failure: null,
    files: { created: [`/work/d${index % 7}/f${index}`], changed: [], deleted: [], isComplete: true },
    ...more,
  };
}

/** One after the other: so segments end where they should. */
export async function fill(place: Place, count: number, options: AuditOptions = {}): Promise<void> {
  const audit = openAt(place, options);
  for (let index = 0; index < count; index += 1) await audit.record(entry(index));
  await audit.close();
}

export function linesIn(place: Place, file: string): string[] {
  return readFileSync(join(place.folder, file), 'utf8').split('\n').slice(0, -1);
}

export function writeLines(place: Place, file: string, lines: readonly string[]): void {
  writeFileSync(join(place.folder, file), lines.map((line) => `${line}\n`).join(''));
}

export function segmentsIn(place: Place): string[] {
  return readdirSync(place.folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
}

export interface Ack {
  readonly lane: number;
  readonly n: number;
  readonly hash: string;
}

export interface Writer {
  readonly acks: Ack[];
  /** Resolves when so many are acknowledged, or when it has ended. */
  until(count: number): Promise<void>;
  kill(): void;
  readonly ended: Promise<number | null>;
}

interface WriterOptions extends AuditOptions {
  /** No file gets longer: as if the disk were full. */
  readonly limitKb?: number;
  readonly count: number;
  readonly together: number;
  readonly size: number;
}

/** A separate process that records, and prints what was acknowledged. */
export function startWriter(place: Place, { limitKb, ...options }: WriterOptions): Writer {
  const given = JSON.stringify({ folder: place.folder, keyFolder: place.keyFolder, ...options });
  const limit = limitKb === undefined ? '' : `ulimit -f ${limitKb}; `;
  const argv = ['-c', `${limit}exec "$@"`, 'bash', process.execPath, WRITER, given];
  const child = spawn('bash', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acks: Ack[] = [];
  const listeners = new Set<() => void>();
  let rest = '';
  let isOver = false;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) acks.push(JSON.parse(line) as Ack);
    tell();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      isOver = true;
      resolve(code);
      tell();
    });
  });
  return {
    acks,
    ended,
    kill: () => void child.kill('SIGKILL'),
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (acks.length < count && !isOver) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
  };
}
