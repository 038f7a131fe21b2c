// Work that needs the network, in the sandbox `workspace`, with no settings but hosts and ports, by each tier.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Place, writeTree } from './place.ts';
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
    'npm install from a host that is not allowed fails, and says why',
    async (context) => {
      const host = await nameOfLoopback();
      if (host === null) return context.skip('the name of this machine does not lead to its loopback');
      registry = await serveRegistry(host);
      const settings = { domains: { allow: ['other.example'] } };
      const made = await project(context, { ...registry.files, '.gitignore': '/node_modules/\n' }, { settings });
      const { exitCode, violations } = await made.run('npm ci --silent --fetch-retries=0');
      expect(exitCode).not.toBe(0);
      expect(violations).toMatchObject([{ kind: 'network', operation: 'connect', target: `${host}:${registry.port}` }]);
      expect(registry.requests).toEqual([]);
    },
    TIME_MS,
  );

  test(
    'no host is allowed and no one can be asked: every program fails at once, with the host and the reason',
    async (context) => {
      const made = await bare(context);
      writeTree(made.project, {
        'package.json': '{ "name": "a", "version": "1.0.0", "dependencies": { "b": "1.0.0" } }\n',
        'fetch.sh': `npm install --registry https://one.example/ 2>&1
wget -O- https://two.example/ 2>&1
curl -sS https://three.example/ 2>&1
curl -sS http://four.example/
python3 -c 'import urllib.request as u; u.urlopen("https://five.example")' 2>&1
git ls-remote https://six.example/x.git 2>&1
echo "$PIP_RETRIES $CARGO_NET_RETRY"
`,
      });
      const { output, violations, status } = await made.run('sh fetch.sh', { timeout: 60_000 });
      // npm, left to itself, repeats for more than a minute.
      expect(status).toBe('exited');
      for (const host of ['one', 'two', 'five'])
        expect(output).toContain(`hardshell: ${host}.example:443 is not allowed; add it to domains.allow`);
      expect(output).toContain('hardshell refused the connection to four.example:80: no rule allows this host.');
      expect(output).toMatch(/^1 0$/m);
      expect(violations.map(({ target }) => target)).toEqual(
        ['one:443', 'two:443', 'three:443', 'four:80', 'five:443', 'six:443'].map((place) =>
          place.replace(':', '.example:'),
        ),
      );
    },
    TIME_MS,
  );

  test('what the command itself names is refused in the same way', async (context) => {
    const made = await bare(context);
    const { exitCode, violations } = await made.run('curl -sS https://one.example/');
    expect(exitCode).toBe(56);
    expect(violations).toMatchObject([{ target: 'one.example:443', instead: 'Allow it: --allow-domain one.example' }]);
  });

  test('an allowed host that cannot be reached: the result says so', async (context) => {
    const host = await nameOfLoopback();
    if (host === null) return context.skip('the name of this machine does not lead to its loopback');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const settings = {
      domains: { allow: [`${host}:${port}`] },
      sandbox: { network: { allowAddresses: [`127.0.0.1:${port}`] } },
    };
    const made = await bare(context, { settings });
    for (const command of [`curl -sS https://${host}:${port}/`, `git ls-remote https://${host}:${port}/x.git`]) {
      const { exitCode, meaning } = await made.run(command);
      expect(exitCode).not.toBe(0);
      expect(meaning).toContain(`${host} is allowed but could not be reached (refused).`);
    }
    expect((await made.run('false')).meaning ?? '').not.toContain('reached');
  });

  test('repetitions are left alone if a host is allowed', async (context) => {
    const made = await bare(context, { settings: { domains: { allow: ['one.example'] } } });
    writeTree(made.project, { 'show.sh': 'echo "[$PIP_RETRIES][$CARGO_NET_RETRY]"\n' });
    const { output } = await made.run('sh show.sh');
    expect(output).toBe('[][]\n');
  });

  test('a program that goes around the proxy fails, and the result says what there is', async (context) => {
    const made = await bare(context);
    writeTree(made.project, { 'fetch.sh': "curl -sS --noproxy '*' --max-time 30 https://one.example/\n" });
    const { violations, meaning } = await made.run('sh fetch.sh');
    expect([meaning, ...violations.map(({ rule }) => rule)].join('\n')).toMatch(/only (?:through )?the proxy/);
  });

  test('the restricted sandbox has no network, and reports that', async (context) => {
    const made = await bare(context);
    const sandbox = { name: 'restricted' } as const;
    const { exitCode, violations, meaning } = await made.run('curl -sS --max-time 30 https://one.example/', {
      sandbox,
    });
    expect(exitCode).not.toBe(0);
    // The name server cannot be asked.
    for (const { kind, rule } of violations)
      expect([kind, rule]).toEqual(['network', 'the restricted sandbox has no network']);
    expect(meaning).toContain('The restricted sandbox has no network.');
    const quoted = await made.run('echo "curl: (6) Could not resolve host: one.example"; false', { sandbox });
    expect(quoted.meaning).not.toContain('network');
  });

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
      // The port is in a command that a rule allows, and a process listens there.
      const client = await made.run(`curl -sS http://localhost:${port}/from-inside`);
      expect(said(client)).toEqual([0, 'served /from-inside\n']);
      await (await made.shell.task(task.task))?.stop();
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    },
    TIME_MS,
  );

  test('a published server that only listens is refused nothing', async (context) => {
    if (tier === 'landlock') context.skip('without namespaces, getaddrinfo is refused its UDP socket');
    const made = await bare(context);
    const port = await freePort();
    const command = `timeout 3 python3 -u -m http.server ${port} --directory .; true`;
    const { output, violations } = await made.run(command, { sandbox: { publishPorts: [port] } });
    expect(output).toContain(`Serving HTTP on 0.0.0.0 port ${port}`);
    expect(violations).toEqual([]);
  });

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
    // Without namespaces there is no private loopback.
    expect(said(result)[0]).toBe(tier === 'namespaces' ? 0 : 1);
    if (tier === 'namespaces') expect(result.output).toBe('own\n');
  });

  test('a port of this machine is shut until it is allowed', async (context) => {
    const port = await freePort();
    const server = createServer((socket) => socket.end('secret\n')).listen(port, '127.0.0.1');
    try {
      const made = await bare(context);
      // Built by the program: a port that the command itself names would be opened.
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
