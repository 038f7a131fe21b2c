// Programs that talk to their own servers over unix sockets, and debuggers, in the sandbox `workspace` without settings.
// A socket of another program is refused, and the result says so once.

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Place as Ground, isRoot } from '../attacks/place.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';
import { hasProgram, writeTree } from './place.ts';
import { said, useProjects } from './project.ts';

const TIME_MS = 120_000;
const NUMBERS =
  '#include <stdio.h>\nint twice(int x) { return 2 * x; }\nint main(void) { printf("%d\\n", twice(21)); return 0; }\n';
const SERVE = `import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print("ready", flush=True)
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
    c, _ = s.accept()
    c.sendall(b"served")
`;
const ODD_ADDRESSES = `import ctypes, socket
c = ctypes.CDLL(None)
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    for named in (0, 1, 2, 10, 16, 17, 40, 255, 65535):
        for length in list(range(-1, 40)) + [108, 109, 110, 111, 128, 129, 4096]:
            for fill in (b"\\0", b"\\x7f", b"\\xff"):
                try: s = socket.socket(family, socket.SOCK_STREAM)
                except OSError: continue
                s.setblocking(False)
                address = ctypes.create_string_buffer(named.to_bytes(2, "little") + fill * 4096)
                c.connect(s.fileno(), address, length)
                s.close()
print("done")
`;
const CALL = `import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(9).decode())
`;

