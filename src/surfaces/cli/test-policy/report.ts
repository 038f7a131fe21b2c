// Outcomes → lines for a person, or one JSON object for a machine.

import { defined } from '../../../host/values.ts';
import type { Finding, RuleOrigin } from '../../../host.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import type { Terminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import type { Problem } from './fixtures.ts';
import type { Coverage, Outcome } from './outcome.ts';

const MAX_FINDINGS = 5;

export function drawProblems(file: string, problems: readonly Problem[]): string[] {
  return problems.flatMap(({ line, column, message, fix }) => [
    `${visible(file)}:${line}:${column}: ${visible(message)}`,
    `  ${visible(fix)}`,
  ]);
}

export function drawOutcomes(outcomes: readonly Outcome[], terminal: Terminal): string[] {
  const failed = outcomes.filter(({ failure }) => failure !== null);
  const { colors } = terminal;
  const counts = `${outcomes.length - failed.length} passed, ${failed.length} failed`;
  const paint = failed.length === 0 ? colors.green : colors.red;
  return [...failed.flatMap((outcome) => [...drawFailure(outcome, terminal), '']), paint(counts)];
}

function drawFailure({ file, fixture, verdict, failure }: Outcome, { colors }: Terminal): string[] {
  const wanted =
    failure === 'verdict'
      ? [`  ${colors.green(`- expected ${fixture.expect}`)}`, `  ${colors.red(`+ got      ${verdict.decision}`)}`]
      : [
          `  ${colors.green(`- expected ${fixture.expect} because of: ${visible(fixture.because ?? '')}`)}`,
          `  ${colors.red(`+ got      ${verdict.decision} for another reason`)}`,
        ];
  // The findings that decided; if the reason is wrong, all of them.
  const shown = verdict.findings.filter((finding) => failure === 'because' || finding.verdict === verdict.decision);
  const rest = shown.length - MAX_FINDINGS;
  return [
    `${colors.bold(`${visible(file)}:${fixture.line}`)}  ${visible(fixture.command)}`,
    ...wanted,
    ...shown.slice(0, MAX_FINDINGS).flatMap(drawFinding),
    ...(rest > 0 ? [`    and ${rest} more: hardshell check shows all of them`] : []),
    ...(shown.length === 0 ? ['    no findings'] : []),
  ];
}

function drawFinding({ id, verdict, message, rule }: Finding): string[] {
  const place = rule === null ? [] : [`      rule ${visible(ruleText(rule))}`];
  return [`    ${verdict} ${visible(message)} [${id}]`, ...place];
}

function ruleText({ list, text, layer, file, line }: RuleOrigin): string {
  const place = file === null ? `${layer} settings` : `${file}${line === null ? '' : `:${line}`}`;
  return `${list} ${text} (${place})`;
}

export function drawCoverage({ total, unhit }: Coverage, { colors }: Terminal): string[] {
  if (total === 0) return ['coverage: the settings have no rules'];
  const summary = `coverage: ${total - unhit.length} of ${total} rules were hit`;
  if (unhit.length === 0) return [colors.green(summary)];
  return [colors.yellow(summary), ...unhit.map((rule) => `  never hit: ${visible(ruleText(rule))}`)];
}

export function reportJson(outcomes: readonly Outcome[], coverage: Coverage | null): string {
  const failed = outcomes.filter(({ failure }) => failure !== null).length;
  return toLine({
    schemaVersion: SCHEMA_VERSION,
    passed: outcomes.length - failed,
    failed,
    results: outcomes.map(({ file, fixture, verdict, failure }) => ({
      file,
      line: fixture.line,
      command: fixture.command,
      expect: fixture.expect,
      ...defined({ because: fixture.because }),
      verdict: verdict.decision,
      failure,
      findings: verdict.findings,
    })),
    ...(coverage === null ? {} : { coverage }),
  });
}

export function problemsJson(problems: readonly (Problem & { readonly file: string })[]): string {
  return toLine({ schemaVersion: SCHEMA_VERSION, problems });
}
