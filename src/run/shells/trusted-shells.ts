// Selects the shell program: a setting or a short list of absolute paths → a provider.
// Refuses PATH, relative names, and files that another user could have changed.

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { isUnknownUser } from '../../local/private-folder.ts';
import { BashProvider } from './bash.ts';
import { ShProvider, ZshProvider } from './posix.ts';
import type { ShellKind, ShellProvider } from './provider.ts';
import { CmdProvider, PowerShellProvider } from './windows.ts';

const TRUSTED: Readonly<Record<ShellKind, readonly string[]>> = {
  bash: ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'],
  sh: ['/bin/sh', '/usr/bin/sh'],
  zsh: ['/bin/zsh', '/usr/bin/zsh', '/usr/local/bin/zsh', '/run/current-system/sw/bin/zsh'],
  powershell: [
    '/usr/bin/pwsh',
    '/usr/local/bin/pwsh',
    '/opt/microsoft/powershell/7/pwsh',
    'C:\\Program Files\\PowerShell\\7\\pwsh.exe',
    'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
  ],
  cmd: ['C:\\Windows\\System32\\cmd.exe'],
};

const PROVIDERS: Readonly<Record<ShellKind, new (path: string) => ShellProvider>> = {
  bash: BashProvider,
  sh: ShProvider,
  zsh: ZshProvider,
  powershell: PowerShellProvider,
  cmd: CmdProvider,
};

/** Why a program cannot be used as a shell, or null. Checked on the file after resolving links. */
export type ShellCheck = (path: string) => string | null;

export interface ShellWish {
  readonly kind?: ShellKind;
  /** An absolute path from a setting; its type is `kind`, or follows from its name if `kind` is absent. */
  readonly path?: string;
}

export function findShell({ kind, path }: ShellWish = {}, probe: ShellCheck = checkShellOnce): ShellProvider {
  if (path !== undefined) return namedShell(path, kind ?? kindOf(path), probe);
  const wanted = kind ?? 'bash';
  const problems: string[] = [];
  for (const candidate of TRUSTED[wanted]) {
    const problem = probe(candidate);
    if (problem === null) return new PROVIDERS[wanted](candidate);
    problems.push(`${candidate} ${problem}`);
  }
  throw new HardshellError('missing-dependency', `No ${wanted} was found: ${problems.join(', ')}.`, {
    hint: `Install ${wanted}, or name its absolute path in the settings.`,
  });
}

function namedShell(path: string, kind: ShellKind | null, probe: ShellCheck): ShellProvider {
  const isAbsolute = posix.isAbsolute(path) || /^[A-Za-z]:\\/.test(path);
  const problem = !isAbsolute ? 'is not an absolute path' : kind === null ? 'is not a known shell' : probe(path);
  if (kind === null || problem !== null)
    throw new HardshellError('invalid-argument', `The shell ${JSON.stringify(path)} of the settings ${problem}.`, {
      hint: 'Name a bash, sh, zsh, PowerShell or cmd by its absolute path.',
    });
  return new PROVIDERS[kind](path);
}

const NAMES: Readonly<Record<string, ShellKind>> = {
  bash: 'bash',
  sh: 'sh',
  dash: 'sh',
  zsh: 'zsh',
  pwsh: 'powershell',
  powershell: 'powershell',
  cmd: 'cmd',
};

function kindOf(path: string): ShellKind | null {
  const name = win32
    .basename(path)
    .toLowerCase()
    .replace(/\.exe$/, '');
  return Object.hasOwn(NAMES, name) ? (NAMES[name] as ShellKind) : null;
}

const SYSTEM = /^\/(?:usr\/)?(?:local\/)?bin\/[^/]+$/;

/** The check takes five system calls, too many before every command: a result is reused for a moment. */
const FRESH_MS = 1_000;
const fine = new Map<string, number>();

function checkShellOnce(path: string): string | null {
  const now = Date.now();
  const since = now - (fine.get(path) ?? 0);
  if (since >= 0 && since < FRESH_MS) return null;
  const problem = checkShell(path);
  if (problem === null) fine.set(path, now);
  else fine.delete(path);
  return problem;
}

/** The file and its folder must belong to root or to this user, and must not be writable by others. */
export function checkShell(path: string): string | null {
  try {
    const real = realpathSync.native(path);
    const file = statSync(real);
    if (!file.isFile()) return 'is not a file';
    if (process.platform === 'win32') return null;
    accessSync(real, constants.X_OK);
    for (const { uid, mode } of [file, statSync(posix.dirname(real))]) {
      if ((mode & 0o022) !== 0) return 'can be changed by others';
      // If the host's root is an unmapped user, its folders are recognized by their names.
      const isOurs = uid === 0 || uid === process.getuid?.() || (SYSTEM.test(real) && isUnknownUser(uid));
      if (!isOurs) return 'belongs to another user';
    }
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'EACCES' ? 'cannot be run' : code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
  }
}
