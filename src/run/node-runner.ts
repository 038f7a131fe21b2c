// The same port on Node's own spawn, for machines without the keeper. It promises less, and `guarantees` says what.
// Refuses what it cannot do: background tasks that outlive the host.

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { HardshellError } from '../core/errors.ts';
import { type KeptOutput, MemoryOutput, type OutputStream } from './output.ts';
import type {
  EndCause,
  Guarantee,
  RunEvent,
  RunExit,
  RunHandle,
  RunListener,
  Runner,
  RunRequest,
  RunStarted,
} from './port.ts';
import { openSpool } from './spool.ts';
import { SpoolWriter } from './spool-writer.ts';

const MEMORY_BYTES = 64 << 10;
const DEFAULT_GRACE_MS = 1000;
const DEFAULT_LINGER_MS = 250;
/** A file descriptor held open by a process outside of the group must not block this. */
const CLOSE_WAIT_MS = 200;

class NodeTask implements RunHandle {
  readonly started: Promise<RunStarted>;
  readonly done: Promise<RunExit>;
  readonly #request: RunRequest;
  readonly #listener: RunListener | undefined;
  readonly #child: ChildProcess;
  readonly #memory = new MemoryOutput(MEMORY_BYTES);
  readonly #spool: SpoolWriter | null;
  readonly #counts = { stdout: 0, stderr: 0 };
  readonly #timers = new Set<NodeJS.Timeout>();
  #cause: EndCause = 'none';
  #spoolError: string | null = null;
  #leftoversKilled = 0;
  #hasLeftovers = false;
  #isInputOpen: boolean;

