// Questions of the broker → the client whose call caused them. A client that cannot show a form leaves them to other
// terminals, for as long as it and the command can wait; so does one that answers before a person could have read the question.
// A question is never shown to a client other than the one that caused it.

import type { GiveAnswer, GiveUp, PendingApproval, Surface } from '../../../host.ts';
import { type ApprovalForm, createForm, readForm } from './form.ts';
import type { RuleKeeping } from './keeping.ts';

/**
 * No person reads and answers a question sooner: reacting to a flash of light with a key press alone takes 200 ms. Clients
 * that run without a user (`claude -p`, `codex exec`) answer forms automatically, in less than 100 ms.
 */
const SOONEST_ANSWER_MS = 300;

/** A call in which a question may come up. */
export interface Asker {
  readonly canShowForms: boolean;
  /** Until when the client waits for an answer, in milliseconds since 1970. */
  readonly patientUntil: number;
  tell(message: string): void;
  /** The client's answer to the form; rejects if it cannot show one. */
  showForm(form: ApprovalForm, signal: AbortSignal): Promise<unknown>;
}

export interface McpSurface extends Surface {
  /** Until the end of `work`, questions of this caller go through `asker`. */
  during<Result>(caller: string, asker: Asker, work: () => Promise<Result>): Promise<Result>;
}

export interface McpSurfaceOptions {
  /** Whether other terminals can see the question. */
  readonly canBeAnsweredElsewhere: () => Promise<boolean>;
  readonly describe: (pending: PendingApproval) => RuleKeeping;
}

export function createMcpSurface({ canBeAnsweredElsewhere, describe }: McpSurfaceOptions): McpSurface {
  const askers = new Map<string, Asker>();
  const open = new Map<string, AbortController>();

  async function present(pending: PendingApproval, answer: GiveAnswer, giveUp: GiveUp): Promise<void> {
    const asker = askers.get(pending.request.caller ?? '');
    if (asker === undefined) throw new Error('the client of the question has disconnected');
    const withdrawn = new AbortController();
    open.set(pending.code, withdrawn);
    const form = asker.canShowForms ? createForm(pending, describe(pending)) : null;
    let hasAnsweredItself = false;
    if (form !== null) {
      asker.tell('Waiting for approval.');
      const shownAt = performance.now();
      try {
        const said = await asker.showForm(form, withdrawn.signal);
        hasAnsweredItself = performance.now() - shownAt < SOONEST_ANSWER_MS;
        if (!hasAnsweredItself) {
          const receipt = await answer(readForm(form, said));
          if (receipt.status === 'accepted' && receipt.problem !== null) asker.tell(receipt.problem);
          return;
        }
      } catch {
        // The client cannot show it, or the question was answered in another place.
        if (withdrawn.signal.aborted) return;
      }
    }
    if (cannotWait(pending)) return giveUp(CANNOT_WAIT);
    if (!(await canBeAnsweredElsewhere())) {
      open.delete(pending.code);
      throw new Error(
        `${hasAnsweredItself ? ANSWERS_ITSELF : 'the client cannot ask'}, and no other terminal can answer`,
      );
    }
    if (withdrawn.signal.aborted) return;
    asker.tell(`Waiting for approval from another terminal: hardshell approve ${pending.code}`);
    const timer = setTimeout(
      () => giveUp(describeSilence(pending, hasAnsweredItself)),
      Math.max(0, asker.patientUntil - Date.now()),
    );
    withdrawn.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  return {
    name: 'mcp',
    present,
    withdraw(code) {
      open.get(code)?.abort();
      open.delete(code);
    },
    async during(caller, asker, work) {
      askers.set(caller, asker);
      try {
        return await work();
      } finally {
        askers.delete(caller);
      }
    },
  };
}

/** Profiles whose documents end a command after its timeout: waiting for a connection would use it up. */
const HOLDING_TIMEOUT: ReadonlySet<string | null> = new Set(['layered', 'req']);
const CANNOT_WAIT =
  'The client cannot show the question, and the running command cannot wait for another terminal. Ask the user to allow the host, then try again.';

/** A question about a connection of a command that runs; others are asked before the command starts. */
function cannotWait({ request }: PendingApproval): boolean {
  return HOLDING_TIMEOUT.has(request.profile) && request.findings.some(({ id }) => id === 'network-host');
}

const ANSWERS_ITSELF = 'the client answered faster than a person can read the question, so the answer was ignored';

/** The model reads this. */
function describeSilence({ askedAt }: PendingApproval, hasAnsweredItself: boolean): string {
  const seconds = Math.round((Date.now() - askedAt) / 1_000);
  const why = hasAnsweredItself ? ` ${ANSWERS_ITSELF.charAt(0).toUpperCase()}${ANSWERS_ITSELF.slice(1)}.` : '';
  return `No one answered within ${seconds} s.${why} Ask the user to run \`hardshell pending --watch\` in a terminal, then try again.`;
}
