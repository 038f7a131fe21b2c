// `hardshell run --ticket ID COMMAND`: the run of a command that a hook has let pass, in place of the agent's own.
// No one is asked here: a terminal of the agent can be typed into by its model.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { describeError } from '../../../host/values.ts';
import { type Answer, type Broker, createBroker, createWhole, HardshellError } from '../../../host.ts';
import { claimTicket, endFolderFile, questionsOf, type Ticket } from '../hook/ticket.ts';
import { readFolder } from '../input.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import type { EarlyRunner } from './live/early-runner.ts';
import { RUN_EXIT, type RunVerbOptions } from './options.ts';
import { perform } from './perform.ts';

interface Ticketed extends RunVerbOptions {
  readonly ticket: string;
  readonly runner: EarlyRunner;
}

export async function runTicketed(command: string, options: Ticketed): Promise<number> {
  const { ticket: id } = options;
  const cwd = readFolder(undefined);
  let claimed: ReturnType<typeof claimTicket>;
  try {
    claimed = claimTicket(id, command, cwd);
  } catch (error) {
    const hint = error instanceof HardshellError && error.hint !== null ? `\n  ${visible(error.hint)}` : '';
    process.stderr.write(`hardshell: ${visible(describeError(error))}${hint}\n`);
    return RUN_EXIT.denied;
  }
  const { ticket, isHeldByAgent } = claimed;
  if (isHeldByAgent) return runInPlace(command);
  const { agent, project, mode, session } = ticket;
  const broker = brokerFor(ticket);
  try {
    return await perform(
      command,
      {
        cwd,
        originalCwd: project,
        shell: 'bash',
        // The agent's tool passes on the user's variables; secrets are left out.
        preserveEnvironment: true,
        ...(mode === null ? {} : { mode }),
        ...(session === null ? {} : { session }),
      },
      {
        ...options,
        agent,
        broker,
        onResult: (result) => {
          if (ticket.tellsFolder) createWhole(endFolderFile(id), result.cwd);
        },
      },
    );
  } finally {
    broker.close();
  }
}

/** The user said yes in the agent's own dialog, to these questions and no others. */
function brokerFor({ decision, questions }: Ticket): Broker {
  const broker = createBroker();
  const known = new Set(decision === 'ask' ? questions : []);
  return {
    ...broker,
    ask: (request, options) =>
      request.findings.length > 0 && questionsOf(request).every((question) => known.has(question))
        ? Promise.resolve(approved())
        : broker.ask(request, options),
  };
}

function approved(): Answer {
  const reason = "Approved in the agent's own dialog.";
  return { verdict: 'allow', by: 'caller', scope: 'once', rule: null, reason, at: Date.now() };
}

/** In the agent's own sandbox, which lets hardshell neither write its records nor confine the command once more. */
function runInPlace(command: string): Promise<number> {
  const child = spawn('/bin/bash', ['-c', '--', command], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
}
