// `hardshell learn`: names and options only; the verb is loaded when it is used.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, collectExisting, collectPort, secondsUpTo } from '../option-values.ts';
import { MODE_NAMES, PROFILE_NAMES, SHELL_NAMES } from '../options.ts';
import { type LearnVerbOptions, TARGETS } from './options.ts';

const MAX_RUNS = 20;

const HELP = `
The command is checked first, as by \`run\`. It then runs in the sandbox of the current settings, under observation.
Nothing else is open: an approval (yours, or --yes) lets it run, but opens nothing that it names. Refusals are listed as
the settings that it needs. A command often stops at the first refusal; in a terminal you are asked whether it may run
again with exactly what is listed, and --runs approves that in advance. Protected, hidden and denied targets are opened
in no run. Hidden files are proposed only with --with-secrets, the others never.

Exit code:  0 learned: what is listed was enough (or nothing was needed)   3 it needed more, and did not run again
            2 invalid options or input     125 hardshell itself failed     126 it was denied
          130 it was interrupted (Ctrl-C)
        other the command failed with everything that is listed: its own exit code

Examples:
  hardshell learn -- npm ci                       several words: a program, without a shell
  hardshell learn 'make && make install'          one word: a command for the shell
  hardshell learn --runs 5 --write local -- ./build.sh
  hardshell learn --allow-write /opt -- ./once   for commands that must not run twice: open more, and see what is used`;

export function registerLearn(program: Command, setExitCode: (code: number) => void): void {
  // Words after the command belong to it, even if they look like our options.
  program.enablePositionalOptions();
  const verb = program
    .command('learn')
    .description('run a command under observation, and print the smallest settings that it needs')
    .usage('[options] -- COMMAND [ARGS...]')
    .argument('<command>', 'the command, quoted as one argument, or - to read it from standard input; or a program')
    .argument('[args...]', 'the arguments of the program')
    .passThroughOptions()
    .addOption(
      new Option('--runs <number>', `run it up to this many times, each time with what it asked for before`).argParser(
        toRuns,
      ),
    )
    .option('--prove', 'then run it once without each need, and drop those that it does not require')
    .addOption(new Option('--write <target>', 'add the result to these settings').choices(TARGETS))
    .option('--with-secrets', 'also propose access to the hidden files that it tried to read; they stay hidden now')
    .addOption(
      new Option('--allow-write <path>', 'a path that it may change from the start; listed only if used').argParser(
        collectExisting,
      ),
    )
    .addOption(new Option('--allow-domain <host>', 'a host that it may contact from the start').argParser(collect))
    .addOption(new Option('--allow-port <port>', 'a port of this machine, open from the start').argParser(collectPort))
    .addOption(new Option('--timeout <seconds>', 'end it after this time').argParser(secondsUpTo(86_400)))
    .addOption(new Option('--cwd <dir>', 'folder in which it runs').argParser(String))
    .option('--json', 'print the report as one JSON object')
    .option('--yes', 'approve the run; denied commands stay denied, and nothing is opened by it')
    .option('--ask', 'without a terminal: wait for an answer from another one')
    .addOption(new Option('--shell <shell>', 'shell that runs it').choices(SHELL_NAMES).default('bash'))
    .addOption(new Option('--profile <profile>', 'check as the tool of this profile would').choices(PROFILE_NAMES))
    .addOption(new Option('--mode <mode>', 'how questions are handled').choices(MODE_NAMES))
    .addOption(
      new Option('--settings <file>', 'settings in addition to those of the user, the project and the machine'),
    )
    .option('--no-color', 'plain text')
    .addHelpText('after', HELP);
  verb.action(async (command: string, args: string[]) => {
    const { learnFrom } = await import('./verb.ts');
    setExitCode(await learnFrom(command, args.length === 0 ? null : args, verb.opts<LearnVerbOptions>()));
  });
}

function toRuns(value: string): number {
  const runs = Number(value);
  if (Number.isInteger(runs) && runs >= 1 && runs <= MAX_RUNS) return runs;
  throw new InvalidArgumentError(`Use a number from 1 to ${MAX_RUNS}.`);
}
