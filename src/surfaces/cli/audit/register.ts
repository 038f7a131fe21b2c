// `hardshell audit …`: names and options of the verbs; each is loaded when it is used.

import { type Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { examplesText } from '../options.ts';
import { usageError } from '../refusal.ts';
import { usageMessage } from '../show/typed.ts';
import { parseMoment } from './moment.ts';
import type { ExportOptions, MarkOptions, QueryOptions, ShowOptions, TailOptions, VerifyOptions } from './options.ts';

const HELP = `
The log records every request: who, what, the verdict and its reasons, the user's answer, the sandbox, the end.
Secrets are removed before anything is written. Each line has the hash of the previous one; some are signed.

Examples:
  hardshell audit tail -f                              follow new records
  hardshell audit query --verdict deny --since 2d      denied in the last two days
  hardshell audit query --path src --command 'rm '     commands with 'rm ' that touched src
  hardshell audit query --session s1 --oldest --json   one session from its beginning, a JSON object per line
  hardshell audit show bash-k7mw2q                     one command, with what it printed
  hardshell audit export --csv -o audit.csv            everything, for a spreadsheet
  hardshell audit verify                               whether anything was changed; exit code 1 if so
  hardshell audit verify --json > heads.json           store this in another place, and later:
  hardshell audit verify --against heads.json          detects even lines cut from the end`;

const TYPES = [
  'verdict',
  'answer',
  'start',
  'end',
  'violation',
  'operation',
  'changes',
  'settings',
  'false-positive',
  'torn',
  'lost',
  'pruned',
];

export function registerAudit(program: Command, setExitCode: (code: number) => void): void {
  const audit = program
    .command('audit')
    .description('what was asked, decided and run: read the log, search it, export it, prove that it was not changed')
    .exitOverride(refuse)
    .addHelpText('after', HELP);

  withFilters(audit.command('tail').description('the newest records'))
    .addHelpText(
      'after',
      examplesText(
        'hardshell audit tail -f                           follow new records',
        'hardshell audit tail -n 5 --verdict deny',
      ),
    )
    .option('-f, --follow', 'keep running, and print new records; press Ctrl-C to stop')
    .addOption(new Option('-n, --limit <n>', 'how many').argParser(toCount).default(20))
    .exitOverride(refuse)
    .action(async (options: TailOptions) => {
      refuseBoth(options);
      const { tail } = await import('./read.ts');
      setExitCode(await tail(options));
    });

  withFilters(audit.command('query').description('matching records, newest first'))
    .addOption(new Option('-n, --limit <n>', 'how many').argParser(toCount).default(50))
    .addHelpText(
      'after',
      examplesText(
        'hardshell audit query --verdict deny --since 2d   denied in the last two days',
        "hardshell audit query --path src --command 'rm '  commands with 'rm ' that touched src",
        'hardshell audit query --session s1 --oldest --json',
      ),
    )
    .option('--oldest', 'oldest first')
    .option('--after <cursor>', 'the next page: the cursor printed at the end of the previous page')
    .exitOverride(refuse)
    .action(async (options: QueryOptions) => {
      refuseBoth(options);
      const { query } = await import('./read.ts');
      setExitCode(await query(options));
    });

  withFilters(audit.command('export').description('all matching records, oldest first, as JSON lines or CSV'))
    .addOption(new Option('-n, --limit <n>', 'at most this many').argParser(toCount))
    .addHelpText(
      'after',
      examplesText('hardshell audit export > audit.jsonl', 'hardshell audit export --csv --since 30d -o audit.csv'),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .exitOverride(refuse)
    .action(async (options: ExportOptions) => {
      refuseBoth(options);
      const { exportAll } = await import('./read.ts');
      setExitCode(await exportAll(options));
    });

  audit
    .command('show')
    .description('one command: its records, and what it printed if that was kept, with secrets redacted')
    .argument('<task>', 'the task, as the log names it')
    .addHelpText('after', examplesText('hardshell audit show bash-k7mw2q', 'hardshell audit show bash-k7mw2q --json'))
    .option('--folder <dir>', 'the folder of the log')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .exitOverride(refuse)
    .action(async (task: string, options: ShowOptions) => {
      const { show } = await import('./show.ts');
      setExitCode(await show(task, options));
    });

  audit
    .command('verify')
    .description(
      'check whether anything in the log was changed, removed, repeated or reordered, and where; exit code 1 if so',
    )
    .addHelpText(
      'after',
      examplesText(
        'hardshell audit verify',
        'hardshell audit verify --json > heads.json        store this in another place, and later:',
        'hardshell audit verify --against heads.json       detects even lines cut from the end',
      ),
    )
    .option('--key <file>', 'the public key to use instead of the one of this installation')
    .option('--against <file>', 'the output of an earlier verify --json: every head in it must still be in the log')
    .option('--folder <dir>', 'the folder of the log')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .exitOverride(refuse)
    .action(async (options: VerifyOptions) => {
      const { verify } = await import('./prove.ts');
      setExitCode(await verify(options));
    });

  audit
    .command('mark')
    .description('note that a finding was a false alarm; metrics count them')
    .argument('<task>', 'the task, as the log names it')
    .argument('<finding>', 'the id of the finding')
    .addHelpText('after', examplesText("hardshell audit mark bash-k7mw2q git-force-push --reason 'our own branch'"))
    .option('--reason <text>', 'why')
    .option('--user <name>', 'who reports it')
    .option('--folder <dir>', 'the folder of the log')
    .option('--json', 'print one JSON object')
    .exitOverride(refuse)
    .action(async (task: string, finding: string, options: MarkOptions) => {
      const { mark } = await import('./prove.ts');
      setExitCode(await mark(task, finding, options));
    });
}

function withFilters(command: Command): Command {
  return command
    .addOption(new Option('--since <time>', '2h, 3d, 2026-11-15, or 2026-11-15T14:00').argParser(toMoment('since')))
    .addOption(new Option('--until <time>', 'the same; a day counts to its end').argParser(toMoment('until')))
    .addOption(new Option('--verdict <verdict>', 'the verdict').choices(['allow', 'ask', 'deny']))
    .addOption(new Option('--risk <risk>', 'the risk level').choices(['low', 'medium', 'high', 'critical']))
    .addOption(new Option('--type <type...>', 'record types').choices(TYPES))
    .option('--session <id>', 'of this session')
    .option('--task <id>', 'of this task')
    .option('--command <text>', 'with this text in the command')
    .option('--path <path>', 'about this file, or anything in this folder (at the level detailed)')
    .addOption(new Option('--exit <code>', 'with this exit code').argParser(toCount))
    .option('--folder <dir>', 'the folder of the log')
    .option('--json', 'one JSON object per line')
    .option('--csv', 'lines of CSV, safe to open in a spreadsheet')
    .option('--no-color', 'plain text');
}

function refuseBoth({ json, csv }: { readonly json?: true; readonly csv?: true }): void {
  if (json && csv) throw usageError('--json and --csv cannot be combined.', HINT);
}

function refuse(error: CommanderError): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  throw usageError(usageMessage(error.message), HINT);
}

const HINT = 'hardshell audit --help shows examples, and hardshell audit VERB --help the options.';

function toMoment(side: 'since' | 'until'): (value: string) => number {
  return (value) => {
    const moment = parseMoment(value, side);
    if (moment !== null) return moment;
    throw new InvalidArgumentError('Give a time such as 2h, 3d, 2026-11-15 or 2026-11-15T14:00.');
  };
}

function toCount(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('Give a whole number of at least 0.');
}
