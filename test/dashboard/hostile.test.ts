// Commands and outputs that attack the page, and what the page must never do; and people who cannot see or use a mouse.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, findChromium, launch, NO_BROWSER, type Visit, visit } from './browser.ts';
import { type Dashboard, requestRecords, Surroundings, until } from './subject.ts';

const place = new Surroundings();
const chromium = findChromium();
let browser: Browser;
let server: Dashboard;
let open: Visit;

const ATTACKS = [
  '<img src=x onerror=window.hacked=1>',
  '<script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  "');window.hacked=1;//",
  'javascript:window.hacked=1',
  '</code></pre><iframe srcdoc="<script>parent.hacked=1</script>">',
  '{{constructor.constructor("window.hacked=1")()}}',
  '<a href="http://attacker.example/">x</a><link rel=stylesheet href=http://attacker.example/x.css>',
];
const HOSTILE = `echo ${ATTACKS.map((text) => `'${text.replaceAll("'", '')}'`).join(' ')}`;

/** Another browser: it needs its own link. */
async function enterAgain(options: BrowserContextOptions = {}): Promise<Visit> {
  await server.end();
  server = await place.dashboard();
  return visit(browser, server, options);
}

beforeAll(async () => {
  if (chromium === null) return;
  browser = await launch(chromium);
  place.onClose(() => browser.close());
  const records = ATTACKS.flatMap((text, index) =>
    requestRecords(`bash-<b>${index}</b>`, text, 'allow', 10).map((entry) => ({
      ...entry,
      session: text,
      cwd: `/${text}`,
    })),
  );
  await place.record([
    ...records,
    {
      type: 'violation',
      task: 'bash-v',
      session: null,
      user: null,
      command: ATTACKS[0] as string,
      cwd: '/',
      kind: 'file',
      operation: 'write',
      target: ATTACKS[0] as string,
      rule: 'x',
      instead: 'x',
    },
  ]);
  server = await place.dashboard();
  open = await visit(browser, server);
});
afterAll(() => place.close());
beforeEach((context) => {
  if (chromium === null) context.skip(NO_BROWSER);
});

const isHacked = (page: Page) => page.evaluate(() => (window as unknown as { hacked?: number }).hacked === 1);
/** Elements that our own page never has. */
const foreign = (page: Page) =>
  page.locator('img, iframe, object, embed, script:not([src="/page.js"]), link[href*="//"]').count();

async function expectUnharmed({ page, asked, complaints }: Visit): Promise<void> {
  expect(await isHacked(page)).toBe(false);
  expect(await foreign(page)).toBe(0);
  expect(complaints).toEqual([]);
  const strangers = asked.filter((url) => !url.startsWith(`http://127.0.0.1:${server.port}/`));
  expect(strangers).toEqual([]);
  expect(asked.length).toBeGreaterThan(3);
}

