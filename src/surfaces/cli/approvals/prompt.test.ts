// The prompt on a real terminal (a pseudo-terminal of script(1)), and with lines from a pipe.

import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlace, HOST, type Place, runCli, startHost, talk } from '../../../../test/approving/process.ts';
import { makeRequest } from '../../../../test/approving/subject.ts';
import { check, createBroker } from '../../../host.ts';
import { terminalSurface } from './prompt.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

function onTerminal(args: readonly string[]) {
  const line = [process.execPath, HOST, '--terminal', ...args].map((word) => `'${word}'`).join(' ');
  return talk('script', ['-qec', `stty cols 100; ${line}`, '/dev/null'], {
    ...place.env,
    TERM: 'xterm',
    NO_COLOR: '1',
    COLUMNS: '100',
  });
}

const ANSWER = /"answer":(\{[^}]*\})/;

/** Presses the keys, each when the text before it is on the screen. */
async function press(args: readonly string[], steps: readonly [shown: RegExp, key: string][]) {
  const screen = onTerminal(args);
  for (const [shown, key] of steps) {
    await screen.until(shown);
    screen.child.stdin?.write(key);
  }
  const [, json = ''] = await screen.until(ANSWER);
  await screen.ended;
  return { answer: JSON.parse(json), screen: screen.read().replaceAll('\r', '') };
}

const ASK = /Allow it\?[^\n]*help {2}/;
const RULE = 'Bash(git push:*)';

