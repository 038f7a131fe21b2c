// JavaScript checkers, testers, bundlers and version managers: rows of data.
// Most load their configuration as code or start the copy installed in the project, and so always run code.

import type { CommandFamily } from './spec.ts';
import { helped, INSTALLS, informs, named, runner, sub } from './tool-rows.ts';

const tools: CommandFamily = {
  tsc: {
    // Even with --noEmit it writes a .tsbuildinfo file if the configuration sets `incremental`.
    ...helped('check and compile TypeScript', 'write', {
      flags:
        '-v --version --noEmit --strict --skipLibCheck --pretty --listFiles --listFilesOnly --showConfig --all --declaration -d --emitDeclarationOnly --incremental --verbose --dry --explainFiles --traceResolution --noEmitOnError --esModuleInterop --allowJs --checkJs --resolveJsonModule --sourceMap --diagnostics --extendedDiagnostics --composite --stopBuildOnErrors',
      values:
        '--target -t --module -m --moduleResolution --lib --jsx --types --rootDir --baseUrl --typeRoots --locale --moduleDetection',
      options: {
        '-p --project': 'read',
        '--init --build -b --clean --force --watch -w': '+change',
        '--outFile --tsBuildInfoFile --generateCpuProfile': 'write',
        '--outDir --declarationDir --generateTrace': 'write/',
      },
      operands: 'read*',
      does: 'change',
      variants: [
        informs('-v --version'),
        { has: '--showConfig --listFilesOnly', does: '', operands: '', class: 'read' },
      ],
    }),
    examples: {
      readOnly: ['tsc --version', 'tsc -v', 'tsc --showConfig', 'tsc -p tsconfig.json --listFilesOnly', 'tsc --help'],
      notReadOnly: [
        'tsc',
        'tsc --noEmit',
        'tsc -b',
        'tsc --init',
        'tsc --listFilesOnly --generateTrace t',
        'tsc @args',
      ],
    },
  },
  eslint: runner('lint JavaScript; its configuration is code', '-v --version', {
    flags:
      '--quiet --no-eslintrc --no-config-lookup --no-ignore --no-inline-config --stdin --color --no-color --debug --env-info --no-error-on-unmatched-pattern --report-unused-disable-directives --exit-on-fatal-error --pass-on-no-patterns',
    values:
      '--ext --env --global --rule --ignore-pattern --max-warnings --stdin-filename --fix-type --parser-options --concurrency --print-config --flag',
    options: {
      '--fix --fix-dry-run': '+change',
      '--cache --init': '+change',
      '--cache-location --cache-file': 'write',
      '-o --output-file': 'write',
      '-c --config -f --format --parser --rulesdir --plugin --resolve-plugins-relative-to': 'library',
      '--ignore-path': 'read',
    },
    operands: 'read/*',
    examples: {
      readOnly: ['eslint --version'],
      notReadOnly: [
        'eslint .',
        'eslint --fix src',
        'eslint -f ./x.js src',
        'eslint --rulesdir r src',
        'eslint -o f src',
      ],
    },
  }),
  prettier: runner('format files; its configuration and plugins are code', '--version', {
    flags:
      '-c --check -l --list-different -w --write -u --ignore-unknown --no-config --no-editorconfig --no-semi --single-quote --use-tabs --cache --no-color --color --with-node-modules --no-error-on-unmatched-pattern --support-info -h --help',
    values:
      '--parser --print-width --tab-width --trailing-comma --end-of-line --prose-wrap --log-level --loglevel --stdin-filepath --arrow-parens --config-precedence --find-config-path --file-info --cache-strategy',
    options: {
      '--config --plugin --plugin-search-dir': 'library',
      '--ignore-path': 'read',
      '--cache-location': 'write',
    },
    operands: 'read/*',
    variants: [{ has: '-w --write', operands: 'edit/*' }],
    examples: {
      readOnly: ['prettier --version'],
      notReadOnly: ['prettier --check .', 'prettier a.js', 'prettier -w .', 'prettier --plugin=./x.js a.js'],
    },
  }),
  biome: {
    summary: 'lint and format with Biome',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '-V --version -h --help',
    subcommands: {
      ...named(
        'check lint format ci',
        helped('check files', 'read', {
          flags:
            '--staged --changed --verbose --error-on-warnings --skip-errors --vcs-enabled --write --fix --unsafe --apply --apply-unsafe --suppress',
          optional:
            '--colors --json-formatter-enabled --linter-enabled --formatter-enabled --files-ignore-unknown --no-errors-on-unmatched',
          values:
            '--reporter --max-diagnostics --diagnostic-level --only --skip --since --log-level --log-kind --stdin-file-path --indent-style --indent-width --line-width --quote-style --files-max-size --reason',
          options: {
            '--config-path': 'read',
            '--reporter-file --log-file --log-path': 'write',
            '--use-server': '+unknown',
          },
          operands: 'read/*',
          variants: [
            {
              has: '--write --fix --apply --apply-unsafe --suppress',
              operands: 'edit/*',
              does: 'change',
              class: 'write',
            },
          ],
        }),
      ),
      ...named('explain version rage help', helped('print facts about Biome', 'read', { operands: 'value*' })),
      search: helped('search code', 'search', { options: { '--config-path': 'read' }, operands: 'value read/*' }),
      ...named(
        'init migrate start stop lsp-proxy upgrade clean',
        helped('change settings or the server', 'write', {
          flags: '--write --jsonc',
          operands: 'value*',
          does: 'change',
        }),
      ),
    },
    examples: {
      readOnly: [
        'biome --version',
        'biome check .',
        'biome lint src --reporter=json',
        'biome format src',
        'biome ci',
        'biome explain noVar',
      ],
      notReadOnly: [
        'biome check --write .',
        'biome check --fix',
        'biome format --write a.js',
        'biome init',
        'biome migrate --write',
        'biome check --reporter-file=x .',
      ],
    },
  },
  // jest and webpack start the copy installed in the project, for any arguments.
  jest: runner('run JavaScript tests', '', {
    flags:
      '-v --version --watch --watchAll --coverage --ci --verbose --silent --bail -b --runInBand -i --passWithNoTests --no-cache --listTests --findRelatedTests -u --updateSnapshot --detectOpenHandles --forceExit --onlyChanged -o --showConfig --clearCache --colors --runTestsByPath --json --no-coverage --logHeapUsage',
    values:
      '-t --testNamePattern --testPathPattern --testPathPatterns --maxWorkers -w --testTimeout --selectProjects --shard --reporters --env --testPathIgnorePatterns --rootDir',
    options: {
      '-c --config --setupFiles --setupFilesAfterEnv --globalSetup --runner --resolver --transform': 'library',
      '--outputFile --coverageDirectory --cacheDirectory': 'write',
    },
    examples: {
      readOnly: [],
      notReadOnly: ['jest', 'jest --version', 'jest --listTests', 'jest -t name', 'jest --config ./x.js'],
    },
  }),
  vitest: runner('run JavaScript tests', '-v --version', {
    flags:
      '--watch -w --run --ui --silent --passWithNoTests -u --update --no-watch --browser --globals --dom --no-color --typecheck --no-isolate --hideSkippedTests',
    optional: '--bail --coverage --changed',
    values:
      '-t --testNamePattern --reporter --project --pool --shard --environment --testTimeout --maxWorkers --mode -m --exclude --maxConcurrency --retry',
    options: { '-c --config': 'library', '-r --root --dir': 'chdir', '--outputFile': 'write' },
    examples: {
      readOnly: ['vitest --version'],
      notReadOnly: ['vitest', 'vitest run', 'vitest list', 'vitest run -t name src'],
    },
  }),
  // It loads .mocharc.js before it parses --version.
  mocha: runner('run JavaScript tests', '', {
    flags:
      '-b --bail --recursive --exit -p --parallel -w --watch -c --color --dry-run --check-leaks --full-trace -i --invert -V --version -h --help --forbid-only',
    values: '-g --grep -f --fgrep -t --timeout -s --slow --spec --ignore -u --ui -j --jobs --extension --retries',
    options: {
      '-r --require --file --config -R --reporter --import --loader': 'library',
      '-O --reporter-option': 'hook',
    },
    examples: { readOnly: [], notReadOnly: ['mocha', 'mocha --version', 'mocha -r ./x test'] },
  }),
  playwright: runner('run browser tests', '-V --version', {
    examples: {
      readOnly: ['playwright --version'],
      notReadOnly: ['playwright test', 'playwright install', 'playwright codegen x.org'],
    },
  }),
  cypress: runner('run browser tests', '', { examples: { readOnly: [], notReadOnly: ['cypress run'] } }),
  vite: runner('build or serve a web application', '-v --version', {
    flags: '-h --help --strictPort --force --watch --emptyOutDir -d --debug',
    optional: '--host --open --sourcemap --minify --manifest',
    values: '--port -m --mode -l --logLevel --base --target --ssr',
    options: { '-c --config': 'library', '--outDir': 'write/' },
    examples: { readOnly: ['vite --version'], notReadOnly: ['vite', 'vite build', 'vite preview', 'vite -c ./x.js'] },
  }),
  webpack: runner('bundle JavaScript', '', {
    flags: '-v --version --watch -w --json -j --progress --no-color',
    values: '--mode --target --env --node-env --devtool --entry',
    options: { '-c --config': 'library', '-o --output-path': 'write/' },
    examples: { readOnly: [], notReadOnly: ['webpack', 'webpack --version', 'webpack -c x.js', 'webpack serve'] },
  }),
  rollup: runner('bundle JavaScript', '-v --version', {
    flags: '-w --watch --silent -h --help',
    optional: '-c --config',
    values: '-f --format -n --name -e --external --environment',
    options: { '-p --plugin': 'library', '-o --file': 'write', '-d --dir': 'write/', '-i --input': 'read' },
    examples: { readOnly: ['rollup --version'], notReadOnly: ['rollup -c', 'rollup -p ./x.js -i a.js', 'rollup a.js'] },
  }),
  esbuild: {
    ...helped('bundle or transform JavaScript', 'read', {
      flags:
        '--version --bundle --minify --minify-whitespace --minify-identifiers --minify-syntax --splitting --keep-names --ignore-annotations --preserve-symlinks --allow-overwrite',
      optional: '--color --sourcemap --tree-shaking --analyze',
      values:
        '--format --platform --target --loader --log-level --log-limit --charset --jsx --global-name --main-fields --conditions --resolve-extensions --drop --packages --legal-comments --sourcefile',
      options: {
        '--outfile --metafile --mangle-cache': 'write',
        '--outdir': 'write/',
        '--serve --watch': '+change',
        '--servedir': 'read/',
        '--tsconfig --inject': 'read',
      },
      operands: 'read*',
    }),
    examples: {
      readOnly: ['esbuild --version', 'esbuild a.ts', 'esbuild a.ts --bundle --platform=node'],
      notReadOnly: [
        'esbuild a.ts --outfile=a.js',
        'esbuild a.ts --bundle --outdir=dist',
        'esbuild --serve',
        'esbuild a.ts --metafile=m.json',
      ],
    },
  },
  next: runner('build or serve a Next.js application', '-v --version', {
    examples: { readOnly: ['next --version'], notReadOnly: ['next build', 'next dev', 'next lint'] },
  }),
  // Both start the copy installed in the project, for any arguments.
  turbo: runner('run tasks of a monorepo', '', {
    examples: { readOnly: [], notReadOnly: ['turbo run build', 'turbo --version'] },
  }),
  nx: runner('run tasks of a monorepo', '', {
    examples: { readOnly: [], notReadOnly: ['nx build app', 'nx --version', 'nx graph'] },
  }),
  lerna: runner('run tasks of a monorepo', '', { examples: { readOnly: [], notReadOnly: ['lerna run build'] } }),
  nodemon: runner('run a program again when files change', '-v --version', {
    style: 'posix',
    flags: '-q --quiet -V --verbose -I --no-stdin -L --legacy-watch',
    values: '-w --watch -e --ext -i --ignore -d --delay -s --signal',
    options: { '-x --exec': 'shell', '-r --require': 'library', '--config': 'hook' },
    operands: 'file value*',
    examples: { readOnly: ['nodemon --version'], notReadOnly: ['nodemon app.js', "nodemon -x 'rm x'"] },
  }),
  concurrently: runner('run several commands side by side', '-v --version -h --help', {
    style: 'posix',
    flags: '-k --kill-others --kill-others-on-fail -r --raw -g --group --no-color --hide',
    values:
      '-n --names -c --prefix-colors -p --prefix -m --max-processes -s --success -l --prefix-length --restart-tries',
    operands: 'shell*',
    examples: { readOnly: ['concurrently --version'], notReadOnly: ["concurrently 'npm:watch' 'rm x'"] },
  }),
  ...named(
    'c8 nyc',
    runner('run a command and measure coverage', '', {
      style: 'posix',
      flags: '--all --check-coverage --clean --silent -s --instrument',
      values: '-r --reporter --include -x --exclude --lines -n --src --cwd --functions --branches',
      options: {
        '--reports-dir -o --report-dir --temp-directory -t --temp-dir': 'write/',
        '-c --config --nycrc-path --require -i': 'library',
      },
      operands: 'command*',
      examples: { readOnly: [], notReadOnly: ['c8 node a.js', 'nyc rm x'] },
    }),
  ),
  'cross-env': {
    summary: 'run a command with other variables',
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program: 'env',
    examples: { readOnly: ['cross-env LANG=C ls'], notReadOnly: ['cross-env NODE_ENV=test rm x'] },
  },
  ...named(
    'ng gulp grunt parcel astro nuxt remix storybook ava tap stylelint svelte-check vue-tsc vue-cli-service expo react-native tsup swc babel size-limit changeset semantic-release np serve http-server pm2 forever',
    runner('run JavaScript code of the project', '', {
      examples: { readOnly: [], notReadOnly: ['gulp', 'ng build', 'pm2 start a.js'] },
    }),
  ),
  knip: runner('find unused code; its configuration is code', '', {
    examples: { readOnly: [], notReadOnly: ['knip'] },
  }),
  corepack: runner('choose package managers', '-v --version', {
    does: INSTALLS,
    examples: {
      readOnly: ['corepack --version'],
      notReadOnly: ['corepack enable', 'corepack prepare pnpm@9', 'corepack yarn'],
    },
  }),
};

