// Command line → exit code. Only names verbs and options; each verb is loaded when it is used, so `--version` stays quick.
// Every failure becomes one or two lines on stderr (and JSON on stdout with --json), never a stack trace.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { registerApprovals } from './approvals/register.ts';
import { registerConfig } from './config/register.ts';
import { EXIT, reportFailure, UsageError } from './failure.ts';
import { type AnalyzeOptions, type CheckOptions, MODE_NAMES, PROFILE_NAMES, SHELL_NAMES } from './options.ts';
import { registerRun } from './run/register.ts';
import { registerTasks } from './tasks/register.ts';
import { registerTest } from './test-policy/register.ts';

const MAX_WAIT_SECONDS = 86_400;

/** Runs one command line and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  process.on('SIGINT', () => process.exit(EXIT.interrupted));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`| head`): nobody is left to tell.
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`hardshell: The output cannot be written: ${error.message}\n`);
    process.exit(EXIT.unwritable);
  });
  process.stderr.on('error', () => {});
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    process.exitCode = reportFailure(error, { json: argv.includes('--json') || argv.includes('--batch') });
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    throw new UsageError(error.code, error.message);
  }
  return exitCode;
}

function createProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('hardshell')
    .description(
      'Understands bash commands: what would run, and what it reads, writes, deletes and contacts; and decides whether it may.',
    )
    .version(version())
    .showSuggestionAfterError()
    // Errors are reported in one place, with a hint; commander's own text would come first.
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  const cwd = new Option('--cwd <dir>', 'folder in which the command would run').argParser(String);
  const shell = new Option('--shell <shell>', 'shell that would run it').choices(SHELL_NAMES).default('bash');
  const mode = new Option('--mode <mode>', 'how questions are treated').choices(MODE_NAMES);
  const settings = new Option('--settings <file>', 'settings besides those of the user, the project and the machine');
  const profile = new Option('--profile <profile>', 'judge as the tool of this profile would').choices(PROFILE_NAMES);
  const user = new Option('--user <name>', 'for whom: the settings may know users');
  const root = new Option('--root <dir>', 'folder in which files may be changed; may be given several times').argParser(
    collect,
  );

  program
    .command('explain')
    .description('show a person what a command would do')
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
    .action(async (command: string, options: CheckOptions) => {
      const { explain } = await import('./explain.ts');
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
    .option('--ask', 'put a question to people, here and through `hardshell approve`, and exit by their answer')
    .addOption(new Option('--timeout-seconds <n>', 'with --ask: how long it may wait').argParser(toSeconds))
    .option(
      '--batch',
      'read {"id", "command", "cwd"?, "mode"?, "rules"?, "roots"?} per line from standard input, print one object per line',
    )
    .action(async (command: string | undefined, options: CheckOptions) => {
      const { checkBatch, checkOne } = await import('./check.ts');
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
    .action(async (command: string | undefined, options: AnalyzeOptions) => {
      const { analyzeBatch, analyzeOne } = await import('./analyze.ts');
      setExitCode(await (options.batch ? analyzeBatch : analyzeOne)(command, options));
    });

  registerRun(program, setExitCode);
  registerTasks(program, setExitCode);
  registerConfig(program, setExitCode);
  registerApprovals(program, setExitCode);
  registerTest(program, setExitCode, async () => (await import('./test-policy/engine.ts')).policyTools);
  return program;
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new InvalidArgumentError(`Give a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`);
}

function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
