// Python testers, linters, formatters and servers: rows of data.
// Tools that load plugins or settings as code from the project are never read-only; those with a cache only
// without it.

import type { CommandFamily } from './spec.ts';
import { helped, INSTALLS, named, runner } from './tool-rows.ts';

const PYTEST_FLAGS =
  '-x --exitfirst -q --quiet -v --verbose -s -l --showlocals --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only --pdb --trace --no-header --no-summary --cov --no-cov --strict-markers --strict-config --durations-min --fixtures --markers --cache-clear --version -V -h --help --doctest-modules --disable-warnings --runxfail --setup-show --setup-plan';

const testers: CommandFamily = {
  // conftest.py runs before --version or --help is handled.
  pytest: runner('run Python tests', '', {
    flags: PYTEST_FLAGS,
    values:
      '-k -m --tb -n --numprocesses --maxfail --durations -W --color --timeout --cov-report --dist -r --import-mode --ignore --deselect --capture --log-cli-level --cov-fail-under --reruns',
    options: {
      '-p': 'library',
      '-c --config-file --confcutdir': 'hook',
      '-o --override-ini': 'hook',
      '--rootdir': 'read',
      '--junitxml --junit-xml --report-log --html --log-file --debug': 'write',
      '--basetemp': 'write/',
    },
    operands: 'read*',
    examples: {
      readOnly: [],
      notReadOnly: [
        'pytest',
        'pytest -q tests',
        'pytest --version',
        'pytest --collect-only',
        'pytest -p x',
        'pytest -c x.ini',
      ],
    },
  }),
  'py.test': 'pytest',
  // toxfile.py is loaded at startup.
  tox: runner('run Python tests in environments', '', {
    examples: { readOnly: [], notReadOnly: ['tox', 'tox -e py', 'tox --version', 'tox -l'] },
  }),
  nox: runner('run Python sessions', '--version', {
    does: INSTALLS,
    examples: { readOnly: ['nox --version'], notReadOnly: ['nox', 'nox -l', 'nox -f x.py'] },
  }),
  coverage: runner('measure code coverage', '', {
    style: 'none',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['coverage run a.py', 'coverage report', 'coverage html'] },
  }),
  ruff: {
    summary: 'lint and format Python',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '-V --version -h --help -q --quiet -v --verbose -s --silent --isolated',
    options: { '--config': 'read' },
    subcommands: {
      check: helped('lint Python', 'read', {
        flags:
          '--no-cache -n --diff --fix --fix-only --unsafe-fixes --no-fix --no-unsafe-fixes --show-fixes --no-show-fixes --preview --no-preview --statistics --show-files --show-settings -e --exit-zero --exit-non-zero-on-fix --isolated -q --quiet -v --verbose -s --silent --respect-gitignore --no-respect-gitignore --force-exclude --ignore-noqa',
        optional: '--add-noqa',
        values:
          '--output-format --select --ignore --extend-select --extend-ignore --per-file-ignores --target-version --exclude --extend-exclude --fixable --unfixable --extend-fixable --line-length --stdin-filename --extension',
        options: { '-o --output-file': 'write', '--config': 'read', '--cache-dir': 'write/', '-w --watch': '+unknown' },
        operands: 'read/*',
        variants: [{ has: '--fix --fix-only --add-noqa', operands: 'edit/*', does: 'change', class: 'write' }],
        program: 'ruff',
      }),
      format: helped('format Python', 'write', {
        flags:
          '--check --diff --no-cache -n --preview --no-preview --isolated -q --quiet -v --verbose -s --silent --respect-gitignore --force-exclude',
        values: '--target-version --exclude --line-length --stdin-filename --range --extension',
        options: { '--config': 'read', '--cache-dir': 'write/' },
        operands: 'edit/*',
        does: 'change',
        variants: [{ has: '--check --diff', operands: 'read/*', class: 'read' }],
      }),
      ...named(
        'rule config linter version help',
        helped('print facts about ruff', 'read', { flags: '--all', values: '--output-format', operands: 'value*' }),
      ),
      clean: helped('remove caches', 'delete', { operands: 'value*', does: 'change' }),
      ...named(
        'server analyze',
        helped('serve an editor or print imports', 'execute', { operands: 'value*', does: 'execute' }),
      ),
    },
    examples: {
      readOnly: [
        'ruff --version',
        'ruff check --no-cache --no-fix .',
        'ruff check -n --diff src',
        'ruff check --show-files',
        'ruff rule E501',
        'ruff linter',
      ],
      notReadOnly: [
        'ruff check',
        'ruff check .',
        'ruff check --no-cache .',
        'ruff check --no-fix .',
        'ruff check -n --diff --add-noqa',
        'ruff check --fix --no-cache',
        'ruff check --no-cache --add-noqa',
        'ruff format',
        'ruff format --check',
        'ruff check -n -o f .',
        'ruff clean',
        'ruff .',
      ],
    },
  },
  black: {
    ...helped(
      'format Python',
      'write',
      {
        flags:
          '--check --diff --color --no-color -q --quiet -v --verbose -S --skip-string-normalization -C --skip-magic-trailing-comma --fast --safe --preview --unstable --pyi --ipynb --no-cache',
        values:
          '-l --line-length -t --target-version --include --exclude --extend-exclude --force-exclude --stdin-filename -W --workers --required-version --line-ranges --enable-unstable-feature',
        options: { '--config': 'read', '-c --code': 'value' },
        operands: 'edit/*',
        does: 'change',
        // --check stores clean files in the user's cache; --diff does not.
        variants: [
          { has: '--diff', operands: 'read/*', does: '', class: 'read' },
          { has: '--check', operands: 'read/*', class: 'read' },
        ],
      },
      '--version -h --help',
    ),
    examples: {
      readOnly: ['black --version', 'black --diff a.py', 'black --diff --check src'],
      notReadOnly: ['black .', 'black --check .', 'black -q a.py', 'black -'],
    },
  },
  isort: {
    ...helped(
      'sort Python imports',
      'write',
      {
        flags:
          '-c --check --check-only -d --stdout --df --diff -q --quiet -v --verbose --only-modified --show-files --show-settings --color',
        values: '--profile -l --line-length --skip -s --skip-glob --src -p --project -m --multi-line --py --filename',
        optional: '-j --jobs',
        options: { '--sp --settings-path --settings-file --settings': 'read' },
        operands: 'edit/*',
        variants: [
          {
            has: '-c --check --check-only --df --diff -d --stdout --show-files --show-settings',
            operands: 'read/*',
            class: 'read',
          },
        ],
      },
      '-V --version --vn --version-number -h --help',
    ),
    examples: {
      readOnly: ['isort --check .', 'isort -c a.py', 'isort --diff a.py', 'isort --version'],
      notReadOnly: ['isort .', 'isort a.py', 'isort --overwrite-in-place a.py'],
    },
  },
  // Local plugins and an init-hook in the project's settings are code.
  flake8: runner('lint Python', '', {
    flags: '-q --quiet -v --verbose --count --statistics --show-source --version -h --help --exit-zero --isolated',
    values:
      '--max-line-length --select --ignore --extend-ignore --exclude --extend-exclude --max-complexity --format -j --jobs --per-file-ignores',
    options: { '--config --append-config': 'hook', '--output-file --tee': 'write' },
    operands: 'read/*',
    examples: { readOnly: [], notReadOnly: ['flake8', 'flake8 --version', 'flake8 --config x src'] },
  }),
  pylint: runner('lint Python', '', {
    flags: '-E --errors-only -v --verbose --version -h --help --exit-zero',
    optional: '-r --reports -s --score',
    values:
      '--disable -d --enable -e -f --output-format -j --jobs --ignore --ignore-patterns --max-line-length --fail-under --msg-template',
    options: { '--init-hook': 'code', '--load-plugins': 'library', '--rcfile': 'hook', '--output': 'write' },
    operands: 'read/*',
    examples: { readOnly: [], notReadOnly: ['pylint src', "pylint --init-hook='x()' a", 'pylint --version'] },
  }),
  mypy: runner('check Python types; its settings name plugins', '-V --version -h --help', {
    flags:
      '--strict --ignore-missing-imports --no-incremental --show-error-codes --pretty --install-types --non-interactive --namespace-packages --explicit-package-bases --check-untyped-defs --no-color-output --no-error-summary --show-column-numbers --disallow-untyped-defs --warn-unused-ignores',
    values:
      '-p --package -m --module --python-version --platform --follow-imports --exclude --enable-error-code --disable-error-code',
    options: {
      '-c --command': 'value',
      '--config-file': 'hook',
      '--python-executable': 'program',
      '--cache-dir --html-report --junit-xml --txt-report': 'write',
    },
    operands: 'read/*',
    does: 'change execute',
    examples: {
      readOnly: ['mypy --version', 'mypy -V'],
      notReadOnly: ['mypy .', 'mypy --strict src', 'mypy --python-executable ./x a.py'],
    },
  }),
  pyright: runner('check Python types; it starts the Python of the project', '', {
    flags: '--outputjson --stats --verbose --warnings -w --watch --version -h --help',
    values: '--pythonversion --pythonplatform --level',
    options: { '-p --project': 'read', '--pythonpath': 'program', '--createstub': 'change' },
    operands: 'read/*',
    does: 'change network execute',
    examples: { readOnly: [], notReadOnly: ['pyright', 'pyright --version', 'pyright --pythonpath ./x'] },
  }),
  pyflakes: {
    ...helped('check Python for mistakes', 'read', { operands: 'read/*' }, '--version -h --help'),
    examples: {
      readOnly: ['pyflakes a.py', 'pyflakes src', 'pyflakes --version'],
      notReadOnly: ['pyflakes --fix a.py'],
    },
  },
};

