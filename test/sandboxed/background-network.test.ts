// The network of a background task lasts as long as the task: not longer, and not only as long as the process that started it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import { readRecord } from '../../src/run/record.ts';
import { pause, until } from '../contract/marks.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const HOST = fileURLToPath(new URL('./host.js', import.meta.url));
const PROXY = fileURLToPath(new URL('../../dist/program/background-proxy.cjs', import.meta.url));
const WAIT_MS = 20_000;
const TIME_MS = 60_000;

/** Notes the private listeners of the session, waits until one is gone, and answers there in its place. */
const STEAL = `import os, socket, time
def listeners():
    rows = [line.split() for line in open('/proc/net/tcp')][1:]
    return {int(row[1].split(':')[1], 16) for row in rows if row[3] == '0A' and row[1].startswith('0100537F')}
noted = listeners()
open('noted', 'w').close()
while not noted - listeners(): time.sleep(0.02)
[port] = noted - listeners()
taken = socket.socket()
taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
for address in ['127.83.0.1', '0.0.0.0']:
    try:
        taken.bind((address, port))
        taken.listen()
        break
    except OSError as error: print(error)
open('tried', 'w').close()
while True:
    peer, _ = taken.accept()
    peer.recv(65536)
    peer.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\n\\r\\nstolen\\n')
    peer.close()
`;

