// The record of a task that has ended → how it ended, in the words of results.

import type { RunStatus } from '../core/running.ts';
import { notesOf } from './notes.ts';
import { findRecord, signalName } from './registry.ts';
import { statusOf } from './status.ts';

export interface EndedTask {
  readonly command: string;
  readonly status: RunStatus;
  /** Why hardshell ended it; `unknown`: its supervisor was killed, or the machine was restarted. */
  readonly cause: string | null;
  readonly notes: readonly string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: number;
  readonly outputBytes: number;
}

/** `null`: there is no record. */
export function readEndedTask(folder: string, id: string): EndedTask | 'running' | null {
  const record = findRecord(folder, id);
  if (record === null) return null;
  const { state, exitCode, signal, cause, startedAtMs, fields } = record;
  if (state === 'running') return 'running';
  const { command, stdoutBytes, stderrBytes } = fields;
  return {
    command: typeof command === 'string' ? command : '',
    status: statusOf(record),
    cause: state === 'lost' ? 'unknown' : cause === 'none' ? null : cause,
    notes: notesOf(record),
    exitCode,
    signal: signal === null ? null : signalName(signal),
    startedAt: startedAtMs,
    outputBytes: numberOf(stdoutBytes) + numberOf(stderrBytes),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
