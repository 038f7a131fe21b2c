import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Knowledge } from '../document/validate.ts';
import { withLock } from './lock.ts';
import { saveRule, saveSettings, trustFolder, untrustFolder } from './save.ts';
import { replaceFile } from './write.ts';

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-save-')));
afterAll(() => rmSync(ROOT, { recursive: true }));
const KNOWLEDGE: Knowledge = {
  checkRule: (text) => (text.startsWith('Bash(') ? { ok: true } : { ok: false, why: 'it is odd.', hint: null }),
  knownCheckIds: new Set(),
};

let files = 0;
function fresh(text?: string): string {
  const file = join(ROOT, String(files++), '.hardshell/settings.json');
  if (text === undefined) return file;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const read = (file: string): string => readFileSync(file, 'utf8');

describe('a rule is added', () => {
  test.each([
    ['to nothing', undefined, '{\n  "permissions": {\n    "allow": [\n      "Bash(new)"\n    ]\n  }\n}\n'],
    ['to an empty file', '', '{\n  "permissions": {\n    "allow": [\n      "Bash(new)"\n    ]\n  }\n}\n'],
    [
      'between comments',
      '{\n  // why\n  "mode": "plan", /* b */\n  "permissions": {\n    "allow": [\n      "Bash(old)" // c\n    ]\n  }\n}\n',
      '{\n  // why\n  "mode": "plan", /* b */\n  "permissions": {\n    "allow": [\n      "Bash(old)", // c\n      "Bash(new)"\n    ]\n  }\n}\n',
    ],
    [
      'after comments of every kind',
      '{\n  "permissions": {\n    "allow": [\n      "Bash(old)", /* , */ // ]\n      // more\n    ]\n  }\n}\n',
      '{\n  "permissions": {\n    "allow": [\n      "Bash(old)", /* , */ // ]\n      // more\n      "Bash(new)"\n    ]\n  }\n}\n',
    ],
    [
      'after a trailing comma',
      '{\n  "permissions": {\n    "allow": [\n      "Bash(old)",\n    ],\n  },\n}\n',
      '{\n  "permissions": {\n    "allow": [\n      "Bash(old)",\n      "Bash(new)",\n    ],\n  },\n}\n',
    ],
    [
      'with tabs',
      '{\n\t"permissions": {\n\t\t"allow": []\n\t}\n}\n',
      '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(new)"\n\t\t]\n\t}\n}\n',
    ],
    [
      'with Windows lines',
      '{\r\n  "mode": "plan"\r\n}\r\n',
      '{\r\n  "mode": "plan",\r\n  "permissions": {\r\n    "allow": [\r\n      "Bash(new)"\r\n    ]\r\n  }\r\n}\r\n',
    ],
  ])('%s', async (_, before, after) => {
    const file = fresh(before);
    expect(await saveRule(file, 'allow', 'Bash(new)', KNOWLEDGE)).toEqual({ file, changed: true });
    expect(read(file)).toBe(after);
    expect(await saveRule(file, 'allow', 'Bash(new)', KNOWLEDGE)).toEqual({ file, changed: false });
    expect(readdirSync(dirname(file))).toEqual(['settings.json']);
  });

  test('with its end and its reason', async () => {
    const file = fresh();
    await saveRule(file, 'deny', 'Bash(a)', { ...KNOWLEDGE, until: '2030-12-31', because: 'so' });
    expect(JSON.parse(read(file))).toEqual({
      permissions: { deny: [{ rule: 'Bash(a)', until: '2030-12-31', because: 'so' }] },
    });
  });

  test('a new file is private to the user, an old one keeps its mode', async () => {
    const [made, kept] = [fresh(), fresh('{}')];
    chmodSync(kept, 0o640);
    for (const file of [made, kept]) await saveRule(file, 'allow', 'Bash(a)', KNOWLEDGE);
    const modes = [made, dirname(made), kept].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '700', '640']);
  });

  test('other settings are merged: lists grow, single values are replaced', async () => {
    const file = fresh('{"mode": "plan", "roots": ["a"]}');
    await saveSettings(file, { mode: 'default', roots: ['a', 'b'], environment: { set: { A: '1' } } }, KNOWLEDGE);
    expect(JSON.parse(read(file))).toEqual({ mode: 'default', roots: ['a', 'b'], environment: { set: { A: '1' } } });
  });
});

