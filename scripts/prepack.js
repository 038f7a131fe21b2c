// Before `npm pack`: dist/ is current, and has the keeper for every machine for which a compiler is installed.
// A missing compiler is reported, but is not a failure: on such a machine the Node runner is used.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildNative } from './build-native.js';
import { ready, root } from './ready.js';

const ARCHITECTURES = ['x64', 'arm64'];

ready();
for (const arch of ARCHITECTURES.filter((name) => name !== process.arch)) {
  const folder = join(root, `dist/native/linux-${arch}`);
  const built = buildNative(folder, { arch });
  if (built.ok) {
    process.stderr.write(`hardshell: the keeper for linux-${arch} was built with ${built.compiler}\n`);
    continue;
  }
  rmSync(folder, { recursive: true, force: true });
  if (!built.isMissing) throw new Error(`building the keeper for linux-${arch} failed:\n${built.reason}`);
  process.stderr.write(
    `hardshell: the package has no keeper for linux-${arch} (${built.reason || 'no known compiler'})\n`,
  );
}
