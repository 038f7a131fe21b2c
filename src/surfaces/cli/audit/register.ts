// `hardshell audit …`: names and options of the verbs; each is loaded when it is used.

import { type Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { examplesText } from '../options.ts';
import { usageError } from '../refusal.ts';
import { usageMessage } from '../show/typed.ts';
import { parseMoment } from './moment.ts';
import type { ExportOptions, MarkOptions, QueryOptions, TailOptions, VerifyOptions } from './options.ts';

const HELP = `
The log holds every request: who, what, the verdict and its reasons, the answer of a person, the sandbox, the end.
Secrets are taken out before anything is written. Each line holds the hash of the one before; some are signed.

Examples:
  hardshell audit tail -f                              what happens now
  hardshell audit query --verdict deny --since 2d      what was refused in the last two days
  hardshell audit query --path src --command 'rm '     what removed something below src
  hardshell audit query --session s1 --oldest --json   one session from its beginning, a JSON object per line
  hardshell audit export --csv -o audit.csv            everything, for a spreadsheet
  hardshell audit verify                               whether anything was changed; exit code 1 if so
  hardshell audit verify --json > heads.json           keep this elsewhere, and later:
  hardshell audit verify --against heads.json          even lines cut from the end are noticed`;

const TYPES = [
  'verdict',
  'answer',
  'start',
  'end',
  'violation',
  'operation',
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
        'hardshell audit tail -f                           what happens now',
        'hardshell audit tail -n 5 --verdict deny',
      ),
    )
    .option('-f, --follow', 'stay, and print what comes; Ctrl-C ends it')
    .addOption(new Option('-n, --limit <n>', 'how many').argParser(toCount).default(20))
    .exitOverride(refuse)
    .action(async (options: TailOptions) => {
      refuseBoth(options);
      const { tail } = await import('./read.ts');
      setExitCode(await tail(options));
    });

  withFilters(audit.command('query').description('records that match, the newest first'))
    .addOption(new Option('-n, --limit <n>', 'how many').argParser(toCount).default(50))
    .addHelpText(
      'after',
      examplesText(
        'hardshell audit query --verdict deny --since 2d   what was refused in the last two days',
        "hardshell audit query --path src --command 'rm '  what removed something below src",
        'hardshell audit query --session s1 --oldest --json',
      ),
    )
    .option('--oldest', 'the oldest first')
    .option('--after <cursor>', 'the next page: what the page before said at its end')
    .exitOverride(refuse)
    .action(async (options: QueryOptions) => {
      refuseBoth(options);
      const { query } = await import('./read.ts');
      setExitCode(await query(options));
    });

  withFilters(audit.command('export').description('all records that match, the oldest first, as JSON lines or CSV'))
    .addOption(new Option('-n, --limit <n>', 'not more than these').argParser(toCount))
    .addHelpText(
      'after',
      examplesText('hardshell audit export > audit.jsonl', 'hardshell audit export --csv --since 30d -o audit.csv'),
    )
    .option('-o, --output <file>', 'into this file instead of standard output')
    .exitOverride(refuse)
    .action(async (options: ExportOptions) => {
      refuseBoth(options);
      const { exportAll } = await import('./read.ts');
      setExitCode(await exportAll(options));
    });

  audit
    .command('verify')
    .description(
      'say whether anything in the log was changed, removed, repeated or exchanged, and where; exit code 1 if so',
    )
    .addHelpText(
      'after',
      examplesText(
        'hardshell audit verify',
        'hardshell audit verify --json > heads.json        keep this elsewhere, and later:',
        'hardshell audit verify --against heads.json       even lines cut from the end are noticed',
      ),
    )
    .option('--key <file>', 'the public key, instead of the one of this installation')
    .option('--against <file>', 'the output of an earlier verify --json: nothing of it may be gone')
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
    .addHelpText('after', examplesText("hardshell audit mark bash-k7mw2q force-push --reason 'our own branch'"))
    .option('--reason <text>', 'why')
    .option('--user <name>', 'who says so')
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
    .addOption(new Option('--risk <risk>', 'how risky it was').choices(['low', 'medium', 'high', 'critical']))
    .addOption(new Option('--type <type...>', 'kinds of records').choices(TYPES))
    .option('--session <id>', 'of this session')
    .option('--task <id>', 'of this task')
    .option('--command <text>', 'with this text in the command')
    .option('--path <path>', 'about this file, or anything in this folder (at the level detailed)')
    .addOption(new Option('--exit <code>', 'that ended with this code').argParser(toCount))
    .option('--folder <dir>', 'the folder of the log')
    .option('--json', 'one JSON object per line')
    .option('--csv', 'lines of CSV, safe to open in a spreadsheet')
    .option('--no-color', 'plain text');
}

function refuseBoth({ json, csv }: { readonly json?: true; readonly csv?: true }): void {
  if (json && csv) throw usageError('Give --json or --csv, not both.', HINT);
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
