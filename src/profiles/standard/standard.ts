// hardshell's own tools, for surfaces without a profile. Limits and views are those of `claude-code`.

import type { Profile } from '../profile.ts';
import { BASH, BASH_READONLY, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './bash.ts';
import { CHANGES_TOOLS } from './changes.ts';
import { EXPLAIN_COMMAND } from './explain.ts';
import { TASK_INPUT, TASK_LIST, TASK_OUTPUT, TASK_STOP } from './tasks.ts';

export const STANDARD: Profile = {
  name: 'standard',
  engine: { view: 'claude-code', timeout: DEFAULT_TIMEOUT_MS, maxTimeout: MAX_TIMEOUT_MS },
  tools: [BASH, BASH_READONLY, TASK_OUTPUT, TASK_INPUT, TASK_STOP, TASK_LIST, EXPLAIN_COMMAND, ...CHANGES_TOOLS],
};
