// Reports of the runner while a command runs → events for listeners, for the sandbox, and details of the run.

import type { RunResult } from '../../core/running.ts';
import type { RunEvent, RunListener, RunStarted } from '../../run/port.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Violation } from '../failures.ts';
import type { Launch } from '../launch.ts';
import { LiveText } from '../output/live-text.ts';
import type { Run } from '../run.ts';
import { DetailKeeper } from './details.ts';
import type { EventFeed } from './feed.ts';

export class EventBridge {
  readonly #feed: EventFeed;
  readonly #text: LiveText;
  readonly #sandbox: Sandbox;
  readonly #env: Readonly<Record<string, string>>;
  readonly #details: DetailKeeper | null;
  #pid = 0;
  /** Undefined without listeners: then nothing needs to be sent. */
  readonly listener: RunListener | undefined;
  violation: Violation | null = null;
  #isOpen = true;

  constructor({ feed, terms }: Run, launch: Launch) {
    this.#feed = feed;
    this.#text = new LiveText({ stripAnsi: terms.output.stripAnsi });
    this.#env = launch.request.env;
    this.#details = terms.output.wantsDetails ? new DetailKeeper() : null;
    const { sandbox } = launch;
    this.#sandbox = sandbox;
    const isWatched = Object.keys(launch.limits).length > 0 || sandbox.enforcement.tier !== 'none';
    this.listener = feed.isHeard || isWatched ? (event) => this.#hear(event) : undefined;
  }

  details(started: RunStarted): Pick<RunResult, 'details'> {
    return this.#details === null ? {} : { details: this.#details.of(started, this.#env) };
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Text that was held back comes before the status. */
  finish(): void {
    for (const { stream, ...piece } of this.#text.end()) this.#feed.emit({ type: stream, ...piece });
    this.close();
  }

  #hear(event: RunEvent): void | Promise<void> {
    this.#sandbox.hear(event);
    if (!this.#isOpen) return;
    switch (event.type) {
      case 'started':
        this.#pid = event.pid;
        return this.#feed.emit({ type: 'status', status: 'started', pid: event.pid });
      case 'output': {
        if (!this.#feed.isHeard) return;
        this.#details?.look(this.#pid);
        const piece = this.#text.push(event.stream, event.offset, event.bytes);
        if (piece === null) return;
        const { stream, ...rest } = piece;
        return this.#feed.emit({ type: stream, ...rest });
      }
      case 'resource': {
        this.#details?.look(this.#pid);
        const { elapsedMs, cpuPercent, memoryBytes, processes, outputBytes } = event;
        return this.#feed.emit({ type: 'resource', elapsedMs, cpuPercent, memoryBytes, processes, outputBytes });
      }
      case 'violation': {
        const { cause, limit, seen } = event;
        this.violation = { limit, seen };
        return this.#feed.emit({ type: 'error', message: `The command exceeded a limit: ${cause}.`, violation: cause });
      }
    }
  }
}
