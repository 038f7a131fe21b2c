// `hardshell changes`, `undo`, `redo`, `apply`, `drop`: names and options; each is loaded when it is used.

import type { Command } from 'commander';
import { examplesText } from '../options.ts';
import type { ChangeOptions, ChangesOptions } from './options.ts';

const HELP = `
Lists the staged commands of this folder, newest first. With an ID, or --last, it prints what the command
changed as a patch. Commands are staged with "staging": "apply" or "review" in the settings, or with
\`hardshell run --staging\`; see docs/staging.md.

States: held (not in the project yet), landed (in the project), held back (nothing of it may land), undone, running.

Exit code: 0 done; 1 no such changes; 2 usage error

Examples:
  hardshell changes                        what the last commands changed
  hardshell changes --last                 the last one as a patch
  hardshell changes --stat bash-k7mw2q     its files, with added and removed lines
  hardshell changes bash-k7mw2q > fix.patch`;

const EXIT_CODES = `
Exit code: 0 done; 1 nothing was changed: there is nothing that fits, files were changed since, or the answer was no;
2 usage error`;

interface Verb {
  readonly name: 'undo' | 'redo' | 'apply' | 'drop';
  readonly description: string;
  readonly examples: readonly string[];
}

const VERBS: readonly Verb[] = [
  {
    name: 'undo',
    description: 'put back what a command changed, created or deleted',
    examples: [
      'hardshell undo                           the last command of this folder',
      'hardshell undo --force bash-k7mw2q       even if files were changed since; these are kept aside',
    ],
  },
  {
    name: 'redo',
    description: 'make undone changes again',
    examples: ['hardshell redo', 'hardshell redo bash-k7mw2q'],
  },
  {
    name: 'apply',
    description: 'make held changes in the project',
    examples: [
      'hardshell changes --last                 look at them first',
      'hardshell apply                          the last held changes of this folder',
      'hardshell apply --yes bash-k7mw2q',
    ],
  },
  {
    name: 'drop',
    description: 'delete held changes; with an ID also landed ones, which then cannot be undone',
    examples: ['hardshell drop', 'hardshell drop --yes bash-k7mw2q'],
  },
];

export function registerChanges(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('changes')
    .description('list what staged commands changed, or show it as a patch')
    .argument('[id]', 'the command, as `hardshell changes` shows it')
    .option('--last', 'the last one')
    .option('--stat', 'only the names of the files, with added and removed lines')
    .option('--held', 'only what was held back, because it is protected or was changed outside')
    .option('--all', 'list the commands of all folders')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .addHelpText('after', HELP)
    .action(async (id: string | undefined, options: ChangesOptions) => {
      const { changes } = await import('./show.ts');
      setExitCode(await changes(id, options));
    });
  for (const { name, description, examples } of VERBS) {
    const verb = program
      .command(name)
      .description(description)
      .argument('[id]', 'the command, as `hardshell changes` shows it; default: the last one of this folder that fits')
      .option('--yes', 'do not ask');
    if (name === 'undo' || name === 'redo')
      verb.option('--force', 'also if files were changed since: these are kept aside, and their place is printed');
    verb
      .option('--json', 'print one JSON object')
      .option('--no-color', 'plain text')
      .addHelpText('after', `${EXIT_CODES}\n${examplesText(...examples)}`)
      .action(async (id: string | undefined, options: ChangeOptions) => {
        const { change } = await import('./change.ts');
        setExitCode(await change(name, id, options));
      });
  }
}
