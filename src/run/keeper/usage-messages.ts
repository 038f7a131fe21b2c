// What a task uses and how it ended, as native/report.c writes it → values.

import type { MemoryMeasure } from '../../core/usage.ts';
import { END_CAUSES, type EndCause, type RunEvent } from '../port.ts';
import { PayloadReader } from './payload-reader.ts';

/** In the order of native/task.h. */
const MEMORY_MEASURES = ['largest-process', 'sampled', 'cgroup'] as const;

/** As in native/task.h. */
const MAX_UNENDED = 10;

function memoryMeasure(value: number): MemoryMeasure {
  return MEMORY_MEASURES[value] ?? 'largest-process';
}

export function decodeResource(payload: Buffer): RunEvent {
  const reader = new PayloadReader(payload);
  const elapsedMs = reader.u64();
  const [userMs, systemMs, cpuPercent] = [reader.u64() / 1000, reader.u64() / 1000, reader.u32()];
  const [memoryBytes, peakMemoryBytes, measure] = [reader.u64(), reader.u64(), reader.u8()];
  const [processes, peakProcesses] = [reader.u32(), reader.u32()];
  const [readBytes, writeBytes, outputBytes] = [reader.u64(), reader.u64(), reader.u64()];
  const used = { wallMs: elapsedMs, userMs, systemMs, peakMemoryBytes, memoryMeasure: memoryMeasure(measure) };
  // How many were started is known at the end.
  const usage = { ...used, readBytes, writeBytes, startedProcesses: null, peakProcesses };
  return { type: 'resource', elapsedMs, cpuPercent, memoryBytes, processes, outputBytes, usage };
}

export function causeOf(value: number): EndCause {
  return END_CAUSES[value] ?? 'none';
}

export function decodeExit(payload: Buffer) {
  const reader = new PayloadReader(payload);
  const isSignal = reader.u8() === 1;
  const status = reader.u32();
  const cause = causeOf(reader.u8());
  const flags = reader.u8();
  const [wallUs, userUs, systemUs] = [reader.u64(), reader.u64(), reader.u64()];
  const [peakMemoryBytes, measure] = [reader.u64(), reader.u8()];
  const [started, peakProcesses, uncheckedMs] = [reader.u32(), reader.u32(), reader.u32()];
  const [readBytes, writeBytes] = [reader.u64(), reader.u64()];
  const isMeasured = (flags & 4) !== 0;
  const end = {
    exitCode: isSignal ? null : status,
    signal: isSignal ? status : null,
    cause,
    wallMs: wallUs / 1000,
    userMs: userUs / 1000,
    systemMs: systemUs / 1000,
    peakMemoryBytes,
    memoryMeasure: memoryMeasure(measure),
    readBytes: isMeasured ? readBytes : null,
    writeBytes: isMeasured ? writeBytes : null,
    startedProcesses: started > 0 ? started : null,
    peakProcesses: peakProcesses > 0 ? peakProcesses : null,
    uncheckedMs,
    stdoutBytes: reader.u64(),
    stderrBytes: reader.u64(),
    headBytes: reader.u64(),
    tailBytes: reader.u64(),
    leftoversKilled: reader.u32(),
    spoolErrno: reader.u32(),
    hasLeftovers: (flags & (2 | 16)) !== 0,
    isSpooled: (flags & 8) !== 0,
  };
  const count = reader.u32();
  const pids = Array.from({ length: Math.min(count, MAX_UNENDED) }, () => reader.u32());
  return count === 0 ? end : { ...end, unended: { count, pids } };
}
