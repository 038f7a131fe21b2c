// JavaScript runtimes, package managers and tools: rows of data.
// pnpm and yarn load code named by the project (.pnpmfile.cjs, yarnPath, plugins) before they parse their
// arguments, even for `--version` (CVE-2025-59828), so none of their rows are read-only.

import { javascriptTools } from './javascript-tools.ts';
import { npm } from './npm.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, informs, named, runner, sub } from './tool-rows.ts';

const PNPM_FLAGS =
  '-r --recursive -w --workspace-root -s --silent --json --long --parseable -g --global -P --prod -D --dev --no-optional --offline --prefer-offline --frozen-lockfile --no-frozen-lockfile --ignore-scripts --if-present --parallel --stream --no-bail -h --help -v --version --color --no-color --lockfile-only -f --force --shamefully-hoist -E --save-exact -O --save-optional --save-peer --aggregate-output --production';
const PNPM_VALUES =
  '--filter -F --filter-prod --loglevel --reporter --depth --workspace-concurrency --package --allow-build --audit-level';

/** All of pnpm runs the project's pnpmfile; the class is that of the subcommand itself. */
function pnpmRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return sub(summary, kind, {
    flags: PNPM_FLAGS,
    values: PNPM_VALUES,
    options: { '-C --dir --prefix': 'chdir', '--registry': 'url', '--store-dir': 'write/' },
    operands: 'value*',
    does: 'execute',
    ...parts,
  });
}

const YARN_FLAGS =
  '-v --version -h --help -s --silent --json --verbose --offline --prefer-offline --frozen-lockfile --immutable --ignore-scripts --production --prod -D --dev -E --exact -P --peer -O --optional -W --ignore-workspace-root-check --non-interactive --no-progress --all -A --recursive -R -p --parallel -i --interlaced -t --topological -q --quiet --force';
const YARN_VALUES = '--mode --level --depth --pattern --include --exclude --from -j --jobs --network-timeout';

function yarnRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return sub(summary, kind, {
    flags: YARN_FLAGS,
    values: YARN_VALUES,
    options: { '--cwd': 'chdir', '--registry': 'url', '--cache-folder --modules-folder': 'write/' },
    operands: 'value*',
    does: 'execute',
    ...parts,
  });
}

const BUN_OPTIONS = {
  '-e --eval -p --print': 'code',
  '-r --preload --require --import': 'library',
  '--cwd': 'chdir',
  '--env-file': 'read',
  '-c --config': 'hook',
} as const;
const BUN_FLAGS = '--watch --hot --silent -b --bun -i --smol --inspect --if-present -v --version --revision -h --help';

const bunInstalls = helped('change the installed packages', 'execute', {
  flags:
    '-d -D --dev -E --exact -g --global -p --production --frozen-lockfile --no-save -f --force --ignore-scripts --silent --dry-run',
  options: { '--cwd': 'write/', '--registry': 'url' },
  operands: 'value*',
  does: INSTALLS,
});

