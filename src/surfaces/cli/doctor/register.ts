// The verb `doctor`: its options only; the rest is loaded when it is used.

import { type Command, Option } from 'commander';
import { examplesText } from '../options.ts';
import { type DoctorOptions, SANDBOX_NAMES } from './options.ts';

const HELP = `
Nothing is believed: real attacks are tried in a sandbox as commands have it, in
a folder of their own; what got through is told, with what to do about it.

Exit code: 0 everything holds; 1 something that is claimed or needed does not;
3 weaker than the best, as reported. More: docs/doctor.md`;

export function registerDoctor(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('doctor')
    .description('try to escape from the sandbox, and report what holds on this machine and how to fix the rest')
    .addOption(
      new Option('--sandbox <name>', 'the sandbox to try, instead of the one of the settings').choices(SANDBOX_NAMES),
    )
    .addOption(new Option('--cwd <dir>', 'folder whose settings are meant').argParser(String))
    .option('--settings <file>', 'a settings file more')
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
