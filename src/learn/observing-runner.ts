// A runner that observes every command that it starts, through the keeper, and keeps what was seen, within limits.
// Refuses to start unconfined commands: outside of the sandbox there is nothing to learn and no protection.

import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { ConfinementSpec } from '../confine/port.ts';
import { HardshellError } from '../core/errors.ts';
import type { ObservedOperation, RefusedOperation, RunEvent, Runner } from '../run/port.ts';

export interface Observation {
  readonly operation: ObservedOperation | RefusedOperation;
  readonly target: string;
}

export interface Watch {
  /** The confinement of the command; null if none was started. */
  spec: ConfinementSpec | null;
  /** By the file system clock. */
  startedAtMs: number;
  readonly seen: Observation[];
  /** Protected names that were created and removed again. */
  readonly undone: string[];
  untold: number;
  /** Why it was not started. */
  refused: HardshellError | null;
}

export interface Watching {
  readonly observe: NonNullable<ConfinementSpec['observe']>;
  /** Sockets that are open for this run, in addition to those of the settings. */
  readonly sockets: readonly string[];
}

/** Without sockets of its own, attempts of a command fail before they name a path. A list with one that does not exist shows them. */
const NO_SOCKET = '/nonexistent/hardshell-learn.sock';
const MAX_SEEN = 10_000;

export class ObservingRunner implements Runner {
  readonly #inner: Runner;
  #watch: Watch = newWatch();
  #watching: Watching = { observe: 'all', sockets: [] };

  constructor(inner: Runner) {
    this.#inner = inner;
  }

  /** The next command is observed into the returned watch. */
  watch(watching: Watching): Watch {
    this.#watching = watching;
    this.#watch = newWatch();
    return this.#watch;
  }

  start(...[request, listener]: Parameters<Runner['start']>): ReturnType<Runner['start']> {
    // Only commands keep output: a start without an output file is the sandbox testing itself.
    if (request.spool === undefined) return this.#inner.start(request, listener);
    const watch = this.#watch;
    if (request.confinement === undefined) {
      watch.refused = new HardshellError('cannot-start', 'This command would run where it cannot be observed.', {
        hint: 'Only the keeper observes, in its own sandbox: look at sandbox.backend and sandbox.excludedCommands in `hardshell config show`, and at `hardshell doctor`.',
      });
      throw watch.refused;
    }
    const confinement = this.#observed(request.confinement);
    watch.spec = confinement;
    watch.startedAtMs = clockOfFiles(`${request.spool.path}.clock`);
    return this.#inner.start({ ...request, confinement }, (event) => {
      note(watch, event);
      return listener?.(event);
    });
  }

  guarantees(): ReturnType<Runner['guarantees']> {
    return this.#inner.guarantees();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #observed({ reports, ...planned }: ConfinementSpec): ConfinementSpec {
    const { observe, sockets } = this.#watching;
    // Every change is observed already, whether it is refused or not.
    const spec: ConfinementSpec = reports === undefined ? planned : { ...planned, reports: 'contacts' };
    if (spec.unixSockets === 'any') return { ...spec, observe };
    const hidden = spec.unixSockets === 'pairs' ? [NO_SOCKET] : [];
    const unixPaths = [...new Set([...(spec.unixPaths ?? []), ...sockets, ...hidden])];
    return { ...spec, observe, ...(unixPaths.length > 0 && { unixPaths }) };
  }
}

/** The file system clock advances in steps, behind the process clock: only times of the same clock can be compared. */
function clockOfFiles(path: string): number {
  writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  try {
    return statSync(path).ctimeMs;
  } finally {
    rmSync(path);
  }
}

function newWatch(): Watch {
  return { spec: null, startedAtMs: 0, seen: [], undone: [], untold: 0, refused: null };
}

function note(watch: Watch, event: RunEvent): void {
  switch (event.type) {
    case 'observed':
    case 'refusal':
      if (watch.seen.length < MAX_SEEN) watch.seen.push({ operation: event.operation, target: event.target });
      else watch.untold++;
      break;
    case 'undone':
      if (watch.undone.length < MAX_SEEN) watch.undone.push(event.path);
      break;
    case 'untold':
      watch.untold += event.count;
      break;
    default:
  }
}
