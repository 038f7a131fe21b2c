// Linters, counters, task runners, environment managers and nix: rows of data.
// A file with tasks or rules for a tool is code if the tool can start programs from it.

import type { CommandFamily } from './spec.ts';
import { helped, INSTALLS, informs, launcher, named, runner, sub } from './tool-rows.ts';

const linters: CommandFamily = {
  shellcheck: {
    ...helped(
      'check shell scripts',
      'read',
      {
        flags: '-a --check-sourced -x --external-sources --list-optional --norc -V --version',
        values: '-e --exclude -i --include -f --format -o --enable -s --shell -S --severity -W --wiki-link-count',
        optional: '-C --color',
        options: { '-P --source-path --rcfile': 'read' },
        operands: 'read*',
      },
      '--help',
    ),
    examples: {
      readOnly: [
        'shellcheck a.sh',
        'shellcheck -x -f json a.sh',
        'shellcheck -',
        'shellcheck --version',
        'shellcheck -s bash -e SC1091 a b',
      ],
      notReadOnly: ['shellcheck --fix a.sh'],
    },
  },
  shfmt: {
    ...sub('format shell scripts', 'read', {
      style: 'words',
      flags:
        '-d --diff -l --list -f --find -s --simplify -mn --minify -w --write -bn --binary-next-line -ci --case-indent -sr --space-redirects -kp --keep-padding -fn --func-next-line -tojson --to-json -fromjson --from-json -version --version -h --help -p --posix --apply-ignore -exp.recover',
      values: '-i --indent -ln --language-dialect -filename --filename',
      operands: 'read/*',
      variants: [{ has: '-w --write', operands: 'edit/*', does: 'change', class: 'write' }],
    }),
    examples: {
      readOnly: ['shfmt -d a.sh', 'shfmt -l .', 'shfmt a.sh', 'shfmt -i 2 -ci a.sh', 'shfmt --version'],
      notReadOnly: ['shfmt -w a.sh', 'shfmt -l -w .', 'shfmt --write a.sh', 'shfmt --out x a.sh'],
    },
  },
  hadolint: {
    ...helped('check Dockerfiles', 'read', {
      flags: '-v --version --no-fail --no-color -V --verbose --strict-labels --disable-ignore-pragma',
      values:
        '-f --format --ignore --trusted-registry --require-label -t --failure-threshold --error --warning --info --style --file-path-in-report',
      options: { '-c --config': 'read' },
      operands: 'read*',
    }),
    examples: {
      readOnly: ['hadolint Dockerfile', 'hadolint --version', 'hadolint -'],
      notReadOnly: ['hadolint --fix Dockerfile'],
    },
  },
  yamllint: {
    ...helped('check YAML', 'read', {
      flags: '-v --version -s --strict --no-warnings --list-files',
      values: '-f --format -d --config-data',
      options: { '-c --config-file': 'read' },
      operands: 'read/*',
    }),
    examples: {
      readOnly: ['yamllint .', 'yamllint -f parsable a.yml', 'yamllint -'],
      notReadOnly: ['yamllint --fix a.yml'],
    },
  },
  // Its configuration may be JavaScript.
  ...named(
    'markdownlint markdownlint-cli2',
    runner('check Markdown', '-V --version -h --help', {
      flags: '-f --fix -q --quiet -j --json -s --stdin',
      values: '--disable --enable --ignore -i',
      options: { '-c --config -r --rules': 'library', '-o --output': 'write', '-p --ignore-path': 'read' },
      operands: 'read/*',
      examples: {
        readOnly: ['markdownlint --version'],
        notReadOnly: ['markdownlint .', 'markdownlint --fix a.md', 'markdownlint -r ./x.js a.md'],
      },
    }),
  ),
  actionlint: {
    ...sub('check GitHub workflows', 'read', {
      style: 'words',
      flags: '-color -no-color -oneline -verbose -debug -version -h -help',
      values: '-format -ignore -stdin-filename',
      options: { '-config-file': 'read', '-shellcheck -pyflakes': 'program', '-init-config': '+change' },
      operands: 'read*',
    }),
    examples: {
      readOnly: ['actionlint', 'actionlint -oneline a.yml', 'actionlint -version'],
      notReadOnly: ['actionlint -shellcheck=./x', 'actionlint -init-config'],
    },
  },
  taplo: {
    ...sub('check and format TOML', 'read', { style: 'posix', flags: '-V --version -h --help' }),
    subcommands: {
      ...named(
        'lint check validate',
        helped('check TOML; schemas are fetched', 'network', {
          flags: '--no-schema',
          operands: 'read*',
          does: 'network',
          variants: [{ has: '--no-schema', does: '', class: 'read' }],
        }),
      ),
      ...named(
        'format fmt',
        helped('format TOML', 'write', {
          flags: '--check --diff',
          values: '-o --option',
          operands: 'edit*',
          does: 'change',
          variants: [{ has: '--check', operands: 'read*', does: '', class: 'read' }],
        }),
      ),
    },
    examples: { readOnly: ['taplo --version', 'taplo fmt --check a.toml'], notReadOnly: ['taplo fmt a.toml'] },
  },
  tokei: {
    ...helped('count lines of code', 'read', {
      flags:
        '-f --files -C --compact --hidden -l --languages --no-ignore --no-ignore-parent --no-ignore-dot --no-ignore-vcs -V --version -v --verbose',
      values: '-e --exclude -o --output -s --sort -r --rsort -t --types --type -c --columns -n --num-format',
      options: { '-i --input': 'read' },
      operands: 'read/*',
    }),
    examples: { readOnly: ['tokei', 'tokei src -o json', 'tokei --version'], notReadOnly: ['tokei --write x'] },
  },
  cloc: {
    ...helped(
      'count lines of code',
      'read',
      {
        flags:
          '--by-file --by-file-by-lang --json --csv --xml --yaml --md --quiet --hide-rate --fullpath --skip-uniqueness --sum-one --no-recurse --version --follow-links --autoconf',
        values:
          '--exclude-dir --exclude-ext --exclude-lang --include-lang --include-ext --match-d --not-match-d --match-f --not-match-f --max-file-size --timeout --processes --progress-rate --csv-delimiter',
        options: {
          '--exclude-list-file --read-lang-def --force-lang-def': 'read',
          '--list-file': 'unknown',
          '--out --report-file --ignored --counted --found --categorized --sql --write-lang-def': 'write',
          '--strip-comments --strip-code': 'change',
          '--extract-with --vcs': 'program',
          '--git --diff --git-diff-rel --git-diff-all --unicode --config': '+unknown',
        },
        operands: 'read/*',
        program: 'cloc',
      },
      '--help -h',
    ),
    examples: {
      readOnly: ['cloc .', 'cloc src --by-file --json', 'cloc --exclude-dir=node_modules .', 'cloc src/*.ts'],
      notReadOnly: [
        "cloc --extract-with='id' .",
        'cloc --out=f .',
        "cloc 'x$(id).tar.gz'",
        'cloc --strip-comments=nc .',
        'cloc *',
        'cloc --config x .',
      ],
    },
  },
  scc: {
    ...helped('count lines of code', 'read', {
      flags:
        '--by-file --no-cocomo --no-complexity -c -w --wide --ci -z --min -m --minified --no-gen --gen --no-large --no-duplicates -d --uloc -u --dryness -a -v --verbose --version --no-gitignore --no-ignore --include-symlinks --no-size',
      values:
        '-f --format -i --include-ext -x --exclude-ext --exclude-dir -n --not-match -M --exclude-file -s --sort --large-line-count --large-byte-count --avg-wage --size-unit --cocomo-project-type',
      options: { '-o --output': 'write', '--format-multi --sql-project --trace --debug': 'unknown' },
      operands: 'read/*',
    }),
    examples: {
      readOnly: ['scc', 'scc --by-file src', 'scc -f json .'],
      notReadOnly: ['scc -o f .', 'scc --format-multi html:x .'],
    },
  },
};

