// One command on the page: who let it run, how it runs wherever it was started, its end by the button, and its one row.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, findChromium, launch, NO_BROWSER, type Visit, visit } from './browser.ts';
import { type Dashboard, ROOT, requestRecords, Surroundings, until } from './subject.ts';

const place = new Surroundings();
const chromium = findChromium();
let browser: Browser;
let server: Dashboard;
let open: Visit;

beforeAll(async () => {
  if (chromium === null) return;
  browser = await launch(chromium);
  place.onClose(() => browser.close());
  server = await place.dashboard();
  open = await visit(browser, server);
});
afterAll(() => place.close());
beforeEach((context) => {
  if (chromium === null) context.skip(NO_BROWSER);
});

const go = (view: string) => open.page.goto(`http://127.0.0.1:${server.port}/#/${view}`);
const cardOf = (text: string): Locator => open.page.locator('.task', { hasText: text });

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

function run(...args: string[]): Started {
  const child = place.spawn(['run', '--ask', ...args]);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += chunk;
    });
  return { child, said: () => text, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** An agent's server that stays, with a scripted client. */
function mcp(): { call(id: number, name: string, input: object): void; answerTo(id: number): Promise<string> } {
  const child = spawn(process.execPath, [join(ROOT, 'bin/hardshell.js'), 'mcp', '--mode', 'bypass'], {
    env: place.env,
    cwd: place.work,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  place.onClose(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 'greeting', method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  return {
    call: (id, name, input) => send({ id, method: 'tools/call', params: { name, arguments: input } }),
    answerTo: (id) => until(() => text.split('\n').find((line) => line.includes(`"id":${id}`))),
  };
}

interface Recorded {
  readonly type: string;
  readonly task: string;
  readonly command: string;
  readonly by?: string;
  readonly answeredBy?: string;
  readonly status?: string;
}

const recorded = (command: string): Recorded[] =>
  place
    .cli('audit', 'export')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
    .filter((line) => line.command === command);

describe('who answered is recorded and shown', () => {
  const answerers: readonly (readonly [string, string, (command: string) => Promise<void>, string])[] = [
    [
      'the page',
      'dashboard',
      async (command) => {
        const card = open.page.locator('.question', { hasText: command });
        await card.getByRole('button', { name: /^Allow this once/, disabled: false }).click();
      },
      'answered on the dashboard',
    ],
    [
      'another terminal',
      'cli',
      async (command) => {
        const card = open.page.locator('.question', { hasText: command });
        place.cli('approve', (await card.getAttribute('data-code')) as string);
        await card.waitFor({ state: 'detached' });
      },
      'answered by hardshell approve',
    ],
  ];

  test.each(answerers)('%s', async (_, by, answer, words) => {
    const command = `node -e 'console.log(String("${by}"))'`;
    await go('approvals');
    const waiting = run(command);
    await answer(command);
    expect(await waiting.ended).toBe(0);
    expect(recorded(command).flatMap((line) => line.by ?? line.answeredBy ?? [])).toEqual([by, by]);
    const row = open.page.locator('.rows a', { hasText: command });
    await row.getByText(words).waitFor();
    await row.click();
    await open.page.locator('.timeline', { hasText: `${words}: allow` }).waitFor();
  });
});

test('--yes is named, and a question that was cancelled is not shown as allowed', async () => {
  const approved = `node -e 'console.log(String("in advance"))'`;
  expect(await run('--yes', approved).ended).toBe(0);
  expect(recorded(approved).flatMap((line) => line.by ?? line.answeredBy ?? [])).toEqual(['caller', 'caller']);
  const cancelled = `node -e 'console.log(String("cancelled"))'`;
  await go('approvals');
  const waiting = run(cancelled);
  await open.page.locator('.question', { hasText: cancelled }).waitFor();
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toBe(130);
  await go('history');
  const rowOf = (command: string) => open.page.locator('.rows a', { hasText: command });
  await rowOf(approved).getByText('approved in advance (--yes)').waitFor();
  await rowOf(cancelled).getByText('cancelled before an answer').waitFor();
  expect(await rowOf(cancelled).locator('.badge', { hasText: 'allowed' }).count()).toBe(0);
  await rowOf(cancelled).click();
  await open.page.locator('.timeline', { hasText: 'cancelled before an answer' }).waitFor();
  expect(await open.page.locator('.badge', { hasText: 'allowed' }).count()).toBe(0);
});

describe('a foreground command', () => {
  test('is followed as it writes, with what it uses, and ended by its button', async () => {
    await go('tasks');
    const waiting = run('--yes', 'echo first; until test -e go; do sleep 0.02; done; echo second; sleep 700');
    const card = cardOf('echo second');
    await card.locator('.output', { hasText: 'first' }).waitFor();
    expect(await card.locator('.output').textContent()).toBe('first\n');
    writeFileSync(join(place.work, 'go'), '');
    await card.locator('.output', { hasText: 'second' }).waitFor();
    await card.getByText(`in the foreground of process ${waiting.child.pid}`).waitFor();
    await card.getByText('13 B of output').waitFor();
    await card.getByText(/memory/).waitFor();
    expect(await card.locator('.sparkline').count()).toBe(2);
    expect(await open.page.locator('nav .count').textContent()).toBe('1');
    expect(await findBarriers(open.page)).toEqual([]);
    await card.getByRole('button', { name: 'Stop' }).click();
    await open.page.getByText(/^Stopped bash-/).waitFor();
    await card.waitFor({ state: 'detached' });
    expect(await waiting.ended).not.toBe(0);
    expect(waiting.said()).toMatch(/first\nsecond\n[\s\S]*The command was stopped from another process/);
  });

  test('of an agent is seen the same, while the agent waits; its own page can end it too', async () => {
    await go('tasks');
    const agent = mcp();
    agent.call(1, 'bash', { command: 'echo of-the-agent; sleep 701' });
    const card = cardOf('of-the-agent');
    await card.locator('.output', { hasText: 'of-the-agent' }).waitFor();
    const { page } = open;
    await card.focus();
    await page.keyboard.press('Enter');
    await page.locator('.output', { hasText: 'of-the-agent' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await agent.answerTo(1)).toContain('The command was stopped from another process');
    // The page continues, and the output stays.
    await page.locator('.timeline', { hasText: 'ended: cancelled' }).waitFor();
    await page.getByText('End of output.').waitFor();
    expect(await page.locator('.output').textContent()).toBe('of-the-agent\n');
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  });

  test('whose process does not answer is shown, and why nothing can be done', async () => {
    const waiting = run('--yes', 'echo hidden; sleep 702');
    await go('tasks');
    const card = cardOf('sleep 702');
    await card.locator('.output', { hasText: 'hidden' }).waitFor();
    waiting.child.kill('SIGSTOP');
    await card.getByText('does not respond').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await card.locator('.sparkline').first().waitFor();
    waiting.child.kill('SIGCONT');
    await card.locator('.output', { hasText: 'hidden' }).waitFor();
    // Killed, it leaves neither a command nor a trace of it.
    waiting.child.kill('SIGKILL');
    await card.waitFor({ state: 'detached' });
    const sockets = join(place.folder, 'run/running');
    await until(() => !existsSync(sockets) || readdirSync(sockets).length === 0);
    expect(readdirSync(join(place.folder, 'state/tasks')).filter((name) => /\.(?:out|map|cwd)$/.test(name))).toEqual(
      [],
    );
  });

  test('that runs when the page is opened later is there', async () => {
    const waiting = run('--yes', 'sleep 703');
    await until(() => readdirSync(join(place.folder, 'run/running')).some((name) => name.endsWith('.sock')));
    const late = await place.dashboard();
    const other = await visit(browser, late);
    await other.page.keyboard.press('2');
    await other.page.locator('.task', { hasText: 'sleep 703' }).getByRole('button', { name: 'Stop' }).click();
    expect(await waiting.ended).not.toBe(0);
    expect(other.complaints).toEqual([]);
    await other.close();
    await late.end();
  });
});

describe('a command is one row', () => {
  test('in the background too, with its end; its page tells of both', async () => {
    const agent = mcp();
    const command = 'echo in-the-back; until test -e back; do sleep 0.02; done; exit 7';
    agent.call(1, 'bash', { command, run_in_background: true });
    await agent.answerTo(1);
    const { page } = open;
    await go('approvals');
    const row = page.locator('.rows a', { hasText: 'in-the-back' });
    await row.locator('.badge', { hasText: 'running' }).waitFor();
    writeFileSync(join(place.work, 'back'), '');
    await row.locator('.badge', { hasText: 'exit 7' }).waitFor();
    expect(await row.count()).toBe(1);
    expect(recorded(command).flatMap(({ status }) => status ?? [])).toEqual(['running', 'exited']);
    await go('history');
    await page.getByLabel('Command').fill('in-the-back');
    await until(async () => (await page.locator('.rows a').count()) === 1);
    expect(await row.textContent()).toContain('exit 7');
    await row.click();
    await page
      .locator('.timeline', {
        hasText: /started as process[\s\S]*continues as a background task[\s\S]*ended: exited 7/,
      })
      .waitFor();
  });

  test('when its host was gone before its end', async () => {
    const { task } = JSON.parse(
      place.cli('run', '--background', '--yes', '--json', 'until test -e alone; do sleep 0.02; done; exit 9'),
    ) as { task: string };
    const { page } = open;
    await go(`command/${task}`);
    await page.locator('.line .badge', { hasText: 'running' }).waitFor();
    writeFileSync(join(place.work, 'alone'), '');
    await page.locator('.timeline', { hasText: /continues as a background task[\s\S]*ended: exited 9/ }).waitFor();
    await page.locator('.line .badge', { hasText: 'exit 9' }).waitFor();
    await go('history');
    const row = page.locator('.rows a', { hasText: 'test -e alone' });
    await row.locator('.badge', { hasText: 'exit 9' }).waitFor();
    expect(await row.count()).toBe(1);
  });

  test('over the pages of a long past, and where its files are looked for', async () => {
    const [verdict, end] = requestRecords('bash-page', 'echo paged', 'allow', 5);
    if (verdict?.type !== 'verdict' || end?.type !== 'end') throw new Error('other records');
    const operations = { reads: ['/w/p/x'], writes: [], deletes: [], hosts: [], isComplete: true, left: 0 };
    const touching = { ...verdict, operations };
    await place.record([
      touching,
      { ...end, status: 'running', exit: null, usage: null },
      // A second look before it ran said the same once more.
      touching,
      ...Array.from({ length: 60 }, (_, at) => requestRecords(`bash-of${at}`, 'echo other', 'allow', 1)).flat(),
      end,
    ]);
    const { page } = open;
    await go('history');
    await page.getByLabel('Command').fill('echo');
    await page.getByRole('button', { name: 'Older' }).click();
    await until(async () => (await page.locator('.rows a').count()) > 60);
    expect(await page.locator('.rows a', { hasText: 'echo paged' }).count()).toBe(1);
    await page.getByLabel('Command').fill('');
    await page.getByLabel('Touches').fill('/w/p/x');
    const row = page.locator('.rows a', { hasText: 'echo paged' });
    await until(async () => (await page.locator('.rows a').count()) === 1);
    expect(await row.textContent()).toContain('exit 0');
  });
});
