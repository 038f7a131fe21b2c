// The attack: one yes to a hidden file, and then any other command that reads the output of the first, which was kept.

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { RunOptions } from '../../src/core/running.ts';
import { type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';

const KEY = 'SECRET-KEY';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  /** In settings, BASE stands for the folder that holds everything. */
  async function prepare(context: TestContext, settings: Settings = {}): Promise<Place> {
    const broker = createBroker();
    broker.attach(callbackSurface(() => 'allow'));
    const place = await bare(context, { settings: { mode: 'default', ...settings }, shell: { broker } });
    const text = readFileSync(place.settingsFile, 'utf8');
    writeTree(place.base, { 'settings.json': text.replaceAll('BASE', place.base) });
    writeTree(place.home, { '.ssh/id_rsa': `${KEY}\n`, '.npmrc': `${KEY}\n` });
    // Which files a script reads is not known before it runs.
    writeTree(place.base, { 'other/all.sh': `grep -ra SECRET.KEY ${place.base}/tasks ${place.home}\n` });
    return place;
  }

  /** Everything that another command finds. */
  async function search(place: Place, options: Partial<RunOptions> = {}): Promise<string> {
    const found: string[] = [];
    for (const command of [
      'sh all.sh',
      `cat ${place.base}/tasks/*/*.kept`,
      `cat ${place.base}/tasks/secret/*/* ${place.base}/tasks/secret/*`,
      `grep -ra SECRET.KEY ${place.base}/tasks`,
    ])
      found.push((await place.run(command, { cwd: join(place.base, 'other'), ...options })).output);
    return found.join('');
  }

  test.for<[string, string, Partial<RunOptions>]>([
    ['a short output', 'head -2 ~/.ssh/id_rsa', {}],
    ['a hidden file by itself', 'cat ~/.npmrc', {}],
    ['separate streams', 'cat ~/.ssh/id_rsa; echo x >&2', { streams: 'split' }],
    ['a long output', 'cat ~/.ssh/id_rsa; seq 200000', {}],
    ['outside of the sandbox', 'cat ~/.ssh/id_rsa', { sandbox: { name: 'unrestricted' } }],
    ['a pattern outside of the sandbox', 'cat ~/.ssh/*', { sandbox: { name: 'unrestricted' } }],
    ['a folder outside of the sandbox', 'grep -r KEY ~', { sandbox: { name: 'unrestricted' } }],
  ])('no other command reads what a yes showed: %s', async ([, command, options], context) => {
    const place = await prepare(context);
    const { output, task, outputFile } = await place.run(command, options);
    expect(output).toContain(KEY);
    expect(await search(place)).not.toContain(KEY);
    expect(await search(place, { sandbox: { name: 'restricted' } })).not.toContain(KEY);
    // The user still finds it.
    const kept = await place.shell.task(task);
    expect((await kept?.read())?.text).toContain(KEY);
    if (outputFile !== null) expect(readFileSync(outputFile, 'utf8')).toContain(KEY);
    await kept?.remove();
    expect(await place.shell.task(task)).toBeNull();
    expect(readdirSync(join(place.base, 'tasks/secret/foreground'))).toEqual([]);
  });

  test('nor the output of a task, while it runs and afterwards', async (context) => {
    const place = await prepare(context);
    const { task, outputFile } = await place.start('cat ~/.ssh/id_rsa; sleep 600');
    expect(outputFile).toBe(join(place.base, 'tasks/secret', `${task}.out`));
    await expect.poll(() => readFileSync(outputFile as string, 'utf8'), { timeout: 30_000 }).toContain(KEY);
    expect(await search(place)).not.toContain(KEY);
    expect(await place.shell.tasks()).toMatchObject([{ id: task, state: 'running' }]);
    const handle = await place.shell.task(task);
    expect(await handle?.stop()).toBe(true);
    expect(await search(place)).not.toContain(KEY);
    expect((await handle?.read())?.text).toContain(KEY);
    await handle?.remove();
    expect(await place.shell.tasks()).toEqual([]);
    expect(existsSync(outputFile as string)).toBe(false);
  });

  test('nor by a command that runs since before', async (context) => {
    const place = await prepare(context);
    const loop = `while sleep 0.1; do cat ${place.base}/tasks/*/*.kept ${place.base}/tasks/*/*/*.kept; done 2>&1`;
    writeTree(place.base, { 'other/loop.sh': loop });
    const watching = await place.start('sh loop.sh', { cwd: join(place.base, 'other') });
    expect((await place.run('head -2 ~/.ssh/id_rsa')).output).toContain(KEY);
    await place.run('sleep 1; echo known');
    const handle = await place.shell.task(watching.task);
    const seen = async () => (await handle?.read())?.text;
    // By Landlock, a folder that did not exist at the start is not readable at all.
    if (tier === 'namespaces') await expect.poll(seen, { timeout: 30_000 }).toContain('known');
    await handle?.stop();
    expect(await seen()).not.toContain(KEY);
  });

  test('nor with a yes to that file, or a setting that shows its folder', async (context) => {
    const place = await prepare(context, { sandbox: { filesystem: { allowRead: ['/BASE/tasks'] } } });
    const { task } = await place.run('head -2 ~/.ssh/id_rsa');
    const file = join(place.base, 'tasks/secret/foreground', `${task}.kept`);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    const { output, meaning } = await place.run(`cat ${file}`);
    expect(output).not.toContain(KEY);
    expect(meaning).toContain('outputs that may contain secrets');
    expect(await search(place)).not.toContain(KEY);
  });

  test('what a rule shows is kept there as well', async (context) => {
    const place = await prepare(context, { mode: 'bypass', permissions: { allow: ['Read(~/.npmrc)'] } });
    expect((await place.run('cat ~/.npmrc')).output).toContain(KEY);
    expect(readdirSync(join(place.base, 'tasks/secret/foreground'))).toHaveLength(1);
  });

  test.for(['cat ~/.ssh/id_rsa', 'grep -r KEY ~'])(
    'what the settings of one project show is kept there as well: %s',
    async (command, context) => {
      const filesystem = { allowRead: ['~/.ssh/id_rsa'] };
      const place = await prepare(context, { mode: 'bypass', sandbox: { filesystem } });
      expect((await place.run(command)).output).toContain(KEY);
      expect(readdirSync(join(place.base, 'tasks/secret/foreground'))).toHaveLength(1);
    },
  );

  test('other outputs stay readable for the next command', async (context) => {
    const place = await prepare(context);
    mkdirSync(join(place.project, 'src'));
    const { outputFile } = await place.run('touch src/a; seq 200000');
    expect((await place.run(`tail -1 ${outputFile}`)).output).toBe('200000\n');
    const { output: none } = await place.run('grep -r KEY ~');
    expect(none).not.toContain(KEY);
    expect(readdirSync(join(place.base, 'tasks/secret'))).toEqual([]);
  });
});
