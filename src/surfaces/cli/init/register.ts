// The verb `init`: its options and help only; the rest is loaded when it is used.

import type { Command } from 'commander';
import type { InitOptions } from './verb.ts';

const HELP = `
Every setting in the file is commented out, so it changes nothing until you
remove a //. An existing file is never overwritten.

Examples:
  hardshell init                 .hardshell/settings.json, for everyone here
  hardshell init --local         .hardshell/settings.local.json, for you here
  hardshell init --user          your settings on this machine
  hardshell config show          the settings in effect, from all files`;

export function registerInit(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('init')
    .description('write a settings file with the common choices, each explained')
    .option('--user', 'your own settings, for every folder')
    .option('--local', 'your own settings for this folder; keep that file out of version control')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: InitOptions) => {
      const { init } = await import('./verb.ts');
      setExitCode(await init(options));
    });
}
