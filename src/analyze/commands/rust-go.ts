// Rust and Go: rows of data for the programs themselves, not for the shims of a version manager.
// cargo takes its compiler, wrappers and credential helpers from .cargo/config.toml of the project, so anything that
// uses the compiler or a registry runs code; go runs no code of the project until it compiles or generates.

import type { CommandFamily, CommandSpec } from './spec.ts';
import { helped, INSTALLS, joined, named, runner, sub } from './tool-rows.ts';

const CARGO_FLAGS =
  '-v --verbose -q --quiet --locked --offline --frozen --release -r --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --benches --examples --no-run --no-fail-fast --keep-going --ignore-rust-version --future-incompat-report --no-deps --open';
const CARGO_VALUES =
  '--color -Z -j --jobs -p --package --exclude --features -F --target --profile --bin --example --test --bench --message-format';
const CARGO_OPTIONS = {
  '--config': 'hook',
  '-C': 'chdir',
  '--manifest-path': 'read',
  '--target-dir --artifact-dir': 'write/',
} as const;

function cargoRow(summary: string, kind: CommandSpec['class'], parts: Partial<CommandSpec> = {}): CommandSpec {
  return helped(summary, kind, {
    operands: 'value*',
    does: 'change execute',
    ...parts,
    flags: joined(CARGO_FLAGS, parts.flags),
    values: joined(CARGO_VALUES, parts.values),
    options: { ...CARGO_OPTIONS, ...parts.options },
  });
}

/** Not built in: it may be an alias of the project, so not even --help is harmless. */
const external = sub('run a cargo extension', 'execute', {
  flags: joined(CARGO_FLAGS, '-h --help --check --fix --allow-dirty --allow-staged'),
  values: CARGO_VALUES,
  options: CARGO_OPTIONS,
  operands: 'value*',
  does: 'change execute',
});

const GO_BUILD = '-buildvcs -a -n -x -v -race -msan -asan -work -trimpath -cover -linkshared -modcacherw';
const GO_VALUES =
  '-p -covermode -coverpkg -asmflags -buildmode -compiler -gcflags -installsuffix -ldflags -tags -pgo -C';
const GO_OPTIONS = {
  '-toolexec': 'program',
  '-exec': 'program',
  '-overlay -modfile': 'read',
  '-pkgdir': 'write/',
} as const;

const goBuilds = sub('compile, and run what compiling needs', 'execute', {
  style: 'words',
  flags: joined(GO_BUILD, '-i -short -failfast -json -c -benchmem -s -w -u -t -d -fix -list'),
  values: joined(
    GO_VALUES,
    '-run -bench -count -timeout -parallel -cpu -shuffle -vet -skip -benchtime -fuzz -fuzztime -mod',
  ),
  options: {
    ...GO_OPTIONS,
    '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace': 'write',
    '-outputdir': 'write/',
    '-vettool': 'program',
  },
  operands: 'value*',
  does: INSTALLS,
});
const goChanges = sub('change the module', 'write', {
  style: 'words',
  flags: '-v -x -json -u -r -k -s -e -use',
  values: '-o',
  operands: 'value*',
  does: 'change network',
});

