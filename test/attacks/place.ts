// Folders, a separate keeper and plans for attacks that need their own policy or start, as root or as an ordinary user.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { diskFolders } from '../../src/confine/folders.ts';
import { findKernelSupport, type KernelSupport } from '../../src/confine/kernel-support.ts';
import { type ConfinementPlan, type ConfinementPolicy, plan } from '../../src/confine/plan.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';

export type Who = 'root' | 'user';
export type Tier = 'namespaces' | 'landlock';

const NOBODY = 65534;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
export const isRoot = process.getuid?.() === 0;

function makeBase(): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, 'hardshell-cases-'));
    } catch {}
  }
  throw new Error('there is no folder outside of the temporary ones');
}

export class Place {
  readonly base = makeBase();
  readonly #isOther: boolean;
  readonly runner: KeeperRunner;
  /** What scripts find besides B, the base. */
  variables: Readonly<Record<string, string>> = {};
  #probe: KernelSupport | null = null;

  /** `before`: shell text that is done in the process which becomes the keeper. */
  constructor(keeper: string, stderr: 'ignore' | 'inherit', as: Who, before = ':') {
    this.#isOther = as === 'user' && isRoot;
    chmodSync(this.base, 0o755);
    const path = this.path('keeper');
    copyFileSync(keeper, path);
    chmodSync(path, 0o755);
    const change = this.#isOther ? `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups` : '';
    const start = this.path('start');
    writeFileSync(start, `#!/bin/bash\ncd ${this.base}\n${before}\nexec ${change} ${path} "$@"\n`, { mode: 0o755 });
    this.runner = new KeeperRunner(start, { stderr, pool: 0 });
  }

  path(name: string): string {
    return join(this.base, name);
  }

  /** Files are recreated, with their folders. */
  make(files: Readonly<Record<string, string>>, folders: readonly string[] = []): void {
    for (const name of new Set([...Object.keys(files), ...folders].map((path) => path.split('/')[0] as string)))
      rmSync(this.path(name), { recursive: true, force: true });
    for (const folder of folders) mkdirSync(this.path(folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
    this.own();
  }

  /** Files created by root here belong to the attacker. */
  own(): void {
    if (this.#isOther) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, this.base]);
  }

  /** Why the tier cannot be had, or null. */
  async open(tier: Tier): Promise<string | null> {
    this.own();
    const attempt = attemptConfinement(this.runner);
    this.#probe = await findKernelSupport(attempt, { allowNamespaces: tier === 'namespaces' });
    return this.#probe.tier === tier ? null : this.#probe.why;
  }

  plan(policy: Partial<ConfinementPolicy>): Extract<ConfinementPlan, { kind: 'confined' }> {
    if (this.#probe === null) throw new Error('open it first');
    const planned = plan({ name: 'workspace', writable: [this.path('w')], ...policy }, this.#probe, diskFolders);
    if (planned.kind !== 'confined') throw new Error(planned.kind);
    return planned;
  }

  async run(
    script: string,
    planned?: Extract<ConfinementPlan, { kind: 'confined' }>,
    cwd = 'w',
  ): Promise<{ readonly exitCode: number | null; readonly text: string }> {
    const handle = this.runner.start({
      program: 'bash',
      argv: ['bash', '-c', script],
      cwd: this.path(cwd),
      env: { ...this.variables, PATH, HOME: this.path('w'), LC_ALL: 'C', B: this.base },
      // An emulated machine is slow.
      timeoutMs: 60_000,
      graceMs: 0,
      lingerMs: 0,
      limits: { cpuSeconds: 20, fileSizeBytes: 1 << 26 },
      ...(planned && { confinement: planned.spec }),
    });
    const { exitCode, output } = await handle.done;
    return { exitCode, text: (await output.read(0, 4000)).toString() };
  }

  async close(): Promise<void> {
    await this.runner.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}
