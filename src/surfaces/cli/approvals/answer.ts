// `hardshell approve` and `hardshell deny`: a code → an answer to the process that asks.
// Refuses to approve from inside a command that hardshell runs. That guards against mistakes; the sandbox hides the key.

import {
  type AnswerReport,
  answerPending,
  HardshellError,
  type ListedApproval,
  listPending,
  type Reply,
} from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import { describeAnswer, describeOne } from './answer-text.ts';
import type { AnswerOptions } from './options.ts';

/** No open question has that code, or it was answered differently. */
const NOT_DONE = 1;
const CODE = /^[a-z0-9]{4,40}(?:@[0-9]+-[a-z0-9]+)?$/i;

export async function approve(code: string, options: AnswerOptions): Promise<number> {
  refuseInside();
  checkCode(code);
  const { scope = 'once' } = options;
  if (scope === 'once' && options.rule !== undefined) {
    throw new HardshellError('usage', '--rule needs a scope.', { hint: 'Add --scope session, project or user.' });
  }
  const rule = scope === 'once' ? null : (options.rule ?? (await findSuggestion(code, scope)));
  return send(code, { verdict: 'allow', scope, rule }, options);
}

export async function deny(code: string, options: AnswerOptions): Promise<number> {
  checkCode(code);
  return send(code, { verdict: 'deny', reason: options.reason ?? null }, options);
}

function refuseInside(): void {
  if (!process.env.HARDSHELL) return;
  throw new HardshellError('usage', 'A command that hardshell runs cannot approve commands.', {
    hint: 'Run hardshell approve in your own terminal.',
  });
}

function checkCode(code: string): void {
  if (CODE.test(code.trim())) return;
  throw new HardshellError('usage', `No pending command has the code ${code}.`, {
    hint: 'hardshell pending lists the codes, like k7mw.',
  });
}

/** The only suggested rule. With several or none, the user must choose. */
async function findSuggestion(code: string, scope: string): Promise<string | null> {
  const wanted = code.trim().toLowerCase();
  const { pending } = await listPending();
  const rules = new Set(
    pending
      .filter((one) => one.code === wanted || one.longCode === wanted)
      .flatMap(({ request }) => request.suggestions),
  );
  if (rules.size > 1) {
    throw new HardshellError('usage', `Several rules are suggested: ${[...rules].join(', ')}.`, {
      hint: `Choose one: hardshell approve ${wanted} --scope ${scope} --rule 'RULE'`,
    });
  }
  const [rule = null] = rules;
  return rule;
}

async function send(code: string, reply: Reply, options: AnswerOptions): Promise<number> {
  const report = await answerPending(code, reply, { by: 'cli' });
  const exitCode = exitCodeOf(report, reply);
  if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...report }));
  const text = describeReport(code, report, reply);
  const stream = exitCode === EXIT.ok && !options.json ? process.stdout : process.stderr;
  if (!options.json || exitCode !== EXIT.ok) stream.write(exitCode === EXIT.ok ? text : `hardshell: ${text}`);
  return exitCode;
}

function exitCodeOf(report: AnswerReport, reply: Reply): number {
  switch (report.status) {
    case 'accepted':
      return EXIT.ok;
    case 'already-answered':
      // A requested scope that was not applied is an error.
      return report.answer.verdict === reply.verdict && report.answer.scope === (reply.scope ?? 'once')
        ? EXIT.ok
        : NOT_DONE;
    case 'unknown-code':
      return NOT_DONE;
    case 'ambiguous':
    case 'refused':
      return EXIT.badInput;
    default:
      return report satisfies never;
  }
}

function describeReport(code: string, report: AnswerReport, reply: Reply): string {
  switch (report.status) {
    case 'accepted': {
      const problem = report.problem === null ? '' : `${visible(report.problem)}\n`;
      return `${describeAnswer(report.answer)}\n${problem}`;
    }
    case 'already-answered': {
      const same = report.answer.verdict === reply.verdict ? 'already' : 'already, and differently';
      return `${visible(code)} was answered ${same}: ${describeAnswer(report.answer)}\n`;
    }
    case 'unknown-code':
      return `No open question has the code ${visible(code)}.\n${describeOthers(report.pending)}${problems(report.problems)}`;
    case 'ambiguous':
      return `Several processes use this code. Give the long form:\n${report.candidates
        .map((one) => `  ${one.longCode}  ${describeOne(one)}\n`)
        .join('')}`;
    case 'refused':
      return `${visible(report.problem)}\n  The command is still waiting.\n`;
    default:
      return report satisfies never;
  }
}

function describeOthers(pending: readonly ListedApproval[]): string {
  if (pending.length === 0) return '  No commands are waiting for approval.\n';
  return `  Waiting for approval:\n${pending.map((one) => `  ${one.code}  ${describeOne(one)}\n`).join('')}`;
}

function problems(list: readonly string[]): string {
  return list.map((problem) => `  ${visible(problem)}\n`).join('');
}
