// Draft → fact: is it read-only, which class, and what the parts do together.

import type { CommandClass, CommandFact, Effects, PathEffect } from '../../core/facts.ts';
import { COMMAND_CLASSES } from '../../core/facts.ts';
import type { Draft } from './draft.ts';

const STANDARD_STREAM = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|full|fd\/[0-9]+)$/;
const SECRET_FILE = /^\/proc\/(?:[0-9]+|self|thread-self|\*)\/(?:task\/[^/]+\/)?environ$/;

export function isHarmlessTarget(effect: PathEffect): boolean {
  return effect.path !== null && effect.glob === undefined && STANDARD_STREAM.test(effect.path);
}

export function finishDraft(draft: Draft): CommandFact {
  for (const { path } of draft.reads) {
    if (path !== null && path.startsWith('/proc/') && SECRET_FILE.test(path)) draft.discloses.push('process-environment');
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

function isReadOnly(draft: Draft): boolean {
  return (
    draft.unknown.length === 0 &&
    draft.changes.length === 0 &&
    draft.deletes.length === 0 &&
    draft.executes.length === 0 &&
    draft.discloses.length === 0 &&
    !draft.privilege &&
    draft.elsewhere === null &&
    (draft.network.length === 0 || draft.mayFetch) &&
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
  if (draft.network.length > 0 && !draft.mayFetch) return isAbove(draft.class, 'network') ? draft.class : 'network';
  if (draft.unknown.length > 0) return isAbove(draft.class, 'write') ? draft.class : 'unknown';
  if (draft.isFilter && draft.reads.length === 0) return 'neutral';
  return draft.class;
}

function isAbove(a: CommandClass, b: CommandClass): boolean {
  return COMMAND_CLASSES.indexOf(a) > COMMAND_CLASSES.indexOf(b);
}

/** The most serious class among the parts; wrappers count by what they run, not by themselves. */
export function strictestClass(facts: readonly CommandFact[]): CommandClass {
  let strictest = 0;
  for (const fact of facts) {
    const rank = COMMAND_CLASSES.indexOf(fact.class);
    if (rank > strictest) strictest = rank;
  }
  return COMMAND_CLASSES[strictest] ?? 'unknown';
}

/** All effects together; what happens on another machine touches nothing here. */
export function mergeEffects(facts: readonly CommandFact[]): Effects {
  const first = facts[0];
  if (facts.length === 1 && first && first.elsewhere === null) return first.effects;
  const here = facts.filter((fact) => fact.elsewhere === null);
  return {
    reads: uniquePaths(here.flatMap((fact) => fact.effects.reads)),
    writes: uniquePaths(here.flatMap((fact) => fact.effects.writes)),
    deletes: uniquePaths(here.flatMap((fact) => fact.effects.deletes)),
    network: unique(here.flatMap((fact) => fact.effects.network)),
    executes: unique(here.flatMap((fact) => fact.effects.executes)),
    privilege: facts.some((fact) => fact.effects.privilege),
    changes: unique(here.flatMap((fact) => fact.effects.changes)),
    discloses: unique(here.flatMap((fact) => fact.effects.discloses)),
    unknown: unique(facts.flatMap((fact) => fact.effects.unknown)),
  };
}

function uniquePaths(paths: readonly PathEffect[]): readonly PathEffect[] {
  if (paths.length < 2) return paths;
  const seen = new Map<string, PathEffect>();
  for (const effect of paths) {
    const key = `${effect.path} ${effect.glob ?? ''} ${effect.recursive ?? ''} ${effect.unfolded ?? ''}`;
    if (!seen.has(key)) seen.set(key, effect);
  }
  return [...seen.values()];
}

function unique<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  const seen = new Map<string, T>();
  for (const item of items) seen.set(typeof item === 'string' ? item : JSON.stringify(item), item);
  return [...seen.values()];
}
