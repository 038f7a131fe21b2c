// The page in a real browser: questions are answered while commands wait, tasks are followed, the past is found.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium, launch, NO_BROWSER, type Visit, visit } from './browser.ts';
import { type Dashboard, requestRecords, Surroundings, until } from './subject.ts';

const place = new Surroundings();
const chromium = findChromium();
let browser: Browser;
let server: Dashboard;
let open: Visit;

beforeAll(async () => {
  if (chromium === null) return;
  browser = await launch(chromium);
  place.onClose(() => browser.close());
  await place.record([
    ...requestRecords('bash-aaaa', 'node --version', 'allow', 100),
    ...requestRecords('bash-bbbb', "node -e 'console.log(Number(6*7))'", 'ask', 300),
    ...requestRecords('bash-cccc', 'rm -rf /', 'deny', null),
    {
      type: 'violation',
      task: 'bash-bbbb',
      session: 's1',
      user: null,
      command: 'x',
      cwd: '/w/p',
      kind: 'file',
      operation: 'write',
      target: '/etc/hosts',
      rule: 'writes-outside',
      instead: 'Write in the project.',
    },
  ]);
  server = await place.dashboard();
  open = await visit(browser, server);
});
afterAll(() => place.close());
beforeEach((context) => {
  if (chromium === null) context.skip(NO_BROWSER);
});

