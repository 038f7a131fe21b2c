// Files with which a project chooses the program behind a name: those of version managers, and some settings that
// programs read before they print their version. A path counts, and a version that would be downloaded first.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { CommandCheck } from '../check.ts';
import { foldersUp } from './folders-up.ts';
import {
  type Disk,
  hasGoToolchain,
  hasNoMise,
  hasRustToolchain,
  hasToolVersions,
  hasVoltaVersions,
} from './installed-versions.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;

interface Chooser {
  readonly programs: readonly string[];
  /** Files that are searched in every parent folder, or only in the working folder. */
  readonly files: readonly string[];
  readonly isLocal?: true;
  readonly isHarmless: (text: string, disk: Disk) => boolean;
  /** Below the user's home: without it the manager is not installed. */
  readonly manager: readonly string[];
}

const words = (text: string) => text.split(' ');

const TOML_LINE =
  /^\s*(?:|\[\s*toolchain\s*\]|channel\s*=\s*(["'])[\w.+-]+\1|profile\s*=\s*(["'])[\w-]+\2|(?:components|targets)\s*=\s*\[[\w"', .-]*\]?|["'][\w.-]+["']\s*,?|\])\s*(?:#.*)?$/;
/** A version, a range, or several; `path:./x` and `../x` are not versions. */
const PLAIN_VERSIONS = /^(?:[\w.+^~*@:-]*|lts\/[\w*-]+|[\w.+-]+\/envs\/\w[\w.+-]*)$/;

function hasPlainLines(text: string): boolean {
  return text.split(/\r\n|\r|\n/).every((line) => {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    return words.every((word) => PLAIN_VERSIONS.test(word) && !/^path:|^\.\.?$/.test(word));
  });
}

const MANAGED = words(
  'node npm npx yarn pnpm python python3 pip pip3 ruby gem java go terraform tofu kubectl helm php erl elixir deno bun',
);

const CHOOSERS: readonly Chooser[] = [
  {
    programs: words('rustc cargo rustfmt rustdoc rustup clippy-driver'),
    files: ['rust-toolchain', 'rust-toolchain.toml'],
    isHarmless: (text, disk) =>
      (/^\s*[\w.+-]+\s*$/.test(text) || text.split(/\r\n|\n/).every((line) => TOML_LINE.test(line))) &&
      hasRustToolchain(text, disk),
    manager: ['.rustup'],
  },
  {
    programs: MANAGED,
    files: ['.tool-versions'],
    isHarmless: (text, disk) => hasPlainLines(text) && hasToolVersions(text, disk),
    manager: ['.asdf', '.local/share/mise'],
  },
  {
    programs: MANAGED,
    files: ['mise.toml', '.mise.toml', '.config/mise.toml', 'mise/config.toml', '.mise/config.toml'],
    isHarmless: (_, disk) => hasNoMise(disk),
    manager: ['.local/share/mise'],
  },
  {
    programs: words('node npm npx yarn pnpm'),
    files: ['package.json'],
    isHarmless: hasVoltaVersions,
    manager: ['.volta'],
  },
  { programs: ['go'], files: ['go.mod', 'go.work'], isHarmless: hasGoToolchain, manager: [] },
  {
    programs: words('python python3 pip pip3'),
    files: ['.python-version'],
    isHarmless: hasPlainLines,
    manager: ['.pyenv'],
  },
  { programs: words('ruby gem'), files: ['.ruby-version'], isHarmless: hasPlainLines, manager: ['.rbenv'] },
  { programs: words('node npm npx'), files: ['.node-version'], isHarmless: hasPlainLines, manager: ['.nodenv'] },
  {
    programs: words(
      'ansible ansible-playbook ansible-inventory ansible-doc ansible-vault ansible-console ansible-pull',
    ),
    files: ['ansible.cfg'],
    isLocal: true,
    // `cowpath` names a program that is started before anything else.
    isHarmless: (text) => !/cow/i.test(text),
    manager: [],
  },
];

export const toolchainFile: CommandCheck = {
  id: 'toolchain-file',
  layer: 'repository',
  severity: 'high',
  verdict: 'ask',
  names: [...new Set(CHOOSERS.flatMap(({ programs }) => programs))],
  message: 'A file of this project chooses the program that runs under this name.',
  instead: 'Check the file first, and install the version that it names.',
  examples: {
    matches: [
      {
        command: 'rustc --version',
        files: { [`${P}/rust-toolchain.toml`]: '[toolchain]\npath = "/home/u/project/tc"\n' },
      },
      { command: 'cargo --list', cwd: `${P}/src`, files: { [`${P}/rust-toolchain`]: '/home/u/project/tc\n' } },
      { command: 'rustup --version', files: { [`${P}/rust-toolchain`]: '[toolchain]\n"p\\u0061th" = "/x"\n' } },
      { command: 'node --version', files: { [`${P}/.tool-versions`]: 'nodejs path:./tools/node\n' } },
      { command: 'python3 --version', files: { [`${P}/.python-version`]: '../../project/x\n' } },
      { command: 'ansible --version', files: { [`${P}/ansible.cfg`]: '[defaults]\ncowpath = ./e\n' } },
      { command: 'cd "$X" && rustc --version', files: { '/home/u/.rustup/settings.toml': '' } },
      {
        command: 'cargo --version',
        files: {
          [`${P}/rust-toolchain`]: '1.50.0\n',
          '/home/u/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/x': '',
        },
      },
      {
        command: 'rustc --version',
        files: {
          [`${P}/rust-toolchain.toml`]: '[toolchain]\nchannel = "stable"\ncomponents = ["miri"]\n',
          '/home/u/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/lib/rustlib/components': 'rustc-x86_64\n',
        },
      },
      {
        command: 'node --version',
        files: { [`${P}/.tool-versions`]: 'nodejs 99.0.0\n', '/home/u/.local/share/mise/installs/node/20.1.0/x': '' },
      },
      {
        command: 'node --version',
        files: { [`${P}/mise.toml`]: '[tools]\nnode = "99"\n', '/home/u/.local/share/mise/x': '' },
      },
      {
        command: 'npm --version',
        files: { [`${P}/package.json`]: '{"volta": {"node": "99.0.0"}}', '/home/u/.volta/bin/node': '' },
      },
      {
        command: 'go list ./...',
        files: { [`${P}/go.mod`]: 'module m\n\ngo 1.99.0\n', '/usr/local/go/VERSION': 'go1.22.1\n' },
      },
      { command: 'go version', files: { [`${P}/go.mod`]: 'module m\n\ngo 1.21\n\ntoolchain go1.30.2\n' } },
    ],
    passes: [
      'rustc --version && cargo --version && node --version',
      'cd "$X" && rustc --version && node --version',
      {
        command: 'rustc --version',
        files: {
          [`${P}/rust-toolchain.toml`]:
            '# ours\n[toolchain]\nchannel = "1.79.0" # stable\ncomponents = [\n  "rustfmt",\n  "clippy",\n]\ntargets = ["wasm32-unknown-unknown"]\nprofile = "minimal"\n',
        },
      },
      { command: 'cargo --version', files: { [`${P}/rust-toolchain`]: 'nightly-2024-05-01\n' } },
      {
        command: 'cargo --version',
        files: {
          [`${P}/rust-toolchain.toml`]: '[toolchain]\nchannel = "nightly"\ncomponents = ["clippy"]\n',
          '/home/u/.rustup/toolchains/nightly-x86_64-unknown-linux-gnu/lib/rustlib/components':
            'clippy-preview-x86_64\n',
        },
      },
      {
        command: 'node --version',
        files: { [`${P}/.tool-versions`]: 'nodejs 20.1.0\n', '/home/u/.local/share/mise/installs/node/20.1.0/x': '' },
      },
      { command: 'node --version', files: { [`${P}/mise.toml`]: '[tools]\n', [`${P}/package.json`]: '{"volta": {}}' } },
      {
        command: 'go list ./... && go version',
        files: { [`${P}/go.mod`]: 'module m\n\ngo 1.22.0\n', '/usr/local/go/VERSION': 'go1.22.1\n' },
      },
      { command: 'go list', files: { [`${P}/go.mod`]: 'module m\n\ngo 1.18\n' } },
      { command: 'node --version', files: { [`${P}/.tool-versions`]: '# a\nnodejs 20.11.0\npython 3.12.1 system\n' } },
      { command: 'python3 --version', files: { [`${P}/.python-version`]: '3.12.1\n' } },
      { command: 'ansible --version', files: { [`${P}/ansible.cfg`]: '[defaults]\ninventory = hosts\n' } },
      { command: 'rustc --version', files: { [`${P}/rust-toolchain`]: '/x' }, context: { probe: null } },
      { command: 'ls', files: { [`${P}/rust-toolchain`]: '/x' } },
    ],
  },
  inspect(command, { context: { probe, home } }) {
    if (probe === null || command.elsewhere !== null || !command.readOnly) return null;
    for (const chooser of CHOOSERS) {
      if (!chooser.programs.includes(command.name ?? '')) continue;
      const what = findChoice(chooser, command, { probe, home });
      if (what !== null)
        return { span: command.span, message: `${what} may choose the program that runs as \`${command.name}\`.` };
    }
    return null;
  },
};

function findChoice(chooser: Chooser, { cwd }: CommandFact, disk: Disk): string | null {
  const { probe, home } = disk;
  if (cwd === null) {
    const isThere = chooser.manager.some((name) => home === null || probe.kind(posix.join(home, name)) !== 'absent');
    return isThere || chooser.isLocal ? `A file ${chooser.files[0]} in an unknown folder` : null;
  }
  for (const start of cwd) {
    for (const folder of chooser.isLocal ? [start] : foldersUp(start, probe)) {
      for (const name of chooser.files) {
        const file = posix.join(folder, name);
        if (probe.kind(file) === 'absent') continue;
        const text = probe.readText(file, FILE_LIMIT_BYTES);
        if (text === null || !chooser.isHarmless(text, disk)) return file;
      }
    }
  }
  return null;
}
