// Python and its package managers: rows of data.
// Building a package runs its code; uv, poetry and pipenv start the .venv/bin/python they find in the project.

import { pythonTools } from './python-tools.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, joined, named, runner, sub } from './tool-rows.ts';

const PIP_FLAGS =
  '-v --verbose -q --quiet --isolated --no-input --disable-pip-version-check --no-color --no-python-version-warning --require-virtualenv --no-cache-dir';
const PIP_VALUES = '--timeout --retries --exists-action --trusted-host --use-feature --use-deprecated';
const PIP_OPTIONS = {
  '--python': 'program',
  '--keyring-provider': 'hook',
  '--log --log-file --local-log': 'write',
  '--proxy': 'url',
  '--cert --client-cert': 'read',
  '--cache-dir': 'write/',
  '--index-url --pypi-url --extra-index-url --find-links': 'url',
} as const;

function pipRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return helped(summary, kind, {
    operands: 'value*',
    ...parts,
    flags: joined(PIP_FLAGS, parts.flags),
    values: joined(PIP_VALUES, parts.values),
    options: { ...PIP_OPTIONS, ...parts.options },
  });
}

const UV_FLAGS =
  '-q --quiet -v --verbose --no-color --offline --no-cache -n --no-config --no-progress --native-tls --frozen --locked --isolated --no-sync --active --all-extras --no-dev --dev --system --all-packages --no-project --exact --managed-python --no-managed-python --upgrade -U --reinstall --no-editable --refresh';
const UV_VALUES =
  '--color --python-preference --extra --group --only-group --no-group --package --with-editable --index-strategy --upgrade-package -P --resolution --prerelease --exclude-newer --link-mode --depth -d --prune --invert --format';
const UV_OPTIONS = {
  '--directory': 'chdir',
  '--project': 'read',
  '-p --python': 'program',
  '--config-file --env-file': 'hook',
  '--cache-dir': 'write/',
  '-i --index-url --default-index --index --extra-index-url': 'url',
  '--with': 'value',
  '--with-requirements': 'read',
} as const;

function uvRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return helped(summary, kind, {
    flags: UV_FLAGS,
    values: UV_VALUES,
    options: UV_OPTIONS,
    operands: 'value*',
    does: INSTALLS,
    ...parts,
  });
}

const CONDA_FLAGS =
  '-h --help --json -q --quiet -v --verbose -y --yes --offline --no-default-packages --override-channels -C --use-index-cache --no-deps --freeze-installed --all --dry-run -d';
const CONDA_PLACE = { '-p --prefix': 'read', '-n --name': 'value', '--channel': 'value' } as const;

function condaRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return sub(summary, kind, {
    operands: 'value*',
    ...parts,
    flags: joined(CONDA_FLAGS, parts.flags),
    options: { ...CONDA_PLACE, ...parts.options },
  });
}

const pythonRow: CommandSpec = {
  summary: 'run Python',
  class: 'neutral',
  style: 'none',
  operands: 'value*',
  program: 'python',
  examples: {
    readOnly: ['python3 --version', 'python -V', 'python3 -VV', 'python3 -h', 'python3.12 --version'],
    notReadOnly: [
      'python3',
      'python3 -',
      'python3 a.py',
      "python3 -c 'x()'",
      "python3 -uc 'x()'",
      'python3 -m json.tool f',
      'python3 -m pip list',
      'python3 -m http.server',
      'python3 a.py --version',
      "python3 -c 'x()' -V",
      'python3 -i',
    ],
  },
};

const interpreters: CommandFamily = {
  ...named(
    'python python2 python2.7 python3 python3.6 python3.7 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3',
    pythonRow,
  ),
  ipython: runner('run Python interactively', '', {
    style: 'posix',
    flags: '-i --no-banner --quick --version -V',
    options: { '-c': 'code', '-m': 'hook', '--ext --config': 'library' },
    operands: 'file value*',
    variants: [{ has: '-c -m', operands: 'value*' }],
    examples: { readOnly: [], notReadOnly: ['ipython', "ipython -c 'x()'", 'ipython a.py'] },
  }),
  jupyter: runner('work with notebooks', '', {
    style: 'none',
    examples: { readOnly: [], notReadOnly: ['jupyter lab', 'jupyter nbconvert --execute a.ipynb'] },
  }),
};

