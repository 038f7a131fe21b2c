// What a command changed, in a real browser: diffs, undo, redo, apply and drop with their refusals, and hostile names and contents.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tailAudit } from '../../src/api/audit.ts';
import { whyNoKeeper } from '../sandboxed/place.ts';
import { findBarriers, findChromium, launch, NO_BROWSER, type Visit, visit } from './browser.ts';
import { type Dashboard, letIn, Surroundings, send, until } from './subject.ts';

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
  if (whyNoKeeper !== null) context.skip(whyNoKeeper);
});

const at = (name: string) => join(place.work, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const go = (view: string) => open.page.goto(`http://127.0.0.1:${server.port}/#/${view}`);
const run = (staging: 'apply' | 'review', command: string): string =>
  (JSON.parse(place.cli('run', '--yes', '--json', '--staging', staging, command)) as { task: string }).task;
const button = (name: string) => open.page.getByRole('button', { name, exact: true });
const state = () => open.page.locator('.line .badge').first();

async function act(name: string, confirmed = name): Promise<void> {
  await button(name).first().click();
  await open.page.locator('dialog.confirm').getByRole('button', { name: confirmed, exact: true }).click();
}

describe('changes of a command', () => {
  test('the files with their diffs; undo and redo after a question; recorded', async () => {
    writeFileSync(at('a.txt'), 'one\ntwo\n');
    writeFileSync(at('gone.txt'), 'gone\n');
    const id = run('apply', 'sed -i s/two/2/ a.txt; rm gone.txt; printf "x\\0y" > bin; seq 5000 > long');
    await go(`command/${id}`);
    await open.page.getByRole('link', { name: 'What it changed, and undo' }).click();
    const file = (name: string) => open.page.locator('.file', { hasText: name });
    await file('a.txt').waitFor();
    expect(await open.page.locator('.counts').first().textContent()).toBe('2 created1 changed1 deleted');
    expect(await file('a.txt').locator('.removed').textContent()).toBe('-two');
    expect(await file('a.txt').locator('.added').textContent()).toBe('+2');
    expect(await file('gone.txt').locator('summary').textContent()).toContain('deleted');
    expect(await file('bin').locator('.diff').textContent()).toContain('Binary files');
    expect(await file('long').locator('.about').last().textContent()).toMatch(/more lines/);
    expect(await findBarriers(open.page)).toEqual([]);
    // Nothing happens without a yes.
    await button('Undo').click();
    await button('Cancel').click();
    expect(read('a.txt')).toBe('one\n2\n');
    await act('Undo');
    await state().getByText('undone').waitFor();
    expect([read('a.txt'), read('gone.txt'), existsSync(at('bin'))]).toEqual(['one\ntwo\n', 'gone\n', false]);
    await act('Redo');
    await state().getByText('landed').waitFor();
    // What is done elsewhere is seen here.
    place.cli('undo', '--yes', id);
    await state().getByText('undone').waitFor();
    place.cli('redo', '--yes', id);
    await state().getByText('landed').waitFor();
    expect(read('a.txt')).toBe('one\n2\n');
    const records = tailAudit({ folder: join(place.env.HARDSHELL_STATE_DIR as string, 'audit'), types: ['changes'] });
    expect(records).toMatchObject([
      { act: 'undo', by: 'dashboard', outcome: 'done', task: id },
      { act: 'redo', by: 'dashboard', outcome: 'done', task: id },
      { act: 'undo', by: 'cli', outcome: 'done', task: id },
      { act: 'redo', by: 'cli', outcome: 'done', task: id },
    ]);
    expect(open.complaints).toEqual([]);
  });

  test('newer files are named, and moved away only after a second question', async () => {
    writeFileSync(at('newer.txt'), 'one\n');
    const id = run('apply', 'echo two >> newer.txt');
    writeFileSync(at('newer.txt'), 'mine\n');
    await go(`changes/${id}`);
    await open.page.getByText('changed since: shown as it is now').waitFor();
    await act('Undo');
    const refusal = open.page.getByRole('alert').filter({ hasText: 'Cannot undo' });
    await refusal.waitFor();
    expect(await refusal.textContent()).toContain(at('newer.txt'));
    expect(read('newer.txt')).toBe('mine\n');
    await act('Undo anyway …', 'Undo anyway');
    await state().getByText('undone').waitFor();
    expect(read('newer.txt')).toBe('one\n');
    const said = (await open.page.locator('.aside').textContent()) ?? '';
    expect(readFileSync(/is now (\S+)$/.exec(said)?.[1] ?? '', 'utf8')).toBe('mine\n');
  });

  test('another command that is in the way is linked', async () => {
    writeFileSync(at('twice.txt'), 'one\n');
    const first = run('apply', 'echo two >> twice.txt');
    const second = run('apply', 'echo three >> twice.txt');
    await go(`changes/${first}`);
    await act('Undo');
    await open.page.getByRole('alert').getByRole('link', { name: second }).click();
    await open.page.locator('.file', { hasText: 'twice.txt' }).getByText('+three').waitFor();
    await act('Undo');
    await state().getByText('undone').waitFor();
    expect(read('twice.txt')).toBe('one\ntwo\n');
  });

  test('held changes are on the first page; applied and dropped there', async () => {
    writeFileSync(at('held.txt'), 'one\n');
    const id = run('review', 'echo two >> held.txt');
    const other = run('review', 'rm held.txt');
    await go('approvals');
    const list = open.page.getByRole('region', { name: 'Held for review' });
    await list.getByText('echo two').click();
    await act('Apply');
    await state().getByText('landed').waitFor();
    expect(read('held.txt')).toBe('one\ntwo\n');
    await go('approvals');
    await until(async () => (await list.locator('a').count()) === 1);
    await list.getByText('rm held.txt').click();
    await act('Drop');
    await state().getByText('dropped').waitFor();
    expect([read('held.txt'), id === other]).toEqual(['one\ntwo\n', false]);
    await go('approvals');
    await until(async () => (await list.count()) === 0);
  });

  test('what is held back is named with the reason', async () => {
    writeFileSync(at('make.sh'), 'mkdir .vscode; echo {} > .vscode/tasks.json; echo x > beside');
    const id = run('apply', 'sh ./make.sh');
    await go(`changes/${id}`);
    const held = open.page.getByRole('region', { name: 'Held back' });
    expect(await held.textContent()).toContain('.vscode: it controls what runs outside of the sandbox');
  });

  test('names and contents that attack the page are text', async () => {
    const attack = '<img src=x onerror=window.hacked=1>';
    writeFileSync(
      at('attack.js'),
      `const fs = require('fs');
      for (const name of ['${attack}', 'line\\nbreak', 'rtl\\u202etxt', '"><svg onload=window.hacked=1>', '@@ -1 +1 @@'])
        fs.writeFileSync(name, '${attack}\\n<script>window.hacked=1</script>\\n\\u001b[31mred\\u202e\\n');`,
    );
    const id = run('apply', `${process.execPath} ./attack.js`);
    await go(`changes/${id}`);
    await open.page.locator('.file').nth(4).waitFor();
    const text = (await open.page.locator('main').textContent()) ?? '';
    expect(text).toContain(attack);
    expect(text).toContain('line ↵ break');
    expect(text).toContain('rtl\\u{202e}txt');
    expect(text).not.toContain('\u202e');
    expect(await open.page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
    expect(await open.page.locator('img, iframe, main script, main svg').count()).toBe(0);
    expect(open.complaints).toEqual([]);
    expect(await findBarriers(open.page)).toEqual([]);
  });

  test('many files come in parts', async () => {
    const id = run('apply', 'mkdir many; for i in $(seq 120); do echo $i > many/$i; done');
    await go(`changes/${id}`);
    await button('More files').click();
    await until(async () => (await open.page.locator('.file').count()) === 100);
    await button('More files').click();
    await until(async () => (await open.page.locator('.file').count()) === 120);
    expect(await button('More files').count()).toBe(0);
  });
});

describe('requests', () => {
  test('an act needs a known word, an id, and nothing that it ignores', async () => {
    const id = run('apply', 'echo x > request.txt');
    const other = await place.dashboard();
    const headers = await letIn(other);
    const post = async (body: object) => (await send(other.port, { path: '/api/act', headers, body })).status;
    expect(await post({ act: 'recover', id })).toBe(400);
    expect(await post({ act: 'undo' })).toBe(400);
    expect(await post({ act: 'drop', id, force: true })).toBe(400);
    expect(await post({ act: 'undo', id: '../../etc' })).toBe(200);
    const foreign = { ...headers, origin: 'http://attacker.example' };
    const sent = await send(other.port, { path: '/api/act', headers: foreign, body: { act: 'undo', id } });
    expect(sent.status).toBe(403);
    expect((await send(other.port, { path: '/api/changes?task=bash-none', headers })).status).toBe(404);
    expect(read('request.txt')).toBe('x\n');
    await other.end();
  });
});
