// Warnings: may be intended, but deserve a second look. They never change a verdict.

import type { Check } from '../../check.ts';
import { DATA_WARNINGS } from './data.ts';
import { FILE_AND_PROCESS_WARNINGS } from './files-and-processes.ts';
import { HISTORY_WARNINGS } from './history.ts';
import { INFRASTRUCTURE_WARNINGS } from './infrastructure.ts';

export const WARNING_CHECKS: readonly Check[] = [
  ...HISTORY_WARNINGS,
  ...FILE_AND_PROCESS_WARNINGS,
  ...DATA_WARNINGS,
  ...INFRASTRUCTURE_WARNINGS,
];
