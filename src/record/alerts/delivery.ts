// Alerts, one after the other → the webhook, each until it is delivered or out of attempts. The queue is bounded:
// dropped alerts are counted, and the least severe are dropped first.

import { SEVERITIES } from '../../core/verdict.ts';
import type { Alert } from './alert.ts';
import type { Attempt, attemptDelivery } from './attempt.ts';
import type { Webhook } from './webhook.ts';

export interface DeliveryCounts {
  delivered: number;
  /** Attempts after the first one. */
  retried: number;
  /** Given up: refused by the server, or out of attempts. */
  failed: number;
  /** The queue was full. */
  dropped: number;
}

export class Delivery {
  readonly counts: DeliveryCounts = { delivered: 0, retried: 0, failed: 0, dropped: 0 };
  readonly #webhook: Webhook;
  readonly #onProblem: (message: string, alert: Alert) => void;
  readonly #queue: Alert[] = [];
  /** Alerts that were neither delivered nor given up when it was closed. */
  readonly #left: Alert[] = [];
  #attempt: Attempt | null = null;
  #wake: (() => void) | null = null;
  #working: Promise<void> | null = null;
  #isDelivering = false;
  #isClosing = false;
  #isOver = false;

  constructor(webhook: Webhook, onProblem: (message: string, alert: Alert) => void) {
    this.#webhook = webhook;
    this.#onProblem = onProblem;
  }

  get queued(): number {
    return this.#queue.length + (this.#isDelivering ? 1 : 0);
  }

  offer(alert: Alert): void {
    if (this.#isClosing) {
      this.counts.dropped += 1;
      return;
    }
    this.#queue.push(alert);
    if (this.#queue.length > this.#webhook.queueSize) this.#drop();
    this.#working ??= this.#work();
  }

  /** The newest of the least severe: the first signs of an attack are worth more than the thousandth. */
  #drop(): void {
    const rank = ({ severity }: Alert) => SEVERITIES.indexOf(severity);
    const least = this.#queue.map(rank).reduce((lowest, each) => Math.min(lowest, each));
    const index = this.#queue.findLastIndex((alert) => rank(alert) === least);
    this.#queue.splice(index, 1);
    this.counts.dropped += 1;
  }

  /** Queued alerts are tried once more, at once, and those never tried twice; undelivered ones are returned. */
  async close(withinMs: number): Promise<readonly Alert[]> {
    this.#isClosing = true;
    this.#wake?.();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([this.#working, late]);
    clearTimeout(timer);
    this.#isOver = true;
    this.#attempt?.abandon();
    await this.#working;
    return [...this.#left, ...this.#queue.splice(0)];
  }

  async #work(): Promise<void> {
    // Loaded late: loading https takes longer than most of this program. The caller does not wait for it.
    const { attemptDelivery: attempt } = await import('./attempt.ts');
    for (let alert = this.#queue.shift(); alert !== undefined; alert = this.#queue.shift()) {
      this.#isDelivering = true;
      await this.#deliver(alert, attempt);
      this.#isDelivering = false;
    }
    this.#working = null;
  }

  async #deliver(alert: Alert, begin: typeof attemptDelivery): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isOver) {
        this.#left.push(alert);
        return;
      }
      const wasClosing = this.#isClosing;
      if (attempt > 1) this.counts.retried += 1;
      this.#attempt = begin(this.#webhook, alert);
      const outcome = await this.#attempt.outcome;
      this.#attempt = null;
      if (outcome.kind === 'delivered') {
        this.counts.delivered += 1;
        return;
      }
      if (outcome.kind === 'never' || attempt >= this.#webhook.maxAttempts) {
        this.counts.failed += 1;
        // The path of the URL may be a secret.
        const { origin } = this.#webhook.url;
        this.#onProblem(`An alert could not be delivered to ${origin}: ${outcome.why}.`, alert);
        return;
      }
      if ((wasClosing && attempt > 1) || this.#isOver) {
        this.#left.push(alert);
        return;
      }
      const { firstDelay, longestDelay } = this.#webhook;
      await this.#pause(delayBefore(attempt, { firstDelay, longestDelay }, outcome.retryAfterMs, Math.random()));
    }
  }

  /** Does not keep the process alive; ends at once when it is being closed. */
  #pause(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The delay after this many attempts. Half of it is random, so that many senders do not retry at the same moment. */
export function delayBefore(
  attempts: number,
  { firstDelay, longestDelay }: Pick<Webhook, 'firstDelay' | 'longestDelay'>,
  retryAfterMs: number | null,
  chance: number,
): number {
  const whole = Math.min(longestDelay, firstDelay * 2 ** Math.min(attempts - 1, 30));
  return Math.max(whole / 2 + (whole / 2) * chance, Math.min(retryAfterMs ?? 0, longestDelay));
}
