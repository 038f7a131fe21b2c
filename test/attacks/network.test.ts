// Each row of the network, in each tier, as root and as an ordinary user, through the real proxy and the real hand-over.
// And what happens when a process is killed, or when the host cannot take what it is given.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { proxyEnvironment } from '../../src/confine/network/environment.ts';
import { createProxy, type FilteringProxy } from '../../src/confine/network/proxy.ts';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { RunEvent, RunRequest } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { pause, until } from '../contract/marks.ts';
import { NETWORK_ROWS, type NetworkRow } from './network-rows.ts';
import { Subject } from './subject.ts';

const isRoot = process.getuid?.() === 0;
const INSIDE_PORT = 3128;

async function listenOn(server: Server, place: string | number): Promise<number> {
  if (typeof place === 'string') server.listen(place);
  else server.listen(place, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port ?? 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server, 0);
  server.close();
  await once(server, 'close');
  return port;
}

for (const as of ['root', 'user'] as const)
  for (const where of ['namespaces', 'a world', 'landlock'] as const) {
    const isWorld = where === 'a world';
    const tier = isWorld ? 'namespaces' : where;
    const reason = !keeperUnderTest.isAvailable ? 'there is no keeper' : as === 'root' && !isRoot ? 'needs root' : null;
    describe.skipIf(reason !== null)(`the network as ${as}, by ${where}`, () => {
      const servers: Server[] = [];
      const ports = { ORIGIN: 0, LISTED: 0, OTHER: 0, PUBLISHED: 0 };
      const places = { SOCKET: '', WRONG: '' };
      let subject: Subject;
      let unavailable: string | null = null;

      beforeAll(async () => {
        if (!keeperUnderTest.isAvailable) return;
        subject = new Subject(keeperUnderTest.path, keeperStderr, as);
        unavailable = await subject.open(tier);
        mkdirSync(join(subject.base, 'worlds'));
        subject.give(join(subject.base, 'worlds'));
        const origin = () => createHttp((request, response) => response.end(`origin ${request.url}`));
        for (const name of ['ORIGIN', 'LISTED', 'OTHER'] as const) {
          const server = origin();
          servers.push(server);
          ports[name] = await listenOn(server, 0);
        }
        ports.PUBLISHED = await freePort();
        for (const [name, file] of [
          ['SOCKET', 'right'],
          ['WRONG', 'wrong'],
        ] as const) {
          mkdirSync(join(subject.base, file));
          places[name] = join(subject.base, file, file);
          const server = createServer((socket) => socket.end());
          servers.push(server);
          await listenOn(server, places[name]);
          chmodSync(places[name], 0o777);
        }
      }, 60_000);
      afterAll(async () => {
        for (const server of servers) server.close();
        await subject?.close();
      });
      beforeEach(() => subject?.refresh());

      function policy(proxyPort: number): Partial<ConfinementPolicy> {
        const { LISTED, PUBLISHED } = ports;
        return { proxyPort, hostPorts: [LISTED], publishPorts: [PUBLISHED], unixPaths: [places.SOCKET] };
      }

      function proxyFor(more: { server?: Server; password?: string }): Promise<FilteringProxy> {
        const addresses: Record<string, string> = { 'metadata.test': '169.254.169.254' };
        return createProxy({
          listen: more.server === undefined ? { port: 0 } : { server: more.server },
          ...(more.password !== undefined && { credentials: { user: 'command', password: more.password } }),
          domains: { allow: [`allowed.test:${ports.ORIGIN}`, 'loopback.test', 'metadata.test'], deny: [] },
          allowAddresses: [`127.0.0.1:${ports.ORIGIN}`],
          resolve: async (host) => [addresses[host] ?? '127.0.0.1'],
        });
      }

      /** What a command needs of the host: a proxy for it alone, closed with it. */
      async function withNetwork<T>(work: (request: Partial<RunRequest>) => Promise<T>, change = {}): Promise<T> {
        let proxy: FilteringProxy | null = null;
        const password = randomUUID();
        const credentials = tier === 'landlock' ? { credentials: { user: 'command', password } } : {};
        if (tier === 'landlock') proxy = await proxyFor({ password });
        const port = proxy?.port ?? INSIDE_PORT;
        try {
          return await work({
            confinement: subject.specOf({ ...policy(port), isShared: isWorld, ...change }),
            ...(isWorld && { world: join(subject.base, 'worlds/one.sock'), room: 'one' }),
            env: {
              ...proxyEnvironment({ port, ...credentials }),
              ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
              ...places,
              PROXY: String(port),
              CREDENTIALS: tier === 'landlock' ? `command:${password}@` : '',
            },
            onListener: async (server) => {
              proxy = await proxyFor({ server });
            },
          });
        } finally {
          await proxy?.close();
        }
      }

      async function run(script: string, request: Partial<RunRequest>) {
        const events: RunEvent[] = [];
        const end = await subject
          .start(script, request, (event) => void events.push(event))
          .done.catch((error: Error) => {
            // In a room the init of a command can be killed, and the command ends with it.
            if (!isWorld || !/first process/.test(error.message)) throw error;
            return { exitCode: null, output: null };
          });
        return {
          exitCode: end.exitCode,
          text: end.output === null ? 'lost' : (await end.output.read(0, 4000)).toString(),
          told: events.flatMap((event) => (event.type === 'refusal' ? [`${event.operation} ${event.target}`] : [])),
        };
      }

      async function attempt(row: NetworkRow, skip: (why: string) => never): Promise<void> {
        if (unavailable !== null) skip(unavailable);
        await withNetwork(async (request) => {
          if (row.expect === 'blocked' && row.control === undefined) {
            const { confinement: _, ...open } = request;
            const control = await run(row.script, open);
            if (control.exitCode !== 0) skip(`does not work unconfined either: ${control.text.trim().slice(0, 100)}`);
            subject.refresh();
          }
          const { exitCode, text, told } = await run(row.script, request);
          if (row.expect === 'works') return expect([exitCode, text]).toEqual([0, text]);
          expect([exitCode === 0 ? 'worked' : 'blocked', text]).toEqual(['blocked', text]);
          if (row.told === undefined || (tier === 'namespaces' && !row.name.includes('file'))) return;
          const [operation, target] = row.told;
          expect(
            told.filter((each) => each.startsWith(`${operation} `) && target.test(each.slice(operation.length + 1))),
            told.join('; '),
          ).not.toEqual([]);
        });
      }

      const rows = NETWORK_ROWS.filter((row) => (row.tier ?? tier) === tier);
      for (const row of rows) test(row.name, (context) => attempt(row, (why) => context.skip(why)));

      test('the host reaches a published port, and no process does when the command has ended', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        const script = `node -e 'require("http").createServer((q,s)=>{s.end("inside "+q.url);if(q.url==="/end")process.exitCode=0,setTimeout(()=>process.exit(0),50)}).listen(+process.env.PUBLISHED,()=>console.log("up"))'`;
        await withNetwork(async (request) => {
          let resolveUp: () => void = () => {};
          const up = new Promise<void>((resolve) => {
            resolveUp = resolve;
          });
          const handle = subject.start(script, request, (event) => {
            if (event.type === 'output') resolveUp();
          });
          await Promise.race([up, handle.done]);
          const url = `http://127.0.0.1:${ports.PUBLISHED}`;
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, i) => fetch(`${url}/${i}`).then((r) => r.text())),
          );
          expect(answers).toEqual(answers.map((_, index) => `inside /${index}`));
          expect(await (await fetch(`${url}/end`)).text()).toBe('inside /end');
          expect((await handle.done).exitCode).toBe(0);
          const late = connect(ports.PUBLISHED, '127.0.0.1');
          const [error] = await once(late, 'error').catch((failure) => [failure]);
          // Until the pump has ended, which nothing waits for, a connection is accepted and closed.
          expect(error.code).toMatch(/^ECONN(REFUSED|RESET)$/);
        });
      });

      test('what a command may reach is its own: another one is refused by the proxy of the first', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        await withNetwork(async (first) => {
          const waiting = subject.start('read line', { ...first, stdin: 'open' });
          await waiting.started;
          // Its own proxy allows nothing; the first one's place and password are known to it.
          let empty: FilteringProxy | null = null;
          const nothing = (server: Server) => createProxy({ listen: { server }, domains: { allow: [], deny: [] } });
          const own = tier === 'landlock' ? await freePort() : INSIDE_PORT;
          const second = await run('curl -sSf -m 5 http://allowed.test:$ORIGIN/', {
            ...first,
            confinement: subject.specOf({ proxyPort: own, isShared: isWorld }),
            onListener: async (server) => {
              empty = await nothing(server);
            },
          });
          expect([second.exitCode === 0, second.text]).toEqual([false, second.text]);
          await (empty as FilteringProxy | null)?.close();
          waiting.endInput();
          await waiting.done;
        });
      });

      test('command after command, each with its own listener, on any port', async (context) => {
        if (unavailable !== null || tier === 'landlock') context.skip(unavailable ?? 'there is no listener inside');
        // Namespaces are made ahead from the second one on. The host has nobody on that port: who gets so far was let in.
        const { LISTED, PUBLISHED } = ports;
        const change = { hostPorts: [LISTED, 7], publishPorts: [PUBLISHED], unixPaths: [] };
        // A shell that is named by its path could wait for its command, but not where the host takes part in the start.
        for (const program of ['bash', 'bash', 'bash', 'bash', '/bin/bash', '/bin/bash', '/bin/bash', '/bin/bash'])
          await withNetwork(async (request) => {
            const script = '$A tcp $LISTED && curl -sS http://allowed.test:$ORIGIN/ && exec 3<>/dev/tcp/127.0.0.1/7';
            expect(await run(script, { ...request, program })).toMatchObject({ exitCode: 0 });
            await pause(100);
          }, change);
      });

      test('a listed file that the command replaces leads nowhere else', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        const inside = join(subject.name('W'), 'listed');
        await withNetwork(
          async (request) => {
            for (const replace of ['ln -s $WRONG', 'ln $WRONG', 'mv $WRONG', 'cp -P $WRONG']) {
              const script = `${replace} ${inside}; $A unix-stream ${inside}`;
              expect([replace, (await run(script, request)).exitCode]).toEqual([replace, 1]);
              rmSync(inside, { force: true });
            }
            const link =
              'ln -s $(dirname $WRONG) $W/folder; mv $W/folder $W/other; ln -sfn $(dirname $WRONG) $W/folder';
            expect((await run(`${link}; $A unix-stream $W/folder/wrong`, request)).exitCode).toBe(1);
          },
          { unixPaths: [inside, join(subject.name('W'), 'folder/wrong')] },
        );
      });

      test('a listed file in a folder that the command can change is the one that was there, whatever takes its name', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        const [folder, listed, other] = ['run', 'run/listed', 'run/other'].map((name) => join(subject.name('W'), name));
        mkdirSync(folder as string);
        for (const path of [listed, other] as string[]) {
          const server = createServer((socket) => socket.end());
          servers.push(server);
          await listenOn(server, path);
          chmodSync(path, 0o777);
        }
        subject.give(folder as string);
        await withNetwork(
          async (request) => {
            expect((await run(`$A unix-stream ${listed}`, request)).exitCode).toBe(0);
            const script = `mv ${listed} ${listed}.old; ln ${other} ${listed}; $A unix-stream ${listed}`;
            expect((await run(script, request)).exitCode).toBe(1);
          },
          { unixPaths: [listed as string] },
        );
      });

      test('where all socket files are allowed, they are, and no other port is', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        await withNetwork(
          async (request) => {
            expect(await run('$A unix-stream $WRONG', request)).toMatchObject({ exitCode: 0 });
            expect(await run('cd $(dirname $WRONG) && $A unix-stream wrong', request)).toMatchObject({ exitCode: 0 });
            expect(await run('$A tcp $LISTED', request)).toMatchObject({ exitCode: 0 });
            expect(await run('$A tcp $OTHER', request)).toMatchObject({ exitCode: 1 });
            expect(await run('$A unix-abstract $ABSTRACT', request)).toMatchObject({ exitCode: 1 });
          },
          { unixSockets: 'any', unixPaths: [] },
        );
      });

      test('a proxy that is closed refuses, and nothing hangs', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        let release: (() => void) | null = null;
        const handle = await withNetwork(async (request) => {
          const started = subject.start('echo up; read line; curl -sS -m 5 http://allowed.test:$ORIGIN/', {
            ...request,
            stdin: 'open',
          });
          await started.started;
          release = () => started.endInput();
          return started;
        });
        (release as (() => void) | null)?.();
        const { exitCode, output } = await handle.done;
        expect([exitCode, (await output.read(0, 1000)).toString()]).toEqual([7, expect.stringContaining('connect')]);
      });

      test('connections that are never accepted do not stop the supervisor, and end with the command', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        const deaf = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
        await once(deaf, 'listening');
        const { port } = deaf.address() as AddressInfo;
        // A listener that accepts nothing: its queue is full after two.
        deaf.removeAllListeners('connection');
        const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
        await withNetwork(
          async (request) => {
            const handle = subject.start('$A many $DEAF 150 & echo up; wait', {
              ...request,
              env: { ...request.env, DEAF: String(port) },
              timeoutMs: 1500,
            });
            const { cause, output } = await handle.done;
            expect([
              (await output.read(0, 100)).toString().startsWith('up'),
              ['timeout', 'none'].includes(cause),
            ]).toEqual([true, true]);
          },
          { hostPorts: [port] },
        );
        for (const filler of fillers) filler.destroy();
        deaf.close();
      });

      test('without its supervisor a command has no network, and ends', async (context) => {
        if (unavailable !== null) context.skip(unavailable);
        await withNetwork(async (request) => {
          const handle = subject.start('while :; do $A tcp $LISTED; done', request);
          const { supervisorPid, pid } = await handle.started;
          process.kill(supervisorPid as number, 'SIGKILL');
          await expect(handle.done).rejects.toThrow();
          const isGone = () => {
            try {
              process.kill(pid, 0);
              return false;
            } catch {
              return true;
            }
          };
          expect(await until(isGone, 15_000)).toBe(true);
        });
      });

      test('many refusals are reported, then counted', async (context) => {
        if (unavailable !== null || tier === 'namespaces')
          context.skip(unavailable ?? 'connections are not made by the supervisor');
        await withNetwork(async (request) => {
          const events: RunEvent[] = [];
          const script = 'for i in $(seq 60001 60150); do (exec 3<>/dev/tcp/127.0.0.1/$i) 2>/dev/null; done; true';
          await subject.start(script, request, (event) => void events.push(event)).done;
          expect(events.filter(({ type }) => type === 'refusal').length).toBe(100);
          expect(events.find(({ type }) => type === 'untold')).toEqual({ type: 'untold', what: 'refusal', count: 50 });
        });
      });

      test('a listener that the host does not take ends the start', async (context) => {
        if (unavailable !== null || tier === 'landlock') context.skip(unavailable ?? 'there is no listener inside');
        const confinement = subject.specOf({ proxyPort: INSIDE_PORT });
        const ran = join(subject.name('W'), 'ran');
        const refuse = () => {
          throw new Error('no proxy today');
        };
        await expect(subject.start(`echo x > ${ran}`, { confinement, onListener: refuse }).done).rejects.toThrow(
          'no proxy today',
        );
        expect(() => subject.start('true', { confinement })).toThrow('onListener');
        const taken = createServer();
        const port = await listenOn(taken, 0);
        const handle = subject.start(`echo x > ${ran}`, { confinement: subject.specOf({ publishPorts: [port] }) });
        await expect(handle.done).rejects.toThrow('EADDRINUSE');
        taken.close();
        expect(() => rmSync(ran)).toThrow('ENOENT');
      });
    });
  }
