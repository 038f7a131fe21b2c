// `hardshell check --ask`: where a question is left, it is put to people, here and in other terminals, until one answers.

import { homedir } from 'node:os';
import {
  type Authorized,
  authorize,
  type Broker,
  type CheckRequest,
  createBroker,
  HardshellError,
  loadPolicy,
  openApprovalSocket,
  projectFile,
  SETTINGS_KNOWLEDGE,
  saveRule,
  standardPlaces,
} from '../../index.ts';
import { terminalSurface } from './approvals/prompt.ts';
import { visible } from './show/visible.ts';

export async function askPeople(
  command: string,
  request: CheckRequest,
  options: { readonly timeoutSeconds?: number; readonly color: boolean },
): Promise<Authorized> {
  const broker = createBroker({
    saveRule: (scope, rule) => saveFor(scope, rule, request.cwd),
    onProblem: (message) => process.stderr.write(`hardshell: ${visible(message)}\n`),
  });
  const closers: (() => void | Promise<void>)[] = [() => broker.close()];
  try {
    closers.push(await openSocket(broker));
    if (process.stdin.isTTY && process.stderr.isTTY) {
      const terminal = terminalSurface({ color: options.color });
      closers.push(broker.attach(terminal), () => terminal.close());
    }
    const waiting = authorize(command, {
      ...request,
      broker,
      ...(options.timeoutSeconds === undefined ? {} : { timeoutMs: options.timeoutSeconds * 1_000 }),
    });
    if (!process.stdin.isTTY) announce(broker);
    return await waiting;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Without the socket the terminal can still ask; it is said, and not a reason to refuse. */
async function openSocket(broker: Broker): Promise<() => Promise<void>> {
  try {
    const socket = await openApprovalSocket(broker);
    return () => socket.close();
  } catch (error) {
    if (!(error instanceof HardshellError)) throw error;
    process.stderr.write(`hardshell: Other terminals cannot answer: ${visible(error.message)}\n`);
    return async () => {};
  }
}

function announce(broker: Broker): void {
  for (const { code, request } of broker.pending()) {
    process.stderr.write(
      `hardshell: waiting for approval of: ${visible(request.display)}\n  hardshell approve ${code}   or   hardshell deny ${code}\n`,
    );
  }
}

async function saveFor(scope: 'project' | 'user', rule: string, cwd: string): Promise<void> {
  const file = scope === 'project' ? projectFile(cwd, 'local') : standardPlaces({ home: homedir() }).user;
  if (file === null) throw new HardshellError('unwritable-settings', 'There is no home folder to save it in.');
  await saveRule(file, 'allow', rule, SETTINGS_KNOWLEDGE);
  const { policy } = loadPolicy({ cwd });
  if (policy.rules.some(({ text, list }) => text === rule && list === 'allow')) return;
  throw new HardshellError(
    'unwritable-settings',
    `It is in ${file}, but does not count yet: the folder is not trusted. Trust it with: hardshell config trust`,
  );
}
