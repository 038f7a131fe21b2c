// approval.askToApply: a command runs with its changes held, and the user is asked afterwards, with the changes.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import type { ApprovalRequest } from '../../src/core/approval.ts';
import { openStages } from '../../src/stage/stages.ts';
import { makePlace, outside, type Place, whyNoKeeper, writeTree } from './place.ts';

const open: Place[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** `null`: no one answers. */
function prepare(reply: 'allow' | 'deny' | null, staging: 'apply' | 'review' = 'review') {
  const questions: ApprovalRequest[] = [];
  const broker = createBroker();
  if (reply !== null)
    broker.attach(
      callbackSurface((request) => {
        questions.push(request);
        return reply;
      }),
    );
  const settings = { mode: 'auto', staging, approval: { askToApply: true } } as const;
  const place = makePlace({ settings, shell: { broker } });
  open.push(place);
  writeTree(place.project, { 'a.txt': 'one\n', 'b.txt': 'two\n', '.env': 'TOKEN=secret\n' });
  outside('git', ['init', '-q'], place.project);
  return { ...place, questions, has: (name: string) => existsSync(join(place.project, name)) };
}

describe.skipIf(whyNoKeeper !== null)('asked afterwards', () => {
  const COMMAND = 'rm a.txt; echo three > b.txt; rm -f .env';

  test('the question shows what happened, once; a yes applies it', async () => {
    const { run, questions, has, project } = prepare('allow');
    const result = await run(COMMAND);
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, isError: false, changes: { state: 'landed' } });
    expect(result.meaning).toBe('Its changes were held, and the user applied them.');
    expect([has('a.txt'), readFileSync(join(project, 'b.txt'), 'utf8')]).toEqual([false, 'three\n']);
    expect(questions).toHaveLength(1);
    const [{ findings = [], edits = [] } = {}] = questions;
    expect(findings.map(({ message }) => message)).toEqual([
      'The command has run, and its changes are held: 2 files deleted, 1 changed, 0 created. Yes applies them, no drops them.',
    ]);
    const shown = Object.fromEntries(edits.map(({ file, diff }) => [file.slice(project.length + 1), diff]));
    expect(shown['a.txt']).toContain('-one');
    expect(shown['b.txt']).toContain('-two\n+three');
    expect(JSON.stringify(edits)).not.toContain('TOKEN');
    expect(Object.keys(shown)).toContain('.env');
  });

  test('a no drops it: nothing was changed', async () => {
    const { run, has } = prepare('deny');
    const result = await run(COMMAND);
    expect(result).toMatchObject({ status: 'exited', isError: true, changes: { state: 'dropped' } });
    expect([has('a.txt'), has('.env')]).toEqual([true, true]);
    expect((await openStages().list()).filter(({ state }) => state === 'held')).toEqual([]);
  });

  test('without an answer the changes stay held', async () => {
    const { run, has } = prepare(null);
    const result = await run(COMMAND);
    expect(result).toMatchObject({ status: 'exited', changes: { state: 'held' } });
    expect(result.meaning).toMatch(
      /^Its changes are held: no one answered\. The user can apply them: hardshell apply /,
    );
    expect(has('a.txt')).toBe(true);
    expect(await openStages().apply(result.task)).toMatchObject({ kind: 'done' });
    expect(has('a.txt')).toBe(false);
  });

  test('nothing is asked if nothing was changed, or if changes land by themselves', async () => {
    const held = prepare('deny');
    await held.run('sh -c "cat a.txt"');
    expect(held.questions).toEqual([]);
    const applied = prepare('deny', 'apply');
    expect(await applied.run('rm a.txt')).toMatchObject({ changes: { state: 'landed' } });
    expect(applied.questions).toEqual([]);
  });
});
