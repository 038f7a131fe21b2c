// `explain_command`: what a command would do, and its verdict. Runs nothing and asks no questions.

import type { CommandFact, PathEffect } from '../../core/facts.ts';
import { insteadForModel } from '../../core/values/refusal-advice.ts';
import type { Calling, ProfileTool, ToolAnswer } from '../profile.ts';
import { answer, createTool, ONLY_LOOKS, objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { shown } from '../shared/surroundings.ts';
import { describeFindings, describePlace } from '../shared/wording.ts';

const list = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const SHOWN = 20;
const LABELS = { reads: 'Reads', writes: 'Writes', deletes: 'Deletes', network: 'Contacts' } as const;

export const EXPLAIN_COMMAND: ProfileTool = createTool({
  name: 'explain_command',
  title: 'Explain a command without running it',
  inputSchema: objectSchema({ command: { type: 'string', minLength: 1, description: 'The command.' } }, ['command']),
  outputSchema: objectSchema({
    verdict: { type: 'string', enum: ['allow', 'ask', 'deny'] },
    risk: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
    read_only: { type: 'boolean' },
    understood: { type: 'boolean', description: 'false: it may do more than listed here' },
    unclear: list('why it is not certain'),
    commands: { type: 'array', items: { type: 'object' }, description: 'all commands that would run' },
    reads: list('files that it reads'),
    writes: list('files that it writes'),
    deletes: list('files that it deletes'),
    network: list('hosts that it contacts'),
    findings: { type: 'array', items: { type: 'object' } },
    error: { type: 'string' },
  }),
  annotations: ONLY_LOOKS,
  describe: ({ cwd }) =>
    `Says what a command would run, read, write, delete and contact if it were run in ${shown(cwd)}, and whether it would be allowed, need approval or be denied, and why. It runs nothing.`,
  perform: explain,
  refuse: (problem) => answer(problem, { error: problem }, true),
});

async function explain({ command }: Fields, { shell, session }: Calling): Promise<ToolAnswer> {
  const { facts, verdict } = shell.check(command as string, session.complete());
  const { effects } = facts;
  const groups = {
    reads: effects.reads.map(pathOf),
    writes: effects.writes.map(pathOf),
    deletes: effects.deletes.map(pathOf),
    network: effects.network.map(({ host, port }) => `${host ?? 'some host'}${port === undefined ? '' : `:${port}`}`),
  };
  const unclear = [...facts.reasons.map(({ message }) => message), ...effects.unknown];
  const said =
    verdict.decision === 'allow' ? 'would run' : verdict.decision === 'ask' ? 'would need approval' : 'would be denied';
  const lines = [
    `It ${said} (risk: ${verdict.risk}${verdict.readOnly ? ', read-only' : ''}).`,
    ...describeFindings(verdict),
    `Runs: ${shorten(facts.commands.map(nameOf)) || 'nothing'}`,
    ...Object.entries(groups).flatMap(([name, each]) =>
      each.length === 0 ? [] : [`${LABELS[name as keyof typeof groups]}: ${shorten(each)}`],
    ),
    ...(unclear.length === 0 ? [] : [`Not certain: ${shorten(unclear)}`]),
  ];
  return answer(lines.join('\n'), {
    verdict: verdict.decision,
    risk: verdict.risk,
    read_only: verdict.readOnly,
    understood: facts.status === 'understood',
    unclear,
    commands: facts.commands.map(({ argv, class: kind, via, readOnly, summary }) => ({
      words: [...argv],
      class: kind,
      via: [...via],
      read_only: readOnly,
      summary,
    })),
    ...groups,
    findings: verdict.findings.map(({ id, verdict: each, severity, message, instead, rule }) => ({
      id,
      verdict: each,
      severity,
      message,
      instead: insteadForModel({ id, instead }),
      rule: rule === null ? null : { text: rule.text, at: describePlace(rule) },
    })),
  });
}

const pathOf = ({ path, recursive }: PathEffect) => `${path ?? 'some file'}${recursive ? ' and below' : ''}`;
const nameOf = ({ argv, kind }: CommandFact) =>
  kind === 'redirect' ? '(a redirect)' : argv.map((word) => word ?? '…').join(' ');

function shorten(all: readonly string[]): string {
  const more = all.length - SHOWN;
  return `${all.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
