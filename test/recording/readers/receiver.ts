// The receiving end of a webhook: a real server on this machine that keeps what it gets and answers as configured.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, or what to do with the response. */
export type Reaction = number | ((response: ServerResponse) => void);

export class Receiver {
  readonly received: Received[] = [];
  /** One after the other; the last one stays. */
  reactions: Reaction[] = [204];
  readonly #server: Server;
  port = 0;
  #listeners: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url = '', headers } = request;
      this.received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') });
      const reaction = this.reactions.length > 1 ? this.reactions.shift() : this.reactions[0];
      if (typeof reaction === 'function') reaction(response);
      else response.writeHead(reaction ?? 204).end();
      this.#tell();
    });
    // A client that gives up is part of the tests.
    server.on('clientError', (_, socket) => socket.destroy());
  }

  static async open(port = 0): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    receiver.port = (server.address() as AddressInfo).port;
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook/s3cret-path`;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when so many requests have come. The bound is that of the test. */
  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.received.length < count) return;
        this.#listeners = this.#listeners.filter((each) => each !== look);
        resolve();
      };
      this.#listeners.push(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