const tasks: CommandFamily = {
  just: runner('run tasks of a justfile', '-V --version -h --help', {
    style: 'posix',
    flags:
      '-l --list --summary -s --show --dump --variables -n --dry-run -q --quiet -v --verbose -u --unsorted --no-dotenv --yes --unstable --highlight --no-highlight --groups --evaluate --choose --fmt --check --init -e --edit --changelog --man --no-aliases --one --time --timestamp',
    values:
      '-c --command --color --list-heading --list-prefix --dump-format --completions --command-color --timestamp-format',
    options: {
      '-f --justfile': 'read',
      '-d --working-directory': 'chdir',
      '--set': 'unknown',
      '--shell --chooser': 'program',
      '--shell-arg': 'value',
      '--dotenv-path -E': 'read',
    },
    program: 'command-option',
    // The list is printed without evaluating backticks.
    variants: [
      { has: '--evaluate --choose --fmt --init -e --edit -c --command', does: 'change execute' },
      { has: '-l --list --summary --dump --changelog --groups', does: '', operands: '', class: 'list' },
      { has: '-s --show', does: '', operands: 'value', class: 'read' },
    ],
    examples: {
      readOnly: ['just --list', 'just -l', 'just --summary', 'just --show build', 'just --version', 'just -f x --list'],
      notReadOnly: [
        'just',
        'just build',
        'just --evaluate',
        'just --list --evaluate',
        'just -n build',
        'just -c rm x',
        'just --fmt --unstable',
        'just --choose --chooser ./x',
      ],
    },
  }),
  task: runner('run tasks of a Taskfile', '--version -h --help', {
    flags:
      '-l --list -a --list-all -n --dry -f --force -s --silent -v --verbose -w --watch -p --parallel --summary --status -g --global -i --init -y --yes',
    options: { '-t --taskfile': 'file', '-d --dir': 'chdir' },
    examples: { readOnly: ['task --version'], notReadOnly: ['task', 'task --list', 'task build'] },
  }),
  hyperfine: launcher('measure commands', '-V --version -h --help', {
    flags: '-i --ignore-failure -N --show-output',
    values: '-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name --style --sort -u --time-unit',
    options: {
      '-p --prepare -c --cleanup -s --setup -C --conclude': 'shell',
      '-S --shell': 'program',
      '--export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --output': 'write',
      '--input': 'read',
      // They insert other text into the commands.
      '-P --parameter-scan -L --parameter-list -D --parameter-step-size': 'unknown',
      '--reference': 'shell',
    },
    operands: 'shell*',
    examples: {
      readOnly: ['hyperfine --version', "hyperfine 'ls -l'", "hyperfine -w 3 'rg x' 'grep -r x'"],
      notReadOnly: [
        "hyperfine 'rm x'",
        "hyperfine -p 'rm x' ls",
        'hyperfine --export-json f ls',
        "hyperfine -L x a,b 'echo {x}'",
        "hyperfine -S ./x 'ls'",
      ],
    },
  }),
  entr: launcher('run a command when files change', '', {
    style: 'posix',
    flags: '-a -c -d -n -p -r -s -x -z',
    program: 'entr',
    examples: { readOnly: [], notReadOnly: ['entr rm x', "entr -s 'rm x'", 'entr make'] },
  }),
  watchexec: launcher('run a command when files change', '-V --version -h --help', {
    style: 'posix',
    flags:
      '-r --restart -c --clear -n -p --postpone --no-vcs-ignore --no-project-ignore -q --quiet --no-meta -N --notify --poll',
    values:
      '-e --exts -f --filter -i --ignore -d --debounce -s --signal --stop-signal -o --on-busy-update --delay-run --project-origin',
    options: {
      '-w --watch -W --watch-non-recursive': 'read',
      '--shell': 'program',
      '--workdir': 'chdir',
      '-E --env': 'hook',
    },
    program: 'joined-shell',
    examples: {
      readOnly: ['watchexec --version'],
      notReadOnly: ['watchexec rm x', "watchexec 'rm x'", 'watchexec -e ts npm test'],
    },
  }),
  act: runner('run GitHub workflows here', '--version', {
    examples: { readOnly: ['act --version'], notReadOnly: ['act', 'act -l'] },
  }),
  lefthook: runner('run git hooks', '', { examples: { readOnly: [], notReadOnly: ['lefthook run pre-commit'] } }),
  husky: runner('install git hooks', '', { examples: { readOnly: [], notReadOnly: ['husky'] } }),
};

