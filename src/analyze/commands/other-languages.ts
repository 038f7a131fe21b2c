// Java and other JVM languages, .NET, Swift, Zig, Haskell, OCaml, Erlang and Elixir: rows of data.
// Their build descriptions are programs; only options that certainly stop before reading them are read-only.

import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, informs, named, runner, sub } from './tool-rows.ts';

const MAVEN_FLAGS =
  '-v --version -h --help -q --quiet -o --offline -U --update-snapshots -B --batch-mode -e --errors -X --debug -N --non-recursive -am --also-make -amd --also-make-dependents -fae --fail-at-end -ff --fail-fast -fn --fail-never -ntp --no-transfer-progress -C --strict-checksums -V --show-version';

function maven(example: string): CommandSpec {
  // .mvn/jvm.config of the project gives options to the Java machine, even for --version.
  return sub('build with Maven', 'execute', {
    style: 'words',
    flags: MAVEN_FLAGS,
    values: '-pl --projects -P --activate-profiles -T --threads -D --define -rf --resume-from',
    options: {
      '-f --file': 'file',
      '-s --settings -gs --global-settings -t --toolchains': 'hook',
      '-l --log-file': 'write',
    },
    operands: 'value*',
    does: INSTALLS,
    examples: { readOnly: [], notReadOnly: [example, `${example.split(' ')[0]} --version`] },
  });
}

function gradle(example: string, stops: string): CommandSpec {
  return runner('build with Gradle', stops, {
    flags:
      '-q --quiet -i --info -d --debug -s --stacktrace --offline --no-daemon --daemon --parallel --continue --build-cache --no-build-cache --rerun-tasks --refresh-dependencies --dry-run -m --scan --stop --status --foreground --configuration-cache -w --warn --write-locks',
    values: '-x --exclude-task -D --system-prop -P --project-prop --console --tests --max-workers --warning-mode',
    options: {
      '-p --project-dir': 'chdir',
      '-b --build-file -c --settings-file -I --init-script': 'file',
      '-g --gradle-user-home --project-cache-dir': 'write/',
      '--include-build': 'hook',
    },
    does: INSTALLS,
    examples: {
      readOnly: stops === '' ? [] : ['gradle --version'],
      notReadOnly: [
        example,
        ...(stops === '' ? [`${example.split(' ')[0]} --version`] : ['gradle tasks', 'gradle -I x.gradle help']),
      ],
    },
  });
}

