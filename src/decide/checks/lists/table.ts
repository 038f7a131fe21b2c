// Lists of commands and folders: the blacklist, the allowlist, and blacklisted folders.

import type { Check } from '../../check.ts';
import { COMMAND_LIST_CHECKS } from './commands.ts';
import { DIRECTORY_LIST_CHECKS } from './directories.ts';

export const LIST_CHECKS: readonly Check[] = [...COMMAND_LIST_CHECKS, ...DIRECTORY_LIST_CHECKS];
