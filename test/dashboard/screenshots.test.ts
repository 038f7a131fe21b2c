// UPDATE_DOCS=1 npm test -- test/dashboard/screenshots.test.ts redraws the images of docs/dashboard.md.
// Otherwise it only says that the document and its pictures belong together.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { findChromium, launch, NO_BROWSER, visit } from './browser.ts';
import { ROOT, requestRecords, Surroundings } from './subject.ts';

const IMAGES = join(ROOT, 'docs/images');
const MAX_BYTES = 150_000;
const place = new Surroundings();
afterAll(() => place.close());

test('every picture of the document is there and small, and every picture is used', () => {
  const named = [...readFileSync(join(ROOT, 'docs/dashboard.md'), 'utf8').matchAll(/\]\(images\/([\w-]+\.png)\)/g)];
  const names = named.map((match) => match[1] as string).sort();
  expect(
    readdirSync(IMAGES)
      .filter((name) => name.startsWith('dashboard-'))
      .sort(),
  ).toEqual(names);
  for (const name of names) expect(statSync(join(IMAGES, name)).size).toBeLessThan(MAX_BYTES);
});

test('the pictures', async (context) => {
  if (process.env.UPDATE_DOCS === undefined) context.skip('drawn only with UPDATE_DOCS=1');
  const chromium = findChromium();
  if (chromium === null) return context.skip(NO_BROWSER);
  const commands = [
    'git status',
    'npm test',
    'rg TODO src',
    'node build.js',
    'git push origin main',
    'ls -la',
    'npm ci',
  ];
  const records = Array.from({ length: 60 }, (_, index) => {
    const verdict = index % 11 === 0 ? 'deny' : index % 5 === 0 ? 'ask' : 'allow';
    const command = verdict === 'deny' ? 'rm -rf ~' : (commands[(index * index) % commands.length] as string);
    return requestRecords(
      `bash-${1000 + index}`,
      command,
      verdict,
      verdict === 'deny' ? null : 40 + ((index * 97) % 900),
    );
  });
  // Over the last hour, busier towards its end.
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  for (const [index, entries] of records.entries()) {
    vi.setSystemTime(now - (3_300_000 * (records.length - index) ** 1.5) / records.length ** 1.5);
    await place.record(entries);
  }
  vi.useRealTimers();
  writeFileSync(
    join(place.work, 'settings.json'),
    '{\n  "permissions": {\n    "allow": ["Bash(git status:*)", "Bash(npm test:*)"],\n    "ask": ["Bash(git push:*)"],\n    "deny": ["Bash(rm -rf ~)"]\n  }\n}\n',
  );
  const browser = await launch(chromium);
  place.onClose(() => browser.close());
  const shoot = async (
    scheme: 'light' | 'dark',
    work: (open: Awaited<ReturnType<typeof visit>>, port: number) => Promise<void>,
  ) => {
    const server = await place.dashboard(['--port', '0', '--settings', join(place.work, 'settings.json')]);
    const open = await visit(browser, server, { colorScheme: scheme, viewport: { width: 1000, height: 680 } });
    await work(open, server.port);
    await open.close();
    await server.end();
  };
  mkdirSync(IMAGES, { recursive: true });
  await shoot('light', async ({ page }, port) => {
    const go = (view: string) => page.goto(`http://127.0.0.1:${port}/#/${view}`);
    const picture = (name: string) => page.screenshot({ path: join(IMAGES, `dashboard-${name}.png`) });
    const asking = place.spawn(['run', '--ask', 'npm test && git push --force-with-lease origin main']);
    await page.locator('.question').first().waitFor();
    await page.locator('.question').first().getByLabel('always in this project').check();
    await page.locator('.matches li').first().waitFor();
    await page.locator('.question button:not([disabled])').first().waitFor();
    await page.setViewportSize({ width: 1000, height: 860 });
    await picture('approvals');
    asking.kill('SIGKILL');
    const { task } = JSON.parse(
      place.cli(
        'run',
        '--background',
        '--yes',
        '--json',
        'for i in $(seq 40); do echo "test $i passed"; sleep 0.2; head -c 3000000 /dev/zero | sha256sum > /dev/null; done',
      ),
    ) as { task: string };
    const waiting = place.spawn([
      'run',
      '--ask',
      '--yes',
      'for i in $(seq 9); do echo "step $i of 9"; sleep 1; done; sleep 60',
    ]);
    await page.setViewportSize({ width: 1000, height: 860 });
    await go('tasks');
    await page.locator('.output', { hasText: 'test 25 passed' }).waitFor();
    await page.locator('.output', { hasText: 'step 4 of 9' }).waitFor();
    await picture('running');
    waiting.kill('SIGTERM');
    await page.setViewportSize({ width: 1000, height: 680 });
    await go('policy');
    await page.getByLabel(/^Try a command/).fill('git push origin main && rm -rf ~');
    await page.locator('.tried').waitFor();
    await picture('policy');
    place.cli('tasks', 'stop', task);
  });
  await shoot('dark', async ({ page }, port) => {
    const go = (view: string) => page.goto(`http://127.0.0.1:${port}/#/${view}`);
    const picture = (name: string) => page.screenshot({ path: join(IMAGES, `dashboard-${name}.png`) });
    await go('history');
    await page.locator('.rows a').first().waitFor();
    await picture('history');
    place.cli('run', '--yes', 'for f in *.json; do wc -l "$f"; done | sort -n');
    await page.getByLabel('Command').fill('sort -n');
    await page.locator('.rows a', { hasText: 'sort -n' }).click();
    await page.locator('.timeline').waitFor();
    await picture('command');
    await go('plots');
    await page.getByLabel('Time').selectOption('hour');
    await page.locator('.plot canvas').first().waitFor();
    await picture('plots');
  });
});
