// `hardshell run` as a caller uses it: exit codes, streams byte by byte, input, questions, signals, JSON.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { BIN, createPlace, type Place, runCli, talk } from '../../../../test/approving/process.ts';

let place: Place;
let env: Record<string, string>;
let work: string;
beforeEach(() => {
  place = createPlace();
  const home = join(place.folder, 'home');
  work = join(place.folder, 'work');
  for (const folder of [home, work]) mkdirSync(folder);
  env = { ...place.env, HOME: home, HARDSHELL_STATE_DIR: join(place.folder, 'state') };
});
afterEach(() => place.remove());

interface Ended {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** All commands here are allowed: the tests are about how they run. */
function run(args: readonly string[], input?: Uint8Array | 'open'): { child: ChildProcess; ended: Promise<Ended> } {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn(process.execPath, [BIN, 'run', '--cwd', work, ...args], { env, stdio: [stdin, 'pipe', 'pipe'] });
  const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  child.stdout?.on('data', (chunk) => chunks.stdout.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.stderr.push(chunk));
  // The command may end before it has read everything.
  child.stdin?.on('error', () => {});
  if (input instanceof Uint8Array) child.stdin?.end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (status) => {
      resolve({ status, stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr) });
    });
  });
  return { child, ended };
}

async function text(args: readonly string[], input?: Uint8Array): Promise<[number | null, string, string]> {
  const { status, stdout, stderr } = await run(args, input).ended;
  return [status, stdout.toString(), stderr.toString()];
}

test.each(['sleep 60 & echo up', 'nohup sleep 60 >/dev/null 2>&1 & echo up', 'setsid sleep 60 & echo up'])(
  'a server that ends with the command is reported: %s',
  async (command) => {
    const told = '1 process that was still running was ended with the command.';
    const [status, stdout, stderr] = await text(['--yes', command]);
    expect([status, stdout, stderr]).toEqual([
      0,
      'up\n',
      `hardshell: ${told} Start servers as background tasks (--background).\n`,
    ]);
    const [, json, errors] = await text(['--yes', '--json', command]);
    expect(JSON.parse(json)).toMatchObject({ leftoversKilled: 1 });
    expect(errors).toBe(stderr);
  },
);

test('a program that asked a question and found no input is explained', async () => {
  const [status, json] = await text(['--yes', '--json', `python3 -c 'input("Name: ")'`]);
  expect(status).toBe(1);
  expect(JSON.parse(json).meaning).toContain('Standard input was empty or had ended');
});

describe('exit codes', () => {
  test.each<[string[], number, string, RegExp]>([
    [['true'], 0, '', /^$/],
    [['--yes', 'exit 3'], 3, '', /^$/],
    [['--yes', 'echo a; exit 1'], 1, 'a\n', /^$/],
    [['--yes', 'no-such-program-here'], 127, '', /command not found/],
    [['--yes', '--argv', 'no-such-program-here'], 127, '', /^hardshell: .*no-such-program-here/],
    [['--yes', 'kill -KILL $$'], 137, '', /^$/],
    [['--yes', '--timeout', '0.3', 'echo a; sleep 30'], 124, 'a\n', /^hardshell: The command was stopped/],
    [['rm -rf /'], 126, '', /Command Blocked/],
    [['--cwd', '/no/such/folder', 'true'], 2, '', /^hardshell: --cwd: \/no\/such\/folder does not exist/],
    [["echo 'a"], 2, '', /Invalid or incomplete bash: unterminated single quote/],
    [['a=(1 2'], 2, '', /unterminated array \(character 2\)/],
    [[''], 2, '', /The command is empty/],
    [['--argv', ''], 2, '', /The command is empty/],
    [['--settings', '/no/such/file', 'true'], 2, '', /\/no\/such\/file: No such file/],
    [['--allow-domain', 'http://x', 'true'], 2, '', /The host pattern "http:\/\/x" is not valid/],
    [['--timeout', '0', 'true'], 2, '', /more than 0/],
    [['--env', '1A=x', 'true'], 2, '', /NAME=value/],
    [['ls', '-l'], 2, '', /Unexpected argument: -l\n.*Quote the command/],
  ])('%j', async (args, status, stdout, stderr) => {
    expect(await text(args)).toEqual([status, stdout, expect.stringMatching(stderr)]);
  });

  test('a failure of hardshell itself is 125', async () => {
    env.HARDSHELL_STATE_DIR = join(place.folder, 'file');
    writeFileSync(env.HARDSHELL_STATE_DIR, '');
    expect(await text(['true'])).toEqual([125, '', expect.stringMatching(/^hardshell: /)]);
  });

  test('options may also follow the command, where no words of its own can', async () => {
    const [status, stdout] = await text(['echo $A', '--env', 'A=b=c', '--yes']);
    expect([status, stdout]).toEqual([0, 'b=c\n']);
  });
});