describe('stored attacks are text', () => {
  test('in questions', async () => {
    const waiting = place.spawn(['run', '--ask', `node -e "${HOSTILE.replaceAll('"', '')}"`]);
    const card = open.page.locator('.question');
    await card.waitFor();
    expect(await card.locator('.command').textContent()).toContain(ATTACKS[0]);
    await expectUnharmed(open);
    waiting.kill('SIGKILL');
    await card.waitFor({ state: 'detached' });
  });

  test('in the past, and on the page of a command', async () => {
    const { page } = open;
    await page.goto(`http://127.0.0.1:${server.port}/#/history`);
    const rows = page.locator('.rows a');
    await until(async () => (await rows.count()) >= ATTACKS.length);
    expect(await rows.last().textContent()).toContain(ATTACKS[0]);
    await expectUnharmed(open);
    await rows.last().click();
    await page.locator('.line', { hasText: 'bash-<b>0</b>' }).waitFor();
    await page.locator('.timeline').waitFor();
    await expectUnharmed(open);
  });

  test('in plots, and in a command that is tried', async () => {
    const { page } = open;
    await page.goto(`http://127.0.0.1:${server.port}/#/plots`);
    await page.locator('.bars').first().waitFor();
    expect(await page.locator('.bars').last().textContent()).toContain(ATTACKS[0]);
    await page.goto(`http://127.0.0.1:${server.port}/#/policy`);
    await page.getByLabel(/^Try a command/).fill(HOSTILE);
    await page.locator('.tried').waitFor();
    await expectUnharmed(open);
  });

  test('in the output of a task, with what a terminal would obey', async () => {
    const { page } = open;
    const file = join(place.work, 'hostile.txt');
    writeFileSync(
      file,
      `${ATTACKS.join('\n')}\n\x1b]0;title\x07\x1b[31mred\x1b[0m \u202egnp.exe\u202c \x00 end-of-it\n`,
    );
    await page.goto(`http://127.0.0.1:${server.port}/#/tasks`);
    const { task } = JSON.parse(place.cli('run', '--background', '--yes', '--json', 'cat hostile.txt; sleep 700')) as {
      task: string;
    };
    const output = page.locator(`[data-task="${task}"] .output`, { hasText: 'end-of-it' });
    await output.waitFor();
    const text = await output.textContent();
    for (const attack of ATTACKS) expect(text).toContain(attack);
    expect(text).toContain('red \\u{202e}gnp.exe\\u{202c} \\0 end-of-it');
    await expectUnharmed(open);
    place.cli('tasks', 'stop', task);
  });

  test('characters that cannot be seen, or turn others around, are spelled out and marked', async () => {
    const { page } = open;
    await page.goto(`http://127.0.0.1:${server.port}/#/policy`);
    await page.getByLabel(/^Try a command/).fill('echo a\u200bb \u202etxt.exe\u202c c\u00a0d');
    const command = page.locator('.tried .command');
    await until(async () => (await command.locator('.unseen').count()) === 4);
    expect(await command.locator('.unseen').allTextContents()).toEqual([
      '\\u{200b}',
      '\\u{202e}',
      '\\u{202c}',
      '\\xa0',
    ]);
  });
});

test('an unknown address gets a message', async () => {
  const { page } = open;
  for (const end of ['#/command/%', '#/nothing', '#/__proto__', '#/command/%2e%2e%2f', '#enter=%']) {
    await page.goto(`http://127.0.0.1:${server.port}/${end}`);
    await page.getByText(/No such view|No such command/).waitFor();
  }
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.reload();
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
});

test('code that gets into the page anyway can do nothing', async () => {
  const { page, close } = await enterAgain();
  const outcome = await page.evaluate(async () => {
    const violations: string[] = [];
    addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const script = document.createElement('script');
    let isTrusted = true;
    try {
      script.text = 'window.hacked = 1';
    } catch {
      isTrusted = false;
    }
    document.body.append(script);
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.head.append(style);
    const picture = document.createElement('img');
    picture.src = 'http://192.0.2.1/x.png';
    document.body.append(picture);
    const frame = document.createElement('iframe');
    frame.src = 'http://127.0.0.1:1/';
    document.body.append(frame);
    const sent = await fetch('http://192.0.2.1/', { method: 'POST', mode: 'no-cors', body: 'x' }).then(
      () => 'sent',
      () => 'stopped',
    );
    let html = 'written';
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
    } catch {
      html = 'refused';
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    return {
      isTrusted,
      sent,
      html,
      violations: [...new Set(violations)].sort(),
      display: getComputedStyle(document.body).display,
    };
  });
  expect(outcome).toMatchObject({ isTrusted: false, sent: 'stopped', html: 'refused', display: 'block' });
  expect(outcome.violations).toEqual(expect.arrayContaining(['connect-src', 'frame-src', 'img-src', 'style-src-elem']));
  expect(await isHacked(page)).toBe(false);
  await close();
});

test('the token leaves the address at once, works once, and another browser is told what to do', async () => {
  await open.close();
  open = await enterAgain();
  expect(open.page.url()).toBe(`http://127.0.0.1:${server.port}/`);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url);
  await page.getByRole('heading', { name: 'This browser has no access' }).waitFor();
  expect(await page.locator('main').textContent()).toMatch(/hardshell dashboard/);
  expect(await page.locator('.question').count()).toBe(0);
  await context.close();
});

