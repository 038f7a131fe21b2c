// `hardshell config …`: names and options of the verbs; each is loaded when it is used.

import { type Command, type CommanderError, Option } from 'commander';
import { examplesText } from '../options.ts';
import { usageError } from '../refusal.ts';
import { usageMessage } from '../show/typed.ts';
import type { AddOptions, CommonOptions, ImportOptions, ShowOptions } from './options.ts';
import { TARGETS } from './options.ts';

const EXAMPLES = `
Examples:
  hardshell config show --origin               the effective settings and their origin
  hardshell config add allow 'Bash(npm run:*)' --to project
  hardshell config validate                    what is wrong, with line and fix
  hardshell config trust ~/work/project`;

export function registerConfig(program: Command, setExitCode: (code: number) => void): void {
  const config = program
    .command('config')
    .description('show, check and change the settings')
    .addHelpText('after', EXAMPLES)
    // The usual hint, to quote the command, does not help here.
    .exitOverride(refuse);
  const cwd = new Option('--cwd <dir>', 'folder whose settings to use').argParser(String);
  const settings = new Option(
    '--settings <file>',
    'an additional settings file, with precedence over those of the project',
  ).argParser(String);
  const to = (description: string) => new Option('--to <where>', description).choices(TARGETS);
  const json = ['--json', 'print one JSON object'] as const;

  config
    .command('path')
    .description('list the settings files, highest precedence first')
    .addHelpText('after', examplesText('hardshell config path', 'hardshell config path --cwd ~/work/project'))
    .addOption(cwd)
    .addOption(settings)
    .option(...json)
    .action(async (options: ShowOptions) => {
      const { showPaths } = await import('./files.ts');
      setExitCode(showPaths(options));
    });

  config
    .command('validate')
    .description('report all errors in settings files, and how to fix them; exit code 2 if there are any')
    .argument('[files...]', 'the files; default: all that apply here')
    .addHelpText(
      'after',
      examplesText(
        'hardshell config validate                         all files that apply here',
        'hardshell config validate .hardshell/settings.json',
      ),
    )
    .addOption(cwd)
    .addOption(settings)
    .option(...json)
    .action(async (files: string[], options: ShowOptions) => {
      const { validate } = await import('./files.ts');
      setExitCode(validate(files, options));
    });

  config
    .command('schema')
    .description('print the JSON schema of the settings')
    .addHelpText('after', examplesText('hardshell config schema > settings.schema.json    for an editor'))
    .option('--json', 'the same')
    .action(async () => {
      const { printSchema } = await import('./files.ts');
      setExitCode(printSchema());
    });

  config
    .command('show')
    .description('print the settings in effect here')
    .addHelpText(
      'after',
      examplesText(
        'hardshell config show',
        'hardshell config show --origin                    each value with its file and line, and why some are ignored',
      ),
    )
    .option('--origin', 'list every value with its file and line, including ignored ones, and why')
    .addOption(cwd)
    .addOption(settings)
    .option(...json)
    .option('--no-color', 'plain text')
    .action(async (options: ShowOptions) => {
      const { show } = await import('./show.ts');
      setExitCode(show(options));
    });

  config
    .command('add')
    .description('add a rule to a settings file')
    .addHelpText(
      'after',
      examplesText(
        "hardshell config add allow 'Bash(npm run:*)' --to project",
        "hardshell config add deny 'Read(~/.aws/**)'",
        "hardshell config add allow 'Bash(make deploy)' --until 2030-12-31 --because 'release week'",
      ),
    )
    .argument('[list]', 'allow, ask or deny')
    .argument('[rule]', 'the rule, quoted as one argument')
    .addOption(to('which settings').default('user'))
    .option('--until <date>', 'the last day on which it applies, such as 2030-12-31')
    .option('--because <text>', 'why; shown with the verdict')
    .addOption(cwd)
    .option(...json)
    .action(async (list: string | undefined, rule: string | undefined, options: AddOptions) => {
      const { add } = await import('./change.ts');
      setExitCode(await add(list, rule, options));
    });

  for (const verb of ['trust', 'untrust'] as const) {
    config
      .command(verb)
      .description(
        verb === 'trust'
          ? 'trust a folder: its settings, and those below it, may also loosen rules'
          : 'stop trusting a folder',
      )
      .argument('[dir]', 'the folder; default: the current one')
      .addHelpText('after', examplesText(`hardshell config ${verb}`, `hardshell config ${verb} ~/work/project`))
      .option(...json)
      .action(async (folder: string | undefined, options: CommonOptions) => {
        const { trust, untrust } = await import('./change.ts');
        setExitCode(await (verb === 'trust' ? trust : untrust)(folder, options));
      });
  }

  config
    .command('import')
    .description('translate the settings of another tool')
    .addHelpText(
      'after',
      examplesText(
        'hardshell config import claude-code               show the result, and what is not imported',
        'hardshell config import claude-code --write user',
      ),
    )
    .argument('[tool]', 'claude-code')
    .argument('[file]', 'its settings file; default: the one that corresponds to --write, or the one of the user')
    .addOption(new Option('--write <where>', 'also add them to these settings').choices(TARGETS))
    .addOption(cwd)
    .option(...json)
    .action(async (tool: string | undefined, file: string | undefined, options: ImportOptions) => {
      const { importSettings } = await import('./import.ts');
      setExitCode(await importSettings(tool, file, options));
    });
}

function refuse(error: CommanderError): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const hint = 'hardshell config --help lists the subcommands, and hardshell config SUBCOMMAND --help the options.';
  throw usageError(usageMessage(error.message), hint);
}
