// LAYER's three families of threats, secrets that would be printed or sent to another server, and threat rules of callers.

import type { Check } from '../../check.ts';
import { CALLER_CHECKS } from './caller-rules.ts';
import { CREDENTIAL_CHECKS } from './credentials.ts';
import { EXFILTRATION_CHECKS } from './exfiltration.ts';
import { FOREIGN_SERVER_CHECKS } from './foreign-servers.ts';
import { INJECTION_CHECKS } from './injection.ts';
import { PRIVILEGE_CHECKS } from './privilege.ts';
import { SECRET_SEARCH_CHECKS } from './secret-search.ts';
import { SECRET_VARIABLE_CHECKS } from './secret-variables.ts';

export const THREAT_CHECKS: readonly Check[] = [
  ...INJECTION_CHECKS,
  ...PRIVILEGE_CHECKS,
  ...EXFILTRATION_CHECKS,
  ...SECRET_VARIABLE_CHECKS,
  ...SECRET_SEARCH_CHECKS,
  ...CREDENTIAL_CHECKS,
  ...FOREIGN_SERVER_CHECKS,
  ...CALLER_CHECKS,
];
