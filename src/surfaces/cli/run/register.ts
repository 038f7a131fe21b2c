// `hardshell run`: names and options only; the verb is loaded when it is used.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, collectExisting, collectPort, secondsUpTo } from '../option-values.ts';
import { MODE_NAMES, PROFILE_NAMES, SANDBOX_NAMES, SHELL_NAMES, STAGING_NAMES } from '../options.ts';
import { usageError } from '../refusal.ts';
import { didYouMean } from '../show/typed.ts';
import type { RunVerbOptions } from './options.ts';
import { collectField } from './profile-input.ts';

const MAX_TIMEOUT_SECONDS = 7 * 86_400;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const HELP = `
Options come before the command. The command is checked first: what is denied does not run, and a
question is asked in this terminal. Without a terminal the question is answered with no at once;
with --ask it waits for \`hardshell approve\` in another terminal.

Exit code: that of the command; 128+n if signal n ended it; hardshell's own codes:
    2  invalid options or input            126  it was denied, or not approved
   74  the output cannot be written        127  the program does not exist
  124  it ran longer than --timeout        130  it was interrupted (Ctrl-C, also at a question)
  125  hardshell itself failed             141  the reader of its output is gone (| head)
Ctrl-C asks the command to end, with everything it started; a second one does not wait for it.
If the reader of the output is gone, the command is ended in the same way, without a message.

Examples:
  hardshell run 'npm test'
  hardshell run --verbose 'make install'           with the verdict, the sandbox, the changes
  hardshell run --timeout 60 --env CI=1 'make -j4 | tee build.log'
  hardshell run --argv grep -rn 'a b' src          without a shell: each word as it is
  tar c src | hardshell run 'wc -c'                standard input goes to the command; use < /dev/null to pass none
  hardshell run --allow-domain registry.npmjs.org 'npm ci'
  hardshell run --publish 5173 'npm run dev'
  hardshell run --background 'npm run dev'         then: hardshell tasks
  hardshell run --profile req --field mode=slow 'make'   as the tool of a profile would

With --profile the answer of its tool is printed when the command has ended; the command gets no input.`;

