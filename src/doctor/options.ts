// Options of a diagnosis.

import type { ConfineBackend } from '../confine/backends/backend.ts';
import type { SandboxName } from '../core/confinement.ts';

export interface DiagnoseOptions {
  /** Absolute; the folder whose settings apply. Default: the current folder. */
  readonly cwd?: string;
  readonly settingsFile?: string;
  /** The sandbox to test. Default: the one of the settings, or `workspace`. */
  readonly sandbox?: SandboxName;
  /** Simulates a machine without user namespaces. */
  readonly allowNamespaces?: boolean;
  /** Another backend than the keeper; its plans are tested, with the keeper or Node as runner. */
  readonly backend?: ConfineBackend;
  /** Where the keeper was built, if not in the package. */
  readonly nativeFolder?: string;
}
