// Shared by the tests of running: a shell tool with private folders, and a policy that allows their commands.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { RunOptions, RunResult, ShellTool } from '../../src/core/running.ts';
import { createShell, type ShellOptions } from '../../src/pipeline/shell.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { BIN } from '../contract/runner-contract.ts';

/** HARDSHELL_TEST_RUNNER=node runs everything without the keeper. */
const isPlain = process.env.HARDSHELL_TEST_RUNNER === 'node';
export const hasKeeper = found.isAvailable && !isPlain;

/** Nothing is asked about; what is refused stays refused. */
export const FREE: Policy = { ...DEFAULT_POLICY, mode: 'bypass' };

export interface Subject {
  readonly shell: ShellTool;
  /** Where commands start. */
  readonly folder: string;
  readonly tasksFolder: string;
  /** With the policy FREE, in `folder`. */
  run(command: string, options?: Partial<RunOptions>): Promise<RunResult>;
  options(options?: Partial<RunOptions>): RunOptions;
  /** Files of tasks; the output that commands of the foreground printed lies apart. */
  tasksLeft(): readonly string[];
  close(): Promise<void>;
}

export function createSubject(options: ShellOptions = {}): Subject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-running-')));
  const folder = join(base, 'work');
  const tasksFolder = join(base, 'tasks');
  mkdirSync(folder);
  const shell = createShell({
    tasksFolder,
    recording: false,
    ...(isPlain ? { runner: new NodeRunner() } : {}),
    ...options,
  });
  const complete = (more: Partial<RunOptions> = {}): RunOptions => ({
    cwd: folder,
    policy: FREE,
    // Node's own spawn confines nothing. The fixtures may lie in a temporary folder, which inside is another one.
    sandbox: isPlain ? { name: 'unrestricted' } : { allowWrite: [BIN] },
    ...more,
  });
  return {
    shell,
    folder,
    tasksFolder,
    options: complete,
    tasksLeft: () => {
      const names = readdirSync(tasksFolder, { recursive: true }).map(String);
      return names.filter((name) => !/^(?:secret|(?:secret\/)?foreground(?:\/.*)?)$/.test(name));
    },
    run: (command, more) => shell.run(command, complete(more)),
    async close() {
      await shell.close();
      for (const { id, state } of await shell.tasks()) if (state === 'running') await (await shell.task(id))?.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** A program of test/fixtures/bin by its full path: its folder is on no PATH. */
export function fixture(name: string): string {
  return join(BIN, name);
}
