// docs/agents.md shows by hand what `hardshell install` writes: each block is compared with it.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isConfinedAgent } from '../../src/surfaces/cli/hook/agents.ts';
import { AGENTS } from '../../src/surfaces/cli/install/agents.ts';
import { AGENT_NAMES, type AgentName } from '../../src/surfaces/cli/install/options.ts';
import { planInstall } from '../../src/surfaces/cli/install/plan.ts';
import type { Target } from '../../src/surfaces/cli/install/target.ts';

const TEXT = readFileSync(fileURLToPath(new URL('../../docs/agents.md', import.meta.url)), 'utf8');
const PLACE = { home: '/home/u', cwd: '/w', platform: 'linux', environment: {} } as const;
const blocks = [...TEXT.matchAll(/<!-- ([a-z-]+) (server|hook) -->\n```\w+\n([\s\S]*?)```/g)].map(
  ([, agent, what, code]) => [agent as AgentName, what as 'server' | 'hook', code as string] as const,
);

function wordsOf(agent: AgentName, what: 'server' | 'hook'): readonly string[] {
  if (what === 'server') return ['mcp'];
  return ['hook', agent, ...(isConfinedAgent(agent) ? ['--confine'] : [])];
}

test.each(blocks)('%s %s', (agent, what, code) => {
  const { server, hook } = AGENTS[agent];
  const target = (what === 'hook' ? hook?.('user', PLACE) : server('user', PLACE)) as Target;
  const argv = ['/usr/bin/node', '/opt/hardshell/bin/hardshell.js', ...wordsOf(agent, what)];
  expect(code).toBe(planInstall(target, null, argv, { platform: 'linux', timeout: '/usr/bin/timeout' }));
});

test('every agent and every hook is there', () => {
  const shown = blocks.map(([agent, what]) => `${agent} ${what}`);
  const hooks = AGENT_NAMES.filter((name) => AGENTS[name].hook !== undefined).map((name) => `${name} hook`);
  // Cursor and Cline have the entry of Claude Desktop, Qwen Code that of Gemini CLI.
  const servers = AGENT_NAMES.filter((name) => !['cursor', 'cline', 'qwen'].includes(name)).map(
    (name) => `${name} server`,
  );
  expect(shown.sort()).toEqual([...hooks, ...servers].sort());
  expect(TEXT).toContain('### Cursor and Cline');
  expect(TEXT).toContain('### Gemini CLI and Qwen Code');
});
