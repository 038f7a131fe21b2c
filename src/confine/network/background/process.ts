// The proxy of one background task, as a process of its own: it ends with the task, not with the host that started both.
// While the host is connected, it records decisions and answers questions. Afterwards the rules alone decide.

import type { Server } from 'node:net';
import { readProcessStart } from '../../../local/processes.ts';
import type { ConnectionRequest, Decision } from '../decision.ts';
import { createProxy } from '../proxy.ts';
import { NoOneToAsk } from '../rules/questions.ts';
import type { FromProxy, HostAnswer, ProcessMark, ToProxy } from './messages.ts';

/** How often a task without a host is checked. */
const LOOK_MS = 500;
/** A command may contact hosts without end. */
const MAX_REPORTED = 1000;

const questions = new Map<number, (answer: HostAnswer) => void>();
const reported = new Set<string>();
let lastQuestion = 0;
let supervisor: ProcessMark | null = null;

function tell(message: FromProxy): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function report(decision: Decision): void {
  const key = `${decision.verdict} ${decision.host} ${decision.port}`;
  if (reported.has(key) || reported.size >= MAX_REPORTED) return;
  reported.add(key);
  tell({ type: 'decision', decision });
}

async function ask(request: ConnectionRequest, signal: AbortSignal): Promise<'allow' | 'deny'> {
  if (!process.connected) throw new NoOneToAsk('the host has ended');
  lastQuestion += 1;
  const id = lastQuestion;
  const answer = await new Promise<HostAnswer>((resolve) => {
    questions.set(id, resolve);
    signal.addEventListener('abort', () => resolve('no-answer'));
    tell({ type: 'ask', id, request });
  });
  questions.delete(id);
  if (signal.aborted) tell({ type: 'withdraw', id });
  if (answer === 'no-one-to-ask') throw new NoOneToAsk('the host has no one to ask');
  if (answer === 'no-answer') throw new Error('no answer');
  return answer;
}

async function serve(message: Extract<ToProxy, { type: 'serve' }>, server: Server): Promise<void> {
  const { domains, allowAddresses, credentials, canAsk } = message;
  try {
    await createProxy({
      listen: { server },
      domains,
      allowAddresses,
      ...(credentials === null ? {} : { credentials }),
      ...(canAsk ? { onUnknown: ask } : {}),
      onDecision: report,
      onLost: (why) => {
        tell({ type: 'lost', why });
        process.exitCode = 1;
        setImmediate(() => process.exit());
      },
    });
    tell({ type: 'ready' });
  } catch (error) {
    tell({ type: 'failed', why: (error as Error).message });
    process.disconnect();
  }
}

function endWithTask(): void {
  if (supervisor === null || readProcessStart(supervisor.pid) !== supervisor.start) process.exit(0);
}

process.on('message', (message: ToProxy, handle: unknown) => {
  if (message.type === 'serve') void serve(message, handle as Server);
  else if (message.type === 'follow') supervisor = message.supervisor;
  else questions.get(message.id)?.(message.answer);
});

process.on('disconnect', () => {
  for (const answer of questions.values()) answer('no-one-to-ask');
  endWithTask();
  setInterval(endWithTask, LOOK_MS);
});
