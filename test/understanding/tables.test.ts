// Every row of the command tables: its own examples, and that its data means what the engine reads.

import { describe, expect, test } from 'vitest';
import { ALWAYS, type CommandSpec } from '../../src/analyze/commands/spec.ts';
import { allCommands } from '../../src/analyze/commands/table.ts';
import { programs } from '../../src/analyze/programs/registry.ts';
import { compileSpec } from '../../src/analyze/specs/compile.ts';
import { analyze } from '../../src/host.ts';

const ROLES = new Set(
  (
    'value read read/ write write/ delete delete/ edit edit/ move chdir program shell file code library command host url ' +
    'remote-read remote-write change network hook secret unknown'
  ).split(' '),
);

function* allRows(name: string, spec: CommandSpec): Generator<readonly [string, CommandSpec]> {
  yield [name, spec];
  for (const [sub, row] of Object.entries(spec.subcommands ?? {})) {
    if (typeof row !== 'string') yield* allRows(`${name} ${sub}`, row);
  }
}

const rows = [...new Map([...allCommands()].map(([name, spec]) => [spec, name]))].flatMap(([spec, name]) => [
  ...allRows(name, spec),
]);

test('at least 150 commands are known', () => {
  expect(allCommands().size).toBeGreaterThanOrEqual(150);
});

describe('examples', () => {
  const examples = rows.flatMap(([, spec]) => [
    ...spec.examples.readOnly.map((command) => [command, true] as const),
    ...spec.examples.notReadOnly.map((command) => [command, false] as const),
  ]);
  test.each(examples)('%s → read-only: %s', (command, readOnly) => {
    const facts = analyze(command, { cwd: '/w', variables: { HOME: '/home/u' } });
    const why = [...facts.reasons.map((reason) => reason.message), ...facts.effects.unknown].join('; ');
    expect(facts.readOnly, why).toBe(readOnly);
  });
});

/** They stand in "it would …" when a command is asked about. */
const VERBS = new Set(
  `add administer apply assemble bring build change check choose collect comment compile configure connect continue control
  copy create define delete download edit empty enter evaluate fetch fill forget fork format generate get hand hold index
  install join link lint list load log look mail make manage mark measure merge migrate mount move open pack package plan
  play print publish put query read record remove rename render renew repeat replace replay request resolve restore reuse
  review rewrite rotate run schedule send serve set show signal speak split start stop store switch take talk tidy transfer
  undo unload unmount unpack update upload use work write`.split(/\s+/),
);

test('what a command would change is said with a verb', () => {
  const changing = rows.filter(([, { does, alone, variants }]) =>
    [does, alone, ...(variants ?? []).map((variant) => variant.does)].some((text) => /\bchange\b/.test(text ?? '')),
  );
  const summaries = new Set(changing.map(([, { summary }]) => summary));
  expect([...summaries].filter((summary) => !VERBS.has(summary.split(/[ ,]/)[0] ?? ''))).toEqual([]);
});

test.each([
  ['kill 1', 'signal or end processes'],
  ['gh api -X POST repos/a/b/issues', 'change remote state through the API'],
  ['git config user.name x', "change the repository's git configuration"],
  ['git config --global user.name x', "change the user's git configuration"],
  ['git branch -D x', 'apply `git branch -D`'],
  ['date -s 12:00', 'apply `date -s`'],
  ['date 01011200', 'set the clock'],
  ['sysctl a=b', 'change kernel settings'],
  ['curl -X POST https://a.example', 'change data on the server'],
  ['apt-get update', 'update the list of packages'],
])('%s would %s', (command, change) => {
  const { effects } = analyze(command, { cwd: '/w' });
  expect(effects.changes).toContain(change);
});

describe('data', () => {
  test.each(rows)('%s', (name, spec) => {
    const compiled = compileSpec(spec);
    const plans = [compiled.operands, ...compiled.variants.flatMap((variant) => variant.operands ?? [])];
    const used = plans.flatMap((plan) => [...plan.lead, ...(plan.repeated ? [plan.repeated] : []), ...plan.trail]);
    const optionRoles = [...compiled.options.values()].map((option) => option.role);
    expect(
      [...used, ...optionRoles].filter((role) => !ROLES.has(role)),
      'roles',
    ).toEqual([]);
    const does = [spec.does, spec.alone, ...compiled.variants.map((variant) => variant.variant.does)];
    const words = does.flatMap((text) => (text ?? '').split(' ').filter((word) => word !== ''));
    expect(
      words.filter((word) => !(ALWAYS as readonly string[]).includes(word)),
      'does',
    ).toEqual([]);
    for (const option of compiled.options.keys()) expect(option, 'spelling').toMatch(/^[-+]\S+$/);
    if (spec.program !== undefined) expect(programs().has(spec.program), `analyser ${spec.program}`).toBe(true);
    for (const variant of compiled.variants) {
      for (const spelling of variant.variant.has.split(/\s+/)) {
        expect(compiled.options.has(spelling), `variant option ${spelling} of ${name}`).toBe(true);
      }
    }
    for (const [alias, target] of Object.entries(spec.subcommands ?? {})) {
      if (typeof target === 'string') expect(spec.subcommands?.[target], `alias ${alias}`).toBeDefined();
    }
  });
});
