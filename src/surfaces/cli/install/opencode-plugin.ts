// The plugin that hands opencode's shell commands to hardshell: opencode has no other hooks.
// Whatever fails throws, and opencode does not run the command then.

import { NO_VERDICT } from './launch.ts';

export function opencodePlugin(argv: readonly string[]): string {
  const words = argv.map((word) => JSON.stringify(word)).join(', ');
  return `// Written by \`hardshell install opencode\`; \`hardshell install opencode --undo\` removes it.
import { spawnSync } from 'node:child_process';

const [program, ...words] = [${words}];

/** opencode would match such patterns against the changed command: then hardshell only decides. */
const hasPatterns = ({ permission }) =>
  Object.values(typeof permission?.bash === 'object' ? permission.bash : {}).some((action) => action !== 'allow');

export const Hardshell = async ({ directory }) => {
  let settings = {};
  return {
    config: async (loaded) => {
      settings = loaded;
    },
    'tool.execute.before': async ({ tool, sessionID }, output) => {
      if (tool !== 'bash') return;
      const event = {
        hook_event_name: 'PreToolUse',
        tool_name: tool,
        tool_input: output.args,
        cwd: directory,
        session_id: sessionID,
      };
      const args = hasPatterns(settings) ? words.filter((word) => word !== '--confine') : words;
      const options = { input: JSON.stringify(event), encoding: 'utf8', timeout: 25_000, cwd: directory };
      const { status, stdout } = spawnSync(program, args, options);
      let said = null;
      try {
        said = JSON.parse(stdout).hookSpecificOutput ?? {};
      } catch {}
      if (status !== 0 || said === null || said.permissionDecision === 'deny')
        throw new Error(said?.permissionDecisionReason ?? ${JSON.stringify(NO_VERDICT)});
      Object.assign(output.args, said.updatedInput);
    },
  };
};
`;
}
