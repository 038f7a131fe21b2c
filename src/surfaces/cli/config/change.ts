// `config add`, `config trust` and `config untrust`: changes to settings files requested by the user.
// Refuses to loosen from inside a command that hardshell runs.

import { resolve } from 'node:path';
import {
  HardshellError,
  loadSettings,
  saveRule,
  trustFolder,
  untrustFolder,
  VERDICTS,
  type VerdictName,
} from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { didYouMean } from '../show/typed.ts';
import { visible } from '../show/visible.ts';
import type { AddOptions, CommonOptions } from './options.ts';
import { noteChange } from './record.ts';
import { homeFolder, knowledge, loadOptions, refuseInside, reportProblems, targetFile } from './surroundings.ts';

export async function add(list: string | undefined, rule: string | undefined, options: AddOptions): Promise<number> {
  if (list === undefined || rule === undefined || !isVerdict(list)) {
    const what =
      list === undefined || isVerdict(list)
        ? 'A list and a rule are needed.'
        : `Unknown list: ${JSON.stringify(list)}.${didYouMean(list, VERDICTS)}`;
    throw new HardshellError('usage', what, { hint: "For example: hardshell config add allow 'Bash(git status)'" });
  }
  if (list === 'allow') refuseInside('allow commands');
  const file = targetFile(options.to, options.cwd);
  try {
    const { until, because } = options;
    const { changed } = await saveRule(file, list, rule, { ...knowledge, until, because });
    const here = { layer: options.to, file, cwd: readFolder(options.cwd) };
    if (changed) await noteChange(`added ${rule} to ${list}`, here);
    // The rule was added; whether it has an effect is a separate question.
    const loaded = loadSettings(loadOptions(options));
    const ignored = loaded.notices.filter((notice) => notice.file === file && isAbout(loaded.origins, notice, rule));
    const notices = ignored.map(({ why, hint }) => ({ why, hint }));
    if (options.json) {
      process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, file, list, rule, changed, notices }));
    } else {
      const verb = changed ? 'Added' : 'Already there';
      process.stdout.write(`${verb}: ${list} ${visible(rule)} in ${visible(file)}\n`);
      for (const { why, hint } of notices)
        process.stderr.write(`This rule has no effect: ${visible(why)}\n  ${visible(hint ?? '')}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    return reportProblems(error, options);
  }
}

function isVerdict(text: string): text is VerdictName {
  return (VERDICTS as readonly string[]).includes(text);
}

type Origins = ReturnType<typeof loadSettings>['origins'];

function isAbout(origins: Origins, { key, file }: { key: string; file: string }, rule: string): boolean {
  const value = origins.find((origin) => origin.key === key && origin.file === file)?.value;
  return value === rule || (value as { rule?: unknown } | undefined)?.rule === rule;
}

export async function trust(folder: string | undefined, options: CommonOptions): Promise<number> {
  refuseInside('trust folders');
  const path = readFolder(folder, null);
  if (path === '/' || path === homeFolder()) {
    throw new HardshellError('usage', `Trusting ${path} would trust every folder below it, now and later.`, {
      hint: 'Name the folder of the project: hardshell config trust DIR',
    });
  }
  try {
    const { file, changed } = await trustFolder(targetFile('user', undefined), path, knowledge);
    if (changed) await noteChange(`trusted ${path}`, { layer: 'user', file, cwd: path });
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, folder: path, file, changed }));
    else {
      const text = changed
        ? 'is trusted now: its settings, and those of all folders below, may loosen rules.'
        : 'was already trusted.';
      process.stdout.write(`${visible(path)} ${text}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    return reportProblems(error, options);
  }
}

export async function untrust(folder: string | undefined, options: CommonOptions): Promise<number> {
  // A folder that no longer exists can still be listed.
  const path = folder === undefined ? readFolder(undefined) : resolve(folder);
  try {
    const home = homeFolder();
    const saved = await untrustFolder(targetFile('user', undefined), path, { ...knowledge, home });
    const { file, changed, stillTrustedBy } = saved;
    if (changed) await noteChange(`no longer trusted ${path}`, { layer: 'user', file, cwd: process.cwd() });
    if (options.json) {
      process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, folder: path, file, changed, stillTrustedBy }));
    } else {
      process.stdout.write(
        `${visible(path)} ${changed ? 'is no longer listed as trusted.' : 'was not listed as trusted.'}\n`,
      );
      for (const entry of stillTrustedBy) process.stderr.write(`It is still trusted, because ${visible(entry)} is.\n`);
    }
    return EXIT.ok;
  } catch (error) {
    return reportProblems(error, options);
  }
}
