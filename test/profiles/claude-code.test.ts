// The profile `claude-code`, section by section of its document.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importClaudeSettings } from '../../src/config/import/claude-code.ts';
import type { ApprovalRequest } from '../../src/core/approval.ts';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { CHECKS } from '../../src/decide/checks/table.ts';
import { createShell } from '../../src/pipeline/shell.ts';
import { createProgress } from '../../src/profiles/claude-code/progress.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { hasKeeper } from '../running/subject.ts';
import { CONFINED, createSubject, FREE, listenTo, needsKeeper, type Subject, surroundingsIn } from './subject.ts';

const profile = profileOf('claude-code');
let subject: Subject;
beforeAll(() => {
  subject = createSubject(profile);
});
afterAll(() => subject.close());

const bash = (command: string, more = {}, calling = {}) => subject.call('Bash', { command, ...more }, calling);

test('CC the input: command, description, timeout, run_in_background, dangerouslyDisableSandbox', () => {
  const { inputSchema } = subject.tool('Bash');
  expect(Object.keys(inputSchema.properties)).toEqual([
    'command',
    'description',
    'timeout',
    'run_in_background',
    'dangerouslyDisableSandbox',
  ]);
  expect(inputSchema.required).toEqual(['command']);
  expect(profile.engine).toEqual({ view: 'claude-code', timeout: 120_000, maxTimeout: 600_000 });
});

test.each([{}, { command: '' }, { command: 'ls', timeout: 600_001 }, { command: 'ls', cwd: '/' }, 7])(
  'CC input validation: %j is answered',
  async (input) => {
    const { isError, data } = await subject.call('Bash', input);
    expect([isError, data.stdout, data.interrupted]).toEqual([true, '', false]);
  },
);

describe('CC permissions', () => {
  test('a read-only command runs without a question, another one needs a yes', async () => {
    const strict = subject.converse(DEFAULT_POLICY);
    expect((await bash('ls | head -n 1', {}, strict)).isError).toBe(false);
    const { isError, data } = await bash('touch asked', {}, strict);
    expect([isError, (data.error as { type: string }).type]).toEqual([true, 'permission_denied']);
    expect(existsSync(join(subject.folder, 'asked'))).toBe(false);
  });

  test('one refused part refuses the whole', async () => {
    const { isError } = await bash('touch part && rm -rf /');
    expect([isError, existsSync(join(subject.folder, 'part'))]).toEqual([true, false]);
  });
});

test('CC there are more than 20 separate checks', () => {
  expect(CHECKS.length).toBeGreaterThan(20);
});

test('CC more than 50 commands are asked about', async () => {
  const decide = (count: number) =>
    subject.shell.check('true\n'.repeat(count), subject.calling.session.complete({ policy: DEFAULT_POLICY })).verdict
      .decision;
  expect([decide(50), decide(51)]).toEqual(['allow', 'ask']);
});

test('CC read-only commands can run at the same time', async () => {
  const go = join(subject.folder, 'go');
  let waiting = 0;
  // Both wait until both have begun.
  const onEvent = ({ type }: { type: string }) => {
    if (type === 'stdout' && ++waiting === 2) writeFileSync(go, '');
  };
  const wait = () => bash('echo begun; until [ -e go ]; do sleep 0.05; done', { timeout: 14_000 }, { onEvent });
  const both = await Promise.all([wait(), wait()]);
  expect(both.map(({ data }) => [data.stdout, data.code])).toEqual(Array(2).fill(['begun\n', 0]));
});

test('CC temporary files are in a folder that only its owner can open', async (context) => {
  needsKeeper(context);
  expect((await bash('stat -c %a "$TMPDIR"')).data.stdout).toBe('700\n');
});

test('CC settings of Claude Code: the sandbox, its hosts and its exceptions', () => {
  const translate = (sandbox: object) => {
    const knowledge = { checkRule: () => ({ ok: true as const }), knownCheckIds: new Set<string>() };
    return importClaudeSettings(JSON.stringify({ sandbox }), 's.json', knowledge).settings;
  };
  expect(translate({ enabled: false })).toEqual({ sandbox: { name: 'unrestricted' } });
  expect(translate({ enabled: true })).toEqual({});
  expect(translate({ excludedCommands: ['bazel'], network: { allowedDomains: ['api.github.com'] } })).toEqual({
    sandbox: { excludedCommands: ['bazel'] },
    domains: { allow: ['api.github.com'] },
  });
});

