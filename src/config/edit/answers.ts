// An answer to save → a rule in the settings file of the user or of the project, and whether it applies there.
// Determines the file before the question is asked; a project whose settings are not trusted is not offered.

import { HardshellError } from '../../core/errors.ts';
import { projectFile, standardPlaces } from '../layers/places.ts';
import { type LoadOptions, loadSettings } from '../load.ts';
import { saveRule } from './save.ts';

export type SavedScope = 'project' | 'user';

/** The file for each; `null` if a rule would have no effect, or if there is no home. */
export function filesForAnswers(options: LoadOptions): Readonly<Record<SavedScope, string | null>> {
  const project = projectFile(options.cwd, 'local');
  const isTrusted = loadSettings(options).sources.some(({ file, isTrusted }) => file === project && isTrusted);
  return { project: isTrusted ? project : null, user: standardPlaces(options).user };
}

export interface SavedAnswer {
  readonly layer: 'local' | 'user';
  readonly file: string;
  /** For display. */
  readonly change: string;
}

/** Throws if it cannot be saved. A string: it was saved, but has no effect, and why. `onSaved`: the file has changed. */
export async function saveAnswer(
  scope: SavedScope,
  rule: string,
  options: LoadOptions,
  onSaved: (saved: SavedAnswer) => Promise<void>,
): Promise<string | undefined> {
  const file = scope === 'project' ? projectFile(options.cwd, 'local') : standardPlaces(options).user;
  if (file === null) throw new HardshellError('unwritable-settings', 'No home folder to save it in.');
  const { checkRule, knownCheckIds } = options;
  const { changed } = await saveRule(file, 'allow', rule, { checkRule, knownCheckIds });
  const layer = scope === 'project' ? 'local' : 'user';
  if (changed) await onSaved({ layer, file, change: `added ${rule} to allow, by an answer` });
  const { policy } = loadSettings(options);
  if (policy.rules.some(({ text, list }) => text === rule && list === 'allow')) return undefined;
  return `it is in ${file}, and this folder is not trusted. To trust it: hardshell config trust`;
}