const servers: CommandFamily = {
  'django-admin': runner('administer a Django project', '', {
    examples: { readOnly: [], notReadOnly: ['django-admin migrate', 'django-admin shell -c x'] },
  }),
  flask: runner('run a Flask application', '', {
    options: { '-A --app': 'library', '-e --env-file': 'hook' },
    style: 'posix',
    examples: { readOnly: [], notReadOnly: ['flask run', 'flask --app x run'] },
  }),
  gunicorn: runner('serve a Python application', '-v --version', {
    style: 'posix',
    options: {
      '-c --config': 'library',
      '-b --bind': 'change',
      '-w --workers': 'value',
      '-k --worker-class': 'library',
      '--chdir': 'chdir',
      '--pid -p --log-file --access-logfile': 'write',
    },
    does: 'change execute',
    examples: { readOnly: ['gunicorn --version'], notReadOnly: ['gunicorn app:app', 'gunicorn -c x.py app'] },
  }),
  uvicorn: runner('serve a Python application', '--version', {
    flags: '--reload',
    values: '--port --workers --log-level',
    options: { '--host': 'change', '--app-dir': 'read', '--env-file': 'hook', '--log-config': 'hook' },
    does: 'change execute',
    examples: { readOnly: ['uvicorn --version'], notReadOnly: ['uvicorn app:app --reload'] },
  }),
  celery: runner('run Celery workers', '', { examples: { readOnly: [], notReadOnly: ['celery -A x worker'] } }),
  alembic: runner('migrate a database', '--version -h --help', {
    style: 'posix',
    options: { '-c --config': 'hook' },
    does: 'change execute network',
    flags: '--raiseerr',
    examples: {
      readOnly: ['alembic --version'],
      notReadOnly: ['alembic upgrade head', 'alembic current', 'alembic -c x history'],
    },
  }),
};

export const pythonTools: CommandFamily = { ...testers, ...servers };
