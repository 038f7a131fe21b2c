// The verb `hook`: its argument, options and help only; the rest is loaded when it is used.

import { Argument, type Command, Option } from 'commander';
import { HOOK_AGENTS, type HookAgent } from './agents.ts';
import type { HookOptions } from './verb.ts';

const HELP = `
The agent starts it before every shell command and gives it an event on standard
input. \`hardshell install AGENT --hook\` puts it into the agent's settings;
docs/agents.md has the details.

Exit code: 0 with the agent's own form of allow, ask or deny on standard output,
or with nothing when the event is not about a shell command; 2 whenever it
cannot be judged, which stops the command.

Examples:
  hardshell install claude-code --hook
  hardshell hook claude-code < event.json
  hardshell hook codex --on-ask pass < event.json`;

export function registerHook(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('hook')
    .description("answer an agent that asks before it runs a command with its own tool: the agent's hook")
    .addArgument(new Argument('<agent>', 'who asks').choices(HOOK_AGENTS))
    .addOption(
      new Option(
        '--on-ask <answer>',
        "what a question becomes where the agent's hook cannot ask: deny, or pass to leave it to the agent's own prompt",
      )
        .choices(['deny', 'pass'])
        .default('deny'),
    )
    .addHelpText('after', HELP)
    .action(async (agent: HookAgent, options: HookOptions) => {
      const { answerHook } = await import('./verb.ts');
      setExitCode(await answerHook(agent, options));
    });
}