interface Waiting {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function ask(command: string): Waiting {
  const child = place.spawn(['run', '--ask', command]);
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  return { child, output: () => text, ended: once(child, 'close').then(([code]) => code as number | null) };
}

const question = (text: string) => open.page.locator('.question', { hasText: text });

describe('questions', () => {
  test('a yes by mouse lets a waiting command run', async () => {
    const { page } = open;
    const waiting = ask("node -e 'console.log(Number(6*7))'");
    const card = question('6*7');
    await card.waitFor();
    expect(await page.title()).toBe('(1) hardshell');
    expect(await card.locator('.command').textContent()).toBe("node -e 'console.log(Number(6*7))'");
    expect(await card.locator('.findings li').count()).toBeGreaterThan(0);
    await card.getByRole('button', { name: /^Allow this once/ }).click();
    await card.waitFor({ state: 'detached' });
    expect(await waiting.ended).toBe(0);
    expect(waiting.output()).toContain('42');
    await page.getByText('No open questions').waitFor();
    expect(await page.title()).toBe('hardshell');
    const row = page.locator('.rows a', { hasText: '6*7' }).first();
    // What was answered is no longer a question.
    await row.locator('.badge', { hasText: 'allowed' }).waitFor();
    await page.getByText(/^Allowed: node -e .*6\*7/).waitFor();
  });

  test('J, K, A and D answer the marked question and no other', async () => {
    const { page } = open;
    const first = ask("node -e 'console.log(Number(111))'");
    await question('111').waitFor();
    const second = ask("node -e 'console.log(Number(222))'");
    await question('222').waitFor();
    const marked = page.locator('.question[aria-current=true]');
    expect(await marked.textContent()).toContain('111');
    await page.keyboard.press('j');
    expect(await marked.textContent()).toContain('222');
    await page.keyboard.press('k');
    expect(await marked.textContent()).toContain('111');
    await page.keyboard.press('j');
    await marked.getByRole('button', { name: /^Deny/, disabled: false }).waitFor();
    await page.keyboard.press('d');
    expect(await second.ended).toBe(126);
    await question('222').waitFor({ state: 'detached' });
    await marked.getByRole('button', { name: /^Allow/, disabled: false }).waitFor();
    await page.keyboard.press('a');
    expect(await first.ended).toBe(0);
    expect([first.output().includes('111'), second.output().includes('222')]).toEqual([true, false]);
    await question('111').waitFor({ state: 'detached' });
  });

  test('a key that comes as a question appears answers nothing', async () => {
    const { page } = open;
    const waiting = ask("node -e 'console.log(Number(333))'");
    // The key is pressed in the same frame in which the question is first seen.
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          new MutationObserver((_, observer) => {
            if (document.querySelector('.question') === null) return;
            observer.disconnect();
            dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
            resolve();
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    const card = question('333');
    await card.getByRole('button', { name: /^Deny/, disabled: false }).click();
    expect(await waiting.ended).toBe(126);
    await card.waitFor({ state: 'detached' });
  });

  test('a key that is pressed twice answers one question', async () => {
    const { page } = open;
    const [first, second] = [ask("node -e 'console.log(Number(777))'"), ask("node -e 'console.log(Number(888))'")];
    await until(async () => (await page.locator('.question').count()) === 2);
    // The page hears of its answer when the next question is in its place already.
    await page.route('**/api/answer', async (route) => {
      const response = await route.fetch();
      await until(async () => (await page.locator('.question').count()) === 1);
      await route.fulfill({ response });
    });
    const pressed = page.evaluate(() => {
      const said = () => document.querySelector('.notice')?.textContent ?? '';
      const before = said();
      return new Promise<void>((resolve) => {
        new MutationObserver((_, observer) => {
          if (said() === before || !said().startsWith('Denied')) return;
          observer.disconnect();
          dispatchEvent(new KeyboardEvent('keydown', { key: 'd' }));
          resolve();
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      });
    });
    const marked = page.locator('.question[aria-current=true]');
    await marked.getByRole('button', { name: /^Deny/, disabled: false }).waitFor();
    await page.keyboard.press('d');
    await pressed;
    await page.unroute('**/api/answer');
    await page.getByText('The list has just moved').waitFor();
    expect(await page.locator('.question').count()).toBe(1);
    await marked.getByRole('button', { name: /^Allow/, disabled: false }).click();
    expect([await first.ended, await second.ended].sort()).toEqual([0, 126]);
    await marked.waitFor({ state: 'detached' });
  });

  test('keys answer nothing while a row of the past is marked', async () => {
    const { page } = open;
    const waiting = ask("node -e 'console.log(Number(666))'");
    const card = question('666');
    await card.getByRole('button', { name: /^Allow/, disabled: false }).waitFor();
    await page.locator('.rows a').last().focus();
    await page.keyboard.press('a');
    await page.keyboard.press('d');
    await card.focus();
    await page.keyboard.press('d');
    expect(await waiting.ended).toBe(126);
    expect(waiting.output()).not.toContain('666');
    await card.waitFor({ state: 'detached' });
  });

  test('a rule for the project is spelled out', async () => {
    const waiting = ask('git push origin main');
    const card = question('git push origin main');
    await card.waitFor();
    expect(await card.locator('fieldset label').first().textContent()).toContain('this once');
    await card.getByLabel('always in this project').check();
    expect(await card.locator('footer').textContent()).toContain('adds the rule Bash(git push:*)');
    expect(await card.locator('.reach label').first().textContent()).toContain('Bash(git push:*)');
    await card.getByText(/The rule would have matched/).waitFor();
    // The buttons are right below.
    expect(await card.getByText('Approve it once').count()).toBe(0);
    await card.getByRole('button', { name: /^Deny/ }).click();
    expect(await waiting.ended).toBe(126);
    await card.waitFor({ state: 'detached' });
  });

  test('a rule that would have matched names the commands', async () => {
    await place.record([
      ...requestRecords('bash-eeee', 'git push origin dev', 'ask', 5),
      ...requestRecords('bash-ffff', 'git pull', 'allow', 5),
    ]);
    const waiting = ask('git push origin main');
    const card = question('git push origin main');
    await card.getByLabel('always in this project').check();
    await card.locator('.matches li').first().waitFor();
    const matches = await card.locator('.matches li').allInnerTexts();
    expect(matches).toContain('git push origin dev');
    expect(matches).not.toContain('git pull');
    await card.getByRole('button', { name: /^Deny/ }).click();
    expect(await waiting.ended).toBe(126);
    await card.waitFor({ state: 'detached' });
  });

  test('a question whose process is gone goes too', async () => {
    const waiting = ask("node -e 'console.log(Number(444))'");
    await question('444').waitFor();
    waiting.child.kill('SIGKILL');
    await question('444').waitFor({ state: 'detached' });
  });
});

test('a task is followed as it writes, and ended by its button', async () => {
  const { page } = open;
  await page.keyboard.press('2');
  const { task } = JSON.parse(
    place.cli(
      'run',
      '--background',
      '--yes',
      '--json',
      'for i in 1 2 3; do echo "tick $i"; read -t 1 <> <(:); done; sleep 700',
    ),
  ) as { task: string };
  const card = page.locator(`[data-task="${task}"]`);
  await card.locator('.output', { hasText: 'tick 1' }).waitFor();
  await card.locator('.output', { hasText: 'tick 3' }).waitFor();
  await card.getByText(/memory/).waitFor();
  expect(await card.locator('.sparkline').count()).toBe(2);
  await card.getByRole('button', { name: 'Stop' }).click();
  await page.getByText(`Stopped ${task}.`).waitFor();
  await page.locator('.rows a', { hasText: 'tick $i' }).waitFor();
  expect((JSON.parse(place.cli('tasks', '--json')) as { tasks: { id: string; state: string }[] }).tasks).toContainEqual(
    expect.objectContaining({ id: task, state: 'finished' }),
  );
});

test('the past is searched and filtered, and a command opens with everything about it', async () => {
  const { page } = open;
  await page.keyboard.press('3');
  const rows = page.locator('.rows a');
  await rows.first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('rm -rf');
  await until(async () => (await rows.count()) === 1);
  expect(await rows.first().textContent()).toMatch(/deny[\s\S]*denied[\s\S]*rm -rf \//);
  await page.getByLabel('Command').fill('');
  await page.getByLabel('Verdict').selectOption('deny');
  await until(async () => (await rows.allInnerTexts()).every((text) => text.includes('deny')));
  await page.getByLabel('Command').fill('nothing like this');
  await page.getByText('No command matches.').waitFor();
  await page.getByLabel('Command').fill('rm -rf');
  await rows.first().waitFor();
  // From the search field to the first row and into it, by keys alone.
  await page.getByLabel('Command').blur();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('.line', { hasText: 'bash-cccc' }).waitFor();
  expect(await page.locator('.tree').textContent()).toContain('rm -rf /');
  expect(await page.locator('.timeline').textContent()).toMatch(/decided: deny[\s\S]*ended: denied/);
  expect(await page.getByText('It did not run.').count()).toBe(1);
});

test('a command that really ran shows its sandbox and its timeline', async () => {
  const { page } = open;
  place.cli('run', '--yes', 'echo proof-of-life');
  await page.keyboard.press('3');
  await page.getByLabel('Command').fill('proof-of-life');
  await page.locator('.rows a').first().click();
  await page.locator('.timeline', { hasText: 'ended: exited 0' }).waitFor();
  expect(await page.locator('.timeline').textContent()).toMatch(
    /decided: allow[\s\S]*started as process \d+[\s\S]*ended/,
  );
  expect(await page.getByText(/^Confined by/).count()).toBe(1);
});

test('plots show the numbers of the log', async () => {
  const { page } = open;
  const lines = place
    .cli('audit', 'export')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; verdict?: string });
  const count = (verdict: string) => lines.filter((line) => line.type === 'verdict' && line.verdict === verdict).length;
  await page.keyboard.press('4');
  for (const verdict of ['allow', 'ask', 'deny']) {
    expect(count(verdict)).toBeGreaterThan(0);
    expect(await page.locator(`[data-total=${verdict}] strong`).textContent()).toBe(String(count(verdict)));
  }
  expect(await page.locator('[data-total=violations] strong').textContent()).toBe('1');
  // Drawn, not only counted: pixels of each plot differ from its ground.
  for (const plot of await page.locator('.plot canvas').all())
    expect(
      await plot.evaluate((canvas: HTMLCanvasElement) => {
        const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return new Set(data).size;
      }),
    ).toBeGreaterThan(2);
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Verdicts' }) });
  await section.getByText('The numbers').click();
  const cells = await section.locator('.numbers tbody td').allInnerTexts();
  const sums = [0, 1, 2].map((at) =>
    cells.filter((_, index) => index % 3 === at).reduce((sum, text) => sum + Number(text), 0),
  );
  expect(sums).toEqual(['allow', 'ask', 'deny'].map(count));
});

test('a command is tried on the page about the policy', async () => {
  const { page } = open;
  await page.keyboard.press('5');
  const field = page.getByLabel(/^Try a command/);
  await field.fill('rm -rf /');
  await page.locator('.tried .badge.deny').first().waitFor();
  expect(await page.locator('.tried mark').count()).toBeGreaterThan(0);
  await field.fill('ls');
  await page.locator('.tried .badge.allow').first().waitFor();
});

test('the page reconnects when the dashboard is restarted', async () => {
  const { page } = open;
  await page.goto(`http://127.0.0.1:${server.port}/#/approvals`);
  await page.getByText('No open questions').waitFor();
  await server.end();
  await page.locator('.status.lost').waitFor();
  server = await place.dashboard(['--port', String(server.port)]);
  await page.locator('.status:not(.lost)').waitFor();
  const waiting = ask("node -e 'console.log(Number(555))'");
  await question('555').getByRole('button', { name: /^Deny/ }).click();
  expect(await waiting.ended).toBe(126);
});
