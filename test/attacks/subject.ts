// The place that rows act on: a workspace, a folder beside it, hidden files, and a process that is outside.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackendPlan, ConfineBackend, Launch } from '../../src/confine/backends/backend.ts';
import { findBubblewrap } from '../../src/confine/backends/bubblewrap.ts';
import { KeeperBackend } from '../../src/confine/backends/keeper.ts';
import { diskFolders } from '../../src/confine/folders.ts';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunEvent, RunHandle, RunRequest } from '../../src/run/port.ts';
import { makeMark, until } from '../contract/marks.ts';
import type { Row } from './row.ts';

const SOURCE = fileURLToPath(new URL('./attack.c', import.meta.url));
const CALLS =
  'bpf perf_event_open userfaultfd keyctl add_key request_key init_module finit_module kexec_load settimeofday reboot swapon quotactl kcmp pivot_root syslog';
const NOBODY = 65534;
/** `HARDSHELL_TEST_AHEAD=1`: confined rows run in shells that were confined and loaded ahead of them. */
const isAhead = process.env.HARDSHELL_TEST_AHEAD === '1';

/** Not below a temporary folder: those are private inside, and a path that is not there is no proof. */
export function makeBase(prefix: string): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, prefix));
    } catch {}
  }
  throw new Error('there is no folder outside of the temporary ones');
}

/** System call numbers of this machine, from its headers. */
function readCallNumbers(): Record<string, string> {
  const names = CALLS.split(' ');
  const text = `#include <sys/syscall.h>\n${names.map((name) => `x${name} SYS_${name}`).join('\n')}`;
  const lines = execFileSync('cc', ['-E', '-P', '-'], { input: text, encoding: 'utf8' }).split('\n');
  return Object.fromEntries(
    names.map((name) => [`NR_${name}`, lines.find((line) => line.startsWith(`x${name} `))?.split(' ')[1] ?? '-1']),
  );
}

/** The two tiers of the keeper, and bubblewrap. */
export type Means = 'namespaces' | 'landlock' | 'bubblewrap';

export interface Attempt {
  readonly exitCode: number | null;
  readonly text: string;
}

export class Subject {
  readonly base = makeBase('hardshell-attacks-');
  readonly #uid: number;
  readonly #runner: KeeperRunner;
  readonly #plans = new Map<string, BackendPlan>();
  readonly #env: Record<string, string>;
  readonly #mark = makeMark();
  #victim: ChildProcess | null = null;
  #backend: ConfineBackend | null = null;
  #workspace: ConfinementPolicy = { name: 'workspace' };

  constructor(keeper: string, stderr: 'ignore' | 'inherit', as: 'root' | 'user') {
    const { base } = this;
    const isRoot = process.getuid?.() === 0;
    this.#uid = as === 'user' && isRoot ? NOBODY : (process.getuid?.() ?? 0);
    chmodSync(base, 0o755);
    const path = join(base, 'keeper');
    copyFileSync(keeper, path);
    chmodSync(path, 0o755);
    const start = join(base, 'start');
    const change = this.#uid === process.getuid?.() ? '' : `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups`;
    writeFileSync(start, `#!/bin/sh\nexec ${change} ${path} "$@"\n`, { mode: 0o755 });
    this.#runner = new KeeperRunner(start, { stderr });
    const attack = join(base, 'attack');
    execFileSync('cc', ['-O1', '-Wall', '-Wextra', '-Werror', '-pthread', '-o', attack, SOURCE]);
    const suid = join(base, 'suid');
    copyFileSync(attack, suid);
    if (isRoot) chmodSync(suid, 0o4755);
    const work = join(base, 'work');
    this.#env = {
      ...readCallNumbers(),
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: `${work}/w`,
      LC_ALL: 'C',
      A: attack,
      SUID: suid,
      W: `${work}/w`,
      O: `${work}/o`,
      B: `${work}/b`,
      S: `${work}/b/secret`,
      H: `${work}/h`,
      V: `${base}/victim`,
      ABSTRACT: `hardshell-${randomInt(1e9)}`,
      KEY: String(randomInt(0x1000_0000, 0x7000_0000)),
      SHM: `/dev/shm/hardshell-${randomInt(1e9)}`,
      TMPDIR: '/tmp',
      ...(isAhead ? this.#mark.env : {}),
    };
  }