describe('output and input', () => {
  const BYTES = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

  test('the two streams stay apart, byte for byte', async () => {
    writeFileSync(join(work, 'a'), BYTES);
    writeFileSync(join(work, 'b'), BYTES.subarray(100));
    const { status, stdout, stderr } = await run(['--yes', 'cat a; cat b >&2']).ended;
    expect([status, stdout.equals(BYTES), stderr.equals(BYTES.subarray(100))]).toEqual([0, true, true]);
  });

  test('input that is no terminal goes to the command, byte for byte', async () => {
    const { status, stdout } = await run(['cat'], BYTES).ended;
    expect([status, stdout.equals(BYTES)]).toEqual([0, true]);
  });

  test('input is passed on as it is written, and an open input blocks nothing', async () => {
    const { child, ended } = run(['head -n 1'], 'open');
    child.stdin?.write('first\n');
    const { status, stdout } = await ended;
    expect([status, stdout.toString()]).toEqual([0, 'first\n']);
  });

  test('20 MB arrive whole', () => {
    const command = `${process.execPath} ${BIN} run --yes 'head -c 20000000 /dev/zero' | wc -c`;
    expect(execFileSync('bash', ['-c', command], { env }).toString().trim()).toBe('20000000');
  });

  test('a reader that goes away ends the command', () => {
    const command = `${process.execPath} ${BIN} run --yes 'yes' | head -n 1; echo "\${PIPESTATUS[0]}"`;
    expect(execFileSync('bash', ['-c', command], { env }).toString()).toBe('y\n141\n');
  });

  test('a disk that is full is told once', () => {
    const command = `${process.execPath} ${BIN} run --yes 'echo a' 2>&1 > /dev/full; echo $?`;
    const [first, ...rest] = execFileSync('bash', ['-c', command], { env }).toString().split('\n');
    expect(first).toMatch(/^hardshell: Cannot write the output: ENOSPC/);
    expect(rest).toEqual(['74', '']);
  });

  test('--argv gives each word as it is', async () => {
    const [status, stdout] = await text(['--argv', 'printf', '%s\n', '$HOME', 'a b', '--json', '*']);
    expect([status, stdout]).toEqual([0, '$HOME\na b\n--json\n*\n']);
  });
});

