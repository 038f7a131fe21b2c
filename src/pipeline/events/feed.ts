// Events of one run → listeners, in order, numbered. A slow listener delays the next event.

import type { ShellEvent } from '../../core/running.ts';

type Listener = (event: ShellEvent) => void | Promise<void>;
export type Listeners = readonly (Listener | undefined)[];
/** Without the fields that the feed adds. */
export type EventBody = ShellEvent extends infer Each
  ? Each extends ShellEvent
    ? Omit<Each, 'task' | 'sequence' | 'time'>
    : never
  : never;

export class EventFeed {
  readonly #task: string;
  readonly #listeners: readonly Listener[];
  #sequence = 0;
  #tail: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  /** Called once, if a listener has thrown. */
  onFailure: () => void = () => {};

  constructor(task: string, listeners: Listeners) {
    this.#task = task;
    this.#listeners = listeners.filter((listener) => listener !== undefined);
  }

  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  /** A promise if a listener is not ready for more. */
  emit(body: EventBody): void | Promise<void> {
    const event = { task: this.#task, sequence: this.#sequence, time: Date.now(), ...body } as ShellEvent;
    this.#sequence += 1;
    if (this.#failure !== null || this.#listeners.length === 0) return;
    if (this.#tail !== null) return this.#hold(this.#tail.then(() => this.#tell(event)));
    const wait = this.#tell(event);
    if (wait !== undefined) return this.#hold(wait);
  }

  /** Resolves when all events were delivered; throws if a listener has thrown. */
  async finish(): Promise<void> {
    while (this.#tail !== null) await this.#tail;
    if (this.#failure !== null) throw this.#failure.error;
  }

  #tell(event: ShellEvent): void | Promise<void> {
    if (this.#failure !== null) return;
    try {
      const waits = this.#listeners.map((listen) => listen(event)).filter((wait) => wait !== undefined);
      if (waits.length > 0)
        return Promise.all(waits).then(
          () => {},
          (error) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  #hold(wait: Promise<void>): Promise<void> {
    const tail = wait.then(() => {
      if (this.#tail === tail) this.#tail = null;
    });
    this.#tail = tail;
    return tail;
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = { error };
    this.onFailure();
  }
}
