// The state of one client: a folder that follows `cd`, a name to which answers apply, its calls and its tasks.
// Ends with all of its foreground commands; tasks continue.

import { randomUUID } from 'node:crypto';
import { defined, MAX_TIMER_MS } from '../../../host/values.ts';
import type { ProfileTool, ShellSession, ToolAnswer } from '../../../host.ts';
import type { Host } from '../host.ts';
import { type Link, ToolCall } from './tool-call.ts';

/** How long after its question the result of a call is kept for a client that has not come back. */
const KEPT_MS = 60_000;
const MAX_CALLS = 256;

interface Parked {
  readonly call: ToolCall;
  readonly asked: string;
  readonly timer: NodeJS.Timeout;
}

export class Conversation {
  readonly host: Host;
  readonly session: ShellSession;
  /** State that tools keep for later calls. */
  readonly #state = new Map<string, unknown>();
  readonly #calls = new Set<ToolCall>();
  readonly #parked = new Map<string, Parked>();

  constructor(host: Host, cwd: string) {
    this.host = host;
    this.session = host.openSession(cwd, randomUUID());
  }

  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  /** `null`: it already has too many calls. */
  begin(tool: ProfileTool, input: unknown, link: Link, canShowForms: boolean): ToolCall | null {
    if (this.#calls.size >= MAX_CALLS) return null;
    const { answerWithinMs, surface } = this.host;
    const caller = randomUUID();
    const work = (call: ToolCall): Promise<ToolAnswer> =>
      surface.during(caller, call, () =>
        tool.call(input, {
          shell: this.host.shell,
          session: this.session.with({ caller }),
          state: this.#state,
          changes: this.host.openChanges(this.session),
          signal: call.signal,
          answerWithin: answerWithinMs,
          ...defined({ onEvent: call.onEvent }),
        }),
      );
    const call: ToolCall = new ToolCall(link, { canShowForms, answerWithinMs }, async (each) => {
      // Not before the call is registered here: it may end at once.
      await null;
      return work(each);
    });
    this.#calls.add(call);
    void call.ended().then(() => this.#calls.delete(call));
    return call;
  }

  /** Keeps a call whose client will come back; the key cannot be guessed, and works once. `asked`: the requested call. */
  park(call: ToolCall, asked: string, deadline: number): string {
    const key = randomUUID();
    const forget = (): void => {
      this.#parked.delete(key);
      call.abort();
    };
    const timer = setTimeout(forget, Math.min(deadline - Date.now() + KEPT_MS, MAX_TIMER_MS));
    timer.unref();
    this.#parked.set(key, { call, asked, timer });
    return key;
  }

  resume(key: string, asked: string): ToolCall | null {
    const parked = this.#parked.get(key);
    // An answer to one question must not be used for another call.
    if (parked === undefined || parked.asked !== asked) return null;
    clearTimeout(parked.timer);
    this.#parked.delete(key);
    return parked.call;
  }

  /** Ends the calls of these requests. */
  abandon(requests: readonly unknown[]): void {
    for (const call of this.#calls) if (requests.includes(call.request)) call.abort();
  }

  async close(): Promise<void> {
    for (const { call, timer } of this.#parked.values()) {
      clearTimeout(timer);
      call.abort();
    }
    this.#parked.clear();
    const calls = [...this.#calls];
    for (const call of calls) call.abort();
    await Promise.all(calls.map((call) => call.ended()));
    this.host.closeSession(this.session.id);
  }
}
