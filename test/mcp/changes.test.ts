// What commands changed, as a model sees and undoes it: over real clients, with real stages.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tailAudit } from '../../src/api/audit.ts';
import { whyNoKeeper } from '../sandboxed/place.ts';
import { type Connected, connect, KINDS, Surroundings } from './subject.ts';

let place: Surroundings;

const SETTINGS = { mode: 'bypass', staging: 'apply' } as const;
const at = (name: string) => join(place.work, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const audited = () =>
  tailAudit({ folder: join(place.env.HARDSHELL_STATE_DIR as string, 'audit'), types: ['changes'], count: 50 });

interface Changes {
  readonly id: string;
  readonly state: string;
}

let client: Connected;
const run = async (command: string, more: object = {}): Promise<Changes & { readonly text: string }> => {
  const answer = await client.call('bash', { command, ...more });
  return { ...(answer.structuredContent?.changes as Changes), text: answer.content[0]?.text ?? '' };
};
const names = async () => (await client.tools()).map(({ name }) => String(name)).filter((name) => /changes/.test(name));

for (const kind of KINDS.filter(({ name }) => /v1, stdio|newer protocol, HTTP/.test(name)))
  describe.skipIf(whyNoKeeper !== null)(kind.name, () => {
    beforeAll(async () => {
      place = new Surroundings();
      place.setSettings(SETTINGS);
      writeFileSync(at('a.txt'), 'one\n');
      client = await connect(place, kind);
    });
    afterAll(async () => {
      await client.close();
      await place.close();
    });

    test('a result says what was changed and how to undo it; the diff and the files can be read', async () => {
      expect(await names()).toEqual(['task_changes', 'undo_changes', 'redo_changes']);
      const { id, text } = await run('echo two >> a.txt; printf "x\\0y" > bin; mkdir d; echo n > "d/n w"');
      expect(text).toBe(`[3 files changed (2 created, 1 changed). Undo: undo_changes {"id": "${id}"}]`);
      const diff = await client.call('task_changes', { id });
      expect(diff.structuredContent).toMatchObject({ id, state: 'landed', created: 2, changed: 1, at_end: true });
      expect(diff.structuredContent?.text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n');
      expect(diff.structuredContent?.text).toContain('Binary files /dev/null and b/bin differ');
      const files = await client.call('task_changes', { id, view: 'files', path: at('d') });
      expect(files.structuredContent?.text).toBe(`created  ${at('d/n w')}  +1 -0`);
      const list = await client.call('task_changes', {});
      expect(list.structuredContent).toMatchObject({ commands: [{ id, state: 'landed', created: 2 }] });
    });

    test('undo and redo, the last command first, recorded', async () => {
      writeFileSync(at('b.txt'), 'one\n');
      const first = await run('echo two >> b.txt');
      const second = await run('echo three >> b.txt');
      const refused = await client.call('undo_changes', { id: first.id });
      expect(refused).toMatchObject({ isError: true, structuredContent: { done: false, state: 'landed' } });
      expect(refused.content[0]?.text).toBe(
        `Cannot undo ${first.id}: another command changed the same files: ${at('b.txt')}. Call undo_changes for ${second.id} first.`,
      );
      for (const { id } of [second, first])
        expect(await client.call('undo_changes', { id })).toMatchObject({
          isError: false,
          structuredContent: { id, done: true, state: 'undone' },
        });
      expect(read('b.txt')).toBe('one\n');
      await client.call('redo_changes', { id: first.id });
      expect(read('b.txt')).toBe('one\ntwo\n');
      expect(audited().slice(-4)).toMatchObject([
        { act: 'undo', by: 'mcp', outcome: 'refused', why: 'conflict', task: first.id },
        { act: 'undo', by: 'mcp', outcome: 'done', task: second.id },
        { act: 'undo', by: 'mcp', outcome: 'done', task: first.id },
        { act: 'redo', by: 'mcp', outcome: 'done', task: first.id },
      ]);
    });

    test('newer files are never forced away by a model', async () => {
      const { id } = await run('echo two > newer');
      writeFileSync(at('newer'), 'mine\n');
      const refused = await client.call('undo_changes', { id });
      expect(refused.content[0]?.text).toBe(
        `Cannot undo ${id}: changed since then: ${at('newer')}. Ask the user to run \`hardshell undo --force ${id}\`.`,
      );
      expect((await client.call('undo_changes', { id, force: true })).isError).toBe(true);
      expect(read('newer')).toBe('mine\n');
    });

    test('held changes are looked at by the model, and applied by a person', async () => {
      const { id, state, text } = await run('echo held >> a.txt', { hold_changes: true });
      expect([state, text]).toEqual(['held', expect.stringContaining(`Ask the user to run \`hardshell apply ${id}\``)]);
      expect((await client.call('task_changes', { id })).structuredContent?.text).toContain('+held');
      await expect(client.call('apply_changes', { id })).resolves.toMatchObject({ isError: true });
      await expect(client.call('drop_changes', { id })).resolves.toMatchObject({ isError: true });
      expect(read('a.txt')).not.toContain('held');
      expect((await client.call('task_changes', { id })).structuredContent?.state).toBe('held');
      place.setSettings({ ...SETTINGS, stagingTools: { apply: true, redo: false } });
      expect(await names()).toEqual(['task_changes', 'undo_changes', 'apply_changes']);
      expect((await client.call('apply_changes', { id })).structuredContent).toMatchObject({ state: 'landed' });
      expect(read('a.txt')).toContain('held');
      place.setSettings(SETTINGS);
    });

    test('a hidden file that a command replaced is named, and its content is not shown', async () => {
      writeFileSync(at('secret.txt'), 'the secret\n');
      place.setSettings({ ...SETTINGS, sandbox: { filesystem: { denyRead: ['./secret.txt'] } } });
      writeFileSync(at('replace.sh'), 'rm -f secret.txt; echo mine > s2; mv s2 secret.txt; echo x > seen.txt');
      const { id } = await run('sh ./replace.sh');
      const shown = await client.call('task_changes', { id });
      place.setSettings(SETTINGS);
      expect(JSON.stringify(shown)).not.toContain('the secret');
      expect(read('secret.txt')).toBe('the secret\n');
    });

    test('a long diff comes in parts that make the whole, and long lines are cut', async () => {
      const { id } = await run('seq 20000 > long; head -c 5000 /dev/zero | tr "\\0" x > wide');
      const parts: string[] = [];
      let cursor: unknown = 0;
      for (let isAtEnd: unknown = false; isAtEnd !== true; ) {
        const part = (await client.call('task_changes', { id, cursor })).structuredContent;
        parts.push(String(part?.text));
        expect(String(part?.text).length).toBeLessThan(35_000);
        [cursor, isAtEnd] = [part?.cursor, part?.at_end];
      }
      const lines = parts.join('\n').split('\n');
      expect(parts.length).toBeGreaterThan(3);
      expect(lines.filter((line) => /^\+\d+$/.test(line)).map(Number)).toEqual(
        Array.from({ length: 20_000 }, (_, index) => index + 1),
      );
      expect(lines.find((line) => line.startsWith('+xxx'))).toMatch(/… \(3001 more characters\)$/);
    });

    test('changes of another session, and of no session, do not exist', async () => {
      const { id } = await run('echo mine > other-session');
      const server = await connect(place, { name: 'SDK v2 with the older protocol, stdio', sdk: 'v2', over: 'stdio' });
      for (const tool of ['task_changes', 'undo_changes', 'redo_changes'])
        expect(await server.call(tool, { id })).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining('No staged changes of a command of this session') }],
        });
      expect((await server.call('task_changes', {})).structuredContent).toEqual({ commands: [] });
      await server.close();
      expect(read('other-session')).toBe('mine\n');
    });

    test('in the mode plan nothing is undone', async () => {
      const { id } = await run('echo mine > planned');
      place.setSettings({ ...SETTINGS, mode: 'plan' });
      const refused = await client.call('undo_changes', { id });
      place.setSettings(SETTINGS);
      expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('plan') }] });
      expect(read('planned')).toBe('mine\n');
    });
  });
