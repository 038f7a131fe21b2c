// What a user sees of a run: the block screen, the box of a task, the status line, and the last line.

import { describe, expect, test } from 'vitest';
import {
  type Answer,
  check,
  createFailure,
  DEFAULT_POLICY,
  type PolicyRule,
  type RunResult,
  type RunStatus,
} from '../../../host.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { noteTyped } from '../show/typed.ts';
import { drawBackgroundBox } from './background-box.ts';
import { drawBlock } from './block.ts';
import { createScreen } from './live/screen.ts';
import { createStatusLine } from './live/status-line.ts';
import { chooseExitCode, closingLines, exitCodeOfTask } from './outcome.ts';

const terminalOf = (locale: string): Terminal =>
  createTerminal({ color: false }, { LANG: locale, COLUMNS: '80' }, { isTTY: false } as typeof process.stdout);
const terminal = terminalOf('C.UTF-8');

function resultOf(fields: Partial<RunResult>): RunResult {
  const { facts, verdict } = check('true', { cwd: '/w/p', variables: { HOME: '/home/u' } });
  return {
    task: 'bash-k7mw2q',
    command: 'true',
    display: 'true',
    status: 'exited',
    facts,
    verdict,
    answer: null,
    exitCode: null,
    signal: null,
    meaning: null,
    isError: false,
    output: '',
    isTruncated: false,
    stdout: null,
    stderr: null,
    outputBytes: 0,
    outputFile: null,
    missingOutputBytes: 0,
    withheld: [],
    pid: null,
    pgid: null,
    startedAt: null,
    usage: null,
    limits: [],
    cwd: '/w/p',
    cwdCause: 'kept',
    hints: [],
    image: null,
    leftoversKilled: 0,
    enforcement: { tier: 'none', held: [], missing: [], reported: [] },
    violations: [],
    omittedViolations: 0,
    files: { created: [], changed: [], deleted: [], isComplete: true, why: null },
    changes: null,
    whyNoUndo: null,
    failure: null,
    ...fields,
  };
}

function blockOf(command: string, options: { rules?: PolicyRule[]; answer?: Answer; isPerson?: boolean } = {}): string {
  noteTyped(['run', command]);
  const { rules = [], answer = null, isPerson = true } = options;
  const policy = { ...DEFAULT_POLICY, rules };
  const { facts, verdict } = check(command, { cwd: '/w/p', variables: { HOME: '/home/u' }, policy });
  return drawBlock({ command, facts, verdict, answer }, terminal, { isPerson }).join('\n');
}

const denyRule: PolicyRule = {
  text: 'Bash(make deploy:*)',
  list: 'deny',
  origin: { layer: 'project', file: '/w/p/.hardshell/settings.json', line: 4 },
  until: null,
  base: null,
  because: null,
};

describe('the block screen', () => {
  test('names the check, marks what it is about, says why and what to do instead', () => {
    const text = blockOf('cd / && rm -rf /');
    expect(text.split('\n')[0]).toBe('⚠ Command Blocked');
    expect(text).toMatch(/^\d checks and rules refuse this command:\n {2}cd \/ && rm -rf \/\n {10}\^{8}$/m);
    expect(text).toMatch(/^ {2}The check system-deletion:\n {4}This deletes/m);
    expect(text).toMatch(/^It was not run\. --yes does not change that\.\nInstead: /m);
  });

  test('names the rule with its file and line', () => {
    expect(blockOf('make deploy now', { rules: [denyRule] })).toMatch(
      /^The rule Bash\(make deploy:\*\) \(\/w\/p\/\.hardshell\/settings\.json:4\) refuses this command:$/m,
    );
  });

  test('says who did not approve, and how to allow it', () => {
    const answer: Answer = { verdict: 'deny', by: 'socket', scope: 'once', rule: null, reason: 'not today', at: 0 };
    const text = blockOf('npm install left-pad', { answer });
    expect(text).toMatch(/^⚠ Command Not Approved\n\n {2}npm install left-pad$/m);
    expect(text).toMatch(/^It was not run: the answer was no \(socket\): not today$/m);
    expect(text).toMatch(/^ {2}hardshell run --yes 'npm install left-pad'$/m);
    expect(text.match(/To always allow it/g)).toHaveLength(1);
    expect(text).toMatch(/^ {2}hardshell config add allow 'Bash\(npm install.*\)'$/m);
  });

  test('where a model may read it, it says what to ask the user for, and what the user can type', () => {
    const asked = blockOf('npm install left-pad', { isPerson: false });
    expect(asked).toMatch(/^Ask the user to approve it or to add a rule that allows it\.$/m);
    expect(asked).toMatch(/^For the user: hardshell run --yes 'npm install left-pad' runs it this time; with --ask/m);
    expect(asked).toMatch(/^ {2}hardshell config add allow 'Bash\(npm install.*\)'$/m);
    expect(blockOf(`npm install ${'long-'.repeat(100)}`)).toMatch(/^ {2}hardshell run --yes COMMAND$/m);
    expect(blockOf('rm -rf /', { isPerson: false })).toMatch(/ask the user to run it\.$/);
    expect(blockOf('make deploy', { isPerson: false, rules: [denyRule] })).toMatch(
      /^Ask the user to change the rule if the command is needed\.$/m,
    );
  });

  test('shows every character of the command, and does not obey one', () => {
    const text = blockOf('rm -rf / \x1b[2J\u202e');
    expect(text).not.toMatch(/[\x1b\u202e]/);
  });

  test('is ASCII where the terminal is', () => {
    const { facts, verdict } = check('rm -rf /', { cwd: '/w/p' });
    const lines = drawBlock({ command: 'rm -rf /', facts, verdict, answer: null }, terminalOf('C'), { isPerson: true });
    expect(lines[0]).toBe('! Command Blocked');
  });
});

