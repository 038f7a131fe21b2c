// Perl, Ruby, PHP, Lua, R, Julia, Tcl and their package managers: rows of data.
// A Gemfile is Ruby code and composer loads plugins of the project, so bundle and composer always run code.

import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, named, runner, sub } from './tool-rows.ts';

function walked(summary: string, program: string, examples: CommandSpec['examples']): CommandSpec {
  return { summary, class: 'neutral', style: 'none', operands: 'value*', program, examples };
}

const perlRow: CommandSpec = walked('run Perl', 'perl', {
  readOnly: ['perl -v', 'perl -h'],
  notReadOnly: [
    "perl -e 'x'",
    "perl -ne 'print' f",
    "perl -lane 'print' f",
    "perl -pi -e 's/a/b/' f",
    "perl -pie 's/a/b/' f",
    "perl -i.bak -pe 's/a/b/' f",
    'perl a.pl',
    'perl',
    // BEGIN blocks run.
    'perl -c a.pl',
    "perl -M'strict;system(id)' -v",
    'perl -d',
    'perl a.pl -v',
    'perl -x f',
  ],
});

const rubyRow: CommandSpec = walked('run Ruby', 'ruby', {
  readOnly: ['ruby --version', 'ruby -v'],
  notReadOnly: [
    "ruby -e 'x'",
    'ruby a.rb',
    'ruby',
    'ruby -v a.rb',
    "ruby -pi -e 'x' f",
    'ruby -r ./x --version',
    'ruby -c a.rb',
  ],
});

