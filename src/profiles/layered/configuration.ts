// LAYER's `BashConfiguration` with its defaults. What a request asks for can be less than its limits, never more.

import { basename } from 'node:path';
import { SHELLS, type Shell } from '../../core/facts.ts';
import type { SecurityLevel } from '../../core/failure.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export interface BashConfiguration {
  readonly enableSandbox: boolean;
  /** Empty: whatever the settings allow. */
  readonly commandWhitelist: readonly string[];
  /** Empty: what the settings allow. */
  readonly allowedPaths: readonly string[];
  /** `high`: whatever is risky is asked about, even where a rule allows it. */
  readonly securityLevel: SecurityLevel;
  /** Milliseconds. */
  readonly defaultTimeout: number;
  /** Bytes; what writes more is ended. */
  readonly maxOutputSize: number;
  readonly enableStreaming: boolean;
  readonly maxMemoryUsage: number;
  /** Percent of one processor. */
  readonly maxCpuUsage: number;
  readonly maxProcesses: number;
  readonly maxFileDescriptors: number;
  readonly preserveEnvironment: boolean;
  /** Empty: the folder of the session. */
  readonly defaultWorkingDirectory: string;
  readonly defaultShell: string;
  readonly enableMonitoring: boolean;
  /** Read by whoever keeps the records. */
  readonly enableAuditing: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

export const DEFAULT_BASH_CONFIGURATION: BashConfiguration = {
  enableSandbox: true,
  commandWhitelist: [],
  allowedPaths: [],
  securityLevel: 'medium',
  defaultTimeout: 30_000,
  maxOutputSize: 10 << 20,
  enableStreaming: true,
  maxMemoryUsage: 1 << 30,
  maxCpuUsage: 80,
  maxProcesses: 10,
  maxFileDescriptors: 1000,
  preserveEnvironment: false,
  defaultWorkingDirectory: '',
  defaultShell: '/bin/bash',
  enableMonitoring: true,
  enableAuditing: true,
  logLevel: 'info',
};

/** The longest that a timer can do: the document names no longest time. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function shellOf({ defaultShell }: BashConfiguration): Shell {
  return SHELLS.find((name) => name === basename(defaultShell)) ?? 'bash';
}