const packages: CommandFamily = {
  pip: {
    summary: 'manage Python packages',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: `${PIP_FLAGS} -V --version -h --help`,
    values: PIP_VALUES,
    options: PIP_OPTIONS,
    subcommands: {
      list: pipRow('list installed packages', 'list', {
        flags:
          '-o --outdated -u --uptodate -e --editable -l --local --user --pre --not-required --include-editable --exclude-editable',
        values: '--format --exclude',
        options: { '--path': 'read' },
        operands: '',
        variants: [{ has: '-o --outdated -u --uptodate', does: 'fetch', class: 'network' }],
      }),
      show: pipRow('show installed packages', 'read', { flags: '-f --files' }),
      freeze: pipRow('list installed packages as requirements', 'list', {
        flags: '-l --local --user --all --exclude-editable',
        values: '--exclude',
        options: { '-r --requirement': 'read', '--path': 'read' },
        operands: '',
      }),
      check: pipRow('check installed packages', 'read', { operands: '' }),
      inspect: pipRow('describe installed packages', 'read', {
        flags: '--local --user',
        options: { '--path': 'read' },
        operands: '',
      }),
      debug: pipRow('describe the installation', 'read', { operands: '' }),
      hash: pipRow('print checksums of archives', 'read', { values: '-a --algorithm', operands: 'read*' }),
      help: pipRow('show help', 'neutral'),
      completion: pipRow('print shell completions', 'read', { flags: '-b --bash -z --zsh -f --fish', operands: '' }),
      index: pipRow('ask the package index', 'network', {
        subcommands: {
          versions: pipRow('list versions of a package', 'network', { flags: '--pre --json', does: 'fetch' }),
        },
      }),
      search: pipRow('search the package index', 'network', { does: 'fetch' }),
      config: pipRow('read or change settings', 'read', {
        flags: '--user --global --site',
        subcommands: {
          ...named('get list debug', pipRow('print settings', 'read', { flags: '--user --global --site' })),
          ...named(
            'set unset',
            pipRow('change settings', 'write', { flags: '--user --global --site', does: 'change' }),
          ),
          edit: pipRow('edit settings', 'execute', { does: 'change execute', options: { '--editor': 'program' } }),
        },
      }),
      cache: pipRow('look after the cache', 'read', {
        subcommands: {
          ...named('dir info list', pipRow('describe the cache', 'list', { values: '--format' })),
          ...named('remove purge', pipRow('empty the cache', 'write', { does: 'change' })),
        },
      }),
      // Source distributions are built, which runs their code, even for `download` and `--dry-run`.
      ...named(
        'install uninstall download wheel lock',
        pipRow('change the installed packages', 'execute', {
          flags:
            '-U --upgrade --user --pre --no-deps --force-reinstall -y --yes --dry-run --no-build-isolation --ignore-installed -I --prefer-binary --break-system-packages --no-index --require-hashes --no-clean',
          values:
            '--upgrade-strategy --no-binary --only-binary --platform --python-version --implementation --abi --progress-bar --config-settings --root-user-action',
          options: {
            '-i -f': 'url',
            '-r --requirement -c --constraint': 'read',
            '-e --editable': 'hook',
            '-t --target -d --dest --prefix --root -w --wheel-dir --src': 'write/',
            '--report': 'write',
          },
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: [
        'pip --version',
        'pip list',
        'pip list --outdated --format=json',
        'pip show requests',
        'pip freeze',
        'pip check',
        'pip index versions flask',
        'pip config list',
        'pip cache dir',
        'pip install --help',
        'pip help',
      ],
      notReadOnly: [
        'pip install x',
        'pip install -r r.txt',
        'pip install --dry-run x',
        'pip uninstall -y x',
        'pip download x',
        'pip config set a b',
        'pip config edit',
        'pip cache purge',
        'pip --log f list',
        'pip list --log f',
        'pip --python ./x list',
      ],
    },
  },
  pip3: 'pip',
  uv: {
    summary: 'manage Python packages with uv',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: `${UV_FLAGS} -V --version -h --help`,
    options: UV_OPTIONS,
    values: '--color',
    subcommands: {
      run: helped('run a command in the project', 'execute', {
        style: 'posix',
        flags: joined(UV_FLAGS, '-s --script --gui-script'),
        values: UV_VALUES,
        options: { ...UV_OPTIONS, '-m --module': 'hook' },
        operands: 'command*',
        does: INSTALLS,
        variants: [
          { has: '-m --module', operands: 'value*' },
          { has: '-s --script --gui-script', operands: 'file value*' },
        ],
      }),
      tool: sub('run or install tools', 'neutral', {
        subcommands: {
          run: uvRow('run a tool that is fetched', 'execute', {
            style: 'posix',
            options: { ...UV_OPTIONS, '--from': 'value' },
            program: 'package-runner',
          }),
          ...named(
            'list dir',
            uvRow('list installed tools', 'list', {
              flags: '--show-paths --show-version-specifiers --show-with --bin',
              does: 'execute',
            }),
          ),
          ...named('install uninstall upgrade update-shell', uvRow('change the installed tools', 'execute')),
        },
      }),
      pip: sub('the commands of pip', 'neutral', {
        subcommands: {
          // It starts the interpreter found in the project's .venv.
          ...named(
            'list show freeze check tree',
            uvRow('list installed packages', 'list', {
              flags: joined(UV_FLAGS, '--editable -e --outdated --strict --show-version-specifiers --files -f'),
              values: joined(UV_VALUES, '--exclude'),
              does: 'execute',
            }),
          ),
          ...named(
            'install uninstall sync compile',
            uvRow('change the installed packages', 'execute', {
              options: {
                ...UV_OPTIONS,
                '-r --requirements': 'read',
                '-o --output-file': 'write',
                '-t --target --prefix': 'write/',
                '-e --editable': 'hook',
              },
            }),
          ),
        },
      }),
      // It locks first, which may build packages.
      tree: uvRow('show the tree of packages', 'list'),
      ...named(
        'sync add remove lock export init venv build publish python cache self version format',
        uvRow('change the project or its packages', 'execute', {
          options: { ...UV_OPTIONS, '-o --output-file': 'write', '-r --requirements': 'read', '--out-dir': 'write/' },
        }),
      ),
      help: helped('show help', 'neutral', { operands: 'value*' }),
    },
    examples: {
      readOnly: ['uv --version', 'uv help', 'uv sync --help', 'uv'],
      notReadOnly: [
        'uv run pytest',
        'uv run rm x',
        'uv pip list',
        'uv pip install x',
        'uv tree',
        'uv sync',
        'uv add x',
        'uv tool run ruff',
        'uv python install 3.12',
        'uv run --script a.py',
      ],
    },
  },
  uvx: runner('run a Python tool that is fetched', '-V --version -h --help', {
    style: 'posix',
    flags: UV_FLAGS,
    values: UV_VALUES,
    options: { ...UV_OPTIONS, '--from': 'value' },
    does: INSTALLS,
    program: 'package-runner',
    examples: { readOnly: ['uvx --version'], notReadOnly: ['uvx ruff check', 'uvx --from x y', 'uvx black@24 .'] },
  }),
  // Plugins required by the project are loaded before any argument is parsed.
  poetry: {
    ...sub('manage a Python project with poetry', 'execute', {
      style: 'posix',
      flags:
        '-h --help -q --quiet -V --version --ansi --no-ansi -n --no-interaction --no-plugins --no-cache -v --verbose',
      options: { '-C --directory -P --project': 'chdir' },
      alone: 'execute',
    }),
    subcommands: {
      run: sub('run a command in the project', 'execute', { style: 'posix', operands: 'command*', does: 'execute' }),
      ...named(
        'show check about env search list help',
        sub('describe the project', 'list', {
          flags: '--tree -t --latest -l --outdated -o --all -a --no-dev --json',
          values: '--only --with --without',
          operands: 'value*',
          does: 'network execute',
        }),
      ),
      ...named(
        'install update add remove lock build publish init new config cache self shell source version export sync python',
        sub('change the project', 'execute', {
          flags: '--no-root --no-dev --dry-run --all-extras --sync -s --short --unset --list --local',
          values: '-G --group -E --extras --only --with --without -f --format',
          options: { '-o --output': 'write' },
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: [],
      notReadOnly: [
        'poetry',
        'poetry --version',
        'poetry show',
        'poetry run rm x',
        'poetry install',
        'poetry env info',
      ],
    },
  },
  pipenv: {
    summary: 'manage a Python project with pipenv',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: '--version -h --help',
    options: { '--venv --py --where --envs --support --man --rm --bare --clear': '+unknown', '--python': 'program' },
    subcommands: {
      run: sub('run a command in the project', 'execute', { style: 'posix', operands: 'command*', does: 'execute' }),
      ...named(
        'install uninstall lock sync update upgrade clean shell check graph verify requirements scripts open',
        sub('change or describe the project', 'execute', {
          flags: '-d --dev --deploy --pre --system --ignore-pipfile',
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['pipenv --version'],
      notReadOnly: ['pipenv run rm x', 'pipenv install', 'pipenv graph', 'pipenv --rm'],
    },
  },
  pipx: {
    summary: 'install and run Python applications',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '--version -h --help -q --quiet -v --verbose --global',
    subcommands: {
      // Unless disabled, it first updates the shared libraries.
      list: helped('list installed applications', 'list', {
        flags: '--json --short --include-injected --skip-maintenance',
        operands: '',
        does: 'change network',
        variants: [{ has: '--skip-maintenance', does: '' }],
      }),
      environment: helped('print settings', 'read', { values: '-V --value', operands: '' }),
      run: helped('run an application that is fetched', 'execute', {
        style: 'posix',
        flags: '--no-cache --system-site-packages',
        values: '--spec --pip-args',
        options: { '--python': 'program', '-i --index-url': 'url' },
        operands: 'value*',
        does: INSTALLS,
        program: 'package-runner',
      }),
      ...named(
        'install install-all uninstall uninstall-all upgrade upgrade-all upgrade-shared inject uninject reinstall reinstall-all ensurepath runpip interpreter pin unpin',
        helped('change installed applications', 'execute', {
          flags: '-f --force --include-deps',
          values: '--suffix --pip-args',
          options: { '--python': 'program' },
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: ['pipx list --skip-maintenance', 'pipx --version', 'pipx environment'],
      notReadOnly: ['pipx list', 'pipx run cowsay', 'pipx install x', 'pipx ensurepath', 'pipx runpip x list'],
    },
  },
  conda: {
    summary: 'manage conda environments',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '-V --version -h --help -q --quiet --no-rc',
    subcommands: {
      list: condaRow('list installed packages', 'list', {
        flags: '-f --full-name -e --export --explicit --md5 --no-pip --show-channel-urls -r --revisions -c --canonical',
      }),
      info: condaRow('describe the installation', 'read', { flags: '-e --envs --base', operands: '' }),
      search: condaRow('search packages', 'network', {
        flags: '-i --info --envs',
        values: '--platform --subdir',
        // A name, or an address.
        options: { '-c --channel': 'remote-read' },
        does: 'fetch',
      }),
      env: condaRow('look after environments', 'list', {
        subcommands: {
          list: condaRow('list environments', 'list', { operands: '' }),
          export: condaRow('print an environment', 'read', {
            flags: '--no-builds --from-history',
            values: '-c',
            options: { '-f --file': 'write' },
            operands: '',
          }),
          ...named(
            'create update remove config',
            condaRow('change environments', 'execute', {
              values: '-c',
              options: { '-f --file': 'read' },
              does: INSTALLS,
            }),
          ),
        },
      }),
      config: condaRow('read or change settings', 'write', {
        flags: '--system --env --show --show-sources --describe --validate',
        options: {
          '--file': 'edit',
          '--append --prepend --add --set --remove --remove-key': 'change',
          '--get': 'value?',
        },
        does: 'change',
        variants: [{ has: '--show --show-sources --describe', does: '', class: 'read' }],
      }),
      run: condaRow('run a command in an environment', 'execute', {
        style: 'posix',
        flags: '--no-capture-output --live-stream --dev --debug-wrapper-scripts',
        options: { '--cwd': 'chdir' },
        operands: 'command*',
        does: 'execute',
      }),
      ...named(
        'create install update upgrade remove uninstall clean activate deactivate init package build rename compare doctor notices self shell',
        condaRow('change environments', 'execute', { values: '-c', options: { '-f --file': 'read' }, does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: [
        'conda --version',
        'conda list',
        'conda env list',
        'conda info --envs',
        'conda search numpy',
        'conda config --show',
      ],
      notReadOnly: [
        'conda install x',
        'conda run -n e rm x',
        'conda create -n e',
        'conda config --set a b',
        'conda env export -f e.yml',
        'conda config --show --set a b',
        'conda activate e',
      ],
    },
  },
  mamba: 'conda',
  micromamba: 'conda',
  virtualenv: runner('create a virtual environment', '--version', {
    flags: '--clear --system-site-packages --copies -q',
    options: { '-p --python': 'program' },
    operands: 'write/*',
    does: INSTALLS,
    examples: { readOnly: ['virtualenv --version'], notReadOnly: ['virtualenv v', 'virtualenv -p ./x v'] },
  }),
};

export const python: CommandFamily = { ...interpreters, ...packages, ...pythonTools };
