// A tree with positions × the schema → all problems, each with its position and a fix.
// Supports exactly the keywords of `Schema`; the caller validates rules and check ids.

import type { Node } from 'jsonc-parser';
import { findNearest } from '../../core/values/nearest.ts';
import { settingsSchema } from '../schema.ts';
import type { Schema } from '../schema-words.ts';
import { type Document, listProperties } from './document.ts';
import { type Problem, quote } from './problem.ts';

export type RuleCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: string; readonly hint: string | null };

/** Validators from other stages, which this one does not import. */
export interface Knowledge {
  /** Whether the text is a valid rule. */
  checkRule(text: string): RuleCheck;
  readonly knownCheckIds: ReadonlySet<string>;
}

export function validateDocument(document: Document, knowledge: Knowledge): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (node, message, fix) =>
    problems.push({ file: document.file, ...document.lines.find(node.offset), message, fix });
  validate(document.root, settingsSchema(), [], report);
  if (problems.length === 0) checkMeaning(document.root, knowledge, report);
  return problems;
}

type Report = (node: Node, message: string, fix: string) => void;

function validate(node: Node, schema: Schema, path: readonly string[], report: Report): void {
  if (schema.oneOf !== undefined) {
    const match = schema.oneOf.find((each) => hasType(node, each.type));
    if (match !== undefined) validate(node, match, path, report);
    else
      report(
        node,
        `${where(path)} must be ${joinOr(schema.oneOf.map(({ type }) => nameType(type)))}.`,
        fixType(schema),
      );
    return;
  }
  if (!hasType(node, schema.type)) {
    report(
      node,
      `${where(path)} must be ${nameType(schema.type)}, not ${nameNode(node)}.`,
      fixType(schema, path.at(-1)),
    );
    return;
  }
  if (node.type === 'object') validateObject(node, schema, path, report);
  else if (node.type === 'array') {
    const items = schema.items;
    if (schema.minItems !== undefined && (node.children ?? []).length === 0)
      report(node, `${where(path)} is empty.`, 'Write at least one entry, or remove the key.');
    if (items !== undefined)
      node.children?.forEach((item, index) => {
        validate(item, items, [...path.slice(0, -1), `${path.at(-1)}[${index}]`], report);
      });
  } else validateScalar(node, schema, path, report);
}

function validateObject(node: Node, schema: Schema, path: readonly string[], report: Report): void {
  const properties = schema.properties ?? {};
  const others = schema.additionalProperties ?? false;
  const present = new Set<string>();
  for (const [key, value] of listProperties(node)) {
    const name = key.value;
    present.add(name);
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) validate(value, known, [...path, name], report);
    else if (others === false) {
      const place = path.length === 0 ? '' : ` in ${path.join('.')}`;
      report(key, `Unknown setting ${quote(name)}${place}.`, suggestKey(name, properties, path));
    } else if (name === '__proto__' || !new RegExp(schema.propertyNames?.pattern ?? '', 'u').test(name)) {
      report(key, `${quote(name)} is not a name for ${path.join('.')}.`, schema.propertyNames?.description ?? '');
    } else validate(value, others, [...path, name], report);
  }
  for (const name of schema.required ?? []) {
    if (!present.has(name)) report(node, `${where(path)} has no ${quote(name)}.`, `Add ${quote(name)}.`);
  }
}

function validateScalar(node: Node, schema: Schema, path: readonly string[], report: Report): void {
  const { value } = node as { value: unknown };
  if (schema.enum !== undefined && !schema.enum.includes(value as string | boolean)) {
    const near = findNearest(String(value), schema.enum.map(String));
    const written = joinOr(schema.enum.map((each) => JSON.stringify(each)));
    const fix = `${near === null ? '' : `Did you mean ${quote(near)}? `}Write ${written}.`;
    report(node, `${where(path)} cannot be ${typeof value === 'string' ? quote(value) : String(value)}.`, fix);
  } else if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
      report(node, `${where(path)} cannot be ${quote(value)}.`, schema.errorMessage ?? '');
    }
  } else if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value < minimum || value > maximum) {
      const range = maximum === Infinity ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
      report(node, `${where(path)} cannot be ${value}.`, `Write a number ${range}.`);
    }
  }
}

function hasType(node: Node, type: Schema['type']): boolean {
  if (type === 'integer') return node.type === 'number' && Number.isInteger(node.value);
  return node.type === type && (type !== 'number' || Number.isFinite(node.value));
}

const TYPE_NAMES = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
} as const;

function nameType(type: Schema['type']): string {
  return type === undefined ? 'something else' : TYPE_NAMES[type];
}

function nameNode(node: Node): string {
  if (node.type === 'null' || node.type === 'property') return 'null';
  if (node.type === 'number' || node.type === 'boolean') return String(node.value);
  return TYPE_NAMES[node.type].replace(/ in .*/, '');
}

const EXAMPLES = {
  object: '{ … }',
  array: '[ … ]',
  string: '"…"',
  number: '1',
  integer: '1',
  boolean: 'true or false',
} as const;

/** A limit of bytes is written without a unit. */
const BYTES_EXAMPLE = 'a number of bytes such as 268435456';

function fixType(schema: Schema, name = ''): string {
  if (schema.type === 'integer' && name.endsWith('Bytes')) return `Write ${BYTES_EXAMPLE}, or remove the key.`;
  const types = (schema.oneOf ?? [schema]).map(({ type }) => (type === undefined ? '' : EXAMPLES[type]));
  return `Write ${joinOr(types)}${schema.type === undefined ? '' : ', or remove the key'}.`;
}