  #value(name: string): string {
    return this.#env[name] as string;
  }

  /** To the user as whom the rows run. */
  give(path: string): void {
    chownSync(path, this.#uid, this.#uid);
  }

  #own(path: string): void {
    if (this.#uid === process.getuid?.()) return;
    for (const name of ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
      lchownSync(join(path, name), this.#uid, this.#uid);
  }

  /** Files of a row are recreated for each one; the sockets of the victim stay. */
  refresh(): void {
    const [W, O, B, S, H] = ['W', 'O', 'B', 'S', 'H'].map((name) => this.#value(name)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    for (const folder of [W, `${W}.moved`, O, H, S]) rmSync(folder, { recursive: true, force: true });
    for (const folder of [W, `${O}/empty`, `${O}/folder`, B, H]) mkdirSync(folder, { recursive: true });
    if (!existsSync(`${this.base}/template`)) {
      execFileSync('git', ['init', '-q', '--template=', `${this.base}/template`]);
      mkdirSync(`${this.base}/template/.git/hooks`);
    }
    cpSync(`${this.base}/template`, W, { recursive: true });
    writeFileSync(`${W}/.git/hooks/sample`, 'x\n');
    writeFileSync(`${W}/tracked`, 'x\n');
    writeFileSync(`${W}/.gitignore`, '.env\n.envrc\n');
    writeFileSync(`${W}/.env`, 'SECRET=1\n');
    for (const path of [`${O}/file`, `${O}/folder/inner`, `${H}/key`]) writeFileSync(path, 'a\n');
    writeFileSync(S, 'SECRET_READ=yes\n');
    // A socket of the host in the project: the victim's, under a second name.
    if (existsSync(`${this.#value('V')}/stream`)) linkSync(`${this.#value('V')}/stream`, `${W}/host.sock`);
    this.#own(join(this.base, 'work'));
    this.#env.STATUS ??= execFileSync('git', ['-c', `safe.directory=${W}`, '-C', W, 'status', '--porcelain'], {
      encoding: 'utf8',
    }).trim();
  }

  /** The backend, or why there is none. */
  async #find(means: Means): Promise<ConfineBackend | string> {
    if (means !== 'bubblewrap') {
      const allowNamespaces = means === 'namespaces';
      const probe = await findKernelSupport(attemptConfinement(this.#runner), { allowNamespaces });
      return probe.tier === means ? new KeeperBackend(probe, diskFolders) : (probe.why ?? `only ${probe.tier}`);
    }
    const privateFolder = join(this.base, 'filters');
    mkdirSync(privateFolder, { mode: 0o755 });
    const found = await findBubblewrap({ folders: diskFolders, privateFolder, endsTree: true }, (request) =>
      this.#try(request),
    );
    return found.isAvailable ? found.backend : found.why;
  }

  async #try(request: Launch): Promise<Attempt> {
    const { exitCode, output } = await this.#runner.start({ ...request, timeoutMs: 15_000 }).done;
    return { exitCode, text: (await output.read(0, 4000)).toString() };
  }

  async open(means: Means): Promise<string | null> {
    this.refresh();
    const folder = this.#value('V');
    mkdirSync(folder);
    chownSync(folder, this.#uid, this.#uid);
    const victim = spawn(this.#value('A'), ['serve', folder, this.#value('ABSTRACT'), this.#value('KEY')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { HIDDEN: 'value' },
      cwd: '/',
      ...(this.#uid === process.getuid?.() ? {} : { uid: this.#uid, gid: this.#uid }),
    });
    this.#victim = victim;
    this.#env.T = mkdtempSync(join(tmpdir(), 'hardshell-attacks-'));
    chmodSync(this.#env.T, 0o755);
    const [line] = await Promise.race([once(victim.stdout, 'data'), once(victim, 'exit')]);
    if (!Buffer.isBuffer(line)) throw new Error(`the process outside ended with ${line}`);
    const [port = '', udp = '', address = ''] = line.toString().trim().split(' ');
    linkSync(`${folder}/stream`, `${this.#value('T')}/stream`);
    this.refresh();
    Object.assign(this.#env, { P: String(victim.pid), PORT: port, UDP: udp, ADDRESS: address });
    for (const path of [this.#value('SHM'), `${this.#value('SHM')}.there`]) {
      writeFileSync(path, 'x');
      chownSync(path, this.#uid, this.#uid);
    }
    const backend = await this.#find(means);
    if (typeof backend === 'string') return backend;
    // Without namespaces nobody has a /tmp of their own. Not the machine's: what others make there is not the command's.
    if (means === 'landlock') {
      this.#env.TMPDIR = join(this.base, 'tmp');
      mkdirSync(this.#env.TMPDIR);
      chownSync(this.#env.TMPDIR, this.#uid, this.#uid);
    }
    const { W, S, H } = this.#env as { W: string; S: string; H: string };
    const workspace: ConfinementPolicy = {
      name: 'workspace',
      writable: [W, ...(means === 'landlock' ? [this.#value('TMPDIR')] : [])],
      hidden: [S, H, `${W}/.env`],
    };
    this.#backend = backend;
    this.#workspace = workspace;
    const policies: Record<NonNullable<Row['policy']>, ConfinementPolicy> = {
      workspace,
      restricted: { ...workspace, name: 'restricted' },
      ports: { ...workspace, network: 'host', connectPorts: [1], bindPorts: [] },
      'open-port': { ...workspace, network: 'host', connectPorts: [Number(port)] },
      sockets: { ...workspace, unixSockets: 'any' },
    };
    for (const [name, policy] of Object.entries(policies)) this.#plans.set(name, backend.plan(policy));
    return null;
  }

  planOf(row: Row): Exclude<BackendPlan, { kind: 'unconfined' }> {
    const found = this.#plans.get(row.policy ?? 'workspace');
    if (found === undefined || found.kind === 'unconfined') throw new Error(`no confinement for ${row.policy}`);
    return found;
  }

  /** A name of the subject's own, for scripts. */
  name(name: string): string {
    return this.#value(name);
  }

  /** The confinement of the workspace with something else about it. */
  specOf(change: Partial<ConfinementPolicy>): ConfinementSpec {
    const planned = (this.#backend as ConfineBackend).plan({ ...this.#workspace, ...change });
    if (planned.kind !== 'confined') throw new Error(planned.kind);
    return planned.apply(this.#request('')).confinement as ConfinementSpec;
  }

  #request(script: string): RunRequest {
    return {
      program: isAhead ? '/bin/bash' : 'bash',
      argv: ['bash', '-c', script],
      cwd: this.#value('W'),
      env: this.#env,
      timeoutMs: 15_000,
      graceMs: 0,
      lingerMs: 0,
      limits: { cpuSeconds: 20, fileSizeBytes: 1 << 26 },
    };
  }

  start(script: string, more: Partial<RunRequest>, listener?: (event: RunEvent) => void): RunHandle {
    const request = { ...this.#request(script), ...more, env: { ...this.#env, ...more.env } };
    const handle = this.#runner.start(request, listener);
    handle.started.catch(() => {});
    return handle;
  }

  async run(script: string, planned?: Extract<BackendPlan, { kind: 'confined' }>): Promise<Attempt> {
    const request = planned?.apply(this.#request(script)) ?? this.#request(script);
    if (request.confinement && isAhead) await this.#load(request);
    const { exitCode, output } = await this.#runner.start(request).done;
    return { exitCode, text: (await output.read(0, 4000)).toString() };
  }

  // Two of a kind: what was run before may have been of another.
  async #load(request: RunRequest): Promise<void> {
    for (let count = 0; count < 2; count += 1)
      await this.#runner.start({ ...request, argv: ['bash', '-c', 'true'] }).done;
    if (!(await until(() => this.#mark.pids().length > this.#mark.count(), 5000))) throw new Error('no shell waits');
  }

  async close(): Promise<void> {
    const victim = this.#victim;
    if (victim !== null && victim.exitCode === null) {
      const ended = once(victim, 'exit');
      victim.stdin?.end();
      await ended;
    }
    await this.#runner.close();
    for (const path of [this.#value('SHM'), `${this.#value('SHM')}.there`]) rmSync(path, { force: true });
    for (const path of [this.base, this.#value('T')]) if (path) rmSync(path, { recursive: true, force: true });
  }
}
