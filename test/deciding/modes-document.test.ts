// docs/modes.md: the table of examples says what each mode really decides.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MODES, type Mode } from '../../src/core/policy.ts';
import { RELIANCES, type VerdictName } from '../../src/core/verdict.ts';
import { decide } from '../../src/decide/decide.ts';
import { subjectOf } from './subject.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/modes.md'), 'utf8');
const table = text.slice(text.indexOf('<!-- checked by')).split('\n').slice(1);
const end = table.findIndex((line) => !line.startsWith('|'));
const cells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const [header = '', , ...rows] = table.slice(0, end);
const columns = cells(header).slice(1);
const examples = rows.map((row) => {
  const [command = '', ...said] = cells(row);
  return [command.replaceAll('`', ''), Object.fromEntries(columns.map((name, i) => [name, said[i]]))] as const;
});

const WORDS: Readonly<Record<VerdictName, string>> = { allow: 'runs', ask: 'asks', deny: 'refused' };

function decideIn(command: string, column: string): string {
  const [mode, how] = column.split(', ') as [Mode, string | undefined];
  const held = RELIANCES.filter((each) => each !== 'undoable' || how === 'staged');
  const { facts, policy, context } = subjectOf({
    command,
    policy: { mode },
    // A file that git does not have.
    files: { '/home/u/project/src/a.ts': 'a', '/home/u/project/.env': 'A=1' },
    context: { confinement: { held, missing: [] } },
  });
  return WORDS[decide(facts, policy, context).decision];
}

describe('the table of docs/modes.md', () => {
  test('has ten examples and every mode', () => {
    expect(examples).toHaveLength(10);
    expect([...new Set(columns.map((name) => name.split(',')[0]))].sort()).toEqual([...MODES].sort());
  });

  test.each(examples)('%s', (command, said) => {
    expect(Object.fromEntries(columns.map((name) => [name, decideIn(command, name)]))).toEqual(said);
  });
});
