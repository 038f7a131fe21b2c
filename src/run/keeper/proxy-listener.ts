// The listener of a command's private network → the proxy, and the answer whether the command may run.

import type { Server } from 'node:net';
import { HardshellError } from '../../core/errors.ts';
import type { RunRequest } from '../port.ts';

export class ProxyListener {
  readonly #onListener: RunRequest['onListener'];
  readonly #answer: (isReady: boolean) => void;
  #failure: unknown = null;

  constructor({ confinement, onListener }: RunRequest, answer: (isReady: boolean) => void) {
    const { network, proxyPort } = confinement ?? {};
    if (network === 'own' && proxyPort !== undefined && onListener === undefined)
      throw new HardshellError('invalid-argument', 'proxyPort requires onListener');
    this.#onListener = onListener;
    this.#answer = answer;
  }

  /** Why the command must not run; null if it may. */
  get failure(): unknown {
    return this.#failure;
  }

  take(server: Server): void {
    server.unref();
    server.on('error', () => {});
    const refuse = (error: unknown) => {
      server.close();
      this.#failure ??= error;
      this.#answer(false);
    };
    try {
      const wait = this.#onListener?.(server);
      if (wait === undefined) this.#answer(true);
      else wait.then(() => this.#answer(true), refuse);
    } catch (error) {
      refuse(error);
    }
  }
}
