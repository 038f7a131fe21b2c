// One client on standard input and output: reads at once, loads the rest, and ends when the client is gone.

import type { Identity } from '../identity.ts';
import type { McpOptions, Served } from '../options.ts';
import { greet } from './greeting.ts';
import { LineTransport } from './line-transport.ts';

export function serveOverStdio(options: McpOptions, identity: Identity): Served {
  const write = keepStdoutForProtocol();
  const { profile = 'standard' } = options;
  const wire = new LineTransport({ input: process.stdin, write, greet: (first) => greet(first, identity, profile) });
  process.stdout.removeAllListeners('error').on('error', () => void wire.close());
  const running = run(wire, options, identity);
  return {
    // A failure to start is an end too, and is thrown.
    over: Promise.race([wire.closed, running.then(() => wire.closed)]),
    async close() {
      const { conversation, host } = await running;
      await conversation.close();
      // The results of ended calls are written in later turns of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      await wire.close();
      await host.close();
      process.stdin.destroy();
    },
  };
}

/** A client that has already written is read within this time; loading blocks everything for much longer. */
const FIRST_MS = 10;

async function run(wire: LineTransport, options: McpOptions, identity: Identity) {
  await Promise.race([wire.heard, new Promise((resolve) => setTimeout(resolve, FIRST_MS))]);
  const [{ serveStdio }, { createProtocolServer }, { Conversation }, { createHost, log }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../protocol-server.ts'),
    import('../tools/conversation.ts'),
    import('../host.ts'),
  ]);
  const host = createHost(options);
  const conversation = new Conversation(host, options.cwd);
  host.warmUp(options.cwd);
  // Called twice if a client tries the newer protocol before the older one.
  serveStdio(() => createProtocolServer(conversation, identity), {
    transport: wire,
    onerror: (error) => log(error.message),
  });
  return { host, conversation };
}

/** All other output goes to stderr: one stray line, and a client gives up. */
function keepStdoutForProtocol(): (text: string, done: (error?: Error | null) => void) => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return (text, done) => void write(text, 'utf8', done);
}
