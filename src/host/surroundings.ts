// A shell tool and a request → where its commands run and what confines them, for the descriptions of tools.

import type { CompleteRunOptions, ShellTool } from '../core/running.ts';
import type { Surroundings } from '../profiles/profile.ts';
import { effectiveSandbox } from '../terms/sandbox.ts';
import { loadPolicy } from '../terms/settings.ts';

export interface SurroundingsOptions {
  /** The folder whose settings hold. */
  readonly project: string;
  /** Where the next command starts. Default: the project. */
  readonly cwd?: string;
  readonly settingsFile?: string | undefined;
}

export async function findSurroundings(
  shell: Pick<ShellTool, 'policy' | 'enforcement'>,
  request: CompleteRunOptions,
  { project, cwd = project, settingsFile }: SurroundingsOptions,
): Promise<Surroundings> {
  const { domains, roots } = shell.policy(request);
  const loaded = loadPolicy({ cwd: project, settingsFile });
  const sandbox = effectiveSandbox(loaded, request.sandbox?.name);
  return {
    cwd,
    sandbox,
    enforcement: await shell.enforcement(request),
    domains: domains.allow,
    writable:
      sandbox === 'restricted' ? [] : [...(roots ?? [project]), ...(loaded.sandbox.filesystem?.allowWrite ?? [])],
  };
}
