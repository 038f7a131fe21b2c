import type { Check } from '../check.ts';

export const REPOSITORY_CHECKS: readonly Check[] = [];
