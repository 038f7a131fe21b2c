// Sockets of a command, and a host that takes part: it reuses the inode of one, passes in one of its own network, or
// lays out the file system so that numbers mislead.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { isRoot, Place, type Who } from './place.ts';

const PYTHON = '/usr/bin/python3';
const reason = !keeperUnderTest.isAvailable
  ? keeperUnderTest.reason
  : existsSync(PYTHON)
    ? null
    : `${PYTHON} is not installed`;
const keeper = keeperUnderTest.isAvailable ? keeperUnderTest.path : '';

/** Binds and closes its own socket, then connects to what the host has bound under that name. */
const REUSED = `import os, socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("own"); s.listen()
print(os.stat("own").st_ino, flush=True)
if os.path.exists("close"): s.close()
os.unlink("own")
open("unlinked", "w").close()
while not os.path.exists("bound"): time.sleep(0.02)
c = socket.socket(socket.AF_UNIX)
c.connect("own")
print("reached")
`;
/** Gets a TCP socket and a unix socket of the host's network over a listed socket, and connects with them. */
const PASSED = `import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["LISTED"])
data, fds, _, _ = socket.recv_fds(s, 9, 2)
for fd, address in zip(fds, [("127.0.0.1", int(os.environ["PORT"])), b"\\0" + os.environ["ABSTRACT"].encode()]):
    try:
        socket.socket(fileno=fd).connect(address)
        print("reached", address)
    except OSError as e:
        print("refused", e.strerror)
`;
const PASSING = `import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1]); s.listen()
os.chmod(sys.argv[1], 0o777)
a = socket.socket(socket.AF_UNIX)
a.bind(b"\\0" + sys.argv[2].encode()); a.listen()
print("ready", flush=True)
while True:
    c, _ = s.accept()
    pair = [socket.socket(socket.AF_INET), socket.socket(socket.AF_UNIX)]
    socket.send_fds(c, [b"x"], [p.fileno() for p in pair])
`;
const OWN = `import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1])
print("connected")
`;

for (const who of ['root', 'user'] as const satisfies readonly Who[])
  describe.skipIf(reason !== null || (who === 'root' && !isRoot))(`own sockets as ${who}`, () => {
    let place: Place;
    let unavailable: string | null = null;
    beforeAll(async () => {
      place = new Place(keeper, keeperStderr, who);
      place.make({}, ['w']);
      unavailable = await place.open('namespaces');
    }, 60_000);
    afterAll(() => place?.close());

    test.for(['closed', 'unlinked'])(
      'its name and inode are taken over by the host when it is %s',
      async (how, context) => {
        if (unavailable !== null) return context.skip(unavailable);
        place.make({ 'w/reused.py': REUSED, ...(how === 'closed' && { 'w/close': '' }) });
        const running = place.run(`${PYTHON} reused.py 2>&1`, place.plan({}));
        expect(await until(() => existsSync(place.path('w/unlinked')), 20_000)).toBe(true);
        const server = await listen(place.path('w/own'));
        const inode = statSync(place.path('w/own')).ino;
        writeFileSync(place.path('w/bound'), '');
        const { text } = await running;
        server.close();
        // A socket that still listens keeps its inode from being used again.
        if (how === 'unlinked') expect(text.split('\n')[0]).not.toBe(String(inode));
        expect(text).toMatch(/PermissionError/);
        expect(text).not.toContain('reached');
      },
    );

    test('a socket of another network that was passed in connects nowhere', async (context) => {
      if (unavailable !== null) return context.skip(unavailable);
      mkdirSync(place.path('listed'), { recursive: true });
      chmodSync(place.path('listed'), 0o755);
      place.make({ 'w/passed.py': PASSED, 'passing.py': PASSING });
      const abstract = `hardshell-${process.pid}-${who}`;
      const path = join(place.path('listed'), 'socket');
      const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const helper: ChildProcess = spawn(PYTHON, [place.path('passing.py'), path, abstract], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await once(helper.stdout as NodeJS.ReadableStream, 'data');
        const { port } = server.address() as { port: number };
        place.variables = { LISTED: path, PORT: String(port), ABSTRACT: abstract };
        expect((await place.run(`${PYTHON} passed.py`)).text).toMatch(/^reached .*\nreached /);
        const { text } = await place.run(`${PYTHON} passed.py 2>&1`, place.plan({ unixPaths: [path] }));
        expect(text).toBe('refused Permission denied\nrefused Permission denied\n');
      } finally {
        helper.kill('SIGKILL');
        server.close();
      }
    });

    test('a command does not reach the sockets of another one', async (context) => {
      if (unavailable !== null) return context.skip(unavailable);
      const serve = `import socket, os, time
for name in ("own", "\\0hardshell-${who}"):
    s = socket.socket(socket.AF_UNIX); s.bind(name); s.listen(); open("ready" + str(len(name)), "w").close(); globals()[str(len(name))] = s
while not os.path.exists("done"): time.sleep(0.02)
`;
      const call = `import socket
for name in ("own", "\\0hardshell-${who}"):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print("reached")
    except OSError as e: print(e.strerror)
`;
      place.make({ 'w/serve.py': serve, 'w/call.py': call });
      const first = place.run(`${PYTHON} serve.py`, place.plan({}));
      expect(await until(() => existsSync(place.path(`w/ready${11 + who.length}`)), 20_000)).toBe(true);
      expect((await place.run(`${PYTHON} call.py`, place.plan({}))).text).toBe(
        'Connection refused\nConnection refused\n',
      );
      writeFileSync(place.path('w/done'), '');
      expect((await first).exitCode).toBe(0);
    });
  });

describe.skipIf(reason !== null || !isRoot)('own sockets on a file system with numbers of its own', () => {
  test('in an overlay whose upper layer is another file system', async (context) => {
    const mounts = `if [ -z "$INSIDE" ]; then INSIDE=1 exec unshare -m "$0" "$@"; fi
mount -t tmpfs none ./upper && mkdir upper/u upper/w && mount -t overlay none -o xino=off,lowerdir=lower,upperdir=upper/u,workdir=upper/w ./w || exit 9`;
    const place = new Place(keeper, keeperStderr, 'root', mounts);
    try {
      place.make({ 'lower/own.py': OWN }, ['w', 'upper']);
      const unavailable = await place.open('namespaces').catch((error: Error) => error.message);
      if (unavailable !== null) return context.skip(unavailable);
      const { text } = await place.run(`stat -f -c %T . && ${PYTHON} own.py own 2>&1`, place.plan({}));
      expect(text).toBe('overlayfs\nconnected\n');
    } finally {
      await place.close();
    }
  });
});

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end()).listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o777);
  return server;
}
