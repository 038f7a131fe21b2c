// `hardshell mcp`: names and options only; the server is loaded when it is used.

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../../host/values.ts';
import type { Mode, ProfileName, SandboxName } from '../../../host.ts';
import { MODE_NAMES, PROFILE_NAMES } from '../options.ts';
import { usageError } from '../refusal.ts';
import { listenForSignals, readFolder, toPort } from '../serving.ts';

interface McpVerbOptions {
  readonly http?: true;
  readonly port?: number;
  readonly tokenFile?: string;
  readonly idleMinutes?: number;
  readonly profile?: ProfileName;
  readonly cwd?: string;
  readonly settings?: string;
  readonly sandbox?: SandboxName;
  readonly mode?: Mode;
  readonly answerWithin: number;
}

/** Duplicated here, so that naming the options does not load the engine. */
const SANDBOX_NAMES = ['restricted', 'workspace', 'unrestricted'] as const satisfies readonly SandboxName[];
const MAX_SECONDS = 86_400;

const HELP = `
Without --http it speaks with one client over standard input and output. Most
clients are set up by \`hardshell install\`. Configure others like this:
  {"mcpServers": {"hardshell": {"command": "hardshell", "args": ["mcp"]}}}
With --http any number of clients on this machine use it, each with its own
folder, answers and tasks. It listens on 127.0.0.1 only; the token that clients
must send is printed on stderr at the start.

Questions go to the user through the client if it supports that; they can also
be answered with \`hardshell approve\` in another terminal.
It ends with its input or on a signal; tasks continue. More: docs/mcp.md

Examples:
  hardshell mcp --cwd ~/work/project     the folder where commands begin
  hardshell mcp --sandbox restricted     only read
  hardshell mcp --http --port 7345       for several clients
  hardshell mcp --profile claude-code    the tools of a profile`;

export function registerMcp(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('mcp')
    .description('serve the shell tools to an agent, as an MCP server')
    .option('--http', 'over HTTP on 127.0.0.1 instead of standard input and output')
    .addOption(new Option('--port <n>', 'with --http: the port; default: any free one').argParser(toPort))
    .option('--token-file <file>', 'with --http: read the token from this file (mode 600) instead of generating one')
    .addOption(
      new Option(
        '--idle-minutes <n>',
        'with --http: forget a client after this many minutes without requests (30)',
      ).argParser(toMinutes),
    )
    .addOption(new Option('--profile <profile>', 'the tools of this profile').choices(PROFILE_NAMES))
    .addOption(new Option('--cwd <dir>', 'folder in which commands start').argParser(String))
    .addOption(
      new Option('--settings <file>', 'settings in addition to those of the user, the project and the machine'),
    )
    .addOption(new Option('--sandbox <sandbox>', 'what commands may access').choices(SANDBOX_NAMES))
    .addOption(new Option('--mode <mode>', 'how questions are handled').choices(MODE_NAMES))
    .addOption(
      new Option('--answer-within <seconds>', 'a command that takes longer is reported as running, and continues')
        .argParser(toSeconds)
        .default(45),
    )
    .addHelpText('after', HELP)
    .action(async (options: McpVerbOptions) => {
      const { profile, settings, sandbox, mode, http, port = 0, tokenFile, idleMinutes } = options;
      if (http === undefined && [options.port, tokenFile, idleMinutes].some((value) => value !== undefined))
        throw usageError('--port, --token-file and --idle-minutes require --http.', 'Add --http, or omit them.');
      const cwd = readFolder(options.cwd);
      const { serveMcp } = await import('../../mcp/serve.ts');
      setExitCode(
        await serveMcp(
          {
            cwd,
            answerWithinMs: Math.ceil(options.answerWithin * 1_000),
            ...defined({ profile }),
            ...(settings === undefined ? {} : { settingsFile: resolve(settings) }),
            ...defined({ sandbox, mode }),
            ...(http === undefined
              ? {}
              : {
                  http: {
                    port,
                    ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }),
                    ...(idleMinutes === undefined ? {} : { idleMs: idleMinutes * 60_000 }),
                  },
                }),
          },
          listenForSignals(),
        ),
      );
    });
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`Use a number of seconds, more than 0 and at most ${MAX_SECONDS}.`);
}

function toMinutes(value: string): number {
  const minutes = Number(value);
  if (value.trim() !== '' && minutes > 0 && minutes <= MAX_SECONDS / 60) return minutes;
  throw new InvalidArgumentError(`Use a number of minutes, more than 0 and at most ${MAX_SECONDS / 60}.`);
}