test('CC dangerouslyDisableSandbox is a request to the engine, which asks or refuses', async () => {
  const { session, asked } = listenTo(subject.calling);
  await bash('true', { dangerouslyDisableSandbox: true }, { session });
  await bash('true', { dangerouslyDisableSandbox: false }, { session });
  expect(asked.map(({ withoutSandbox }) => withoutSandbox)).toEqual([true, undefined]);
});

describe('CC working directory', () => {
  test('is followed, and reported', async () => {
    mkdirSync(join(subject.folder, 'inner'), { recursive: true });
    const calling = subject.converse();
    expect((await bash('cd inner', {}, calling)).data.cwd).toBe(join(subject.folder, 'inner'));
    expect((await bash('pwd', {}, calling)).data.stdout).toBe(`${join(subject.folder, 'inner')}\n`);
  });

  test('falls back when it is gone', async () => {
    const calling = subject.converse();
    await bash('mkdir -p lost && cd lost', {}, calling);
    const { data } = await bash(`cd ${subject.folder}/lost && rmdir ${subject.folder}/lost`, {}, calling);
    expect(data.cwd).toBe(subject.folder);
  });

  test('a folder that something else deleted does not fail the next command', async () => {
    const calling = subject.converse();
    await bash('mkdir -p gone/deep && cd gone/deep', {}, calling);
    rmSync(join(subject.folder, 'gone'), { recursive: true });
    const { data, text, isError } = await bash('pwd', {}, calling);
    expect([isError, data.stdout, data.cwd]).toEqual([false, `${subject.folder}\n`, subject.folder]);
    expect(text).toContain(`[working directory is gone; now in ${subject.folder}]`);
    expect((await bash('pwd', {}, calling)).text).toBe(`${subject.folder}\n`);
  });

  test.skipIf(!hasKeeper)('nor that of a background task', async () => {
    const calling = subject.converse();
    await bash('mkdir -p gone2 && cd gone2', {}, calling);
    rmSync(join(subject.folder, 'gone2'), { recursive: true });
    const { data } = await bash('pwd', { run_in_background: true }, calling);
    const read = await subject.call('TaskOutput', { task_id: data.backgroundTaskId }, calling);
    expect(read.data.output).toBe(`${subject.folder}\n`);
  });
});

describe('CC progress', () => {
  test('the last lines, the whole so far, time, lines and bytes', async () => {
    const progress = createProgress();
    const seen: NonNullable<ReturnType<typeof progress>>[] = [];
    await bash(
      'seq 1 20',
      {},
      {
        onEvent: (event: Parameters<typeof progress>[0]) => {
          const message = progress(event);
          if (message !== null) seen.push(message);
        },
      },
    );
    const last = seen.filter(({ totalLines }) => totalLines > 0).at(-1);
    expect(last).toMatchObject({
      type: 'progress',
      output: '16\n17\n18\n19\n20',
      totalLines: 20,
      totalBytes: 51,
      elapsedTimeSeconds: expect.any(Number),
    });
    expect(last?.fullOutput).toContain('1\n2\n3');
  });
});

test('progress counts both streams, and the time', async () => {
  const progress = createProgress();
  const seen: NonNullable<ReturnType<typeof progress>>[] = [];
  const onEvent = (event: Parameters<typeof progress>[0]) => {
    const message = progress(event);
    if (message !== null) seen.push(message);
  };
  await bash('echo out; sleep 0.5; echo err >&2; sleep 0.5; echo more', {}, { onEvent });
  expect(seen.at(-1)).toMatchObject({ totalLines: 3, totalBytes: 13, fullOutput: 'out\nerr\nmore\n' });
  expect(seen.at(-1)?.elapsedTimeSeconds).toBeGreaterThanOrEqual(0.9);
});

