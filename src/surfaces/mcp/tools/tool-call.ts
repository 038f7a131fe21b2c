// One call of a tool, which may outlive the request that started it: a client of the newer protocol is answered with a
// question and comes back with the answer. The request that waits for it now is its link; without one it waits for the next.

import type { ToolAnswer } from '../../../host.ts';
import type { ApprovalForm } from '../approval/form.ts';
import type { Asker } from '../approval/mcp-surface.ts';
import { createProgress, type Progress, type SendProgress } from './progress.ts';

/** The request of a client that waits for the call. */
export interface Link {
  readonly request: string | number;
  readonly signal: AbortSignal;
  readonly sendProgress: SendProgress | null;
  /** Asks the client while it waits; `null`: the question must be the answer. */
  readonly elicit: ((form: ApprovalForm, signal: AbortSignal) => Promise<unknown>) | null;
}

export interface CallTerms {
  readonly canShowForms: boolean;
  readonly answerWithinMs: number;
}

interface OpenQuestion {
  readonly form: ApprovalForm;
  readonly settle: (said: unknown) => void;
}

type Step =
  | { readonly kind: 'answer'; readonly answer: ToolAnswer }
  | { readonly kind: 'question'; readonly form: ApprovalForm };

export class ToolCall implements Asker {
  readonly canShowForms: boolean;
  readonly patientUntil: number;
  readonly #abort = new AbortController();
  readonly #finished: Promise<ToolAnswer>;
  readonly #progress: Progress | null;
  #link: Link | null;
  #question: OpenQuestion | null = null;
  #wake: () => void = () => {};

  constructor(link: Link, terms: CallTerms, work: (call: ToolCall) => Promise<ToolAnswer>) {
    this.canShowForms = terms.canShowForms;
    this.patientUntil = Date.now() + terms.answerWithinMs;
    this.#link = link;
    // Events have a cost: without a listener, none are requested.
    this.#progress =
      link.sendProgress === null ? null : createProgress((progress) => this.#link?.sendProgress?.(progress));
    this.#finished = work(this).finally(() => this.#progress?.close());
    this.#finished.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Id of the request that waits for it now. */
  get request(): string | number | null {
    return this.#link?.request ?? null;
  }

  get onEvent(): Progress['onEvent'] | undefined {
    return this.#progress?.onEvent;
  }

  abort(): void {
    this.#abort.abort();
  }

  /** Settles when the call has ended, however it did. */
  async ended(): Promise<void> {
    await this.#finished.catch(() => {});
  }

  /** Waits, on behalf of a request, for the end of the call or for a question that the client must answer first. */
  async wait(link: Link): Promise<Step> {
    this.#link = link;
    const cancel = (): void => this.abort();
    if (link.signal.aborted) cancel();
    link.signal.addEventListener('abort', cancel);
    try {
      const asked = new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#question !== null) resolve();
      });
      const answer = await Promise.race([this.#finished, asked.then(() => null)]);
      if (answer !== null) return { kind: 'answer', answer };
      // It may have been answered in another place since.
      if (this.#question === null) return await this.wait(link);
      return { kind: 'question', form: this.#question.form };
    } finally {
      link.signal.removeEventListener('abort', cancel);
      if (this.#link === link) this.#link = null;
    }
  }

  /** The answer with which the client came back. */
  receive(said: unknown): void {
    this.#question?.settle(said);
    this.#question = null;
  }

  tell(message: string): void {
    this.#progress?.tell(message);
  }

  showForm(form: ApprovalForm, signal: AbortSignal): Promise<unknown> {
    const elicit = this.#link?.elicit;
    if (elicit) return elicit(form, signal);
    return new Promise((resolve, reject) => {
      this.#question = { form, settle: resolve };
      signal.addEventListener('abort', () => {
        this.#question = null;
        reject(new Error('answered in another place'));
      });
      this.#wake();
    });
  }
}
