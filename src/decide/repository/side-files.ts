// Programs that only read, but create auxiliary files while they do: a keyring on first use, the log of a database.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';

const P = '/home/u/project';
const DATABASE_LIMIT_BYTES = 16_777_216;
/** The version with which a database may be read, byte 19 of its header (sqlite.org/fileformat.html, 1.3.3). */
const READ_VERSION_AT = 19;
const WITH_LOG = 2;
const header = (version: number) => `SQLite format 3\0\0\0${String.fromCharCode(version, version)}`;

export const sideFiles: CommandCheck = {
  id: 'side-files',
  layer: 'repository',
  severity: 'low',
  verdict: 'ask',
  names: ['gpg', 'gpg2', 'sqlite3'],
  message: 'It only reads, but creates auxiliary files while it does.',
  instead: "Read a database with `sqlite3 'file:x.db?immutable=1'`, or copy it first.",
  examples: {
    matches: [
      { command: 'gpg -k' },
      { command: 'gpg --show-keys f.asc', files: { '/home/u/.gnupg/gpg.conf': '' } },
      { command: "sqlite3 -readonly x.db 'select 1'", files: { [`${P}/x.db`]: header(2) } },
      { command: "cd data && sqlite3 -readonly ../x.db 'select 1'", files: { [`${P}/x.db`]: header(2) } },
      { command: 'sqlite3 -readonly ./"$X" .tables' },
    ],
    passes: [
      { command: 'gpg -k', files: { '/home/u/.gnupg/pubring.kbx': '' } },
      { command: 'gpg --version' },
      { command: 'gpg -k', context: { probe: null } },
      { command: "sqlite3 -readonly x.db 'select 1'", files: { [`${P}/x.db`]: header(1) } },
      { command: "sqlite3 -readonly x.db 'select 1'" },
      { command: "sqlite3 x.db 'delete from t'", files: { [`${P}/x.db`]: header(2) } },
      { command: "sqlite3 -readonly 'file:x.db?immutable=1' 'select 1'", files: { [`${P}/x.db`]: header(2) } },
    ],
  },
  inspect(command, { context: { probe, home } }) {
    if (probe === null || command.elsewhere !== null || !command.readOnly) return null;
    const message = command.name === 'sqlite3' ? findLog(command, probe) : findKeyring(command, probe, home);
    return message === null ? null : { span: command.span, message };
  },
};

function findKeyring({ invocation }: CommandFact, probe: Probe, home: string | null): string | null {
  const options = invocation?.options.flatMap(({ names }) => names) ?? [];
  if (['--version', '--help', '-h', '--dump-options'].some((name) => options.includes(name))) return null;
  const files = ['pubring.kbx', 'pubring.gpg'].map((name) => posix.join(home ?? '/', '.gnupg', name));
  return files.some((file) => probe.kind(file) !== 'absent') ? null : 'gpg creates a keyring if there is none.';
}

function findLog({ invocation, cwd }: CommandFact, probe: Probe): string | null {
  const [database] = invocation?.operands ?? [];
  if (database === undefined || database === ':memory:') return null;
  if (database !== null && /^file:[^?]*\?(?:.*&)?immutable=1(?:&|$)/.test(database)) return null;
  const unknown = 'It is unknown whether this database has a write-ahead log, which sqlite3 would create.';
  if (database === null || cwd === null || database.startsWith('file:')) return unknown;
  for (const file of cwd.map((folder) => posix.resolve(folder, database))) {
    if (probe.kind(file) === 'absent') continue;
    const bytes = probe.readBytes(file, DATABASE_LIMIT_BYTES);
    if (bytes === null) return unknown;
    if (bytes[READ_VERSION_AT] === WITH_LOG)
      return `sqlite3 creates ${file}-wal and ${file}-shm to read this database.`;
  }
  return null;
}