const packageManagers: CommandFamily = {
  ...npm,
  pnpm: {
    ...pnpmRow('manage Node.js packages with pnpm', 'execute', { style: 'posix', operands: '', alone: 'execute' }),
    subcommands: {
      ...named('list ls ll la why licenses', pnpmRow('list installed packages', 'list')),
      ...named('root bin config c get', pnpmRow('print settings', 'read')),
      set: pnpmRow('change settings', 'write', { does: 'change execute' }),
      ...named(
        'outdated audit view info show search ping whoami',
        pnpmRow('ask the registry', 'network', { does: 'network execute' }),
      ),
      ...named(
        'install i ci add update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune dedupe fetch patch patch-commit patch-remove approve-builds install-test it deploy env setup self-update store publish pack version login logout',
        pnpmRow('change the installed packages', 'execute', { does: INSTALLS }),
      ),
      ...named('run run-script test t start stop restart', pnpmRow('run a script of the package', 'execute')),
      exec: pnpmRow('run a command with the package', 'execute', {
        style: 'posix',
        operands: 'command*',
        // With it the words are joined into shell text.
        options: { '-C --dir': 'chdir', '-c --shell-mode': '+unknown' },
      }),
      ...named(
        'dlx create init',
        pnpmRow('run a command of a package that is fetched', 'execute', {
          style: 'posix',
          does: 'execute network',
          program: 'package-runner',
        }),
      ),
    },
    examples: {
      readOnly: [],
      notReadOnly: [
        'pnpm',
        'pnpm --version',
        'pnpm list',
        'pnpm why react',
        'pnpm i',
        'pnpm dlx degit x',
        'pnpm exec rm -rf x',
        'pnpm -r build',
        'pnpm test',
      ],
    },
  },
  pnpx: {
    ...pnpmRow('run a command of a package that is fetched', 'execute', {
      style: 'posix',
      does: 'execute network',
      program: 'package-runner',
    }),
    examples: { readOnly: [], notReadOnly: ['pnpx cowsay hi'] },
  },
  yarn: {
    ...yarnRow('manage Node.js packages with yarn', 'execute', { style: 'posix', operands: '', alone: INSTALLS }),
    subcommands: {
      ...named('list why licenses', yarnRow('list installed packages', 'list')),
      ...named('bin versions help', yarnRow('print facts about the installation', 'read')),
      ...named('info outdated audit npm', yarnRow('ask the registry', 'network', { does: 'network execute' })),
      config: yarnRow('read or change settings', 'write', { does: 'change execute' }),
      ...named('run test start stop restart', yarnRow('run a script of the package', 'execute')),
      ...named(
        'install add remove upgrade upgrade-interactive up dedupe link unlink import rebuild prune autoclean cache init create set plugin patch patch-commit pack publish version policies generate-lock-entry global check unplug constraints',
        yarnRow('change the installed packages', 'execute', { does: INSTALLS }),
      ),
      exec: yarnRow('run a command with the package', 'execute', { style: 'posix', operands: 'command*' }),
      node: yarnRow('run node with the package', 'execute', { style: 'posix', operands: 'file value*' }),
      dlx: yarnRow('run a command of a package that is fetched', 'execute', {
        style: 'posix',
        does: 'execute network',
        options: { '--package': 'value' },
        program: 'package-runner',
      }),
      ...named('workspace workspaces', yarnRow('run yarn in workspaces', 'execute')),
    },
    examples: {
      readOnly: [],
      notReadOnly: [
        'yarn',
        'yarn --version',
        'yarn list',
        'yarn why x',
        'yarn add x',
        'yarn exec rm x',
        'yarn dlx x',
        'yarn build',
        'yarn npm audit',
      ],
    },
  },
  bun: {
    summary: 'run and manage JavaScript with bun',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: BUN_FLAGS,
    options: BUN_OPTIONS,
    subcommands: {
      run: sub('run a script or file', 'execute', {
        style: 'posix',
        flags: BUN_FLAGS,
        options: BUN_OPTIONS,
        operands: 'file value*',
        does: 'execute',
      }),
      ...named(
        'test build repl init',
        sub('run code of the project', 'execute', {
          flags: BUN_FLAGS,
          options: { ...BUN_OPTIONS, '--outdir --outfile': 'write' },
          operands: 'value*',
          does: 'change execute',
        }),
      ),
      exec: sub('run shell text', 'execute', { operands: 'shell value*' }),
      ...named(
        'x create c',
        sub('run a command of a package', 'execute', {
          style: 'posix',
          flags: '--bun --silent --verbose --no-install',
          values: '-p --package',
          does: 'execute network',
          operands: 'value*',
          program: 'package-runner',
        }),
      ),
      ...named('install i add a remove rm update link unlink patch patch-commit publish upgrade', bunInstalls),
      ...named(
        'outdated audit info',
        helped('ask the registry', 'network', {
          flags: '--json',
          values: '--filter -F --audit-level',
          options: { '--cwd': 'chdir' },
          operands: 'value*',
          does: 'network',
        }),
      ),
      why: helped('say why a package is installed', 'list', { flags: '--top', values: '--depth', operands: 'value*' }),
      pm: sub('look at packages', 'list', {
        subcommands: {
          ls: helped('list installed packages', 'list', { flags: '--all -a', operands: '' }),
          bin: helped('print the folder of executables', 'read', { flags: '-g', operands: '' }),
          hash: helped('print the hash of the lock file', 'read', { operands: '' }),
          'hash-string': helped('print what is hashed', 'read', { operands: '' }),
          whoami: helped('ask the registry', 'network', { does: 'network', operands: '' }),
        },
      }),
    },
    examples: {
      readOnly: ['bun --version', 'bun -v', 'bun pm ls', 'bun why react'],
      notReadOnly: [
        'bun run build',
        'bun x.ts',
        "bun -e 'x()'",
        'bun install',
        'bun test',
        'bun x cowsay',
        "bun exec 'rm x'",
        'bun pm trust x',
        'bun --preload ./x.ts',
      ],
    },
  },
  bunx: runner('run a command of a package, fetched when missing', '', {
    style: 'posix',
    flags: '--bun --silent --verbose --no-install',
    values: '-p --package',
    does: 'execute network',
    program: 'package-runner',
    examples: { readOnly: [], notReadOnly: ['bunx cowsay', 'bunx --bun vite', 'bunx --version'] },
  }),
};

const DENO_RUN = {
  style: 'posix',
  flags:
    '-A --allow-all --allow-sys --allow-ffi --allow-import --watch --unstable --no-check --no-lock --no-remote --no-npm --cached-only -q --quiet --frozen --inspect --inspect-brk --unsafely-ignore-certificate-errors --no-prompt --no-config',
  optional:
    '--allow-read --allow-write --allow-net --allow-env --allow-run --deny-read --deny-write --deny-net --deny-env --deny-run --reload --check --node-modules-dir',
  values: '--location --seed --v8-flags --ext --log-level -L',
  options: { '-c --config': 'hook', '--import-map --env-file --cert --lock': 'read', '--preload --import': 'library' },
} as const;

