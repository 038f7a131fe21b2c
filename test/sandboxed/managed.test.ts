// What the machine's own settings fix, tried from every side: an option of the library, a word of the command line, an
// argument of an MCP tool, settings of a project that is trusted, and a policy that a caller brings along.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, type TestContext, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import type { RunOptions, RunResult } from '../../src/core/running.ts';
import { hostProgram } from '../programs.ts';
import { MANAGED_FILE, managedMachine } from './managed-machine.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const HOST = hostProgram('sandboxed');
const BIN = fileURLToPath(new URL('../../bin/hardshell.js', import.meta.url));
const TIME_MS = 90_000;

type Asked = Partial<RunOptions> & { command: string };
type Told = Pick<RunResult, 'status' | 'output' | 'exitCode' | 'failure'> & { tier: string };

describe.skipIf(process.platform !== 'linux')('what the managed settings fix', { timeout: TIME_MS }, () => {
  const { bare } = useProjects('namespaces');

  function ask(context: TestContext, place: Place, managed: Settings, commands: readonly Asked[]): Told[] {
    const machine = managedMachine(context, place, managed);
    const shell = { settingsFile: place.settingsFile, tasksFolder: join(place.base, 'tasks') };
    const text = JSON.stringify({ shell, cwd: place.project, commands });
    const [program, ...rest] = machine.words(HOST, 'run', text);
    const { stdout, stderr } = spawnSync(program, rest, {
      cwd: place.base,
      env: machine.env,
      encoding: 'utf8',
      timeout: TIME_MS,
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  const outcome = ({ status, tier, failure }: Told) => [status, tier, JSON.stringify(failure)];
  const refused = (what: string) => ['denied', 'none', expect.stringMatching(`${what}.*${MANAGED_FILE}:1`)];

  test('the sandbox: a request may ask for a stricter one, not for a wider one', async (context) => {
    const place = await bare(context, { settings: { sandbox: { allowUnsandboxed: true }, mode: 'bypass' } });
    const yes = { assumeYes: true, command: 'echo x > file' };
    const told = ask(context, place, { sandbox: { name: 'workspace' } }, [
      { ...yes, sandbox: { name: 'unrestricted' } },
      { ...yes, withoutSandbox: true },
      { ...yes, sandbox: { name: 'workspace' } },
      { ...yes, sandbox: { name: 'restricted' } },
    ]);
    expect(told.map(outcome)).toEqual([
      refused('asks for the sandbox unrestricted'),
      refused('asks to run outside of the sandbox'),
      ['exited', 'namespaces', 'null'],
      ['exited', 'namespaces', 'null'],
    ]);
    expect(told.map(({ exitCode }) => exitCode)).toEqual([null, null, 0, 1]);
  });

  test('restricted stays restricted, and nothing is lent', async (context) => {
    const place = await bare(context, { settings: { mode: 'bypass' } });
    const command = 'echo x > file';
    const told = ask(context, place, { sandbox: { name: 'restricted' } }, [
      { command, sandbox: { name: 'workspace' } },
      { command, sandbox: { allowWrite: [place.project] } },
    ]);
    expect(told.map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['denied', null],
      ['exited', 1],
    ]);
    expect(existsSync(join(place.project, 'file'))).toBe(false);
  });

  test('files of the user and of a trusted project lead nowhere out of it', async (context) => {
    const place = await bare(context, {
      settings: {
        mode: 'bypass',
        sandbox: { excludedCommands: ['touch'], allowUnsandboxed: true, failIfUnavailable: false },
      },
    });
    writeTree(place.project, {
      '.hardshell/settings.json': JSON.stringify({ sandbox: { name: 'unrestricted', excludedCommands: ['touch'] } }),
    });
    const [told] = ask(context, place, { sandbox: { name: 'workspace' }, trustedFolders: [`/${place.project}`] }, [
      { command: 'touch here' },
    ]);
    expect(told).toMatchObject({ status: 'exited', exitCode: 0, tier: 'namespaces' });
  });

  test("paths: neither a request, a yes nor a policy of one's own opens others", async (context) => {
    const place = await bare(context);
    const other = join(place.base, 'other');
    const mine = join(place.project, 'sub');
    for (const folder of [other, mine]) mkdirSync(folder);
    writeTree(place.project, { 'write.sh': `echo x > ${other}/a; echo x > ${mine}/a\n` });
    spawnSync('ln', ['-s', other, join(place.project, 'link')]);
    const told = ask(context, place, { managedPathsOnly: true }, [
      { command: 'sh write.sh', assumeYes: true, sandbox: { allowWrite: [other] } },
      { command: 'sh write.sh', assumeYes: true, sandbox: { allowWrite: [join(place.project, 'link')] } },
      { command: `touch ${other}/named`, assumeYes: true },
      { command: 'sh write.sh', policy: { mode: 'bypass', roots: [other] } as never },
      { command: 'sh write.sh', assumeYes: true, sandbox: { allowWrite: [mine] } },
    ]);
    expect(told.slice(0, 2).map(outcome)).toEqual([refused('asks to write in'), refused('asks to write in')]);
    expect(told.slice(2).map(({ status }) => status)).toEqual(['exited', 'exited', 'exited']);
    expect([existsSync(join(other, 'a')), existsSync(join(other, 'named')), existsSync(join(mine, 'a'))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('what it hides stays hidden: no list of others and no yes opens it', async (context) => {
    const place = await bare(context);
    const secrets = join(place.base, 'secrets');
    writeTree(secrets, { 'key.txt': 'hidden\n', 'open.txt': 'shown\n' });
    const managed = {
      sandbox: { filesystem: { denyRead: [`/${secrets}`], allowRead: [`/${join(secrets, 'open.txt')}`] } },
    };
    writeTree(place.base, {
      'wide.json': JSON.stringify({ sandbox: { filesystem: { allowRead: [`/${secrets}`] } } }),
    });
    const told = ask(context, { ...place, settingsFile: join(place.base, 'wide.json') }, managed, [
      { command: `cat ${secrets}/key.txt`, assumeYes: true },
      { command: `cat ${secrets}/open.txt`, assumeYes: true },
    ]);
    expect(told.map(({ output }) => [output.includes('hidden\n'), output.includes('shown\n')])).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  test('hosts: a request cannot add any, nor ports of this machine', async (context) => {
    const place = await bare(context, { settings: { mode: 'bypass' } });
    const managed = { managedDomainsOnly: true, domains: { allow: ['managed.invalid'] } };
    const told = ask(context, place, managed, [
      { command: 'true', sandbox: { allowDomains: ['evil.example'] } },
      { command: 'true', sandbox: { allowPorts: [5432] } },
      { command: 'true', sandbox: { allowDomains: ['managed.invalid'] } },
    ]);
    expect(told.map(outcome)).toEqual([
      refused('asks to reach evil.example'),
      refused('asks to reach localhost:5432'),
      ['exited', 'namespaces', 'null'],
    ]);
  });

  test('a policy that the caller brings stands in for all files but this one', async (context) => {
    const place = await bare(context);
    const managed: Settings = {
      mode: 'dont-ask',
      permissions: { deny: ['Bash(touch:*)'] },
      sandbox: { name: 'workspace' },
    };
    const policy = { mode: 'bypass', rules: [] };
    const told = ask(context, place, managed, [
      { command: 'touch file', policy: policy as never },
      { command: 'git push', policy: policy as never },
      { command: 'true', policy: policy as never, sandbox: { name: 'unrestricted' } },
      { command: 'true', policy: policy as never },
    ]);
    expect(told.map(({ status }) => status)).toEqual(['denied', 'denied', 'denied', 'exited']);
  });

  test.for([['--sandbox', 'unrestricted'], ['--dangerously-disable-sandbox'], ['--allow-write', '/srv']])(
    'on the command line: %s',
    async (words, context) => {
      const place = await bare(context, { settings: { sandbox: { allowUnsandboxed: true } } });
      const machine = managedMachine(context, place, { managedPathsOnly: true, sandbox: { name: 'workspace' } });
      const { stdout, stderr, status } = machine.cli(
        'run',
        '--settings',
        place.settingsFile,
        ...words,
        '--yes',
        'echo ran',
      );
      expect([status === 0, stdout]).toEqual([false, '']);
      expect(stderr).toContain(`${MANAGED_FILE}:1`);
    },
  );

  test('a tool argument and the server option get the same refusal', async (context) => {
    const place = await bare(context, { settings: { sandbox: { allowUnsandboxed: true }, mode: 'bypass' } });
    const machine = managedMachine(context, place, { sandbox: { name: 'workspace' } });
    const texts: string[] = [];
    for (const [more, args] of [
      [[], { command: 'echo ran', without_sandbox: true }],
      [['--sandbox', 'unrestricted'], { command: 'echo ran' }],
    ] as const) {
      const [command, ...words] = machine.words(
        BIN,
        'mcp',
        '--settings',
        place.settingsFile,
        '--cwd',
        place.project,
        ...more,
      );
      const client = new Client({ name: 'test', version: '1' });
      // Its mounts are made by the first one.
      await client.connect(
        new StdioClientTransport({ command, args: words, env: { ...machine.env }, stderr: 'ignore' }),
      );
      const { isError, content } = await client.callTool({ name: 'bash', arguments: args });
      texts.push(`${isError} ${JSON.stringify(content)}`);
      await client.close();
    }
    for (const text of texts) expect(text).toMatch(new RegExp(`^true .*${MANAGED_FILE}:1`));
  });
});
