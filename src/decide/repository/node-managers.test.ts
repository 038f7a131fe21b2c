// pnpm and yarn: which commands only print, and which files in the project change that.

import { expect, test } from 'vitest';
import { subjectOf } from '../../../test/deciding/subject.ts';
import type { ExampleWith } from '../check.ts';
import { isReadOnlyOnDisk } from './node-managers.ts';

const P = '/home/u/project';

function answers(example: ExampleWith): readonly boolean[] {
  const subject = subjectOf(example);
  return subject.facts.commands
    .filter(({ name }) => name === 'pnpm' || name === 'yarn')
    .map((command) => isReadOnlyOnDisk(command, subject));
}

test.each([
  'pnpm ls',
  'pnpm list --depth 0 --json',
  'pnpm ls -r 2>/dev/null',
  'pnpm why react',
  'pnpm why @scope/pkg',
  'pnpm root',
  'pnpm bin',
  'pnpm --version',
  'cd src && pnpm ls',
  'timeout 5 pnpm ls',
  'yarn --version',
  'yarn -v',
  'yarn list',
  'yarn why react',
  'yarn config get registry',
  'yarn config list',
])('%s only prints', (command) => {
  expect(answers({ command })).toEqual([true]);
});

test.each([
  'pnpm',
  'pnpm install',
  'pnpm run ls',
  'pnpm build',
  'pnpm outdated',
  'pnpm --dir ../x ls',
  'pnpm -C ../x ls',
  'pnpm ls --pnpmfile ./x.cjs',
  'pnpm --config.pnpmfile=./x.cjs ls',
  'pnpm ls --global-pnpmfile=x',
  'pnpm ls "$X"',
  'pnpm $X',
  'pnpm ls > out',
  'pnpm --version ls',
  'npm_config_pnpmfile=x pnpm ls',
  'export npm_config_pnpmfile=x; pnpm ls',
  'NODE_OPTIONS=--require=./x pnpm ls',
  'cd "$X" && pnpm ls',
  'sudo pnpm ls',
  'yarn',
  'yarn build',
  'yarn why --cwd ../x react',
  'yarn config set registry x',
  'yarn config get',
  'yarn config delete x',
  'yarn --use-yarnrc x list',
  'YARN_YARN_PATH=x yarn list',
  'yarn info react',
])('%s does not count as read-only', (command) => {
  expect(answers({ command })).toEqual([false]);
});

test.each([
  ['pnpm ls', { [`${P}/.pnpmfile.cjs`]: '' }],
  ['pnpm ls', { '/home/u/.pnpmfile.cjs': '' }],
  ['pnpm ls', { '/home/.pnpmfile.cjs': '' }],
  ['cd src && pnpm ls', { [`${P}/.pnpmfile.cjs`]: '', [`${P}/src/a`]: '' }],
  ['pnpm --version', { [`${P}/.pnpmfile.mjs`]: '' }],
  ['pnpm ls', { [`${P}/.npmrc`]: 'pnpmfile=./x.js' }],
  ['pnpm ls', { [`${P}/.npmrc`]: 'save-exact=true\r global-pnpmfile=./x.js' }],
  ['pnpm ls', { [`${P}/.npmrc`]: 'registry=https://x.example' }],
  ['pnpm ls', { [`${P}/.npmrc`]: 'save-exact=true\nnode-options=--require ./x' }],
  ['pnpm ls', { '/home/u/.npmrc': 'global-pnpmfile=/x' }],
  ['pnpm ls', { '/home/u/.config/pnpm/rc': 'global-pnpmfile=/x' }],
  ['pnpm ls', { [`${P}/pnpm-workspace.yaml`]: 'packages:\n  - a\nconfigDependencies:\n  x: 1\n' }],
  ['pnpm ls', { [`${P}/pnpm-workspace.yaml`]: '{pnpmfile: x}' }],
  ['pnpm ls', { [`${P}/package.json`]: '{"packageManager": "pnpm@https://x.example/p.tgz"}' }],
  ['pnpm ls', { [`${P}/package.json`]: '{broken' }],
  ['pnpm ls', { [`${P}/package.json`]: '{"packageManager": "pnpm@9.1.0"}' }],
  ['yarn --version', { [`${P}/package.json`]: '{"packageManager": "yarn@4.1.0"}' }],
  ['yarn --version', { [`${P}/.corepack.env`]: 'COREPACK_NPM_REGISTRY=http://x.example\n' }],
  ['pnpm ls', { [`${P}/package.json`]: { link: 'folder' }, [`${P}/folder/a`]: '' }],
  ['yarn --version', { [`${P}/.yarnrc.yml`]: 'yarnPath: .yarn/releases/yarn.cjs' }],
  ['yarn --version', { [`${P}/.yarnrc.yml`]: 'nodeLinker: pnp\n"plugins":\n  - x' }],
  ['yarn list', { [`${P}/.yarnrc.yml`]: '  yarnPath: x\n' }],
  ['yarn list', { [`${P}/.yarnrc.yml`]: '--- {yarnPath: x}\n' }],
  ['yarn list', { [`${P}/.yarnrc.yml`]: 'nodeLinker: pnp\n? yarnPath\n: x\n' }],
  ['yarn list', { [`${P}/.yarnrc`]: 'yarn-path "./x.js"' }],
  ['yarn list', { '/home/u/.yarnrc.yml': 'yarnPath: /x' }],
  ['yarn list', { [`${P}/package.json`]: '{"scripts": {"list": "rm -rf x"}}' }],
  ['yarn why x', { [`${P}/.pnp.cjs`]: '' }],
] as const)('%s with %j is not', (command, files) => {
  expect(answers({ command, files })).toEqual([false]);
});

test.each([
  ['pnpm ls', { [`${P}/.npmrc`]: '# c\nsave-exact=true\nnode-linker = hoisted\n' }],
  ['pnpm ls', { [`${P}/pnpm-workspace.yaml`]: 'packages:\n  - a/*\n- b\n' }],
  [
    'pnpm ls',
    {
      [`${P}/package.json`]: '{"packageManager": "pnpm@9.1.0", "scripts": {"build": "x"}}',
      '/home/u/.cache/node/corepack/v1/pnpm/9.1.0/x': '',
    },
  ],
  ['yarn list', { [`${P}/.yarnrc.yml`]: 'nodeLinker: node-modules\n' }],
  ['yarn list', { '/home/u/.yarnrc': 'lastUpdateCheck 1700000000000\n' }],
] as const)('%s with %j still is', (command, files) => {
  expect(answers({ command, files })).toEqual([true]);
});

test('without a disk nothing counts as read-only', () => {
  expect(answers({ command: 'pnpm ls', context: { probe: null } })).toEqual([false]);
});
