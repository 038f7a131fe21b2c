// The verb `doctor`: its options only; the rest is loaded when it is used.

import { type Command, Option } from 'commander';
import { type DoctorOptions, SANDBOX_NAMES } from './options.ts';

export function registerDoctor(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('doctor')
    .description(
      'try to escape from the sandbox, and say what holds on this machine and how to mend the rest: exit code 0 everything holds, 1 something that is claimed or needed does not, 3 weaker than the best, as reported',
    )
    .addOption(
      new Option('--sandbox <name>', 'the sandbox to try, instead of the one of the settings').choices(SANDBOX_NAMES),
    )
    .addOption(new Option('--cwd <dir>', 'folder whose settings are meant').argParser(String))
    .option('--settings <file>', 'a settings file more')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('./verb.ts');
      setExitCode(await examine(options));
    });
}