test('the box of a task is as wide as its longest line', () => {
  const task = { id: 'bash-k7mw2q', command: 'npm\ttest', outputFile: '/s/tasks/bash-k7mw2q.out' };
  expect(drawBackgroundBox(task, terminal)).toEqual([
    '┌─ Background Task Started ────────────────────────────────┐',
    '│ Task ID: bash-k7mw2q                                     │',
    '│ Command: npm\\ttest                                       │',
    '│ Output:  /s/tasks/bash-k7mw2q.out                        │',
    '│                                                          │',
    '│ hardshell tasks                       shows its state    │',
    '│ hardshell tasks logs -f bash-k7mw2q   follows its output │',
    '│ hardshell tasks stop bash-k7mw2q      ends it            │',
    '└──────────────────────────────────────────────────────────┘',
  ]);
});

describe('the status line', () => {
  const now = { elapsedMs: 12_345, memoryBytes: 45_000_000, width: 60 };
  const drawn = (...written: string[]): string => {
    const line = createStatusLine('npm test', terminal);
    for (const text of written) line.observe(Buffer.from(text));
    return line.draw(now);
  };
  const LINE = '\r\x1b7\x1b[0m\x1b[2K⠙ Running: npm test · 12.3 s · 45 MB\x1b8';

  test.each<[string, string[], string]>([
    ['before any output', [], LINE],
    ['after a whole line', ['a\n'], LINE],
    ['in the middle of a line', ['a\nb'], ''],
    ['after a carriage return', ['50 %\r'], ''],
    ['after a line in colour', ['\x1b[31mred\x1b[0m\n'], LINE],
    ['inside a colour sequence', ['\x1b[3'], ''],
    ['after a colour sequence in two parts', ['\x1b[3', '1mred\n'], LINE],
    ['after the cursor was moved', ['\x1b[2Ja\n'], ''],
    ['after another screen was asked for', ['\x1b[?1049h\n', 'x\n'], ''],
    ['after a title was set', ['\x1b]0;t\x07\n'], ''],
  ])('%s', (_, written, expected) => {
    expect(drawn(...written)).toBe(expected);
  });

  test('is erased once', () => {
    const line = createStatusLine('x', terminal);
    expect([line.erase(), line.draw(now) !== '', line.erase(), line.erase()]).toEqual([
      '',
      true,
      '\r\x1b7\x1b[0m\x1b[2K\x1b8',
      '',
    ]);
  });

  test('is never as wide as the terminal', () => {
    const text = createStatusLine(`${'漢'.repeat(50)}`, terminal).draw({ ...now, width: 41 });
    const shown = text.slice('\r\x1b7\x1b[0m\x1b[2K'.length, -2);
    expect(shown).toBe('⠙ Running: 漢漢漢漢漢… · 12.3 s · 45 MB');
  });
});

