// `hardshell dashboard`: serves the page on this machine only (127.0.0.1) until a signal comes. Every request is checked
// before anything else looks at it.

import { createServer, type Server } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { HardshellError } from '../../host.ts';
import { Sources } from './data/sources.ts';
import { readAssets } from './http/assets.ts';
import { Entrance } from './http/entrance.ts';
import { sendFailure, sendJson } from './http/exchange.ts';
import { findRefusal } from './http/guard.ts';
import { createRoutes } from './http/routes.ts';
import { openBrowser } from './opening.ts';
import type { DashboardOptions } from './options.ts';

const ADDRESS = '127.0.0.1';
const USUAL_PORT = 7347;
const HEADERS_MS = 10_000;
const BODY_MS = 15_000;
const MAX_CONNECTIONS = 200;

/** Until `stopped`. Resolves with the exit code. */
export async function serveDashboard(options: DashboardOptions, stopped: Promise<void>): Promise<number> {
  const assets = readAssets();
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: BODY_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options.port);
  const entrance = new Entrance(port);
  const sources = new Sources(options);
  const answer = createRoutes(sources, entrance, assets);
  server.on('request', (request, response) => {
    const refusal = findRefusal(request, port);
    if (refusal !== null) {
      const { status, message, headers = {} } = refusal;
      return sendJson(response, { error: { message, hint: null } }, status, { connection: 'close', ...headers });
    }
    answer(request, response, port).catch((error) => sendFailure(response, error));
  });
  const link = entrance.makeLink();
  announce(link, port, options);
  const forgetFile = options.isOpening ? openBrowser(link, port) : () => {};
  const keys = process.stdin.isTTY && !options.isJson ? listenForEnter(entrance) : null;
  await stopped;
  keys?.close();
  forgetFile();
  server.close();
  await sources.close();
  server.closeAllConnections();
  return 0;
}

function announce(link: string, port: number, { isJson }: DashboardOptions): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify({ schemaVersion: 1, url: link, port })}\n`);
  const again = process.stdin.isTTY ? 'It works once; press Enter for another.' : 'It works once.';
  process.stdout.write(`${link}\n`);
  process.stderr.write(`hardshell: Open this link in a browser on this machine. ${again} Press Ctrl-C to stop.\n`);
}

function listenForEnter(entrance: Entrance): Interface {
  const lines = createInterface({ input: process.stdin });
  return lines.on('line', () => process.stdout.write(`${entrance.makeLink()}\n`));
}

async function listen(server: Server, wanted: number | null): Promise<number> {
  try {
    return await tryPort(server, wanted ?? USUAL_PORT);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (wanted === null && code === 'EADDRINUSE') return tryPort(server, 0);
    const hint = 'Choose another port with --port, or omit it.';
    throw new HardshellError('invalid-argument', `The port ${wanted} cannot be used: ${message}.`, { hint });
  }
}

function tryPort(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, () => {
      server.off('error', reject);
      // A connection that cannot be accepted affects only its client.
      server.on('error', () => {});
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
