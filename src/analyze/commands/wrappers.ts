// Programs whose words are another command, in one family.

import type { CommandFamily } from './spec.ts';
import { processWrappers } from './wrappers-process.ts';
import { remoteWrappers } from './wrappers-remote.ts';
import { shellWrappers } from './wrappers-shells.ts';

export const wrappers: CommandFamily = { ...shellWrappers, ...processWrappers, ...remoteWrappers };