const environments: CommandFamily = {
  direnv: {
    ...sub('load environments of folders', 'neutral', { style: 'posix', flags: '-h --help --version' }),
    subcommands: {
      // The folder's .envrc runs first.
      exec: sub('run a command in an environment', 'execute', {
        style: 'posix',
        operands: 'read command*',
        does: 'execute',
      }),
      ...named('version status', sub('print facts about direnv', 'read', { flags: '--json', operands: 'value*' })),
      ...named(
        'allow permit grant block deny disallow revoke edit reload export hook prune fetchurl stdlib dotenv',
        sub('change or run environments', 'execute', { operands: 'value*', does: 'change execute' }),
      ),
    },
    examples: {
      readOnly: ['direnv status', 'direnv version', 'direnv --version'],
      notReadOnly: ['direnv exec . rm x', 'direnv allow', 'direnv export bash', 'direnv edit'],
    },
  },
  // Settings of a project may contain templates that run programs.
  mise: {
    ...sub('manage tools and environments', 'neutral', {
      style: 'posix',
      flags: '-V --version -h --help -q --quiet -v --verbose -y --yes',
      options: { '-C --cd': 'chdir', '-E --env': 'hook' },
      alone: 'execute',
      variants: [informs('-V --version -h --help')],
    }),
    subcommands: {
      ...named(
        'exec x',
        sub('run a command with tools', 'execute', {
          style: 'posix',
          values: '-j --jobs',
          options: { '-c --command': 'shell', '-C --cd': 'chdir' },
          operands: 'value*',
          does: INSTALLS,
          program: 'after-dashes',
        }),
      ),
      ...named(
        'ls list current where which doctor env settings config tasks ls-remote outdated registry latest plugins bin-paths search',
        sub('describe tools', 'list', {
          flags: '-g --global -c --current -i --installed -J --json -s --shell --no-header -x --extended',
          operands: 'value*',
          does: 'network execute',
        }),
      ),
      ...named(
        'run r watch w install i use u upgrade up uninstall remove unuse set unset trust sync prune link alias self-update activate deactivate shell cache generate reshim implode task',
        sub('change tools or run tasks', 'execute', { style: 'posix', operands: 'value*', does: INSTALLS }),
      ),
      version: sub('print the version', 'network', { operands: '', does: 'fetch' }),
    },
    examples: {
      readOnly: ['mise --version', 'mise version'],
      notReadOnly: [
        'mise exec node@20 -- rm x',
        "mise x -c 'rm x'",
        'mise ls',
        'mise run build',
        'mise install',
        'mise build',
      ],
    },
  },
  asdf: {
    ...sub('manage versions of tools', 'read', { style: 'posix', flags: '--version -v -h --help' }),
    subcommands: {
      exec: sub('run a command with the chosen versions', 'execute', {
        style: 'posix',
        operands: 'command*',
        does: 'execute',
      }),
      ...named(
        'current where info version',
        sub('describe the versions', 'list', { flags: '--no-header', operands: 'value*' }),
      ),
      ...named(
        'list latest which help shimversions env plugin install uninstall global local shell set reshim update cmd',
        sub('change versions or ask plugins', 'execute', { style: 'posix', operands: 'value*', does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: ['asdf --version', 'asdf current', 'asdf where nodejs'],
      notReadOnly: [
        'asdf exec rm x',
        'asdf install',
        'asdf list all nodejs',
        'asdf plugin add x',
        'asdf env node rm x',
      ],
    },
  },
  ...named('pyenv rbenv nodenv goenv jenv tfenv', {
    ...sub('manage versions of a language', 'read', { style: 'posix', flags: '--version -h --help' }),
    subcommands: {
      ...named(
        'version versions version-name root prefix which',
        sub('describe the versions', 'list', { flags: '--bare --nosystem', operands: 'value*' }),
      ),
      exec: sub('run a command with the chosen version', 'execute', {
        style: 'posix',
        operands: 'command*',
        does: 'execute',
      }),
      ...named(
        'install uninstall global local shell rehash init virtualenv virtualenvs activate deactivate update whence commands hooks completions',
        sub('change versions', 'execute', {
          style: 'posix',
          flags: '-l --list -s --skip-existing -f --force',
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['pyenv versions', 'pyenv --version', 'pyenv which python'],
      notReadOnly: ['pyenv install 3.12', 'pyenv exec rm x', 'pyenv global 3.12'],
    },
  }),
  ...named(
    'devbox devenv',
    runner('manage environments', '', {
      style: 'posix',
      does: INSTALLS,
      examples: { readOnly: [], notReadOnly: ['devbox run build', 'devbox shell'] },
    }),
  ),
};

const NIX_FLAGS =
  '-v --verbose -L --print-build-logs --impure --offline --refresh --no-write-lock-file --json --accept-flake-config -i --ignore-environment --no-link --show-trace --quiet';
const NIX_OPTIONS = {
  '-f --file --expr -E': 'code',
  '--option': 'unknown',
  '-I --include': 'value',
  '-o --out-link --profile': 'write',
  '-k --keep': 'value',
  '--extra-experimental-features --experimental-features': 'value',
} as const;

const nixFamily: CommandFamily = {
  nix: {
    ...sub('build and run with Nix', 'neutral', {
      style: 'posix',
      flags: '--version --help -v --verbose --offline',
      values: '--extra-experimental-features --experimental-features',
    }),
    subcommands: {
      ...named(
        'develop shell',
        sub('run a command in an environment', 'execute', {
          flags: NIX_FLAGS,
          options: NIX_OPTIONS,
          values: '-c --command',
          operands: 'value*',
          does: INSTALLS,
          program: 'command-option',
        }),
      ),
      run: sub('run a program of a flake', 'execute', {
        style: 'posix',
        flags: NIX_FLAGS,
        options: NIX_OPTIONS,
        operands: 'value*',
        does: INSTALLS,
      }),
      ...named(
        'build eval flake profile repl search fmt bundle copy store path-info why-depends log registry upgrade-nix hash derivation edit print-dev-env daemon config key nar realisation env help',
        sub('evaluate, build or change', 'execute', {
          style: 'posix',
          flags: NIX_FLAGS,
          options: NIX_OPTIONS,
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['nix --version'],
      notReadOnly: [
        'nix run nixpkgs#hello',
        'nix develop -c rm x',
        'nix shell nixpkgs#jq -c rm x',
        'nix build',
        'nix flake show',
        "nix eval --expr '1'",
      ],
    },
  },
  'nix-shell': runner('run a command in an environment', '--version --help', {
    flags: '--pure -p --packages',
    values: '-A --attr -I',
    options: { '--run --command': 'shell', '-i': 'program', '-E --expr': 'code' },
    operands: 'value*',
    does: INSTALLS,
    examples: {
      readOnly: ['nix-shell --version'],
      notReadOnly: ["nix-shell -p jq --run 'rm x'", 'nix-shell', "nix-shell --command 'rm x'"],
    },
  }),
  ...named(
    'nix-build nix-env nix-store nix-instantiate nix-channel nix-collect-garbage home-manager nixos-rebuild guix',
    runner('build or change with Nix', '--version', {
      style: 'posix',
      does: INSTALLS,
      examples: { readOnly: ['nix-env --version'], notReadOnly: ['nix-env -i x', 'nix-build', 'nix-store --gc'] },
    }),
  ),
};

export const devTools: CommandFamily = { ...linters, ...tasks, ...environments, ...nixFamily };
