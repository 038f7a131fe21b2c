// A model that names another folder for its command, by every tool that takes one: the project's settings hold there too.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShell } from '../../src/pipeline/shell.ts';
import { codexExec } from '../../src/surfaces/adapters/adapters.ts';
import { connect, KINDS, Surroundings } from './subject.ts';

const place = new Surroundings();
const away = join(place.folder, 'away');
beforeAll(() => {
  for (const folder of [join(place.work, '.hardshell'), away]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(place.work, '.hardshell/settings.json'), '{"permissions": {"deny": ["Bash(uname:*)"]}}');
}, 60_000);
afterAll(() => place.close());

test.each<[profile: string, tool: string, input: object]>([
  ['proposal-0028', 'Bash', { command: 'uname', description: 'x', cwd: away }],
  ['layered', 'bash', { command: 'uname', cwd: away }],
  ['mcp-guide', 'execute_command', { command: 'uname', work_dir: away }],
])('%s over MCP', async (profile, tool, input) => {
  const client = await connect(place, KINDS[2], { args: ['--profile', profile, '--answer-within', '2'] });
  const text = JSON.stringify(await client.call(tool, input));
  expect(text).not.toContain('Linux');
  const here = JSON.stringify(await client.call(tool, { ...input, cwd: undefined, work_dir: undefined }));
  expect(here).toContain('Bash(uname:*)');
  await client.close();
});

test("Codex's own tool, and a session of the library", async () => {
  const shell = createShell({ tasksFolder: join(place.folder, 'tasks') });
  const session = shell.session({ cwd: place.work });
  const result = await session.run('uname', { cwd: away });
  expect(result).toMatchObject({ status: 'denied', output: '' });
  expect(result.verdict?.findings).toMatchObject([{ verdict: 'deny', rule: { text: 'Bash(uname:*)' } }, {}]);
  const codex = codexExec({ shell, session });
  const { text } = await codex.call('exec_command', { cmd: 'uname', workdir: away });
  expect(text).toContain('Bash(uname:*)');
  // Who starts there belongs there.
  expect(await shell.run('uname', { cwd: away })).toMatchObject({ status: 'exited', output: 'Linux\n' });
  await shell.close();
});
