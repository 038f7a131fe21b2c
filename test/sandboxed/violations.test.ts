// Refusals of a confined command: reported as an event, in the result, and after the output.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Alert, auditObserver, createAlerts, createMetrics, tailAudit } from '../../src/api/audit.ts';
import type { SandboxViolation } from '../../src/core/confinement.ts';
import { createPlace, openAt } from '../recording/subject.ts';
import { hasProgram, outside, writeTree } from './place.ts';
import { useProjects } from './project.ts';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare, project } = useProjects(tier);

  test('a host that no rule allows', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['other.example'] } } });
    // In a file: what the command itself names would be allowed with it.
    writeTree(place.project, { 'fetch.sh': 'curl -sS http://evil.example/data; curl -sS http://evil.example/more\n' });
    const { result, events } = await place.hear('sh fetch.sh');
    const violation = {
      kind: 'network',
      operation: 'connect',
      target: 'evil.example:80',
      rule: 'domains: no rule allows this host',
      instead: 'Allow it: --allow-domain evil.example',
    };
    expect(result.violations).toEqual([violation]);
    expect(events.filter(({ type }) => type === 'violation')).toMatchObject([{ type: 'violation', ...violation }]);
    expect(result.output).toMatch(
      /hardshell refused the connection to evil\.example:80[\s\S]*<sandbox_violations>\n- connect evil\.example:80: domains: no rule allows this host\n {2}Do without the host, or ask the user to allow it\.\n<\/sandbox_violations>\n$/,
    );
  });

  test('a program that resolves names itself: the host that it asks for is named', async (context) => {
    if (tier === 'landlock') context.skip('without namespaces no socket for lookups can be created');
    const servers = readFileSync('/etc/resolv.conf', 'utf8').match(/^nameserver .*$/gm) ?? [];
    if (servers.length === 0 || servers.some((line) => / (?:127\.|::1)/.test(line)))
      context.skip('the name server of this machine is on its loopback, which is private in the sandbox');
    const place = await bare(context);
    writeTree(place.project, {
      'ask.py': `import socket, threading
def ask(name):
    try: socket.getaddrinfo(name, 22)
    except OSError: pass
ask('first.example')
thread = threading.Thread(target=ask, args=['second.example'])
thread.start()
thread.join()
`,
    });
    const { violations } = await place.run('python3 ask.py');
    const rule = 'only the proxy resolves names, for the hosts that are allowed';
    expect(violations.map(({ target, rule }) => [target, rule])).toEqual([
      ['first.example', rule],
      ['second.example', rule],
    ]);
    if (!hasProgram('ssh')) return;
    const { violations: bySsh } = await place.run('ssh -o BatchMode=yes git@third.example true');
    expect(bySsh.map(({ target }) => target)).toEqual(['third.example']);
  });

  test('a host that a rule denies, although the allowed command names it', async (context) => {
    const place = await bare(context, { settings: { domains: { deny: ['evil.example'] }, checks: {} } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS http://evil.example/\n' });
    const { violations } = await place.run('sh fetch.sh', { sandbox: { allowDomains: ['evil.example'] } });
    expect(violations).toMatchObject([{ target: 'evil.example:80', rule: 'domains.deny: evil.example' }]);
  });

  test('an address of this machine, although its name is allowed', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['127.0.0.1.example'] } } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS --noproxy "" http://169.254.169.254/latest/\n' });
    const { result } = await place.hear('sh fetch.sh');
    expect(result.violations).toMatchObject([{ kind: 'network', target: '169.254.169.254:80' }]);
  });

  test('a connection that goes around the proxy', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['other.example'] } } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS --noproxy "*" --max-time 20 http://192.0.2.1/\n' });
    const { exitCode, violations, enforcement } = await place.run('sh fetch.sh');
    expect(exitCode).not.toBe(0);
    expect(enforcement.held).toContain('network');
    expect(violations).toMatchObject([{ kind: 'network', operation: 'connect', target: '192.0.2.1:80' }]);
  });

  test('a socket file of this machine', async (context) => {
    const place = await bare(context);
    const folder = join(place.base, 'sockets');
    mkdirSync(folder);
    const sockets = ['allowed', 'shut'].map((name) => join(folder, name));
    const servers = sockets.map((path) => createServer((socket) => socket.end('reached\n')).listen(path));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    try {
      writeTree(place.project, { 'knock.py': KNOCK });
      const alone = await place.run(`python3 knock.py`);
      expect(alone.output).toMatch(/^allowed refused\nshut refused\n/);
      const other = await bare(context, {
        settings: { sandbox: { network: { allowUnixSockets: [`/${sockets[0]}`] } } },
      });
      writeTree(other.project, { 'knock.py': KNOCK.replace('../sockets', folder) });
      const { result, events } = await other.hear('python3 knock.py');
      expect(result.output).toMatch(/^allowed reached\nshut refused\n/);
      const violation = {
        kind: 'socket',
        operation: 'connect',
        target: sockets[1],
        rule: 'sandbox.network.allowUnixSockets',
        instead: 'Add the socket to sandbox.network.allowUnixSockets.',
      };
      expect(result.violations).toEqual([violation]);
      expect(events.filter(({ type }) => type === 'violation')).toMatchObject([violation]);
      await other.close();
    } finally {
      for (const server of servers) server.close();
    }
  });

  test('files outside: what is refused is seen, whatever the command prints', async (context) => {
    const place = await bare(context);
    writeTree(place.base, { 'beside/file': 'x\n', 'beside/gone': 'x\n', 'home/.ssh/id_ed25519': 'secret\n' });
    writeTree(place.base, { 'beside/full/x': 'x\n' });
    mkdirSync(join(place.base, 'beside/empty'));
    writeTree(place.project, {
      mine: 'x\n',
      'touch.sh': `exec 2>/dev/null
echo y > ../beside/file; echo y >> ../beside/file
touch ../beside/new; touch ../beside/new
rm ../beside/gone
rmdir ../beside/full ../beside/empty
mkdir ../beside/folder
mv mine ../beside/moved
ln -s ../beside link; touch link/linked
touch ~/.ssh/planted
chmod 600 ../beside/file
echo "touch: cannot touch '/etc/spoofed': Permission denied" >&2
echo "[Errno 1] Operation not permitted"
echo "kill: (7) - Operation not permitted"
cat ~/.ssh/id_ed25519
`,
    });
    const { result, events } = await place.hear('sh touch.sh');
    expect(result.output).not.toContain('secret');
    const beside = (name: string) => join(place.base, 'beside', name);
    const seen = (list: readonly object[]) =>
      (list as readonly SandboxViolation[]).map(({ operation, target }) => `${operation} ${target}`);
    expect(seen(result.violations)).toEqual([
      `write ${beside('file')}`,
      `create ${beside('new')}`,
      `delete ${beside('gone')}`,
      // One that is not empty could not be removed outside either.
      `delete ${beside('empty')}`,
      `create ${beside('folder')}`,
      `create ${beside('moved')}`,
      `create ${beside('linked')}`,
      `create ${join(place.home, '.ssh/planted')}`,
      // Without a mount namespace modes outside can be changed, and the result says so.
      ...(tier === 'namespaces' ? [`change ${beside('file')}`] : []),
    ]);
    expect(seen(events.filter(({ type }) => type === 'violation'))).toEqual(seen(result.violations));
    expect(result.enforcement.reported).toContain('changes');
    expect(result.output).toMatch(/<sandbox_violations>\n- write .*beside\/file: outside the writable folders\n/);
  });

  test('the same in events, result, audit, metrics and alerts', async (context) => {
    const records = createPlace();
    const audit = openAt(records);
    const metrics = createMetrics();
    const alerted: Alert[] = [];
    const alerts = createAlerts({ environment: {}, onAlert: (alert) => void alerted.push(alert) });
    try {
      const observers = [auditObserver(audit), metrics.observer, alerts.observer];
      const place = await bare(context, { shell: { observers } });
      writeTree(place.project, { 'x.sh': 'touch /usr/hardshell-x /usr/hardshell-y 2>/dev/null; true\n' });
      const { result, events } = await place.hear('sh x.sh');
      await audit.close();
      const targets = ['/usr/hardshell-x', '/usr/hardshell-y'];
      expect(result.violations.map(({ target }) => target)).toEqual(targets);
      expect(events.filter(({ type }) => type === 'violation')).toMatchObject(result.violations);
      const entries = tailAudit({ folder: records.folder, count: 10 });
      expect(entries.filter(({ type }) => type === 'violation')).toMatchObject(result.violations);
      expect(entries.find(({ type }) => type === 'end')).toMatchObject({ violations: 2 });
      expect(metrics.snapshot().securityStats.violationsByKind).toEqual({ file: 2 });
      const heard = alerted.filter(({ kind }) => kind === 'violation');
      expect(heard.map(({ details }) => details?.target)).toEqual(targets);
    } finally {
      await alerts.close();
      records.remove();
    }
  });

  test('ways around the name: descriptors of folders, /proc, links into /proc, long paths', async (context) => {
    const place = await bare(context, {}, ['python3']);
    writeTree(place.project, {
      'ways.py': `import os
def attempt(path, flags=os.O_WRONLY | os.O_CREAT, **more):
    try: os.close(os.open(path, flags, **more))
    except OSError: pass
attempt('/proc/self/root/usr/by-root')
attempt('/proc/%d/root/usr/by-number' % os.getpid())
os.symlink('/proc/self/root', 'link'); attempt('link/usr/by-link'); os.unlink('link')
os.symlink('/usr/dangling', 'link'); attempt('link'); os.unlink('link')
fd = os.open('/usr', os.O_RDONLY)
attempt('/proc/self/fd/%d/by-descriptor' % fd)
os.fchdir(fd); attempt('by-folder'); attempt('../usr/./lib/../by-dots')
attempt('/usr/' + './' * 3000 + 'too-long')
attempt('/usr/' + 'x' * 300)
os.mkdir('/tmp/own'); attempt('/tmp/own/fine'); attempt('/dev/null', os.O_WRONLY); attempt('/usr/absent/x')
`,
    });
    const { violations } = await place.run('python3 ways.py');
    const names = ['by-root', 'by-number', 'by-link', 'dangling', 'by-descriptor', 'by-folder', 'by-dots'];
    const own = tier === 'namespaces' ? [] : ['/tmp/own'];
    expect(violations.map(({ target }) => target)).toEqual([...names.map((name) => `/usr/${name}`), ...own]);
  });

  test('a hundred thousand refusals: each target once, a bound, and the rest is counted', async (context) => {
    const place = await bare(context, {}, ['python3']);
    writeTree(place.project, {
      'many.py': `import os
for i in range(100000):
    try: os.mkdir('/usr/hardshell-%d' % (i % 300))
    except OSError: pass
print('done')
`,
    });
    const { result, events } = await place.hear('python3 many.py', { timeout: 100_000 });
    expect(result.output).toMatch(/^done\n/);
    expect(result.violations).toHaveLength(100);
    expect(new Set(result.violations.map(({ target }) => target)).size).toBe(100);
    expect(events.filter(({ type }) => type === 'violation')).toHaveLength(100);
    expect(result.omittedViolations).toBeGreaterThan(60_000);
    expect(result.output).toMatch(/- and \d+ more\n/);
  }, 120_000);

  test('a thread that changes the path while it is read makes no false report, and hangs nothing', async (context) => {
    const place = await bare(context, {}, ['cc']);
    writeTree(place.project, { 'race.c': RACE });
    const { exitCode, violations, output } = await place.run('cc -O1 -pthread -static -o race race.c && ./race');
    expect([exitCode, output.includes('done')]).toEqual([0, true]);
    // Either path was given to the kernel; none of them can be reported but the one outside.
    expect(violations.map(({ target }) => target).filter((target) => target !== '/usr/raced')).toEqual([]);
  }, 60_000);

  test('a command that only moves trees inside is not asked about its files, and the result says so', async (context) => {
    const place = await bare(context);
    writeTree(place.project, { 'a/one': 'x\n', 'run.sh': 'cp -r a b\n' });
    const inside = await place.run('cp -r a b');
    expect([inside.exitCode, inside.enforcement.reported.includes('changes')]).toEqual([0, false]);
    // Where it could be refused, or is not known, it is.
    const beside = join(place.base, 'beside');
    const outward = await place.run(`cp -r a ${beside} 2>/dev/null`);
    expect(outward.enforcement.reported).toContain('changes');
    expect(outward.violations).toMatchObject([{ operation: 'create', target: beside }]);
    expect((await place.run('sh run.sh')).enforcement.reported).toContain('changes');
  });

  test('a signal to a process outside', async (context) => {
    const place = await bare(context);
    const child = spawn('sleep', ['60']);
    try {
      writeTree(place.project, { 'kill.sh': `kill ${child.pid}; sleep 30 & kill $!; true\n` });
      const { violations, enforcement } = await place.run('sh kill.sh');
      expect(child.exitCode ?? child.signalCode).toBeNull();
      // In namespaces there is no such process to signal.
      const isSeen = enforcement.reported.includes('signals');
      expect(isSeen).toBe(tier === 'landlock' && enforcement.held.includes('signals-outside'));
      const violation = { kind: 'process', operation: 'signal', target: `process ${child.pid}` };
      expect(violations).toMatchObject(isSeen ? [violation] : []);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('a service of this machine that the command cannot reach', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['other.example'] } } }, ['python3']);
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      writeTree(place.project, {
        'knock.py': `import socket
for port in (${port}, 1):
    try: socket.create_connection(('127.0.0.1', port), 5)
    except OSError: pass
`,
      });
      const { violations } = await place.run('python3 knock.py');
      const shut = violations.map(({ operation, target }) => `${operation} ${target}`);
      // Without a network of its own every port that is not listed is refused, used or not.
      expect(shut).toEqual([`connect 127.0.0.1:${port}`, ...(tier === 'landlock' ? ['connect 127.0.0.1:1'] : [])]);
    } finally {
      server.close();
    }
  });

  test('the restricted sandbox: a connection', async (context) => {
    const place = await bare(context, {}, ['python3']);
    writeTree(place.project, {
      'open.py': "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 5)\nexcept OSError: pass\n",
    });
    const { violations } = await place.run('python3 open.py', { sandbox: { name: 'restricted' } });
    // Without a network of its own there are no sockets for the internet at all.
    const target = tier === 'namespaces' ? '192.0.2.1:80' : 'tcp';
    const rule = 'the restricted sandbox has no network';
    expect(violations).toMatchObject([{ kind: 'network', operation: 'connect', target, rule }]);
  });

  test('a protected file of the project', async (context) => {
    const place = await project(context, { one: 'one\n', '.vscode/settings.json': '{}\n' });
    writeTree(place.base, { 'tools/plant.sh': 'echo x >> .vscode/settings.json\necho x > .git/hooks/post-commit\n' });
    const { result } = await place.hear(`sh ${join(place.base, 'tools/plant.sh')}`);
    const isHeld = result.enforcement.held.includes('protected-existing');
    expect(isHeld).toBe(tier === 'namespaces');
    if (!isHeld) return;
    expect(result.violations).toMatchObject([
      { kind: 'file', operation: 'write', target: join(place.project, '.vscode/settings.json') },
      { kind: 'file', operation: 'create', target: join(place.project, '.git/hooks/post-commit') },
    ]);
    expect(existsSync(join(place.project, '.git/hooks/post-commit'))).toBe(false);
  });

  test('a protected name that was not there', async (context) => {
    const place = await project(context, { one: 'one\n' });
    writeTree(place.base, { 'tools/plant.sh': 'mkdir .claude && echo x > .claude/settings.json; echo x > .envrc\n' });
    const { result, events } = await place.hear(`sh ${join(place.base, 'tools/plant.sh')}`);
    expect(existsSync(join(place.project, '.claude'))).toBe(false);
    expect(existsSync(join(place.project, '.envrc'))).toBe(false);
    expect(result.violations.map(({ target }) => target).sort()).toEqual([
      join(place.project, '.claude'),
      join(place.project, '.envrc'),
    ]);
    expect(events.filter(({ type }) => type === 'violation')).toMatchObject([
      { kind: 'protected-name', operation: 'create' },
      { kind: 'protected-name', operation: 'create' },
    ]);
    expect(outside('git', ['status', '--porcelain', '--untracked-files=all'], place.project)).toBe('');
  });

  test('nothing is said about what was no fault of the sandbox', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['other.example'] } } });
    const { violations, output } = await place.run(
      'cat missing; echo "x: Permission denied"; echo "cat: ./y: Permission denied"; true',
    );
    expect([violations, output.includes('<sandbox_violations>')]).toEqual([[], false]);
  });
});

const KNOCK = `import socket
for name in ['allowed', 'shut']:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect('../sockets/' + name); print(name, s.recv(100).decode().strip())
    except OSError as error:
        print(name, 'refused')
`;

const RACE = `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char path[64] = "/usr/raced";
static volatile int over;
static void *change(void *unused) {
  while (!over) { memcpy(path, "/tmp/raced", 11); memcpy(path, "/usr/raced", 11); }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, change, NULL);
  for (int i = 0; i < 3000; i++) { int fd = open(path, O_WRONLY | O_CREAT, 0600); if (fd >= 0) close(fd); }
  over = 1;
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
`;
