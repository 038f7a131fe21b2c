// Answers to questions, and their results.

import { signal } from '@preact/signals';
import type { AnsweredBy, Approval } from '../wire.ts';
import { call, messageOf } from './connection.ts';
import { isAnswer, tellAnswerer } from './parts/badges.tsx';
import { plainOutput } from './parts/command-text.tsx';
import { isSettled, notice, settle } from './state.ts';

export interface Choice {
  readonly scope: 'once' | 'session' | 'project' | 'user';
  readonly rule: string | null;
}

const MAX_NAME = 60;
const ONCE: Choice = { scope: 'once', rule: null };
const choices = signal<Readonly<Record<string, Choice>>>({});

export function choiceOf({ longCode }: Approval): Choice {
  return choices.value[longCode] ?? ONCE;
}

export function setChoice({ longCode }: Approval, choice: Choice): void {
  choices.value = { ...choices.value, [longCode]: choice };
}

type Report =
  | { readonly status: 'accepted'; readonly problem: string | null }
  | { readonly status: 'already-answered'; readonly answer: { readonly verdict: string; readonly by: AnsweredBy } }
  | { readonly status: 'refused'; readonly problem: string }
  | { readonly status: 'unknown-code' | 'ambiguous' };

export async function answer(approval: Approval, verdict: 'allow' | 'deny'): Promise<void> {
  if (!isSettled.value) {
    notice.value = 'The list has just moved, so this was ignored. Check, and answer again.';
    return;
  }
  isSettled.value = false;
  const { scope, rule } = choiceOf(approval);
  const how = verdict === 'deny' ? {} : scope === 'once' ? { scope } : { scope, rule };
  try {
    const report = await call<Report>('answer', { code: approval.longCode, verdict, ...how });
    notice.value = describe(report, approval, verdict);
  } catch (error) {
    notice.value = messageOf(error);
  } finally {
    // The next question may have moved into its place before we are told.
    settle();
  }
}

function describe(report: Report, { request }: Approval, verdict: 'allow' | 'deny'): string {
  const name = shorten(request.command);
  switch (report.status) {
    case 'accepted': {
      const said = verdict === 'allow' ? 'Allowed' : 'Denied';
      return report.problem === null ? `${said}: ${name}` : `${said}: ${name}. ${report.problem}`;
    }
    case 'already-answered':
      return `${describeOther(report.answer)}: ${name}`;
    case 'refused':
      return `Not answered: ${name}. ${report.problem}`;
    default:
      return `No longer waiting: ${name}`;
  }
}

function describeOther({ verdict, by }: { readonly verdict: string; readonly by: AnsweredBy }): string {
  return isAnswer(by) ? `Already ${tellAnswerer(by)} (${verdict})` : `No longer waiting (${tellAnswerer(by)})`;
}

/** The first line, short enough for a notice. */
function shorten(command: string): string {
  const [first = ''] = plainOutput(command.trim()).split('\n', 1);
  const isWhole = first === command.trim() && first.length <= MAX_NAME;
  return isWhole ? first : `${first.slice(0, MAX_NAME)} …`;
}
