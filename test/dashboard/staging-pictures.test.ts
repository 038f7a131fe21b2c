// UPDATE_DOCS=1 npm test -- test/dashboard/staging-pictures.test.ts redraws the images of staged changes: the page of
// the dashboard, and a terminal with the real output of the subcommands.

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { hasProgram, whyNoKeeper } from '../sandboxed/place.ts';
import { findChromium, launch, NO_BROWSER, visit } from './browser.ts';
import { ROOT, Surroundings } from './subject.ts';

const IMAGES = join(ROOT, 'docs/images');
const MAX_BYTES = 150_000;
const TERMINAL = 'staging-terminal.png';
const place = new Surroundings();
afterAll(() => place.close());

test('the pictures of the document are there, and small', () => {
  const text = readFileSync(join(ROOT, 'docs/staging.md'), 'utf8');
  const names = [...text.matchAll(/\]\(images\/([\w-]+\.png)\)/g)].map((match) => match[1] as string);
  expect(names.sort()).toEqual(['dashboard-changes.png', TERMINAL]);
  for (const name of names) expect(statSync(join(IMAGES, name)).size).toBeLessThan(MAX_BYTES);
});

test('the pictures', async (context) => {
  if (process.env.UPDATE_DOCS === undefined) return context.skip('drawn only with UPDATE_DOCS=1');
  const chromium = findChromium();
  if (chromium === null) return context.skip(NO_BROWSER);
  if (whyNoKeeper !== null) return context.skip(whyNoKeeper);
  if (!hasProgram('script')) return context.skip('script, which makes a terminal, is not installed');
  const browser = await launch(chromium);
  place.onClose(() => browser.close());
  const file = (name: string, text: string) => writeFileSync(join(place.work, name), text);
  file('server.js', "const port = 3000;\n\nserver.listen(port);\nconsole.log('ready');\n");
  file('notes.txt', 'to do\n');
  const command = "sed -i 's/3000/8080/' server.js; rm notes.txt; echo PORT=8080 > .env.example";
  await drawTerminal(browser, [
    `hardshell run --yes --staging apply "${command}"`,
    'hardshell changes --last',
    'hardshell undo --yes',
    'hardshell changes',
  ]);
  place.cli('redo', '--yes');
  const server = await place.dashboard();
  const { page, close } = await visit(browser, server, {
    colorScheme: 'light',
    viewport: { width: 1000, height: 720 },
  });
  await page.goto(`http://127.0.0.1:${server.port}/#/history`);
  await page.locator('.rows a', { hasText: 'sed -i' }).click();
  await page.getByRole('link', { name: 'What it changed, and undo' }).click();
  await page.locator('.file').nth(2).waitFor();
  await page.screenshot({ path: join(IMAGES, 'dashboard-changes.png') });
  await close();
});

async function drawTerminal(browser: Browser, commands: readonly string[]): Promise<void> {
  const bin = `${process.execPath} ${join(ROOT, 'bin/hardshell.js')}`;
  const shown = commands.map((command) => {
    const real = command.replace(/^hardshell/, bin);
    const { stdout } = spawnSync('script', ['-qec', `stty cols 100; ${real}`, '/dev/null'], {
      cwd: place.work,
      env: { ...place.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
      encoding: 'utf8',
    });
    return `<b class="prompt">$ ${escapeHtml(command)}</b>\n${toHtml(stdout.replace(/\r|\x1b\[\d*K/g, ''))}`;
  });
  const page = await browser.newPage({ viewport: { width: 920, height: 200 } });
  await page.setContent(`<style>
    body { margin: 0; background: #14171b; color: #e7eaee; }
    pre { margin: 0; padding: 16px 20px; font: 13.5px/1.5 'DejaVu Sans Mono', monospace; white-space: pre-wrap; }
    .prompt { color: #ffffff; } .s1 { font-weight: bold; } .s2 { color: #a3abb6; }
    .s31 { color: #ff9a98; } .s32 { color: #7fd6a2; } .s33 { color: #f0c06a; } .s36 { color: #82b4f5; }
  </style><pre>${shown.join('\n')}</pre>`);
  await page.locator('pre').screenshot({ path: join(IMAGES, TERMINAL) });
  await page.close();
}

/** The few styles that the subcommands use. */
function toHtml(text: string): string {
  let style = '';
  return text
    .split(/\x1b\[([\d;]*)m/)
    .map((part, index) => {
      if (index % 2 === 0)
        return style === '' ? escapeHtml(part) : `<span class="s${style}">${escapeHtml(part)}</span>`;
      style = /^(?:1|2|31|32|33|36)$/.test(part) ? part : '';
      return '';
    })
    .join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
