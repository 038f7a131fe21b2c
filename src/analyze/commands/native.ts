// C and C++ tools, make and similar, debuggers: rows of data, and the families of other compiled languages.
// A makefile or a build description is a program; even a dry run expands `$(shell …)`.

import { devTools } from './dev-tools.ts';
import { otherLanguages } from './other-languages.ts';
import { rustGo } from './rust-go.ts';
import { scripting } from './scripting.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, informs, named, runner, sub } from './tool-rows.ts';

const compilerRow: CommandSpec = {
  summary: 'compile C or C++',
  class: 'read',
  style: 'none',
  operands: 'value*',
  program: 'compiler',
  examples: {
    readOnly: [
      'gcc --version',
      'gcc -v',
      'clang --version',
      'gcc -fsyntax-only -Wall a.c',
      'gcc -E a.c',
      'gcc -dumpmachine',
      'gcc -MM a.c',
      'cc -dumpversion',
      'gcc -print-search-dirs',
    ],
    notReadOnly: [
      'gcc a.c',
      'gcc -c a.c',
      'gcc a.c -o a',
      'gcc -E a.c -oout',
      'gcc -wrapper sh,-c,id -E a.c',
      'gcc -fplugin=./x.so -fsyntax-only a.c',
      'gcc -specs=x -E a.c',
      'gcc -B. -E a.c',
      'gcc @args',
      'gcc -E -Wp,-MD,f a.c',
      'gcc -MD -fsyntax-only a.c',
      'gcc -x c -',
      'clang -cc1 -load ./x.so',
      'clang -Xclang -load -fsyntax-only a.c',
      'gcc -save-temps -E a.c',
      'gcc -fdump-tree-all -fsyntax-only a.c',
    ],
  },
};

const CMAKE_STOPS = '--version --help -h';

const compilers: CommandFamily = {
  ...named('gcc g++ cc c++ clang clang++ c99 c89 tcc', compilerRow),
  ...named(
    'gcc-11 gcc-12 gcc-13 gcc-14 g++-11 g++-12 g++-13 g++-14 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19',
    compilerRow,
  ),
  as: {
    ...helped(
      'assemble',
      'write',
      {
        flags: '-v -g --32 --64 -W --warn',
        options: { '-o': 'write', '-I': 'read', '--MD': 'write' },
        operands: 'read*',
        does: 'change',
      },
      '--version --help',
    ),
    examples: { readOnly: ['as --version'], notReadOnly: ['as a.s', 'as -o a.o a.s'] },
  },
  ld: {
    ...sub('link object files', 'write', {
      style: 'words',
      flags: '--version -v -V --help -shared -static -r -s -pie',
      options: {
        '-o --output -Map': 'write',
        '-plugin --plugin': 'library',
        '-T --script': 'hook',
        '-L -l -e -m -soname': 'change',
      },
      operands: 'read*',
      does: 'change',
      variants: [informs('--version -v -V --help')],
    }),
    examples: { readOnly: ['ld --version', 'ld -v'], notReadOnly: ['ld a.o', 'ld -o a a.o', 'ld -plugin ./x.so a.o'] },
  },
  'clang-format': {
    ...sub('format C and C++', 'read', {
      style: 'words',
      flags:
        '-n --dry-run -dry-run -i --Werror -Werror --version -version --help -help -h --verbose -verbose --dump-config -dump-config --sort-includes -sort-includes --output-replacements-xml --fail-on-incomplete-format',
      values:
        '--style -style --lines -lines --offset -offset --length -length --assume-filename -assume-filename --fallback-style -fallback-style --cursor --qualifier-alignment --ferror-limit',
      options: { '--files -files': 'read' },
      operands: 'read*',
      program: 'response-files',
      variants: [{ has: '-i', operands: 'edit*', does: 'change', class: 'write' }],
    }),
    examples: {
      readOnly: [
        'clang-format a.c',
        'clang-format --version',
        'clang-format --dry-run --Werror a.c',
        'clang-format -style=file a.c',
        'clang-format --dump-config',
      ],
      notReadOnly: [
        'clang-format -i a.c',
        'clang-format @args',
        'clang-format -i --files=list',
        'clang-format --in-place a.c',
      ],
    },
  },
  'clang-tidy': runner('lint C and C++', '', {
    style: 'words',
    flags:
      '--version --help --list-checks --dump-config --quiet --use-color --fix --fix-errors --fix-notes -fix -list-checks --explain-config --verify-config',
    values:
      '--checks -checks --warnings-as-errors --header-filter --line-filter --extra-arg --extra-arg-before --format-style --config',
    options: {
      '--load -load': 'library',
      '--export-fixes --store-check-profile': 'write',
      '-p --config-file --vfsoverlay': 'read',
    },
    operands: 'read*',
    variants: [informs('--version --help')],
    examples: {
      readOnly: ['clang-tidy --version'],
      notReadOnly: ['clang-tidy a.c', 'clang-tidy --fix a.c', 'clang-tidy --load=./x.so a.c'],
    },
  }),
  cppcheck: runner('check C and C++; addons are programs', '--version -h --help', {
    examples: { readOnly: ['cppcheck --version'], notReadOnly: ['cppcheck .', 'cppcheck --addon=x.py a.c'] },
  }),
};

