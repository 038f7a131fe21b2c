// All checks, in the order of the documentation. The order does not affect the verdict.

import type { Check } from '../check.ts';
import { PATH_CHECKS } from '../paths/table.ts';
import { REPOSITORY_CHECKS } from '../repository/table.ts';
import { CONFUSION_CHECKS } from './confusion/table.ts';
import { LIST_CHECKS } from './lists/table.ts';
import { SAFETY_CHECKS } from './safety/table.ts';
import { THREAT_CHECKS } from './threats/table.ts';
import { WARNING_CHECKS } from './warnings/table.ts';

export const CHECKS: readonly Check[] = [
  ...SAFETY_CHECKS,
  ...WARNING_CHECKS,
  ...PATH_CHECKS,
  ...REPOSITORY_CHECKS,
  ...CONFUSION_CHECKS,
  ...THREAT_CHECKS,
  ...LIST_CHECKS,
];