describe('nothing is written', () => {
  test.each<[string, string, { rule?: string; until?: string }, string]>([
    ['into a file that is broken', '{"mode": }', {}, '1:10: Expected a value.'],
    ['when the rule is bad', '{}', { rule: 'odd' }, 'The rule "odd" cannot be used: it is odd.'],
    ['when the end is not a date', '{}', { until: '2030-02-30' }, 'Invalid date: "2030-02-30".'],
  ])('%s', async (_, text, { rule = 'Bash(a)', until }, message) => {
    const file = fresh(text);
    await expect(saveRule(file, 'allow', rule, { ...KNOWLEDGE, until })).rejects.toThrow(message);
    expect(read(file)).toBe(text);
    expect(readdirSync(dirname(file))).toEqual(['settings.json']);
  });

  test('through a link', async () => {
    const [target, file] = [fresh('{}'), fresh()];
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
    const folder = join(ROOT, 'linked');
    mkdirSync(folder);
    symlinkSync(dirname(target), join(folder, '.hardshell'));
    for (const path of [file, join(folder, '.hardshell/settings.json')]) {
      await expect(saveRule(path, 'allow', 'Bash(a)', KNOWLEDGE)).rejects.toMatchObject({
        code: 'unwritable-settings',
      });
    }
    expect(read(target)).toBe('{}');
  });

  test('when another process changed the file in the meantime', () => {
    const file = fresh('{"mode": "plan"}');
    expect(() => replaceFile(file, '{}', '{"roots": []}')).toThrow('was changed by another process in the meantime');
    expect(() => replaceFile(file, null, '{"roots": []}')).toThrow('was changed by another process in the meantime');
    expect(read(file)).toBe('{"mode": "plan"}');
    expect(readdirSync(dirname(file))).toEqual(['settings.json']);
  });

  test('while a live process has the lock', async () => {
    const file = fresh('{}');
    writeFileSync(`${file}.lock`, `${process.pid} ${hostname()}`);
    await expect(saveRule(file, 'allow', 'Bash(a)', { ...KNOWLEDGE, waitMs: 30 })).rejects.toThrow(
      `Process ${process.pid} is changing the settings`,
    );
    expect([read(file), existsSync(`${file}.lock`)]).toEqual(['{}', true]);
  });
});

test.each(['999999999', '-1', 'nonsense'])('a lock whose owner is gone (%s) is broken', async (pid) => {
  const file = fresh('{}');
  writeFileSync(`${file}.lock`, `${pid} ${hostname()}`);
  expect(await saveRule(file, 'allow', 'Bash(a)', KNOWLEDGE)).toMatchObject({ changed: true });
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
});

test('the lock is released when the work fails', async () => {
  const file = fresh('{}');
  await expect(
    withLock(file, () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
});

test('folders are trusted and untrusted by their real path', async () => {
  const file = fresh('{\n  // mine\n  "trustedFolders": ["~/work"]\n}\n');
  const options = { ...KNOWLEDGE, home: ROOT };
  const [folder, link] = [join(ROOT, 'work/a'), join(ROOT, 'link-to-a')];
  mkdirSync(folder, { recursive: true });
  symlinkSync(folder, link);
  expect(await trustFolder(file, link, KNOWLEDGE)).toMatchObject({ changed: true });
  expect(read(file)).toContain(`"/${folder}"`);
  expect(await trustFolder(file, folder, KNOWLEDGE)).toMatchObject({ changed: false });
  expect(await untrustFolder(file, link, options)).toEqual({ file, changed: true, stillTrustedBy: ['~/work'] });
  expect(await untrustFolder(file, folder, options)).toEqual({ file, changed: false, stillTrustedBy: ['~/work'] });
  expect(await untrustFolder(file, join(ROOT, 'work'), options)).toEqual({ file, changed: true, stillTrustedBy: [] });
  expect(read(file)).toContain('// mine');
  expect(read(file)).not.toContain('work');
});

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const OUT = join(PROJECT, '.cache', `save-test-${process.pid}`);
afterAll(() => rmSync(OUT, { recursive: true, force: true }));

test('eight processes that save at once lose nothing', async () => {
  const file = fresh('{\n  // kept\n}\n');
  mkdirSync(OUT, { recursive: true });
  const files = [join(PROJECT, 'src/config/edit/save.ts')];
  const compilerOptions = { rootDir: join(PROJECT, 'src'), outDir: join(OUT, 'js'), declaration: false };
  const config = { extends: '../../tsconfig.json', compilerOptions, files, include: [] };
  writeFileSync(join(OUT, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(process.execPath, [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', OUT]);
  const script = join(OUT, 'save.mjs');
  writeFileSync(
    script,
    `import { saveRule } from './js/config/edit/save.js';
const [, , file, name] = process.argv;
const knowledge = { checkRule: () => ({ ok: true }), knownCheckIds: new Set(), waitMs: 60_000 };
for (let i = 0; i < 20; i++) await saveRule(file, 'allow', \`Bash(\${name}-\${i})\`, knowledge);
`,
  );
  const codes = await Promise.all(
    Array.from({ length: 8 }, (_, name) => {
      const child = spawn(process.execPath, [script, file, String(name)], { stdio: 'inherit' });
      return new Promise((resolve) => child.once('exit', resolve));
    }),
  );
  expect(codes).toEqual(Array(8).fill(0));
  const { permissions } = JSON.parse(read(file).replace('// kept', ''));
  const wanted = Array.from({ length: 160 }, (_, i) => `Bash(${Math.floor(i / 20)}-${i % 20})`);
  expect(permissions.allow.toSorted()).toEqual(wanted.toSorted());
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
}, 90_000);
