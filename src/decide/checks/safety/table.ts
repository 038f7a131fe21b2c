import type { Check } from '../../check.ts';

export const SAFETY_CHECKS: readonly Check[] = [];