describe('the screen', () => {
  function recorded(options: { hasStatus: boolean; failing?: boolean }) {
    const written: string[] = [];
    const gone: string[] = [];
    const stream = (name: string) => ({
      write(bytes: Uint8Array | string, done: (error?: Error) => void) {
        written.push(`${name} ${bytes}`);
        setImmediate(() => (options.failing ? done(new Error('EPIPE')) : done()));
      },
      columns: 80,
    });
    const screen = createScreen({
      stdout: stream('out'),
      stderr: stream('err'),
      status: options.hasStatus ? createStatusLine('x', terminal) : null,
      onReaderGone: ({ message }) => gone.push(message),
    });
    return { screen, written, gone };
  }

  test('while a question is open nothing is drawn, and output waits', async () => {
    const { screen, written } = recorded({ hasStatus: true });
    await screen.redraw(1_000);
    const release = screen.hold();
    const waiting = screen.write('stdout', Buffer.from('later\n'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual(['err \r\x1b7\x1b[0m\x1b[2K⠙ Running: x · 1.0 s\x1b8', 'err \r\x1b7\x1b[0m\x1b[2K\x1b8']);
    release();
    await waiting;
    expect(written.slice(2)).toEqual(['out later\n']);
    await screen.end();
  });

  test('the line goes before output comes, and comes back only at the start of a line', async () => {
    const { screen, written } = recorded({ hasStatus: true });
    await screen.redraw(1_000);
    await screen.write('stdout', Buffer.from('half'));
    await screen.redraw(1_100);
    await screen.write('stdout', Buffer.from(' whole\n'));
    screen.setMemory(2_000_000);
    await screen.redraw(1_200);
    await screen.end();
    expect(written).toEqual([
      'err \r\x1b7\x1b[0m\x1b[2K⠙ Running: x · 1.0 s\x1b8',
      'err \r\x1b7\x1b[0m\x1b[2K\x1b8',
      'out half',
      'out  whole\n',
      'err \r\x1b7\x1b[0m\x1b[2K⠹ Running: x · 1.2 s · 2 MB\x1b8',
      'err \r\x1b7\x1b[0m\x1b[2K\x1b8',
    ]);
  });

  test.each([
    ['a\n', 'err \r\x1b[2K'],
    ['a', 'err \n'],
  ])('after %j our own line begins at its start', async (text, expected) => {
    const { screen, written } = recorded({ hasStatus: true });
    await screen.write('stdout', Buffer.from(text));
    await screen.end();
    await screen.closeLine();
    expect(written.at(-1)).toBe(expected);
  });

  test('without a watcher nothing but the bytes is written', async () => {
    const { screen, written } = recorded({ hasStatus: false });
    screen.begin();
    void screen.write('stderr', Buffer.from('b'));
    void screen.write('stdout', Buffer.from('a'));
    await screen.redraw(5_000);
    await screen.end();
    await screen.closeLine();
    expect(written).toEqual(['err b', 'out a']);
  });

  test('a reader that has gone is told once, and nothing is written after', async () => {
    const { screen, written, gone } = recorded({ hasStatus: false, failing: true });
    await screen.write('stdout', Buffer.from('a'));
    await screen.write('stdout', Buffer.from('b'));
    expect({ written, gone }).toEqual({ written: ['out a'], gone: ['EPIPE'] });
  });
});

describe('exit codes and last lines', () => {
  const timeout = createFailure('execution_timeout', { timeoutMs: 500 });
  const missing = createFailure('command_not_found', { command: 'nope' });
  test.each<[RunStatus, Partial<RunResult>, number, string[]]>([
    ['exited', { exitCode: 0 }, 0, []],
    ['exited', { exitCode: 1, meaning: 'No matches.' }, 1, ['exit code 1: No matches.']],
    ['exited', { exitCode: 3 }, 3, []],
    ['signalled', { signal: 'SIGKILL' }, 137, ['ended by SIGKILL']],
    ['signalled', { signal: 'SIGTERM', meaning: 'Asked to end.' }, 143, ['ended by SIGTERM: Asked to end.']],
    [
      'timed-out',
      { failure: timeout, signal: 'SIGTERM' },
      124,
      [timeout.message, expect.stringContaining('--timeout')],
    ],
    ['cancelled', { signal: 'SIGTERM' }, 130, ['The command was ended.']],
    ['limited', { signal: 'SIGKILL' }, 137, ['The command was ended.']],
    ['running', {}, 0, []],
    ['denied', {}, 126, []],
    ['failed', { failure: missing }, 127, [missing.message, `  ${missing.suggestions[0]}`]],
    ['failed', { failure: createFailure('system_error') }, 125, expect.any(Array) as unknown as string[]],
  ])('%s %j', (status, fields, code, lines) => {
    const result = resultOf({ ...fields, status });
    expect(chooseExitCode(result)).toBe(code);
    expect(closingLines(result, { isPerson: true, wasInterrupted: true })).toEqual(lines);
  });

  test('where no person reads, only what we did ourselves is said', () => {
    const silent = { isPerson: false, wasInterrupted: true };
    expect(closingLines(resultOf({ exitCode: 1, meaning: 'x' }), silent)).toEqual([]);
    expect(closingLines(resultOf({ status: 'signalled', signal: 'SIGKILL' }), silent)).toEqual([]);
    expect(closingLines(resultOf({ status: 'timed-out', failure: timeout }), silent)).not.toEqual([]);
    const stopped = { ...createFailure('process_terminated'), message: 'Someone stopped it.' };
    const cancelled = resultOf({ status: 'cancelled', failure: stopped });
    expect(closingLines(cancelled, silent)).toEqual([]);
    expect(closingLines(cancelled, { ...silent, wasInterrupted: false })).toEqual(['Someone stopped it.']);
  });

  test.each<[number | null, string | null, number]>([
    [7, null, 7],
    [null, 'SIGTERM', 143],
    [null, null, 125],
  ])('a task with code %s and signal %s', (exitCode, signal, expected) => {
    const info = { id: 'x', exitCode, signal } as Parameters<typeof exitCodeOfTask>[0];
    expect(exitCodeOfTask(info)).toBe(expected);
  });
});
