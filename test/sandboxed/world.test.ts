// The world of a session: what its commands share, what they do not, and what happens when the process that keeps it is gone.

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../contract/marks.ts';
import { useOwnRuntime } from './own-runtime.ts';
import { type Place, whyNoKeeper, writeTree } from './place.ts';

const TIME_MS = 60_000;
const SERVE = (port: number, text = 'served') =>
  `exec node -e 'require("http").createServer((q,s)=>s.end("${text}")).listen(${port},()=>console.log("up"))'`;
const GET = (port: number, host = '127.0.0.1') => `curl -sS -m 5 --noproxy '*' http://${host}:${port}/`;
const NETWORK = 'readlink /proc/self/ns/net';

describe.skipIf(process.platform !== 'linux' || whyNoKeeper !== null)('the commands of a session', () => {
  const own = useOwnRuntime();
  const { place } = own;

  /** Processes that keep the worlds of this test. */
  function keepers(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          if (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'hs-world\n') return false;
          return readlinkSync(`/proc/${pid}/fd/3`).startsWith(`${own.runtime}/`);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  const worldFiles = () => readdirSync(join(own.runtime, 'worlds'));

  async function served(made: Place, port: number, text?: string) {
    const task = await made.start(SERVE(port, text));
    const isUp = async () => (await made.run(GET(port))).exitCode === 0;
    for (let round = 0; round < 50 && !(await isUp()); round += 1);
    return task;
  }

  /** A server outside of the sandbox, and the request that opens its port. */
  async function serveOnHost() {
    const server = createServer((_, response) => response.end('host'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { server, port, given: { sandbox: { allowPorts: [port] } } };
  }

  test(
    'a server in a background task is reached by the next command, by every name of the loopback',
    async () => {
      const made = place();
      await served(made, 8123);
      for (const host of ['127.0.0.1', 'localhost', '0.0.0.0'])
        expect(await made.run(GET(8123, host))).toMatchObject({ exitCode: 0, output: 'served', violations: [] });
      // Not from this machine: it was not published.
      await expect(fetch('http://127.0.0.1:8123/')).rejects.toThrow();
    },
    TIME_MS,
  );

  test(
    'sessions, projects and sandboxes have worlds of their own',
    async () => {
      const made = place();
      const other = place();
      await served(made, 8124, 'one');
      const here = await made.run(NETWORK);
      expect((await made.run(NETWORK)).output).toBe(here.output);
      const foreign = [
        await other.run(`${NETWORK}; ${GET(8124)}`),
        await made.run(`${NETWORK}; ${GET(8124)}`, { session: 'another' }),
      ];
      for (const { output, exitCode } of foreign) {
        expect(exitCode).toBe(7);
        expect(output.split('\n')[0]).not.toBe(here.output.trim());
      }
      const restricted = await made.run(`${NETWORK}; ${GET(8124)}`, { sandbox: { name: 'restricted' } });
      expect(restricted.exitCode).toBe(7);
      // The same port can be had there.
      await served(other, 8124, 'two');
      expect((await other.run(GET(8124))).output).toBe('two');
      expect((await made.run(GET(8124))).output).toBe('one');
    },
    TIME_MS,
  );

  test(
    'a command starts even if another one has taken every port for its listeners, and the result says what it lacks',
    async () => {
      // A shell that waits would have its listeners already.
      const made = place({ settings: { domains: { allow: ['example.com'] }, waitingShells: 0 } });
      // Few enough for the usual limit of open files in each process.
      writeTree(made.project, {
        'take.py': `import os, socket, time
held = []
for part in range(4):
    if part > 0 and os.fork() > 0: continue
    for port in range(32768 + part * 7058, 32768 + (part + 1) * 7058):
        taken = socket.socket()
        try: taken.bind(('127.83.0.1', port))
        except OSError: continue
        held.append(taken)
    open('taken-%d' % part, 'w').close()
    if part > 0: break
time.sleep(60)
`,
        'ask.sh': `${NETWORK}\ncurl -sS -m 5 http://evil.example/`,
      });
      const here = (await made.run(NETWORK)).output;
      await made.start('python3 take.py');
      const isTaken = () => [0, 1, 2, 3].every((part) => existsSync(join(made.project, `taken-${part}`)));
      expect(await until(isTaken, TIME_MS)).toBe(true);
      const result = await made.run('sh ask.sh');
      expect(result.output).toMatch(/^net:.*\nhardshell refused the connection to evil\.example:80/);
      expect(result.output).not.toContain(here);
      expect(result.meaning).toContain('network of its own');
    },
    TIME_MS,
  );

  test(
    'the proxy and the ports of this machine that one command was given are closed to the others',
    async () => {
      const made = place();
      const { server, port, given } = await serveOnHost();
      try {
        const holding = await made.start(`${GET(port)}; sleep 30`, given);
        const listeners = `node -e '
          for (const line of require("fs").readFileSync("/proc/net/tcp","utf8").split("\\n")) {
            const [, local, , state] = line.trim().split(/ +/);
            if (state === "0A") console.log(local);
          }'`;
        let found: string[] = [];
        for (let round = 0; round < 50 && found.length === 0; round += 1)
          found = (await made.run(listeners)).output
            .trim()
            .split('\n')
            .filter((line) => line.startsWith('0100537F'));
        expect(found.length).toBeGreaterThan(0);
        for (const place of found) {
          const inside = Number.parseInt(place.split(':')[1] as string, 16);
          for (const host of ['127.83.0.1', '[::ffff:127.83.0.1]', '[::127.83.0.1]']) {
            const attempt = await made.run(GET(inside, host));
            expect([host, attempt.exitCode === 0, attempt.output]).toEqual([host, false, attempt.output]);
          }
        }
        // The port itself is not open for another command either, but can be used by it.
        expect((await made.run(`${GET(port)}`)).output).not.toBe('host');
        expect((await made.run(GET(port), given)).output).toBe('host');
        await (await made.shell.task(holding.task))?.stop();
      } finally {
        server.close();
      }
    },
    TIME_MS,
  );

  test(
    'a server of the session comes before one of this machine with the same port, but never in the place of the proxy',
    async () => {
      const made = place();
      const { server, port, given } = await serveOnHost();
      try {
        expect((await made.run(GET(port), given)).output).toBe('host');
        await served(made, port, 'session');
        expect((await made.run(GET(port), given)).output).toBe('session');
        await served(made, 3128, 'taken');
        const refused = await made.run('curl -sS -m 5 http://refused.example/');
        expect(refused.output).toContain('refused.example');
        expect(refused.output).not.toContain('taken');
      } finally {
        server.close();
      }
    },
    TIME_MS,
  );

  test(
    'a port that a server inside has, and that is published, is reached from this machine',
    async () => {
      const made = place();
      const probe = createServer();
      probe.listen(0, '127.0.0.1');
      await once(probe, 'listening');
      const { port } = probe.address() as AddressInfo;
      probe.close();
      await once(probe, 'close');
      await made.start(SERVE(port), { sandbox: { publishPorts: [port] } });
      const get = () => fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
      let text = '';
      for (let round = 0; round < 50 && text === ''; round += 1) {
        text = await get().catch(() => '');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(text).toBe('served');
      expect((await made.run(GET(port))).output).toBe('served');
    },
    TIME_MS,
  );

  test(
    'when the process that keeps a world is killed, commands go on, and the next one has a new world',
    async () => {
      const made = place();
      const before = await made.run(NETWORK);
      expect(keepers()).toHaveLength(1);
      process.kill(keepers()[0] as number, 'SIGKILL');
      for (let round = 0; round < 4; round += 1) expect((await made.run('echo on')).output).toBe('on\n');
      await served(made, 8126);
      expect((await made.run(GET(8126))).output).toBe('served');
      expect((await made.run(NETWORK)).output).not.toBe(before.output);
    },
    TIME_MS,
  );

  test(
    'when it is stopped, a command still runs',
    async () => {
      const made = place();
      await made.run('true');
      const stopped = keepers();
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      try {
        expect(await made.run('echo on', { session: 'new', timeout: 20_000 })).toMatchObject({ output: 'on\n' });
        expect(await made.run('echo on', { timeout: 20_000 })).toMatchObject({ output: 'on\n' });
      } finally {
        for (const pid of stopped) process.kill(pid, 'SIGCONT');
      }
    },
    TIME_MS,
  );

  test(
    'with the shell its worlds end, except where a task still runs',
    async () => {
      const made = place();
      for (const session of ['a', 'b', 'c']) await made.run('true', { session });
      await made.start('sleep 5', { session: 'd' });
      expect(keepers().length).toBe(4);
      await made.shell.close();
      expect(await until(() => keepers().length === 1, 10_000)).toBe(true);
      expect(await until(() => keepers().length === 0, 20_000)).toBe(true);
      expect(worldFiles()).toEqual([]);
    },
    TIME_MS,
  );

  test(
    'no command sees the sockets of worlds, whatever is allowed',
    async () => {
      const made = place({ settings: { sandbox: { network: { allowAllUnixSockets: true } } } });
      await made.run('true');
      const [name] = worldFiles();
      const path = join(own.runtime, 'worlds', name as string);
      writeTree(made.project, {
        'connect.cjs': `require('net').connect('${path}').on('error', (error) => { console.log(error.code); process.exit(3); })`,
        'try.sh': `ls ${own.runtime} ${own.runtime}/worlds; exec node connect.cjs`,
      });
      const result = await made.run('sh try.sh');
      expect(result.output).not.toContain(name as string);
      expect(result.exitCode).toBe(3);
    },
    TIME_MS,
  );
});
