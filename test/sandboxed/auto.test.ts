// The mode auto through the whole tool: what the sandbox holds runs without a question. Each guarantee is taken away
// between the verdict and the run, and the run must ask instead.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { ApprovalRequest } from '../../src/core/approval.ts';
import { openStages } from '../../src/stage/stages.ts';
import { makePlace, outside, type Place, type PlaceOptions, whyNoKeeper, writeTree } from './place.ts';

interface Asked extends Place {
  readonly questions: readonly ApprovalRequest[];
}

const open: Place[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Every question is answered with no. */
function prepare(settings: Settings = {}, more: PlaceOptions = {}): Asked {
  const questions: ApprovalRequest[] = [];
  const broker = createBroker();
  broker.attach(
    callbackSurface((request) => {
      questions.push(request);
      return 'deny';
    }),
  );
  const place = makePlace({ ...more, settings: { mode: 'auto', ...settings }, shell: { broker } });
  open.push(place);
  writeTree(place.project, { 'script.sh': 'echo ran > out.txt\n', 'src/a.txt': 'work\n' });
  outside('git', ['init', '-q'], place.project);
  return { ...place, questions };
}

const STAGED: Settings = { staging: 'apply' };
const CODE = ['writes-confined', 'code-protected', 'secrets-hidden', 'network-allowlist', 'machine-apart'];

/** The verdict allowed it, the run asked: the question names what is missing. */
async function expectAsked(place: Asked, command: string, missing: RegExp): Promise<void> {
  const result = await place.run(command);
  expect(result).toMatchObject({ status: 'denied', verdict: { decision: 'ask', reliesOn: [] } });
  const said = place.questions.flatMap(({ findings }) => findings.filter(({ id }) => id === 'auto-unheld'));
  expect(said.map(({ message }) => message)).toEqual([expect.stringMatching(missing)]);
  expect(existsSync(join(place.project, 'out.txt'))).toBe(false);
  expect(readFileSync(join(place.project, 'src/a.txt'), 'utf8')).toBe('work\n');
}

describe.skipIf(whyNoKeeper !== null)('what the sandbox holds is not asked about', () => {
  test('code of the project runs, and the result says what allowed it', async () => {
    const place = prepare();
    const result = await place.run('sh script.sh');
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, answer: null });
    expect(result.verdict).toMatchObject({ decision: 'allow', reliesOn: CODE });
    expect(place.questions).toEqual([]);
  });

  test('what can be undone is not asked about, and can be undone', async () => {
    const place = prepare(STAGED);
    const result = await place.run('x="rm -r src"; eval "$x"; rm -rf "$PWD"/script.*');
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, answer: null });
    expect(result.verdict.reliesOn).toContain('undoable');
    expect([existsSync(join(place.project, 'src')), place.questions]).toEqual([false, []]);
    expect(await openStages().undo(result.task)).toMatchObject({ kind: 'done' });
    expect(readFileSync(join(place.project, 'src/a.txt'), 'utf8')).toBe('work\n');
  });

  test('a host that the command names is not opened by the mode', async () => {
    const place = prepare(STAGED);
    const { verdict } = place.shell.check('curl -s http://example.com/x', { cwd: place.project });
    expect(verdict.decision).toBe('ask');
  });

  test('code cannot leave hooks, settings of editors or secrets behind', async () => {
    const place = prepare(STAGED);
    writeTree(place.home, { '.ssh/id_rsa': 'KEY\n' });
    writeTree(place.project, {
      'script.sh': [
        'echo evil > .git/hooks/post-commit',
        'mkdir -p .vscode; echo {} > .vscode/tasks.json',
        'git config core.fsmonitor evil',
        `cat ${place.home}/.ssh/id_rsa`,
        'echo x > /srv/outside; echo x > ~/.bashrc; true',
      ].join('\n'),
    });
    const result = await place.run('sh script.sh');
    expect([result.exitCode, place.questions]).toEqual([0, []]);
    expect(result.output).not.toContain('KEY');
    for (const path of ['.git/hooks/post-commit', '.vscode/tasks.json'])
      expect(existsSync(join(place.project, path))).toBe(false);
    expect(readFileSync(join(place.project, '.git/config'), 'utf8')).not.toContain('fsmonitor');
    expect([existsSync('/srv/outside'), existsSync(join(place.home, '.bashrc'))]).toEqual([false, false]);
  });
});

