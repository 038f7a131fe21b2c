// Every verb and where it is, one line each; nothing is loaded before the verb is used.

import type { Verbs } from '../program.ts';

const deciding = async () => (await import('./deciding.ts')).registerDeciding;
const changes = async () => (await import('../changes/register.ts')).registerChanges;
const approvals = async () => (await import('../approvals/register.ts')).registerApprovals;

/** In the order in which help lists them. */
export const VERBS: Verbs = {
  explain: deciding,
  check: deciding,
  analyze: deciding,
  hook: async () => (await import('../hook/register.ts')).registerHook,
  run: async () => (await import('../run/register.ts')).registerRun,
  tasks: async () => (await import('../tasks/register.ts')).registerTasks,
  changes,
  undo: changes,
  redo: changes,
  apply: changes,
  drop: changes,
  config: async () => (await import('../config/register.ts')).registerConfig,
  pending: approvals,
  approve: approvals,
  deny: approvals,
  install: async () => (await import('../install/register.ts')).registerInstall,
  mcp: async () => (await import('../mcp/register.ts')).registerMcp,
  audit: async () => (await import('../audit/register.ts')).registerAudit,
  dashboard: async () => (await import('../dashboard/register.ts')).registerDashboard,
  doctor: async () => (await import('../doctor/register.ts')).registerDoctor,
  learn: async () => (await import('../learn/register.ts')).registerLearn,
  init: async () => (await import('../init/register.ts')).registerInit,
  completions: async () => (await import('../completions/register.ts')).registerCompletions(VERBS),
  test: async () => (await import('../test-policy/register.ts')).registerTest,
};
