// LAYER's `BashConfiguration` with its defaults. A request can only lower these limits.

import { basename } from 'node:path';
import { SHELLS, type Shell } from '../../core/facts.ts';
import type { SecurityLevel } from '../../core/failure.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export interface BashConfiguration {
  readonly enableSandbox: boolean;
  /** Empty: everything that the settings allow. */
  readonly commandWhitelist: readonly string[];
  /** Empty: everything that the settings allow. */
  readonly allowedPaths: readonly string[];
  /** `high`: risky commands are asked about, even if a rule allows them. */
  readonly securityLevel: SecurityLevel;
  /** Milliseconds. */
  readonly defaultTimeout: number;
  /** Bytes; a command that writes more is ended. */
  readonly maxOutputSize: number;
  readonly enableStreaming: boolean;
  readonly maxMemoryUsage: number;
  /** Percent of one CPU. */
  readonly maxCpuUsage: number;
  readonly maxProcesses: number;
  readonly maxFileDescriptors: number;
  readonly preserveEnvironment: boolean;
  /** Empty: the folder of the session. */
  readonly defaultWorkingDirectory: string;
  readonly defaultShell: string;
  readonly enableMonitoring: boolean;
  /** Used by the recorder. */
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

/** The longest possible timer: the document defines no maximum. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function findShell({ defaultShell }: BashConfiguration): Shell {
  return SHELLS.find((name) => name === basename(defaultShell)) ?? 'bash';
}
