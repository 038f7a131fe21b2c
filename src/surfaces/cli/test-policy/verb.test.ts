import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, test, vi } from 'vitest';
import type { Facts, Finding, RuleOrigin, Verdict, VerdictName } from '../../../host.ts';
import { parseFixtures } from './fixtures.ts';
import type { TestOptions } from './options.ts';
import { registerTest } from './register.ts';
import type { CheckRequest, PolicyTools } from './tools.ts';
import { testPolicies } from './verb.ts';

const folder = mkdtempSync(join(tmpdir(), 'test-policy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RULES: readonly RuleOrigin[] = [
  { list: 'deny', text: 'Bash(rm:*)', layer: 'project', file: '/p/settings.json', line: 3 },
  { list: 'allow', text: 'Bash(npm test)', layer: 'project', file: '/p/settings.json', line: 4 },
];

const finding = (verdict: VerdictName, id: string, message: string, rule: RuleOrigin | null): Finding => ({
  id,
  layer: 'rules',
  verdict,
  severity: 'medium',
  message,
  instead: null,
  span: null,
  command: null,
  rule,
  confidence: null,
});

/** `rm` is denied by a rule, `ls` reads, an inline rule allows, everything else is asked about. */
function createTools(): PolicyTools & { readonly requests: CheckRequest[] } {
  const requests: CheckRequest[] = [];
  return {
    requests,
    check: (command, request) => {
      requests.push(request);
      const [name = ''] = command.split(' ');
      const one: Finding = request.rules?.allow?.includes(`Bash(${command})`)
        ? finding('allow', 'allow-rule', 'It is allowed.', null)
        : name === 'rm'
          ? finding('deny', 'deny-rule', '`rm` is matched by a rule.', RULES[0] as RuleOrigin)
          : name === 'ls'
            ? finding('allow', 'read-only', 'Every part only reads.', null)
            : finding('ask', 'no-rule', `Nothing allows \`${name}\`.`, null);
      const verdict = { decision: one.verdict, findings: [one] } as unknown as Verdict;
      return { facts: {} as Facts, verdict };
    },
    listRules: () => RULES,
  };
}

let count = 0;
function write(text: string): string {
  count += 1;
  const file = join(folder, `${count}.jsonc`);
  writeFileSync(file, text);
  return file;
}

function run(texts: readonly string[], options: Partial<TestOptions> = {}) {
  let out = '';
  let err = '';
  const tools = createTools();
  const files = texts.map(write);
  const exitCode = testPolicies(files, { shell: 'bash', color: false, cwd: folder, ...options }, tools, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { exitCode, out, err, files, requests: tools.requests };
}

test('everything holds', () => {
  const { exitCode, out, err } = run([
    '[{"command": "ls", "expect": "allow"}, // why not\n {"command": "rm x", "expect": "deny", "because": "Bash(rm:*)"},]',
    '{"cases": [{"command": "make", "expect": "ask", "because": "no-rule"}]}',
  ]);
  expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: '3 passed, 0 failed\n', err: '' });
});

test('a difference shows the command, both verdicts, what decided and the rule with its place', () => {
  const { exitCode, out, files } = run([
    '[\n  {"command": "ls", "expect": "allow"},\n  {"command": "rm x", "expect": "allow"}\n]',
  ]);
  expect(exitCode).toBe(1);
  expect(out.split('\n')).toEqual([
    `${files[0]}:3  rm x`,
    '  - expected allow',
    '  + got      deny',
    '    deny `rm` is matched by a rule. [deny-rule]',
    '      rule deny Bash(rm:*) (/p/settings.json:3)',
    '',
    '1 passed, 1 failed',
    '',
  ]);
});

test('the right verdict for another reason fails', () => {
  const { exitCode, out } = run(['[{"command": "make", "expect": "ask", "because": "cannot-tell"}]']);
  expect(exitCode).toBe(1);
  expect(out).toContain('- expected ask because of: cannot-tell');
  expect(out).toContain('ask Nothing allows `make`. [no-rule]');
});

test('what a command hides is shown', () => {
  const { out } = run([String.raw`[{"command": "ls\u202e\r\u001b[2K", "expect": "deny"}]`]);
  expect(out).toContain(String.raw`ls\u{202e}\r\e[2K`);
});

test('a case takes from its file what it does not say itself; paths are relative to the file', () => {
  mkdirSync(join(folder, 'sub'), { recursive: true });
  const { requests } = run([
    `{"settings": "../s.json", "mode": "plan", "cwd": "sub", "shell": "sh", "cases": [
      {"command": "ls", "expect": "allow"},
      {"command": "make", "expect": "allow", "mode": "bypass", "cwd": "/", "shell": "zsh", "rules": {"allow": ["Bash(make)"]}}
    ]}`,
  ]);
  expect(requests).toEqual([
    { cwd: join(folder, 'sub'), settingsFile: join(folder, '../s.json'), shell: 'sh', mode: 'plan' },
    {
      cwd: '/',
      settingsFile: join(folder, '../s.json'),
      shell: 'zsh',
      mode: 'bypass',
      rules: { allow: ['Bash(make)'] },
    },
  ]);
});

test('the command line wins for mode and settings', () => {
  const { requests } = run(
    ['{"settings": "a.json", "mode": "plan", "cases": [{"command": "ls", "expect": "allow"}]}'],
    {
      mode: 'bypass',
      settings: join(folder, 'b.json'),
    },
  );
  expect(requests).toEqual([{ cwd: folder, settingsFile: join(folder, 'b.json'), shell: 'bash', mode: 'bypass' }]);
});

