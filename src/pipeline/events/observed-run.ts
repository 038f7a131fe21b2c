// The steps of one request → all observers of the tool. A step for which an observer throws does not happen.

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
import { describeError } from '../../core/values/error-text.ts';

/** A required observer could not be told of a step: the step does not happen. */
export class Unrecorded extends Error {}

export class ObservedRun {
  readonly #observers: readonly ShellObserver[];
  readonly #request: ObservedRequest;
  readonly #onProblem: (error: unknown) => void;
  /** Events while the command runs are reported in order. */
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
        // Each await lets other work run first, so synchronous observers are not awaited.
        const told = step(observer);
        if (told !== undefined) await told;
      }
    } catch (cause) {
      throw new Unrecorded(describeError(cause), { cause });
    }
  }

  /** It has already happened: if an observer fails, the error is reported, and the command continues. */
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
