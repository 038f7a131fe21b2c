// One task as its host sees it: frames → events, promises, and credit for consumed output.

import type { Server } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { HardshellError } from '../../core/errors.ts';
import { readProcessStart } from '../../local/processes.ts';
import { type KeptOutput, MemoryOutput } from '../output.ts';
import type { RunEvent, RunExit, RunHandle, RunListener, RunRequest, RunStarted } from '../port.ts';
import { openSpool } from '../spool.ts';
import { AnswerWatch } from './answers.ts';
import {
  decodeExposed,
  decodeObserved,
  decodeRefusal,
  decodeStaged,
  decodeTraced,
  decodeUndone,
} from './confinement-reports.ts';
import { type KeeperConnection, type TaskChannel, withResolvers } from './connection.ts';
import { encodeFrame, type Frame, type OutputPiece } from './frames.ts';
import { InputQueue } from './input.ts';
import {
  CREDIT_BYTES,
  decodeError,
  decodeInput,
  decodeStarted,
  decodeViolation,
  encodeCredit,
  encodeKill,
  encodeListening,
  encodeProxy,
  encodeSignal,
  encodeStart,
  IN,
  INLINE_BYTES,
  OUT,
} from './messages.ts';
import { ProxyListener } from './proxy-listener.ts';
import { decodeExit, decodeResource } from './usage-messages.ts';

/** Larger input follows the request in chunks. */
const MAX_INITIAL_INPUT = 256 << 10;
const DEFAULT_GRACE_MS = 1000;

/** Of Linux; Node has no name for it. */
const ETOOMANYREFS = 109;
const IN_FLIGHT = 'programs of this user have too many file descriptors in flight between processes (ETOOMANYREFS)';

export class KeeperTask implements RunHandle, TaskChannel {
  readonly #connection: KeeperConnection;
  readonly #id: number;
  readonly #request: RunRequest;
  readonly #listener: RunListener | undefined;
  /** A listener wants live output. */
  readonly #isHeard: boolean;
  readonly #memory = new MemoryOutput(INLINE_BYTES);
  readonly #started = withResolvers<RunStarted>();
  readonly #done = withResolvers<RunExit>();
  readonly #input: InputQueue;
  readonly #proxy: ProxyListener;
  readonly #watch: AnswerWatch;
  #consumed = 0;
  #supervisor: number | null = null;

