// Reports of the runner while a command runs → events for listeners, for the sandbox, and details of the run.

import { readFileSync } from 'node:fs';
import { isSecretName } from '../../core/names/secret-names.ts';
import type { RunDetails, RunResult } from '../../core/running.ts';
import type { RunEvent, RunListener, RunStarted } from '../../run/port.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Violation } from '../failures.ts';
import type { Launch } from '../launch.ts';
import { LiveText } from '../output/live-text.ts';
import type { Run } from '../run.ts';
import { describeUsage } from '../usage.ts';
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

  /** Buffered text is sent before the status. */
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
        const usage = describeUsage(event.usage, this.#sandbox.traffic());
        return this.#feed.emit({ ...event, usage });
      }
      case 'violation': {
        const { cause, limit, seen } = event;
        this.violation = { limit, seen };
        return this.#feed.emit({ type: 'error', message: `The command exceeded a limit: ${cause}.`, violation: cause });
      }
    }
  }
}

/** Optional parts of a result: parent, observed children, environment. */
class DetailKeeper {
  readonly #children = new Set<number>();

  /** Called periodically while the command runs. */
  look(pid: number): void {
    try {
      const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
      for (const child of text.split(' ')) if (child !== '') this.#children.add(Number(child));
    } catch {
      // It has ended, or the system does not provide this.
    }
  }

  of({ supervisorPid }: RunStarted, env: Readonly<Record<string, string>>): RunDetails {
    return {
      parentPid: supervisorPid ?? process.pid,
      environment: Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, isSecretName(name) ? '(not shown)' : value]),
      ),
      childPids: [...this.#children].sort((a, b) => a - b),
    };
  }
}
