import type { Check } from '../../check.ts';

export const WARNING_CHECKS: readonly Check[] = [];
