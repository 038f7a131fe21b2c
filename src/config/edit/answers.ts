// A yes that is to last → a rule in the file of the person or of the project, and whether it counts there.
// Says where it would go before anybody is asked; a project whose settings do not count is no place for it.

import { HardshellError } from '../../core/errors.ts';
import { projectFile, standardPlaces } from '../layers/places.ts';
import { type LoadOptions, loadSettings } from '../load.ts';
import { saveRule } from './save.ts';

export type SavedScope = 'project' | 'user';

/** The file for each; `null` where a rule would not count, or where there is no home. */
export function filesForAnswers(options: LoadOptions): Readonly<Record<SavedScope, string | null>> {
  const project = projectFile(options.cwd, 'local');
  const isTrusted = loadSettings(options).sources.some(({ file, isTrusted }) => file === project && isTrusted);
  return { project: isTrusted ? project : null, user: standardPlaces(options).user };
}

export interface SavedAnswer {
  readonly layer: 'local' | 'user';
  readonly file: string;
  /** In words. */
  readonly change: string;
}

/** Throws when it cannot be saved, and when it was saved and does not count. `onSaved`: the file is another one now. */
export async function saveAnswer(
  scope: SavedScope,
  rule: string,
  options: LoadOptions,
  onSaved: (saved: SavedAnswer) => Promise<void>,
): Promise<void> {
  const file = scope === 'project' ? projectFile(options.cwd, 'local') : standardPlaces(options).user;
  if (file === null) throw new HardshellError('unwritable-settings', 'There is no home folder to save it in.');
  const { changed } = await saveRule(file, 'allow', rule, options);
  const layer = scope === 'project' ? 'local' : 'user';
  if (changed) await onSaved({ layer, file, change: `added ${rule} to allow, by an answer` });
  const { policy } = loadSettings(options);
  if (policy.rules.some(({ text, list }) => text === rule && list === 'allow')) return;
  throw new HardshellError(
    'unwritable-settings',
    `it is in ${file}, and this folder is not trusted. To trust it: hardshell config trust`,
  );
}
