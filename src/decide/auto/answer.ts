// The mode auto: questions × what confines the command → the questions that the kernel answers, and the guarantees that
// this is based on. All or nothing: if a person has to be asked anyway, they see everything.

import type { CommandFact, NetworkEffect } from '../../core/facts.ts';
import { type Finding, RELIANCES, type Reliance, strictest } from '../../core/verdict.ts';
import type { Subject } from '../check.ts';
import { isHostAllowed } from '../coverage.ts';
import type { RuleMatch } from '../rules/match.ts';
import { Destruction } from './destruction.ts';
import { ANYTHING, CODE, relianceOf } from './staying-inside.ts';

export interface AutoAnswer {
  readonly findings: readonly Finding[];
  readonly reliesOn: readonly Reliance[];
}

/** Checks about code that the project or a variable chooses: it is confined like any other. */
const ABOUT_CODE: ReadonlySet<string> = new Set([
  ...['git-config-executes', 'hg-config-executes', 'toolchain-file', 'terraform-providers', 'go-modules', 'side-files'],
  ...['npm-settings', 'executing-variable'],
]);

/** Checks that do not know what would run, or which path would change. */
const ABOUT_THE_UNKNOWN: ReadonlySet<string> = new Set([
  ...['cannot-tell', 'unknown-path', 'unknown-path-deletion', 'code-injection', 'variable-as-command'],
  ...['deep-substitution', 'indirect-name', 'subscript-in-name', 'running-subscript', 'very-long-word'],
  ...['syntax-error', 'incomplete-command', 'unbalanced-quote', 'unclosed-heredoc', 'trailing-backslash'],
]);

/** `open`: the commands that nothing covers. Of several with the same text only one has a finding. */
export function answerByConfinement(
  findings: readonly Finding[],
  subject: Subject,
  { open, matches }: { readonly open: readonly number[]; readonly matches: readonly RuleMatch[] },
): AutoAnswer {
  const asked = { findings, reliesOn: [] };
  if (strictest(findings.map(({ verdict }) => verdict)) !== 'ask') return asked;
  const needed = new Set<Reliance>();
  const destruction = new Destruction(subject, findings);
  for (const index of open) {
    const own = matches.filter((match) => match.command === index && match.rule.list === 'allow');
    const surroundings = { destruction, isHostAllowed: (effect: NetworkEffect) => isHostAllowed(effect, own) };
    const reliance = relianceOf(subject.facts.commands[index] as CommandFact, surroundings);
    if (reliance === null) return asked;
    for (const each of reliance) needed.add(each);
  }
  for (const finding of findings) {
    if (finding.verdict !== 'ask' || finding.id === 'no-rule') continue;
    const reliance = relianceOfCheck(finding, subject);
    if (reliance === null) return asked;
    for (const each of reliance) needed.add(each);
  }
  const reliesOn = RELIANCES.filter((each) => needed.has(each));
  const unheld = explainUnheld(reliesOn, subject);
  if (unheld !== null) return { findings: [...findings, unheld], reliesOn: [] };
  return { findings: findings.map((finding) => answer(finding, reliesOn)), reliesOn };
}

/** A check that the settings mention is answered by people. */
function relianceOfCheck({ id }: Finding, { policy }: Subject): readonly Reliance[] | null {
  if (Object.hasOwn(policy.checks, id)) return null;
  if (ABOUT_CODE.has(id)) return CODE;
  return ABOUT_THE_UNKNOWN.has(id) ? ANYTHING : null;
}

function answer(finding: Finding, reliesOn: readonly Reliance[]): Finding {
  if (finding.verdict !== 'ask') return finding;
  const message = finding.message.replace(/\.$/, '');
  const held = `The sandbox holds it (${reliesOn.join(', ')}).`;
  return {
    ...finding,
    id: finding.id === 'no-rule' ? 'allowed-auto' : finding.id,
    layer: finding.id === 'no-rule' ? 'mode' : finding.layer,
    verdict: 'allow',
    message:
      finding.id === 'no-rule'
        ? `${message.replace(/^Nothing allows /, 'No rule allows ')}. ${held}`
        : `${message}. ${held}`,
    instead: null,
  };
}

const UNCONFINED = 'nothing confines the command here';

function explainUnheld(reliesOn: readonly Reliance[], { context }: Subject): Finding | null {
  const { held = [], missing = [] } = context.confinement ?? {};
  const lacking = reliesOn.filter((each) => !held.includes(each));
  const [first] = lacking;
  if (first === undefined) return null;
  const why = missing.find(({ guarantee }) => guarantee === first)?.why ?? UNCONFINED;
  return {
    id: 'auto-unheld',
    layer: 'mode',
    verdict: 'ask',
    severity: 'low',
    message: `The mode auto asks about this, because ${lacking.join(' and ')} would not hold: ${why}.`,
    instead: lacking.length === 1 && first === 'undoable' ? STAGE_IT : CONFINE_IT,
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}

const STAGE_IT =
  'With staged changes (`--staging apply`, or "staging": "apply" in the settings) it can be undone and is not asked about.';
const CONFINE_IT = '`hardshell doctor` says what the sandbox holds on this machine.';
