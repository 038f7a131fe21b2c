// The machine → what the config verbs need: home, paths, the rule grammar, and files to change.

import {
  describeProblem,
  HardshellError,
  problemsOf,
  projectFile,
  SETTINGS_VALIDATORS,
  type SettingsNotice,
  type SettingsProblem,
  type SettingsValidators,
  standardPlaces,
} from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { inheritedVariables, readFolder } from '../input.ts';
import { process } from '../process.ts';
import { visible, visibleJson } from '../show/visible.ts';
import type { ShowOptions, Target } from './options.ts';

export const knowledge: SettingsValidators = SETTINGS_VALIDATORS;

export function homeFolder(): string | null {
  return inheritedVariables().HOME ?? null;
}

export function loadOptions(options: ShowOptions) {
  const cwd = readFolder(options.cwd);
  return { ...knowledge, cwd, home: homeFolder(), settingsFile: options.settings };
}

/** The file of a layer that a verb may change. */
export function targetFile(target: Target, cwd: string | undefined): string {
  if (target !== 'user') return projectFile(readFolder(cwd), target);
  const { user } = standardPlaces({ home: homeFolder() });
  if (user !== null) return user;
  throw new HardshellError('invalid-argument', 'HOME is not set, so there are no user settings.', {
    hint: 'Set HOME.',
  });
}

/** What a command must not do to its own limits. This guards against mistakes; protected paths guard the files. */
export function refuseInside(what: string): void {
  if (!process.env.HARDSHELL) return;
  throw new HardshellError('usage', `A command that hardshell runs cannot ${what}.`, {
    hint: 'Run it in your own terminal.',
  });
}

/** Runs a verb; problems in settings files are printed one by one, each with its fix. */
export function reportProblems(error: unknown, { json }: { readonly json?: true }): number {
  const problems = json ? null : problemsOf(error);
  if (problems === null) throw error;
  for (const problem of problems) process.stderr.write(problemText(problem));
  return EXIT.badInput;
}

export function problemText(problem: SettingsProblem): string {
  return `${visible(describeProblem(problem))}\n  ${visible(problem.fix)}\n`;
}

/** JSON for a person that is still JSON. */
export function prettyJson(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return `${lines.map(visibleJson).join('\n')}\n`;
}

export function noticeText({ file, line, column, key, why, hint }: SettingsNotice): string {
  const about = key === '' ? '' : `${key}: `;
  return `${visible(`${file}:${line}:${column}: ${about}${why}`)}\n${hint === null ? '' : `  ${visible(hint)}\n`}`;
}