export function registerRun(program: Command, setExitCode: (code: number) => void): void {
  // Words after the command belong to it, even if they look like our options.
  program.enablePositionalOptions();
  const verb = program
    .command('run')
    .description('check a command and run it; its output and exit code are passed on')
    .usage('[options] COMMAND | --argv PROGRAM [ARGS...]')
    .argument(
      '<command>',
      'the command, quoted as one argument, or - to read it from standard input; with --argv a program',
    )
    .argument('[args...]', 'with --argv: the arguments of the program')
    .passThroughOptions()
    .addOption(
      new Option(
        '--timeout <seconds>',
        'end it, and every process it started, after this time; default: no limit',
      ).argParser(secondsUpTo(MAX_TIMEOUT_SECONDS)),
    )
    .addOption(new Option('--cwd <dir>', 'folder in which it runs').argParser(String))
    .addOption(new Option('--env <name=value>', 'set a variable; can be repeated').argParser(collectVariable))
    .option('--background', 'start it and return at once; see `hardshell tasks`')
    .option('--json', 'print the result as one JSON object instead of the output')
    .option('--stream', 'print events as JSON, one per line, with the result last')
    .option('-v, --verbose', 'also print the verdict, the sandbox, what changed and where it is recorded')
    .option('--argv', 'run a program without a shell: nothing in its arguments is expanded')
    .option(
      '--yes',
      'answer questions with yes; this opens what the command names, also keys and other secrets; denied commands stay denied',
    )
    .option('--ask', 'without a terminal: wait for an answer from another one')
    .addOption(
      new Option(
        '--sandbox <name>',
        'what it may access: restricted (only read, no network), workspace (write in this folder), unrestricted',
      ).choices(SANDBOX_NAMES),
    )
    .addOption(
      new Option('--allow-write <path>', 'an additional file or folder that it may change').argParser(collectExisting),
    )
    .addOption(
      new Option('--allow-domain <host>', 'a host that it may contact: example.com, *.example.com').argParser(collect),
    )
    .addOption(
      new Option('--allow-port <port>', 'a port of this machine that it may reach on localhost').argParser(collectPort),
    )
    .addOption(
      new Option('--publish <port>', 'a port on which it can be reached from this machine').argParser(collectPort),
    )
    .addOption(
      new Option(
        '--staging <mode>',
        'its changes: off (made directly), apply (can be undone), review (held until `hardshell apply`)',
      ).choices(STAGING_NAMES),
    )
    .option('--dangerously-disable-sandbox', 'ask to run it outside the sandbox; the settings must allow such requests')
    .addOption(new Option('--shell <shell>', 'shell that runs it').choices(SHELL_NAMES).default('bash'))
    .addOption(
      new Option(
        '--profile <profile>',
        'as the tool of this profile: its limits, its texts, and with --json its result',
      ).choices(PROFILE_NAMES),
    )
    .addOption(
      new Option('--field <name=value>', 'with --profile: a field of its tool, such as mode=slow').argParser(
        collectField,
      ),
    )
    .addOption(
      new Option('--ticket <id>', "used by hardshell's hooks: run the command that this ticket is for").conflicts([
        ...['argv', 'ask', 'background', 'cwd', 'dangerouslyDisableSandbox', 'env', 'json', 'mode', 'profile'],
        ...['settings', 'staging', 'stream', 'timeout', 'yes', 'allowWrite', 'allowDomain', 'allowPort', 'publish'],
        ...['sandbox', 'verbose', 'field', 'description'],
      ]),
    )
    .option('--description <text>', 'what it does, for the person who is asked and for the record')
    .addOption(new Option('--mode <mode>', 'how questions are handled').choices(MODE_NAMES))
    .addOption(
      new Option('--settings <file>', 'settings in addition to those of the user, the project and the machine'),
    )
    .option('--no-color', 'plain text')
    .addHelpText('after', HELP);
  verb.action(async (command: string, args: string[]) => {
    takeLateOptions(verb, args);
    const options = verb.opts<RunVerbOptions>();
    if (options.background && options.stream) {
      throw usageError(
        '--background and --stream cannot be combined.',
        'Follow it later with: hardshell tasks logs -f ID',
      );
    }
    if (options.background && options.staging !== undefined && options.staging !== 'off')
      throw usageError(
        '--background and --staging cannot be combined.',
        'Only changes of commands in the foreground are staged: omit one of them.',
      );
    if (options.field !== undefined && options.profile === undefined)
      throw usageError('--field requires --profile.', 'Add --profile, or omit it.');
    const { startRunner } = await import('./live/early-runner.ts');
    const runner = startRunner();
    try {
      const { run } = await import('./verb.ts');
      // Processes what the keeper has sent in the meantime.
      await new Promise((resolve) => setImmediate(resolve));
      setExitCode(await run(command, options.argv ? args : null, { ...options, runner }));
    } finally {
      await runner.close();
    }
  });
}

/** Without --argv no words follow the command, so options there can only be ours. */
function takeLateOptions(verb: Command, args: readonly string[]): void {
  if (verb.opts<RunVerbOptions>().argv || args.length === 0) return;
  const { operands, unknown } = verb.parseOptions([...args]);
  const [word] = [...operands, ...unknown];
  if (word === undefined && !verb.opts<RunVerbOptions>().argv) return;
  if (word === undefined)
    throw usageError('--argv must come before the program.', 'For example: hardshell run --argv ls -l');
  throw usageError(
    unexpected(word, optionsOf(verb)),
    "Quote the command as one argument: hardshell run 'ls -l'. To run a program without a shell: hardshell run --argv ls -l",
  );
}

function unexpected(word: string, options: readonly string[]): string {
  const meant = didYouMean(word, options);
  return `Unexpected argument: ${word}${meant === '' ? '' : `.${meant}`}`;
}

function optionsOf(verb: Command): readonly string[] {
  return verb.options.flatMap(({ long }) => long ?? []);
}

function collectVariable(
  value: string,
  before: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const at = value.indexOf('=');
  const name = value.slice(0, at);
  if (at === -1 || !VARIABLE.test(name)) {
    throw new InvalidArgumentError('Use NAME=value; the name has letters, digits and _ only.');
  }
  return { ...before, [name]: value.slice(at + 1) };
}
