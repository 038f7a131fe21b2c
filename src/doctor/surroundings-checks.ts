// Prerequisites besides the kernel: Node, shells, settings, hardshell's folders, disk space.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, lstatSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeProblem, problemsOf } from '../config/document/problem.ts';
import type { LoadedSettings } from '../config/load.ts';
import type { AlertSettings } from '../config/settings.ts';
import type { CheckFinding } from '../confine/doctor/diagnosis.ts';
import type { MachineFacts } from '../confine/doctor/machine.ts';
import { installing } from '../confine/doctor/remedies.ts';
import { HardshellError } from '../core/errors.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { describeError } from '../core/values/error-text.ts';
import { auditPlaces, runtimeFolder, stateFolder } from '../local/places.ts';
import { checkFoldersAbove, checkPrivateFolder } from '../local/private-folder.ts';
import { realPathOrSame } from '../local/real-path.ts';
import { findSocketFolder } from '../local/sockets/runtime-folder.ts';
import { readWatchReport } from '../record/verify/watch.ts';
import { readWebhookSecret } from '../recording/webhook-secret.ts';
import { findShell } from '../run/shells/trusted-shells.ts';
import { OWN_PACKAGE } from '../sandbox/own-code.ts';
import { loadPolicy } from '../terms/settings.ts';

/** The source tree and the built one are at the same depth. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const OLDEST_NODE = 20;
const LITTLE_ROOM = 200 << 20;
const NO_ROOM = 10 << 20;

export function checkNode(version = process.versions.node): CheckFinding {
  const isOld = Number(version.split('.')[0]) < OLDEST_NODE;
  return {
    name: 'node',
    state: isOld ? 'broken' : 'good',
    says: `Node ${version}`,
    details: [],
    fixes: isOld ? [`Install Node ${OLDEST_NODE} or newer.`] : [],
  };
}

export function checkShells(machine: MachineFacts): CheckFinding {
  const details: string[] = [];
  let hasBash = false;
  for (const kind of ['bash', 'zsh', 'sh'] as const) {
    try {
      const { shellPath } = findShell({ kind });
      if (kind === 'bash') hasBash = true;
      details.push(`${shellPath}${kind === 'sh' ? '' : ` ${versionOf(shellPath)}`}`);
    } catch (error) {
      // zsh is optional; commands are parsed as bash.
      if (kind === 'bash') details.push(describeError(error));
    }
  }
  return {
    name: 'shells',
    state: hasBash ? 'good' : 'broken',
    says: hasBash ? details.join(', ') : 'no bash that is safe from changes by other users',
    details: hasBash ? [] : details,
    fixes: hasBash ? [] : [installing(machine, 'bash')],
  };
}

function versionOf(path: string): string {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 2000, env: { LC_ALL: 'C' } });
  return /\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0] ?? '';
}

export interface SettingsHere {
  readonly cwd: string;
  readonly settingsFile?: string;
}

export function checkSettings(here: SettingsHere): {
  readonly finding: CheckFinding;
  readonly settings: LoadedSettings | null;
} {
  try {
    const settings = loadPolicy({
      cwd: here.cwd,
      ...(here.settingsFile !== undefined && { settingsFile: here.settingsFile }),
    });
    const files = settings.sources.filter((source) => source.settings !== null).map(({ file }) => file);
    const notices = settings.notices.map(({ file, line, why }) => `${file}:${line}: ${why}`);
    const finding: CheckFinding = {
      name: 'settings',
      state: notices.length === 0 ? 'good' : 'note',
      says: files.length === 0 ? 'valid: no settings files, defaults apply' : `valid: ${files.join(', ')}`,
      details: notices,
      fixes: [...new Set(settings.notices.flatMap(({ hint }) => hint ?? []))],
    };
    return { finding, settings };
  } catch (error) {
    const problems = problemsOf(error);
    const finding: CheckFinding = {
      name: 'settings',
      state: 'broken',
      says: 'not valid, so every command is refused',
      details: problems?.map(describeProblem) ?? [describeError(error)],
      fixes: problems === null ? hintOf(error) : [...new Set(problems.map(({ fix }) => fix))],
    };
    return { finding, settings: null };
  }
}

/** Code that commands may change would run outside of the sandbox the next time. */
export function checkCode(cwd: string, settings: LoadedSettings | null): CheckFinding {
  const code = realpathSync(PACKAGE);
  const { roots = null, protectedPaths = [] } = settings?.policy ?? {};
  const holds = (folder: string) => isAtOrBelow(code, realPathOrSame(folder));
  const root = (roots ?? [cwd]).find(holds);
  const base = { name: 'code', details: [] } as const;
  if (root === undefined)
    return { ...base, state: 'good', says: 'is outside of the folders in which commands may write', fixes: [] };
  if (OWN_PACKAGE.some(holds))
    return { ...base, state: 'good', says: `${code} is protected by the sandbox`, fixes: [] };
  if (protectedPaths.some(holds))
    return { ...base, state: 'good', says: `${code} is protected by the settings`, fixes: [] };
  return {
    ...base,
    state: 'weaker',
    says: `${code} is in ${root}, where commands may write: they could change hardshell itself`,
    fixes: [`Add "${code}" to protectedPaths in the settings, or install hardshell globally (npm install --global).`],
  };
}

