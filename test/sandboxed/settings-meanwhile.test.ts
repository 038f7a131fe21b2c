// Settings that a user writes while a background task runs: the new folder is removed, and hardshell says so and why.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runVerb } from '../run-verb.ts';
import { useProjects } from './project.ts';

describe.skipIf(process.platform !== 'linux')('by namespaces', { timeout: 60_000 }, () => {
  const { project } = useProjects('namespaces');

  test('a settings folder that is removed again is reported, with what to do', async (context) => {
    const place = await project(context, { file: 'x\n' });
    const { task: id } = await place.start('sleep 60');
    const options = { cwd: place.project, env: { PATH: process.env.PATH, HOME: place.home, LANG: 'C.UTF-8' } };
    const folder = join(place.project, '.hardshell');
    const refused = {
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /\.hardshell was removed again .*A command of hardshell runs.*hardshell tasks stop ID/s,
      ),
    };
    expect(await runVerb(['config', 'add', 'allow', 'Bash(ls)', '--to', 'project'], options)).toEqual(refused);
    expect(await runVerb(['init'], options)).toEqual(refused);
    expect(existsSync(folder)).toBe(false);
    const task = await place.shell.task(id);
    await task?.stop();
    expect((await task?.info())?.notes).toEqual([
      expect.stringMatching(
        /^While it ran, 2 protected names appeared and were removed: .*\/\.hardshell \(moved to \/.*\), .*\.hardshell \(moved/,
      ),
    ]);
    expect(await runVerb(['config', 'add', 'allow', 'Bash(ls)', '--to', 'project'], options)).toMatchObject({
      status: 0,
    });
    expect(existsSync(join(folder, 'settings.json'))).toBe(true);
  });

  test('what was learned is printed although it cannot be written', async (context) => {
    const place = await project(context, { 'x.sh': 'echo x > ~/notes/a\n' });
    mkdirSync(join(place.home, 'notes'));
    writeFileSync(place.settingsFile, '{}');
    const { task: id } = await place.start('sleep 60');
    const env = { PATH: process.env.PATH, HOME: place.home, LANG: 'C.UTF-8' };
    const learned = await runVerb(['learn', '--yes', '--write', 'local', 'sh x.sh'], { cwd: place.project, env });
    expect(learned.stdout).toContain('"~/notes"');
    expect(learned.stderr).toContain('was removed again right after it was created');
    await (await place.shell.task(id))?.stop();
  });
});
