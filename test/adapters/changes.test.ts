// Every adapter and every profile says what a staged command changed, and how to undo it, in one line.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/core/profile-names.ts';
import { plainTools } from '../../src/surfaces/adapters/adapters.ts';
import { makePlace, type Place, whyNoKeeper } from '../sandboxed/place.ts';
import { ADAPTERS } from './subject.ts';

let place: Place;
beforeAll(() => {
  place = makePlace({ settings: { staging: 'apply' } });
});
afterAll(() => place.close());

const session = () => place.shell.session({ cwd: place.project });
const UNDO = /\[1 file created\. The user can undo it: `hardshell undo [a-z]+-\w+`\.\]/;

describe.skipIf(whyNoKeeper !== null)('changes in the answers', () => {
  test.each(ADAPTERS)('$name', async ({ name, make }) => {
    const call = await make({ shell: place.shell, session: session() });
    const { text } = await call(`touch 'made by ${name.replace(/\W/g, ' ')}'`);
    // hardshell's own tools have one for it.
    expect(text).toMatch(/undo_changes/.test(text) ? /\[1 file created\. Undo: undo_changes {"id": "/ : UNDO);
  });

  test.each(PROFILES)('the profile %s', async (profile) => {
    const [tool] = await plainTools({ shell: place.shell, profile, session: session() });
    const command = profile === 'layered' ? { enable_shell_features: true } : {};
    const { text } = (await tool?.call({ command: `touch made-by-${profile}`, ...command })) ?? { text: '' };
    expect(text.replaceAll('\\"', '"')).toMatch(UNDO);
  });

  test('the tools of hardshell undo it, and only what their session did', async () => {
    const settings = { settingsFile: place.settingsFile };
    const tools = await plainTools({ shell: place.shell, session: session(), ...settings });
    const call = async (name: string, input: object) =>
      (await tools.find((tool) => tool.name === name)?.call(input))?.data ?? {};
    const { id } = (await call('bash', { command: 'echo x > own' })).changes as { id: string };
    const others = await plainTools({ shell: place.shell, session: session(), ...settings });
    const refused = await others.find((tool) => tool.name === 'undo_changes')?.call({ id });
    expect([refused?.isError, existsSync(join(place.project, 'own'))]).toEqual([true, true]);
    expect(await call('undo_changes', { id })).toMatchObject({ done: true, state: 'undone' });
    expect(existsSync(join(place.project, 'own'))).toBe(false);
    expect(tools.map(({ name }) => name)).not.toContain('apply_changes');
  });
});