// Without script(1) there is no terminal to press keys on.
describe.runIf(hasScript)('on a terminal', () => {
  test('it shows the command, what is risky, what it does, and the choices', async () => {
    const { screen, answer } = await press(['git push -f'], [[ASK, 'n']]);
    expect(screen).toMatch(/Risk [a-z]+\. Run «.*»\? .* {2}code [a-z0-9]{4}\n/);
    expect(screen).toContain(
      [
        '  │ git push -f',
        '  │          ^^',
        '  in /w/p · risk high · session s1',
        '',
        '  writes    out',
        '  contacts  example.com',
        '',
        '  high      This overwrites the history of the remote branch. [force-push]',
        '            Instead: Use --force-with-lease.',
        '',
        '  s also saves the rule Bash(git push:*)',
        '  Allow it?  y once · s this session · n no (Enter) · d no, and say why · ? help  ',
      ].join('\n'),
    );
    expect(answer).toMatchObject({ verdict: 'deny', by: 'terminal' });
  });

  test.each<[string, string, object]>([
    ['y', 'y', { verdict: 'allow', scope: 'once' }],
    ['Y', 'Y', { verdict: 'allow', scope: 'once' }],
    ['Enter', '\r', { verdict: 'deny', reason: null }],
    ['n', 'n', { verdict: 'deny' }],
    ['Ctrl-C', '\x03', { verdict: 'deny' }],
    ['Ctrl-D', '\x04', { verdict: 'deny' }],
    ['Escape', '\x1b', { verdict: 'deny' }],
  ])('%s', async (_, key, expected) => {
    expect((await press(['--no-socket', 'ls'], [[ASK, key]])).answer).toMatchObject({ ...expected, by: 'terminal' });
  });

  test('s shows the rule, and takes it only with a second yes', async () => {
    const confirm = /Is that right\?[^\n]*back {2}/;
    const { answer, screen } = await press(
      ['git push'],
      [
        [ASK, 's'],
        [confirm, 'y'],
      ],
    );
    expect(answer).toMatchObject({ verdict: 'allow', scope: 'session', rule: RULE });
    expect(screen).toContain(`commands that it matches then run without a question:\n    ${RULE}\n`);
    expect(screen).toContain(`{"grants":["${RULE}"]}`);
    const back = await press(
      ['git push'],
      [
        [ASK, 's'],
        [confirm, '\r'],
        [/back[\s\S]*Allow it\?[^\n]*help {2}/, 'n'],
      ],
    );
    expect(back.answer).toMatchObject({ verdict: 'deny' });
  });

  test('p and u are there when the host can save; of several rules one is chosen', async () => {
    const { answer, screen } = await press(
      ['--save', '--two-rules', 'git push'],
      [
        [/p this project · u always, for you[^\n]*help {2}/, 'u'],
        [/2 {2}Bash\(git fetch:\*\)\s+Which rule\? /, '2'],
        [/Is that right\?[^\n]*back {2}/, 'y'],
      ],
    );
    expect(answer).toMatchObject({ verdict: 'allow', scope: 'user', rule: 'Bash(git fetch:*)' });
    expect(screen).toContain('{"saved":{"scope":"user","rule":"Bash(git fetch:*)"}}');
  });

  test('without a suggested rule it can only be allowed once', async () => {
    const { answer, screen } = await press(
      ['--no-rule', '--save', 'ls'],
      [
        [ASK, 's'],
        [/Unknown key[\s\S]*Allow it\?[^\n]*help {2}/, '?'],
        [/can only be allowed once[\s\S]*Allow it\?[^\n]*help {2}/, 'n'],
      ],
    );
    expect(screen).not.toContain('this session');
    expect(answer).toMatchObject({ verdict: 'deny' });
  });

  test('d denies with what is typed, corrected and shown', async () => {
    const { answer } = await press(
      ['ls'],
      [
        [ASK, 'd'],
        [/Why\?/, 'not thiss'],
        [/not thiss/, '\x7f one\r'],
      ],
    );
    expect(answer).toMatchObject({ verdict: 'deny', reason: 'not this one' });
  });

  test('a paste answers nothing', async () => {
    const { answer } = await press(
      ['--no-socket', 'ls'],
      [
        [ASK, 'yes please\r'],
        [/Several keys[\s\S]*Allow it\?[^\n]*help {2}/, '\x1b[A'],
        [/Several keys[\s\S]*Several keys[\s\S]*Allow it\?[^\n]*help {2}/, '\x03'],
      ],
    );
    expect(answer).toMatchObject({ verdict: 'deny' });
  });

  test('keys that come too soon count for nothing; another terminal answers, and the prompt says so', async () => {
    const screen = onTerminal(['--grace=1000000', 'git push']);
    const [, code = ''] = await screen.until(/code ([a-z0-9]{4})/);
    screen.child.stdin?.write('y');
    await screen.until(ASK);
    screen.child.stdin?.write('y');
    await runCli(['deny', code, '--reason', 'elsewhere'], place.env);
    await screen.until(/Answered in another place: Denied, by cli \(elsewhere\)\./);
    const [, json = ''] = await screen.until(ANSWER);
    expect(JSON.parse(json)).toMatchObject({ verdict: 'deny', by: 'cli' });
    await screen.ended;
  });

  test('several questions come one after the other', async () => {
    const screen = onTerminal(['--no-socket', 'ls a1', 'ls b1']);
    await screen.until(ASK);
    expect(screen.read()).not.toContain('ls b1');
    screen.child.stdin?.write('y');
    await screen.until(/ls b1[\s\S]*Allow it\?[^\n]*help {2}/);
    screen.child.stdin?.write('n');
    await screen.ended;
    expect(screen.read()).toMatch(/"ls a1","answer":\{"verdict":"allow"[\s\S]*"ls b1","answer":\{"verdict":"deny"/);
  });

  test('a long command keeps its marked end in sight, and v shows the rest', async () => {
    const command = `echo ${Array.from({ length: 60 }, (_, i) => `line${i}`).join('\n')} -f`;
    const screen = onTerminal([command]);
    await screen.until(/v show all[^\n]*help {2}/);
    expect(screen.read()).toContain('line59 -f');
    expect(screen.read()).toContain('28 rows of the command are not shown here');
    expect(screen.read()).not.toContain('line30');
    screen.child.stdin?.write('v');
    await screen.until(/line30[\s\S]*Allow it\?[^\n]*help {2}/);
    screen.child.stdin?.write('n');
    await screen.ended;
  });
});

describe('with lines from a pipe', () => {
  test.each<[string, string, object]>([
    ['y', 'y\n', { verdict: 'allow' }],
    ['yes', 'yes\n', { verdict: 'allow' }],
    ['an empty line', '\n', { verdict: 'deny', by: 'terminal' }],
    ['a reason', 'd\nnot now\n', { verdict: 'deny', reason: 'not now' }],
    ['a rule', 's\ny\n', { verdict: 'allow', scope: 'session', rule: RULE }],
    ['the end of input', '', { verdict: 'deny', by: 'nobody' }],
    ['nonsense and then the end', 'maybe\n', { verdict: 'deny', by: 'nobody' }],
  ])('%s', async (_, input, expected) => {
    const host = startHost(['--terminal', '--no-socket', 'git push'], place.env);
    host.child.stdin?.end(input);
    expect(await host.all('answer')).toMatchObject([expected]);
  });

  test('the end of input leaves the question to the other terminals', async () => {
    const host = startHost(['--terminal', 'git push'], place.env);
    host.child.stdin?.end();
    const [code = ''] = (await host.ready).codes;
    expect(await runCli(['approve', code], place.env)).toMatchObject({ status: 0 });
    expect(await host.all('answer')).toMatchObject([{ verdict: 'allow', by: 'cli' }]);
  });
});

test('the terminal is taken for each question and given back, also when the host closes it', async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => modes.push(mode) });
  const output = new PassThrough();
  const broker = createBroker();
  const surface = terminalSurface({ input, output: output as unknown as NodeJS.WriteStream, color: false, graceMs: 0 });
  const detach = broker.attach(surface);
  const answered = broker.ask(makeRequest());
  expect(modes).toEqual([true]);
  input.write('y');
  expect(await answered).toMatchObject({ verdict: 'allow', by: 'terminal' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(modes).toEqual([true, false]);
  const left = broker.ask(makeRequest());
  surface.close();
  detach();
  expect(await left).toMatchObject({ verdict: 'deny', by: 'nobody' });
  expect(modes.at(-1)).toBe(false);
});

test('a question about a host says so, and names the rule that would be kept', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = new PassThrough();
  const broker = createBroker({ saveRule: () => {} });
  const surface = terminalSurface({ input, output: output as unknown as NodeJS.WriteStream, color: false, graceMs: 0 });
  broker.attach(surface);
  const { facts } = check('curl https://example.com', { cwd: '/w/p', variables: {} });
  const finding = {
    layer: 'sandbox',
    verdict: 'ask',
    severity: 'medium',
    message: 'It waits.',
    instead: null,
  } as const;
  const answered = broker.ask(
    makeRequest({
      findings: [{ ...finding, id: 'network-host', span: null, command: null, rule: null, confidence: null }],
      suggestions: ['Network(example.com)'],
      effects: facts.effects,
    }),
  );
  input.write('n');
  await answered;
  const screen = String(output.read());
  expect(screen).toContain('Connect to «example.com');
  expect(screen).toMatch(/s.* also saves? the rule Network\(example\.com\)/);
  broker.close();
});