const nodeVersions: CommandFamily = {
  nvm: {
    summary: 'switch between versions of Node.js',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '--version -v -h --help',
    subcommands: {
      ...named(
        'ls list current which',
        sub('list installed versions', 'list', { flags: '--no-colors --no-alias --silent', operands: 'value*' }),
      ),
      ...named(
        'ls-remote list-remote version-remote',
        sub('list versions that can be installed', 'network', {
          flags: '--no-colors',
          optional: '--lts',
          operands: 'value*',
          does: 'fetch',
        }),
      ),
      ...named('version help', sub('print facts about the installation', 'read', { operands: 'value*' })),
      exec: sub('run a command with another Node.js', 'execute', {
        style: 'posix',
        flags: '--silent --lts',
        operands: 'value*',
        does: 'execute',
        program: 'versioned-command',
      }),
      run: sub('run a file with another Node.js', 'execute', {
        style: 'posix',
        flags: '--silent --lts',
        operands: 'value*',
        does: 'execute',
      }),
      ...named(
        'use install uninstall alias unalias reinstall-packages install-latest-npm deactivate unload cache set-colors',
        sub('change the versions', 'execute', {
          flags: '--default --silent --save -s -b',
          optional: '--lts --reinstall-packages-from',
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['nvm ls', 'nvm current', 'nvm --version', 'nvm ls-remote --lts', 'nvm which 20'],
      notReadOnly: ['nvm use 20', 'nvm install --lts', 'nvm exec 20 rm x', 'nvm run 20 app.js', 'nvm alias default 20'],
    },
  },
  fnm: {
    summary: 'switch between versions of Node.js',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '--version -V -h --help',
    values: '--log-level',
    options: { '--fnm-dir --multishell-path': 'unknown' },
    subcommands: {
      ...named('list ls current', helped('list installed versions', 'list', { operands: '' })),
      ...named(
        'list-remote ls-remote',
        helped('list versions that can be installed', 'network', {
          flags: '--lts --latest',
          values: '--filter --sort',
          operands: '',
          does: 'fetch',
        }),
      ),
      exec: helped('run a command with another Node.js', 'execute', {
        style: 'posix',
        values: '--using',
        operands: 'command*',
        does: 'execute',
      }),
      ...named(
        'use install uninstall default alias unalias env',
        helped('change the versions', 'execute', {
          flags: '--use-on-cd --lts --latest --install-if-missing',
          values: '--shell',
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['fnm list', 'fnm current', 'fnm --version', 'fnm ls-remote'],
      notReadOnly: ['fnm use 20', 'fnm env', 'fnm exec --using=20 rm x', 'fnm install 20'],
    },
  },
  volta: {
    summary: 'switch between versions of Node.js tools',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '--version -v --verbose --quiet -h --help',
    subcommands: {
      ...named(
        'list ls',
        helped('list installed tools', 'list', {
          flags: '-c --current -d --default',
          values: '--format',
          operands: 'value*',
        }),
      ),
      which: helped('print the path of a tool', 'read', { operands: 'value' }),
      run: helped('run a command with other versions', 'execute', {
        style: 'posix',
        flags: '--bundled-npm --no-yarn --no-pnpm',
        values: '--node --npm --yarn --pnpm',
        options: { '--env': 'hook' },
        operands: 'command*',
        does: 'execute network',
      }),
      ...named(
        'install uninstall pin fetch setup',
        helped('change the versions', 'execute', { flags: '-f --force', operands: 'value*', does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: ['volta list', 'volta --version', 'volta which node'],
      notReadOnly: ['volta install node', 'volta run --node 20 rm x', 'volta pin node@20'],
    },
  },
};

export const javascriptTools: CommandFamily = { ...tools, ...nodeVersions };
