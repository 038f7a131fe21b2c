// A caller's threat rules → the result of each, within its timeout. Every rule gets an outcome.

import type { Facts } from '../../core/facts.ts';
import type { Context, Threat, ThreatOutcome, ThreatRule } from '../../core/policy.ts';
import { describeError } from '../../core/values/error-text.ts';

const DEFAULT_MS = 5_000;

export async function hearThreatRules(
  rules: readonly ThreatRule[],
  facts: Facts,
  context: Context,
): Promise<ReadonlyMap<ThreatRule, ThreatOutcome>> {
  const outcomes = rules.map(
    async (rule): Promise<[ThreatRule, ThreatOutcome]> => [rule, await hear(rule, facts, context)],
  );
  return new Map(await Promise.all(outcomes));
}

async function hear(rule: ThreatRule, facts: Facts, context: Context): Promise<ThreatOutcome> {
  const { timeout = DEFAULT_MS } = rule;
  let timer: NodeJS.Timeout | undefined;
  try {
    const said = rule.detect(facts, context);
    if (!isPromise(said)) return { found: said };
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not answer within ${timeout} ms`)), timeout);
    });
    return { found: await Promise.race([said, late]) };
  } catch (error) {
    return { failed: describeError(error) };
  } finally {
    clearTimeout(timer);
  }
}

function isPromise(said: Threat | null | PromiseLike<Threat | null>): said is PromiseLike<Threat | null> {
  return typeof (said as PromiseLike<unknown> | null)?.then === 'function';
}
