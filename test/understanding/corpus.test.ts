// The shared corpus: each row's expected facts against what the analysis says.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PathEffect, Shell } from '../../src/host.ts';
import { analyze } from '../../src/host.ts';

interface Row {
  readonly command: string;
  readonly cwd?: string;
  readonly shell?: Shell;
  readonly facts: {
    readonly status?: string;
    readonly reasons?: readonly string[];
    readonly readOnly?: boolean;
    readonly class?: string;
    readonly argv?: readonly (readonly (string | null)[])[];
    readonly reads?: readonly (string | null)[];
    readonly writes?: readonly (string | null)[];
    readonly deletes?: readonly (string | null)[];
    readonly hosts?: readonly (string | null)[];
    readonly executes?: readonly string[];
    readonly changes?: boolean;
    readonly discloses?: boolean;
    readonly display?: string;
  };
  readonly why: string;
}

const folder = join(import.meta.dirname, '../cases');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

function sorted(values: readonly (string | null)[]): readonly (string | null)[] {
  return [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b)));
}

function paths(effects: readonly PathEffect[]): readonly (string | null)[] {
  return sorted(effects.map((effect) => effect.path));
}

function observed(row: Row) {
  const facts = analyze(row.command, { cwd: row.cwd ?? '/w', shell: row.shell, variables: { HOME: '/home/u' } });
  const { effects } = facts;
  const all = {
    status: facts.status,
    reasons: row.facts.reasons?.filter((id) => facts.reasons.some((reason) => reason.id === id)),
    readOnly: facts.readOnly,
    class: facts.class,
    argv: row.facts.argv?.filter((argv) => facts.commands.some((c) => JSON.stringify(c.argv) === JSON.stringify(argv))),
    reads: paths(effects.reads),
    writes: paths(effects.writes),
    deletes: paths(effects.deletes),
    hosts: sorted(effects.network.map((effect) => effect.host)),
    executes: sorted(effects.executes.map((effect) => effect.kind)),
    changes: effects.changes.length > 0,
    discloses: effects.discloses.length > 0,
    display: facts.display,
  };
  return Object.fromEntries(Object.keys(row.facts).map((key) => [key, all[key as keyof typeof all]]));
}

function expected(row: Row) {
  const lists = new Set(['reads', 'writes', 'deletes', 'hosts', 'executes']);
  return Object.fromEntries(
    Object.entries(row.facts).map(([key, value]) => [key, lists.has(key) ? sorted(value as string[]) : value]),
  );
}

let total = 0;
describe.each(files)('%s', (file) => {
  const rows = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Row[];
  total += rows.length;
  test.each(rows.map((row) => [row.command, row] as const))('%s', (_, row) => {
    expect(observed(row), row.why).toEqual(expected(row));
  });
});

test('the corpus has at least 600 rows, none twice', () => {
  expect(total).toBeGreaterThanOrEqual(600);
  const keys = files.flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Row[]).map(
      (row) => `${row.command} ${row.shell ?? ''} ${row.cwd ?? ''}`,
    ),
  );
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