const ruby: CommandFamily = {
  ruby: rubyRow,
  jruby: rubyRow,
  irb: runner('run Ruby interactively', '-v --version -h --help', {
    style: 'posix',
    flags: '-f',
    options: { '-r': 'library', '-I': 'read' },
    operands: 'file*',
    examples: { readOnly: ['irb --version'], notReadOnly: ['irb', 'irb -r ./x'] },
  }),
  gem: {
    summary: 'manage Ruby gems',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '-v --version -h --help',
    subcommands: {
      ...named(
        'list query',
        helped('list gems', 'list', {
          flags:
            '-l --local -a --all -d --details --versions --no-versions -i --installed -q --quiet -V --verbose -r --remote -b --both --prerelease -e --exact',
          values: '-v --version',
          operands: 'value*',
          variants: [{ has: '-r --remote -b --both', does: 'fetch', class: 'network' }],
        }),
      ),
      ...named(
        'info specification which contents dependency environment env help stale',
        helped('describe gems', 'read', {
          flags: '-l --local -a --all -d --details -i -e --exact -q --quiet -p --pipe',
          values: '-v --version',
          operands: 'value*',
        }),
      ),
      ...named(
        'search outdated',
        helped('ask the gem server', 'network', {
          flags: '-a --all -d --details -e --exact --prerelease -r --remote',
          values: '-v --version',
          operands: 'value*',
          does: 'fetch',
        }),
      ),
      ...named(
        'install i uninstall update cleanup build push yank fetch unpack pristine sources setup signin signout owner exec cert mirror lock rdoc open generate_index rebuild check',
        helped('change gems', 'execute', {
          flags: '-N --no-document --user-install -f --force -a --all -x',
          values: '-v --version',
          options: { '-i --install-dir -n --bindir': 'write/', '-s --source': 'url' },
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: [
        'gem --version',
        'gem list',
        'gem list --local rails',
        'gem env',
        'gem which json',
        'gem search x',
        'gem outdated',
      ],
      notReadOnly: [
        'gem install x',
        'gem build x.gemspec',
        'gem exec x',
        'gem open x',
        'gem sources --add u',
        'gem list --config-file x',
      ],
    },
  },
  bundle: {
    ...sub('manage the gems of a project', 'execute', {
      style: 'posix',
      flags: '-v --version -h --help --verbose --no-color',
      alone: INSTALLS,
    }),
    subcommands: {
      exec: sub('run a command with the gems of the project', 'execute', {
        style: 'posix',
        flags: '--keep-file-descriptors --no-keep-file-descriptors --gemfile',
        operands: 'command*',
        does: 'execute',
      }),
      e: 'exec',
      ...named(
        'list show info outdated check licenses platform env doctor viz config',
        sub('describe the project', 'list', {
          flags: '--paths --path --name-only --local --strict',
          operands: 'value*',
          does: 'network execute',
        }),
      ),
      ...named(
        'install update add remove lock cache package init gem open clean binstubs pristine console plugin version help inject',
        sub('change the project', 'execute', {
          flags: '--local --quiet --deployment --frozen --full-index --all -a',
          values: '-j --jobs --retry --without --with',
          options: { '--path': 'write/', '--gemfile': 'file' },
          operands: 'value*',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: [],
      notReadOnly: [
        'bundle',
        'bundle install',
        'bundle exec rm x',
        'bundle list',
        'bundle --version',
        'bundle config list',
      ],
    },
  },
  bundler: 'bundle',
  rake: runner('run Ruby tasks', '-V --version -h -H --help', {
    flags: '-T --tasks -P --prereqs -n --dry-run -q --quiet -s --silent -t --trace -A --all -m',
    options: {
      '-f --rakefile': 'file',
      '-r --require -R --rakelibdir': 'library',
      '-e --execute -p --execute-print -E --execute-continue': 'code',
    },
    examples: { readOnly: ['rake --version'], notReadOnly: ['rake', 'rake -T', "rake -e 'x'", 'rake -p x'] },
  }),
  ...named(
    'rails rspec rubocop standardrb cucumber thor pry foreman puma jekyll',
    runner('run Ruby code of the project', '', {
      examples: {
        readOnly: [],
        notReadOnly: ['rails test', 'rspec', 'rubocop -a', 'rubocop --version', 'rails --version'],
      },
    }),
  ),
};

const php: CommandFamily = {
  php: walked('run PHP', 'php', {
    readOnly: ['php --version', 'php -v', 'php -l a.php', 'php -m', 'php --ini', 'php --ri json'],
    notReadOnly: [
      "php -r 'x();'",
      'php a.php',
      'php',
      'php -S 0:80',
      'php -i',
      'php -d extension=./x.so -v',
      'php -z ./x.so -v',
      'php -d auto_prepend_file=x -l a.php',
      'php -f a.php',
      'php -c x.ini -v',
      'php a.php -l',
    ],
  }),
  composer: runner('manage PHP packages', '', {
    style: 'posix',
    does: INSTALLS,
    flags: '-V --version -h --help -q --quiet -n --no-interaction --no-plugins --no-scripts',
    options: { '-d --working-dir': 'chdir' },
    examples: {
      readOnly: [],
      notReadOnly: ['composer install', 'composer show', 'composer run x', 'composer exec x', 'composer --version'],
    },
  }),
  ...named(
    'phpunit phpstan psalm artisan pest php-cs-fixer phpcs',
    runner('run PHP code of the project', '', {
      examples: { readOnly: [], notReadOnly: ['phpunit', 'phpstan analyse', 'phpunit --version'] },
    }),
  ),
};

export const scripting: CommandFamily = {
  perl: perlRow,
  ...ruby,
  ...php,
  ...named(
    'lua luajit lua5.1 lua5.2 lua5.3 lua5.4',
    walked('run Lua', 'lua', {
      readOnly: ['lua -v', 'luajit -v'],
      notReadOnly: ['lua a.lua', "lua -e 'x()'", 'lua', 'lua -v a.lua', 'lua -l x -v', 'lua -v -i'],
    }),
  ),
  luarocks: runner('manage Lua packages', '--version', {
    style: 'posix',
    does: INSTALLS,
    examples: { readOnly: ['luarocks --version'], notReadOnly: ['luarocks install x', 'luarocks list'] },
  }),
  luac: runner('compile Lua', '', {
    style: 'none',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['luac a.lua'] },
  }),
  julia: walked('run Julia', 'julia', {
    readOnly: ['julia --version', 'julia -v'],
    notReadOnly: ["julia -e 'x'", 'julia a.jl', 'julia', "julia --project=. -e 'x'", 'julia -L x.jl -v'],
  }),
  Rscript: walked('run R', 'rscript', {
    readOnly: ['Rscript --version'],
    notReadOnly: ["Rscript -e 'x'", 'Rscript a.R'],
  }),
  R: runner('run R', '--version --help', {
    style: 'posix',
    flags:
      '--vanilla --no-save --no-restore --no-echo --quiet -q --slave -s --no-environ --no-site-file --no-init-file',
    options: { '-e': 'code', '-f --file': 'file', '-d --debugger -g --gui': 'program' },
    examples: {
      readOnly: ['R --version'],
      notReadOnly: ['R', "R -e 'x'", 'R CMD INSTALL x', 'R CMD rm x', 'R -f a.R'],
    },
  }),
  ...named(
    'tclsh wish',
    runner('run Tcl', '', {
      style: 'posix',
      operands: 'file value*',
      examples: { readOnly: [], notReadOnly: ['tclsh', 'tclsh a.tcl', 'tclsh --version'] },
    }),
  ),
  expect: runner('run an Expect script', '-v', {
    style: 'posix',
    flags: '-d -i -n -N',
    options: { '-c': 'code', '-f -b': 'file', '-D': 'value' },
    operands: 'file value*',
    examples: {
      readOnly: ['expect -v'],
      notReadOnly: ['expect a.exp', "expect -c 'spawn id'", "expect -v -c 'spawn id'"],
    },
  }),
  ...named(
    'guile racket scheme sbcl clisp gforth octave octave-cli maxima gnuplot swipl prolog raku cpan cpanm prove',
    runner('run code of another language', '', {
      style: 'none',
      examples: {
        readOnly: [],
        notReadOnly: [
          "guile -c 'x'",
          "octave --eval 'x'",
          "gnuplot -e 'system(1)'",
          'cpan x',
          'prove t',
          "sbcl --eval '(x)'",
        ],
      },
    }),
  ),
};
