// Always-on checks: refused, or asked about, regardless of the rules.

import type { Check } from '../../check.ts';
import { DANGEROUS_TEXT_CHECKS } from './code/dangerous-text.ts';
import { DESTRUCTIVE_CODE_CHECKS } from './code/destructive-code.ts';
import { ENDLESS_CHECKS } from './code/endless.ts';
import { ENDLESS_LOOP_CHECKS } from './code/endless-loops.ts';
import { ENVIRONMENT_CHECKS } from './code/environment.ts';
import { FETCHED_CODE_CHECKS } from './code/fetched-code.ts';
import { FORK_BOMB_CHECKS } from './code/fork-bomb.ts';
import { REMOTE_CODE_CHECKS } from './code/remote-code.ts';
import { REVERSE_SHELL_CHECKS } from './code/reverse-shell.ts';
import { DELETION_CHECKS } from './files/deletion.ts';
import { DEVICE_CHECKS } from './files/devices.ts';
import { PERMISSION_CHECKS } from './files/permissions.ts';
import { SYSTEM_WRITE_CHECKS } from './files/system-writes.ts';
import { GIT_CHECKS } from './git.ts';
import { OUTSIDE_CHECKS } from './outside.ts';
import { SECURITY_OFF_CHECKS } from './security-off.ts';
import { SELF_CHECKS } from './self.ts';
import { SYSTEM_CHECKS } from './system.ts';

export const SAFETY_CHECKS: readonly Check[] = [
  ...GIT_CHECKS,
  ...DELETION_CHECKS,
  ...DEVICE_CHECKS,
  ...PERMISSION_CHECKS,
  ...SYSTEM_WRITE_CHECKS,
  ...REMOTE_CODE_CHECKS,
  ...FETCHED_CODE_CHECKS,
  ...REVERSE_SHELL_CHECKS,
  ...FORK_BOMB_CHECKS,
  ...ENDLESS_CHECKS,
  ...ENDLESS_LOOP_CHECKS,
  ...DANGEROUS_TEXT_CHECKS,
  ...DESTRUCTIVE_CODE_CHECKS,
  ...ENVIRONMENT_CHECKS,
  ...SYSTEM_CHECKS,
  ...SECURITY_OFF_CHECKS,
  ...OUTSIDE_CHECKS,
  ...SELF_CHECKS,
];