/** Read-only: missing folders are created when they are needed. */
export function checkFolders(env: NodeJS.ProcessEnv = process.env): CheckFinding {
  if (process.platform === 'win32')
    return {
      name: 'folders',
      state: 'note',
      says: 'private folders are not checked on Windows',
      details: [],
      fixes: [],
    };
  const details: string[] = [];
  const problems: string[] = [];
  const fixes: string[] = [];
  const look = (what: string, work: () => string) => {
    try {
      details.push(`${what} ${work()}`);
    } catch (error) {
      problems.push(`${what}: ${describeError(error)}`);
      fixes.push(...hintOf(error));
    }
  };
  look('state', () => describeFolder(stateFolder(env), 'HARDSHELL_STATE_DIR'));
  look('audit', () => describeFolder(auditPlaces(env).folder, 'HARDSHELL_STATE_DIR'));
  look('runtime', () => {
    for (const kind of ['approvals', 'running'] as const) findSocketFolder(kind, env);
    return describeFolder(runtimeFolder(env), 'HARDSHELL_RUNTIME_DIR');
  });
  return {
    name: 'folders',
    state: problems.length > 0 ? 'broken' : 'good',
    says: problems.length > 0 ? 'other users could read or replace their content' : 'private and writable',
    details: [...problems, ...details],
    fixes: [...new Set(fixes)],
  };
}

function describeFolder(folder: string, variable: string): string {
  const refuse = (message: string, cause?: unknown) =>
    new HardshellError('cannot-start', message, {
      cause,
      hint: `chmod 700 ${folder}, or set ${variable} to a private folder that only you can open.`,
    });
  if (!existsSync(folder)) {
    const above = nearest(folder);
    if (!isWritable(above)) throw refuse(`${folder} does not exist and cannot be created in ${above}.`);
    return `${folder} (does not exist yet)`;
  }
  checkFoldersAbove(folder, refuse);
  checkPrivateFolder(folder, refuse);
  if (!isWritable(folder)) throw refuse(`${folder} is not writable.`);
  return `${folder} (${(lstatSync(folder).mode & 0o777).toString(8)})`;
}

function nearest(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearest(dirname(folder));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function checkDisk(folder: string): CheckFinding {
  const base = { name: 'disk', details: [] } as const;
  try {
    const { bavail, bsize } = statfsSync(nearest(folder));
    const free = bavail * bsize;
    const state = free < NO_ROOM ? 'broken' : free < LITTLE_ROOM ? 'weaker' : 'good';
    const says = `${showBytes(free)} free for outputs, records and the audit log`;
    return { ...base, state, says, fixes: state === 'good' ? [] : [`Free disk space for ${folder}.`] };
  } catch (error) {
    return { ...base, state: 'note', says: `free space unknown: ${describeError(error)}`, fixes: [] };
  }
}

function showBytes(bytes: number): string {
  return bytes >= 1 << 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`;
}

/** The result of the periodic verification by `mcp` and `dashboard`. */
export function checkAuditLog(folder: string, alerts: AlertSettings = {}, now = Date.now()): CheckFinding {
  const found = checkVerified(folder, now);
  const { webhook } = alerts;
  try {
    if (webhook !== undefined) readWebhookSecret(webhook);
    return found;
  } catch (error) {
    const says = `${found.says}; alerts are not sent`;
    const state = found.state === 'broken' ? 'broken' : 'weaker';
    return {
      ...found,
      state,
      says,
      details: [...found.details, describeError(error)],
      fixes: [...found.fixes, ...hintOf(error)],
    };
  }
}

function checkVerified(folder: string, now: number): CheckFinding {
  const base = { name: 'audit', details: [], fixes: [] } as const;
  const report = readWatchReport(folder);
  if (report === null) return { ...base, state: 'note', says: 'not verified yet; run `hardshell audit verify`' };
  const minutes = Math.max(0, Math.round((now - report.at) / 60_000));
  const when = minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
  if (report.isIntact)
    return { ...base, state: 'good', says: `verified ${when}: ${report.lines} lines, nothing was changed` };
  return {
    ...base,
    state: 'broken',
    says: `verified ${when}: it was changed`,
    details: report.problems.map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`),
    fixes: ['Investigate: hardshell audit verify'],
  };
}

function hintOf(error: unknown): string[] {
  return error instanceof HardshellError && error.hint !== null ? [error.hint] : [];
}
