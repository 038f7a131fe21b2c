// docs/agents.md shows by hand what `hardshell install` writes: each block is compared with it.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/surfaces/cli/install/agents.ts';
import { AGENT_NAMES, type AgentName } from '../../src/surfaces/cli/install/options.ts';
import { planInstall } from '../../src/surfaces/cli/install/plan.ts';
import type { Target } from '../../src/surfaces/cli/install/target.ts';

const TEXT = readFileSync(fileURLToPath(new URL('../../docs/agents.md', import.meta.url)), 'utf8');
const PLACE = { home: '/home/u', cwd: '/w', platform: 'linux', environment: {} } as const;
const blocks = [...TEXT.matchAll(/<!-- ([a-z-]+) (server|hook) -->\n```\w+\n([\s\S]*?)```/g)].map(
  ([, agent, what, code]) => [agent as AgentName, what as 'server' | 'hook', code as string] as const,
);

test.each(blocks)('%s %s', (agent, what, code) => {
  const { server, hook } = AGENTS[agent];
  const target = (what === 'hook' ? hook?.('user', PLACE) : server('user', PLACE)) as Target;
  const argv = ['/usr/bin/node', '/opt/hardshell/bin/hardshell.js', ...(what === 'hook' ? ['hook', agent] : ['mcp'])];
  expect(code).toBe(planInstall(target, null, argv, { platform: 'linux', timeout: '/usr/bin/timeout' }));
});

test('every agent and every hook is there', () => {
  const shown = blocks.map(([agent, what]) => `${agent} ${what}`);
  const hooks = AGENT_NAMES.filter((name) => AGENTS[name].hook !== undefined).map((name) => `${name} hook`);
  // Cursor and Gemini CLI have the entry of Claude Desktop.
  const servers = AGENT_NAMES.filter((name) => name !== 'cursor' && name !== 'gemini').map((name) => `${name} server`);
  expect(shown.sort()).toEqual([...hooks, ...servers].sort());
  expect(TEXT).toContain('### Cursor and Gemini CLI');
});
