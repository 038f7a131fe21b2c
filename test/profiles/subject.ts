// What the conformance tests share: a shell tool made as a profile wants it, a conversation, and a way to call its tools.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { SessionOptions, ShellSession, ShellTool } from '../../src/core/running.ts';
import { createShell, type ShellOptions } from '../../src/pipeline/shell.ts';
import type { Calling, Profile, ProfileTool, Surroundings, ToolAnswer } from '../../src/profiles/profile.ts';
import { findMismatches } from '../../src/profiles/shared/input.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { hasKeeper } from '../running/subject.ts';

export function needsKeeper(context: TestContext): void {
  if (!hasKeeper) context.skip('without the keeper there are no tasks, and less is reported about a command');
}

export const FREE: Policy = { ...DEFAULT_POLICY, mode: 'bypass' };

export interface Subject {
  readonly profile: Profile;
  readonly shell: ShellTool;
  readonly folder: string;
  readonly calling: Calling;
  readonly surroundings: Surroundings;
  tool(name: string): ProfileTool;
  /** Calls a tool, and checks that the answer has the shape that its schema promises. */
  call(name: string, input: unknown, calling?: Partial<Calling>): Promise<ToolAnswer>;
  /** Another conversation over the same shell tool. */
  converse(policy?: Policy): Calling;
  close(): Promise<void>;
}

export function createSubject(profile: Profile, options: ShellOptions & { policy?: Policy } = {}): Subject {
  const { policy = FREE, ...given } = options;
  const base = realpathSync(makeFolder('hardshell-profiles-'));
  const folder = join(base, 'work');
  const tasksFolder = join(base, 'tasks');
  mkdirSync(folder);
  const runner = process.env.HARDSHELL_TEST_RUNNER === 'node' ? { runner: new NodeRunner() } : {};
  const shell = createShell({ tasksFolder, recording: false, ...profile.engine, ...runner, ...given });
  const converse = (rules: Policy = policy): Calling => ({
    shell,
    session: shell.session({ cwd: folder, policy: rules }),
    state: new Map(),
  });
  const calling = converse();
  const tool = (name: string): ProfileTool => {
    const found = profile.tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`The profile ${profile.name} has no tool ${name}.`);
    return found;
  };
  return {
    profile,
    shell,
    folder,
    calling,
    surroundings: surroundingsIn(folder),
    tool,
    converse,
    async call(name, input, more = {}) {
      const answer = await tool(name).call(input, { ...calling, ...more });
      expect(findMismatches(tool(name).outputSchema, answer.data)).toEqual([]);
      // Whatever a surface sends is JSON.
      expect(JSON.parse(JSON.stringify(answer.data))).toEqual(answer.data);
      return answer;
    },
    async close() {
      for (const { id, state } of await shell.tasks()) if (state === 'running') await (await shell.task(id))?.kill();
      await shell.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Not in the temporary folder, which a sandbox may replace by a private one. */
function makeFolder(prefix: string): string {
  for (const parent of ['/srv', '/opt', homedir()]) {
    try {
      return mkdtempSync(join(parent, prefix));
    } catch {
      // Not ours to write.
    }
  }
  return mkdtempSync(join(tmpdir(), prefix));
}

/** A machine that holds nothing. */
export function surroundingsIn(cwd: string, more: Partial<Surroundings> = {}): Surroundings {
  return {
    cwd,
    sandbox: 'workspace',
    enforcement: {
      tier: 'none',
      held: [],
      missing: [{ guarantee: 'network', why: 'Landlock needs Linux 5.13 or newer' }],
      reported: [],
    },
    domains: [],
    writable: [],
    ...more,
  };
}

/** A machine that holds everything. */
export const CONFINED: Partial<Surroundings> = {
  enforcement: {
    tier: 'namespaces',
    held: ['writes-outside', 'network', 'hidden-content', 'signals-outside', 'privileges'],
    missing: [],
    reported: ['changes', 'connections'],
  },
  domains: ['registry.npmjs.org'],
  writable: ['/work/project', '/tmp'],
};

/** The same session, and what each command was run with. */
export function listenTo({ session }: Calling): { session: ShellSession; asked: SessionOptions[] } {
  const asked: SessionOptions[] = [];
  const listening: ShellSession = {
    id: session.id,
    originalCwd: session.originalCwd,
    get cwd() {
      return session.cwd;
    },
    with: (options) => session.with(options),
    complete: (options) => session.complete(options),
    run(command, options = {}) {
      asked.push(options);
      return session.run(command, options);
    },
    stream: (command, options) => session.stream(command, options),
    start: (command, options) => session.start(command, options),
  };
  return { session: listening, asked };
}
