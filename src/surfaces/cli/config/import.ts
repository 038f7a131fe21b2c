// `config import claude-code`: shows what its settings become here and what is not imported; --write adds them to a file.

import { join, resolve } from 'node:path';
import { HardshellError, importClaudeSettings, readSettingsFile, saveSettings } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import type { ImportOptions } from './options.ts';
import { noteChange } from './record.ts';
import { homeFolder, knowledge, prettyJson, refuseInside, reportProblems, targetFile } from './surroundings.ts';

export async function importSettings(
  tool: string | undefined,
  argument: string | undefined,
  options: ImportOptions,
): Promise<number> {
  if (tool !== 'claude-code') {
    throw new HardshellError('usage', 'Settings can be imported only from claude-code.', {
      hint: 'hardshell config import claude-code [FILE]',
    });
  }
  if (options.write !== undefined) refuseInside('import settings');
  const file = argument === undefined ? defaultFile(options) : resolve(argument);
  try {
    const content = readSettingsFile(file);
    if (content === null) {
      throw new HardshellError('unreadable-settings', `No such file: ${file}`, {
        hint: 'Pass the path of the Claude Code settings file.',
      });
    }
    const { settings, notes } = importClaudeSettings(content.text, file, knowledge);
    if (!options.json) {
      process.stdout.write(prettyJson(settings));
      for (const { line, column, key, message } of notes) {
        process.stderr.write(`${visible(`${file}:${line}:${column}: ${key}: ${message}`)}\n`);
      }
    }
    const target = options.write === undefined ? null : targetFile(options.write, options.cwd);
    const saved = target === null ? null : await saveSettings(target, settings, knowledge);
    if (saved?.changed && options.write !== undefined) {
      const here = { layer: options.write, file: saved.file, cwd: readFolder(options.cwd) };
      await noteChange(`imported ${file} of Claude Code`, here);
    }
    if (options.json) {
      const written = saved === null ? null : { file: saved.file, changed: saved.changed };
      process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, file, settings, notes, written }));
    } else if (saved !== null) {
      process.stderr.write(`${saved.changed ? 'Written to' : 'All of it is already in'} ${visible(saved.file)}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    return reportProblems(error, options);
  }
}

/** The file of Claude Code with the same role. */
function defaultFile({ write, cwd }: ImportOptions): string {
  if (write === 'project' || write === 'local') {
    return join(readFolder(cwd), '.claude', write === 'local' ? 'settings.local.json' : 'settings.json');
  }
  const home = homeFolder();
  if (home !== null) return join(home, '.claude', 'settings.json');
  throw new HardshellError('usage', 'HOME is not set.', { hint: 'Pass the path of the file.' });
}