const builders: CommandFamily = {
  make: runner('build with make', '-v --version -h --help', {
    flags:
      '-b -m -B --always-make -d -e --environment-overrides -i --ignore-errors -k --keep-going -L --check-symlink-times -n --just-print --dry-run --recon -p --print-data-base -q --question -r --no-builtin-rules -R --no-builtin-variables -s --silent --quiet --no-silent -S --no-keep-going --stop -t --touch --trace -w --print-directory --no-print-directory --warn-undefined-variables',
    values: '-o --old-file --assume-old -W --what-if --new-file --assume-new --shuffle',
    optional: '-j --jobs -l --load-average --max-load -O --output-sync --debug',
    options: {
      '-C --directory': 'chdir',
      '-f --file --makefile': 'file',
      '-I --include-dir': 'read',
      '-E --eval': 'code',
    },
    examples: {
      readOnly: ['make --version', 'make -v', 'make --help'],
      notReadOnly: [
        'make',
        'make -n',
        'make test',
        'make -C sub',
        "make --eval='x:=$(shell id)'",
        'make -f x',
        'make -p',
        'make SHELL=./x',
        'make -nv -E x',
      ],
    },
  }),
  gmake: 'make',
  cmake: {
    summary: 'configure and build with CMake',
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program: 'cmake',
    examples: {
      readOnly: [
        'cmake --version',
        'cmake --help',
        'cmake --help-command add_library',
        'cmake -E echo hi',
        'cmake -E cat a',
        'cmake -N -LA build',
        'cmake -E env ls',
        'cmake',
      ],
      notReadOnly: [
        'cmake .',
        'cmake -B build -S .',
        'cmake --build build',
        'cmake -P x.cmake',
        'cmake -E rm x',
        'cmake -E env rm x',
        'cmake -E time rm x',
        'cmake -E chdir d rm x',
        'cmake -E environment',
        'cmake --help f',
        'cmake --help-command add_library f',
        'cmake -N -P x',
        'cmake -E touch f',
        'cmake -E tar xf a',
      ],
    },
  },
  ctest: runner('run tests with CTest', CMAKE_STOPS, {
    flags: '-V --verbose -N --show-only -Q --quiet --output-on-failure -F --progress --rerun-failed --stop-on-failure',
    values:
      '-j --parallel -R --tests-regex -E --exclude-regex -L --label-regex -C --build-config --timeout --repeat --preset',
    options: { '--test-dir': 'chdir', '-S --script': 'file', '-O --output-log --output-junit': 'write' },
    examples: { readOnly: ['ctest --version'], notReadOnly: ['ctest', 'ctest -N', 'ctest -S x.cmake'] },
  }),
  cpack: runner('package with CPack', CMAKE_STOPS, {
    examples: { readOnly: ['cpack --version'], notReadOnly: ['cpack', 'cpack --config x'] },
  }),
  ninja: runner('build with ninja', '--version -h --help', {
    flags: '-v --verbose --quiet -n',
    values: '-j -k -l -d -w -t',
    options: { '-C': 'chdir', '-f': 'file' },
    examples: { readOnly: ['ninja --version'], notReadOnly: ['ninja', 'ninja -n', 'ninja -t clean', 'ninja -C build'] },
  }),
  meson: {
    ...sub('configure and build with Meson', 'neutral', { style: 'posix', flags: '-v --version -h --help' }),
    subcommands: {
      introspect: helped('describe a build folder', 'read', {
        flags:
          '--ast --benchmarks --buildoptions --buildsystem-files --dependencies --installed --projectinfo --targets --tests -a --all -i --indent -f --force-object-output',
        operands: 'hook*',
      }),
      ...named(
        'setup compile configure test install dist init rewrite subprojects wrap devenv env2mfile format',
        sub('run the build description', 'execute', {
          flags: '--reconfigure --wipe -v --verbose',
          values: '-D --buildtype --prefix',
          options: { '-C': 'chdir' },
          operands: 'value*',
          does: 'change network execute',
        }),
      ),
    },
    examples: {
      readOnly: ['meson --version'],
      notReadOnly: ['meson setup b', 'meson compile -C b', 'meson introspect meson.build', 'meson devenv rm x'],
    },
  },
  // tools/bazel of the workspace runs in its place.
  ...named(
    'bazel bazelisk',
    runner('build with Bazel', '', {
      examples: { readOnly: [], notReadOnly: ['bazel build //...', 'bazel --version', 'bazel query //...'] },
    }),
  ),
  buck2: runner('build with Buck', '', { examples: { readOnly: [], notReadOnly: ['buck2 build //...'] } }),
  scons: runner('build with SCons', '-v --version', {
    examples: { readOnly: ['scons --version'], notReadOnly: ['scons', 'scons -n'] },
  }),
  ...named(
    'autoconf automake autoreconf aclocal autoheader libtoolize',
    runner('generate build files', '--version --help', {
      flags: '-i --install -f --force -v --verbose -a --add-missing',
      options: { '-I --include': 'read', '-o --output': 'write' },
      does: 'change execute',
      examples: { readOnly: ['autoconf --version'], notReadOnly: ['autoconf', 'autoreconf -fi'] },
    }),
  ),
  protoc: runner('compile protocol buffers', '--version -h --help', {
    options: {
      '-I --proto_path': 'read',
      '--plugin': 'program',
      '-o --descriptor_set_out --dependency_out': 'write',
      '--cpp_out --java_out --python_out --go_out --js_out --csharp_out --ruby_out --php_out --grpc_out --go-grpc_out --ts_out':
        'write/',
    },
    operands: 'read*',
    does: 'change execute',
    examples: {
      readOnly: ['protoc --version'],
      notReadOnly: ['protoc --cpp_out=. a.proto', 'protoc --plugin=./x a.proto'],
    },
  }),
};