function proxies(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[1] === PROXY;
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);
  let server: Server;
  let port = 0;
  let before: ReadonlySet<number> = new Set();
  const own = () => proxies().filter((pid) => !before.has(pid));
  beforeEach(async () => {
    before = new Set(proxies());
    server = createServer((request, response) => response.end(`origin ${request.url}\n`)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => void server.close());

  /** Asks an allowed host and another one, again and again. */
  const loop = () =>
    `while :; do curl -sS --noproxy '' http://127.0.0.1:${port}/a; curl -sS http://evil.example/; sleep 0.1; done 2>&1`;
  const settings = () => ({ domains: { allow: [`127.0.0.1:${port}`] } });
  const linesOf = (place: Place, task: string) =>
    readFileSync(join(place.base, 'tasks', `${task}.out`), 'latin1').split('\n');
  /** What the task has written from now on. */
  const later = async (place: Place, task: string) => {
    const at = linesOf(place, task).length;
    await until(() => linesOf(place, task).length > at + 6, WAIT_MS);
    return linesOf(place, task).slice(at + 3);
  };

  test(
    'when the host is killed, rules still apply; when the task is stopped, its proxy ends',
    async (context) => {
      const place = await bare(context, { settings: settings() });
      const text = {
        shell: { tasksFolder: join(place.base, 'tasks'), settingsFile: place.settingsFile },
        cwd: place.project,
        commands: [loop()],
      };
      const host = spawn(process.execPath, [HOST, 'start', JSON.stringify(text)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(host.stdout, 'data');
      const { task } = JSON.parse(String(line))[0];
      expect(await until(() => linesOf(place, task).includes('origin /a'), WAIT_MS)).toBe(true);
      host.kill('SIGKILL');
      await once(host, 'exit');
      const lines = await later(place, task);
      expect(lines).toContain('origin /a');
      expect(lines.join('\n')).toContain('evil.example:80: no rule allows this host');
      expect(own()).toHaveLength(1);
      await (await place.shell.task(task))?.stop();
      expect(await until(() => own().length === 0, WAIT_MS)).toBe(true);
    },
    TIME_MS,
  );

  test(
    'the network stays when the shell is closed, and for a command that became a task while it ran',
    async (context) => {
      const place = await bare(context, { settings: settings() });
      const { task: started } = await place.start(loop());
      const { result, events } = await place.hear(loop(), { backgroundAfter: 500 });
      const moved = result.task;
      for (const task of [started, moved])
        expect(await until(() => linesOf(place, String(task)).includes('origin /a'), WAIT_MS)).toBe(true);
      await place.shell.close();
      await pause(300);
      for (const task of [started, moved]) expect(await later(place, String(task))).toContain('origin /a');
      expect(own()).toHaveLength(2);
      expect(JSON.stringify(events)).not.toContain('the network was lost');
      for (const task of [started, moved])
        process.kill(readRecord(join(place.base, 'tasks', `${task}.json`)).supervisorPid, 'SIGTERM');
      expect(await until(() => own().length === 0, WAIT_MS)).toBe(true);
    },
    TIME_MS,
  );

  test(
    'when the supervisor is killed, the proxy ends; when the proxy is killed, connections fail and the task continues',
    async (context) => {
      const place = await bare(context, { settings: settings() });
      const { task } = await place.start(loop());
      const id = String(task);
      expect(await until(() => linesOf(place, id).includes('origin /a'), WAIT_MS)).toBe(true);
      const [proxy] = own();
      process.kill(Number(proxy), 'SIGKILL');
      expect(await until(() => /[Cc]ouldn't connect|refused/.test(linesOf(place, id).slice(-4).join()), WAIT_MS)).toBe(
        true,
      );
      const { task: second } = await place.start(loop());
      expect(await until(() => linesOf(place, String(second)).includes('origin /a'), WAIT_MS)).toBe(true);
      expect(own()).toHaveLength(1);
      process.kill(readRecord(join(place.base, 'tasks', `${second}.json`)).supervisorPid, 'SIGKILL');
      expect(await until(() => own().length === 0, WAIT_MS)).toBe(true);
    },
    TIME_MS,
  );

  test(
    'the port of a proxy that was killed cannot be taken by another command of the session',
    async (context) => {
      if (tier === 'landlock') context.skip('without namespaces a proxy has a password');
      const place = await bare(context, { settings: settings() });
      writeTree(place.project, { 'steal.py': STEAL });
      const { task } = await place.start(loop());
      const id = String(task);
      expect(await until(() => linesOf(place, id).includes('origin /a'), WAIT_MS)).toBe(true);
      const [proxy] = own();
      await place.start('python3 steal.py');
      expect(await until(() => existsSync(join(place.project, 'noted')), WAIT_MS)).toBe(true);
      process.kill(Number(proxy), 'SIGKILL');
      expect(await until(() => existsSync(join(place.project, 'tried')), WAIT_MS)).toBe(true);
      const lines = await later(place, id);
      expect(lines.join('\n')).not.toContain('stolen');
      expect(lines.join('\n')).toMatch(/[Cc]ouldn't connect|refused/);
    },
    TIME_MS,
  );

  test(
    'a proxy that was stopped ends with its task',
    async (context) => {
      const place = await bare(context, { settings: settings() });
      const { task } = await place.start(loop());
      expect(await until(() => linesOf(place, String(task)).includes('origin /a'), WAIT_MS)).toBe(true);
      const { task: moved } = (await place.hear(loop(), { backgroundAfter: 500 })).result;
      expect(await until(() => linesOf(place, String(moved)).includes('origin /a'), WAIT_MS)).toBe(true);
      expect(own()).toHaveLength(2);
      for (const proxy of own()) process.kill(proxy, 'SIGSTOP');
      for (const each of [task, moved]) await (await place.shell.task(String(each)))?.stop();
      const isGone = await until(() => own().length === 0, WAIT_MS);
      for (const proxy of own()) process.kill(proxy, 'SIGKILL');
      expect(isGone).toBe(true);
    },
    TIME_MS,
  );

  test(
    'while the host is there, it is asked about hosts, and hears of refusals',
    async (context) => {
      const broker = createBroker();
      const asked: string[] = [];
      broker.attach(
        callbackSurface(({ effects }) => {
          const [target] = effects?.network ?? [];
          asked.push(`${target?.host}:${target?.port}`);
          return target?.host === '127.0.0.1' || target === undefined ? 'allow' : 'deny';
        }),
      );
      const network = { allowAddresses: [`127.0.0.1:${port}`] };
      const place = await bare(context, { settings: { mode: 'default', sandbox: { network } }, shell: { broker } });
      // Not in the command: the host would be allowed with it.
      writeTree(place.project, {
        'ask.sh': `curl -sS --noproxy '' http://127.0.0.1:${port}/a 2>&1; curl -sS http://evil.example/ 2>&1\n`,
      });
      const { task } = await place.start('sh ask.sh');
      const id = String(task);
      expect(await until(() => linesOf(place, id).some((line) => line.includes('refused')), WAIT_MS)).toBe(true);
      expect(linesOf(place, id)).toContain('origin /a');
      expect(asked).toContain('evil.example:80');
      expect(linesOf(place, id).join('\n')).toContain('permission to contact this host was denied');
      expect(await until(() => own().length === 0, WAIT_MS)).toBe(true);
    },
    TIME_MS,
  );
});