describe.skipIf(whyNoKeeper !== null)('a run that does not hold it asks', () => {
  test('the tier landlock, which the verdict could not know', async (context) => {
    const place = prepare({}, { tier: 'landlock' });
    expect(place.shell.check('sh script.sh', { cwd: place.project }).verdict.decision).toBe('allow');
    const { tier } = await place.shell.enforcement({ cwd: place.project });
    if (tier !== 'landlock') context.skip('this kernel has no Landlock');
    await expectAsked(place, 'sh script.sh', /writes-confined and .*would not hold: metadata-outside/);
  });

  test('no sandbox on this machine, and settings that let commands run without one', async () => {
    const place = prepare({ sandbox: { backend: 'seatbelt', failIfUnavailable: false } });
    expect(place.shell.check('sh script.sh', { cwd: place.project }).verdict.decision).toBe('allow');
    await expectAsked(place, 'sh script.sh', /writes-confined and .*would not hold: writes-outside/);
  });

  test.each<[string, Settings, RegExp]>([
    ['the sandbox unrestricted', { sandbox: { name: 'unrestricted' } }, /writes-confined .*no confinement/],
    ['an excluded command', { sandbox: { excludedCommands: ['sh'] } }, /writes-confined .*excludedCommands/],
    [
      'an open network',
      { domains: { allow: ['*'] } },
      /network-allowlist would not hold: the settings allow every host/,
    ],
    ['all sockets', { sandbox: { network: { allowAllUnixSockets: true } } }, /network-allowlist .*allowAllUnixSockets/],
    [
      'the socket of Docker',
      { sandbox: { network: { allowUnixSockets: ['//var/run/docker.sock'] } } },
      /network-allowlist would not hold: .*docker\.sock/,
    ],
    ['shown secrets', { sandbox: { filesystem: { allowRead: ['~/.ssh'] } } }, /secrets-hidden would not hold: .*\.ssh/],
  ])('%s', async (_, settings, missing) => {
    await expectAsked(prepare({ ...STAGED, ...settings }), 'sh script.sh', missing);
  });

  test('staging is off', async () => {
    await expectAsked(prepare(), 'rm -r src', /undoable would not hold: staging is off/);
  });

  test('a background command is not staged', async () => {
    const place = prepare(STAGED);
    expect(await place.start('rm -r src')).toMatchObject({ status: 'denied' });
    expect(place.questions).toHaveLength(1);
    expect(existsSync(join(place.project, 'src/a.txt'))).toBe(true);
  });

  test('a writable file outside, which cannot be staged', async () => {
    const made = prepare(STAGED);
    const file = join(made.base, 'data.txt');
    writeFileSync(file, 'data\n');
    const place = prepare({ ...STAGED, sandbox: { filesystem: { allowWrite: [`/${file}`] } } });
    await expectAsked(
      place,
      `x="rm -r src"; eval "$x"; echo x > out.txt`,
      /undoable would not hold: its changes cannot be/,
    );
    expect(readFileSync(file, 'utf8')).toBe('data\n');
  });

  test('the kernel refuses to stage when the command starts', async (context) => {
    const place = prepare(STAGED);
    const inner = join(place.project, 'inner');
    mkdirSync(inner);
    if (spawnSync('mount', ['-t', 'tmpfs', 'auto-test', inner]).status !== 0) context.skip('mounting needs root');
    try {
      await expectAsked(place, 'rm -r src', /undoable would not hold: changes cannot be staged here/);
      // What does not rely on it runs.
      expect(await place.run('sh script.sh')).toMatchObject({ status: 'exited', exitCode: 0 });
    } finally {
      spawnSync('umount', ['-l', inner]);
    }
  });
});
