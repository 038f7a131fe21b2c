// Every row of the command tables: its own examples, and that its data means what the engine reads.

import { describe, expect, test } from 'vitest';
import { ALWAYS, type CommandSpec } from '../../src/analyze/commands/spec.ts';
import { allCommands } from '../../src/analyze/commands/table.ts';
import { programs } from '../../src/analyze/programs/registry.ts';
import { compileSpec } from '../../src/analyze/specs/compile.ts';
import { analyze } from '../../src/index.ts';

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
