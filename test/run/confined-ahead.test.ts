// Confinements that are in force before their command is known: who gets them, and that a change of what they rest on is seen.
// What a command can see of it is in pool-observables.test.ts.

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest, RunStarted } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { type Mark, makeMark, until } from '../contract/marks.ts';
import { BASH, canWait, findWaiting, outcomeOf, untilNoneIsLeft, untilWaiting } from './waiting-shells.ts';

const keeper = found.isAvailable ? found.path : '';
const reason = await canWait(found);
const isRoot = process.getuid?.() === 0;

/** Not below a temporary folder: inside namespaces those are new, and nothing could be seen in them. */
function makeFolder(): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, 'hardshell-ahead-'));
    } catch {}
  }
  throw new Error('there is no folder outside of the temporary ones');
}

/** Processes that wait under a supervisor; the init of its last command may still exist. */
async function untilParked({ supervisorPid, firstPid }: RunStarted): Promise<number> {
  const find = () =>
    readFileSync(`/proc/${supervisorPid}/task/${supervisorPid}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== '' && child !== String(firstPid));
  expect(await until(() => find().length > 0, 15_000)).toBe(true);
  return Number(find()[0]);
}

if (reason !== null) test('confined ahead', (context) => context.skip(reason));

describe.skipIf(reason !== null).each(['namespaces', 'landlock'] as const)('confined ahead by %s', (tier) => {
  const base = reason === null ? makeFolder() : '';
  const [work, secret, guarded] = [join(base, 'work'), join(base, 'secret'), join(base, 'work/guarded')];
  let runner: KeeperRunner;
  let unavailable: string | null = null;
  const isInside = tier === 'namespaces';
  const specOf = (more: ConfinementSpec['paths'] = []): ConfinementSpec => ({
    tier,
    reads: isInside ? 'all' : 'listed',
    network: isInside ? 'own' : 'none',
    unixSockets: 'pairs',
    paths: [
      ...(isInside
        ? ([
            { kind: 'empty', path: '/tmp' },
            { kind: 'write', path: work },
            { kind: 'read-only', path: guarded },
            { kind: 'mask', path: secret },
          ] as const)
        : ([
            { kind: 'list', path: '/' },
            ...['/usr', '/bin', '/lib', '/lib64', '/etc', '/proc'].map((path) => ({ kind: 'read', path }) as const),
            { kind: 'write', path: work },
          ] as const)),
      { kind: 'device', path: '/dev/null' },
      ...more,
    ],
    optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope'],
  });
  const request = (command: string, mark: Mark, more: Partial<RunRequest> = {}): RunRequest => ({
    program: BASH,
    argv: ['bash', '-c', command],
    cwd: work,
    env: { PATH: '/usr/bin:/bin', ...mark.env },
    confinement: specOf(),
    ...more,
  });
  const waitingAfter = async (first: RunRequest, mark: Mark) => {
    for (let count = 0; count < 2; count += 1) await runner.start(first).done;
    return untilWaiting(mark);
  };

  beforeAll(async () => {
    const probing = new KeeperRunner(keeper);
    const probe = await findKernelSupport(attemptConfinement(probing), { allowNamespaces: isInside });
    await probing.close();
    if (probe.tier !== tier) unavailable = probe.why ?? 'another tier was found';
  });
  beforeEach((context) => {
    if (unavailable !== null) context.skip(unavailable);
    rmSync(base, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    writeFileSync(secret, 'SECRET\n');
    writeFileSync(guarded, 'as it was\n');
    runner = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
  });
  afterEach(() => runner?.close());
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test('a shell that waits is the one that runs, and it is confined', async () => {
    const mark = makeMark();
    const waiting = await waitingAfter(request('true', mark), mark);
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${waiting}/status`, 'utf8'))?.[1]);
    const text = `cat ${secret}; echo x > ${base}/outside; echo x > ${work}/inside && cat ${work}/inside`;
    const outcome = await outcomeOf(runner.start(request(text, mark)));
    expect(outcome.started.firstPid).toBe(isInside ? parent : waiting);
    expect(outcome.text).toMatch(/x\n$/);
    expect(outcome.text).not.toContain('SECRET');
    expect(outcome.text).toMatch(/outside: (Read-only file system|Permission denied)/);
    expect(outcome.started.confinement?.held).toContain('system-calls');
  });

  if (isInside)
    test('namespaces wait for a program that is not a shell, and it is confined', async () => {
      const mark = makeMark();
      const plain = (text: string) => request(text, mark, { program: 'bash', cwd: '/' });
      await runner.start(plain('true')).done;
      const waiting = await untilParked((await outcomeOf(runner.start(plain('true')))).started);
      const text = `pwd; cat ${secret}; echo x > ${base}/outside; echo x > ${work}/inside && cat ${work}/inside; cat`;
      const { started, text: seen } = await outcomeOf(
        runner.start({ ...plain(text), cwd: work, umask: 0o77, stdin: Buffer.from('input\n') }),
      );
      expect(started.firstPid).toBe(waiting);
      expect(seen).toMatch(new RegExp(`^${work}\n`));
      expect(seen).toMatch(/x\ninput\n$/);
      expect(seen).not.toContain('SECRET');
      expect(seen).toContain('Read-only file system');
    });

  if (isInside)
    test('where confinements vary, the namespaces wait and the rest comes with the command', async () => {
      const mark = makeMark();
      const varied = (text: string, name: string) => {
        mkdirSync(join(work, name), { recursive: true });
        const confinement = specOf([{ kind: 'read-only', path: join(work, name) }]);
        return request(text, mark, { program: 'bash', confinement });
      };
      const waiting = await untilParked((await outcomeOf(runner.start(varied('true', 'first')))).started);
      const { started, text } = await outcomeOf(runner.start(varied('touch first/x second/x; ls first', 'second')));
      expect([started.firstPid, text]).toEqual([waiting, "touch: cannot touch 'second/x': Read-only file system\nx\n"]);
    });

  if (isInside)
    test.each(['bash', BASH])('listeners of what waited for %s are for its command alone', async (program) => {
      const mark = makeMark();
      const asked: string[] = [];
      const talking = (text: string, name: string): RunRequest => ({
        ...request(text, mark, { program, confinement: { ...specOf(), proxyPort: 3128 } }),
        onListener: (server) => {
          server.on('connection', (socket) => {
            asked.push(name);
            socket.end(`for ${name}\n`);
          });
        },
      });
      const ask = 'exec 3<>/dev/tcp/127.0.0.1/3128; cat <&3';
      await runner.start(talking('true', 'first')).done;
      const waiting = await untilParked((await outcomeOf(runner.start(talking('true', 'second')))).started);
      if (program === BASH) await untilWaiting(mark);
      const { started, text } = await outcomeOf(runner.start(talking(ask, 'third')));
      expect([started.firstPid, text, asked]).toEqual([waiting, 'for third\n', ['third']]);
    });

  test('an unconfined command finds none that waits for a confined one, and the other way round', async () => {
    const mark = makeMark();
    const waiting = await waitingAfter(request('true', mark), mark);
    const { confinement: _, ...free } = request(`cat ${secret}`, mark);
    expect((await outcomeOf(runner.start(free))).text).toBe('SECRET\n');
    expect(findWaiting(mark)).not.toContain(waiting);
    await waitingAfter(free, mark);
    expect((await outcomeOf(runner.start(request(`cat ${secret}`, mark)))).text).not.toContain('SECRET');
  });

  const replace = (path: string, text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const changes: Record<string, { change: () => void; clean?: () => void; only?: 'namespaces'; root?: boolean }> = {
    'the writable folder is another one': {
      change: () => {
        renameSync(work, `${work}.old`);
        mkdirSync(work);
        writeFileSync(guarded, 'as it was\n');
      },
    },
    'the hidden file is another one': { change: () => replace(secret, 'SECRET again\n'), only: 'namespaces' },
    'the hidden file lost its name and has it again': {
      change: () => {
        linkSync(secret, `${secret}.other`);
        unlinkSync(secret);
        renameSync(`${secret}.other`, secret);
      },
      only: 'namespaces',
    },
    'the protected file is another one': { change: () => replace(guarded, 'as it was\n'), only: 'namespaces' },
    'something is mounted': {
      change: () => {
        mkdirSync(join(base, 'mounted'));
        execFileSync('mount', ['-t', 'tmpfs', 'none', join(base, 'mounted')]);
      },
      clean: () => execFileSync('umount', [join(base, 'mounted')]),
      root: true,
    },
  };
  for (const [name, { change, clean, only, root }] of Object.entries(changes))
    if ((only ?? tier) === tier)
      test(`${name}: the waiting process does not run`, async (context) => {
        if (root && !isRoot) context.skip('needs root');
        const mark = makeMark();
        const waiting = await waitingAfter(request('true', mark), mark);
        const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${waiting}/status`, 'utf8'))?.[1]);
        try {
          change();
          const text = `cat ${secret}; echo x > ${guarded}; touch ${work}/fine && ls ${work}`;
          const outcome = await outcomeOf(runner.start(request(text, mark)));
          expect([waiting, parent]).not.toContain(outcome.started.firstPid);
          expect(outcome.text).not.toContain('SECRET');
          expect(outcome.text).toMatch(/fine\nguarded\n$/);
          if (isInside) expect(readFileSync(guarded, 'utf8')).toBe('as it was\n');
        } finally {
          clean?.();
        }
      });

  test('a path that was absent exists now: the waiting process does not run', async () => {
    const mark = makeMark();
    const late = join(base, 'late');
    const confinement = specOf(isInside ? [{ kind: 'mask', path: late }] : [{ kind: 'read', path: late }]);
    const waiting = await waitingAfter(request('true', mark, { confinement }), mark);
    writeFileSync(late, 'LATE\n');
    const { started, text } = await outcomeOf(runner.start(request(`cat ${late}`, mark, { confinement })));
    expect(started.firstPid).not.toBe(waiting);
    expect(text.includes('LATE')).toBe(!isInside);
  });

  test('a path that is removed while a process is confined ahead is not recreated', async () => {
    const mark = makeMark();
    for (let count = 0; count < 20; count += 1) {
      await runner.start(request('true', mark)).done;
      rmSync(work, { recursive: true });
      const bare = request('echo fine', mark, { cwd: '/' });
      expect((await outcomeOf(runner.start({ ...bare, program: 'bash' }))).text).toBe('fine\n');
      expect(() => mkdirSync(work)).not.toThrow();
      writeFileSync(guarded, 'as it was\n');
    }
  });

  test('the runner is closed: none is left', async () => {
    const mark = makeMark();
    await waitingAfter(request('true', mark), mark);
    await runner.close();
    expect(await untilNoneIsLeft(mark)).toBe(true);
  });

  test('the supervisor is killed: none is left', async () => {
    const mark = makeMark();
    const { supervisorPid } = (await outcomeOf(runner.start(request('true', mark)))).started;
    await waitingAfter(request('true', mark), mark);
    process.kill(supervisorPid as number, 'SIGKILL');
    expect(await untilNoneIsLeft(mark)).toBe(true);
    // The keeper may hear of it only when it hands the next command over, which fails then, and says why.
    const next = () => outcomeOf(runner.start(request('echo fine', mark)));
    expect((await next().catch(next)).text).toBe('fine\n');
  });
});
