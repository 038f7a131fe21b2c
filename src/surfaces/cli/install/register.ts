// The verb `install`: its argument, options and help only; the rest is loaded when it is used.

import { Argument, type Command } from 'commander';
import { AGENT_NAMES, type AgentName, type InstallOptions } from './options.ts';

const HELP = `
The agent keeps its own shell tool, and a hook hands each command to hardshell,
which decides, and runs it in its sandbox (claude-code, codex, gemini,
opencode). The other agents get hardshell as an MCP server, with tools that
check, confine and record commands. --mcp and --verdict-only choose; the server
and a hook can both be installed.

It shows the change and asks first; a backup of the file stays next to it.
Comments and formatting are kept.

Exit code: 0 done or nothing to do; 1 you said no; 2 a file or an option is
wrong, and nothing was changed.

Examples:
  hardshell install --list                  agents and what is installed
  hardshell install claude-code             shows the change and asks first
  hardshell install claude-code --mcp --yes
  hardshell install cursor --verdict-only
  hardshell install vscode --project --dry-run
  hardshell install codex --undo            removes what it added`;

export function registerInstall(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('install')
    .description("add hardshell to an agent's settings, or remove it")
    .addArgument(new Argument('[agent]', 'the agent').choices(AGENT_NAMES))
    .option('--mcp', 'the MCP server, instead of the hook')
    .option('--verdict-only', 'a hook that only decides: the agent runs the commands itself, without the sandbox')
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
