// The verbs that are asked once per command of an agent, each time by a new process. The build puts them into one file
// that starts quickly; see docs/decisions/0010-cold-start.md. Nothing that they need every time may load the rest.

import type { Verbs } from './program.ts';

const deciding = async () => (await import('./deciding.ts')).registerDeciding;

export const QUICK_VERBS: Verbs = {
  explain: deciding,
  check: deciding,
  analyze: deciding,
  hook: async () => (await import('../hook/register.ts')).registerHook,
};
