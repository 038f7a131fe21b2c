// Input of a tool × its JSON Schema → the input, or an error that says what to pass instead.
// Supports the part of JSON Schema that the profiles use. Never throws, for any input.

import { findNearest } from '../../core/values/nearest.ts';
import type { ObjectSchema } from '../profile.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Read = { readonly ok: true; readonly value: Fields } | { readonly ok: false; readonly problem: string };

/** One value in a schema; `description` and `default` are for readers. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

const MAX_PROBLEMS = 5;

export function readInput(schema: ObjectSchema, input: unknown): Read {
  const problems: string[] = [];
  // Some callers omit the object if all fields are optional.
  const given = input === undefined || input === null ? {} : input;
  look(schema as Schema, given, '', problems);
  if (problems.length === 0) return { ok: true, value: given as Fields };
  const known = Object.keys(schema.properties);
  const hint = known.length === 0 ? 'It takes no input.' : `Its fields are: ${known.join(', ')}.`;
  return { ok: false, problem: `The input is not valid: ${problems.slice(0, MAX_PROBLEMS).join(' ')} ${hint}` };
}

/** Every place where a value differs from its schema. */
export function findMismatches(schema: ObjectSchema, value: unknown): readonly string[] {
  const problems: string[] = [];
  look(schema as Schema, value, '', problems);
  return problems;
}

function look(schema: Schema, value: unknown, path: string, problems: string[]): void {
  const say = (what: string) => problems.push(`${path === '' ? 'The input' : `"${path}"`} ${what}.`);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    say(`must be ${types.map(nameOfType).join(' or ')}`);
    return;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) say(`must be one of ${schema.enum.join(', ')}`);
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0)) say(value === '' ? 'must not be empty' : 'is too short');
    if (value.includes('\0')) say('must not contain a NUL character');
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? value)) say(`must be at least ${schema.minimum}`);
    if (value > (schema.maximum ?? value)) say(`must be at most ${schema.maximum}`);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((each, i) => void look(items, each, `${path}[${i}]`, problems));
  } else if (typeof value === 'object' && value !== null) lookInside(schema, value as Fields, path, problems);
}

function lookInside(schema: Schema, value: Fields, path: string, problems: string[]): void {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of required)
    if (!Object.hasOwn(value, name) || value[name] === undefined) problems.push(`"${at(name)}" is missing.`);
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) look(known, each, at(name), problems);
    else if (additionalProperties === false)
      problems.push(`Unknown field: "${at(name)}".${nearest(name, properties, at)}`);
    else if (typeof additionalProperties === 'object') look(additionalProperties, each, at(name), problems);
  }
}

function nearest(name: string, properties: object, at: (name: string) => string): string {
  const near = findNearest(name, Object.keys(properties));
  return near === null ? '' : ` Did you mean "${at(near)}"?`;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  null: 'null',
};

function nameOfType(type: string): string {
  return TYPE_NAMES[type] ?? type;
}
