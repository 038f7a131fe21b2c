import type { Check } from '../../check.ts';

export const THREAT_CHECKS: readonly Check[] = [];
