// The verb `install`: its argument, options and help only; the rest is loaded when it is used.

import { Argument, type Command } from 'commander';
import { AGENT_NAMES, type AgentName, type InstallOptions } from './options.ts';

const HELP = `
Without --hook the agent gets hardshell as an MCP server: tools that
check, confine and record commands. With --hook it keeps its own shell tool, and
checks each command with hardshell first (claude-code, codex, cursor, gemini).
Both can be installed.

It shows the change and asks first; a backup of the file stays next to it.
Comments and formatting are kept.

Exit code: 0 done or nothing to do; 1 you said no; 2 a file or an option is
wrong, and nothing was changed.

Examples:
  hardshell install --list                  agents and what is installed
  hardshell install claude-code             shows the change and asks first
  hardshell install claude-code --hook --yes
  hardshell install vscode --project --dry-run
  hardshell install codex --undo            removes what it added`;

export function registerInstall(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('install')
    .description("add hardshell to an agent's settings, or remove it")
    .addArgument(new Argument('[agent]', 'the agent').choices(AGENT_NAMES))
    .option('--hook', 'the hook that checks each command the agent runs itself, instead of the MCP server')
    .option('--user', 'your own settings (default)')
    .option('--project', 'the settings of the project in the current folder')
    .option('--undo', 'remove it')
    .option('--list', 'list the agents on this machine and what is installed')
    .option('--dry-run', 'show the change and write nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .addHelpText('after', HELP)
    .action(async (agent: AgentName | undefined, options: InstallOptions) => {
      const { install } = await import('./verb.ts');
      setExitCode(await install(agent, options));
    });
}
