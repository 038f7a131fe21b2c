import type { Check } from '../../check.ts';

export const LIST_CHECKS: readonly Check[] = [];
