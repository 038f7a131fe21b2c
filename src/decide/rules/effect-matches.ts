// Effects of a command on files and hosts × rules about paths and domains → matches.

import type { CommandFact, Facts, NetworkEffect, PathEffect } from '../../core/facts.ts';
import { isInside, parseAddress } from '../../core/names/addresses.ts';
import type { Context, PolicyRule } from '../../core/policy.ts';
import type { Subject } from '../check.ts';
import { resolveWord } from './conditions.ts';
import type { MatchCollector, RuleMatch } from './match-collector.ts';
import { bans, isAbove, mayHold, permits } from './path-answers.ts';
import { normalHost } from './patterns/grammar.ts';
import type { PathTool, RuleIndex, Side } from './rule-index.ts';

export const PATH_TOOLS: readonly PathTool[] = ['read', 'edit', 'delete'];

const LISTERS = new Set(['find', 'fd', 'fdfind', 'ls', 'tree', 'du', 'eza', 'exa', 'dir', 'vdir']);

export function matchPaths(
  { allow, strict }: RuleIndex,
  fact: CommandFact,
  subject: Subject,
  found: MatchCollector,
): void {
  const { context } = subject;
  const { reads, writes, deletes, unknown } = fact.effects;
  if (fact.elsewhere === null) {
    for (const effect of reads) permitPath(allow, 'read', effect, context, found);
    for (const effect of writes) permitPath(allow, 'edit', effect, context, found);
    for (const effect of deletes) permitPath(allow, 'delete', effect, context, found);
  }
  // Names in a folder are not the content of its files.
  const seesNamesOnly = fact.name !== null && LISTERS.has(fact.name);
  const isPossible = fact.elsewhere !== null;
  for (const effect of reads) {
    const isTree = effect.recursive === true && !seesNamesOnly;
    if (effect.path === null && isFromList(fact, subject.facts)) banListedRead(strict, subject, found);
    else banPath(strict, 'read', effect, context, found, { isPossible, isTree });
  }
  for (const effect of writes) banPath(strict, 'edit', effect, context, found, { isPossible });
  for (const effect of deletes) {
    banPath(strict, 'delete', effect, context, found, { isPossible, isSureBelow: true });
    banPath(strict, 'edit', effect, context, found, { isPossible, isSureBelow: true, access: 'delete' });
  }
  if (unknown.length === 0) return;
  for (const word of fact.argv.slice(1)) {
    if (word === null) continue;
    for (const effect of resolveWord(fact, word.replace(/^--?[\w-]+=|^@/, ''))) {
      for (const tool of PATH_TOOLS) banPath(strict, tool, effect, context, found, { isPossible: true });
    }
  }
}

/** The names come from `xargs`, or from a loop over words or lines: `for f in src/*.ts; do cat "$f"; done`. */
function isFromList({ via, words }: CommandFact, { command }: Facts): boolean {
  if (via.some((step) => step.startsWith('xargs'))) return true;
  return words.every((word) => {
    if (word.kind === 'literal' || word.kind === 'pattern') return true;
    const name = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(command.slice(...word.span))?.[1];
    return name !== undefined && new RegExp(`\\bfor\\s+${name}\\s+in\\b|\\bread\\s[^;\\n]*\\b${name}\\b`).test(command);
  });
}

/**
 * It may be any file. Asking about every loop as soon as there is a rule about some file would not help, so only
 * rules whose path appears in the command count. A path that is computed in another way may match all of them.
 */
function banListedRead(side: Side, { facts }: Subject, found: MatchCollector): void {
  const { every, index, count } = side.paths.read;
  if (count === 0) return;
  for (const { rule } of every) found.add(rule, 'path', { access: 'read', isPossible: true });
  index.findNamed(facts.command, ({ rule }) => {
    found.add(rule, 'path', { access: 'read', isPossible: true });
    return undefined;
  });
}

