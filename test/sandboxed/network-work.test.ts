// Work that needs the network, in the sandbox `workspace`, with no settings but hosts and ports, by each tier.

import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Place } from './place.ts';
import { isUnchanged, said, useProjects } from './project.ts';
import { nameOfLoopback, type Registry, serveRegistry } from './registry.ts';

const TIME_MS = 120_000;

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { project, bare } = useProjects(tier);
  let registry: Registry | null = null;
  afterEach(async () => {
    await registry?.close();
    registry = null;
  });

  test(
    'npm ci from a registry, through the proxy',
    async (context) => {
      const host = await nameOfLoopback();
      if (host === null) return context.skip('the name of this machine does not lead to its loopback');
      registry = await serveRegistry(host);
      const { port, requests } = registry;
      const settings = {
        domains: { allow: [`${host}:${port}`] },
        sandbox: { network: { allowAddresses: [`127.0.0.1:${port}`] } },
      };
      const made = await project(context, { ...registry.files, '.gitignore': '/node_modules/\n' }, { settings });
      const result = await isUnchanged(made, () => made.run('npm ci --silent && npx --no-install greet'));
      expect(said(result)).toEqual([0, 'greeted\n']);
      expect(requests).toEqual(['GET /tiny-greeting/-/tiny-greeting-1.2.3.tgz']);
      expect(existsSync(join(made.project, 'node_modules/tiny-greeting/greeting.js'))).toBe(true);
      // What was fetched is in the cache of the sandbox: the next time nothing needs to be reached.
      const again = await made.run(
        'rm -rf node_modules && npm ci --silent --offline && node -p "require(\'tiny-greeting\')"',
      );
      expect(said(again)).toEqual([0, 'hello\n']);
      expect(requests).toHaveLength(1);
    },
    TIME_MS,
  );

  test(
    'npm install of a host that nobody allowed fails, and says why',
    async (context) => {
      const host = await nameOfLoopback();
      if (host === null) return context.skip('the name of this machine does not lead to its loopback');
      registry = await serveRegistry(host);
      const settings = { domains: { allow: ['other.example'] } };
      const made = await project(context, { ...registry.files, '.gitignore': '/node_modules/\n' }, { settings });
      const { exitCode, violations } = await made.run('npm ci --silent --fetch-retries=0');
      expect(exitCode).not.toBe(0);
      expect(violations).toMatchObject([
        { kind: 'network', operation: 'connect', target: `${host}:${registry.port}`, certainty: 'seen' },
      ]);
      expect(registry.requests).toEqual([]);
    },
    TIME_MS,
  );

  test(
    'a development server in the background, reached by another command and from outside',
    async (context) => {
      const port = await freePort();
      const settings = {
        permissions: { allow: ['Bash(curl *)'] },
        sandbox: { network: { publishPorts: [port] } },
      };
      const made = await project(context, { 'server.cjs': SERVER }, { settings });
      const task = await made.start(`node server.cjs ${port}`);
      expect([task.status, task.failure]).toEqual(['running', null]);
      await untilSays(made, task.task, 'listening');
      expect(await (await fetch(`http://127.0.0.1:${port}/from-outside`)).text()).toBe('served /from-outside\n');
      // The port stands in a command that a rule allows, and somebody listens there.
      const client = await made.run(`curl -sS http://localhost:${port}/from-inside`);
      expect(said(client)).toEqual([0, 'served /from-inside\n']);
      await (await made.shell.task(task.task))?.stop();
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    },
    TIME_MS,
  );

  test('a server and its client in one command need no setting', async (context) => {
    const made = await bare(context);
    const port = await freePort();
    const script = `node -e '
const http = require("http");
const server = http.createServer((request, response) => response.end("own\\n"));
server.listen(${port}, "127.0.0.1", () => http.get("http://127.0.0.1:${port}/", (answer) => answer.pipe(process.stdout).on("error", () => {}) && answer.on("end", () => process.exit(0))));
server.on("error", (error) => { console.log(error.code); process.exit(1); });
'`;
    const result = await made.run(script);
    // Without namespaces there is no loopback of its own.
    expect(said(result)[0]).toBe(tier === 'namespaces' ? 0 : 1);
    if (tier === 'namespaces') expect(result.output).toBe('own\n');
  });

  test('a port of this machine is shut until it is allowed', async (context) => {
    const port = await freePort();
    const server = createServer((socket) => socket.end('secret\n')).listen(port, '127.0.0.1');
    try {
      const made = await bare(context);
      // Put together by the program: what the command names by itself would be opened.
      const knock = `python3 -c "
import socket
try:
    s = socket.socket(); s.settimeout(20); s.connect(('127.0.0.1', ${port - 1} + 1)); print(s.recv(100).decode())
except OSError as error:
    print('refused')
"`;
      expect((await made.run(knock)).output).toMatch(/^refused\n/);
      expect((await made.run(knock, { sandbox: { allowPorts: [port] } })).output).toBe('secret\n\n');
    } finally {
      server.close();
    }
  });
});

const SERVER = `const http = require('node:http');
http.createServer((request, response) => response.end('served ' + request.url + '\\n'))
  .listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))
  .on('error', (error) => { console.log(error.code); process.exit(1); });
`;

async function untilSays({ shell }: Place, id: string, word: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const task = await shell.task(id);
    const text = (await task?.read())?.text ?? '';
    if (text.includes(word)) return;
    const state = (await task?.info())?.state;
    if (state !== 'running' || Date.now() > deadline) throw new Error(`${state}, and said: ${text}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
