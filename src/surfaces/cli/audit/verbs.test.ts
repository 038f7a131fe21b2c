// `hardshell audit …` as a person uses it, on a real log, and the parts of it that only draw.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runVerb } from '../../../../test/run-verb.ts';
import { type AuditEntry, openAudit } from '../../../api/audit.ts';
import { cell } from './csv.ts';
import { parseMoment } from './moment.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const state = mkdtempSync(join(tmpdir(), 'hs-audit-cli-'));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/home/u',
  LANG: 'C.UTF-8',
  COLUMNS: '100',
  HARDSHELL_STATE_DIR: state,
};
const places = { folder: join(state, 'audit'), keyFolder: join(state, 'keys') };

const subject = { session: 's1', user: null, cwd: '/work' };

function verdictOf(task: string, command: string, verdict: 'allow' | 'deny'): AuditEntry {
  return {
    type: 'verdict',
    task,
    ...subject,
    command,
    args: null,
    shell: 'bash',
    profile: null,
    isBackground: false,
    verdict,
    risk: verdict === 'deny' ? 'critical' : 'low',
    score: 0,
    action: verdict === 'deny' ? 'block' : 'run',
    readOnly: false,
    class: 'delete',
    reasons: [],
    findings:
      verdict === 'allow'
        ? []
        : [
            {
              id: 'rm-root',
              layer: 'safety',
              verdict,
              severity: 'critical',
              message: 'no',
              rule: null,
              confidence: null,
            },
          ],
    elapsedMs: 1,
    operations: { reads: [], writes: [], deletes: ['/work/build/x'], hosts: [], isComplete: true, left: 0 },
  };
}

beforeAll(async () => {
  const audit = openAudit({ ...places, environment: {} });
  await audit.record(verdictOf('bash-1', 'ls -l', 'allow'));
  await audit.record(verdictOf('bash-2', 'rm -rf /\x1b[2K\u202e # "quoted", and\nmore', 'deny'));
  await audit.record(verdictOf('bash-3', '=cmd|"/c calc"!A1', 'allow'));
  await audit.record({
    type: 'answer',
    task: 'bash-1',
    ...subject,
    command: 'ls -l',
    verdict: 'allow',
    by: 'terminal',
    scope: 'once',
    rule: null,
    reason: null,
  });
  await audit.close();
}, 180_000);
afterAll(() => rmSync(state, { recursive: true, force: true }));

function audit(...args: string[]) {
  return runVerb(['audit', ...args], { env, cwd: '/' });
}

const linesOf = (text: string) => text.trimEnd().split('\n');

