// The default policy and context.

import type { Context, Policy } from './policy.ts';
import { TEMPORARY_FOLDERS } from './values/temporary-folders.ts';

export const DEFAULT_POLICY: Policy = {
  mode: 'default',
  rules: [],
  roots: null,
  confineReads: false,
  protectedPaths: [],
  secretPaths: [],
  allowedCommands: null,
  blacklist: { commands: [], directories: [] },
  domains: { allow: [], deny: [] },
  users: {},
  checks: {},
  threatRules: [],
  requireConfirmation: false,
  allowBypass: true,
};

export const DEFAULT_CONTEXT: Omit<Context, 'cwd'> = {
  project: null,
  home: null,
  temporary: TEMPORARY_FOLDERS,
  user: null,
  now: 0,
  probe: null,
  grants: [],
  classification: null,
  canSetEnvironment: false,
};
