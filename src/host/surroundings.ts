// A shell tool and a request → where its commands run and what confines them, for the descriptions of tools.

import { GUARANTEES } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
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
    ...(await findEnforcement(shell, request)),
    domains: domains.allow,
    writable:
      sandbox === 'restricted' ? [] : [...(roots ?? [project]), ...(loaded.sandbox.filesystem?.allowWrite ?? [])],
  };
}

const NO_SANDBOX: ReadonlySet<string> = new Set(['no-sandbox', 'missing-dependency']);

/** A machine without the required sandbox still has tools to describe: each of their commands says why it is refused. */
async function findEnforcement(
  shell: Pick<ShellTool, 'enforcement'>,
  request: CompleteRunOptions,
): Promise<Pick<Surroundings, 'enforcement' | 'unavailable'>> {
  try {
    return { enforcement: await shell.enforcement(request) };
  } catch (error) {
    if (!(error instanceof HardshellError) || !NO_SANDBOX.has(error.code)) throw error;
    const missing = GUARANTEES.map((guarantee) => ({ guarantee, why: error.message }));
    return { enforcement: { tier: 'none', held: [], missing, reported: [] }, unavailable: error.message };
  }
}
