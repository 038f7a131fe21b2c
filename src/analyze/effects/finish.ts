// Draft → fact: whether it is read-only, its class, and the combined effects of all parts.

import type { CommandClass, CommandFact, Effects, NetworkEffect, PathEffect } from '../../core/facts.ts';
import { COMMAND_CLASSES } from '../../core/facts.ts';
import type { Draft } from './draft.ts';
import { isLoopback } from './hosts.ts';

const STANDARD_STREAM = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|full|fd\/[0-9]+)$/;
/** `/proc/1/environ`, and patterns that may match it. */
const SECRET_FILE = /^\/proc\/.*(?:environ|[*?[][^/]*)$/;

function isHarmlessTarget(effect: PathEffect): boolean {
  return effect.path !== null && effect.glob === undefined && STANDARD_STREAM.test(effect.path);
}

export function finishDraft(draft: Draft): CommandFact {
  for (const { path, recursive } of draft.reads) {
    if (!path?.startsWith('/proc')) continue;
    if (SECRET_FILE.test(path) || recursive) draft.add('discloses', 'process-environment');
  }
  const effects: Effects = {
    reads: draft.reads,
    writes: draft.writes,
    deletes: draft.deletes,
    network: draft.network,
    executes: draft.executes,
    privilege: draft.privilege,
    changes: draft.changes,
    discloses: draft.discloses,
    unknown: draft.unknown,
  };
  return {
    parent: draft.parent,
    argv: draft.words.map((word) => (word.kind === 'literal' ? word.value : null)),
    words: draft.words,
    name: draft.name,
    kind: draft.kind,
    summary: draft.summary,
    invocation: draft.invocation,
    pipeline: draft.pipeline,
    assignments: draft.assignments,
    redirects: draft.redirects,
    cwd: draft.folders,
    elsewhere: draft.elsewhere,
    effects,
    readOnly: isReadOnly(draft),
    class: classOf(draft),
    via: draft.via,
    span: draft.span,
    edits: draft.edits,
  };
}

/** The service of the user's own configuration, or this machine: a host that the command names can receive anything. */
function isChosenByUser({ host }: NetworkEffect): boolean {
  return host === null || isLoopback(host);
}

function isReadOnly(draft: Draft): boolean {
  return (
    draft.unknown.length === 0 &&
    draft.changes.length === 0 &&
    draft.deletes.length === 0 &&
    draft.executes.length === 0 &&
    draft.discloses.length === 0 &&
    !draft.privilege &&
    draft.elsewhere === null &&
    draft.network.every((effect) => draft.mayFetch && isChosenByUser(effect)) &&
    draft.writes.every(isHarmlessTarget)
  );
}

function classOf(draft: Draft): CommandClass {
  if (draft.privilege) return 'privilege';
  if (draft.unknown.length > 0 && draft.class === 'unknown') return 'unknown';
  if (draft.executes.length > 0) return 'execute';
  if (draft.deletes.length > 0) return 'delete';
  if (!draft.writes.every(isHarmlessTarget) || draft.changes.length > 0) {
    return isAbove(draft.class, 'write') ? draft.class : 'write';
  }
  if (!draft.network.every((effect) => draft.mayFetch && isChosenByUser(effect)))
    return isAbove(draft.class, 'network') ? draft.class : 'network';
  if (draft.unknown.length > 0) return isAbove(draft.class, 'write') ? draft.class : 'unknown';
  if (draft.isFilter && draft.reads.length === 0) return 'neutral';
  return draft.class;
}

function isAbove(a: CommandClass, b: CommandClass): boolean {
  return COMMAND_CLASSES.indexOf(a) > COMMAND_CLASSES.indexOf(b);
}

/** The most serious class of the parts; wrappers count as what they run. */
export function strictestClass(facts: readonly CommandFact[]): CommandClass {
  let strictest = 0;
  for (const fact of facts) {
    const rank = COMMAND_CLASSES.indexOf(fact.class);
    if (rank > strictest) strictest = rank;
  }
  return COMMAND_CLASSES[strictest] ?? 'unknown';
}

/** All effects combined; effects on another machine do not count here. */
export function mergeEffects(facts: readonly CommandFact[]): Effects {
  const first = facts[0];
  if (facts.length === 1 && first && first.elsewhere === null) return first.effects;
  return {
    reads: merge(facts, (effects) => effects.reads, pathKey),
    writes: merge(facts, (effects) => effects.writes, pathKey),
    deletes: merge(facts, (effects) => effects.deletes, pathKey),
    network: merge(
      facts,
      (effects) => effects.network,
      (effect) => `${effect.host} ${effect.port} ${effect.url}`,
    ),
    executes: merge(
      facts,
      (effects) => effects.executes,
      (effect) => `${effect.kind} ${effect.text}`,
    ),
    privilege: facts.some((fact) => fact.effects.privilege),
    changes: merge(
      facts,
      (effects) => effects.changes,
      (change) => change,
    ),
    discloses: merge(
      facts,
      (effects) => effects.discloses,
      (secret) => secret,
    ),
    unknown: merge(
      facts,
      (effects) => effects.unknown,
      (why) => why,
    ),
  };
}

function pathKey(effect: PathEffect): string {
  if (effect.glob === undefined && effect.recursive === undefined && effect.unfolded === undefined)
    return effect.path ?? '';
  return `${effect.path} ${effect.glob ?? ''} ${effect.recursive ?? ''} ${effect.unfolded ?? ''}`;
}

const NONE: readonly never[] = [];

function merge<T>(
  facts: readonly CommandFact[],
  pick: (effects: Effects) => readonly T[],
  keyOf: (item: T) => string,
): readonly T[] {
  let merged: Map<string, T> | null = null;
  for (const fact of facts) {
    const items = pick(fact.effects);
    if (items.length === 0 || fact.elsewhere !== null) continue;
    merged ??= new Map();
    for (const item of items) merged.set(keyOf(item), item);
  }
  return merged ? [...merged.values()] : NONE;
}