describe('CC background', () => {
  beforeEach(needsKeeper);

  test('run_in_background answers with the id of a task, which TaskOutput reads and TaskStop ends', async () => {
    const { data, text } = await bash('echo one; sleep 60', { run_in_background: true });
    const task_id = data.backgroundTaskId as string;
    expect(task_id).toMatch(/^bash-/);
    expect([data.assistantAutoBackgrounded, text.includes(task_id)]).toEqual([false, true]);
    expect((await subject.call('TaskStop', { task_id })).data.stopped).toBe(true);
    expect((await subject.call('TaskOutput', { task_id })).data).toMatchObject({ output: 'one\n', state: 'finished' });
    expect((await subject.call('TaskOutput', { task_id: 'bash-nothere' })).isError).toBe(true);
  });

  test('ASSISTANT_BLOCKING_BUDGET_MS: after 15 seconds a command continues in the background', async () => {
    const began = Date.now();
    const { data, text, isError } = await bash('echo begin; sleep 40; echo end', { timeout: 60_000 });
    const elapsed = Date.now() - began;
    expect([isError, data.assistantAutoBackgrounded, data.code, data.stdout]).toEqual([false, true, null, 'begin\n']);
    expect(elapsed).toBeGreaterThanOrEqual(14_900);
    expect(elapsed).toBeLessThan(35_000);
    expect(text).toContain(data.backgroundTaskId);
    await subject.call('TaskStop', { task_id: data.backgroundTaskId });
  }, 60_000);

  test('a surface that can wait less is answered earlier, one that can wait longer is not', async () => {
    const { session, asked } = listenTo(subject.calling);
    await bash('true', {}, { session });
    await bash('true', {}, { session, answerWithin: 45_000 });
    await bash('true', {}, { session, answerWithin: 9_000 });
    expect(asked.map(({ backgroundAfter }) => backgroundAfter)).toEqual([15_000, 15_000, 9_000]);
  });

  test('a command that exceeds the budget continues in the background automatically', async () => {
    const { data, isError } = await bash('sleep 60', {}, { answerWithin: 200 });
    expect([isError, data.assistantAutoBackgrounded]).toEqual([false, true]);
    await subject.call('TaskStop', { task_id: data.backgroundTaskId });
  });
});

describe('CC output', () => {
  test('30 KB are shown whole', async () => {
    const { data } = await bash(`head -c ${30 * 1024} /dev/zero | tr '\\0' x`);
    expect([(data.stdout as string).length, data.persistedOutputPath]).toEqual([30 * 1024, null]);
  });

  test('over 30 KB it is kept on disk, with a preview and the path', async () => {
    const { data, text } = await bash(`head -c ${30 * 1024 + 1} /dev/zero | tr '\\0' x`);
    expect(data.persistedOutputSize).toBe(30 * 1024 + 1);
    const path = data.persistedOutputPath as string;
    expect(text).toContain(path);
    expect((data.stdout as string).length).toBeLessThan(4096);
    expect(statSync(path).size).toBeGreaterThanOrEqual(30 * 1024 + 1);
    expect((await bash(`tail -c +1 ${path} | head -c ${30 * 1024 + 1} | wc -c`)).data.stdout).toBe(
      `${30 * 1024 + 1}\n`,
    );
  });

  test('over 64 MB, the text says what is not in the file', async () => {
    const fill = (megabytes: number, letter: string) => `head -c ${megabytes << 20} /dev/zero | tr '\\0' ${letter}`;
    const { data, text } = await bash(`${fill(48, 'a')}; ${fill(6, 'b')}; ${fill(16, 'c')}`, { timeout: 120_000 });
    const missing = ((70 - 64) << 20).toLocaleString('en');
    expect(text).toContain(`Its beginning and its end, without ${missing} bytes in the middle, are in: `);
    expect(text).not.toMatch(/All of it|whole output/);
    expect(data.persistedOutputSize).toBe(70 << 20);
    const kept = readFileSync(data.persistedOutputPath as string);
    expect([kept.length, kept.indexOf('c'), kept.includes('b')]).toEqual([64 << 20, 48 << 20, false]);
  }, 120_000);

  test('the engine without a profile has the same view', async () => {
    const shell = createShell({ cwd: subject.folder, policy: FREE, recording: false });
    const { output, isTruncated, outputFile } = await shell.run('seq 1 20000');
    await shell.close();
    expect([isTruncated, output.length < 4096]).toEqual([true, true]);
    expect(output).toContain(`All of it is in: ${outputFile}`);
  });

  test('stdout and stderr are apart', async () => {
    expect((await bash('echo out; echo err >&2')).data).toMatchObject({ stdout: 'out\n', stderr: 'err\n', code: 0 });
  });

  test('an image comes back as an image', async () => {
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const { data, image } = await bash(`echo data:image/png\\;base64,${dot}`);
    expect([data.isImage, image?.mediaType]).toEqual([true, 'image/png']);
  });
});

