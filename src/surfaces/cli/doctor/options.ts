// What `hardshell doctor` receives from the command line.

import type { SandboxName } from '../../../host.ts';

/** Duplicated here, so that naming the options does not load everything. */
export const SANDBOX_NAMES = ['restricted', 'workspace', 'unrestricted'] as const satisfies readonly SandboxName[];

export interface DoctorOptions {
  readonly sandbox?: SandboxName;
  readonly cwd?: string;
  readonly settings?: string;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}
