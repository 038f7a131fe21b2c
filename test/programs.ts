// The programs that tests start: hardshell itself, and the hosts that test/setup.js makes, which use the library.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BIN = join(ROOT, 'bin/hardshell.js');

/** test/NAME/host.js as one file. */
export function hostProgram(name: 'approving' | 'running' | 'sandboxed'): string {
  return join(ROOT, '.cache/hosts', `${name}.mjs`);
}