function permitPath(side: Side, tool: PathTool, effect: PathEffect, context: Context, found: MatchCollector): void {
  const { every, index, count } = side.paths[tool];
  const { path } = effect;
  if (count === 0 || path === null) return;
  for (const { rule } of every) found.add(rule, 'path', { path, access: tool });
  index.find(effect, context, false, (item) => {
    if (item.path !== null && permits(item.path, effect, context)) found.add(item.rule, 'path', { path, access: tool });
    return undefined;
  });
}

interface Ban {
  readonly isPossible: boolean;
  readonly isSureBelow?: boolean;
  readonly isTree?: boolean;
  /** If it differs from the tool of the rule: deleting is editing. */
  readonly access?: PathTool;
  readonly how?: RuleMatch['how'];
}

export function banPath(
  side: Side,
  tool: PathTool,
  effect: PathEffect,
  context: Context,
  found: MatchCollector,
  ban: Ban,
): void {
  const { every, index, count } = side.paths[tool];
  if (count === 0) return;
  const { isPossible, isSureBelow = false, how = 'path', access = tool } = ban;
  const { isTree = effect.recursive === true } = ban;
  const where = effect.path === null ? { access } : { access, path: effect.path };
  for (const { rule } of every) found.add(rule, how, { ...where, isPossible });
  const isPlainTree = isTree && effect.path !== null && effect.glob !== true;
  index.find(effect, context, isTree, (item, isRemote) => {
    if (isRemote && !found.hasRoom) return 'enough';
    if (item.path === null) return undefined;
    const answer = bans(item.path, effect, context, isTree);
    if (answer === 'outside') return undefined;
    const isBelow = answer === 'perhaps' && isPlainTree;
    if (isBelow && tool === 'read' && found.hasRoom && !mayHold(item.path, effect.path as string, context))
      return undefined;
    // Deleting a folder deletes its content.
    const isSure =
      answer === 'inside' || (isBelow && isSureBelow && isAbove(effect.path as string, item.path, context));
    found.add(item.rule, how, { ...where, isPossible: isPossible || !isSure });
    return undefined;
  });
}

const PORTS: ReadonlyMap<string | undefined, number> = new Map([
  ['http:', 80],
  ['https:', 443],
]);

/** Undefined: unknown. */
export function portOf({ port, url }: NetworkEffect): number | undefined {
  return port ?? PORTS.get(/^[a-z]+:/i.exec(url ?? '')?.[0].toLowerCase());
}

export function matchHost({ allow, strict }: RuleIndex, effect: NetworkEffect, found: MatchCollector): void {
  const { host } = effect;
  const port = portOf(effect);
  for (const side of [allow, strict]) {
    const add = (rule: PolicyRule) => {
      const named = side.ports.get(rule);
      // An unknown port is allowed by no rule that names one, and forbidden by each.
      if (named === undefined) found.add(rule, 'domain', { host: host as string });
      else if (named === port || (port === undefined && side === strict))
        found.add(rule, 'domain', { host: host as string, port: named });
    };
    for (const rule of side.everyHost) found.add(rule, 'domain', host === null ? {} : { host });
    if (host === null) {
      if (side === allow) continue;
      for (const map of [side.hosts, side.hostsBelow]) {
        for (const rules of map.values()) {
          if (!found.hasRoom) break;
          for (const rule of rules) found.add(rule, 'domain', { isPossible: true });
        }
      }
      for (const { rule } of side.networks) if (found.hasRoom) found.add(rule, 'domain', { isPossible: true });
      continue;
    }
    const name = normalHost(host);
    for (const rule of side.hosts.get(name) ?? []) add(rule);
    const address = side.networks.length === 0 ? null : parseAddress(name);
    if (address !== null) for (const { rule, network } of side.networks) if (isInside(address, network)) add(rule);
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      for (const rule of side.hostsBelow.get(name.slice(dot + 1)) ?? []) add(rule);
    }
  }
}
