// Who can answer a question of this process: the terminal, and other terminals through the socket.
// Nothing is opened before the first question. Without a terminal a question is denied at once, unless it should wait.

import { homedir } from 'node:os';
import {
  type Broker,
  createBroker,
  HardshellError,
  headlineOf,
  openApprovalSocket,
  type PendingApproval,
  SETTINGS_VALIDATORS,
  type Surface,
  saveAnswer,
} from '../../../host.ts';
import { noteChange } from '../config/record.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';

export interface People {
  readonly broker: Broker;
  /** Releases the terminal and removes the socket; open questions are denied. */
  close(): Promise<void>;
}

export interface PeopleOptions {
  readonly cwd: string;
  readonly color: boolean;
  /** Without a terminal, a question waits for another terminal to answer. */
  readonly waits: boolean;
}

export function gatherPeople(options: PeopleOptions): People {
  const { cwd } = options;
  const broker = createBroker({
    saveRule: (scope, rule) =>
      saveAnswer(scope, rule, { ...SETTINGS_VALIDATORS, cwd, home: homedir() }, ({ change, ...where }) =>
        noteChange(change, { ...where, cwd }),
      ),
    onProblem: (message) => process.stderr.write(`hardshell: ${visible(message)}\n`),
  });
  const closers: (() => void | Promise<void>)[] = [() => broker.close()];
  let opening: Promise<boolean> | null = null;

  async function open(): Promise<boolean> {
    const hasSocket = await openSocket(broker, closers);
    if (!hasTerminal) return hasSocket;
    const { terminalSurface } = await import('./prompt.ts');
    const terminal = terminalSurface({ color: options.color, onInterrupt: interruptUs });
    closers.push(broker.attach(terminal), () => terminal.close());
    return true;
  }

  const hasTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  // A placeholder until the first question; the broker then shows pending questions to newly attached surfaces.
  const standIn: Surface = {
    name: 'other',
    async present(pending) {
      opening ??= open();
      if (!(await opening)) throw new Error('no terminal to ask in, and no other terminal can answer');
      if (!hasTerminal) announce(pending);
    },
    withdraw() {},
  };
  if (hasTerminal || options.waits) broker.attach(standIn);
  return {
    broker,
    async close() {
      await opening?.catch(() => {});
      for (const close of closers.reverse()) await close();
    },
  };
}

/** As if the terminal had sent the signal: at once, so that the exit code is right. */
function interruptUs(): void {
  if (!globalThis.process.emit('SIGINT', 'SIGINT')) globalThis.process.kill(globalThis.process.pid, 'SIGINT');
}

/** Without the socket the terminal can still ask, so a failure is only reported. */
async function openSocket(broker: Broker, closers: (() => void | Promise<void>)[]): Promise<boolean> {
  try {
    const socket = await openApprovalSocket(broker);
    closers.push(() => socket.close());
    return true;
  } catch (error) {
    if (!(error instanceof HardshellError)) throw error;
    process.stderr.write(`hardshell: Other terminals cannot answer: ${visible(error.message)}\n`);
    return false;
  }
}

/** A reader of a log must see that it does not hang. */
function announce({ code, request, askedAt, deadline }: PendingApproval): void {
  const seconds = Math.round((deadline - askedAt) / 1_000);
  process.stderr.write(
    `hardshell: waiting for approval. ${headlineOf(request).line}\n  hardshell approve ${code}   or   hardshell deny ${code}\n  It is denied after ${seconds} s without an answer.\n`,
  );
}