describe('the verdict comes first', () => {
  test('a refusal names the rule with file and line, and nothing runs', async () => {
    const file = join(place.folder, 'settings.json');
    writeFileSync(file, '{\n  "permissions": {\n    "deny": ["Bash(touch:*)"]\n  }\n}\n');
    const [status, stdout, stderr] = await text(['--settings', file, '--yes', 'touch x']);
    expect([status, stdout]).toEqual([126, '']);
    expect(stderr).toContain(`The rule Bash(touch:*) (${file}:3) refuses this command:`);
    expect(execFileSync('ls', [work]).toString()).toBe('');
  });

  test('--yes answers a question, and never a refusal', async () => {
    expect((await text(['--yes', 'touch x']))[0]).toBe(0);
    expect((await text(['--yes', 'rm -rf /']))[0]).toBe(126);
  });

  test('without a terminal it answers at once; an agent is told to ask the user, and the user what to type', async () => {
    const [status, , stderr] = await text(['npm install left-pad']);
    expect(status).toBe(126);
    expect(stderr).toMatch(
      /Command Not Approved[\s\S]*It was not run: there was no one to ask\.\nAsk the user to approve it/,
    );
    expect(stderr).toMatch(
      /^For the user: hardshell run --yes --cwd \S+ 'npm install left-pad' runs it this time; with --ask, hardshell waits/m,
    );
    expect(stderr).toMatch(/^ {2}hardshell config add allow 'Bash\(npm install:\*\)'$/m);
    expect(stderr).not.toMatch(/hardshell approve|waiting for approval/);
  });

  test('with --ask it waits for an answer from another terminal', async () => {
    const asked = talk(process.execPath, [BIN, 'run', '--ask', '--cwd', work, 'npm install left-pad'], env);
    const [, code] = await asked.until(/hardshell deny (\w+)/);
    const { status } = await runCli(['deny', code as string, '--reason', 'not today'], env);
    expect([status, await asked.ended]).toEqual([0, 126]);
    expect(asked.read()).toMatch(/Command Not Approved[\s\S]*the answer was no \(cli\): not today/);
  });

  test('and runs after a yes', async () => {
    const asked = talk(process.execPath, [BIN, 'run', '--ask', '--cwd', work, 'touch x && echo made'], env);
    const [, code] = await asked.until(/hardshell approve (\w+)/);
    await runCli(['approve', code as string], env);
    expect([await asked.ended, asked.readOutput()]).toEqual([0, 'made\n']);
  });
});

describe('signals', () => {
  test.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s ends the command with its children', async (signal, code) => {
    const asked = talk(
      process.execPath,
      [BIN, 'run', '--yes', '--sandbox', 'unrestricted', 'sleep 60 & echo "pid $!"; wait; echo not reached'],
      env,
    );
    const [, pid] = await asked.until(/pid (\d+)/);
    asked.child.kill(signal);
    expect([await asked.ended, asked.readOutput()]).toEqual([code, `pid ${pid}\n`]);
    expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/);
  });

  test('the second one waits for nothing', async () => {
    const asked = talk(
      process.execPath,
      [BIN, 'run', '--yes', 'trap \'echo deaf\' TERM; echo "pid $$"; while :; do sleep 1; done'],
      env,
    );
    await asked.until(/pid (\d+)/);
    asked.child.kill('SIGINT');
    await asked.until(/deaf/);
    asked.child.kill('SIGINT');
    expect(await asked.ended).toBe(130);
  });

  test('one that comes while a question waits', async () => {
    const asked = talk(process.execPath, [BIN, 'run', '--ask', '--cwd', work, 'touch x'], env);
    await asked.until(/hardshell approve (\w+)/);
    asked.child.kill('SIGINT');
    expect(await asked.ended).toBe(130);
  });
});

describe('JSON', () => {
  test('--json prints the result and nothing else', async () => {
    const [status, stdout, stderr] = await text(['--json', '--yes', 'echo a; echo b >&2; exit 3']);
    const result = JSON.parse(stdout);
    expect([status, stderr, stdout.trimEnd().includes('\n')]).toEqual([3, '', false]);
    expect(result).toMatchObject({ schemaVersion: 1, status: 'exited', exitCode: 3, stdout: 'a\n', stderr: 'b\n' });
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['task', 'verdict', 'facts', 'usage', 'cwd', 'failure']),
    );
  });

  test('--json of a refusal', async () => {
    const [status, stdout, stderr] = await text(['--json', 'rm -rf /']);
    expect([status, stderr]).toEqual([126, '']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'denied', verdict: { decision: 'deny' }, exitCode: null });
  });

  test('--json of a mistake', async () => {
    const [status, stdout] = await text(['--json', '--cwd', '/no/such/folder', 'true']);
    expect([status, JSON.parse(stdout)]).toEqual([
      2,
      { schemaVersion: 1, error: expect.objectContaining({ code: 'no-such-folder' }) },
    ]);
    const [usage, printed] = await text(['--stream', '--background', 'true']);
    expect([usage, JSON.parse(printed).error.code]).toEqual([2, 'usage']);
  });

  test('--stream prints one event per line, numbered, the result last', async () => {
    const [status, stdout] = await text(['--stream', '--yes', 'echo a; echo b >&2']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const events = lines.slice(0, -1);
    expect(status).toBe(0);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'status', status: 'started' }),
        expect.objectContaining({ type: 'stdout', text: 'a\n' }),
        expect.objectContaining({ type: 'stderr', text: 'b\n' }),
      ]),
    );
    expect(lines.at(-1)).toMatchObject({ type: 'result', schemaVersion: 1, status: 'exited', exitCode: 0 });
  });

  test('--stream takes input, too', async () => {
    const [, stdout] = await text(['--stream', 'cat'], Buffer.from('x'));
    expect(stdout).toMatch(/"type":"stdout".*"text":"x"/);
  });
});

