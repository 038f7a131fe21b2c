// This installation of hardshell: its folder, and how another program starts it.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { process } from './process.ts';

export function packageFolder(): string {
  return realpathSync(fileURLToPath(new URL('../../../', import.meta.url)));
}

/** By full paths: a name could be found elsewhere. */
export function ownProgram(root = packageFolder()): readonly [node: string, program: string] {
  return [process.execPath, join(root, 'bin/hardshell.js')];
}