const jvm: CommandFamily = {
  java: {
    ownState: true,
    summary: 'run Java',
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program: 'java',
    examples: {
      readOnly: ['java -version', 'java --version', 'java --list-modules'],
      notReadOnly: [
        'java',
        'java -jar a.jar',
        'java A.java',
        'java -cp . Main',
        'java -javaagent:x.jar -version',
        'java -Djava.system.class.loader=X -cp . -version',
        'java @args',
        'java -XX:OnError=id -version',
        'java -jar a.jar -version',
      ],
    },
  },
  // Annotation processors on the class path run.
  javac: {
    ownState: true,
    ...sub('compile Java', 'execute', {
      style: 'words',
      flags: '-version --version -help --help -g -nowarn -verbose -parameters -Werror',
      values: '-source -target --release -encoding -Xlint',
      options: {
        '-d -s -h': 'write/',
        '-cp -classpath --class-path -processorpath --processor-path -processor -Xplugin': 'library',
      },
      operands: 'read*',
      does: 'change execute',
      variants: [informs('-version --version -help --help')],
    }),
    examples: {
      readOnly: ['javac -version', 'javac --version'],
      notReadOnly: ['javac A.java', 'javac -processorpath x A.java', 'javac @args'],
    },
  },
  jar: {
    ownState: true,
    ...sub('look at or make Java archives', 'read', {
      style: 'bundle',
      flags: '-t --list -v --verbose -0 --no-compress -M --no-manifest -d --describe-module --version --help -h',
      options: {
        '-f --file': 'read',
        '-c --create -u --update -x --extract -i --generate-index': '+change',
        '-m --manifest': 'read',
        '-e --main-class': 'value',
        '-C': 'read',
        '--dir': 'write/',
      },
      operands: 'value*',
      does: 'change',
      program: 'response-files',
      variants: [
        { has: '-t --list -d --describe-module', does: '', operands: 'value*' },
        informs('--version --help -h'),
      ],
    }),
    examples: {
      readOnly: ['jar tf a.jar', 'jar -tf a.jar', 'jar tvf a.jar', 'jar --list --file a.jar', 'jar --version'],
      notReadOnly: [
        'jar xf a.jar',
        'jar cf a.jar .',
        'jar --create --file a.jar .',
        'jar -J-javaagent:x.jar tf a.jar',
        'jar @args',
      ],
    },
  },
  javap: {
    ownState: true,
    ...sub('show compiled Java classes', 'read', {
      style: 'words',
      flags:
        '-c -v -verbose -p -private -public -protected -package -l -s -constants -sysinfo -version --version -help --help -h',
      values: '-cp -classpath --class-path --module -m --module-path',
      options: { '-bootclasspath --system': 'read' },
      operands: 'value*',
      program: 'response-files',
    }),
    examples: {
      readOnly: ['javap -c A.class', 'javap -p -cp a.jar x.A', 'javap -version'],
      notReadOnly: ['javap -J-javaagent:x.jar A'],
    },
  },
  jshell: {
    ...runner('run Java interactively', '--version --help -h', {
      options: { '--startup --execution': 'file' },
      operands: 'file*',
      examples: { readOnly: ['jshell --version'], notReadOnly: ['jshell', 'jshell a.jsh'] },
    }),
    ownState: true,
  },
  mvn: maven('mvn test'),
  mvnd: maven('mvnd test'),
  mvnw: maven('mvnw test'),
  gradle: gradle('gradle build', '-v --version -h --help'),
  // The wrapper is a file of the project and downloads what the project names.
  gradlew: gradle('gradlew build', ''),
  ant: runner('build with Ant', '-version', {
    style: 'words',
    flags: '-q -v -k',
    options: { '-f -file -buildfile': 'file', '-lib': 'library', '-l -logfile': 'write' },
    examples: { readOnly: ['ant -version'], notReadOnly: ['ant', 'ant -f x.xml'] },
  }),
  ...named(
    'kotlin kotlinc scala scalac scala-cli groovy clojure clj lein sbt mill amm',
    runner('compile or run a JVM language', '', {
      style: 'none',
      does: INSTALLS,
      examples: { readOnly: [], notReadOnly: ["scala -e 'x'", 'sbt test', 'kotlinc -script a.kts', "groovy -e 'x'"] },
    }),
  ),
};

