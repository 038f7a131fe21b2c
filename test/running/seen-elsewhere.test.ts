// Commands in the foreground as other processes of the user see them: listed, followed, ended; and nothing stays behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NodeRunner } from '../../src/run/node-runner.ts';
import {
  type ForegroundCommand,
  followForeground,
  listForeground,
  stopForeground,
} from '../../src/tasks/foreground/watching.ts';
import { withKey } from '../approving/process.ts';
import { makeMark, until } from '../contract/marks.ts';
import { hostProgram } from '../programs.ts';
import { createSubject, fixture, hasKeeper, type Subject } from './subject.ts';

const BOUND_MS = 15_000;
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let subject: Subject;
let runtime = '';
beforeAll(() => {
  subject = createSubject({ staging: 'off' });
});
afterAll(() => subject.close());
beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'hs-seen-'));
  vi.stubEnv('HARDSHELL_RUNTIME_DIR', join(runtime, 'run'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(runtime, { recursive: true, force: true });
});

const sockets = (): string[] => {
  const folder = join(runtime, 'run/running');
  return existsSync(folder) ? readdirSync(folder) : [];
};

async function shown(): Promise<ForegroundCommand> {
  let command: ForegroundCommand | undefined;
  await until(async () => {
    ({
      commands: [command],
    } = await listForeground());
    return command !== undefined;
  }, BOUND_MS);
  if (command === undefined) throw new Error('no command was shown');
  return command;
}

/** All that a follower sees, from a byte on. */
async function follow(
  command: ForegroundCommand,
  cursor: number | null = 0,
  onText: (text: string) => void = () => {},
) {
  let text = '';
  const isWhole = await followForeground(command, {
    cursor,
    signal: AbortSignal.timeout(BOUND_MS),
    onOutput(piece) {
      text += piece.text;
      onText(text);
    },
  });
  return { text, isWhole };
}

function gate(name: string): { readonly wait: string; open(): void } {
  const path = join(subject.folder, name);
  return { wait: `until test -e ${path}; do sleep 0.02; done`, open: () => mkdirSync(path) };
}

test('a command is seen while it runs, with what is known of it, and nothing of it stays', async () => {
  const door = gate('seen');
  const running = subject.run(`echo here; ${door.wait}`, { session: 's7', description: 'waits' });
  await until(async () => (await listForeground()).commands[0]?.outputBytes === 5, BOUND_MS);
  const command = await shown();
  expect(command).toMatchObject({
    command: `echo here; ${door.wait}`,
    description: 'waits',
    cwd: subject.folder,
    session: 's7',
    outputBytes: 5,
    host: { pid: process.pid },
  });
  expect(command.startedAt).toBeGreaterThan(1e12);
  door.open();
  const { task, pid } = await running;
  expect([command.id, command.pid]).toEqual([task, pid]);
  await until(() => sockets().length === 0, BOUND_MS);
  expect(sockets()).toEqual([]);
  expect(await listForeground()).toEqual({ commands: [], problems: [] });
});

test('a command that ends at once opens nothing', async () => {
  await subject.run('true');
  expect(existsSync(join(runtime, 'run/running'))).toBe(false);
});

describe('its output', () => {
  test('comes as it is written, to the last byte, in whole characters', async () => {
    const doors = [gate('first'), gate('second')] as const;
    const running = subject.run(
      `printf 'one €'; printf '\\xe2\\x82'; ${doors[0].wait}; printf '\\xac two\n'; ${doors[1].wait}; printf 'last words'`,
    );
    const { text, isWhole } = await follow(await shown(), 0, (seen) => {
      if (seen === 'one €') doors[0].open();
      if (seen.endsWith('two\n')) doors[1].open();
    });
    expect({ text, isWhole }).toEqual({ text: 'one €€ two\nlast words', isWhole: true });
    expect((await running).output).toBe('one €€ two\nlast words');
  });

  test('is there from a byte on, and without one from near its end', async () => {
    const door = gate('cursor');
    const running = subject.run(`${fixture('flood-stdout')} 200000; ${door.wait}`);
    const command = await shown();
    await until(async () => (await shown()).outputBytes === 200_000, BOUND_MS);
    const [late, last] = [follow(command, 199_990), follow(command, null)];
    await follow(command, 0, (seen) => {
      if (seen.length === 200_000 && !existsSync(join(subject.folder, 'cursor'))) door.open();
    }).then(({ text, isWhole }) => {
      expect([isWhole, text.length, text.slice(0, 32)]).toEqual([true, 200_000, '000000000000000\n000000000000001\n']);
    });
    expect((await late).text).toHaveLength(10);
    expect((await last).text).toHaveLength(65_536);
    await running;
  });

  test('is followed by as many as like, and by none that does not read', async () => {
    const door = gate('many');
    const running = subject.run(`${door.wait}; ${fixture('flood-stdout')} 30000000`);
    const command = await shown();
    // It asks and never reads: the caller of the command still gets the result.
    const deaf = connect(command.host.path);
    deaf.pause();
    deaf.on('error', () => {});
    deaf.write(withKey(`${JSON.stringify({ v: 1, do: 'follow', id: command.id, cursor: 0 })}\n`, command.host.path));
    const [first, second] = [follow(command, 29_999_000), follow(command, 29_999_000)];
    door.open();
    const { outputBytes } = await running;
    expect(outputBytes).toBe(30_000_000);
    for (const { text } of await Promise.all([first, second])) expect(text.length).toBeGreaterThan(0);
    deaf.destroy();
  });
});

