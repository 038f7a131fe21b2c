// `check` and `authorize` decide by the settings of the folder, as a shell tool and the command line do.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { authorize, check, createBroker, createShell, DEFAULT_POLICY } from '../../src/index.ts';

let base: string;
let cwd: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-check-settings-')));
  cwd = join(base, 'project');
  mkdirSync(join(base, 'hardshell'));
  mkdirSync(cwd);
  vi.stubEnv('XDG_CONFIG_HOME', base);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function write(settings: object): void {
  writeFileSync(join(base, 'hardshell', 'settings.json'), JSON.stringify(settings));
}

const decisionOf = (command: string, request = {}) => check(command, { cwd, ...request }).verdict.decision;

test('a deny rule of the user holds in check, in authorize and in a shell tool', async () => {
  expect(decisionOf('ls')).toBe('allow');
  write({ permissions: { deny: ['Bash(ls:*)'], allow: ['Bash(make:*)'] } });
  expect(decisionOf('ls')).toBe('deny');
  expect(decisionOf('make')).toBe('allow');
  const broker = createBroker();
  expect((await authorize('ls', { cwd, broker })).verdict.decision).toBe('deny');
  const shell = createShell({ cwd });
  expect(shell.check('ls').verdict).toEqual(check('ls', { cwd }).verdict);
  await shell.close();
});

test('a rule for a path in the home folder holds without variables', () => {
  write({ permissions: { deny: ['Read(~/private/**)'] } });
  expect(decisionOf(`cat ${homedir()}/private/x`)).toBe('deny');
  expect(decisionOf('cat /h/private/x', { variables: { HOME: '/h' } })).toBe('deny');
});

test('settings of the project apply to a command that starts in another folder', () => {
  const other = join(base, 'other');
  mkdirSync(other);
  mkdirSync(join(cwd, '.hardshell'));
  writeFileSync(join(cwd, '.hardshell', 'settings.json'), '{"permissions": {"deny": ["Bash(ls:*)"]}}');
  expect(check('ls', { cwd: other }).verdict.decision).toBe('allow');
  expect(check('ls', { cwd: other, context: { project: cwd } }).verdict.decision).toBe('deny');
});

test('a profile of authorize is as strict as in a shell tool', async () => {
  const { verdict } = await authorize('sudo ls', { cwd, broker: createBroker(), profile: 'mcp-guide' });
  const shell = createShell({ cwd });
  expect(verdict.decision).toBe(shell.check('sudo ls', { profile: 'mcp-guide' }).verdict.decision);
  await shell.close();
});

test('a policy of the caller is used as it is', async () => {
  write({ permissions: { deny: ['Bash(ls:*)'] } });
  expect(decisionOf('ls', { policy: DEFAULT_POLICY })).toBe('allow');
  const broker = createBroker();
  expect((await authorize('ls', { cwd, broker, policy: DEFAULT_POLICY })).isAllowed).toBe(true);
});

test('settings that cannot be read are an error, not an answer', () => {
  writeFileSync(join(base, 'hardshell', 'settings.json'), '{"permissions": {"dney": []}}');
  expect(() => check('ls', { cwd })).toThrow(expect.objectContaining({ code: 'invalid-settings' }));
});
