// Text for a running task → null if it may be written, or the reason why not.
// A shell that waits for input would run it: the task's command is checked with all of its input as a here-document.
// The attack: a command in two halves, or a `cd` first. So earlier input is checked with it.

import type { CommandClass, Facts } from '../../core/facts.ts';
import type { TaskInfo } from '../../core/running.ts';
import { askTheUser } from '../../core/values/refusal-advice.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Calling } from '../profile.ts';
import { describeFindings } from '../shared/wording.ts';

const KEY = 'task-input';

export async function judgeInput(task: TaskInfo, text: string, calling: Calling): Promise<readonly string[] | null> {
  const { shell, session, state } = calling;
  const said = task.description === null ? {} : { description: task.description };
  const options = session.complete({ cwd: task.cwd, ...said });
  const isRun = followsItsInput(shell.check(task.command, options).facts);
  const written = writtenTo(state);
  const all = isRun ? (written.get(task.id) ?? '') + text : text;
  const whole = withInput(task.command, all);
  const refuse = ({ verdict }: { readonly verdict: Verdict }) =>
    verdict.decision === 'deny'
      ? ['It would be denied as a command:', ...describeFindings(verdict), askTheUser(verdict)]
      : null;
  if (!isRun) return refuse(shell.check(whole, options));
  // Recorded like a command, because it will run.
  const asked = await shell.permit(whole, options);
  const refusal = refuse(asked);
  if (refusal !== null) return refusal;
  const reason = asked.answer?.reason ?? null;
  if (!asked.isAllowed)
    return [
      'It needed approval:',
      ...describeFindings(asked.verdict),
      ...(reason === null ? [] : [reason]),
      askTheUser(asked.verdict),
    ];
  written.set(task.id, all);
  return null;
}

function writtenTo(state: Map<string, unknown>): Map<string, string> {
  const known = state.get(KEY);
  if (known instanceof Map) return known;
  const fresh = new Map<string, string>();
  state.set(KEY, fresh);
  return fresh;
}

const MAY_RUN: ReadonlySet<CommandClass> = new Set(['execute', 'privilege', 'unknown']);

/** Whether its input may control what it runs or, as with `xargs rm`, what it acts on. When in doubt, yes. */
function followsItsInput({ status, class: kind, effects, commands }: Facts): boolean {
  return (
    status === 'cannot-tell' ||
    MAY_RUN.has(kind) ||
    effects.unknown.length > 0 ||
    effects.executes.length > 0 ||
    commands.some(({ argv }) => argv.includes(null))
  );
}

const PLAIN = /^[\w@%+=:,./ -]+$/;

/** As a here-document, whose text is not expanded. A command that is more than plain words is wrapped in a group. */
function withInput(command: string, input: string): string {
  let end = 'HARDSHELL_INPUT';
  while (input.includes(end)) end += '_';
  const body = input === '' || input.endsWith('\n') ? input : `${input}\n`;
  const head = PLAIN.test(command) ? `${command} <<'${end}'` : `{ ${command}\n} <<'${end}'`;
  return `${head}\n${body}${end}`;
}