const debuggers: CommandFamily = {
  gdb: {
    ...sub('debug a program', 'execute', {
      style: 'words',
      flags:
        '-q -quiet --quiet -batch --batch -nx --nx -nh --nh -n -silent --version -v -help --help -h --configuration --args -args -batch-silent -return-child-result',
      options: {
        '-ex --ex -eval-command --eval-command -iex -eiex': 'code',
        '-x --command -command -ix -eix': 'file',
        '-p --pid -pid': 'change',
        '-c --core -core -s --symbols -symbols -se -d --directory': 'read',
        '-e --exec -exec': 'read',
        '-cd --cd': 'chdir',
        '-D --data-directory -data-directory': 'library',
      },
      operands: 'value*',
      does: 'execute',
      variants: [informs('--version -v -help --help -h --configuration')],
    }),
    examples: {
      readOnly: ['gdb --version', 'gdb -v'],
      notReadOnly: ['gdb a.out', "gdb -nx -ex '!id' -ex quit", 'gdb -p 1', "gdb --version -ex '!id'"],
    },
  },
  lldb: runner('debug a program', '-v --version -h --help', {
    style: 'posix',
    options: {
      '-o --one-line -O --one-line-before-file': 'code',
      '-s --source -S --source-before-file': 'file',
      '-p --attach-pid -n --attach-name': 'change',
    },
    flags: '-b --batch -Q --source-quietly -x --no-lldbinit',
    examples: { readOnly: ['lldb --version'], notReadOnly: ['lldb a.out', "lldb -b -o 'script import os'"] },
  }),
  valgrind: runner('run a program under Valgrind', '--version -h --help', {
    style: 'posix',
    flags: '-q --quiet -v --verbose',
    values:
      '--tool --leak-check --show-leak-kinds --track-origins --error-exitcode --trace-children --num-callers --suppressions --gen-suppressions --track-fds',
    options: {
      '--log-file --xml-file --massif-out-file --callgrind-out-file --cachegrind-out-file': 'write',
      '--vgdb --trace-children-skip': 'unknown',
    },
    operands: 'command*',
    examples: {
      readOnly: ['valgrind --version'],
      notReadOnly: ['valgrind ./a.out', 'valgrind rm x', 'valgrind --log-file=f ls'],
    },
  }),
  perf: {
    ...sub('measure performance', 'neutral', { style: 'posix', flags: '-v --version -h --help' }),
    subcommands: {
      ...named(
        'stat record trace',
        sub('measure a command', 'execute', {
          style: 'posix',
          flags: '-a --all-cpus -g -d --detailed -v --verbose -q --quiet -s -i --no-inherit',
          values: '-e --event -F --freq -r --repeat -c --count --call-graph -I',
          options: { '-o --output': 'write', '-p --pid -t --tid': 'change', '--pre --post': 'shell' },
          operands: 'command*',
          does: 'change execute',
        }),
      ),
      list: helped('list events', 'list', { operands: 'value*' }),
      ...named(
        'report script annotate top bench diff mem sched lock probe kvm c2c data buildid-cache archive',
        sub('look at measurements', 'execute', { operands: 'value*', does: 'change execute' }),
      ),
    },
    examples: {
      readOnly: ['perf --version', 'perf list'],
      notReadOnly: ['perf stat rm x', 'perf record -o f ls', 'perf script -s x.py', 'perf stat --pre id ls'],
    },
  },
  ltrace: runner('trace library calls', '-V --version -h --help', {
    style: 'posix',
    flags: '-f -c -C -S -i',
    values: '-e -s -n',
    options: { '-o --output': 'write', '-p': 'change', '-F': 'read' },
    operands: 'command*',
    examples: { readOnly: ['ltrace --version'], notReadOnly: ['ltrace ls', 'ltrace -o f ls'] },
  }),
};

const packagers: CommandFamily = {
  vcpkg: runner('manage C++ libraries', '', {
    does: INSTALLS,
    examples: { readOnly: [], notReadOnly: ['vcpkg install x'] },
  }),
  conan: runner('manage C++ libraries', '-v --version', {
    does: INSTALLS,
    examples: { readOnly: ['conan --version'], notReadOnly: ['conan install .'] },
  }),
};

export const native: CommandFamily = {
  ...compilers,
  ...builders,
  ...debuggers,
  ...packagers,
  ...rustGo,
  ...otherLanguages,
  ...scripting,
  ...devTools,
};
