// Command line → exit code, over a table of verbs. Only the verb in use is loaded; help and errors load all names.
// Every failure becomes one or two lines on stderr (and JSON on stdout with --json), never a stack trace.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help, type HelpConfiguration } from 'commander';
import { areStreamsFlushed, type Ending, watchStreams } from './ending.ts';
import { EXIT, reportFailure, UsageError } from './failure.ts';
import { isWritten, plainStdout, print } from './plain-output.ts';
import { process } from './process.ts';
import { noteTyped } from './show/typed.ts';

export type SetExitCode = (code: number) => void;
/** Adds a verb, or several related ones, to the program: names, options and help only. */
export type Register = (program: Command, setExitCode: SetExitCode) => void;
/** Verb → where its names and options are. Related verbs share one function. */
export type Verbs = Readonly<Record<string, () => Promise<Register>>>;

const HELP = `
Start here:
  hardshell explain 'rm -rf build'   what would it do?
  hardshell run 'npm test'           check it and run it
  hardshell install claude-code      add it to an agent; --list shows which
  hardshell init                     settings, with the common choices explained
  hardshell SUBCOMMAND --help        its options, exit codes, examples

Exit codes: 0 done; 2 usage error; 70 internal error; 74 the output cannot be
written; 130 interrupted.
check: 0 allow, 1 deny, 3 ask. run: the command's own, or 2 usage error,
124 too long, 125 hardshell failed, 126 denied.
Data goes to standard output, everything else to standard error; most
subcommands print JSON with --json.`;

/** With these, standard output is for programs, errors included. */
const JSON_OPTIONS = ['--json', '--stream', '--batch'];

/** Commander calls them commands; here a command is what bash runs. */
const SUBCOMMANDS: HelpConfiguration = {
  groupItems: (all, visible, groupOf) =>
    Help.prototype.groupItems(all, visible, (item) => (item instanceof Command ? 'Subcommands:' : groupOf(item))),
  commandUsage: (command) => Help.prototype.commandUsage.call(new Help(), command).replace('[command]', '[subcommand]'),
};

/** Runs one command line and sets the process's exit code. */
export async function start(argv: readonly string[], verbs: Verbs): Promise<Ending> {
  noteTyped(argv);
  process.on('SIGINT', () => process.exit(EXIT.interrupted));
  let hasAction = false;
  try {
    process.exitCode = await dispatch(argv, verbs, () => {
      hasAction = true;
      watchStreams();
    });
    return { isFlushed: hasAction ? areStreamsFlushed() : isWritten(), isTypical: true };
  } catch (error) {
    watchStreams();
    process.exitCode = reportFailure(error, { json: JSON_OPTIONS.some((option) => argv.includes(option)) });
    return { isFlushed: false, isTypical: false };
  }
}

async function dispatch(argv: readonly string[], verbs: Verbs, onAction: () => void): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = await createProgram(verbs, argv[0], (code) => {
    exitCode = code;
  });
  program.hook('preAction', onAction);
  try {
    await program.parseAsync(withHelpOption(argv, program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    throw new UsageError(error.code, error.message);
  }
  return exitCode;
}

/** `help VERB` and `VERB help SUBCOMMAND` are other spellings of `--help`. */
function withHelpOption(argv: readonly string[], program: Command): string[] {
  const [verb, second, ...rest] = argv;
  if (verb === undefined) return ['--help'];
  const named = (name: string | undefined) => program.commands.find((command) => command.name() === name);
  if (verb === 'help') {
    if (second !== undefined && !second.startsWith('-') && named(second) === undefined) return [second];
    return [...argv.slice(1).filter((word) => !word.startsWith('-')), '--help'];
  }
  const hasSubcommands = (named(verb)?.commands.length ?? 0) > 0;
  return second === 'help' && hasSubcommands ? [verb, ...rest, '--help'] : [...argv];
}

/** The program with one verb, or with all when `verb` is none of them. */
export async function createProgram(
  verbs: Verbs,
  verb: string | undefined,
  setExitCode: SetExitCode,
): Promise<Command> {
  const program = new Command('hardshell')
    .description(
      'Understands bash commands: what would run, and what it reads, writes, deletes and contacts; and decides whether it may.',
    )
    .version(version())
    .showSuggestionAfterError()
    // Words after a verb belong to it, whichever verbs are loaded.
    .enablePositionalOptions()
    .configureHelp(SUBCOMMANDS)
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [subcommand]', 'show help')
    // Errors are reported in one place, with a hint; commander's own text would come first.
    .configureOutput({
      writeErr: () => {},
      writeOut: print,
      getOutHelpWidth: () => plainStdout().columns,
      getOutHasColors: () => false,
    })
    .addHelpText('after', HELP)
    .exitOverride();
  for (const load of loadersFor(verbs, verb)) (await load())(program, setExitCode);
  return program;
}

function loadersFor(verbs: Verbs, verb: string | undefined): ReadonlySet<() => Promise<Register>> {
  const load = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load !== undefined) return new Set([load]);
  return new Set(verb === '--version' || verb === '-V' ? [] : Object.values(verbs));
}

function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