describe('its end', () => {
  test.skipIf(!hasKeeper)('ends the whole tree, and the caller is told', async () => {
    const mark = makeMark();
    const running = subject.run(`${fixture('sleep-with-children')} & sleep 700`, { env: mark.env });
    const command = await shown();
    const following = follow(command);
    expect(await stopForeground(command)).toBe(true);
    expect(await running).toMatchObject({
      status: 'cancelled',
      failure: { type: 'process_terminated', message: 'The command was stopped from another process.' },
    });
    expect((await following).isWhole).toBe(true);
    expect(await mark.untilGone(BOUND_MS)).toBe(0);
    expect(await stopForeground(command)).toBe(false);
  });

  test('concerns the named command and no other', async () => {
    const door = gate('other');
    const [one, other] = [subject.run('sleep 701'), subject.run(`${door.wait}; echo done`)];
    await until(async () => (await listForeground()).commands.length === 2, BOUND_MS);
    const { commands } = await listForeground();
    const target = commands.find(({ command }) => command === 'sleep 701') as ForegroundCommand;
    expect(await stopForeground({ ...target, id: 'bash-zzzzzz' })).toBe(false);
    expect(await stopForeground(target)).toBe(true);
    expect((await one).status).toBe('cancelled');
    door.open();
    expect(await other).toMatchObject({ status: 'exited', output: 'done\n' });
  });
});

test.skipIf(!hasKeeper)('a command that continues as a task is listed as a task, and no longer here', async () => {
  const { task } = await subject.run('sleep 702', { backgroundAfter: 400 });
  expect((await listForeground()).commands).toEqual([]);
  const found = await subject.shell.task(task);
  expect((await found?.info())?.state).toBe('running');
  await found?.stop();
});

test('without the keeper it is the same', async () => {
  const plain = createSubject({ runner: new NodeRunner() });
  const options = { sandbox: { name: 'unrestricted' as const } };
  const running = plain.run('echo hello; sleep 703', options);
  const command = await shown();
  const following = follow(command, 0, (text) => text === 'hello\n' && void stopForeground(command));
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect((await following).text).toBe('hello\n');
  await plain.close();
});

test.skipIf(!hasKeeper)('a confined command does not find the way to it', async () => {
  const folder = join(runtime, 'run/running');
  const running = subject.run(`for i in 1 2 3 4 5 6 7 8; do ls -A ${folder}; sleep 0.1; done 2>&1`);
  expect((await shown()).host.path.startsWith(`${folder}/`)).toBe(true);
  const { output, enforcement } = await running;
  expect(enforcement.tier).not.toBe('none');
  expect(output).toMatch(/No such file|Permission denied/);
  expect(output).not.toContain('.sock');
});

describe('nothing is in the way of a command', () => {
  test('that has no private folder for sockets', async () => {
    mkdirSync(join(runtime, 'run'));
    chmodSync(join(runtime, 'run'), 0o777);
    expect(await subject.run('sleep 0.5; echo ran')).toMatchObject({ status: 'exited', output: 'ran\n' });
    expect(readdirSync(join(runtime, 'run'))).toEqual([]);
  });

  test.each<[string, string]>([
    ['no JSON', 'stop it\n'],
    ['no verb', '{"v":1}\n'],
    ['another verb', '{"v":1,"do":"kill","id":"ID"}\n'],
    ['no id', '{"v":1,"do":"stop"}\n'],
    ['a list of ids', '{"v":1,"do":"stop","id":["ID"]}\n'],
    ['a negative cursor', '{"v":1,"do":"follow","id":"ID","cursor":-1}\n'],
    ['half a byte', '{"v":1,"do":"follow","id":"ID","cursor":0.5}\n'],
    ['another version', '{"v":2,"do":"stop","id":"ID"}\n'],
    ['a line beyond the limit', `{"v":1,"do":"stop","id":"ID","x":"${'y'.repeat(20_000)}"}\n`],
  ])('with an invalid peer: %s', async (name, text) => {
    const door = gate(`nonsense-${name.replaceAll(' ', '-')}`);
    const running = subject.run(`${door.wait}; echo fine`);
    const command = await shown();
    const client = connect(command.host.path);
    client.on('error', () => {});
    let said = '';
    client.on('data', (chunk) => {
      said += chunk;
    });
    client.write(withKey(text.replace('ID', command.id), command.host.path));
    await once(client, 'close');
    expect(said).toMatch(name === 'another version' ? /"is":"error"/ : /^$/);
    door.open();
    expect(await running).toMatchObject({ status: 'exited', output: 'fine\n' });
  });
});

describe('a host that is killed', () => {
  let host: ChildProcess | undefined;
  afterEach(() => void host?.kill('SIGKILL'));

  test.skipIf(!hasKeeper)('leaves a socket that the next one who looks removes, and no command', async () => {
    const mark = makeMark();
    const file = hostProgram('running');
    // In the foreground for much longer than this takes.
    const words = [file, subject.tasksFolder, 'wait-for', subject.folder, 'sleep 704'];
    host = spawn(process.execPath, words, { env: { ...process.env, ...mark.env }, stdio: 'ignore' });
    const command = await shown();
    expect(command.host.pid).toBe(host.pid);
    expect(sockets()).toEqual([expect.stringMatching(/\.key$/), expect.stringMatching(/\.sock$/)]);
    const gone = once(host, 'exit');
    host.kill('SIGKILL');
    await gone;
    expect(await listForeground()).toEqual({ commands: [], problems: [] });
    expect(sockets()).toEqual([]);
    expect(await stopForeground(command)).toBe(false);
    expect(await mark.untilGone(BOUND_MS)).toBe(0);
    expect(readdirSync(subject.tasksFolder).filter((name) => name.startsWith(command.id))).toEqual([]);
  });
});
