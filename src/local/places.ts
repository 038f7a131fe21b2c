// Where everything of hardshell lies on this machine: settings, state, caches, sockets, temporary files.
// Only names places; private-folder.ts makes and checks them.

import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { HardshellError } from '../core/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** No variable moves it: the user who starts the process must not be able to disable it. */
export function managedSettingsFile(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/hardshell/managed-settings.json';
  if (platform === 'win32') return 'C:\\ProgramData\\hardshell\\managed-settings.json';
  return '/etc/hardshell/managed-settings.json';
}

/** `null`: there is neither XDG_CONFIG_HOME nor a home folder. */
export function userSettingsFile(home: string | null, env: Environment): string | null {
  const folder = absoluteOrNull(env.XDG_CONFIG_HOME) ?? (home === null ? null : join(home, '.config'));
  return folder === null ? null : join(folder, 'hardshell', 'settings.json');
}

/** Tasks, the audit log and its keys: HARDSHELL_STATE_DIR, or a folder in XDG_STATE_HOME or ~/.local/state. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env.HARDSHELL_STATE_DIR;
  if (chosen) {
    if (!isAbsolute(chosen)) throw refuseState(`HARDSHELL_STATE_DIR is not an absolute path: ${chosen}.`);
    return chosen;
  }
  const state = absoluteOrNull(env.XDG_STATE_HOME);
  if (state === null && !isAbsolute(homedir()))
    throw refuseState(
      homedir() === ''
        ? 'HOME is empty, so there is no folder for tasks and records.'
        : `HOME is not an absolute path: ${homedir()}.`,
      undefined,
      'Set HOME to your home folder, or HARDSHELL_STATE_DIR to a private folder of your own.',
    );
  return join(state ?? join(homedir(), '.local', 'state'), 'hardshell');
}

/** The state folder of this process, and the usual one if variables name another: other processes may use it. */
export function stateFolders(): readonly string[] {
  return [...new Set([stateFolder(), ...(isAbsolute(homedir()) ? [stateFolder({})] : [])])];
}

export interface AuditPlaces {
  readonly folder: string;
  /** Not in the folder of the log: copying or sending the log must not include the key. */
  readonly keyFolder: string;
}

export function auditPlaces(env: NodeJS.ProcessEnv = process.env): AuditPlaces {
  return auditPlacesIn(stateFolder(env));
}

export function auditPlacesIn(state: string): AuditPlaces {
  return { folder: join(state, 'audit'), keyFolder: join(state, 'keys') };
}

/** Of a tasks folder: outputs of commands that could read hidden files. No sandbox shows it. */
export function secretTasksFolder(tasks: string): string {
  return join(tasks, 'secret');
}

/** One folder for each staged command, with what it changed and what that replaced. No sandbox shows it. */
export function stagesFolderIn(state: string): string {
  return join(state, 'stages');
}

/** One file for each command that a hook handed to `hardshell run`, until it runs. No sandbox shows it. */
export function ticketsFolderIn(state: string): string {
  return join(state, 'tickets');
}

/** The quarantine, a named copy of the keeper, and the caches of tools, with a part for each project. */
export function cacheFolder(env: Environment): string {
  return join(absoluteOrNull(env.XDG_CACHE_HOME) ?? join(homedir(), '.cache'), 'hardshell');
}

/** Sockets and tokens: HARDSHELL_RUNTIME_DIR, or a folder in XDG_RUNTIME_DIR or in the folder for temporary files. */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32' || process.getuid === undefined) {
    throw new HardshellError('invalid-argument', 'Sockets for other terminals are not supported on Windows.', {
      hint: 'Answer in the process that asks, or give it a callback.',
    });
  }
  const chosen = env.HARDSHELL_RUNTIME_DIR;
  if (chosen) {
    if (!isAbsolute(chosen)) throw refuseRuntime(`HARDSHELL_RUNTIME_DIR is not an absolute path: ${chosen}.`);
    return chosen;
  }
  const runtime = absoluteOrNull(env.XDG_RUNTIME_DIR);
  return runtime === null ? userFolderIn(machineTemporaryFolder()) : join(runtime, 'hardshell');
}

/** Every folder in which a process of this user may have its sockets, whatever its environment says. */
export function runtimeFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const others = [
    ...[env.XDG_RUNTIME_DIR ?? '', `/run/user/${process.getuid?.()}`]
      .filter(isAbsolute)
      .map((folder) => join(folder, 'hardshell')),
    ...[machineTemporaryFolder(), '/tmp'].map(userFolderIn),
  ];
  return [...new Set([runtimeFolder(env), ...others])];
}

/** As `os.tmpdir()`, which makes twenty system calls: it asks whether the process runs with the rights of another user. */
export function machineTemporaryFolder({ TMPDIR, TMP, TEMP }: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return tmpdir();
  return (TMPDIR || TMP || TEMP || '/tmp').replace(/(.)\/$/, '$1');
}

/** Its name can be guessed: in a folder for temporary files, another user may have made it first. */
export function userFolderIn(folder: string): string {
  return join(folder, `hardshell-${process.getuid?.() ?? 0}`);
}

/** With a part for each project. Another user may have made it first, too. */
export function sharedTemporaryFolder(): string {
  return `${userFolderIn(machineTemporaryFolder())}-tmp`;
}

function absoluteOrNull(path: string | undefined): string | null {
  return path && isAbsolute(path) ? path : null;
}

export function refuseState(
  message: string,
  cause?: unknown,
  hint = 'Set HARDSHELL_STATE_DIR to a folder of your own that only you can open (mode 700).',
): HardshellError {
  return new HardshellError('cannot-start', message, cause === undefined ? { hint } : { hint, cause });
}

export function refuseRuntime(
  message: string,
  cause?: unknown,
  hint = 'Set HARDSHELL_RUNTIME_DIR to a folder of your own that only you can open (mode 700), for both sides.',
): HardshellError {
  return new HardshellError('invalid-argument', message, cause === undefined ? { hint } : { hint, cause });
}
