// The C compilers of this machine: which there are, whether they changed, and what it means when there is none.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILERS } from './build-native.js';

/** Program that installs packages → the command that installs a compiler, with the headers of libc. */
const INSTALL = {
  'apt-get': 'apt install build-essential',
  dnf: 'dnf install gcc glibc-devel',
  apk: 'apk add build-base',
  pacman: 'pacman -S --needed base-devel',
  zypper: 'zypper install gcc glibc-devel',
};

/** Where bubblewrap is taken from: src/confine/backends/bubblewrap.ts. */
const BUBBLEWRAP = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

function findInPath(name) {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** Changes when a compiler is installed, replaced or removed, or when headers come: then a build may succeed. */
export function toolchainKey() {
  const paths = [...COMPILERS.map(findInPath), '/usr/include'];
  return paths.map((path) => `${path} ${path && statSync(path, { throwIfNoEntry: false })?.mtimeMs}`).join('\n');
}

export function hasCompiler() {
  return COMPILERS.some((name) => findInPath(name) !== null);
}

/** `problem`: why there is no keeper, without a full stop. */
export function explainMissingKeeper(problem) {
  const sandbox = BUBBLEWRAP.some((path) => existsSync(path))
    ? [
        'Commands are confined by bubblewrap, which holds less: protected names that do not exist yet can be created,',
        'and it does not notice when another program replaces a hidden or protected file.',
      ]
    : [
        'Nothing confines commands unless bubblewrap is installed: `hardshell run` refuses them, except with',
        '`--sandbox unrestricted`.',
      ];
  const manager = Object.keys(INSTALL).find((name) => findInPath(name) !== null);
  const install = manager === undefined ? 'install a C compiler (cc) and the headers of libc' : INSTALL[manager];
  const fix =
    process.platform === 'linux'
      ? [`To fix it: ${install}`, 'The next `npm start` or `npm run build` then builds the keeper.']
      : [];
  return [
    `${problem}. The keeper, the native program that runs and confines commands, is not built. Without it:`,
    ...sandbox,
    'There are no background tasks and no limits for memory, processes and CPU time. Outside the sandbox, a process',
    'that leaves its process group outlives its command, and commands outlive hardshell when it is killed.',
    '`check`, `explain` and `hook` are not affected. `hardshell doctor` tests every guarantee.',
    ...fix,
  ].join('\n  ');
}
