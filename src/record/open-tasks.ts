// Tasks whose end is not in the log yet: a small file for each, beside the log. Written when a task starts, deleted when
// its end is recorded; so the end of a task whose process has ended, or crashed, can be recorded by another one.
// Contains no command: that is in the record of the task, and in the log after secrets were removed.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnsweredBy } from '../core/approval.ts';
import type { Severity, VerdictName } from '../core/verdict.ts';
import { readBootId, readProcessStart } from '../local/processes.ts';
import { replaceWhole } from '../local/whole-file.ts';

const FOLDER = 'open-tasks';
const NAME = /^([a-z]{1,12}-[a-z0-9]{4,16})\.json$/;
/** Until then the record of a new task may not be on disk. */
const NEW_MS = 10_000;

export interface OpenTask {
  readonly task: string;
  readonly session: string | null;
  readonly user: string | null;
  readonly cwd: string;
  readonly verdict: VerdictName;
  readonly risk: Severity;
  readonly answeredBy: AnsweredBy | null;
  /** Where its record is; `null`: in the folder of tasks of this user. */
  readonly tasksFolder: string | null;
}

/** The process that started it: as long as it lives, it records the end itself. */
interface Host {
  readonly pid: number;
  readonly start: string | null;
  readonly boot: string;
}

export function noteOpenTask(auditFolder: string, open: OpenTask): void {
  const folder = join(auditFolder, FOLDER);
  const host: Host = { pid: process.pid, start: readProcessStart(process.pid), boot: readBootId() };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceWhole(fileOf(auditFolder, open.task), JSON.stringify({ ...open, host }));
}

export function forgetOpenTask(auditFolder: string, task: string): void {
  rmSync(fileOf(auditFolder, task), { force: true });
}

/** Those whose process is gone. Costs one look at a folder that is usually missing or empty. */
export function listOpenTasks(auditFolder: string): readonly (OpenTask & { readonly isNew: boolean })[] {
  let names: string[];
  try {
    names = readdirSync(join(auditFolder, FOLDER));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(auditFolder, FOLDER, name);
    try {
      if (!NAME.test(name)) return [];
      const { host, ...open } = JSON.parse(readFileSync(path, 'utf8')) as OpenTask & { readonly host: Host };
      const isNew = Date.now() - statSync(path).mtimeMs < NEW_MS;
      return isGone(host) && `${open.task}.json` === name ? [{ ...open, isNew }] : [];
    } catch {
      return [];
    }
  });
}

function isGone({ pid, start, boot }: Host): boolean {
  return boot !== readBootId() || readProcessStart(pid) !== start;
}

function fileOf(auditFolder: string, task: string): string {
  return join(auditFolder, FOLDER, `${task}.json`);
}
