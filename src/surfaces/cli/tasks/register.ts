// `hardshell tasks …`: names and options of the verbs; each is loaded when it is used.

import { type Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { examplesText } from '../options.ts';
import { usageError } from '../refusal.ts';
import { didYouMean, typedSubcommand, usageMessage } from '../show/typed.ts';
import type { ListOptions, LogsOptions, RemoveOptions, StopOptions, WaitOptions } from './options.ts';

const MAX_TIMEOUT_SECONDS = 7 * 86_400;

const HELP = `
A task is a command that was started with \`hardshell run --background\`, or that became a task later.
It runs until it ends or is stopped, even if the process that started it has ended.

Examples:
  hardshell tasks                        running tasks, and those that ended in the last day
  hardshell tasks logs -f bash-k7mw2q    its output as it comes; Ctrl-C stops following, not the task
  hardshell tasks wait bash-k7mw2q && echo done
  hardshell tasks rm --finished`;

export function registerTasks(program: Command, setExitCode: (code: number) => void): void {
  const tasks = program
    .command('tasks')
    .description('list background commands, read their output, wait for them, stop them')
    // The usual hint, to quote the command, does not help here.
    .exitOverride(refuse)
    .addHelpText('after', HELP);
  const json = ['--json', 'print one JSON object'] as const;
  const id = ['<id>', 'the task, as `hardshell tasks` shows it'] as const;

  tasks
    .command('list', { isDefault: true })
    .description('list running tasks, and those that ended in the last day')
    .addHelpText('after', examplesText('hardshell tasks list', 'hardshell tasks list --all --json'))
    .option('--all', 'also list tasks that ended earlier')
    .option(...json)
    .option('--no-color', 'plain text')
    .exitOverride(refuse)
    .action(async (options: ListOptions) => {
      const { list } = await import('./list.ts');
      setExitCode(await list(options));
    });

  tasks
    .command('logs')
    .description('print the output of a task')
    .argument(...id)
    .addHelpText(
      'after',
      examplesText(
        'hardshell tasks logs bash-k7mw2q                  all of it',
        'hardshell tasks logs -f bash-k7mw2q               follow it; Ctrl-C stops following, not the task',
        'hardshell tasks logs --cursor 4096 --json bash-k7mw2q',
      ),
    )
    .option('-f, --follow', 'print new output until the task ends')
    .addOption(new Option('--cursor <n>', 'start at this byte').argParser(toCursor).default(0))
    .option('--json', 'print {text, cursor, isAtEnd} instead; with -f one per line')
    .exitOverride(refuse)
    .action(async (task: string, options: LogsOptions) => {
      const { logs } = await import('./logs.ts');
      setExitCode(await logs(task, options));
    });

  tasks
    .command('wait')
    .description(
      'wait until a task ends, and exit with its code; 124 if it timed out, or is still running at the timeout',
    )
    .argument(...id)
    .addHelpText(
      'after',
      examplesText(
        'hardshell tasks wait bash-k7mw2q && echo done',
        'hardshell tasks wait --timeout 60 bash-k7mw2q     124 if it is still running then',
      ),
    )
    .addOption(new Option('--timeout <seconds>', 'how long to wait').argParser(toSeconds))
    .option(...json)
    .exitOverride(refuse)
    .action(async (task: string, options: WaitOptions) => {
      const { wait } = await import('./change.ts');
      setExitCode(await wait(task, options));
    });

  tasks
    .command('stop')
    .description('end a task and every process that it started')
    .addHelpText('after', examplesText('hardshell tasks stop bash-k7mw2q'))
    .argument(...id)
    .option(...json)
    .exitOverride(refuse)
    .action(async (task: string, options: StopOptions) => {
      const { stop } = await import('./change.ts');
      setExitCode(await stop(task, options));
    });

  tasks
    .command('rm')
    .description('delete ended tasks and their output')
    .argument('[ids...]', 'the tasks')
    .addHelpText(
      'after',
      examplesText(
        'hardshell tasks rm bash-k7mw2q bash-x3f9ac',
        'hardshell tasks rm --finished                     all ended tasks',
      ),
    )
    .option('--finished', 'all ended tasks')
    .option(...json)
    .exitOverride(refuse)
    .action(async (ids: string[], options: RemoveOptions) => {
      if (ids.length > 0 === (options.finished === true)) {
        throw usageError('Name the tasks, or use --finished for all ended tasks.', HINT);
      }
      const { remove } = await import('./change.ts');
      setExitCode(await remove(ids, options));
    });
}

const VERBS = ['list', 'logs', 'wait', 'stop', 'rm'];

function refuse(error: CommanderError): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const word = typedSubcommand();
  // `list` is the default verb, and would report a misspelled verb as an unexpected argument.
  const isVerb = error.code !== 'commander.excessArguments' || VERBS.includes(word);
  const message = isVerb ? usageMessage(error.message) : `Unknown subcommand '${word}'.${didYouMean(word, VERBS)}`;
  throw usageError(message, HINT);
}

const HINT = 'hardshell tasks --help lists the subcommands, and hardshell tasks SUBCOMMAND --help the options.';

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new InvalidArgumentError(`Use a number of seconds from 0 to ${MAX_TIMEOUT_SECONDS}.`);
}

function toCursor(value: string): number {
  const cursor = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(cursor)) return cursor;
  throw new InvalidArgumentError('Use a number of bytes, such as the cursor that an earlier call printed.');
}
