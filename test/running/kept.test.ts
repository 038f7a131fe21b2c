// What a command in the foreground printed can be seen afterwards, within limits, unless it is switched off.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunOptions, ShellTool } from '../../src/core/running.ts';
import { createSubject, hasKeeper, type Subject } from './subject.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let subject: Subject;
beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'pipe' });
  subject = createSubject();
}, 120_000);
afterAll(() => subject.close());

/** All names, those of folders left out. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [entry.name])).sort();
}

const keptFile = (task: string) => join(subject.tasksFolder, 'foreground', `${task}.kept`);

async function textOf(shell: ShellTool, id: string): Promise<string | null> {
  const task = await shell.task(id);
  return task === null ? null : (await task.read({ limitBytes: 16 << 20 })).text;
}

async function runThen(command: string, options?: Partial<RunOptions>) {
  const result = await subject.run(command, options);
  return { result, text: await textOf(subject.shell, result.task) };
}

describe('kept', () => {
  test('as one private file, with how it ended, and not among the tasks', async () => {
    const before = (await subject.shell.tasks()).length;
    const { result, text } = await runThen('echo out; echo err >&2; exit 3', { session: 's' });
    expect([result.output, result.outputFile, text]).toEqual(['out\nerr\n', null, 'out\nerr\n']);
    const task = await subject.shell.task(result.task);
    expect(await task?.info()).toMatchObject({
      command: 'echo out; echo err >&2; exit 3',
      state: 'finished',
      exitCode: 3,
      session: 's',
      outputBytes: 8,
      outputFile: keptFile(result.task),
    });
    expect(statSync(keptFile(result.task)).mode & 0o777).toBe(0o600);
    expect(statSync(join(subject.tasksFolder, 'foreground')).mode & 0o777).toBe(0o700);
    expect(await task?.stop()).toBe(false);
    expect((await subject.shell.tasks()).length).toBe(before);
    await task?.remove();
    expect(await subject.shell.task(result.task)).toBe(null);
  });

  test('with split streams, in a stream, and of a command that was ended', async () => {
    expect((await runThen('echo a; echo b >&2', { streams: 'split' })).text).toMatch(/^(?:a\nb|b\na)\n$/);
    expect((await runThen('echo first; sleep 20', { timeout: 400 })).text).toBe('first\n');
    const stream = subject.shell.stream('echo streamed', subject.options());
    for await (const _ of stream);
    expect(await textOf(subject.shell, (await stream.result).task)).toBe('streamed\n');
  });

  test('what is too long for memory, and is shown whole', async () => {
    const { result, text } = await runThen('seq 20000', { view: 'req' });
    expect([result.isTruncated, result.outputFile]).toEqual([false, null]);
    expect(text).toBe(result.output);
    expect(filesIn(subject.tasksFolder).filter((name) => name.startsWith(result.task))).toEqual(
      ['json', 'out', 'out.map'].map((ending) => `${result.task}.${ending}`),
    );
  });

  test('output that is too long to be shown belongs to the record of its command, and is not a task', async () => {
    const other = createSubject({ view: 'claude-code' });
    try {
      const result = await other.run('seq 1 200000');
      expect(result).toMatchObject({
        isTruncated: true,
        outputFile: join(other.tasksFolder, 'foreground', `${result.task}.out`),
      });
      expect(result.output).toContain(result.outputFile);
      expect(existsSync(result.outputFile as string)).toBe(true);
      expect(await other.shell.tasks()).toEqual([]);
      const task = await other.shell.task(result.task);
      expect((await task?.read({ cursor: 0, limitBytes: 4 }))?.text).toBe('1\n2\n');
      expect(await task?.info()).toMatchObject({ state: 'finished', exitCode: 0 });
    } finally {
      await other.close();
    }
  });

  test('no more of it than of a task', async () => {
    const small = createSubject({ keepBytes: 1 << 20 });
    try {
      const { task, outputFile } = await small.run('head -c 5000000 /dev/zero | tr "\\0" x');
      expect(outputFile).not.toBe(null);
      const bytes = filesIn(small.tasksFolder).length;
      expect(bytes).toBeGreaterThan(0);
      expect(statSync(outputFile as string).size).toBeLessThanOrEqual(1 << 20);
      expect((await (await small.shell.task(task))?.info())?.outputBytes).toBe(5_000_000);
    } finally {
      await small.close();
    }
  });

  test('bytes that are no text, and images', async () => {
    const bytes = Buffer.from([0, 255, 254, 10, 128, 0]);
    const { result } = await runThen(`printf '\\0\\377\\376\\n\\200\\0'`);
    expect(readFileSync(keptFile(result.task)).subarray(0, bytes.length)).toEqual(bytes);
    const picture = await subject.run(`base64 -d <<< ${PNG}`);
    expect(picture.image).not.toBe(null);
    const image = Buffer.from(PNG, 'base64');
    expect(readFileSync(keptFile(picture.task)).subarray(0, image.length)).toEqual(image);
    expect((await (await subject.shell.task(picture.task))?.info())?.outputBytes).toBe(image.length);
  });
});

describe('not kept', () => {
  test('what printed nothing', async () => {
    const { result } = await runThen('true');
    expect(filesIn(subject.tasksFolder).filter((name) => name.startsWith(result.task))).toEqual([]);
  });

  test.each<[string, Partial<RunOptions>]>([
    ['short', {}],
    ['split', { streams: 'split' }],
  ])('switched off by the call: %s', async (_, more) => {
    const off = createSubject({ keepOutput: false, view: 'req' });
    try {
      for (const command of ['echo x', 'seq 20000', `base64 -d <<< ${PNG}`]) await off.run(command, more);
      expect(filesIn(off.tasksFolder)).toEqual([]);
      const { task } = await off.run('echo x', { keepOutput: true });
      expect(await textOf(off.shell, task)).toBe('x\n');
    } finally {
      await off.close();
    }
  });

  test('switched off by the settings: no call switches it on', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-kept-')));
    const settingsFile = join(folder, 'settings.json');
    writeFileSync(settingsFile, '{ "keepOutput": false, "mode": "bypass" }');
    const off = createSubject({ settingsFile, keepOutput: true, view: 'req' });
    try {
      const { policy: _, ...options } = off.options();
      const result = await off.shell.run('echo x; seq 20000', { ...options, keepOutput: true });
      expect(result.output).toMatch(/^x\n/);
      expect(filesIn(off.tasksFolder)).toEqual([]);
    } finally {
      await off.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('nothing that is cut off looks whole', () => {
  test('a file without its end', async () => {
    const { result } = await runThen('seq 1000');
    const { size } = statSync(keptFile(result.task));
    for (const bytes of [size - 1, size - 200, 10, 0]) {
      truncateSync(keptFile(result.task), bytes);
      expect(await subject.shell.task(result.task)).toBe(null);
    }
  });

  test('a file in whose middle something is missing', async () => {
    const { result } = await runThen('seq 1000');
    const bytes = readFileSync(keptFile(result.task));
    writeFileSync(keptFile(result.task), Buffer.concat([bytes.subarray(0, 100), bytes.subarray(200)]));
    expect(await subject.shell.task(result.task)).toBe(null);
  });

  test.runIf(hasKeeper).each(['echo first; sleep 600', 'seq 100000; sleep 600'])(
    'a host that is killed in the middle: %s',
    async (command) => {
      const host = spawn(
        process.execPath,
        [join(ROOT, 'test/running/host.js'), subject.tasksFolder, 'wait-for-started', subject.folder, command],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const { task } = JSON.parse(await firstLine(host)) as { task: string };
      host.kill('SIGKILL');
      await new Promise((resolve) => host.on('close', resolve));
      expect(await subject.shell.task(task)).toBe(null);
      expect(
        filesIn(subject.tasksFolder).filter((name) => name.startsWith(task) && /\.(?:kept|json)$/.test(name)),
      ).toEqual([]);
    },
  );
});

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}

describe('the command line', () => {
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-kept-cli-')));
  afterAll(() => rmSync(state, { recursive: true }));
  const env = { PATH: process.env.PATH ?? '', HOME: state, LANG: 'C.UTF-8', HARDSHELL_STATE_DIR: join(state, 'state') };
  const cli = (...args: string[]) =>
    execFileSync(process.execPath, [join(ROOT, 'bin/hardshell.js'), ...args], {
      env,
      cwd: state,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const lastTask = () => {
    const lines = cli('audit', 'query', '--type', 'end', '-n', '1', '--json').toString().trim().split('\n');
    return (JSON.parse(lines[0] as string) as { task: string }).task;
  };

  test('audit show has the records and the output, without secrets; tasks logs has every byte', () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}`;
    writeFileSync(join(state, 'notes.txt'), `one\ttoken=${secret}\nthree\u001b[31m\n`);
    expect(cli('run', 'cat notes.txt').toString()).toContain(secret);
    const task = lastTask();
    expect(cli('tasks', 'logs', task).toString()).toBe(readFileSync(join(state, 'notes.txt'), 'utf8'));
    const shown = cli('audit', 'show', task).toString();
    expect(shown).toMatch(/allow .*cat notes\.txt\n.*start .*\n.*end .*exit 0/);
    expect(shown).toMatch(/\n\none\ttoken=\[redacted:[^\]]+\]\nthree\\e\[31m\n$/);
    const { records, output } = JSON.parse(cli('audit', 'show', task, '--json').toString());
    expect(records.map(({ type }: { type: string }) => type)).toEqual(['verdict', 'start', 'end']);
    expect(output).toMatchObject({ bytes: statSync(join(state, 'notes.txt')).size, isWhole: true });
    expect(output.text).not.toContain(secret);
  });

  test('binary output is named, and can be saved', () => {
    writeFileSync(join(state, 'picture.png'), Buffer.from(PNG, 'base64'));
    cli('run', 'cat picture.png');
    const task = lastTask();
    expect(cli('audit', 'show', task).toString()).toContain(
      `Binary output, 70 bytes. Save it with: hardshell tasks logs ${task}`,
    );
    expect(cli('tasks', 'logs', task)).toEqual(Buffer.from(PNG, 'base64'));
  });

  test('a command of which nothing is known', () => {
    expect(() => cli('audit', 'show', 'bash-nothere')).toThrow('No such command: bash-nothere');
  });
});
