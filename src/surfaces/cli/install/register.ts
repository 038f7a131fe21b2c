// The verb `install`: its argument, options and help only; the rest is loaded when it is used.

import { Argument, type Command } from 'commander';
import { AGENT_NAMES, type AgentName, type InstallOptions } from './options.ts';

const HELP = `
Without --hook the agent gets hardshell as an MCP server: tools of its own that
run commands judged, confined and recorded. With --hook it keeps its own shell
tool, and asks hardshell before each command (claude-code, codex, cursor,
gemini). Both can be installed.

It shows the change and asks; a copy of the file stays beside it. Comments and
formatting are kept.

Exit code: 0 done or nothing to do; 1 you said no; 2 a file or an option is
wrong, and nothing was changed.

Examples:
  hardshell install --list                  which agents are here, what is in
  hardshell install claude-code             shows the change, and asks
  hardshell install claude-code --hook --yes
  hardshell install vscode --project --dry-run
  hardshell install codex --undo            takes out what it added`;

export function registerInstall(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('install')
    .description("put hardshell into an agent's settings, or take it out again")
    .addArgument(new Argument('[agent]', 'the agent').choices(AGENT_NAMES))
    .option('--hook', 'the hook that judges what the agent runs itself, instead of the MCP server')
    .option('--user', 'your own settings (what holds without an option)')
    .option('--project', 'the settings of the project in the current folder')
    .option('--undo', 'take it out again')
    .option('--list', 'show which agents are here and what is installed')
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