test('what sed -i would change is shown, each line behind a gutter', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = new PassThrough();
  const broker = createBroker({ saveRule: () => {} });
  const surface = terminalSurface({ input, output: output as unknown as NodeJS.WriteStream, color: false, graceMs: 0 });
  broker.attach(surface);
  const edits = [
    { file: '/w/a.txt', diff: '@@ -1 +1 @@\n-old\n+new\u001b[2J', why: null },
    { file: '/w/b.txt', diff: null, why: 'no readable text file' },
  ];
  const answered = broker.ask(makeRequest({ edits }));
  input.write('n');
  await answered;
  const screen = String(output.read());
  expect(screen).toMatch(/edit {6}\/w\/a\.txt/);
  expect(screen).toMatch(/\S -old\r?\n.*\S \+new\\e\[2J/);
  expect(screen).toMatch(/edit {6}\/w\/b\.txt\r?\n *no readable text file/);
  broker.close();
});

test('a warning is shown beside the reasons', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = new PassThrough();
  const broker = createBroker({ saveRule: () => {} });
  broker.attach(terminalSurface({ input, output: output as unknown as NodeJS.WriteStream, color: false, graceMs: 0 }));
  const reason = {
    instead: null,
    span: null,
    command: null,
    rule: null,
    confidence: null,
    severity: 'medium',
  } as const;
  const findings = [
    { ...reason, id: 'no-rule', layer: 'rules', verdict: 'ask', message: 'No rule allows it.' },
    { ...reason, id: 'git-reset-hard', layer: 'warnings', verdict: 'allow', message: 'Note: may discard changes' },
  ] as const;
  const answered = broker.ask(makeRequest({ findings }));
  input.write('n');
  await answered;
  expect(String(output.read())).toContain('Note: may discard changes [git-reset-hard]');
  broker.close();
});
