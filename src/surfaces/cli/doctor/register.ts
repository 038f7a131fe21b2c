// The verb `doctor`: its options only; the rest is loaded when it is used.

import { type Command, Option } from 'commander';
import { examplesText } from '../options.ts';
import { type DoctorOptions, SANDBOX_NAMES } from './options.ts';

const HELP = `
Runs real escape attempts in the same sandbox that commands get, in folders made
for them, and reports which succeed and how to fix that.

Exit code: 0 every guarantee that this system can give holds; 1 one is broken,
or something needed is missing; 3 this machine could be stronger.
More: docs/doctor.md`;

export function registerDoctor(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('doctor')
    .description('try to escape from the sandbox, and report what is enforced on this machine and how to fix the rest')
    .addOption(
      new Option('--sandbox <name>', 'the sandbox to test; default: the one of the settings').choices(SANDBOX_NAMES),
    )
    .addOption(new Option('--cwd <dir>', 'folder whose settings to use').argParser(String))
    .option('--settings <file>', 'an additional settings file')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examplesText(
        'hardshell doctor',
        'hardshell doctor --sandbox restricted    as if the settings said so',
        'hardshell doctor --json > doctor.json    for a report, or for CI',
      ),
    )
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('./verb.ts');
      setExitCode(await examine(options));
    });
}
