// The verb `hook`: its argument, options and help only; the rest is loaded when it is used.

import { Argument, type Command, Option } from 'commander';
import { HOOK_AGENTS, type HookAgent } from './agents.ts';
import type { HookOptions } from './verb.ts';

const HELP = `
The agent starts it before every shell command and gives it an event on standard
input. \`hardshell install AGENT\` adds it to the agent's settings;
docs/agents.md has the details.

It prints allow, ask or deny in the agent's own form, or {} if the event is not
about a shell command. Exit code: 0; 2 if the command could not be checked,
which blocks it.

Examples:
  hardshell install claude-code
  hardshell hook claude-code < event.json
  hardshell hook codex --on-ask pass < event.json`;

export function registerHook(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('hook')
    .description('the hook of an agent: check a command before the agent runs it')
    .addArgument(new Argument('<agent>', 'the agent').choices(HOOK_AGENTS))
    .addOption(
      new Option(
        '--on-ask <answer>',
        "if the agent's hook cannot ask the user: deny, or pass to leave it to the agent's own prompt",
      )
        .choices(['deny', 'pass'])
        .default('deny'),
    )
    .addOption(
      new Option('--confine', 'let hardshell run the commands that pass, in its sandbox (not cursor, qwen)').conflicts(
        'onAsk',
      ),
    )
    .addHelpText('after', HELP)
    .action(async (agent: HookAgent, options: HookOptions) => {
      const { answerHook } = await import('./verb.ts');
      setExitCode(await answerHook(agent, options));
    });
}
