// CommandSpec → lookup tables for its options and operands, built once per row on first use.

import type { OptionFact } from '../../core/facts.ts';
import type { CommandSpec, OptionForm, Role, Variant } from '../commands/spec.ts';

export type FlagEffect = 'change' | 'network' | 'hook' | 'secret' | 'unknown' | 'privilege';

export interface Option {
  /** The first spelling in the table. */
  readonly name: string;
  readonly value: 'none' | 'required' | 'optional';
  readonly role: Role;
  readonly effect: FlagEffect | null;
  /** Its entry in a fact if it has no value: always the same. */
  readonly fact: OptionFact;
}

export interface OperandPlan {
  readonly lead: readonly Role[];
  readonly repeated: Role | null;
  readonly trail: readonly Role[];
}

export interface CompiledVariant {
  readonly names: ReadonlySet<string>;
  readonly operands: OperandPlan | null;
  readonly variant: Variant;
}

export interface CompiledSpec {
  readonly spec: CommandSpec;
  readonly style: NonNullable<CommandSpec['style']>;
  readonly options: ReadonlyMap<string, Option>;
  readonly longNames: readonly string[];
  /** Some option does more than change the output: a word that may be an option matters. */
  readonly hasHarmfulOption: boolean;
  readonly operands: OperandPlan;
  readonly variants: readonly CompiledVariant[];
}

const HARMLESS: ReadonlySet<Role> = new Set(['value', 'read', 'read/']);
const compiled = new WeakMap<CommandSpec, CompiledSpec>();

export function compileSpec(spec: CommandSpec): CompiledSpec {
  const known = compiled.get(spec);
  if (known) return known;
  const options = new Map<string, Option>();
  addAll(options, spec.flags, 'none');
  addAll(options, spec.values, 'required');
  addAll(options, spec.optional, 'optional');
  for (const [spellings, form] of Object.entries(spec.options ?? {})) addOption(options, spellings, form);
  const result: CompiledSpec = {
    spec,
    style: spec.style ?? 'gnu',
    options,
    longNames: [...options.keys()].filter((name) => name.startsWith('--')),
    hasHarmfulOption: spec.program !== undefined || [...options.values()].some(isHarmful),
    operands: planOperands(spec.operands ?? 'unknown*'),
    variants: (spec.variants ?? []).map((variant) => ({
      names: new Set(words(variant.has).map((name) => options.get(name)?.name ?? name)),
      operands: variant.operands === undefined ? null : planOperands(variant.operands),
      variant,
    })),
  };
  compiled.set(spec, result);
  return result;
}

function isHarmful(option: Option): boolean {
  return option.effect !== null || !HARMLESS.has(option.role);
}

function words(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(/\s+/).filter((word) => word !== '');
}

function addAll(options: Map<string, Option>, list: string | undefined, value: Option['value']): void {
  const listed = words(list);
  for (const [i, name] of listed.entries()) {
    const names = spellingsAt(listed, i);
    options.set(name, { name, value, role: 'value', effect: null, fact: { names, value: null, isPlain: true } });
  }
}

/**
 * In lists of harmless options the short spellings come before their long one: `-r -R --recursive`.
 * Neighbors that do not share their first letter are separate options.
 */
function spellingsAt(listed: readonly string[], at: number): readonly string[] {
  const isLong = (name: string | undefined) => name?.startsWith('--') === true;
  let long = at;
  while (long < listed.length && !isLong(listed[long])) long++;
  const name = listed[long];
  if (name === undefined) return [listed[at] as string];
  let first = long;
  while (first > 0 && isSpelling(listed[first - 1] as string, name)) first--;
  return first <= at ? listed.slice(first, long + 1) : [listed[at] as string];
}

function isSpelling(short: string, long: string): boolean {
  if (long === '--dry-run') return short === '-n';
  return short.length === 2 && short[1]?.toLowerCase() === long[2]?.toLowerCase();
}

function addOption(options: Map<string, Option>, spellings: string, form: OptionForm): void {
  const [name = '', ...others] = words(spellings);
  const read = readForm(name, form);
  const isPlain = read.effect === null && (read.role === 'value' || read.role === 'chdir');
  const option: Option = { ...read, fact: { names: [name, ...others], value: null, isPlain } };
  for (const spelling of [name, ...others]) options.set(spelling, option);
}

function readForm(name: string, form: OptionForm): Omit<Option, 'fact'> {
  if (form.startsWith('+')) return { name, value: 'none', role: 'value', effect: form.slice(1) as FlagEffect };
  if (form.endsWith('?')) return { name, value: 'optional', role: form.slice(0, -1) as Role, effect: null };
  return { name, value: 'required', role: form as Role, effect: null };
}

function planOperands(text: string): OperandPlan {
  const lead: Role[] = [];
  const trail: Role[] = [];
  let repeated: Role | null = null;
  for (const word of words(text)) {
    const role = word.replace(/[*+?]$/, '') as Role;
    if (/[*+]$/.test(word) || role === 'command') repeated = role;
    else if (repeated === null) lead.push(role);
    else trail.push(role);
  }
  return { lead, repeated, trail };
}
