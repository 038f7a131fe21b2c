// The verbs about approvals: names and options only; each is loaded when it is used.

import { type Command, Option } from 'commander';
import { type AnswerOptions, type PendingOptions, SCOPE_NAMES } from './options.ts';

const EXAMPLES = `
Exit code: 0 done; 1 no pending command has that code; 2 bad input.

Examples:
  hardshell pending                      what waits, and under which code
  hardshell pending --watch              keep watching for new questions
  hardshell approve k7mw                 once
  hardshell approve k7mw --scope session
  hardshell deny k7mw --reason 'not on a Friday'`;

export function registerApprovals(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('pending')
    .description('list the commands of all your processes that wait for approval')
    .option('--json', 'print one JSON object; with --watch one per line')
    .option('--watch', 'keep running, and show questions and answers as they come')
    .addHelpText('after', EXAMPLES)
    .action(async (options: PendingOptions) => {
      const { pending, watch } = await import('./pending.ts');
      setExitCode(await (options.watch ? watch(options) : pending(options)));
    });

  program
    .command('approve')
    .description('allow a command that waits')
    .argument('<code>', 'its code, as `hardshell pending` shows it')
    .addOption(
      new Option('--scope <scope>', 'how long the approval applies; anything but once saves a rule').choices(
        SCOPE_NAMES,
      ),
    )
    .option('--rule <rule>', 'the rule to save; default: the suggested one, if there is only one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (code: string, options: AnswerOptions) => {
      const { approve } = await import('./answer.ts');
      setExitCode(await approve(code, options));
    });

  program
    .command('deny')
    .description('deny a command that waits')
    .argument('<code>', 'its code, as `hardshell pending` shows it')
    .option('--reason <text>', 'why; the agent reads it')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (code: string, options: AnswerOptions) => {
      const { deny } = await import('./answer.ts');
      setExitCode(await deny(code, options));
    });
}
