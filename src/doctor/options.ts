// What may be asked of a diagnosis.

import type { ConfineBackend } from '../confine/backends/backend.ts';
import type { SandboxName } from '../core/confinement.ts';

export interface DiagnoseOptions {
  /** Absolute; whose settings count. The current folder unless said otherwise. */
  readonly cwd?: string;
  readonly settingsFile?: string;
  /** Which sandbox is tried; otherwise the one of the settings, or `workspace`. */
  readonly sandbox?: SandboxName;
  /** As on a machine without user namespaces. */
  readonly allowNamespaces?: boolean;
  /** Another backend than the keeper; its plans are tried, with the keeper or Node as runner. */
  readonly backend?: ConfineBackend;
  /** Where the keeper was built, if not in the package. */
  readonly nativeFolder?: string;
}