export const rustGo: CommandFamily = {
  cargo: {
    summary: 'build and manage Rust packages',
    class: 'neutral',
    style: 'posix',
    exactLong: true,
    flags: '-V --version --list -h --help -v --verbose -q --quiet --locked --offline --frozen',
    values: '--color -Z --explain',
    options: { '--config': 'hook', '-C': 'chdir' },
    subcommands: {
      ...named(
        'build b check c run r test t bench doc d rustc rustdoc fix',
        cargoRow('compile, and run build scripts', 'execute', {
          flags: '--allow-dirty --allow-staged --broken-code --edition',
          options: { '--out-dir': 'write/' },
        }),
      ),
      ...named(
        'install uninstall add remove rm update fetch vendor generate-lockfile publish package new init clean login logout owner yank report',
        cargoRow('change packages', 'execute', {
          flags: '--dry-run --dev --build --optional --force -f --allow-dirty --no-verify --list -n --aggressive',
          values:
            '--git --branch --tag --rev --version --vers --path --registry --rename --precise --name --edition --vcs --token',
          options: { '--root': 'write/' },
          does: INSTALLS,
        }),
      ),
      tree: cargoRow('describe the packages', 'list', {
        flags: '-d --duplicates -i',
        values: '-e --edges --prune --depth --prefix --charset -f --format --format-version --filter-platform',
        does: 'network execute',
        optional: '--invert',
      }),
      // It starts the rustc that the project's settings name; without dependencies it does not.
      metadata: cargoRow('describe the packages', 'list', {
        flags: '--no-deps',
        values: '--format-version --filter-platform',
        does: 'network execute',
        variants: [{ has: '--no-deps', does: '' }],
        operands: '',
      }),
      ...named(
        'search info',
        cargoRow('ask the registry', 'network', { values: '--limit --registry --index', does: 'network execute' }),
      ),
      ...named(
        'locate-project read-manifest verify-project',
        cargoRow('describe the manifest', 'read', { does: '', operands: '' }),
      ),
      pkgid: cargoRow('print the name of a package', 'read', { does: '' }),
      version: helped('print the version', 'neutral', { flags: '-v --verbose', operands: '' }),
      help: helped('show help', 'neutral', { operands: 'value*', program: 'cargo-help' }),
      ...named(
        'clippy fmt miri nextest expand audit outdated deny machete udeps make xtask llvm-cov tarpaulin',
        external,
      ),
      watch: sub('run commands when files change', 'execute', {
        flags: '-c --clear -q --quiet',
        values: '-w --watch -i --ignore -d --delay',
        options: { '-s --shell': 'shell', '-x --exec': 'hook', '-C': 'chdir' },
        operands: 'value*',
        does: 'execute',
      }),
    },
    examples: {
      readOnly: [
        'cargo --version',
        'cargo -V',
        'cargo version',
        'cargo --list',
        'cargo locate-project',
        'cargo build --help',
        'cargo help',
        'cargo pkgid',
      ],
      notReadOnly: [
        'cargo build',
        'cargo check',
        'cargo run',
        'cargo test',
        'cargo clippy',
        'cargo clippy --help',
        'cargo fmt',
        'cargo tree',
        'cargo metadata --offline',
        'cargo help clippy',
        'cargo search x',
        'cargo install x',
        'cargo --config build.rustc=\'"./x"\' --version',
        'cargo unheard-of',
        'cargo +nightly build',
        "cargo watch -s 'rm x'",
      ],
    },
  },
  rustc: {
    ...helped(
      'compile Rust; procedural macros are code',
      'execute',
      {
        flags: '-v --verbose -g -O --test',
        values:
          '--crate-type --crate-name --edition --cfg --check-cfg -l --emit --target -A -W -D -F --cap-lints --color --error-format --explain --print',
        options: {
          '-o': 'write',
          '--out-dir': 'write/',
          '-L --extern --sysroot': 'library',
          '-C --codegen -Z': 'hook',
        },
        operands: 'read*',
        does: 'change execute',
        variants: [{ has: '--explain --print', does: '', operands: '', class: 'read' }],
        program: 'rustc',
      },
      '-V --version -h --help',
    ),
    examples: {
      readOnly: ['rustc --version', 'rustc -vV', 'rustc --explain E0308', 'rustc --print sysroot', 'rustc --print=cfg'],
      notReadOnly: [
        'rustc a.rs',
        'rustc -C linker=./x a.rs',
        'rustc --print cfg=f',
        'rustc --print sysroot a.rs',
        'rustc -',
      ],
    },
  },
  rustfmt: {
    ...helped(
      'format Rust',
      'write',
      {
        flags: '--check -l --files-with-diff --backup -v --verbose -q --quiet --unstable-features --skip-children',
        values: '--edition --color --style-edition --emit --file-lines',
        options: { '--config-path': 'read', '--config': 'value', '--print-config': 'unknown' },
        operands: 'edit*',
        variants: [{ has: '--check', operands: 'read*', class: 'read' }],
      },
      '-V --version -h --help',
    ),
    examples: {
      readOnly: ['rustfmt --check a.rs', 'rustfmt --version', 'rustfmt --edition 2021 --check src/a.rs'],
      notReadOnly: ['rustfmt a.rs', 'rustfmt --print-config default f', 'rustfmt --emit files a.rs'],
    },
  },
  rustup: {
    summary: 'manage Rust toolchains',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: '-V --version -h --help -v --verbose -q --quiet',
    subcommands: {
      // It starts the compiler, whose path may be in rust-toolchain.toml of the project.
      show: sub('describe the active toolchain', 'read', {
        flags: '-v --verbose',
        alone: 'execute',
        subcommands: {
          ...named('home profile', helped('print a setting', 'read', { operands: '' })),
          'active-toolchain': helped('print the active toolchain', 'read', { operands: '' }),
        },
      }),
      toolchain: sub('look after toolchains', 'read', {
        subcommands: {
          list: helped('list toolchains', 'list', { flags: '-v --verbose -q --quiet', operands: '' }),
          ...named(
            'install uninstall add remove link',
            helped('change toolchains', 'execute', {
              operands: 'value*',
              flags: '--force --no-self-update',
              values: '-c --component -t --target --profile',
              does: INSTALLS,
            }),
          ),
        },
      }),
      ...named(
        'target component',
        sub('look after parts of a toolchain', 'read', {
          subcommands: {
            list: helped('list parts', 'list', {
              flags: '--installed -q --quiet',
              values: '--toolchain',
              operands: '',
            }),
            ...named(
              'add remove install uninstall',
              helped('change parts', 'execute', { operands: 'value*', values: '--toolchain', does: INSTALLS }),
            ),
          },
        }),
      ),
      which: helped('print the path of a tool', 'read', { values: '--toolchain', operands: 'value' }),
      check: helped('look for updates', 'network', { operands: '', does: 'fetch' }),
      help: helped('show help', 'neutral', { operands: 'value*' }),
      completions: helped('print shell completions', 'read', { operands: 'value*' }),
      run: helped('run a command with a toolchain', 'execute', {
        style: 'posix',
        flags: '--install',
        operands: 'value command*',
        does: 'execute',
      }),
      ...named(
        'install uninstall update upgrade default override set self doc man toolchain-install',
        helped('change toolchains', 'execute', {
          operands: 'value*',
          flags: '--force --no-self-update',
          does: INSTALLS,
        }),
      ),
    },
    examples: {
      readOnly: [
        'rustup --version',
        'rustup toolchain list',
        'rustup target list --installed',
        'rustup which rustc',
        'rustup check',
        'rustup show home',
      ],
      notReadOnly: [
        'rustup update',
        'rustup default nightly',
        'rustup run stable rm x',
        'rustup target add x',
        'rustup show',
        'rustup self update',
      ],
    },
  },
  go: {
    summary: 'build and manage Go code',
    class: 'neutral',
    style: 'posix',
    options: { '-C': 'chdir' },
    subcommands: {
      version: sub('print the version', 'read', { style: 'words', flags: '-m -v -json', operands: 'read*' }),
      env: sub('print Go settings', 'read', {
        style: 'words',
        flags: '-json -changed',
        options: { '-w -u': '+change' },
        operands: 'value*',
      }),
      list: sub('list packages or modules', 'list', {
        style: 'words',
        flags: '-m -u -versions -deps -e -find -retracted -v -x -test',
        values: '-f -tags',
        optional: '-json -buildvcs',
        options: { ...GO_OPTIONS, '-reuse': 'read', '-export -compiled': '+hook', '-mod': 'change' },
        operands: 'value*',
        // Packages are looked up in the modules that go.mod names: the decision checks whether they are in the cache.
        does: 'fetch',
        variants: [{ has: '-m -u -versions -retracted', does: 'network' }],
        program: 'go-list',
      }),
      doc: sub('show documentation', 'read', {
        style: 'words',
        flags: '-all -c -cmd -short -src -u',
        options: { '-http': '+change' },
        operands: 'value*',
        does: 'fetch',
      }),
      help: sub('show help', 'neutral', { style: 'words', operands: 'value*' }),
      mod: sub('look after the module', 'read', {
        subcommands: {
          ...named(
            'graph why verify',
            sub('describe the modules', 'list', {
              style: 'words',
              flags: '-m -vendor -x',
              values: '-go',
              operands: 'value*',
              does: 'network',
            }),
          ),
          ...named('tidy download init edit vendor', goChanges),
        },
      }),
      work: sub('look after the workspace', 'neutral', {
        subcommands: { ...named('init use sync edit vendor', goChanges) },
      }),
      ...named('build install run test vet generate get fix tool clean fmt bug telemetry', goBuilds),
    },
    examples: {
      readOnly: [
        'go version',
        'go env',
        'go env GOPATH GOMOD',
        'go list ./...',
        "go list -f '{{.Dir}}' ./...",
        'go list -json ./...',
        'go doc fmt.Println',
        'go help build',
        'go version -m bin/x',
      ],
      notReadOnly: [
        'go list -m all',
        'go list -u ./...',
        'go list example.com/x@latest',
        'go mod graph',
        'go mod why x',
        'go mod verify',
        'go build ./...',
        'go test ./...',
        'go run .',
        'go vet ./...',
        'go generate',
        'go get x',
        'go mod tidy',
        'go env -w GOFLAGS=-toolexec=./x',
        'go list -toolexec ./x ./...',
        'go list -export ./...',
        'go list -mod=mod ./...',
        'go tool x',
        'go fmt ./...',
        'go doc -http',
        'go install x@latest',
        'go test -exec ./x',
      ],
    },
  },
  gofmt: {
    ...sub('format Go', 'read', {
      style: 'words',
      flags: '-d -e -l -s -w',
      values: '-r',
      options: { '-cpuprofile': 'write' },
      operands: 'read/*',
      variants: [{ has: '-w', operands: 'edit/*', class: 'write' }],
    }),
    examples: {
      readOnly: ['gofmt -l .', 'gofmt -d a.go', 'gofmt a.go', "gofmt -r 'a -> b' a.go"],
      notReadOnly: ['gofmt -w a.go', 'gofmt -l -w .', 'gofmt -cpuprofile f a.go'],
    },
  },
  goimports: {
    ...sub('format Go and its imports', 'read', {
      style: 'words',
      flags: '-d -e -l -v -w -format-only',
      values: '-local -srcdir',
      options: { '-cpuprofile -memprofile -trace': 'write' },
      operands: 'read/*',
      does: 'execute',
      variants: [{ has: '-w', operands: 'edit/*', class: 'write' }],
    }),
    examples: { readOnly: [], notReadOnly: ['goimports -w a.go', 'goimports -l .'] },
  },
  'golangci-lint': runner('lint Go', '--version -h --help', {
    flags: '--fix --fast',
    values: '--timeout -E --enable -D --disable --build-tags',
    options: { '-c --config': 'hook' },
    does: 'change execute',
    examples: { readOnly: ['golangci-lint --version'], notReadOnly: ['golangci-lint run', 'golangci-lint run --fix'] },
  }),
  ...named(
    'staticcheck gopls dlv air',
    runner('work on Go code', '', { examples: { readOnly: [], notReadOnly: ['dlv debug', 'staticcheck ./...'] } }),
  ),
};
