// Verdict → lines for a person: the answer, why, from where, and what would change it.

import {
  byStrictness,
  type Facts,
  type Finding,
  type Reliance,
  type Severity,
  type Verdict,
  type VerdictName,
} from '../../../host/deciding.ts';
import { quoteWord } from '../../../host/values.ts';
import { shorten } from './phrases.ts';
import { markSpan } from './source.ts';
import type { Terminal } from './terminal.ts';
import { visible } from './visible.ts';

const MAX_MESSAGE_COLUMNS = 600;

export function drawVerdict(facts: Facts, verdict: Verdict, terminal: Terminal): string[] {
  const { colors, glyphs } = terminal;
  const separator = colors.dim(` ${glyphs.dot} `);
  const title = [
    paintVerdict(verdict.decision, terminal)(verdict.decision.toUpperCase()),
    `risk ${paintSeverity(verdict.risk, terminal)(verdict.risk)} (${verdict.score})`,
    verdict.readOnly ? colors.green('read-only') : 'not read-only',
  ].join(separator);
  // A rule cannot lift a denial: a missing allow rule is then irrelevant.
  const isRefused = verdict.decision === 'deny';
  const ordered = orderFindings(verdict.findings).filter(({ id }) => !(isRefused && id === 'no-rule'));
  const shown = ordered.flatMap((finding) => ['', ...drawFinding(facts, finding, terminal)]);
  return [title, ...shown, ...drawChanges(verdict, terminal)];
}

/** Strictest first, then most severe; the text's own order within. */
function orderFindings(findings: readonly Finding[]): readonly Finding[] {
  const weight: Readonly<Record<Severity, number>> = { critical: 0, high: 1, medium: 2, low: 3 };
  return [...findings].sort(
    (a, b) => byStrictness(a, b) || weight[a.severity] - weight[b.severity] || (a.span?.[0] ?? 0) - (b.span?.[0] ?? 0),
  );
}

function drawFinding(facts: Facts, finding: Finding, terminal: Terminal): string[] {
  const { colors } = terminal;
  const paint = paintVerdict(finding.verdict, terminal);
  const label = finding.verdict === 'allow' && finding.severity !== 'low' ? 'note' : finding.verdict;
  const lines = [
    `${paint(label.padEnd(5))} ${shorten(visible(finding.message), MAX_MESSAGE_COLUMNS)}  ${colors.dim(`[${finding.id}]`)}`,
  ];
  if (finding.span !== null && finding.verdict !== 'allow') {
    const marked = markSpan(facts.command, finding.span, terminal.width - 6);
    lines.push(
      colors.dim(`      ${marked.text}`),
      paint(`      ${' '.repeat(marked.start)}${'^'.repeat(marked.length)}`),
    );
  }
  if (finding.rule !== null) lines.push(`      ${colors.dim('rule')}     ${visible(ruleText(finding))}`);
  if (finding.instead !== null && finding.verdict !== 'allow') {
    lines.push(`      ${colors.dim('instead')}  ${visible(finding.instead)}`);
  }
  return lines;
}

function ruleText({ rule }: Finding): string {
  if (rule === null) return '';
  const place =
    rule.file === null ? `${rule.layer} settings` : `${rule.file}${rule.line === null ? '' : `:${rule.line}`}`;
  return `${rule.list} ${rule.text}  (${place})`;
}

function drawChanges(verdict: Verdict, terminal: Terminal): string[] {
  const { colors } = terminal;
  const lines: string[] = [];
  if (verdict.decision !== 'allow' && verdict.suggestions.length > 0) {
    lines.push('', colors.dim('to always allow it:'));
    for (const rule of verdict.suggestions) lines.push(`  hardshell config add allow ${quote(rule)}`);
  }
  if (verdict.reliesOn.length > 0) {
    lines.push('', colors.dim('not asked, because the sandbox holds (otherwise the run asks):'));
    for (const each of verdict.reliesOn) lines.push(`  ${each.padEnd(18)}${colors.dim(RELIED_ON[each])}`);
  }
  const variables = Object.entries(verdict.environment);
  if (variables.length > 0) {
    lines.push('', colors.dim('valid only with these variables:'));
    for (const [name, value] of variables) lines.push(`  ${name}=${quote(value)}`);
  }
  return lines;
}

const RELIED_ON: Readonly<Record<Reliance, string>> = {
  'writes-confined': 'nothing outside of the project changes',
  'code-protected': 'hooks, settings of git and editors do not change',
  'secrets-hidden': 'keys and tokens cannot be read',
  'network-allowlist': 'only allowed hosts are reached',
  'machine-apart': 'other processes, devices and privileges are out of reach',
  undoable: 'its changes are staged: `hardshell undo` takes them back',
};

function quote(text: string): string {
  return quoteWord(visible(text));
}

function paintVerdict(verdict: VerdictName, { colors }: Terminal): (text: string) => string {
  return { allow: colors.green, ask: colors.yellow, deny: colors.red }[verdict];
}

function paintSeverity(severity: Severity, { colors }: Terminal): (text: string) => string {
  return { low: colors.green, medium: colors.yellow, high: colors.red, critical: colors.red }[severity];
}