test('--open hands the link over in a private file, not as an argument, and a browser that opens the file is let in', async () => {
  const bin = join(place.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const said = join(place.folder, 'opened');
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" > "${said}.new" && mv "${said}.new" "${said}"\n`, {
    mode: 0o755,
  });
  const other = await place.dashboard(['--port', '0', '--open'], { PATH: `${bin}:${place.env.PATH}` });
  const address = await until(() => existsSync(said) && readFileSync(said, 'utf8').trim());
  expect(address).toBe(`file://${place.folder}/run/dashboard/${other.port}.html`);
  const file = fileURLToPath(address);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForURL(`http://127.0.0.1:${other.port}/`);
  await page.locator('.status:not(.lost)').waitFor();
  await context.close();
  await other.end();
  expect(existsSync(file)).toBe(false);
});

test('a thousand records a second leave the page answering', async () => {
  const { page } = open;
  await page.goto(`http://127.0.0.1:${server.port}/#/history`);
  await page.locator('.rows a').first().waitFor();
  const entries = Array.from({ length: 1_500 }, (_, index) =>
    requestRecords(`bash-f${index}`, `echo ${index}`, 'allow', 1),
  );
  await page.evaluate(() => {
    const shared = window as unknown as { redrawn: number };
    shared.redrawn = 0;
    new MutationObserver(() => {
      shared.redrawn += 1;
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const flood = place.record(entries.flat());
  await page.getByRole('button', { name: /new records?: show/ }).waitFor();
  await flood;
  await until(async () =>
    /^3000 new/.test((await page.getByRole('button', { name: /new records?/ }).textContent()) ?? ''),
  );
  // Three thousand records were drawn and asked for some times, not some thousand times.
  expect(await page.evaluate(() => (window as unknown as { redrawn: number }).redrawn)).toBeLessThan(100);
  expect(open.asked.length).toBeLessThan(60);
  await page.getByLabel('Command').fill('echo 1499');
  await until(async () => (await page.locator('.rows a').count()) === 1);
});

describe.each(['light', 'dark'] as const)('without barriers, %s', (colorScheme) => {
  test('every view', async () => {
    const { page, close } = await enterAgain({ colorScheme });
    const waiting = place.spawn(['run', '--ask', 'git push --force-with-lease origin dev']);
    await page.locator('.question').waitFor();
    await page.locator('.question input[type=radio]').last().check();
    await page.locator('.question button:not([disabled])').first().waitFor();
    const { task } = JSON.parse(place.cli('run', '--background', '--yes', '--json', 'echo out; sleep 700')) as {
      task: string;
    };
    const found: Record<string, string[]> = {};
    const look = async (name: string) => {
      found[name] = await findBarriers(page);
    };
    await look('approvals');
    const views: readonly (readonly [string, string])[] = [
      ['tasks', '.output'],
      ['history', '.rows a'],
      [`command/${task}`, '.timeline'],
      ['plots', '.plot canvas'],
      ['policy', '.trial'],
      ['doctor', '.guarantees li'],
    ];
    for (const [view, sign] of views) {
      await page.goto(`http://127.0.0.1:${server.port}/#/${view}`);
      await page.locator(sign).first().waitFor({ timeout: 60_000 });
      if (view === 'policy') {
        await page.getByLabel(/^Try a command/).fill('rm -rf / | sudo sh');
        await page.locator('.tried').waitFor();
      }
      await look(view);
    }
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await look('keys');
    place.cli('tasks', 'stop', task);
    waiting.kill('SIGKILL');
    await close();
    expect(Object.entries(found).filter(([, barriers]) => barriers.length > 0)).toEqual([]);
    expect(Object.keys(found)).toHaveLength(8);
  });
});

test('on a phone nothing is wider than the screen', async () => {
  const { page, close } = await enterAgain({ viewport: { width: 360, height: 720 } });
  const waiting = place.spawn(['run', '--ask', `git push --force-with-lease origin ${'x'.repeat(200)}`]);
  await page.locator('.question').waitFor();
  const widthOf = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await widthOf()).toBe(360);
  for (const view of ['tasks', 'history', 'plots', 'policy']) {
    await page.goto(`http://127.0.0.1:${server.port}/#/${view}`);
    await page.locator('h1').waitFor();
    if (view === 'plots') await page.locator('.plot canvas').first().waitFor();
    expect({ view, width: await widthOf() }).toEqual({ view, width: 360 });
  }
  waiting.kill('SIGKILL');
  await close();
});

test('the search for barriers finds one', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setContent('<html lang="en"><title>x</title><main><button></button></main></html>');
  expect((await findBarriers(page)).join()).toContain('button-name');
  await context.close();
});
