// Command line → exit code. Only names verbs and options; each verb is loaded when it is used, so `--version` stays quick.
// Every failure becomes one or two lines on stderr (and JSON on stdout with --json), never a stack trace.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { EXIT, reportFailure, UsageError } from './failure.ts';
import { type AnalyzeOptions, type ExplainOptions, SHELL_NAMES } from './options.ts';

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
      'Understands bash commands: what would run, and what it reads, writes, deletes and contacts. Runs nothing.',
    )
    .version(version())
    .showSuggestionAfterError()
    // Errors are reported in one place, with a hint; commander's own text would come first.
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  const cwd = new Option('--cwd <dir>', 'folder in which the command would run').argParser(String);
  const shell = new Option('--shell <shell>', 'shell that would run it').choices(SHELL_NAMES).default('bash');

  program
    .command('explain')
    .description('show a person what a command would do')
    .argument('<command>', 'the command, quoted as one argument; - reads it from standard input')
    .addOption(cwd)
    .addOption(shell)
    .option('--json', 'print one JSON object instead')
    .option('--no-color', 'plain text')
    .action(async (command: string, options: ExplainOptions) => {
      const { explain } = await import('./explain.ts');
      setExitCode(await explain(command, options));
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
      if (options.batch) {
        const { analyzeBatch } = await import('./batch.ts');
        setExitCode(await analyzeBatch(command, options));
      } else {
        const { analyzeOne } = await import('./analyze.ts');
        setExitCode(await analyzeOne(command, options));
      }
    });

  return program;
}

function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
