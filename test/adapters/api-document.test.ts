// docs/api.md says what the declarations say: it is written from them, and misses no export.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = join(ROOT, 'docs/api.md');
const SCRIPT = join(ROOT, 'scripts/api-docs.js');

let text = '';
beforeAll(() => {
  const run = (...argv: string[]) =>
    execFileSync(process.execPath, [SCRIPT, ...argv], { encoding: 'utf8', stdio: 'pipe' });
  if (process.env.UPDATE_DOCS) run(PATH);
  text = run();
}, 180_000);

test('docs/api.md describes the API as it is', () => {
  expect(readFileSync(PATH, 'utf8')).toBe(text);
});

// The generator itself refuses names that the package does not export.
test('it prints values, not the names of constants', () => {
  expect(text.match(/\(typeof \w+\)\[number\]/g)).toBe(null);
  expect(text).toContain("**Mode** `'plan' | 'default' | 'accept-edits' | 'auto' | 'dont-ask' | 'bypass'`");
});

test('it fits on a few screens', () => {
  expect(text.split('\n').length).toBeLessThanOrEqual(700);
});

const DOORS = ['index', 'api/audit', 'api/settings', 'api/profiles', 'surfaces/adapters/adapters'];

test.each(DOORS)('every value that dist/%s.js exports is in it', async (door) => {
  const names = Object.keys(await import(pathToFileURL(join(ROOT, `dist/${door}.js`)).href));
  const described = new Set([...text.matchAll(/^- \*\*(\w+)\*\*/gm)].map((match) => match[1]));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !described.has(name))).toEqual([]);
});

/** A public name is a promise: this list changes only on purpose, and with a changelog entry. */
const PUBLIC = `
  DEFAULT_CONTEXT DEFAULT_POLICY ERROR_CODES GUARANTEES HardshellError MODES RUN_STATUSES SANDBOXES SEVERITIES VERDICTS
  analyze answerPending authorize callbackSurface check createBroker createDiskProbe createShell decide diagnose
  followForeground headlineOf learn listForeground listPending loadPolicy openApprovalSocket openStagedCommands parse
  previewSedEdit stopForeground tokenize watchPending
`;

test('the values of the main door are these, and no others', async () => {
  const names = Object.keys(await import(pathToFileURL(join(ROOT, 'dist/index.js')).href));
  expect(names.sort()).toEqual(PUBLIC.trim().split(/\s+/).sort());
});

test('every function of the main door is shown in an example', async () => {
  const door = (await import(pathToFileURL(join(ROOT, 'dist/index.js')).href)) as Record<string, unknown>;
  const examples = readdirSync(join(ROOT, 'examples')).map((name) =>
    readFileSync(join(ROOT, 'examples', name), 'utf8'),
  );
  const functions = Object.keys(door).filter((name) => typeof door[name] === 'function');
  expect(
    functions.filter((name) => !examples.some((code) => new RegExp(`\\b${name}\\(|${name}\\b,`).test(code))),
  ).toEqual([]);
});
