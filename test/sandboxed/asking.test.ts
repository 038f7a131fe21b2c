// Unknown hosts: the connection waits while the user is asked, and the answer applies as it should.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface, type OnAsk } from '../../src/approve/callback-surface.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { ApprovalRequest } from '../../src/core/approval.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';
import { nameOfLoopback } from './registry.ts';

const HOST = await nameOfLoopback();

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);
  let server: Server;
  let port = 0;
  beforeEach(async () => {
    server = createServer((_, response) => response.end('reached\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
  });

  interface Asked {
    readonly place: Place;
    readonly requests: readonly ApprovalRequest[];
  }

  /** A project with a script that contacts the server by this machine's name. */
  async function prepare(
    context: TestContext,
    onAsk: OnAsk,
    settings: Settings = {},
    brokerOptions: Parameters<typeof createBroker>[0] = {},
  ): Promise<Asked> {
    if (HOST === null) context.skip('the name of this machine does not lead to its loopback');
    const requests: ApprovalRequest[] = [];
    const broker = createBroker(brokerOptions);
    broker.attach(
      callbackSurface((request, details) => {
        requests.push(request);
        return onAsk(request, details);
      }),
    );
    const { sandbox, ...rest } = settings;
    const network = { allowAddresses: [`127.0.0.1:${port}`], ...sandbox?.network };
    const place = await bare(context, { settings: { ...rest, sandbox: { ...sandbox, network } }, shell: { broker } });
    writeTree(place.project, { 'fetch.sh': `curl -sS http://${HOST}:${port}/\n` });
    return { place, requests };
  }

  test('a yes lets the connection through, and is asked for once per command', async (context) => {
    const { place, requests } = await prepare(context, () => 'allow');
    const { output, violations } = await place.run('sh fetch.sh && sh fetch.sh', { description: 'Fetch it' });
    expect([output, violations]).toEqual(['reached\nreached\n', []]);
    expect(requests).toMatchObject([
      {
        description: 'Fetch it',
        command: 'sh fetch.sh && sh fetch.sh',
        suggestions: [`Network(${HOST}:${port})`],
        findings: [{ id: 'network-host', layer: 'sandbox', verdict: 'ask' }],
      },
    ]);
    await place.run('sh fetch.sh');
    expect(requests).toHaveLength(2);
  });

  test('a no refuses it', async (context) => {
    const { place, requests } = await prepare(context, () => 'deny');
    const { output, violations } = await place.run('sh fetch.sh');
    expect(output).toContain('permission to contact this host was denied');
    expect(violations).toMatchObject([{ kind: 'network', target: `${HOST}:${port}` }]);
    expect(requests).toHaveLength(1);
  });

  test('no answer in time refuses it, and reports that', async (context) => {
    const { place, requests } = await prepare(context, () => new Promise(() => {}), {}, { timeout: 300 });
    const { output, violations } = await place.run('sh fetch.sh');
    expect(output).toContain('the question was not answered in time');
    expect(violations).toMatchObject([{ target: `${HOST}:${port}` }]);
    expect(requests).toHaveLength(1);
  });

  test('no one to ask refuses it, and that is the reason', async (context) => {
    const settings = { permissions: { allow: ['Bash(sh fetch.sh)'] } };
    const place = await bare(context, { settings, shell: { broker: createBroker() } });
    writeTree(place.project, { 'fetch.sh': 'curl -sS http://unknown.example/\n' });
    const { output, violations } = await place.run('sh fetch.sh');
    expect(output).toContain('there was no one to ask');
    expect(violations).toMatchObject([
      { target: 'unknown.example:80', rule: expect.stringContaining('no one to ask') },
    ]);
  });

  test('a command that is ended takes its question with it', async (context) => {
    let withdrawn = false;
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { place } = await prepare(context, (_, { signal }) => {
      asked();
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn = true;
          resolve('deny');
        });
      });
    });
    const controller = new AbortController();
    const running = place.run('sh fetch.sh', { signal: controller.signal });
    await isAsked;
    controller.abort();
    expect((await running).status).toBe('cancelled');
    await expect.poll(() => withdrawn).toBe(true);
  });

  test('what is granted for a session holds for its next commands, and for no other session', async (context) => {
    const { place, requests } = await prepare(context, ({ suggestions: [rule = null] }) => ({
      verdict: 'allow',
      scope: 'session',
      rule,
    }));
    expect((await place.run('sh fetch.sh', { session: 'one' })).output).toBe('reached\n');
    expect((await place.run('sh fetch.sh', { session: 'one' })).output).toBe('reached\n');
    expect(requests).toHaveLength(1);
    await place.run('sh fetch.sh', { session: 'two' });
    expect(requests).toHaveLength(2);
  });

  test('a denied host is never asked about, and a yes to a command that names it does not open it', async (context) => {
    const { place, requests } = await prepare(context, () => 'allow', { domains: { deny: [HOST ?? ''] } });
    const hidden = await place.run('sh fetch.sh');
    expect(hidden.violations).toMatchObject([{ rule: `domains.deny: ${HOST}` }]);
    const named = await place.run(`sh fetch.sh http://${HOST}:${port}/`, { assumeYes: true });
    expect(named.output).not.toContain('reached\n');
    expect(requests.filter(({ findings }) => findings.some(({ id }) => id === 'network-host'))).toEqual([]);
  });

  test('if no one may be asked, no question is asked', async (context) => {
    const { place, requests } = await prepare(context, () => 'allow', {
      mode: 'dont-ask',
      permissions: { allow: ['Bash(sh fetch.sh)'] },
    });
    const { output, violations } = await place.run('sh fetch.sh');
    expect(output).toContain('no rule allows this host');
    expect([violations.length, requests]).toEqual([1, []]);
  });
});
