// A stage for tests: its upper layers are made by a plain overlay in a user namespace, and the verbs of the keeper work on it.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { encodeConfinement } from '../../src/run/keeper/confinement.ts';

/** Everything that a user could see of a tree, one line for each name. */
export function describeTree(folder: string, isTimed = true): string[] {
  const lines: string[] = [];
  const walk = (path: string, name: string) => {
    const status = lstatSync(path, { bigint: true });
    const mode = (status.mode & 0o7777n).toString(8);
    const time = isTimed ? ` ${status.mtimeNs}` : '';
    if (status.isDirectory()) {
      lines.push(`${name}/ ${mode}${time}`);
      for (const inner of readdirSync(path).sort()) walk(join(path, inner), name === '' ? inner : `${name}/${inner}`);
    } else if (status.isSymbolicLink()) lines.push(`${name} -> ${readlinkSync(path)}`);
    else if (status.isFile()) lines.push(`${name} ${mode}${time} ${readFileSync(path).toString('base64')}`);
    else lines.push(`${name} ${status.mode}`);
  };
  walk(folder, '');
  return lines;
}

/** Whether a plain overlay can be mounted in a user namespace here. */
export function canStage(): boolean {
  const layers = 'userxattr,volatile,lowerdir=a,upperdir=b,workdir=c';
  const script = `cd $(mktemp -d) && mkdir a b c d && mount -t overlay -o ${layers} o d`;
  return spawnSync('unshare', ['-Urm', 'sh', '-c', script]).status === 0;
}

export interface JournalRecord {
  readonly kind: string;
  readonly fields: readonly string[];
  readonly path: string;
}

const FIELDS: Readonly<Record<string, number>> = { root: 1, unit: 6, name: 4, held: 3, end: 2 };

export function readJournal(stage: string): JournalRecord[] {
  const records = readFileSync(join(stage, 'journal'), 'utf8').split('\0').slice(1, -1);
  return records.map((record) => {
    const parts = record.split('\t');
    const kind = parts[0] as string;
    const count = FIELDS[kind] ?? 0;
    return { kind, fields: parts.slice(1, 1 + count), path: parts.slice(1 + count).join('\t') };
  });
}

export class StageFolder {
  readonly path: string;
  readonly roots: readonly string[];
  readonly #keeper: string;
  readonly #spec: Partial<ConfinementSpec>;

  constructor(
    keeper: string,
    base: string,
    roots: readonly string[],
    spec: Partial<ConfinementSpec> = {},
    name = 'stage',
  ) {
    this.roots = roots;
    this.#keeper = keeper;
    this.#spec = spec;
    this.path = join(base, name);
    mkdirSync(this.path, { mode: 0o700 });
    for (const [n, root] of roots.entries()) {
      mkdirSync(this.at(n, 'upper'), { recursive: true });
      mkdirSync(this.at(n, 'work'));
      const status = lstatSync(root);
      chmodSync(this.at(n, 'upper'), status.mode & 0o7777);
      utimesSync(this.at(n, 'upper'), status.atime, status.mtime);
      spawnSync('touch', ['-r', root, this.at(n, 'upper')]);
    }
    writeFileSync(join(this.path, 'confinement'), encodeConfinement(this.#confinement()));
    writeFileSync(join(this.path, 'state'), 'running');
    writeFileSync(join(this.path, 'begun'), '');
    // On kernels with coarse times, what happened before has an earlier one.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12);
    writeFileSync(join(this.path, 'begun'), 'x');
  }

  at(root: number, ...names: string[]): string {
    return join(this.path, String(root), ...names);
  }

  #confinement(): ConfinementSpec {
    const { paths = [], ...more } = this.#spec;
    return {
      tier: 'namespaces',
      reads: 'all',
      network: 'own',
      unixSockets: 'pairs',
      optional: [],
      stage: { folder: this.path, mode: 'apply', guarded: [] },
      ...more,
      paths: [
        ...this.roots.map((path, n) => ({ kind: 'staged' as const, path, from: join(this.path, String(n)) })),
        ...paths,
      ],
    };
  }

  /** Runs a script in the first root, seen through the overlays. */
  change(script: string): void {
    const mounts = this.roots.map((root, n) => {
      const layers = `lowerdir=${root},upperdir=${this.at(n, 'upper')},workdir=${this.at(n, 'work')}`;
      return `mount -t overlay -o userxattr,volatile,${layers} stage ${root}`;
    });
    const text = `set -e; ${mounts.join('; ')}; cd ${this.roots[0]}; ${script}`;
    const result = spawnSync('unshare', ['-Urm', 'bash', '-c', text], { encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`the script failed: ${result.stderr}`);
  }

  verb(verb: string, ...more: string[]) {
    const result = spawnSync(this.#keeper, ['stage', verb, this.path, ...more], { encoding: 'utf8', timeout: 60_000 });
    return { code: result.status, records: result.stdout.split('\0').slice(0, -1), stderr: result.stderr };
  }

  get state(): string {
    return existsSync(join(this.path, 'state')) ? readFileSync(join(this.path, 'state'), 'utf8') : 'gone';
  }

  /** `created a/b`, without folders' own times. */
  names(): string[] {
    return readJournal(this.path)
      .filter(({ kind }) => kind === 'name')
      .map(({ fields, path }) => `${fields[0]} ${path}`);
  }

  held(): string[] {
    return readJournal(this.path)
      .filter(({ kind }) => kind === 'held')
      .map(({ fields, path }) => `${fields[0]} ${path}`);
  }
}
