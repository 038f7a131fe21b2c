// The corpus of verdicts: what a careful engineer would say to each command without any rules.
// No rules, no roots, no disk to ask: /home/u/project, HOME=/home/u, mode default.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Shell } from '../../src/core/facts.ts';
import { RELIANCES, type Reliance, type Verdict, type VerdictName } from '../../src/core/verdict.ts';
import { decide } from '../../src/decide/decide.ts';
import { subjectOf } from './subject.ts';

interface Row {
  readonly command: string;
  readonly cwd?: string;
  readonly shell?: Shell;
  readonly verdict: VerdictName;
  /** In the mode `auto`, in a sandbox that holds everything; `staged`: only if changes are staged. */
  readonly auto?: 'allow' | 'staged' | 'ask';
  /** Ids that must be among the findings; others may be there too. */
  readonly findings?: readonly string[];
  readonly why: string;
}

const folder = join(import.meta.dirname, '../cases/verdicts');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, rows: JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly Row[] }));

const rowsOf = (kind: 'dangerous' | 'everyday') =>
  files.filter(({ name }) => name.startsWith(`${kind}-`)).flatMap(({ rows }) => rows);

const dangerous = rowsOf('dangerous');
const everyday = rowsOf('everyday');
const readOnly = everyday.filter(({ verdict }) => verdict === 'allow');

const verdicts = new Map<Row, Verdict>();

function verdictOf(row: Row): Verdict {
  const verdict = verdicts.get(row) ?? decideRow(row);
  verdicts.set(row, verdict);
  return verdict;
}

function decideRow({ command, cwd, shell }: Row): Verdict {
  const { facts, policy, context } = subjectOf({
    command,
    ...(cwd === undefined ? {} : { cwd }),
    ...(shell === undefined ? {} : { shell }),
    context: { probe: null },
  });
  return decide(facts, policy, context);
}

describe.each(files)('$name', ({ rows }) => {
  test.each(rows.map((row) => [JSON.stringify(row.command), row] as const))('%s', (_, row) => {
    const { decision: verdict, findings } = verdictOf(row);
    const ids = findings.map(({ id }) => id);
    const shown = findings.map((finding) => `${finding.verdict} ${finding.id}: ${finding.message}`).join('\n');
    expect({ verdict, missing: row.findings?.filter((id) => !ids.includes(id)) ?? [] }, `${row.why}\n${shown}`).toEqual(
      {
        verdict: row.verdict,
        missing: [],
      },
    );
  });
});

function decideInAuto({ command }: Row, held: readonly Reliance[]): VerdictName {
  const confinement = { held, missing: [] };
  const { facts, policy, context } = subjectOf({
    command,
    policy: { mode: 'auto' },
    context: { probe: null, confinement },
  });
  return decide(facts, policy, context).decision;
}

describe('the mode auto', () => {
  const IN_AUTO = { allow: ['allow', 'allow'], staged: ['allow', 'ask'], ask: ['ask', 'ask'] };
  const unstaged = RELIANCES.filter((each) => each !== 'undoable');

  test.each(everyday.filter(({ auto }) => auto !== undefined).map((row) => [row.command, row] as const))(
    '%s',
    (_, row) => {
      const decided = [RELIANCES, unstaged].map((held) => decideInAuto(row, held));
      expect(decided, row.why).toEqual(IN_AUTO[row.auto ?? 'ask']);
    },
  );

  test('what is refused stays refused', () => {
    const refused = [...dangerous, ...everyday].filter(
      ({ verdict, shell, cwd }) => verdict === 'deny' && !shell && !cwd,
    );
    expect(refused.filter((row) => decideInAuto(row, RELIANCES) !== 'deny').map(({ command }) => command)).toEqual([]);
  });
});

test('nothing dangerous is allowed', () => {
  const allowed = dangerous.filter((row) => verdictOf(row).decision === 'allow');
  expect(allowed.map(({ command }) => command)).toEqual([]);
});

test('at most 2 % of what only reads is asked about', () => {
  const asked = readOnly.filter((row) => verdictOf(row).decision !== 'allow').map(({ command }) => command);
  expect(asked.length / readOnly.length, asked.join('\n')).toBeLessThanOrEqual(0.02);
});

test('the corpus is large enough, says why, and has nothing twice', () => {
  expect(dangerous.length).toBeGreaterThanOrEqual(450);
  expect(everyday.length).toBeGreaterThanOrEqual(450);
  expect(readOnly.length).toBeGreaterThanOrEqual(330);
  expect(dangerous.filter(({ verdict }) => verdict === 'allow')).toEqual([]);
  const all = [...dangerous, ...everyday];
  expect(all.length).toBe(files.reduce((sum, { rows }) => sum + rows.length, 0));
  expect(all.filter(({ why }) => why.trim() === '')).toEqual([]);
  const keys = all.map(({ command, shell = '', cwd = '' }) => JSON.stringify([command, shell, cwd]));
  expect(new Set(keys).size).toBe(keys.length);
});
