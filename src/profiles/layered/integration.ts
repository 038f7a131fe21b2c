// LAYER's interfaces to other tools: file tools (what a command accesses, may access and has accessed) and configuration.
// Monitoring, alerts and the audit log belong to the recorder.

import type { Effects, PathEffect } from '../../core/facts.ts';
import type { Policy } from '../../core/policy.ts';
import type { FileChanges, RunResult } from '../../core/running.ts';
import type { Calling } from '../profile.ts';
import { decisiveFindings } from '../shared/wording.ts';
import { type BashConfiguration, completeConfiguration } from './configuration.ts';
import { readRequest } from './input.ts';

export interface FileOperation {
  readonly type: 'read' | 'write' | 'delete';
  /** `null`: not known before it runs. */
  readonly path: string | null;
  readonly recursive: boolean;
}

export interface FileOperationAnalysis {
  readonly operations: readonly FileOperation[];
  /** False: there may be more. */
  readonly isComplete: boolean;
}

export interface PermissionResult {
  readonly allowed: boolean;
  readonly reason: string | null;
}

export type ResourceLimits = Partial<
  Pick<BashConfiguration, 'maxMemoryUsage' | 'maxCpuUsage' | 'maxProcesses' | 'maxFileDescriptors' | 'maxOutputSize'>
>;

export interface LayeredIntegration {
  analyzesFileOperations(command: string, args: readonly string[]): FileOperationAnalysis;
  validateFileOperationPermissions(command: string, args: readonly string[]): Promise<PermissionResult>;
  syncFileStateAfterExecution(result: RunResult): FileChanges;
  getBashConfiguration(): BashConfiguration;
  getSecurityPolicy(): Policy;
  /** For this session. */
  updateCommandWhitelist(commands: readonly string[]): void;
  configureResourceLimits(limits: ResourceLimits): void;
}

const KEY = 'layered.configuration';

/** Including changes made for this session. */
export function mergeConfiguration({ state }: Calling, config: BashConfiguration): BashConfiguration {
  return { ...config, ...(state.get(KEY) as Partial<BashConfiguration> | undefined) };
}

export function createLayeredIntegration(calling: Calling, given: Partial<BashConfiguration> = {}): LayeredIntegration {
  const { shell, session, state } = calling;
  const config = completeConfiguration(given);
  /** As the tool would check it. */
  const check = (command: string, args: readonly string[]) => {
    const request = readRequest({ command, args }, mergeConfiguration(calling, config), session.cwd);
    return shell.check(request.command, session.complete(request.options));
  };
  const change = (more: Partial<BashConfiguration>) => {
    completeConfiguration(more);
    state.set(KEY, { ...(state.get(KEY) as Partial<BashConfiguration> | undefined), ...more });
  };
  return {
    analyzesFileOperations: (command, args) => analysisOf(check(command, args).facts.effects),
    async validateFileOperationPermissions(command, args) {
      const { verdict } = check(command, args);
      if (verdict.decision === 'allow') return { allowed: true, reason: null };
      const against = decisiveFindings(verdict);
      const [first] = [...against.filter(({ layer }) => layer === 'paths'), ...against];
      return { allowed: false, reason: first?.message ?? 'The policy does not allow this command.' };
    },
    syncFileStateAfterExecution: ({ files }) => files,
    getBashConfiguration: () => mergeConfiguration(calling, config),
    getSecurityPolicy: () => shell.policy(session.complete({ profile: 'layered' })),
    updateCommandWhitelist: (commands) => change({ commandWhitelist: [...commands] }),
    configureResourceLimits: (limits) => change(limits),
  };
}

function analysisOf({ reads, writes, deletes, unknown }: Effects): FileOperationAnalysis {
  const as = (type: FileOperation['type']) => (effect: PathEffect) => ({
    type,
    path: effect.path,
    recursive: effect.recursive === true,
  });
  const operations = [...reads.map(as('read')), ...writes.map(as('write')), ...deletes.map(as('delete'))];
  return { operations, isComplete: unknown.length === 0 && operations.every(({ path }) => path !== null) };
}
