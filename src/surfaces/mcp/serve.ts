// `hardshell mcp`: serves until the client is gone or a signal comes, then ends foreground commands and leaves
// tasks running. Light, so that a client gets its greeting at once: the SDK and the engine are loaded afterwards.

import { describeError } from '../../host/values.ts';
import { readIdentity } from './identity.ts';
import type { McpOptions, Served } from './options.ts';
import { serveOverStdio } from './stdio/serve-stdio.ts';

/** Longer than the time between SIGTERM and SIGKILL of commands. */
const CLOSING_MS = 10_000;
/** Anything that keeps the process alive after that is a leak. */
const LINGERING_MS = 1_000;

/** Until `stopped`. Resolves with the exit code. */
export async function serveMcp(options: McpOptions, stopped: Promise<void>): Promise<number> {
  // An unhandled rejection is a bug in hardshell, but no reason to drop every client.
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`hardshell mcp: internal error: ${describeError(error)}\n`);
  });
  const served = await begin(options);
  try {
    await Promise.race([served.over, stopped]);
  } finally {
    await Promise.race([served.close(), delay(CLOSING_MS)]);
    setTimeout(() => process.exit(), LINGERING_MS).unref();
  }
  return 0;
}

async function begin(options: McpOptions): Promise<Served> {
  const identity = readIdentity();
  if (options.http === undefined) return serveOverStdio(options, identity);
  const { serveOverHttp } = await import('./http/serve-http.ts');
  return serveOverHttp(options, options.http, identity);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