describe('what the sandbox refused', () => {
  const SCRIPT = 'echo out\ncurl -sS http://refused.example/ -o /dev/null\ncp script.sh "$1"\nexit 3\n';
  const target = '/opt/hardshell-refused';
  const expected = [
    'hardshell: The sandbox refused:',
    '  connect refused.example:80: domains: no rule allows this host',
    '    Allow it: --allow-domain refused.example',
    `  create ${target}: outside the writable folders`,
    '    Allow it: --allow-write /opt',
    '',
  ].join('\n');

  /** As a script: paths that a command itself names are allowed with it. */
  async function refusedBy(options: readonly string[], context: TestContext): Promise<[number | null, string, string]> {
    writeFileSync(join(work, 'script.sh'), SCRIPT);
    const ended = await text([...options, '--yes', '--allow-domain', 'other.example', `sh script.sh ${target}`]);
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (enforcement.tier === 'none') context.skip('nothing confines commands here');
    return ended;
  }

  test('is told once, behind the output, with what to do', async (context) => {
    const [status, stdout, stderr] = await refusedBy([], context);
    expect([status, stdout]).toEqual([3, 'out\n']);
    expect(stderr.endsWith(expected)).toBe(true);
    expect(stderr.split('The sandbox refused').length).toBe(2);
    expect(stderr).not.toContain('<sandbox_violations>');
  });

  test('settings of git that a script changes: run the git command by itself', async (context) => {
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (enforcement.tier !== 'namespaces') context.skip('needs namespaces');
    execFileSync('git', ['init', '-q', work]);
    writeFileSync(join(work, 'remote.sh'), 'git remote add o https://one.example/x.git\n');
    const [, , stderr] = await text(['--yes', 'sh remote.sh']);
    expect(stderr).toContain('run the git command by itself. Change settings that run programs yourself');
    expect(stderr).not.toContain('the user');
  });

  test('a protected file: neither a command that names it nor a script, with --allow-write or without', async (context) => {
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (enforcement.tier === 'none') context.skip('nothing confines commands here');
    const file = join(env.HOME as string, '.bashrc');
    writeFileSync(file, 'mine\n');
    writeFileSync(join(work, 'script.sh'), 'echo x >> ~/.bashrc\n');
    for (const command of ['echo x >> ~/.bashrc', 'sh script.sh']) {
      const [status, , stderr] = await text(['--yes', '--allow-write', file, command]);
      expect([status, stderr]).toEqual([126, expect.stringContaining(`make ${file} writable, which stays protected`)]);
    }
    const settings = join(place.folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ sandbox: { filesystem: { allowWrite: ['~/.bashrc'] } } }));
    for (const options of [[], ['--settings', settings]]) {
      const [, , stderr] = await text(['--yes', ...options, 'sh script.sh']);
      expect(stderr).toContain('Change it yourself');
      expect(stderr).not.toContain('create it first');
    }
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    const missing = join(env.HOME as string, '.rustup');
    writeFileSync(join(work, 'missing.sh'), 'mkdir ~/.rustup\n');
    expect((await text(['--yes', 'sh missing.sh']))[2]).toContain(
      `    Allow it: create it first, as a file or a folder, then --allow-write ${missing}\n`,
    );
    const own = join(env.HOME as string, 'own.txt');
    writeFileSync(own, '');
    writeFileSync(join(work, 'own.sh'), 'echo x >> ~/own.txt\n');
    expect((await text(['--yes', 'sh own.sh']))[2]).toContain(`    Allow it: --allow-write ${own}\n`);
    expect((await text(['--yes', '--allow-write', own, 'sh own.sh']))[0]).toBe(0);
  });

  test('a repository elsewhere: one advice is enough to push to it', async (context) => {
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (!enforcement.held.includes('writes-outside')) context.skip('writes outside are not held here');
    const bare = join(env.HOME as string, 'bare.git');
    const git = (...argv: string[]) => spawnSync('git', argv, { cwd: work, env: { ...process.env, ...env } });
    if (git('init', '-q', '--bare', bare).status !== 0) context.skip('git is not installed');
    git('init', '-q');
    git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-q', '--allow-empty', '-m', 'x');
    writeFileSync(join(work, 'push.sh'), `git push -q ${bare} HEAD:refs/heads/x\n`);
    expect((await text(['--yes', 'sh push.sh']))[2]).toContain(`    Allow it: --allow-write ${bare}\n`);
    expect((await text(['--yes', '--allow-write', bare, 'sh push.sh']))[0]).toBe(0);
  });

  test('a file that no option opens: no advice names one', async (context) => {
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (enforcement.tier !== 'namespaces') context.skip('names are not hidden here');
    const home = env.HOME as string;
    mkdirSync(join(home, '.ssh'), { recursive: true });
    writeFileSync(join(home, '.ssh/authorized_keys'), 'mine\n');
    writeFileSync(
      join(work, 'script.sh'),
      'echo x >> ~/.ssh/authorized_keys; git config --global a.b c; echo x > ~/x.lock\n',
    );
    const [, , stderr] = await text(['--yes', 'sh script.sh']);
    expect(stderr).toContain(join(home, '.gitconfig.lock'));
    expect(stderr).toContain('Change it yourself');
    expect(stderr).not.toMatch(/allowRead|--allow-write/);
    rmSync(join(home, '.ssh'), { recursive: true });
  });

  test('a hidden folder that is listed: it looks empty, and that is said', async (context) => {
    const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
    if (enforcement.tier !== 'namespaces') context.skip('names are not hidden here');
    const folder = join(env.HOME as string, '.ssh');
    mkdirSync(folder);
    writeFileSync(join(folder, 'id_x'), 'key');
    const [, stdout, stderr] = await text(['--yes', 'ls ~/.ssh']);
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringContaining(`${folder} is hidden from commands, and looks empty`),
    ]);
    expect(stderr).toContain('"allowRead": ["~/.ssh"]');
    const settings = join(place.folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ sandbox: { filesystem: { allowRead: ['~/.ssh'] } } }));
    expect(await text(['--yes', '--settings', settings, 'ls ~/.ssh'])).toEqual([0, 'id_x\n', '']);
  });

  test('and with --json, beside it', async (context) => {
    const [status, stdout, stderr] = await refusedBy(['--json'], context);
    expect([status, stderr]).toEqual([3, expected]);
    expect(JSON.parse(stdout).violations).toMatchObject([
      { kind: 'network', target: 'refused.example:80' },
      { kind: 'file', target },
    ]);
  });
});