const HITS_ONE = '[{"command": "rm x", "expect": "deny"}]';
test.each([
  [{ coverage: true }, 0],
  [{ requireCoverage: true }, 1],
] as const)('coverage with %j ends with %i', (options, exitCode) => {
  const found = run([HITS_ONE], options);
  expect(found.exitCode).toBe(exitCode);
  expect(found.out).toBe(
    '1 passed, 0 failed\ncoverage: 1 of 2 rules were hit\n  never hit: allow Bash(npm test) (/p/settings.json:4)\n',
  );
});

test('JSON says the same', () => {
  const { out, exitCode } = run(['[{"command": "rm x", "expect": "ask"}]'], { json: true, coverage: true });
  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: 1,
    passed: 0,
    failed: 1,
    results: [{ line: 1, command: 'rm x', expect: 'ask', verdict: 'deny', failure: 'verdict' }],
    coverage: { total: 2, unhit: [{ text: 'Bash(npm test)' }] },
  });
});

test.each([
  ['', 1, 1, 'The file is empty.'],
  ['// nothing\n', 1, 1, 'The file is empty.'],
  ['[{"command": "ls" "expect": "allow"}]', 1, 19, 'This is not valid JSON: comma expected.'],
  ['[\n  {"command": "ls"}\n]', 2, 3, 'The case has no "expect".'],
  ['[{"expect": "ask"}]', 1, 2, 'The case has no "command".'],
  ['[{"command": "", "expect": "ask"}]', 1, 2, 'The command is empty.'],
  ['[{"command": "ls", "expect": "allowed"}]', 1, 30, '"expect" cannot be "allowed".'],
  ['[{"command": 1, "expect": "ask"}]', 1, 14, '"command" must be a string.'],
  ['[{"command": "ls", "expected": "ask", "expect": "ask"}]', 1, 20, 'Unknown key: "expected".'],
  ['[{"command": "ls", "__proto__": "ask", "expect": "ask"}]', 1, 20, 'Unknown key: "__proto__".'],
  ['[{"command": "ls", "expect": "ask", "expect": "deny"}]', 1, 37, 'Duplicate key: "expect".'],
  ['[{"command": "ls", "expect": "ask", "mode": "yolo"}]', 1, 45, '"mode" cannot be "yolo".'],
  ['[{"command": "ls", "expect": "ask", "rules": []}]', 1, 46, '"rules" must be an object.'],
  ['[{"command": "ls", "expect": "ask", "rules": {"yes": []}}]', 1, 47, 'Unknown list of rules: "yes".'],
  ['[{"command": "ls", "expect": "ask", "rules": {"ask": "x"}}]', 1, 54, '"ask" must be a list of strings.'],
  ['["ls"]', 1, 2, 'A case must be an object.'],
  ['[]', 1, 1, 'The list of cases is empty.'],
  ['{"mode": "plan"}', 1, 1, 'No cases.'],
  ['{"cases": {}}', 1, 11, '"cases" must be a list.'],
  ['{"case": []}', 1, 2, 'Unknown key: "case".'],
  ['"x"', 1, 1, 'No cases.'],
])('the fixture file %j is refused', (text, line, column, message) => {
  const { problems, fixtures } = parseFixtures(text);
  expect(problems[0]).toMatchObject({ line, column, message });
  expect(problems[0]?.fix).toMatch(/^\w/);
  expect(fixtures).toEqual([]);
});

test('a bad file stops everything, names the place, and is JSON when asked', () => {
  const bad = '[\n  {"command": "ls", "expect": "yes"}\n]';
  const { exitCode, out, err, files, requests } = run([HITS_ONE, bad]);
  expect({ exitCode, out, requests }).toEqual({ exitCode: 2, out: '', requests: [] });
  expect(err).toBe(`${files[1]}:2:31: "expect" cannot be "yes".\n  Use one of: allow, ask, deny.\n`);
  const json = run([bad], { json: true });
  expect(JSON.parse(json.out)).toMatchObject({ problems: [{ file: json.files[0], line: 2, column: 31 }] });
});

test.each([
  ['/no/such/file.jsonc', /does not exist/],
  [folder, /is a folder/],
])('%s is refused', (file, message) => {
  expect(() => testPolicies([file], { shell: 'bash', color: false }, createTools())).toThrow(message);
});

test('a file that is not UTF-8 is refused', () => {
  const file = join(folder, 'latin1.jsonc');
  writeFileSync(file, Buffer.from([0x5b, 0xe9, 0x5d]));
  expect(() => testPolicies([file], { shell: 'bash', color: false }, createTools())).toThrow(/not valid UTF-8/);
});

test('the verb is wired: options reach it, and its answer is the exit code', async () => {
  const program = new Command().exitOverride();
  const codes: number[] = [];
  registerTest(
    program,
    (code) => codes.push(code),
    async () => createTools(),
  );
  const file = write(HITS_ONE);
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await program.parseAsync(['test', '--json', '--require-coverage', '--cwd', folder, file], { from: 'user' });
  expect(out.mock.calls.map(([text]) => JSON.parse(String(text)).coverage.total)).toEqual([2]);
  out.mockRestore();
  expect(codes).toEqual([1]);
});
