// `hardshell init`: a settings file with every common choice as a comment. Never overwrites a file.

import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { adviceForWriting } from '../../../host/values.ts';
import { createWhole, HardshellError, projectFile, standardPlaces, writeInNewFolder } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import { templateFor } from './template.ts';

export interface InitOptions {
  readonly user?: true;
  readonly local?: true;
  readonly json?: true;
}

export async function init(options: InitOptions): Promise<number> {
  if (options.user && options.local) {
    throw new HardshellError('usage', '--user and --local cannot be combined.', {
      hint: 'Run it twice for two files.',
    });
  }
  const layer = options.user ? 'user' : options.local ? 'local' : 'project';
  const file = layer === 'user' ? userFile() : projectFile(readFolder(undefined), layer);
  await writeInNewFolder(file, () => create(file, templateFor(layer)));
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, file, layer }));
  } else {
    process.stdout.write(
      `Wrote ${visible(file)}\nEvery setting in it is commented out: remove the // in front of those you want.\n` +
        'Check it with hardshell config validate; see what is in effect with hardshell config show.\n',
    );
  }
  return EXIT.ok;
}

function userFile(): string {
  const home = homedir();
  const { user } = standardPlaces({ home: home.startsWith('/') ? home : null });
  if (user !== null) return user;
  throw new HardshellError('usage', 'HOME is not set to an absolute path, so there is no place for user settings.', {
    hint: 'Set HOME to your home folder, or XDG_CONFIG_HOME.',
  });
}

function create(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    createWhole(file, text);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new HardshellError('unwritable-settings', `${file} already exists; it was not changed.`, {
        hint: 'Edit it, or add a rule: hardshell config add allow RULE',
        cause,
      });
    }
    throw new HardshellError('unwritable-settings', `${file} cannot be written: ${message}.`, {
      hint: adviceForWriting(cause, 'Make the folder writable, or choose another with --user or --local.'),
      cause,
    });
  }
}