describe('reading', () => {
  test('tail: one line each, the newest last, nothing that a terminal would obey', async () => {
    const { status, stdout, stderr } = await audit('tail');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = linesOf(stdout);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +deny +critical risk, rm-root +bash-2 +rm -rf \/\\e\[2K\\u\{202e\}/,
    );
    expect(lines[3]).toContain('yes (terminal), once');
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  test('query: filters, the newest first, and how to get the next page', async () => {
    const deny = await audit('query', '--verdict', 'deny', '--json');
    expect(linesOf(deny.stdout).map((line) => JSON.parse(line).task)).toEqual(['bash-2']);
    expect(linesOf((await audit('query', '--path', '/work/build', '--json')).stdout)).toHaveLength(3);
    expect(
      linesOf((await audit('query', '--since', '1h', '--type', 'answer', 'verdict', '--json')).stdout),
    ).toHaveLength(4);
    const first = await audit('query', '--limit', '2', '--oldest', '--json');
    const cursor = /--after (\S+)/.exec(first.stderr)?.[1] as string;
    const second = await audit('query', '--limit', '9', '--oldest', '--json', '--after', cursor);
    const all = [...linesOf(first.stdout), ...linesOf(second.stdout)].map((line) => JSON.parse(line).n);
    expect(all).toEqual([2, 3, 4, 5]);
    expect(await audit('query', '--session', 'nobody')).toEqual(
      expect.objectContaining({ status: 0, stdout: '', stderr: 'hardshell: No record matches.\n' }),
    );
  });

  test('export: CSV into a file, whole or not at all', async () => {
    const file = join(state, 'out.csv');
    expect((await audit('export', '--csv', '-o', file)).status).toBe(0);
    const rows = readFileSync(file, 'utf8').split('\r\n');
    expect(rows[0]).toMatch(/^time,type,verdict,/);
    expect(rows).toHaveLength(6);
    expect(rows[2]).toContain('"rm -rf /\\e[2K\\u{202e} # ""quoted"", and\\nmore"');
    expect(rows[3]).toContain(`"'=cmd|""/c calc""!A1"`);
    const bad = await audit('export', '-o', join(state, 'no', 'such', 'folder'));
    expect(bad).toMatchObject({ status: 2, stdout: '' });
    expect(bad.stderr).toContain('cannot be written');
  });

  test('tail -f: what comes later is shown', async () => {
    const child = spawn(
      process.execPath,
      [join(ROOT, 'bin/hardshell.js'), 'audit', 'tail', '-f', '-n', '1', '--json'],
      { env },
    );
    try {
      let text = '';
      const until = (part: string) =>
        new Promise<void>((resolve, reject) => {
          const look = () => {
            if (text.includes(part)) resolve();
          };
          child.stdout.on('data', look);
          child.on('close', () => reject(new Error(`It ended without ${part}: ${text}`)));
          look();
        });
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      await until('"type":"answer"');
      const log = openAudit({ ...places, environment: {} });
      await log.record({ type: 'settings', session: null, user: null, layer: 'user', file: null, change: 'a change' });
      await log.close();
      await until('a change');
    } finally {
      child.kill('SIGKILL');
    }
  });

  test.each([
    [['query', '--json', '--csv'], 'cannot be combined'],
    [['query', '--since', 'yesterday'], '2026-11-15'],
    [['query', '--verdict', 'maybe'], 'allow, ask, deny'],
    [['query', '--limit', '-1'], 'whole number'],
    [['query', '--after', 'x'], 'not a cursor of the audit log'],
    [['nonsense'], 'nonsense'],
  ])('%j is refused with what to do', async (args, part) => {
    const { status, stderr } = await audit(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(part);
    expect(stderr).not.toContain('    at ');
  });

  test('help shows examples', async () => {
    expect((await audit('--help')).stdout).toContain('hardshell audit query --verdict deny --since 2d');
  });
});

describe('proving', () => {
  test('mark: a finding that is there, and one that is not', async () => {
    expect(await audit('mark', 'bash-2', 'rm-root', '--reason', 'a test')).toMatchObject({ status: 0, stderr: '' });
    const found = linesOf((await audit('query', '--type', 'false-positive', '--json')).stdout);
    expect(JSON.parse(found[0] as string)).toMatchObject({ finding: 'rm-root', task: 'bash-2', reason: 'a test' });
    const wrong = await audit('mark', 'bash-2', 'other');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('has no finding other');
  });

  test('verify: intact, compared with before, and changed', async () => {
    expect(await audit('verify')).toMatchObject({ status: 0, stderr: '' });
    const heads = join(state, 'heads.json');
    writeFileSync(heads, (await audit('verify', '--json')).stdout);
    expect((await audit('verify', '--against', heads)).status).toBe(0);
    const file = join(places.folder, '000-000001.jsonl');
    const text = readFileSync(file, 'utf8');
    const copy = mkdtempSync(join(tmpdir(), 'hs-audit-cli-'));
    try {
      writeFileSync(join(copy, '000-000001.jsonl'), text.replace('"verdict":"deny"', '"verdict":"allow"'));
      writeFileSync(join(copy, '000.head'), readFileSync(join(places.folder, '000.head')));
      const key = join(places.keyFolder, 'audit-key.pub.pem');
      const { status, stdout } = await audit('verify', '--folder', copy, '--key', key);
      expect(status).toBe(1);
      expect(stdout).toContain('000-000001.jsonl:3  The line was changed');
      writeFileSync(join(copy, '000-000001.jsonl'), text.split('\n').slice(0, 3).join('\n'));
      rmSync(join(copy, '000.head'));
      expect((await audit('verify', '--folder', copy, '--key', key, '--against', heads)).stdout).toContain(
        'not-as-before',
      );
    } finally {
      rmSync(copy, { recursive: true });
    }
    expect(await audit('verify', '--against', file)).toMatchObject({ status: 2 });
    expect(existsSync(join(state, 'audit', 'index.changing'))).toBe(false);
  });
});

describe('a cell of a spreadsheet is never a formula', () => {
  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-rf', `"'-rf"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['  =1', `"'  =1"`],
    ['\t=1', `"'\\t=1"`],
    ['\r=1', `"'\\r=1"`],
    ['\uff1d1', `"'\uff1d1"`],
    ['|calc', `"'|calc"`],
    ['a,b "c"', '"a,b ""c"""'],
    ['ls', '"ls"'],
    [-1, '-1'],
    [null, ''],
  ])('%j', async (given, written) => expect(cell(given)).toBe(written));
});

describe('times', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  test.each([
    ['2h', now - 7_200_000],
    ['30m', now - 1_800_000],
    ['3 d', now - 259_200_000],
    ['2026-11-15T10:00Z', now - 7_200_000],
    ['2026-11-15 10:00:30Z', now - 7_170_000],
    ['yesterday', null],
    ['2026-13-45', null],
    ['', null],
    ['1e9', null],
  ])('%j', async (text, expected) => expect(parseMoment(text, 'since', now)).toBe(expected));

  test('a day counts from its beginning to its end', async () => {
    const since = parseMoment('2026-11-15', 'since') as number;
    expect(new Date(since).getHours()).toBe(0);
    expect((parseMoment('2026-11-15', 'until') as number) - since).toBe(86_399_999);
  });
});