  constructor(request: RunRequest, listener: RunListener | undefined) {
    this.#request = request;
    this.#listener = listener;
    this.#spool = request.spool === undefined ? null : new SpoolWriter(request.spool, request.streams === 'split');
    const [argv0 = request.program, ...args] = request.argv;
    const began = performance.now();
    const stdin = request.stdin === undefined ? 'ignore' : 'pipe';
    const stdio = [stdin, 'pipe', 'pipe'] as const;
    this.#child = spawn(request.program, args, {
      argv0,
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: [...stdio],
    });
    this.#isInputOpen = request.stdin === 'open';
    this.#child.stdin?.on('error', () => {});
    this.#child.stdin?.on('close', () => {
      this.#isInputOpen = false;
    });
    if (request.stdin instanceof Uint8Array) this.#child.stdin?.end(request.stdin);
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#take('stdout', bytes));
    this.#child.stderr?.on('data', (bytes: Buffer) => this.#take('stderr', bytes));
    if (request.timeoutMs !== undefined && request.timeoutMs > 0)
      this.#after(request.timeoutMs, () => this.#end('timeout', request.graceMs ?? DEFAULT_GRACE_MS));
    this.started = new Promise((resolve, reject) => {
      this.#child.once('error', (cause) => reject(startError(request, cause)));
      this.#child.once('spawn', () => {
        const pid = this.#child.pid as number;
        const started = {
          pid,
          firstPid: pid,
          supervisorPid: null,
          startedAtMs: Date.now(),
          cgroup: [],
          hasProcessLimit: false,
        };
        this.#emit({ type: 'started', ...started });
        resolve(started);
      });
    });
    this.started.catch(() => {});
    this.done = this.#finish(began);
  }

  kill({ graceMs = this.#request.graceMs ?? DEFAULT_GRACE_MS }: { graceMs?: number } = {}): void {
    this.#end('cancelled', graceMs);
  }

  signal(signal: number): void {
    this.#signalGroup(signal);
  }

  write(bytes: Uint8Array): Promise<boolean> {
    if (!this.#isInputOpen) return Promise.resolve(false);
    return new Promise((resolve) => this.#child.stdin?.write(bytes, (error) => resolve(error == null)));
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** It has no background tasks. */
  noteProxy(): void {}

  detach(): void {
    throw new HardshellError('cannot-start', 'without the keeper no command outlives its host');
  }

  async peek(): Promise<KeptOutput> {
    const path = this.#request.spool?.path;
    if (path === undefined || this.#spool === null || !this.#memory.isFull) return this.#memory.peek();
    try {
      this.#spool.publish();
      return await openSpool(path);
    } catch {
      // It has ended, or the disk is full.
      return this.#memory.peek();
    }
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }

  #emit(event: RunEvent): void {
    const wait = this.#listener?.(event);
    if (wait === undefined) return;
    const streams = [this.#child.stdout, this.#child.stderr];
    if (event.type === 'output') for (const stream of streams) stream?.pause();
    const goOn = () => {
      if (event.type === 'output') for (const stream of streams) stream?.resume();
    };
    wait.then(goOn, goOn);
  }

  #take(source: OutputStream, bytes: Buffer): void {
    const stream = this.#request.streams === 'split' ? source : 'stdout';
    const offset = this.#counts.stdout + this.#counts.stderr;
    this.#counts[stream] += bytes.length;
    this.#memory.add(stream, offset, bytes);
    try {
      if (this.#spoolError === null) this.#spool?.write(stream, bytes);
    } catch (error) {
      this.#spoolError = (error as NodeJS.ErrnoException).code ?? 'EIO';
      this.#violate('disk', 0, offset + bytes.length);
    }
    this.#emit({ type: 'output', stream, offset, bytes });
    const limit = this.#request.limits?.outputBytes;
    if (limit === undefined || offset + bytes.length <= limit) return;
    this.#violate('output-limit', limit, offset + bytes.length);
    // Also if the last output is read after the command has ended.
    if (this.#cause === 'none') this.#cause = 'output-limit';
  }

  #violate(cause: EndCause, limit: number, seen: number): void {
    if (this.#cause !== 'none') return;
    this.#emit({ type: 'violation', cause, limit, seen });
    this.#end(cause, this.#request.graceMs ?? DEFAULT_GRACE_MS);
  }

  #signalGroup(signal: number): boolean {
    try {
      return this.#child.pid !== undefined && process.kill(-this.#child.pid, signal);
    } catch {
      return false;
    }
  }

  #end(cause: EndCause, graceMs: number): void {
    if (this.#cause === 'none' && this.#child.exitCode === null) this.#cause = cause;
    if (graceMs > 0) this.#signalGroup(constants.signals.SIGTERM);
    if (graceMs > 0) this.#after(graceMs, () => this.#signalGroup(constants.signals.SIGKILL));
    else this.#signalGroup(constants.signals.SIGKILL);
  }

  // The group exists as long as any member does, so its number cannot be reused while this answers.
  async #endLeftovers(closed: Promise<unknown>): Promise<void> {
    const { leftovers = 'kill', lingerMs = DEFAULT_LINGER_MS, graceMs = DEFAULT_GRACE_MS } = this.#request;
    if (leftovers === 'wait') return void (await closed);
    if (!this.#signalGroup(0) || leftovers === 'leave') {
      this.#hasLeftovers = leftovers === 'leave' && this.#signalGroup(0);
    } else if (!(await this.#untilGroupEnds(lingerMs))) {
      this.#leftoversKilled = 1;
      this.#signalGroup(constants.signals.SIGTERM);
      if (!(await this.#untilGroupEnds(graceMs))) this.#signalGroup(constants.signals.SIGKILL);
    }
    await Promise.race([closed, this.#pause(CLOSE_WAIT_MS)]);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#after(ms, resolve));
  }

  async #untilGroupEnds(ms: number): Promise<boolean> {
    for (const deadline = performance.now() + ms; this.#signalGroup(0); await this.#pause(10))
      if (performance.now() >= deadline) return false;
    return true;
  }

  async #finish(began: number): Promise<RunExit> {
    try {
      const closed = new Promise((resolve) => this.#child.once('close', resolve));
      const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
        this.started.catch(reject);
        this.#child.once('exit', (code, name) => resolve([code, name]));
      });
      await this.#endLeftovers(closed);
      const { stdout, stderr } = this.#counts;
      let output: KeptOutput = this.#memory.finish(stdout, stderr);
      this.#spool?.finish();
      if (this.#request.spool !== undefined) output = await openSpool(this.#request.spool.path);
      return {
        exitCode,
        signal: signal === null ? null : constants.signals[signal],
        cause: this.#cause,
        wallMs: performance.now() - began,
        userMs: null,
        systemMs: null,
        peakMemoryBytes: null,
        memoryMeasure: null,
        readBytes: null,
        writeBytes: null,
        startedProcesses: null,
        peakProcesses: null,
        uncheckedMs: null,
        leftoversKilled: this.#leftoversKilled,
        hasLeftovers: this.#hasLeftovers,
        output,
        spoolError: this.#spoolError,
      };
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#isInputOpen = false;
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
      this.#spool?.close();
    }
  }
}

function startError(request: RunRequest, cause: Error): HardshellError {
  const code = (cause as NodeJS.ErrnoException).code ?? cause.message;
  return new HardshellError('cannot-start', `cannot start ${request.program} in ${request.cwd}: ${code}`, { cause });
}

const MISSING: Readonly<Record<string, string>> = {
  'whole-tree-ends': 'only the process group is ended: a process that leaves it with setsid continues',
  'ends-with-host': 'a host that is killed cannot end its commands',
  'background-survives-host': 'commands are children of the host',
  'output-survives-host': 'output passes through the host',
  'real-pipes': 'Node uses sockets: `> /dev/stderr` fails, and the order of the streams is lost',
  'process-limits': 'Node cannot set resource limits',
  'usage-measured': 'Node does not report what a child used',
  'hard-memory-limit': 'no cgroup is used',
  'hard-process-limit': 'no cgroup is used',
  'hard-cpu-limit': 'no cgroup is used',
};

export class NodeRunner implements Runner {
  readonly #tasks = new Set<NodeTask>();

  start(request: RunRequest, listener?: RunListener): RunHandle {
    if (request.background === true)
      throw new HardshellError('missing-dependency', 'Without the keeper, commands cannot run in the background.', {
        hint: 'Install a C compiler and run `npm run build`.',
      });
    if (request.confinement !== undefined)
      throw new HardshellError('missing-dependency', 'Without the keeper, commands cannot be confined.', {
        hint: 'Install a C compiler and run `npm run build`, or use the sandbox `unrestricted`.',
      });
    const task = new NodeTask(request, listener);
    this.#tasks.add(task);
    const forget = () => this.#tasks.delete(task);
    task.done.then(forget, forget);
    return task;
  }

  async guarantees(): Promise<readonly Guarantee[]> {
    return Object.entries(MISSING).map(([name, why]) => ({ name, isHeld: false, why }));
  }

  async close(): Promise<void> {
    const tasks = [...this.#tasks];
    for (const task of tasks) task.kill({ graceMs: 0 });
    await Promise.allSettled(tasks.map((task) => task.done));
  }
}