  constructor(connection: KeeperConnection, id: number, request: RunRequest, listener: RunListener | undefined) {
    this.#connection = connection;
    this.#id = id;
    this.#request = request;
    this.#listener = listener;
    // Callers that await `done` get the failed start there.
    this.#started.promise.catch(() => {});
    const { stdin } = request;
    const isLarge = stdin instanceof Uint8Array && stdin.length > MAX_INITIAL_INPUT;
    this.#input = new InputQueue(
      stdin === 'open' || isLarge,
      (bytes) => connection.send(encodeFrame(IN.stdin, id, bytes)),
      () => connection.send(encodeFrame(IN.stdinEnd, id)),
    );
    // No listener: only what the handle itself keeps has to be sent, and there is no one to wait for.
    this.#isHeard = listener !== undefined && request.isQuiet !== true;
    const isPaced = this.#isHeard && request.isPaced === true;
    const credit = !this.#isHeard ? INLINE_BYTES : CREDIT_BYTES;
    const frame = encodeStart(id, { ...request, isPaced, ...(isLarge ? { stdin: 'open' } : {}) }, credit);
    this.#proxy = new ProxyListener(request, (isReady) => connection.send(encodeListening(id, isReady)));
    this.#watch = new AnswerWatch(connection, id);
    if (request.timeoutMs !== undefined) this.#watch.begin(request.timeoutMs);
    connection.add(id, this);
    connection.send(frame);
    if (!isLarge) return;
    this.#input.write(stdin);
    this.#input.end();
  }

  get started(): Promise<RunStarted> {
    return this.#started.promise;
  }

  get done(): Promise<RunExit> {
    return this.#done.promise;
  }

  kill({ graceMs = this.#request.graceMs ?? DEFAULT_GRACE_MS }: { graceMs?: number } = {}): void {
    this.#connection.send(encodeKill(this.#id, graceMs));
    this.#watch.begin(0);
  }

  signal(signal: number): void {
    this.#connection.send(encodeSignal(this.#id, signal));
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return this.#input.write(bytes);
  }

  endInput(): void {
    this.#input.end();
  }

  detach(): void {
    this.#connection.send(encodeFrame(IN.detach, this.#id));
  }

  noteProxy(pid: number): void {
    const start = readProcessStart(pid);
    if (start !== null && start !== 'ended') this.#connection.send(encodeProxy(this.#id, pid, start));
  }

  async peek(): Promise<KeptOutput> {
    const path = this.#request.spool?.path;
    // Up to here everything was sent; longer output is in the file, which the supervisor then creates.
    if (path === undefined || !this.#memory.isFull) return this.#memory.peek();
    return openSpool(path).catch(() => this.#memory.peek());
  }

  onFrame({ type, payload }: Frame): void {
    switch (type) {
      case OUT.started: {
        const started = decodeStarted(payload);
        this.#supervisor = started.supervisorPid;
        if (started.supervisorPid !== null) this.#connection.claim(started.supervisorPid);
        this.#watch.know(started.supervisorPid, started.firstPid);
        this.#started.resolve(started);
        return this.#emit({ type: 'started', ...started });
      }
      case OUT.resource:
        return this.#emit(decodeResource(payload));
      case OUT.violation:
        return this.#emit(decodeViolation(payload));
      case OUT.refusal:
        return this.#emit(decodeRefusal(payload));
      case OUT.observed:
        return this.#emit(decodeObserved(payload));
      case OUT.undone:
        return this.#emit(decodeUndone(payload));
      case OUT.pong:
        return this.#watch.answer();
      case OUT.exposed:
        return this.#emit(decodeExposed(payload));
      case OUT.traced:
        return this.#emit(decodeTraced(payload));
      case OUT.staged:
        return this.#emit(decodeStaged(payload));
      case OUT.stdin:
        return this.#takeInput(decodeInput(payload));
      case OUT.exit:
        return void this.#finish(payload);
      case OUT.error:
        return this.#fail(payload);
    }
  }

  onOutput({ stream: number, offset, bytes }: OutputPiece): void {
    const stream = number === 1 ? 'stderr' : 'stdout';
    this.#memory.add(stream, offset, bytes);
    if (!this.#isHeard) return;
    const wait = this.#listener?.({ type: 'output', stream, offset, bytes });
    const consumed = () => this.#grant(bytes.length);
    if (wait === undefined) consumed();
    else wait.then(consumed, consumed);
  }

  onListener(server: Server): void {
    this.#proxy.take(server);
  }

  onLost(reason: string): void {
    const isStarted = this.#supervisor !== null;
    const isSurvivor = this.#request.background === true && isStarted;
    if (!isSurvivor) {
      this.#watch.sweep();
      this.#tellUnsearched();
    }
    const what = isSurvivor
      ? 'the task continues; see its record and its output file for the result'
      : 'the command was ended with it';
    const when = isStarted ? 'running' : 'starting';
    this.#reject(new HardshellError('runner-lost', `${reason} while the command was ${when}; ${what}`));
  }

  /** The process that searches writable folders for the command's leftovers is gone. */
  #tellUnsearched(): void {
    const { swept = [], sweptInPart = [] } = this.#request.confinement ?? {};
    for (const path of [...swept, ...sweptInPart])
      this.#emit({ type: 'unsearched', path, why: 'the searching process was killed' });
  }

  #emit(event: RunEvent): void {
    const wait = this.#listener?.(event);
    if (wait !== undefined) wait.catch(() => {});
  }

  // Credit is returned in large steps: one small frame per megabyte, not per chunk.
  #grant(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < CREDIT_BYTES / 4) return;
    this.#connection.send(encodeCredit(this.#id, this.#consumed));
    this.#consumed = 0;
  }

  #takeInput({ takenBytes, isClosed }: { takenBytes: number; isClosed: boolean }): void {
    this.#input.take(takenBytes);
    if (isClosed) this.#input.close();
  }

  #end(): void {
    this.#connection.remove(this.#id);
    this.#watch.end();
    this.#input.close();
  }

  #reject(error: HardshellError): void {
    this.#end();
    if (this.#supervisor !== null) this.#connection.release(this.#supervisor);
    this.#started.reject(error);
    this.#done.reject(error);
  }

  #fail(payload: Buffer): void {
    const { code, step, errno, message } = decodeError(payload);
    const name = errno === ETOOMANYREFS ? 'ETOOMANYREFS' : errno > 0 ? getSystemErrorName(-errno) : null;
    const { program, cwd, spool } = this.#request;
    if (code === 'supervisor') {
      this.#tellUnsearched();
      this.#reject(new HardshellError('runner-lost', this.#watch.reason ?? message));
    } else if (code === 'init') this.#reject(new HardshellError('runner-lost', message));
    else if (code === 'request')
      this.#reject(new HardshellError('invalid-argument', `the keeper refused the request: ${message}`));
    else if (code === 'spool')
      this.#reject(new HardshellError('cannot-start', `cannot create the output file ${spool?.path}: ${name}`));
    else {
      // The keeper names the step of the confinement that failed; probes read it from the cause.
      const failure = this.#proxy.failure;
      if (failure !== null)
        return this.#reject(
          new HardshellError('cannot-start', `cannot start ${program}: ${(failure as Error).message}`, {
            cause: failure,
          }),
        );
      if (errno === ETOOMANYREFS)
        return this.#reject(
          new HardshellError('cannot-start', `cannot start ${program}: ${IN_FLIGHT}`, {
            hint: 'End the program that sends descriptors and does not receive them, or raise the limit of open files.',
            ...(step === 'confinement' && { cause: { failed: message, error: name } }),
          }),
        );
      if (message.startsWith('127.0.0.1:'))
        return this.#reject(
          new HardshellError('cannot-start', `cannot start ${program}: cannot listen on ${message}: ${name}`, {
            cause: { failed: 'listeners', error: name },
          }),
        );
      if (step === 'confinement')
        return this.#reject(
          new HardshellError('cannot-start', `cannot start ${program}: ${name} for the confinement's ${message}`, {
            cause: { failed: message, error: name },
          }),
        );
      const what = step === 'program' ? program : step === 'folder' ? `the folder ${cwd}` : `the command's ${step}`;
      this.#reject(new HardshellError('cannot-start', `cannot start ${program}: ${name} for ${what}`));
    }
  }

  async #finish(payload: Buffer): Promise<void> {
    const { spoolErrno, isSpooled, stdoutBytes, stderrBytes, headBytes, tailBytes, ...exit } = decodeExit(payload);
    this.#end();
    if (this.#supervisor !== null && !exit.hasLeftovers) this.#connection.release(this.#supervisor);
    let output: KeptOutput = this.#memory.finish(stdoutBytes, stderrBytes);
    const path = this.#request.spool?.path;
    if (isSpooled && path !== undefined) {
      try {
        output = await openSpool(path);
      } catch (error) {
        if (!(error instanceof HardshellError)) return this.#done.reject(error);
      }
    }
    this.#done.resolve({ ...exit, output, spoolError: spoolErrno > 0 ? getSystemErrorName(-spoolErrno) : null });
  }
}
