// A command line of hardshell inside the test's own process: the entry that bin/hardshell.js starts, with streams, variables
// and a folder of its own. For tests of what a verb answers; starting, signals, pipes and terminals need the real program.

import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { main } from '../src/surfaces/cli/main.ts';
import { type CliProcess, setProcess } from '../src/surfaces/cli/process.ts';
import { runPlain } from '../src/surfaces/cli/verbs/plain.ts';

export interface VerbOptions {
  readonly input?: string | Buffer;
  /** All variables that the command line sees. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Standard output and standard error are a terminal. */
  readonly isTerminal?: boolean;
}

export interface VerbResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/** One at a time: variables and the current folder belong to the whole process. */
export function runVerb(args: readonly string[], options: VerbOptions = {}): Promise<VerbResult> {
  const result = last.then(() => runNow(args, options));
  last = result.catch(() => {});
  return result;
}

async function runNow(args: readonly string[], options: VerbOptions): Promise<VerbResult> {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const inner = new InnerProcess(options);
  try {
    if (options.cwd !== undefined) process.chdir(options.cwd);
    if (options.env !== undefined) replaceVariables(options.env);
    setProcess(inner as unknown as CliProcess);
    await Promise.race([start(args), inner.exited]);
    return inner.end(args[0]);
  } finally {
    setProcess(process);
    replaceVariables(before.env);
    process.chdir(before.cwd);
  }
}

/** As bin/hardshell.js chooses. */
async function start(args: readonly string[]): Promise<void> {
  const [verb, word = ''] = args;
  const isPlain =
    (args.length === 2 || (args.length === 3 && args[2] === '--confine')) &&
    (verb === 'check' || verb === 'hook') &&
    !word.startsWith('-');
  if (!isPlain || (await runPlain(args)) === null) await main(args);
}

function replaceVariables(wanted: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) process.env[name] = value;
}

class InnerProcess extends EventEmitter {
  readonly argv = process.argv;
  readonly env = process.env;
  readonly execPath = process.execPath;
  readonly hrtime = process.hrtime;
  readonly pid = process.pid;
  readonly platform = process.platform;
  readonly cwd = process.cwd;
  readonly stdin: Readable;
  readonly stdout: Collector;
  readonly stderr: Collector;
  readonly exited: Promise<void>;
  exitCode: number | undefined;
  #leave: () => void = () => {};

  constructor({ input = '', isTerminal = false }: VerbOptions) {
    super();
    this.stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
    this.stdout = new Collector(isTerminal);
    this.stderr = new Collector(isTerminal);
    this.exited = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  readonly exit = (code = this.exitCode): never => {
    this.exitCode = code;
    this.#leave();
    // Nothing after it may go on.
    throw new Error('the command line has ended');
  };

  end(verb: string | undefined): VerbResult {
    this.emit('exit', this.exitCode ?? 0);
    const code = this.exitCode ?? 0;
    // bin/hardshell.js: agents read 2 as a refusal, and any other failure of a hook as no opinion.
    return {
      status: verb === 'hook' && code !== 0 ? 2 : code,
      stdout: this.stdout.text(),
      stderr: this.stderr.text(),
    };
  }
}

class Collector extends Writable {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(isTTY: boolean) {
    super({ decodeStrings: true });
    this.isTTY = isTTY;
    this.columns = isTTY ? 80 : undefined;
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
