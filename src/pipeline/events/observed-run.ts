// The steps of one request → everybody who watches the tool. A step that somebody throws at does not happen.

import type { Answer } from '../../core/approval.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import type {
  ObservedOperation,
  ObservedRequest,
  ObservedStart,
  ObservedVerdict,
  ShellObserver,
} from '../../core/observer.ts';
import type { RunResult } from '../../core/running.ts';

/** Somebody who must know of a step could not be told: the step does not happen. */
export class Unrecorded extends Error {}

export class ObservedRun {
  readonly #observers: readonly ShellObserver[];
  readonly #request: ObservedRequest;
  readonly #onProblem: (error: unknown) => void;
  /** What comes while the command runs is told in its order. */
  #told: Promise<void> = Promise.resolve();

  constructor(observers: readonly ShellObserver[], request: ObservedRequest, onProblem: (error: unknown) => void) {
    this.#observers = observers;
    this.#request = request;
    this.#onProblem = onProblem;
  }

  verdict({ facts, verdict, elapsedMs }: Required<ObservedVerdict>): Promise<void> {
    return this.#tell((observer) => observer.onVerdict?.(this.#request, { facts, verdict, elapsedMs }));
  }

  async answer(answer: Answer | null): Promise<void> {
    if (answer !== null) await this.#tell((observer) => observer.onAnswer?.(this.#request, answer));
  }

  start(started: ObservedStart): Promise<void> {
    return this.#tell((observer) => observer.onStart?.(this.#request, started));
  }

  async #tell(step: (observer: ShellObserver) => void | Promise<void>): Promise<void> {
    try {
      for (const observer of this.#observers) {
        // Each wait lets everything else go first: who is done at once is not waited for.
        const told = step(observer);
        if (told !== undefined) await told;
      }
    } catch (cause) {
      throw new Unrecorded(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  /** It has happened already: who cannot take it is told of the problem, and the command goes on. */
  violation(violation: SandboxViolation): void {
    this.#tellLater((observer) => observer.onViolation?.(this.#request, violation));
  }

  operation(operation: ObservedOperation): void {
    this.#tellLater((observer) => observer.onOperation?.(this.#request, operation));
  }

  #tellLater(step: (observer: ShellObserver) => void | Promise<void>): void {
    for (const observer of this.#observers)
      this.#told = this.#told.then(() => step(observer)).catch((error) => this.#onProblem(error));
  }

  async end(result: RunResult): Promise<void> {
    await this.#told;
    for (const observer of this.#observers) {
      try {
        await observer.onEnd?.(this.#request, result);
      } catch (error) {
        this.#onProblem(error);
      }
    }
  }
}