function where(path: readonly string[]): string {
  return path.length === 0 ? 'The settings' : path.join('.');
}

function joinOr(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

/** Claude Code's names for settings that have other names here. */
const FOREIGN: Readonly<Record<string, string>> = {
  'permissions.defaultMode': 'mode',
  'permissions.additionalDirectories': 'roots',
  'permissions.disableBypassPermissionsMode': 'allowBypass',
  allowManagedPermissionRulesOnly: 'managedRulesOnly',
  env: 'environment.set',
  'sandbox.allowUnsandboxedCommands': 'sandbox.allowUnsandboxed',
  'sandbox.network.allowedDomains': 'domains.allow',
  'sandbox.network.deniedDomains': 'domains.deny',
  'sandbox.network.allowManagedDomainsOnly': 'managedDomainsOnly',
  'sandbox.filesystem.allowManagedReadPathsOnly': 'managedPathsOnly',
};
const IMPORT = 'hardshell config import claude-code translates settings of Claude Code.';

function fixForeign(key: string): string | null {
  if (key === 'sandbox.enabled')
    return `Write "name": "workspace" in sandbox for true, "unrestricted" for false. ${IMPORT}`;
  if (Object.hasOwn(FOREIGN, key)) return `Here it is called ${quote(FOREIGN[key] as string)}. ${IMPORT}`;
  return key === 'hooks' || key === 'model' ? `This is from Claude Code, and has no meaning here. ${IMPORT}` : null;
}

function suggestKey(name: string, siblings: Readonly<Record<string, Schema>>, path: readonly string[]): string {
  const foreign = fixForeign([...path, name].join('.'));
  if (foreign !== null) return foreign;
  const elsewhere = findHomes(name);
  const near = findNearest(name, Object.keys(siblings));
  if (near !== null && elsewhere.length === 0) return `Did you mean ${quote(near)}?`;
  if (elsewhere.length > 0) return `Did you mean ${joinOr(elsewhere.map(quote))}?`;
  return `Remove it. ${path.length === 0 ? 'The settings are' : `${path.join('.')} has`} ${joinOr(Object.keys(siblings))}.`;
}

/** The right place of a key that is in the wrong place. */
function findHomes(name: string): string[] {
  const groups = Object.entries<Schema>(settingsSchema().properties);
  const homes = groups.filter(([, { properties }]) => properties !== undefined && Object.hasOwn(properties, name));
  const top = Object.hasOwn(settingsSchema().properties, name) ? [name] : [];
  return [...top, ...homes.map(([group]) => `${group}.${name}`)];
}

function checkMeaning(root: Node, knowledge: Knowledge, report: Report): void {
  for (const [key, value] of listProperties(root)) {
    if (key.value === 'permissions') checkLists(value, knowledge, report);
    if (key.value === 'domains') checkDomains(value, knowledge, report);
    if (key.value === 'users') for (const [, user] of listProperties(value)) checkLists(user, knowledge, report);
    if (key.value === 'checks') {
      for (const [id] of listProperties(value)) {
        if (knowledge.knownCheckIds.has(id.value)) continue;
        const near = findNearest(id.value, knowledge.knownCheckIds);
        const fix = near === null ? 'docs/checks.md lists all checks.' : `Did you mean ${quote(near)}?`;
        report(id, `Unknown check ${quote(id.value)}.`, fix);
      }
    }
  }
}

/** An invalid host would be denied or allowed without effect. */
function checkDomains(domains: Node, knowledge: Knowledge, report: Report): void {
  for (const [, list] of listProperties(domains)) {
    for (const host of list.children ?? []) {
      const text = host.value as string;
      if (knowledge.checkRule(`Network(${text})`).ok) continue;
      report(
        host,
        `${quote(text)} is not a host name.`,
        'Write example.com, *.example.com, example.com:8080 or 10.0.0.0/8.',
      );
    }
  }
}

function checkLists(node: Node, knowledge: Knowledge, report: Report): void {
  for (const [list, entries] of listProperties(node)) {
    if (!['allow', 'ask', 'deny'].includes(list.value)) continue;
    for (const entry of entries.children ?? []) {
      const fields = entry.type === 'object' ? listProperties(entry) : [];
      const rule = fields.find(([key]) => key.value === 'rule')?.[1] ?? entry;
      const checked = knowledge.checkRule(rule.value as string);
      if (!checked.ok)
        report(
          rule,
          `The rule ${quote(rule.value as string)} cannot be used: ${checked.why}`,
          checked.hint ?? RULE_FORM,
        );
      const staging = fields.find(([key]) => key.value === 'staging')?.[0];
      if (staging !== undefined && list.value === 'deny')
        report(
          staging,
          'A denied command never runs: staging has no effect here.',
          'Remove it, or move the rule to ask.',
        );
      const until = fields.find(([key]) => key.value === 'until')?.[1];
      if (until !== undefined && parseUntil(until.value as string) === null) {
        report(until, `Invalid date: ${quote(until.value as string)}.`, 'Write a day such as 2030-12-31.');
      }
    }
  }
}

const RULE_FORM = 'Write a rule such as "Bash(git push:*)".';
const DAY_MS = 86_400_000;

/** Milliseconds since 1970 at which it expires: the end of a day, or the moment. `null` if there is no such day. */
export function parseUntil(text: string): number | null {
  const start = Date.parse(text);
  const day = Date.parse(text.slice(0, 10));
  // JavaScript reads February 30 as a day in March.
  if (Number.isNaN(start) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10)) return null;
  return text.length === 10 ? start + DAY_MS : start;
}
