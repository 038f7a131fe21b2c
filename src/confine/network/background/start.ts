// A listener and rules → a proxy in a process of its own, which outlives this one. See process.ts.
// `close` only ends the connection to it: it ends when the supervisor of its task does, or at once if it knows none.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { readProcessStart } from '../../../local/processes.ts';
import type { ProxyOptions } from '../proxy.ts';
import { NoOneToAsk } from '../rules/questions.ts';
import type { FromProxy, HostAnswer, ToProxy } from './messages.ts';

/** For a busy machine; it takes a tenth of a second. Less than a supervisor waits for us (native/supervisor.c). */
const START_MS = 10_000;

export interface BackgroundProxy {
  readonly pid: number;
  follow(supervisorPid: number): void;
  close(): void;
}

export interface BackgroundProxyOptions
  extends Pick<ProxyOptions, 'domains' | 'allowAddresses' | 'credentials' | 'onDecision' | 'onLost' | 'onUnknown'> {
  /** To be closed here when the proxy has started: otherwise connections would wait for us when it is gone. */
  readonly server: Server;
}

/** Where `npm run build` puts it; the source tree and the built one are at the same depth. */
function programPath(): string {
  return fileURLToPath(new URL('../../../../dist/program/background-proxy.cjs', import.meta.url));
}

export async function startBackgroundProxy(options: BackgroundProxyOptions): Promise<BackgroundProxy> {
  const { LD_LIBRARY_PATH } = process.env;
  const child = spawn(process.execPath, [programPath()], {
    cwd: '/',
    // Nothing in the environment of the host may change what it does.
    env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    detached: true,
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const proxy = new ConnectedProxy(child, options);
  try {
    await proxy.ready;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  child.unref();
  child.channel?.unref();
  return proxy;
}

class ConnectedProxy implements BackgroundProxy {
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #options: BackgroundProxyOptions;
  readonly #asked = new Map<number, AbortController>();
  #isReady = false;
  #isOver = false;

  constructor(child: ChildProcess, options: BackgroundProxyOptions) {
    this.#child = child;
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the proxy did not start')), START_MS);
      child.once('error', reject);
      child.once('exit', () => {
        clearTimeout(timer);
        reject(new Error('the proxy ended'));
        this.#lose('its process ended');
      });
      child.on('message', (message: FromProxy) => {
        if (message.type === 'failed') reject(new Error(message.why));
        if (message.type !== 'ready') return this.#hear(message);
        this.#isReady = true;
        clearTimeout(timer);
        resolve();
      });
    });
    const { domains, allowAddresses = [], credentials = null, onUnknown } = options;
    const canAsk = onUnknown !== undefined;
    this.#send({ type: 'serve', domains, allowAddresses, credentials, canAsk }, options.server);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  follow(pid: number): void {
    const start = readProcessStart(pid);
    if (start !== null && start !== 'ended') this.#send({ type: 'follow', supervisor: { pid, start } });
  }

  close(): void {
    this.#isOver = true;
    for (const question of this.#asked.values()) question.abort();
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(message: ToProxy, handle?: Server): void {
    if (this.#child.connected) this.#child.send(message, handle, () => {});
  }

  #lose(why: string): void {
    if (this.#isOver || !this.#isReady) return;
    this.#isOver = true;
    this.#options.onLost?.(why);
  }

  #hear(message: FromProxy): void {
    if (message.type === 'decision') this.#options.onDecision?.(message.decision);
    if (message.type === 'lost') this.#lose(message.why);
    if (message.type === 'withdraw') this.#asked.get(message.id)?.abort();
    if (message.type === 'ask') void this.#ask(message);
  }

  async #ask({ id, request }: Extract<FromProxy, { type: 'ask' }>): Promise<void> {
    const question = new AbortController();
    this.#asked.set(id, question);
    let answer: HostAnswer = 'no-one-to-ask';
    try {
      answer = (await this.#options.onUnknown?.(request, question.signal)) ?? 'no-one-to-ask';
    } catch (error) {
      answer = error instanceof NoOneToAsk ? 'no-one-to-ask' : 'no-answer';
    }
    this.#asked.delete(id);
    this.#send({ type: 'answer', id, answer });
  }
}
