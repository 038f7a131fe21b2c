// Refusals of a confined command: reported as an event, in the result, and after the output.

import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outside, writeTree } from './place.ts';
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
      certainty: 'seen',
    };
    expect(result.violations).toEqual([violation]);
    expect(events.filter(({ type }) => type === 'violation')).toMatchObject([{ type: 'violation', ...violation }]);
    expect(result.output).toMatch(
      /hardshell refused the connection to evil\.example:80[\s\S]*<sandbox_violations>\n- connect evil\.example:80: domains: no rule allows this host\nDo without it, or ask the user to allow it\.\n<\/sandbox_violations>\n$/,
    );
  });

  test('a host that a rule denies, although the allowed command names it', async (context) => {
    const place = await bare(context, { settings: { domains: { deny: ['evil.example'] }, checks: {} } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS http://evil.example/\n' });
    const { violations } = await place.run('sh fetch.sh', { sandbox: { allowDomains: ['evil.example'] } });
    expect(violations).toMatchObject([
      { target: 'evil.example:80', rule: 'domains.deny: evil.example', certainty: 'seen' },
    ]);
  });

  test('an address of this machine, although its name is allowed', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['127.0.0.1.example'] } } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS --noproxy "" http://169.254.169.254/latest/\n' });
    const { result } = await place.hear('sh fetch.sh');
    expect(result.violations).toMatchObject([{ kind: 'network', target: '169.254.169.254:80', certainty: 'seen' }]);
  });

  test('a connection that goes around the proxy', async (context) => {
    const place = await bare(context, { settings: { domains: { allow: ['other.example'] } } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS --noproxy "*" --max-time 20 http://192.0.2.1/\n' });
    const { exitCode, violations, enforcement } = await place.run('sh fetch.sh');
    expect(exitCode).not.toBe(0);
    expect(enforcement.held).toContain('network');
    // A private network has no route there, and no one to report it.
    expect(violations.map(({ target }) => target)).toEqual(tier === 'namespaces' ? [] : ['192.0.2.1:80']);
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
        certainty: 'seen',
      };
      expect(result.violations).toEqual([violation]);
      expect(events.filter(({ type }) => type === 'violation')).toMatchObject([violation]);
      await other.close();
    } finally {
      for (const server of servers) server.close();
    }
  });

  test('a file outside, and a hidden one, as the command tells', async (context) => {
    const place = await bare(context);
    writeTree(place.base, { 'beside/file': 'x\n', 'home/.ssh/id_ed25519': 'secret\n' });
    writeTree(place.project, {
      'touch.sh': 'echo y > ../beside/file\ntouch ../beside/new\nrm ../beside/file\ncat ~/.ssh/id_ed25519\n',
    });
    const { result } = await place.hear('sh touch.sh');
    expect(result.output).not.toContain('secret');
    const beside = join(place.base, 'beside');
    const refused = { kind: 'file', operation: 'write', rule: 'outside the writable folders', certainty: 'told' };
    expect(result.violations).toMatchObject([
      { ...refused, target: join(beside, 'file') },
      { ...refused, target: join(beside, 'new') },
      { kind: 'file', operation: 'read', target: join(place.home, '.ssh/id_ed25519'), certainty: 'told' },
    ]);
    expect(result.output).toMatch(
      /<sandbox_violations>\n- write .*beside\/file: outside the writable folders \(as the command reports\)\n/,
    );
  });

  test('a protected file of the project', async (context) => {
    const place = await project(context, { one: 'one\n', '.vscode/settings.json': '{}\n' });
    writeTree(place.base, { 'tools/plant.sh': 'echo x >> .vscode/settings.json\necho x > .git/hooks/post-commit\n' });
    const { result } = await place.hear(`sh ${join(place.base, 'tools/plant.sh')}`);
    const isHeld = result.enforcement.held.includes('protected-existing');
    expect(isHeld).toBe(tier === 'namespaces');
    if (!isHeld) return;
    expect(result.violations).toMatchObject([
      { kind: 'file', operation: 'write', target: join(place.project, '.vscode/settings.json'), certainty: 'told' },
      { kind: 'file', operation: 'write', target: join(place.project, '.git/hooks/post-commit'), certainty: 'told' },
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
      { kind: 'protected-name', operation: 'create', certainty: 'seen' },
      { kind: 'protected-name', operation: 'create', certainty: 'seen' },
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
