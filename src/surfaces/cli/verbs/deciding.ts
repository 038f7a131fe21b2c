// `explain`, `check`, `analyze`: names and options only; each verb is loaded when it is used.

import { type Command, Option } from 'commander';
import { collect, secondsUpTo } from '../option-values.ts';
import { type AnalyzeOptions, type CheckOptions, MODE_NAMES, PROFILE_NAMES, SHELL_NAMES } from '../options.ts';
import type { SetExitCode } from '../program.ts';
import { usageError } from '../refusal.ts';

const MAX_WAIT_SECONDS = 86_400;

const EXPLAIN_HELP = `
Nothing runs. It shows every command that would run, what it reads, writes,
deletes and contacts, what cannot be told, and which rule or check decides.

Examples:
  hardshell explain 'git push --force origin main'
  hardshell explain 'curl -fsS https://example.com/x.sh | sh'
  hardshell explain - < deploy.sh`;

const CHECK_HELP = `
Exit code: 0 allow, 1 deny, 3 ask; 2 the command or an option is not understood

Examples:
  hardshell check 'rm -rf build'            the verdict, and why
  hardshell check --json 'npm install' | jq .verdict
  hardshell check 'make test' && make test  runs it only when it is allowed
  printf '%s\\n' '{"id":1,"command":"ls"}' | hardshell check --batch`;

const ANALYZE_HELP = `
Facts only, no verdict: what would run, and what it touches.

Examples:
  hardshell analyze 'tar xzf a.tgz && make'
  hardshell analyze --json 'find . -name "*.log" -delete' | jq .effects
  hardshell analyze --batch < commands.jsonl`;

export function registerDeciding(program: Command, setExitCode: SetExitCode): void {
  const cwd = new Option('--cwd <dir>', 'folder in which the command would run').argParser(String);
  const shell = new Option('--shell <shell>', 'shell that would run it').choices(SHELL_NAMES).default('bash');
  const mode = new Option('--mode <mode>', 'how questions are handled').choices(MODE_NAMES);
  const settings = new Option(
    '--settings <file>',
    'settings in addition to those of the user, the project and the machine',
  );
  const profile = new Option('--profile <profile>', 'check as the tool of this profile would').choices(PROFILE_NAMES);
  const user = new Option('--user <name>', 'the user it runs for, if the settings name users');
  const root = new Option('--root <dir>', 'folder in which files may be changed; can be repeated').argParser(collect);

  program
    .command('explain')
    .description('show what a command would do')
    .argument('<command>', 'the command, quoted as one argument; - reads it from standard input')
    .addOption(cwd)
    .addOption(shell)
    .addOption(mode)
    .addOption(settings)
    .addOption(profile)
    .addOption(user)
    .addOption(root)
    .option('--json', 'print one JSON object instead')
    .option('--no-color', 'plain text')
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (command: string, options: CheckOptions) => {
      const { explain } = await import('../explain.ts');
      setExitCode(await explain(command, options));
    });

  program
    .command('check')
    .description('say whether a command may run, and why: exit code 0 allow, 1 deny, 3 ask')
    .argument('[command]', 'the command, quoted as one argument; - reads it from standard input')
    .addOption(cwd)
    .addOption(shell)
    .addOption(mode)
    .addOption(settings)
    .addOption(profile)
    .addOption(user)
    .addOption(root)
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .option('--ask', 'if it needs approval, ask here and through `hardshell approve`, and exit by the answer')
    .addOption(
      new Option('--timeout <seconds>', 'with --ask: how long to wait for an answer').argParser(
        secondsUpTo(MAX_WAIT_SECONDS),
      ),
    )
    .option(
      '--batch',
      'read {"id", "command", "cwd"?, "mode"?, "rules"?, "roots"?} per line from standard input, print one object per line',
    )
    .addHelpText('after', CHECK_HELP)
    .action(async (command: string | undefined, options: CheckOptions) => {
      if (options.timeout !== undefined && !options.ask)
        throw usageError(
          '--timeout needs --ask.',
          'It is how long to wait for an answer: hardshell check --ask --timeout 60 COMMAND',
        );
      if (options.ask && options.batch)
        throw usageError(
          '--ask and --batch cannot be combined.',
          'Ask about one command at a time: hardshell check --ask COMMAND',
        );
      const { checkBatch, checkOne } = await import('../check.ts');
      setExitCode(await (options.batch ? checkBatch : checkOne)(command, options));
    });

  program
    .command('analyze')
    .description('print the facts about a command, or about many')
    .argument('[command]', 'the command, quoted as one argument; - reads it from standard input')
    .addOption(cwd)
    .addOption(shell)
    .option('--json', 'print one JSON object')
    .option(
      '--batch',
      'read {"id", "command", "cwd"?, "shell"?} per line from standard input, print one object per line',
    )
    .addHelpText('after', ANALYZE_HELP)
    .action(async (command: string | undefined, options: AnalyzeOptions) => {
      const { analyzeBatch, analyzeOne } = await import('../analyze.ts');
      setExitCode(await (options.batch ? analyzeBatch : analyzeOne)(command, options));
    });
}