describe('CC tasks', () => {
  beforeEach(needsKeeper);

  test('a task that its timeout ended says so', async () => {
    const { data } = await bash('echo begin; sleep 60', { run_in_background: true, timeout: 300 });
    const { text, data: read } = await subject.call('TaskOutput', { task_id: data.backgroundTaskId });
    expect(text).toContain('[finished: its timeout ended it (SIGTERM)]');
    expect(read).toMatchObject({ cause: 'timeout', signal: 'SIGTERM' });
  });

  test('a task that was killed from outside does not', async () => {
    const { data } = await bash('kill -TERM $$; sleep 60', { run_in_background: true });
    const { text, data: read } = await subject.call('TaskOutput', { task_id: data.backgroundTaskId });
    expect(text).toContain('[finished: ended by SIGTERM]');
    expect(read.cause).toBe(null);
  });
});

describe('CC command semantics', () => {
  test.each([
    ['grep', 'echo a | grep b', 1, 'No matches found'],
    ['diff', 'echo a > d1; echo b > d2; diff d1 d2', 1, 'Files differ'],
    ['test', 'test 1 = 2', 1, 'Condition is false'],
    ['find', 'find . /nonexistent/folder -maxdepth 0', 1, 'Some directories were inaccessible'],
    ['grep with an error', 'grep x /nonexistent/file', 2, null],
  ])('%s', async (_, command, code, meaning) => {
    const answer = await bash(command);
    expect([answer.data.code, answer.isError]).toEqual([code, meaning === null]);
    if (meaning === null) return;
    expect(answer.data.returnCodeInterpretation).toBe(meaning);
    expect(answer.text).toContain(`[exit code ${code}: ${meaning}]`);
  });

  test('a timeout interrupts', async () => {
    const { data, isError } = await bash('echo begin; sleep 60', { timeout: 300 });
    expect([isError, data.interrupted, data.stdout]).toEqual([true, true, 'begin\n']);
  });
});

test('CC destructive commands are let through with a warning', async () => {
  const { data } = await bash('git reset --hard 2>/dev/null; true');
  expect(data.warnings).toEqual(['Note: may discard uncommitted changes']);
});

test('CC changedFiles never claims to be complete when it is not', async () => {
  const quiet = await bash('true');
  expect(quiet.data).toMatchObject({ changedFiles: [], changedFilesComplete: true });
  const script = join(subject.folder, 'build.sh');
  writeFileSync(script, 'echo built > built.txt\n');
  const { data } = await bash('bash build.sh');
  const isNamed = (data.changedFiles as string[]).some((file) => file.endsWith('/built.txt'));
  expect(isNamed || data.changedFilesComplete === false).toBe(true);
});

test('CC sed -i is known as an edit, and the changed file is named', async () => {
  const file = join(subject.folder, 'edit.txt');
  writeFileSync(file, 'old\n');
  const { data } = await bash("sed -i 's/old/new/' edit.txt");
  expect(readFileSync(file, 'utf8')).toBe('new\n');
  const { facts } = subject.shell.check("sed -i 's/old/new/' edit.txt", subject.calling.session.complete());
  expect(facts.commands[0]?.edits).toMatchObject([{ file }]);
  // Where the engine does not look for changed files, it names none.
  expect([[], [file]]).toContainEqual(data.changedFiles);
});

