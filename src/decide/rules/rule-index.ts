// Rules → an index, built once for each array of rules, so that thousands cost about as much as a few.
// A rule that does not parse is an error of the caller: settings are validated earlier.

import { HardshellError } from '../../core/errors.ts';
import type { Network } from '../../core/names/addresses.ts';
import type { Policy, PolicyRule, UserPolicy } from '../../core/policy.ts';
import { VERDICTS } from '../../core/verdict.ts';
import { type BashItem, bashItems } from './conditions.ts';
import { type SettledPath, scopeKey, settlePath } from './path-answers.ts';
import { PathIndex } from './path-index.ts';
import { type ParsedRule, parseRule } from './patterns/grammar.ts';
import { WordIndex } from './word-index.ts';

export type PathTool = 'read' | 'edit' | 'delete';
export interface PathItem {
  readonly rule: PolicyRule;
  /** `null`: every path. */
  readonly path: SettledPath | null;
}

export interface Side {
  readonly everyCommand: PolicyRule[];
  readonly words: WordIndex<BashItem>;
  hasWords: boolean;
  readonly paths: Readonly<
    Record<PathTool, { readonly every: PathItem[]; readonly index: PathIndex<PathItem>; count: number }>
  >;
  readonly everyHost: PolicyRule[];
  readonly hosts: Map<string, PolicyRule[]>;
  /** By the parent domain: `*.example.com`. */
  readonly hostsBelow: Map<string, PolicyRule[]>;
  readonly networks: { readonly rule: PolicyRule; readonly network: Network }[];
  /** Ports of rules about hosts that name one. */
  readonly ports: Map<PolicyRule, number>;
}

export interface RuleIndex {
  readonly allow: Side;
  /** Deny and ask. */
  readonly strict: Side;
}

const indexes = new WeakMap<readonly PolicyRule[], RuleIndex>();

export function compileRules(rules: readonly PolicyRule[]): RuleIndex {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const index: RuleIndex = { allow: emptySide(), strict: emptySide() };
  for (const rule of rules) {
    const parsed = parseRule(rule.text);
    if (!parsed.ok) {
      const options = parsed.hint === null ? {} : { hint: parsed.hint };
      throw new HardshellError('invalid-argument', `The rule \`${rule.text}\` is not valid: ${parsed.why}`, options);
    }
    addRule(rule.list === 'allow' ? index.allow : index.strict, rule, parsed.rule);
  }
  indexes.set(rules, index);
  return index;
}

function emptySide(): Side {
  const paths = () => ({ every: [], index: new PathIndex<PathItem>(), count: 0 });
  return {
    everyCommand: [],
    words: new WordIndex(),
    hasWords: false,
    paths: { read: paths(), edit: paths(), delete: paths() },
    everyHost: [],
    hosts: new Map(),
    hostsBelow: new Map(),
    networks: [],
    ports: new Map(),
  };
}

function addRule(side: Side, rule: PolicyRule, parsed: ParsedRule): void {
  switch (parsed.tool) {
    case 'bash':
      if (parsed.bash === null) side.everyCommand.push(rule);
      for (const item of bashItems(rule, parsed)) {
        side.words.add(item.pattern, item, item.scope === null ? null : scopeKey(item.scope));
        side.hasWords = true;
      }
      return;
    case 'network': {
      const { host } = parsed;
      if (host === null) side.everyHost.push(rule);
      else if (host.network !== undefined) side.networks.push({ rule, network: host.network });
      else {
        const map = host.isBelow ? side.hostsBelow : side.hosts;
        const rules = map.get(host.name);
        if (rules === undefined) map.set(host.name, [rule]);
        else rules.push(rule);
      }
      if (host?.port !== undefined) side.ports.set(rule, host.port);
      return;
    }
    case 'read':
    case 'edit':
    case 'delete': {
      const paths = side.paths[parsed.tool];
      const item = { rule, path: parsed.path === null ? null : settlePath(parsed.path, rule.base) };
      paths.count++;
      if (item.path === null) paths.every.push(item);
      else paths.index.add(item.path, item);
      return;
    }
    default:
      parsed satisfies never;
  }
}

/** The rules of a user's own entry. */
export function rulesOfUser(user: UserPolicy): readonly PolicyRule[] {
  return remember(user, () => VERDICTS.flatMap((list) => user[list].map((text) => ruleWithoutFile(text, list))));
}

/** Hosts in the policy are ordinary rules: `Network(example.com)`. */
export function rulesOfDomains(domains: Policy['domains']): readonly PolicyRule[] {
  return remember(domains, () =>
    (['allow', 'deny'] as const).flatMap((list) =>
      domains[list].map((host) => ruleWithoutFile(`Network(${host})`, list)),
    ),
  );
}

const derived = new WeakMap<object, readonly PolicyRule[]>();

/** Always the same array, so that it is compiled once. */
function remember(source: object, derive: () => readonly PolicyRule[]): readonly PolicyRule[] {
  let rules = derived.get(source);
  if (rules === undefined) {
    rules = derive();
    derived.set(source, rules);
  }
  return rules;
}

function ruleWithoutFile(text: string, list: PolicyRule['list']): PolicyRule {
  const origin = { layer: 'managed', file: null, line: null } as const;
  return { text, list, origin, until: null, base: null, because: null };
}
