// Who runs outside of the sandbox, what happens where there is none, and what the sandbox `restricted` leaves.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import type { Settings } from '../../src/config/settings.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { makePlace, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const { bare } = useProjects('namespaces');
const of = { skip: process.platform !== 'linux' };

function brokerThatSays(verdict: 'allow' | 'deny') {
  const broker = createBroker();
  const asked: string[][] = [];
  broker.attach(
    callbackSurface(({ findings }) => {
      asked.push(findings.map(({ id }) => id));
      return verdict;
    }),
  );
  return { broker, asked };
}

describe('a request to run outside', of, () => {
  const wish = { withoutSandbox: true };

  test('is refused unless the settings allow such requests', async (context) => {
    const { broker, asked } = brokerThatSays('allow');
    const place = await bare(context, { shell: { broker } });
    const result = await place.run('echo ran', wish);
    expect([result.status, result.output]).toEqual(['denied', '']);
    expect(result.verdict.findings[0]).toMatchObject({ id: 'outside-sandbox', verdict: 'deny' });
    expect(asked).toEqual([]);
  });

  test.for(['allow', 'deny'] as const)('is put to a person where they do, who says %s', async (answer, context) => {
    const { broker, asked } = brokerThatSays(answer);
    const settings: Settings = { mode: 'default', sandbox: { allowUnsandboxed: true } };
    const place = await bare(context, { settings, shell: { broker } });
    const result = await place.run('echo ran', wish);
    expect(asked).toEqual([expect.arrayContaining(['outside-sandbox'])]);
    expect([result.status, result.output, result.enforcement.tier]).toEqual(
      answer === 'allow' ? ['exited', 'ran\n', 'none'] : ['denied', '', 'none'],
    );
  });

  test('is refused if no one may be asked', async (context) => {
    const settings: Settings = { mode: 'dont-ask', sandbox: { allowUnsandboxed: true } };
    const place = await bare(context, { settings });
    expect((await place.run('echo ran', wish)).status).toBe('denied');
  });
});

describe('excluded commands', of, () => {
  test.for([
    ['git --version', 'none'],
    ['git --version && echo done', 'none'],
    ['git --version | cat', 'namespaces'],
    ['git --version; ls', 'namespaces'],
    ['sh -c "git --version"', 'namespaces'],
    ['/usr/bin/git --version', 'namespaces'],
    ['PATH=/tmp git --version', 'namespaces'],
  ] as const)('%s: %s', async ([command, tier], context) => {
    const place = await bare(context, { settings: { sandbox: { excludedCommands: ['git'] } } });
    expect((await place.run(command)).enforcement.tier).toBe(tier);
  });
});

describe('where nothing can confine', of, () => {
  /** Node's own spawn, and a backend that needs the keeper. */
  async function unconfined(context: TestContext, sandbox: Settings['sandbox'] = {}) {
    const first = await bare(context);
    await first.close();
    const place = makePlace({
      settings: { sandbox: { backend: 'keeper', ...sandbox } },
      shell: { runner: new NodeRunner() },
    });
    context.onTestFinished(() => place.close());
    return place;
  }

  test('nothing runs, and the answer says what to do', async (context) => {
    const place = await unconfined(context);
    const { status, failure, output } = await place.run('echo ran > file');
    expect([status, output, existsSync(join(place.project, 'file'))]).toEqual(['failed', '', false]);
    expect(failure?.message).toMatch(/No sandbox on this machine/);
    expect(failure?.suggestions[0]).toContain('hardshell doctor');
  });

  test('it runs where the settings say so, and the result says that nothing held it', async (context) => {
    const place = await unconfined(context, { failIfUnavailable: false });
    const { status, output, enforcement } = await place.run('echo ran');
    expect([status, output, enforcement.tier, enforcement.held]).toEqual(['exited', 'ran\n', 'none', []]);
    expect(enforcement.missing[0]?.why).toMatch(/the settings let commands run without one$/);
  });

  test('the sandbox restricted is never left out', async (context) => {
    const place = await unconfined(context, { failIfUnavailable: false, name: 'restricted' });
    expect((await place.run('echo ran')).status).toBe('failed');
    const wished = await unconfined(context, { failIfUnavailable: false });
    expect((await wished.run('echo ran', { sandbox: { name: 'restricted' } })).status).toBe('failed');
  });

  test('the sandbox unrestricted needs nothing', async (context) => {
    const place = await unconfined(context, { name: 'unrestricted' });
    const { output, enforcement } = await place.run('echo ran');
    expect([output, enforcement.tier]).toEqual(['ran\n', 'none']);
  });
});

describe.each(['namespaces', 'landlock'] as const)('restricted, by %s', (tier) => {
  const projects = useProjects(tier);

  test('writes nowhere but to temporary files', of, async (context) => {
    const place = await projects.bare(context, { settings: { sandbox: { name: 'restricted' } } });
    const script = `for file in here ~/there /tmp/tmp "$TMPDIR/own" "$XDG_CACHE_HOME/cache"; do
      if echo x 2>/dev/null > "$file"; then echo "$file written"; else echo "$file refused"; fi
    done`;
    const { output, enforcement } = await place.run(script, { streams: 'split' });
    expect(enforcement.tier).toBe(tier);
    expect(existsSync(join(place.project, 'here'))).toBe(false);
    expect(existsSync(join(place.home, 'there'))).toBe(false);
    expect(output).toContain('here refused\n');
    expect(output).toMatch(/there refused\n/);
    expect(output).toMatch(/own written\n/);
    expect(output).toMatch(/cache refused\n/);
  });

  test.for(['/srv', '/tmp'])('reads a project below %s', of, async (parent, context) => {
    if (!existsSync(parent)) return context.skip(`there is no ${parent}`);
    const place = await projects.bare(context, { parent, settings: { sandbox: { name: 'restricted' } } });
    writeTree(place.project, { 'folder/file': 'content\n' });
    const { output } = await place.run('cat file; echo x > new || echo refused', {
      cwd: join(place.project, 'folder'),
    });
    expect(output).toMatch(/^content\n[\s\S]*refused\n/);
    expect(existsSync(join(place.project, 'folder/new'))).toBe(false);
  });

  test('has no network, and takes no wider wishes', of, async (context) => {
    const settings: Settings = {
      domains: { allow: ['*'] },
      sandbox: { name: 'restricted', network: { allowPorts: [9] } },
    };
    const place = await projects.bare(context, { settings });
    const { output } = await place.run('echo "proxy: $http_proxy"; curl -sS http://example.com/ || echo refused');
    expect(output).toMatch(/^proxy: \n[\s\S]*refused\n/);
    await expect(place.run('true', { sandbox: { name: 'restricted', allowWrite: ['/srv'] } })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'The restricted sandbox cannot be widened.',
    });
  });

  test('has limits', of, async (context) => {
    const place = await projects.bare(context);
    const { output } = await place.run('ulimit -t', { sandbox: { name: 'restricted' } });
    expect(output).toBe('900\n');
    expect((await place.run('ulimit -t')).output).toBe('unlimited\n');
  });
});
