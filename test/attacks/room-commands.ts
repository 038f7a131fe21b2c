// Commands of a session that share their processes, started through a keeper of their own: for attacks of one on another.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import type { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunHandle, RunListener, RunRequest } from '../../src/run/port.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, until } from '../contract/marks.ts';
import { Place, type Who } from './place.ts';

const TIME_MS = 60_000;

export interface RoomOptions {
  readonly room?: string;
  readonly world?: string;
  readonly policy?: Partial<ConfinementPolicy>;
  readonly spec?: Partial<ConfinementSpec>;
  readonly env?: Readonly<Record<string, string>>;
  readonly more?: Partial<RunRequest>;
  readonly runner?: KeeperRunner;
  readonly listener?: RunListener;
}

export interface HeldCommand {
  readonly handle: RunHandle;
  /** Of its shell, as its room counts. */
  readonly pid: number;
  readonly gone: () => Promise<unknown>;
}

export class RoomCommands {
  place!: Place;
  #unavailable: string | null = null;
  #count = 0;
  readonly #spec: Partial<ConfinementSpec>;

  /** Inside of a `describe`: makes and removes its place. `attack`: a program beside this file, in C; scripts find it as $A. */
  constructor(attack: string, as: Who, { before = ':', spec = {} as Partial<ConfinementSpec> } = {}) {
    this.#spec = spec;
    beforeAll(async () => {
      if (!keeperUnderTest.isAvailable) return;
      this.place = new Place(keeperUnderTest.path, keeperStderr, as, before);
      for (const folder of ['w', 'hidden', 'worlds']) mkdirSync(this.place.path(folder));
      const source = fileURLToPath(new URL(attack, import.meta.url));
      execFileSync('cc', ['-O1', '-pthread', '-Wall', '-Wextra', '-Werror', '-o', this.place.path('attack'), source]);
      chmodSync(this.place.path('attack'), 0o755);
      this.place.make({ 'hidden/secret': 'the secret\n' }, ['w']);
      this.#unavailable = await this.place.open('namespaces');
    }, TIME_MS);
    afterAll(() => this.place?.close());
  }

  /** A test that needs namespaces. */
  test(name: string, body: (context: TestContext) => Promise<void>): void {
    test(
      name,
      async (context) => {
        if (this.#unavailable !== null) return context.skip(this.#unavailable);
        await body(context);
      },
      TIME_MS,
    );
  }

  begin(script: string, options: RoomOptions = {}): RunHandle {
    const { room = 'same', world = 'one', policy = {}, env = {}, more = {}, runner = this.place.runner } = options;
    const { place } = this;
    const { spec } = place.plan({ hidden: [place.path('hidden')], network: 'none', ...policy } as ConfinementPolicy);
    const own = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', A: place.path('attack'), HOME: place.path('w') };
    return runner.start(
      {
        program: '/bin/bash',
        argv: ['bash', '-c', script],
        cwd: place.path('w'),
        env: { ...own, ...env },
        timeoutMs: 20_000,
        graceMs: 0,
        lingerMs: 0,
        confinement: { ...spec, network: 'own', isShared: true, ...this.#spec, ...options.spec },
        world: place.path(`worlds/${world}.sock`),
        room,
        ...more,
      },
      options.listener,
    );
  }

  async run(script: string, options: RoomOptions = {}): Promise<string> {
    const { output } = await this.begin(script, options).done;
    return (await output.read(0, 100_000)).toString();
  }

  /** Runs until it is stopped. */
  async hold(script: string, options: RoomOptions = {}): Promise<HeldCommand> {
    const mark = makeMark();
    const name = `held-${this.#count++}`;
    const handle = this.begin(`echo $$ > ${name}; ${script}`, { ...options, env: { ...mark.env, ...options.env } });
    // It may be lost before the test looks at it.
    handle.done.catch(() => {});
    const read = () => {
      try {
        return Number(readFileSync(this.place.path(`w/${name}`), 'utf8'));
      } catch {
        return 0;
      }
    };
    expect(await until(() => read() > 0, 10_000)).toBe(true);
    return { handle, pid: read(), gone: () => mark.untilGone(10_000) };
  }
}
