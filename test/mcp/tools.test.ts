// Every tool, as every kind of client meets it.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connected, connect, KINDS, Surroundings } from './subject.ts';

const place = new Surroundings();
place.setSettings({ permissions: { allow: ['Bash(mkdir:*)'], deny: ['Bash(touch forbidden*)'] } });
afterAll(() => place.close());

describe.each(KINDS)('$name', (kind) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect(place, kind);
  });
  afterAll(() => client.close());

  test('the tools are listed, with a description of where commands run and what they may be believed to do', async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'bash',
      'bash_readonly',
      'task_output',
      'task_input',
      'task_stop',
      'task_list',
      'explain_command',
      'task_changes',
      'undo_changes',
      'redo_changes',
    ]);
    const [bash, readOnly] = tools;
    expect(bash?.description).toContain(place.work);
    expect(bash?.description).toContain('Sandbox:');
    expect(bash?.title).toBe('Run a shell command');
    // It runs in a stricter sandbox than the others; a machine without any has nothing to say.
    expect(readOnly?.description).toMatch(
      /Sandbox: none|Sandbox: restricted[\s\S]*everything is read-only[\s\S]*Network: none\./,
    );
    expect(readOnly?.annotations).toMatchObject({ readOnlyHint: true, title: readOnly?.title });
    expect(bash?.annotations).toMatchObject({ readOnlyHint: false });
    for (const tool of tools) expect(tool).toMatchObject({ outputSchema: { type: 'object' } });
  });

  test('bash answers with text and with the same as fields, and remembers cd', async () => {
    const answer = await client.call('bash', { command: 'mkdir -p inner && cd inner && echo "moved on"' });
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('moved on\n') }],
      structuredContent: { output: 'moved on\n', exit_code: 0, status: 'exited' },
      isError: false,
    });
    const next = await client.call('bash_readonly', { command: 'pwd' });
    expect(next.structuredContent?.output).toBe(`${place.work}/inner\n`);
    await client.call('bash', { command: 'cd ..' });
  });

  test('bash_readonly refuses what changes something, and nothing happens', async () => {
    const answer = await client.call('bash_readonly', { command: 'touch made && ls made' });
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect((await client.call('bash_readonly', { command: 'ls' })).structuredContent?.output).not.toContain('made');
  });

  test('a task is started, listed, written to, read and stopped', async () => {
    const started = await client.call('bash', {
      command: 'while read -r line; do echo "got $line"; done',
      run_in_background: true,
      keep_input_open: true,
    });
    const id = started.structuredContent?.task_id as string;
    expect(started).toMatchObject({ isError: false, structuredContent: { status: 'running' } });
    expect(JSON.stringify((await client.call('task_list', {})).structuredContent)).toContain(id);
    await client.call('task_input', { task_id: id, text: 'one\n' });
    let text = '';
    while (!text.includes('got one')) {
      const read = await client.call('task_output', { task_id: id, wait_ms: 1_000 });
      expect(read.isError).toBe(false);
      text += read.structuredContent?.output;
    }
    expect((await client.call('task_stop', { task_id: id })).isError).toBe(false);
    const end = await client.call('task_output', { task_id: id, wait_ms: 10_000 });
    expect(end.structuredContent).toMatchObject({ state: 'finished' });
  });

  test('what is written to a task passes through the policy', async () => {
    const asking = await connect(place, kind, {
      elicit: () => ({ action: 'accept', content: { decision: 'allow once' } }),
    });
    const started = await asking.call('bash', { command: 'bash', run_in_background: true, keep_input_open: true });
    const id = started.structuredContent?.task_id as string;
    expect(id).toMatch(/^bash-/);
    const answer = await asking.call('task_input', { task_id: id, text: 'touch forbidden\n' });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.text).toContain('touch forbidden');
    // The tasks of one client are not visible to others.
    expect(await client.call('task_stop', { task_id: id })).toMatchObject({ isError: true });
    expect(await asking.call('task_stop', { task_id: id })).toMatchObject({ isError: false });
    await asking.close();
  });

  test('explain_command says what would happen, and runs nothing', async () => {
    const answer = await client.call('explain_command', { command: 'touch forbidden' });
    expect(answer.content[0]?.text).toContain('It would be denied');
  });

  test('a refused command is a result that says why', async () => {
    const answer = await client.call('bash', { command: 'touch forbidden' });
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
  });

  test('a refusal says each thing once, and nothing that does not belong to it', async () => {
    const refused = JSON.stringify((await client.call('bash', { command: 'git push --force' })).content);
    expect(refused.split('A forced push overwrites')).toHaveLength(2);
    expect(refused).toContain('--force-with-lease');
    const inside = JSON.stringify((await client.call('bash', { command: 'ls', without_sandbox: true })).content);
    expect(inside).not.toContain('the owner and the mode of the file');
  });

  test('bad input is a result; a tool that does not exist is an error of the protocol', async () => {
    expect(await client.call('bash', { command: 7 })).toMatchObject({ isError: true });
    expect(await client.call('bash', {})).toMatchObject({ isError: true });
    await expect(client.call('write_settings', {})).rejects.toThrow(/Unknown tool/);
  });
});

test('a picture that a command prints comes as a picture', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(place.work, 'pixel.png'), Buffer.from(pixel, 'base64'));
  const client = await connect(place, KINDS[4]);
  const answer = await client.call('bash', { command: 'cat pixel.png' });
  expect(answer.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
  await client.close();
});

test('--sandbox and --mode hold for every command, and the description says what the sandbox does', async (context) => {
  const client = await connect(place, KINDS[0], { args: ['--sandbox', 'restricted', '--mode', 'accept-edits'] });
  const { structuredContent = {} } = await client.call('bash', { command: 'mkdir not-here' });
  const [bash] = await client.tools();
  await client.close();
  const { tier } = structuredContent.enforcement as { tier: string };
  if (tier === 'none') context.skip('there is no sandbox on this machine');
  // The mode lets it run, unasked; the sandbox keeps it from the folder.
  expect(structuredContent.status).toBe('exited');
  expect(bash?.description).toContain('Sandbox: restricted');
  expect(existsSync(join(place.work, 'not-here'))).toBe(false);
});

test.each(['mcp-guide', 'claude-code', 'proposal-0028', 'layered', 'req'])(
  'the profile %s is served with its own tools',
  async (profile) => {
    const client = await connect(place, KINDS[4], { args: ['--profile', profile] });
    const tools = await client.tools();
    expect(tools.length).toBeGreaterThan(0);
    for (const { description } of tools) expect(description).not.toBe('');
    await client.close();
  },
);
