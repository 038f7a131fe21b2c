// Files with which a project chooses the program behind a name: those of version managers, and a few settings that
// programs obey before they print their version. Only what names a path counts; a plain version is harmless.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 65_536;

interface Chooser {
  readonly programs: readonly string[];
  /** Files that are looked for in every folder above, or only where the program runs. */
  readonly files: readonly string[];
  readonly isLocal?: true;
  readonly isHarmless: (text: string) => boolean;
  /** Below the home of the user: without it the manager is not there. */
  readonly manager: readonly string[];
}

const words = (text: string) => text.split(' ');

const TOML_LINE =
  /^\s*(?:|\[\s*toolchain\s*\]|channel\s*=\s*(["'])[\w.+-]+\1|profile\s*=\s*(["'])[\w-]+\2|(?:components|targets)\s*=\s*\[[\w"', .-]*\]?|["'][\w.-]+["']\s*,?|\])\s*(?:#.*)?$/;
/** A version, a range, or several; `path:./x` and `../x` are no versions. */
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
    isHarmless: (text) => /^\s*[\w.+-]+\s*$/.test(text) || text.split(/\r\n|\n/).every((line) => TOML_LINE.test(line)),
    manager: ['.rustup'],
  },
  {
    programs: MANAGED,
    files: ['.tool-versions'],
    isHarmless: hasPlainLines,
    manager: ['.asdf', '.local/share/mise'],
  },
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
  instead: 'Look at the file first.',
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
      const what = findChoice(chooser, command, probe, home);
      if (what !== null)
        return { span: command.span, message: `${what} may choose the program that runs as \`${command.name}\`.` };
    }
    return null;
  },
};

function findChoice(chooser: Chooser, { cwd }: CommandFact, probe: Probe, home: string | null): string | null {
  if (cwd === null) {
    const isThere = chooser.manager.some((name) => home === null || probe.kind(posix.join(home, name)) !== 'absent');
    return isThere || chooser.isLocal ? `A file ${chooser.files[0]} in a folder that is not known` : null;
  }
  for (const start of cwd) {
    for (const folder of chooser.isLocal ? [start] : foldersUp(start, probe)) {
      for (const name of chooser.files) {
        const file = posix.join(folder, name);
        if (probe.kind(file) === 'absent') continue;
        const text = probe.readText(file, FILE_LIMIT_BYTES);
        if (text === null || !chooser.isHarmless(text)) return file;
      }
    }
  }
  return null;
}
