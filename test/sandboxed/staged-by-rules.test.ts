// Rules that say how the changes of a command are staged: stricter than the settings and the request, never laxer.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { makePlace, type Place, whyNoKeeper } from './place.ts';

let place: Place;
afterEach(() => place.close());

function open(settings: Settings): void {
  place = makePlace({ settings: { mode: 'default', staging: 'off', ...settings } });
  writeFileSync(join(place.project, 'a.txt'), 'one\n');
}
const run = (command: string, staging?: 'off' | 'apply' | 'review') =>
  place.run(command, { assumeYes: true, ...(staging === undefined ? {} : { staging }) });
const read = (name: string) => readFileSync(join(place.project, name), 'utf8');

describe.skipIf(whyNoKeeper !== null)('staging by rules', () => {
  test('only commands that a rule matches are staged, and a request cannot make it laxer', async () => {
    open({
      permissions: {
        allow: [
          { rule: 'Bash(sed:*)', staging: 'review' },
          { rule: 'Bash(touch:*)', staging: 'apply' },
        ],
      },
    });
    const held = await run('true && sed -i s/one/two/ a.txt', 'off');
    expect([held.changes?.state, read('a.txt')]).toEqual(['held', 'one\n']);
    expect((await run('touch b')).changes?.state).toBe('landed');
    expect((await run('touch c', 'review')).changes?.state).toBe('held');
    expect((await run('echo x > d')).changes).toBeNull();
    expect(existsSync(join(place.project, 'd'))).toBe(true);
    // It is not known what a script does; that it may match is enough.
    expect((await run('x=sed; $x -i s/one/two/ a.txt')).changes?.state).toBe('held');
    expect(read('a.txt')).toBe('one\n');
  });

  test('a rule that asks less than the settings changes nothing', async () => {
    open({ staging: 'review', permissions: { allow: [{ rule: 'Bash(touch:*)', staging: 'apply' }] } });
    expect((await run('touch b')).changes?.state).toBe('held');
  });

  test('a project that is not trusted can make it stricter', async () => {
    open({});
    mkdirSync(join(place.project, '.hardshell'));
    const rules = { permissions: { ask: [{ rule: 'Bash(touch:*)', staging: 'review' }] } };
    writeFileSync(join(place.project, '.hardshell/settings.json'), JSON.stringify(rules));
    expect((await run('touch b')).changes?.state).toBe('held');
    expect(existsSync(join(place.project, 'b'))).toBe(false);
  });

  test('a command that cannot be held does not run', async () => {
    open({ permissions: { allow: [{ rule: 'Bash(touch:*)', staging: 'review' }] } });
    const started = await place.start('touch b', { assumeYes: true });
    expect([started.status, started.failure?.message]).toEqual([
      'failed',
      expect.stringContaining('cannot be held for review'),
    ]);
    expect(existsSync(join(place.project, 'b'))).toBe(false);
  });
});
