// The options of a reader of the log → an error for what would match nothing, or everything, by mistake.

import { statSync } from 'node:fs';
import { HardshellError } from '../../core/errors.ts';
import {
  type Check,
  type ChecksOf,
  checkOptions,
  folder,
  listOf,
  moment,
  oneOf,
  text,
  wrong,
} from '../../core/option-checks.ts';
import { SEVERITIES, VERDICTS } from '../../core/verdict.ts';
import { type AuditPlaces, auditPlaces } from '../../local/places.ts';
import { ENTRY_TYPES, OWN_TYPES, SILENT_TYPES } from '../entries.ts';
import type { AuditFilter } from './filter.ts';

const TYPES = [...ENTRY_TYPES, ...OWN_TYPES.filter((type) => !SILENT_TYPES.has(type))];

const FILTER: ChecksOf<AuditFilter> = {
  since: moment,
  until: moment,
  types: listOf(oneOf(TYPES), `record types, such as ['end']`),
  verdict: oneOf(VERDICTS),
  risk: oneOf(SEVERITIES),
  session: text,
  task: text,
  command: text,
  path: folder,
  exit: (name, value) => {
    if (!Number.isSafeInteger(value)) throw wrong(`${name} must be an exit code.`);
  },
};

/** `keyFolder`: readers do not need it, but both places are often passed together. */
const PLACES: ChecksOf<AuditPlaces> = { folder, keyFolder: folder };

/** `more`: the options that only this reader has. */
export function checkQuery(options: unknown, more: Readonly<Record<string, Check>>): void {
  checkOptions(options, { ...FILTER, ...PLACES, ...more });
}

/** The folder of the log that is read now. Only the default one may be missing: nothing has been recorded yet. */
export function existingFolder(given: string | undefined): string {
  const standard = auditPlaces().folder;
  if (given === undefined || given === standard) return standard;
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() === true) return given;
  throw new HardshellError('no-such-folder', `There is no audit log in ${given}.`, {
    hint: `Leave folder out for the log of the user, ${standard}.`,
  });
}
