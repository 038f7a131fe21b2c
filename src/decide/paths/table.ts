// All checks on paths.

import type { Check } from '../check.ts';
import { BOUNDARY_CHECKS } from './boundaries.ts';
import { protectedPath } from './protection.ts';
import { accountList, homeWideRead, secretInHistory, secretRead } from './secrets.ts';
import { cwdOutside } from './working-folders.ts';

export const PATH_CHECKS: readonly Check[] = [
  ...BOUNDARY_CHECKS,
  cwdOutside,
  protectedPath,
  secretRead,
  secretInHistory,
  accountList,
  homeWideRead,
];