describe.skipIf(process.platform !== 'linux')('in namespaces', () => {
  const { bare } = useProjects('namespaces');

  const programs: readonly [name: string, needs: readonly string[], script: string, output: RegExp][] = [
    [
      'tmux runs a session, and a later command starts its own',
      ['tmux'],
      'tmux new-session -d -s one "echo inside > made; sleep 9"; until test -s made; do sleep 0.05; done; tmux ls; tmux kill-server; cat made; rm made',
      /^one: 1 windows.*\ninside\n$/,
    ],
    [
      'ssh-agent holds a key',
      ['ssh-agent', 'ssh-keygen'],
      'rm -f agent key*; eval "$(ssh-agent -a ./agent)" > /dev/null; ssh-keygen -q -t ed25519 -N "" -f key -C made; ssh-add -q key; ssh-add -l; kill $SSH_AGENT_PID',
      /^256 SHA256:\S+ made \(ED25519\)\n$/,
    ],
    [
      'gpg makes a key and signs, through its agent',
      ['gpg'],
      `export GNUPGHOME=$PWD/keys; mkdir -p -m 700 keys
       gpg --batch -q --pinentry-mode loopback --passphrase "" --quick-gen-key "A <a@example.com>" ed25519 default never 2> log || cat log
       echo text > file; gpg --batch -q --yes --pinentry-mode loopback --passphrase "" --sign file || cat log
       gpg --verify file.gpg 2>&1 | grep -o "Good signature"; gpgconf --kill all`,
      /Good signature\n$/,
    ],
    [
      'a manager of multiprocessing shares a dictionary',
      ['python3'],
      `cat > manager.py <<'END'
import multiprocessing as m
def work(shared): shared["made"] = "inside"
if __name__ == "__main__":
    with m.Manager() as manager:
        shared = manager.dict()
        for method in ("fork", "spawn"):
            p = m.get_context(method).Process(target=work, args=(shared,))
            p.start()
            p.join()
        print(dict(shared))
END
python3 manager.py`,
      /^\{'made': 'inside'\}\n$/,
    ],
    [
      'gdb stops at a function and prints its argument',
      ['gdb', 'cc'],
      'cc -g -O0 -o numbers numbers.c && gdb -nx -batch -ex "break twice" -ex run -ex "print x" -ex continue ./numbers 2>/dev/null',
      /\$1 = 21\n[\s\S]*42\n[\s\S]*exited normally/,
    ],
    [
      'gdb attaches to a process of the command',
      ['gdb'],
      'sleep 30 & gdb -nx -batch -p $! -ex "info inferiors" 2>/dev/null; kill $!',
      /process \d+.*sleep/,
    ],
    [
      'strace follows children',
      ['strace'],
      'strace -f -e trace=execve -o calls sh -c "/bin/true; exit 3"; echo $?; grep -c /bin/true calls',
      /^3\n[1-9]\d*\n$/,
    ],
  ];
  for (const [name, needs, script, output] of programs)
    test(
      name,
      async (context) => {
        const place = await bare(context, {}, needs);
        writeTree(place.project, { 'numbers.c': NUMBERS, 'script.sh': script });
        const result = await place.run('bash script.sh');
        expect(result.output).toMatch(output);
        // What the first one left behind does not hinder the next.
        expect((await place.run('bash script.sh')).output).toMatch(output);
        expect(result.violations.filter(({ kind }) => kind === 'socket')).toEqual([]);
      },
      TIME_MS,
    );

  test(
    'PostgreSQL serves by its socket, and knows its user',
    async (context) => {
      if (!keeperUnderTest.isAvailable) return context.skip(keeperUnderTest.reason);
      for (const name of ['initdb', 'pg_ctl', 'psql'])
        if (!hasProgram(name)) return context.skip(`${name} is not installed`);
      if (!isRoot) return context.skip('needs root, to become another user');
      const ground = new Ground(keeperUnderTest.path, keeperStderr, 'user');
      try {
        ground.make({}, ['w']);
        const unavailable = await ground.open('namespaces');
        if (unavailable !== null) return context.skip(unavailable);
        const script = `initdb -D $PWD/data -A peer -U "$(id -un)" > log 2>&1 && pg_ctl -D data -l log -o "-k $PWD -h ''" -w start > /dev/null &&
          psql -h $PWD -d postgres -Atc 'select current_user' || cat log; pg_ctl -D data -m immediate stop > /dev/null`;
        const { exitCode, output } = await ground.runner.start({
          program: 'bash',
          argv: ['bash', '-c', script],
          cwd: ground.path('w'),
          env: { PATH: process.env.PATH ?? '', HOME: ground.path('w'), LC_ALL: 'C' },
          timeoutMs: 90_000,
          confinement: ground.plan({}).spec,
        }).done;
        expect([exitCode, (await output.read(0, 4000)).toString()]).toEqual([0, 'nobody\n']);
      } finally {
        await ground.close();
      }
    },
    TIME_MS,
  );

  test('addresses of every family and length are answered', async (context) => {
    const place = await bare(context, {}, ['python3']);
    writeTree(place.project, { 'odd.py': ODD_ADDRESSES });
    for (const name of ['workspace', 'restricted'] as const) {
      const result = await place.run('python3 odd.py', { sandbox: { name } });
      expect([name, result.status, result.output.split('\n')[0]]).toEqual([name, 'exited', 'done']);
    }
  });

  test('a server in the background serves the commands of its session, and no others', async (context) => {
    const place = await bare(context, {}, ['python3']);
    writeTree(place.project, { 'serve.py': SERVE, 'call.py': CALL });
    const { outputFile } = await place.start(
      'python3 serve.py own.sock 2 & until test -e go; do sleep 0.05; done; python3 call.py own.sock; wait',
    );
    expect(await until(() => existsSync(join(place.project, 'own.sock')), 30_000)).toBe(true);
    const other = await place.run('python3 call.py own.sock 2>&1 | tail -1', { session: 'another' });
    expect(other.output).toMatch(/ConnectionRefusedError/);
    expect((await place.run('python3 call.py own.sock')).output).toBe('served\n');
    writeFileSync(join(place.project, 'go'), '');
    expect(await until(() => readFileSync(outputFile as string, 'utf8').includes('served'), 30_000)).toBe(true);
  });

  test('a socket of another program in the project is refused, and reported once with what to do', async (context) => {
    const place = await bare(context, {}, ['python3']);
    const path = join(place.project, 'host.sock');
    const accepted: string[] = [];
    const server = createServer((socket) => {
      accepted.push('connection');
      socket.end('reached');
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      writeTree(place.project, { 'call.py': CALL });
      const command = 'for i in 1 2 3; do python3 call.py host.sock 2>&1 | tail -1; done';
      const { output, violations } = await place.run(command);
      expect(output).toMatch(/^(?:PermissionError: .*\n){3}/);
      expect(violations).toEqual([
        {
          kind: 'socket',
          operation: 'connect',
          target: path,
          rule: 'sandbox.network.allowUnixSockets',
          instead: 'Add the socket to sandbox.network.allowUnixSockets.',
        },
      ]);
      expect(accepted).toEqual([]);
    } finally {
      server.close();
    }
  });

  test('no socket file of this machine can be reached', async (context) => {
    const place = await bare(context, {}, ['python3']);
    const server = createServer().listen(join(place.base, 'host.sock'));
    await once(server, 'listening');
    try {
      const paths = readFileSync('/proc/net/unix', 'utf8')
        .split('\n')
        .map((line) => line.split(/ +/)[7] ?? '')
        .filter((path) => path.startsWith('/') && existsSync(path));
      writeTree(place.project, { 'call.py': CALL, paths: `${paths.join('\n')}\n` });
      const { output } = await place.run('while read -r path; do python3 call.py "$path" 2>&1 | tail -1; done < paths');
      expect(paths).toContain(join(place.base, 'host.sock'));
      expect(output.match(/^\w+Error: /gm)).toHaveLength(paths.length);
    } finally {
      server.close();
    }
  });
});

describe.skipIf(process.platform !== 'linux')('by landlock', () => {
  const { bare } = useProjects('landlock');

  test('there are no sockets of its own, and no debuggers', async (context) => {
    const place = await bare(context, {}, ['python3', 'strace']);
    writeTree(place.project, { 'call.py': CALL });
    expect(said(await place.run('python3 call.py x 2>&1 | tail -1'))[1]).toMatch(/PermissionError/);
    expect(said(await place.run('strace true 2>&1'))[1]).toMatch(/Operation not permitted/);
  });
});