test('in the restricted sandbox no advice names what it refuses', async (context) => {
  writeFileSync(join(work, 'script.sh'), 'echo x > made; echo x > /opt/hardshell-refused\n');
  const { enforcement } = JSON.parse((await text(['--json', 'true']))[1]);
  if (enforcement.tier === 'none') context.skip('nothing confines commands here');
  const [, , stderr] = await text(['--sandbox', 'restricted', '--yes', 'sh script.sh']);
  expect(stderr).toContain('create /opt/hardshell-refused: the restricted sandbox is read-only');
  expect(stderr).toContain('Use the workspace sandbox: --sandbox workspace');
  expect(stderr).not.toContain('--allow-write');
});

describe('--verbose', () => {
  test('prints the verdict before the output, and the end, the changes and the record after it', async () => {
    const [status, stdout, stderr] = await text(['-v', '--yes', 'echo a > new.txt; echo out; echo err >&2; exit 3']);
    expect([status, stdout]).toEqual([3, 'out\n']);
    const order = ['ASK · risk', 'answer ', 'sandbox ', 'err\n', 'exit code 3', 'new.txt (created)', 'recorded '];
    expect(order.map((part) => stderr.indexOf(part))).toEqual(
      order.map((part) => stderr.indexOf(part)).sort((a, b) => a - b),
    );
    for (const part of order) expect(stderr).toContain(part);
    const task = /audit show (\S+)`\)\n$/.exec(stderr)?.[1] as string;
    expect((await runCli(['audit', 'query', '--task', task], env)).stdout).toContain('new.txt');
  });

  test('of a task only the beginning', async () => {
    const [, stdout, stderr] = await text(['-v', '--background', 'true']);
    expect(stdout).toContain('Background Task Started');
    expect(stderr).toMatch(/^ALLOW[\s\S]*recorded /);
    expect(stderr).not.toMatch(/^(?:ended|changed)/m);
  });

  test('a command that is refused is explained once', async () => {
    const [status, , stderr] = await text(['-v', 'rm -rf /']);
    expect(status).toBe(126);
    expect(stderr).toMatch(/^. Command Blocked/);
    expect(stderr).not.toMatch(/^DENY/m);
  });
});

test('variables that are not passed on are named', async () => {
  const [status, stdout, stderr] = await text(['--env', 'LD_PRELOAD=/x', '--env', 'A=1', 'echo "$A$LD_PRELOAD"']);
  expect([status, stdout]).toEqual([0, '1\n']);
  expect(stderr).toBe('hardshell: Not passed to the command, because it could run other code: LD_PRELOAD\n');
});

test('--allow-write names what exists', async () => {
  const [status, , stderr] = await text(['--allow-write', '/no/such/folder', 'true']);
  expect([status, stderr]).toEqual([2, expect.stringContaining('No such file or folder')]);
});

describe('on a terminal', () => {
  /** `script` provides one; the width must be set explicitly. */
  const onTerminal = (command: string) =>
    talk(
      'script',
      ['-qec', `stty cols 60; exec ${process.execPath} ${BIN} run --yes --cwd ${work} '${command}'`, '/dev/null'],
      env,
    );

  test('Ctrl-C at a question ends it with 130, as anywhere else; Ctrl-D only denies', async () => {
    const ask = (key: string) => {
      const line = `stty cols 60; exec ${process.execPath} ${BIN} run --cwd ${work} 'touch made'`;
      const asked = talk('script', ['-qec', line, '/dev/null'], env);
      return asked.until(/Allow it\?[^\n]*help {2}/).then(async () => {
        // Keys that come too soon are ignored.
        const pressing = setInterval(() => asked.child.stdin?.write(key), 200);
        const status = await asked.ended;
        clearInterval(pressing);
        return [status, asked.read()] as const;
      });
    };
    const [interrupted, said] = await ask('\x03');
    expect([interrupted, said.match(/Cancelled\./g)?.length]).toEqual([130, 1]);
    expect((await ask('\x04'))[0]).toBe(126);
    expect(existsSync(join(work, 'made'))).toBe(false);
  });

  test('a line shows that it runs, leaves before output comes, and stays away from half lines', async () => {
    const gate = join(work, 'gate');
    const seen = onTerminal(
      `echo one; until test -e ${gate}; do sleep 0.05; done; printf half; sleep 0.5; echo; exit 3`,
    );
    await seen.until(/Running: echo one; until test/);
    writeFileSync(gate, '');
    expect(await seen.ended).toBe(3);
    const output = seen.read();
    expect(output).toMatch(/^one\r\n\r\x1b7/);
    // The last thing before `half` removes the line, and nothing comes between it and its end.
    expect(output).toMatch(/\r\x1b7\x1b\[0m\x1b\[2K\x1b8half\r\n/);
  });

  test('what an exit code means is said in one line', async () => {
    const seen = onTerminal('printf half; grep x /dev/null');
    expect([await seen.ended, seen.read()]).toEqual([1, 'half\r\nhardshell: exit code 1: No lines matched.\r\n']);
  });
});
