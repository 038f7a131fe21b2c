// docker compose reads the files of the project for every subcommand, and fetches included files from other hosts.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const NAMES = ['compose', 'docker-compose'].flatMap((name) =>
  ['', '.override'].flatMap((part) => [`${name}${part}.yaml`, `${name}${part}.yml`]),
);
const NEEDS_NO_FILE = new Set(['version', 'ls', 'help']);
/** `include` adds whole files, also from git or a registry; `extends` can name an address. */
const INCLUDES = /^\s*["']?include["']?\s*:|[{,]\s*["']?include["']?\s*:|\bfile["']?\s*:\s*["']?(?:[a-z+]+:|git@)/im;

export const composeFiles: CommandCheck = {
  id: 'compose-files',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['docker', 'docker-compose', 'podman', 'podman-compose'],
  message: 'The compose file of this project includes other files, which may be fetched from any host.',
  instead: 'Check the compose file first, or use `docker ps`, which does not read one.',
  examples: {
    matches: [
      { command: 'docker compose ps', files: { [`${P}/compose.yaml`]: 'include:\n  - https://x.example/a.git\n' } },
      {
        command: 'docker compose logs web',
        cwd: `${P}/src`,
        files: { [`${P}/compose.yml`]: '{include: [oci://x/y]}' },
      },
      { command: 'docker compose -f sub/c.yml ps', files: { [`${P}/sub/c.yml`]: 'include: [a.yml]\n' } },
      {
        command: 'docker compose images',
        files: { [`${P}/docker-compose.yml`]: 'services:\n a:\n  extends:\n   file: oci://x/y\n' },
      },
      { command: 'docker compose ps', files: { [`${P}/.env`]: 'COMPOSE_FILE=sub/c.yml\n' } },
      { command: 'cd "$X" && docker compose ps' },
    ],
    passes: [
      'docker compose ps',
      { command: 'docker compose ps', files: { [`${P}/compose.yaml`]: 'services:\n  web:\n    image: x\n' } },
      { command: 'docker compose version && docker ps', files: { [`${P}/compose.yaml`]: 'include: [a]\n' } },
      {
        command: 'docker compose ps',
        files: { [`${P}/compose.yaml`]: 'services:\n  web:\n    extends:\n      file: common.yml\n' },
      },
      { command: 'docker compose up', files: { [`${P}/compose.yaml`]: 'include: [a]\n' } },
    ],
  },
  inspect(command, { context: { probe } }) {
    if (probe === null || command.elsewhere !== null || !command.readOnly || !readsFiles(command)) return null;
    const { cwd, span, invocation } = command;
    const given = [...(invocation?.leading ?? []), ...(invocation?.options ?? [])].filter(({ names }) =>
      names.some((name) => name === '-f' || name === '--file' || name === '--project-directory'),
    );
    if (cwd === null || given.some(({ value }) => value === null))
      return { span, message: 'The compose file that it reads is unknown.' };
    const named = given.flatMap(({ value }) => cwd.map((folder) => posix.resolve(folder, value ?? '')));
    const found = [...named, ...filesIn(cwd, probe)].find((file) => isHarmful(file, probe));
    return found === undefined ? null : { span, message: `It reads ${found}, which includes other files.` };
  },
};

function readsFiles({ name, invocation }: CommandFact): boolean {
  const [first, ...rest] = invocation?.path ?? [];
  const words = name === 'docker' || name === 'podman' ? (rest[0] === 'compose' ? rest.slice(1) : []) : rest;
  return first !== undefined && words[0] !== undefined && !NEEDS_NO_FILE.has(words[0]);
}

function filesIn(cwd: readonly string[], probe: Probe): readonly string[] {
  const folders = new Set(cwd.flatMap((folder) => foldersUp(folder, probe)));
  return [...folders].flatMap((folder) => [...NAMES, '.env'].map((name) => posix.join(folder, name)));
}

function isHarmful(file: string, probe: Probe): boolean {
  if (probe.kind(file) === 'absent' || probe.kind(file) === 'folder') return false;
  const text = probe.readText(file, FILE_LIMIT_BYTES);
  if (file.endsWith('/.env')) return text !== null && /^\s*(?:export\s+)?COMPOSE_FILE\b/m.test(text);
  return text === null || INCLUDES.test(text);
}