const runtimes: CommandFamily = {
  node: {
    summary: 'run JavaScript with Node.js',
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program: 'node',
    examples: {
      readOnly: [
        'node --version',
        'node -v',
        'node --help',
        'node --check app.js',
        'node -c app.js',
        'node --v8-options',
      ],
      notReadOnly: [
        'node',
        'node app.js',
        'node -',
        "node -e 'x()'",
        "node -pe 'process.env'",
        "node --eval='x()'",
        'node -r ./x.js --check app.js',
        'node --import ./x.mjs -v2',
        'node --check --require ./x.js app.js',
        'node --cpu-prof --version-x',
        'node --test',
        'node --run build',
        'node inspect app.js',
        'node --env-file=.env app.js',
      ],
    },
  },
  nodejs: 'node',
  tsx: {
    summary: 'run TypeScript with Node.js',
    class: 'execute',
    style: 'none',
    operands: 'value*',
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['tsx a.ts', "tsx -e 'x()'", 'tsx watch a.ts', 'tsx'] },
  },
  'ts-node': runner('run TypeScript with Node.js', '', {
    style: 'posix',
    flags:
      '-p --print --esm -T --transpile-only --files -s --script-mode --swc -i --interactive -v --version -h --help',
    values: '-O --compiler-options -I --ignore -C --compiler -P --project --cwd',
    options: { '-e --eval': 'code', '-r --require': 'library' },
    operands: 'file value*',
    variants: [{ has: '-e --eval', operands: 'value*' }],
    examples: { readOnly: [], notReadOnly: ['ts-node a.ts', "ts-node -e 'x()'", 'ts-node -r ./x a.ts'] },
  }),
  deno: {
    summary: 'run and manage JavaScript with Deno',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: '-V --version -h --help -q --quiet --unstable',
    alone: 'execute',
    variants: [informs('-V --version -h --help')],
    subcommands: {
      ...named(
        'run serve',
        sub('run a program', 'execute', { ...DENO_RUN, operands: 'file value*', does: 'execute network' }),
      ),
      eval: sub('run code', 'execute', { ...DENO_RUN, flags: '-p --print -q --quiet', operands: 'code value*' }),
      ...named(
        'repl jupyter lsp',
        sub('run code interactively', 'execute', { ...DENO_RUN, operands: 'value*', does: 'execute network' }),
      ),
      ...named(
        'test bench lint compile bundle coverage',
        sub('run code of the project', 'execute', {
          ...DENO_RUN,
          style: 'gnu',
          options: { ...DENO_RUN.options, '-o --output': 'write' },
          operands: 'value*',
          does: 'change execute network',
        }),
      ),
      // Alone it lists the tasks.
      task: sub('run a task of the project', 'list', {
        style: 'posix',
        options: { '--cwd': 'chdir', '-c --config': 'hook' },
        operands: 'value*',
        does: 'execute',
        alone: '',
      }),
      ...named(
        'cache install i add remove rm uninstall update outdated upgrade vendor publish init check clean approve-scripts',
        helped('change packages or caches', 'execute', {
          flags: '-g --global -f --force --dev -D --dry-run -q --quiet --all',
          options: { '-c --config': 'hook', '--root': 'write/' },
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
      fmt: helped('format files', 'write', {
        flags: '--check -q --quiet --use-tabs --single-quote --no-semicolons --no-config',
        values: '--line-width --indent-width --ignore --ext --prose-wrap',
        options: { '-c --config': 'read' },
        operands: 'edit/*',
        does: 'change',
        variants: [{ has: '--check', operands: 'read/*', does: '', class: 'read' }],
      }),
      info: helped('show the cache or the imports of a file', 'read', {
        flags: '--json -q --quiet --no-remote',
        does: 'network',
        alone: '',
        operands: 'read*',
      }),
      types: helped('print type declarations', 'read', { operands: '' }),
      completions: helped('print shell completions', 'read', { operands: 'value' }),
      help: helped('show help', 'neutral', { operands: 'value*' }),
    },
    examples: {
      readOnly: [
        'deno --version',
        'deno -V',
        'deno fmt --check src',
        'deno task',
        'deno types',
        'deno info',
        'deno help run',
      ],
      notReadOnly: [
        'deno',
        'deno run a.ts',
        "deno eval 'x()'",
        'deno fmt',
        'deno test',
        'deno task build',
        'deno lint',
        'deno install',
        'deno a.ts',
      ],
    },
  },
};

export const javascript: CommandFamily = { ...packageManagers, ...runtimes, ...javascriptTools };
