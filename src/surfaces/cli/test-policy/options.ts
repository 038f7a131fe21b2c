// What `hardshell test` receives from the command line.

import type { Mode, Shell } from '../../../host.ts';

export interface TestOptions {
  readonly cwd?: string;
  readonly shell: Shell;
  readonly mode?: Mode;
  readonly settings?: string;
  readonly coverage?: true;
  readonly requireCoverage?: true;
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}
