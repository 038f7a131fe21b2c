// Open questions of all processes of this user, kept current, and a way to answer them.

import { type AnswerReport, answerPending, type ListedApproval, type Reply, watchPending } from '../../../host.ts';
import { Refused } from '../refused.ts';

const MAX_PROBLEMS = 5;

export class Approvals {
  readonly #pending = new Map<string, ListedApproval>();
  readonly #over = new AbortController();
  readonly #watching: Promise<void>;
  #problems: readonly string[] = [];

  constructor(onChange: () => void) {
    this.#watching = watchPending(
      (event) => {
        if (event.is === 'pending') this.#pending.set(event.approval.longCode, event.approval);
        else if (event.is === 'answered') this.#pending.delete(`${event.code}@${event.host.name}`);
        else if (event.is === 'problem') this.#problems = [event.message, ...this.#problems].slice(0, MAX_PROBLEMS);
        else
          for (const [code, { host }] of this.#pending) if (host.path === event.host.path) this.#pending.delete(code);
        onChange();
      },
      { signal: this.#over.signal },
    );
    // For example, a folder that is not private: nothing can be answered then, and the page says why.
    this.#watching.catch((error: Error) => {
      this.#problems = [error.message];
      onChange();
    });
  }

  /** Oldest first. */
  get pending(): readonly ListedApproval[] {
    return [...this.#pending.values()].sort((a, b) => a.askedAt - b.askedAt);
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  find(longCode: string): ListedApproval | null {
    return this.#pending.get(longCode) ?? null;
  }

  async answer(body: Readonly<Record<string, unknown>>): Promise<AnswerReport> {
    const { code, verdict, scope, rule, reason } = body;
    if (typeof code !== 'string' || !code.includes('@')) throw new Refused(400, 'Name the question by its long code.');
    if (verdict !== 'allow' && verdict !== 'deny') throw new Refused(400, 'The verdict must be "allow" or "deny".');
    // The host that asked checks scope and rule: here they are only passed on.
    const reply = {
      verdict,
      ...(scope === undefined ? {} : { scope }),
      ...(rule === undefined ? {} : { rule }),
      ...(reason === undefined ? {} : { reason }),
    } as Reply;
    return answerPending(code, reply, { by: 'dashboard' });
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#watching.catch(() => {});
  }
}
