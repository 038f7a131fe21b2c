// `config path`, `config validate` and `config schema`: about the files themselves, not about their combined settings.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type LoadedSettings,
  listPlaces,
  loadSettings,
  problemsOf,
  SETTINGS_SCHEMA,
  type SettingsNotice,
  type SettingsProblem,
  standardPlaces,
  validateSettingsFile,
} from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import type { ShowOptions } from './options.ts';
import { homeFolder, knowledge, loadOptions, noticeText, problemText, reportProblems } from './surroundings.ts';

export function printSchema(): number {
  process.stdout.write(`${JSON.stringify(SETTINGS_SCHEMA, null, 2)}\n`);
  return EXIT.ok;
}

interface FileState {
  readonly layer: string;
  readonly file: string;
  readonly exists: boolean;
  /** `null`: unknown, because some settings cannot be read. */
  readonly trusted: boolean | null;
}

export function showPaths(options: ShowOptions): number {
  let loaded: LoadedSettings | null = null;
  let failure: unknown = null;
  try {
    loaded = loadSettings(loadOptions(options));
  } catch (error) {
    failure = error;
    if (problemsOf(error) === null) throw error;
  }
  const files = loaded === null ? nameFiles(options) : loaded.sources.map(toState);
  if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, files }));
  else process.stdout.write(pathsTable(files));
  return failure === null ? EXIT.ok : reportProblems(failure, {});
}

function toState({ layer, file, settings, isTrusted }: LoadedSettings['sources'][number]): FileState {
  return { layer, file, exists: settings !== null, trusted: isTrusted };
}

function nameFiles(options: ShowOptions): FileState[] {
  const { cwd, settingsFile } = loadOptions(options);
  const places = listPlaces({ cwd, places: standardPlaces({ home: homeFolder() }), settingsFile });
  return places.map(({ layer, file }) => ({ layer, file, exists: existsSync(file), trusted: null }));
}

/** Of the parent folders, only those that have settings: the others would be a long list of nothing. */
function pathsTable(files: readonly FileState[]): string {
  const nearest = new Set<string>();
  const shown = files.filter(({ layer, exists }) => {
    const isNearest = !nearest.has(layer);
    nearest.add(layer);
    return exists || isNearest;
  });
  const lines = shown.map(({ layer, file, exists, trusted }) => {
    const isFolder = layer === 'project' || layer === 'local';
    const trust =
      !isFolder || !exists || trusted === null ? '' : trusted ? ', trusted' : ', not trusted: may only tighten';
    return `${layer.padEnd(8)} ${visible(file)}  (${exists ? `exists${trust}` : 'absent'})`;
  });
  return `${lines.join('\n')}\nParent folders are searched too; the file with the highest precedence is first.\n`;
}

export function validate(files: readonly string[], options: ShowOptions): number {
  const chosen =
    files.length > 0
      ? files.map((file) => resolve(file))
      : nameFiles(options)
          .filter(isPresent)
          .map(({ file }) => file);
  const results = chosen.map((file) => {
    const problems = problemsIn(file);
    return { file, problems, warnings: problems.length > 0 ? [] : warningsIn(file, options) };
  });
  const isValid = results.every(({ problems }) => problems.length === 0);
  if (options.json) {
    const list = results.map(({ file, problems, warnings }) => ({
      file,
      valid: problems.length === 0,
      problems: problems.map(({ line, column, message, fix }) => ({ line, column, message, fix })),
      warnings: warnings.map(({ line, column, key, why, hint }) => ({ line, column, key, why, hint })),
    }));
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, valid: isValid, files: list }));
  } else {
    for (const { file, problems, warnings } of results) {
      if (problems.length === 0) process.stdout.write(`${visible(file)}: valid\n`);
      else for (const problem of problems) process.stdout.write(problemText(problem));
      for (const warning of warnings) process.stdout.write(`Warning: ${noticeText(warning)}`);
    }
    if (results.length === 0) process.stdout.write('No settings files: the defaults apply.\n');
  }
  return isValid ? EXIT.ok : EXIT.badInput;
}

/** Values without effect in this file. A file that does not apply here is read as one given with --settings. */
function warningsIn(file: string, options: ShowOptions): readonly SettingsNotice[] {
  const own = loadOptions(options);
  const isHere = nameFiles(options).some((place) => place.file === file);
  try {
    const { notices } = loadSettings(isHere ? own : { ...own, settingsFile: file });
    return notices.filter((notice) => notice.file === file);
  } catch (error) {
    // Another file is not valid: which values it would override is not known.
    if (problemsOf(error) === null) throw error;
    return [];
  }
}

/** Unreadable files, such as dangling links, must be checked too. */
function isPresent({ file, layer, exists }: FileState): boolean {
  return (
    exists ||
    layer === 'flags' ||
    (existsSync(dirname(file)) && problemsIn(file).some(({ message }) => !/no such file/i.test(message)))
  );
}

function problemsIn(file: string): readonly SettingsProblem[] {
  try {
    return validateSettingsFile(file, knowledge);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    return problems;
  }
}
