// A session, kept by the caller: the folder after the last `cd`, and a name to which answers apply. The tool keeps neither.

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type {
  CompleteRunOptions,
  RunContext,
  RunOptions,
  RunResult,
  SessionOptions,
  ShellSession,
  ShellTool,
} from '../core/running.ts';
import { joinOptions } from './call-options.ts';

/** Adds what the tool was made with. */
type Complete = (options: RunOptions) => CompleteRunOptions;

export function createSession(tool: ShellTool, context: RunContext, complete: Complete): ShellSession {
  return new Session(tool, context, complete);
}

class Session implements ShellSession {
  readonly id: string;
  readonly #tool: ShellTool;
  readonly #context: RunContext;
  readonly #complete: Complete;
  readonly originalCwd: string;
  #cwd: string;

  constructor(tool: ShellTool, context: RunContext, complete: Complete) {
    const { cwd, originalCwd = cwd, session = randomUUID() } = complete(context);
    this.id = session;
    this.originalCwd = originalCwd;
    this.#tool = tool;
    this.#complete = complete;
    this.#context = { ...context, originalCwd, session };
    this.#cwd = cwd;
  }

  get cwd(): string {
    return this.#cwd;
  }

  async run(command: string, options: SessionOptions = {}): Promise<RunResult> {
    const isBack = this.#leaveVanished(options);
    const result = this.#follow(await this.#tool.run(command, this.#request(options)), options);
    return isBack && result.cwdCause === 'kept' ? { ...result, cwdCause: 'vanished' } : result;
  }

  stream(command: string, options: SessionOptions = {}): ReturnType<ShellTool['stream']> {
    this.#leaveVanished(options);
    const stream = this.#tool.stream(command, this.#request(options));
    // A failure of the stream is reported to its reader.
    stream.result.then((result) => this.#follow(result, options)).catch(() => {});
    return stream;
  }

  async start(command: string, options: SessionOptions = {}): Promise<RunResult> {
    this.#leaveVanished(options);
    return this.#withOwnFolder(await this.#tool.start(command, this.#request(options)), options);
  }

  with(always: SessionOptions): ShellSession {
    const session = this;
    return {
      id: this.id,
      originalCwd: this.originalCwd,
      get cwd() {
        return session.cwd;
      },
      with: (more) => session.with(joinOptions(always, more)),
      complete: (options = {}) => session.complete(joinOptions(always, options)),
      run: (command, options = {}) => session.run(command, joinOptions(always, options)),
      stream: (command, options = {}) => session.stream(command, joinOptions(always, options)),
      start: (command, options = {}) => session.start(command, joinOptions(always, options)),
    };
  }

  complete(options: SessionOptions = {}): CompleteRunOptions {
    return this.#complete(this.#request(options));
  }

  /** A folder that was deleted since the last command: the session goes back to where it started. */
  #leaveVanished({ cwd }: SessionOptions): boolean {
    if (cwd !== undefined || this.#cwd === this.originalCwd || isFolder(this.#cwd)) return false;
    this.#cwd = this.originalCwd;
    return true;
  }

  #request(options: SessionOptions): RunOptions {
    // Restrictions of the session apply to each of its commands, whatever is added to it.
    return { ...joinOptions(this.#context, options), cwd: options.cwd ?? this.#cwd };
  }

  /** Only a command that changed the folder counts: a parallel one that did not must not move the session back. */
  #follow(result: RunResult, options: SessionOptions): RunResult {
    if (result.cwdCause !== 'kept' && options.cwd === undefined) this.#cwd = result.cwd;
    return this.#withOwnFolder(result, options);
  }

  /** The folder that was given for one command does not exist: the session has not moved. */
  #withOwnFolder(result: RunResult, { cwd }: SessionOptions): RunResult {
    if (cwd === undefined || result.failure?.type !== 'working_directory_invalid') return result;
    return { ...result, cwd: this.#cwd, cwdCause: 'kept' };
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
