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

/** Throws when it cannot be saved, and when it was saved and does not count. */
export async function saveAnswer(scope: SavedScope, rule: string, options: LoadOptions): Promise<void> {
  const file = scope === 'project' ? projectFile(options.cwd, 'local') : standardPlaces(options).user;
  if (file === null) throw new HardshellError('unwritable-settings', 'There is no home folder to save it in.');
  await saveRule(file, 'allow', rule, options);
  const { policy } = loadSettings(options);
  if (policy.rules.some(({ text, list }) => text === rule && list === 'allow')) return;
  throw new HardshellError(
    'unwritable-settings',
    `It is in ${file}, but does not count yet: the folder is not trusted. Trust it with: hardshell config trust`,
  );
}
