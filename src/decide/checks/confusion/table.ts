import type { Check } from '../../check.ts';

export const CONFUSION_CHECKS: readonly Check[] = [];