describe('CC the question about a command', () => {
  async function question(command: string, more = {}): Promise<ApprovalRequest | undefined> {
    const asked: ApprovalRequest[] = [];
    const other = createSubject(profile, {
      policy: DEFAULT_POLICY,
      onAsk: (request) => {
        asked.push(request);
        return 'deny';
      },
    });
    try {
      writeFileSync(join(other.folder, 'edit.txt'), 'old\nkeep\n');
      writeFileSync(join(other.folder, '.env'), 'KEY=secret\n');
      await other.call('Bash', { command, ...more });
      return asked[0];
    } finally {
      await other.close();
    }
  }

  test.each([
    ['git reset --hard', 'Note: may discard uncommitted changes'],
    ['git clean -fd', 'Note: may permanently delete untracked files'],
    ['rm -rf dist', 'Note: may recursively force-remove files'],
    ['rm -r dist', 'This deletes whole folders without asking again.'],
    ['kubectl delete pod x', 'Note: may delete Kubernetes resources'],
    ['terraform destroy', 'Note: may destroy Terraform infrastructure'],
    ['psql -c "DROP TABLE x"', 'Note: may drop or truncate database objects'],
  ])('has the warning about a destructive command: %s', async (command, warning) => {
    const asked = await question(command);
    const warnings = asked?.findings.filter(({ layer }) => layer === 'warnings').map(({ message }) => message);
    expect(warnings).toEqual([warning]);
  });

  test('has the description, and the diff of sed -i', async () => {
    const asked = await question("sed -i 's/old/new/' edit.txt", { description: 'Rename it' });
    expect(asked?.description).toBe('Rename it');
    expect(asked?.edits).toMatchObject([
      { file: expect.stringMatching(/\/edit\.txt$/), diff: '@@ -1,2 +1,2 @@\n-old\n+new\n keep', why: null },
    ]);
  });

  test.each([
    ["sed -i 's/none/x/' edit.txt", ''],
    ["sed -i 's/a/b/' missing.txt", null],
  ])('says so if nothing would change, or cannot be shown: %s', async (command, diff) => {
    const [edit] = (await question(command))?.edits ?? [];
    expect([edit?.diff, edit?.why === null]).toEqual([diff, diff !== null]);
  });

  test('has the diff of several expressions', async () => {
    const asked = await question("sed -i -e 's/old/new/' -e 's/keep/kept/' edit.txt");
    expect(asked?.edits).toMatchObject([{ diff: '@@ -1,2 +1,2 @@\n-old\n-keep\n+new\n+kept', why: null }]);
  });

  test.each([
    ["sed -i -e 's/a/b/' -e 's/c/d/' *.txt", /\/\*\.txt$/, 'no preview: the shell expands the pattern when it runs'],
    ["sed -i.bak 's/a/b/' *.txt", /\/\*\.txt$/, 'no preview: the shell expands the pattern when it runs'],
    ['sed -i s/a/b/ "$FILE"', /^unknown file$/, 'no preview: the name is known only when it runs'],
    ['sed -i -f script.sed edit.txt', /\/edit\.txt$/, 'no preview: the sed command is not known completely'],
  ])('says why an edit has no diff: %s', async (command, file, why) => {
    expect((await question(command))?.edits).toEqual([{ file: expect.stringMatching(file), diff: null, why }]);
  });

  test('does not show what is secret', async () => {
    const asked = await question("sed -i 's/KEY/LOCK/' .env");
    expect(asked?.edits).toMatchObject([{ diff: null, why: 'the file is secret or outside the project' }]);
    expect(JSON.stringify(asked)).not.toContain('=secret');
  });

  test('has the warning about a destructive command', async () => {
    const asked = await question('git reset --hard');
    expect(asked?.findings).toContainEqual(expect.objectContaining({ layer: 'warnings', id: 'git-reset-hard' }));
  });

  test('has no edits for other commands', async () => {
    expect(await question('touch x')).not.toHaveProperty('edits');
  });
});

test('CC hints are taken out of the output and handed over, and CLAUDECODE=1 is set', async () => {
  const { data } = await bash(
    `echo "$CLAUDECODE"; echo '<claude-code-hint plugin-name="my-lsp" install-command="npm i" reason="better" />' >&2`,
  );
  expect(data).toMatchObject({ stdout: '1\n', stderr: '' });
  expect(JSON.stringify(data.hints)).toContain('my-lsp');
});

test('CC the description states the folder and the sandbox', () => {
  const text = subject.tool('Bash').describe(surroundingsIn('/work/project', CONFINED));
  for (const part of ['/work/project', 'only files below', 'registry.npmjs.org', '600000'])
    expect(text).toContain(part);
});