const dotnet: CommandFamily = {
  dotnet: {
    // global.json of the project may name the folder of the SDK.
    ...sub('build and run .NET', 'neutral', {
      style: 'posix',
      flags: '--list-sdks --list-runtimes',
      options: {
        '--version --info -h --help -d --diagnostics': '+hook',
        '--additionalprobingpath --depsfile --runtimeconfig': 'library',
      },
    }),
    subcommands: {
      ...named(
        'build run test publish restore clean pack msbuild watch format exec vstest tool new add remove list sln nuget workload store dev-certs user-secrets ef script sdk help package reference solution',
        sub('run the build description', 'execute', { style: 'none', operands: 'value*', does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: ['dotnet --list-sdks', 'dotnet --list-runtimes'],
      notReadOnly: [
        'dotnet build',
        'dotnet test',
        'dotnet run',
        'dotnet list package',
        'dotnet a.dll',
        'dotnet --version',
        'dotnet tool install x',
      ],
    },
  },
  ...named(
    'msbuild nuget csc fsi csi',
    runner('build .NET', '', {
      style: 'none',
      does: INSTALLS,
      examples: { readOnly: [], notReadOnly: ['msbuild', 'nuget restore'] },
    }),
  ),
  pwsh: runner('run PowerShell', '', {
    style: 'none',
    examples: { readOnly: [], notReadOnly: ["pwsh -c 'rm x'", 'pwsh a.ps1'] },
  }),
};

const swift: CommandFamily = {
  swift: {
    ...sub('build and run Swift', 'neutral', {
      style: 'posix',
      flags: '--version -h --help',
      options: { '-e': 'code', '-I -L': 'library' },
      alone: 'execute',
      variants: [informs('--version -h --help')],
    }),
    subcommands: {
      ...named(
        'build run test package repl sdk format',
        sub('run the package description', 'execute', { style: 'none', operands: 'value*', does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: ['swift --version'],
      notReadOnly: ['swift', 'swift build', 'swift test', 'swift a.swift', 'swift package describe', "swift -e 'x'"],
    },
  },
  swiftc: runner('compile Swift', '--version', {
    style: 'posix',
    does: 'change execute',
    options: { '-o': 'write' },
    examples: { readOnly: ['swiftc --version'], notReadOnly: ['swiftc a.swift'] },
  }),
  xcodebuild: {
    ...sub('build with Xcode', 'execute', {
      style: 'words',
      flags: '-version -showsdks -help -usage -list -json -quiet',
      values: '-project -workspace -scheme -target -configuration -sdk -destination',
      options: { '-derivedDataPath -archivePath -resultBundlePath': 'write/' },
      operands: 'value*',
      does: INSTALLS,
      variants: [informs('-version -showsdks -help -usage')],
    }),
    examples: {
      readOnly: ['xcodebuild -version', 'xcodebuild -showsdks'],
      notReadOnly: ['xcodebuild', 'xcodebuild -list', 'xcodebuild -scheme A build'],
    },
  },
  xcrun: runner('run a tool of Xcode', '--version -h --help', {
    style: 'posix',
    flags: '-v --verbose -f --find -l --log',
    values: '--sdk --toolchain',
    operands: 'command*',
    variants: [{ has: '-f --find', operands: 'value', does: '', class: 'read' }],
    examples: {
      readOnly: ['xcrun --version', 'xcrun --find clang'],
      notReadOnly: ['xcrun rm x', 'xcrun --sdk macosx swift build'],
    },
  }),
  pod: runner('manage CocoaPods', '', { does: INSTALLS, examples: { readOnly: [], notReadOnly: ['pod install'] } }),
};

const others: CommandFamily = {
  zig: {
    ...sub('build and run Zig', 'neutral', { style: 'posix', flags: '-h --help' }),
    subcommands: {
      ...named('version env targets zen help', sub('print facts about Zig', 'read', { operands: '' })),
      'ast-check': helped('check syntax', 'read', { flags: '-t --zon', values: '--color', operands: 'read*' }),
      fmt: helped('format Zig', 'write', {
        flags: '--check --stdin --ast-check --zon',
        values: '--color --exclude',
        operands: 'edit/*',
        variants: [{ has: '--check', operands: 'read/*', class: 'read' }],
      }),
      ...named('cc c++', {
        ...sub('compile C or C++', 'execute', { style: 'none', operands: 'value*', does: 'change execute' }),
      }),
      ...named(
        'build run test init fetch build-exe build-lib build-obj translate-c ar dlltool lib ranlib objcopy rc reduce std libc',
        sub('compile, and run build scripts', 'execute', { style: 'none', operands: 'value*', does: INSTALLS }),
      ),
    },
    examples: {
      readOnly: ['zig version', 'zig env', 'zig fmt --check src', 'zig ast-check a.zig'],
      notReadOnly: ['zig build', 'zig run a.zig', 'zig fmt src', 'zig test a.zig', 'zig cc a.c'],
    },
  },
  ghc: {
    ...sub('compile Haskell', 'execute', {
      style: 'words',
      flags: '--version -V --numeric-version --info --help',
      options: { '-o': 'write', '-e': 'code' },
      operands: 'read*',
      does: 'change execute',
      variants: [informs('--version -V --numeric-version --info --help')],
    }),
    examples: {
      readOnly: ['ghc --version', 'ghc --numeric-version'],
      notReadOnly: ['ghc a.hs', "ghc -e 'x'", 'ghc -F -pgmF ./x a.hs'],
    },
  },
  ...named(
    'ghci runghc runhaskell',
    runner('run Haskell', '', { style: 'none', examples: { readOnly: [], notReadOnly: ['ghci', 'runghc a.hs'] } }),
  ),
  ...named(
    'stack cabal ghcup',
    runner('build Haskell packages', '--version --numeric-version --help', {
      style: 'posix',
      does: INSTALLS,
      examples: {
        readOnly: ['cabal --version', 'stack --version'],
        notReadOnly: ['cabal build', 'stack test', 'stack exec rm x', 'stack exec -- rm x'],
      },
    }),
  ),
  ...named('ocaml ocamlc ocamlopt ocamlfind utop', {
    ...sub('compile or run OCaml', 'execute', {
      style: 'words',
      flags: '-version -vnum --version',
      options: { '-o': 'write', '-e': 'code', '-pp -ppx': 'shell', '-init': 'file' },
      operands: 'file value*',
      does: 'change execute',
      variants: [informs('-version -vnum --version')],
    }),
    examples: { readOnly: ['ocamlc -version'], notReadOnly: ['ocaml a.ml', 'ocamlc -pp id a.ml', 'ocaml'] },
  }),
  ...named(
    'dune opam',
    runner('build OCaml packages', '--version', {
      style: 'posix',
      does: INSTALLS,
      examples: {
        readOnly: ['dune --version', 'opam --version'],
        notReadOnly: ['dune build', 'dune exec ./a.exe', 'opam exec -- rm x', 'opam install x'],
      },
    }),
  ),
  ...named(
    'elixir elixirc',
    runner('run Elixir', '-v --version -h --help', {
      style: 'posix',
      options: { '-e --eval --rpc-eval': 'code', '-r --require': 'library', '-S': 'program', '--erl': 'hook' },
      operands: 'file value*',
      examples: {
        readOnly: ['elixir --version'],
        notReadOnly: ["elixir -e 'x'", 'elixir a.exs', 'elixir --erl x --version'],
      },
    }),
  ),
  iex: runner('run Elixir interactively', '-v --version -h --help', {
    style: 'posix',
    options: { '-e --eval --rpc-eval': 'code', '-r --require': 'library', '-S': 'program', '--erl --dot-iex': 'hook' },
    operands: 'file value*',
    examples: { readOnly: ['iex --version'], notReadOnly: ['iex', 'iex -S mix'] },
  }),
  mix: runner('build Elixir projects', '-v --version', {
    style: 'posix',
    does: INSTALLS,
    examples: {
      readOnly: ['mix --version'],
      notReadOnly: ['mix test', 'mix format --check-formatted', 'mix deps.get', "mix run -e 'x'"],
    },
  }),
  ...named(
    'erl erlc escript rebar3',
    runner('compile or run Erlang', '', {
      style: 'none',
      examples: { readOnly: [], notReadOnly: ["erl -noshell -eval 'x'", 'erlc a.erl', 'escript a'] },
    }),
  ),
  ...named(
    'nim nimble crystal shards dart flutter dmd gfortran gnatmake fpc v',
    runner('compile or run code', '', {
      style: 'none',
      does: INSTALLS,
      examples: { readOnly: [], notReadOnly: ['dart run', 'flutter test', 'nim c -r a.nim', "nim --eval:'x'"] },
    }),
  ),
};

export const otherLanguages: CommandFamily = { ...jvm, ...dotnet, ...swift, ...others };
