// Requests → START frames, and the keeper's payloads → values. native/request.c and native/report.c are the other side.

import { HardshellError } from '../../core/errors.ts';
import type { CgroupFeature, ProcessLimits, RunEvent, RunRequest, RunStarted } from '../port.ts';
import { encodeConfinement } from './confinement.ts';
import { decodeConfineReport } from './confinement-reports.ts';
import { encodeFrame, FieldWriter } from './frames.ts';
import { PayloadReader } from './payload-reader.ts';
import { causeOf } from './usage-messages.ts';

export const PROTOCOL_VERSION = 4;
export const IN = {
  start: 1,
  kill: 2,
  stdin: 3,
  stdinEnd: 4,
  credit: 5,
  detach: 6,
  ping: 7,
  listening: 8,
  proxy: 9,
} as const;
export const OUT = {
  hello: 129,
  started: 130,
  resource: 132,
  violation: 133,
  stdin: 134,
  exit: 135,
  error: 136,
  pong: 137,
  refusal: 139,
  observed: 140,
  undone: 141,
  exposed: 142,
  traced: 143,
  staged: 144,
} as const;
/** Live bytes that may be in flight; more than what needs no file (INLINE_BYTES in native/spool.h). */
export const CREDIT_BYTES = 2 << 20;
/** Output up to this size is kept by the handle and has no file. */
export const INLINE_BYTES = 64 << 10;
const MAX_FRAME_BYTES = 4 << 20;

const TAG = {
  flags: 1,
  timeoutMs: 2,
  graceMs: 3,
  argument: 4,
  environment: 5,
  cwd: 6,
  program: 7,
  spool: 8,
  headBytes: 9,
  tailBytes: 10,
  credit: 11,
  rlimit: 12,
  input: 13,
  outputLimit: 14,
  cpuPercent: 15,
  memory: 16,
  processes: 17,
  record: 18,
  leftovers: 19,
  intervalMs: 20,
  umask: 21,
  recordFields: 22,
  lingerMs: 23,
  confinement: 24,
  world: 25,
  room: 26,
} as const;
const FLAG = { split: 1, background: 2, pace: 4, eager: 8, stdinOpen: 16, cgroup: 32 } as const;
const LEFTOVERS = { kill: 0, wait: 1, leave: 2 } as const;
const RLIMITS: Readonly<Record<keyof ProcessLimits, number>> = {
  addressSpaceBytes: 0,
  dataBytes: 1,
  cpuSeconds: 2,
  userProcesses: 3,
  openFiles: 4,
  fileSizeBytes: 5,
  coreBytes: 6,
  stackBytes: 7,
};

function flagsOf(request: RunRequest): number {
  return (
    (request.streams === 'split' ? FLAG.split : 0) |
    (request.background === true ? FLAG.background : 0) |
    (request.isPaced === true ? FLAG.pace : 0) |
    (request.stdin === 'open' ? FLAG.stdinOpen : 0) |
    (request.useCgroup === true ? FLAG.cgroup : 0)
  );
}

function writeLimits(fields: FieldWriter, limits: NonNullable<RunRequest['limits']>): void {
  for (const name of Object.keys(RLIMITS) as (keyof ProcessLimits)[]) {
    const value = limits[name];
    if (value !== undefined) fields.limit(TAG.rlimit, RLIMITS[name], value);
  }
  if (limits.outputBytes !== undefined) fields.u64(TAG.outputLimit, limits.outputBytes);
  if (limits.memoryBytes !== undefined) fields.u64(TAG.memory, limits.memoryBytes);
  if (limits.cpuPercent !== undefined) fields.u32(TAG.cpuPercent, limits.cpuPercent);
  if (limits.processes !== undefined) fields.u32(TAG.processes, limits.processes);
}

/** The inner text of the record's JSON object: the keeper appends its own fields. */
function recordText(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).slice(1, -1);
}

export function encodeStart(task: number, request: RunRequest, creditBytes: number): Buffer {
  const fields = new FieldWriter();
  const { spool, record } = request;
  fields.u32(TAG.flags, flagsOf(request));
  fields.u32(TAG.credit, creditBytes);
  fields.text(TAG.program, request.program);
  fields.text(TAG.cwd, request.cwd);
  for (const argument of request.argv) fields.text(TAG.argument, argument);
  for (const [name, value] of Object.entries(request.env)) fields.text(TAG.environment, `${name}=${value}`);
  if (request.timeoutMs !== undefined) fields.u64(TAG.timeoutMs, request.timeoutMs);
  if (request.graceMs !== undefined) fields.u32(TAG.graceMs, request.graceMs);
  if (request.lingerMs !== undefined) fields.u32(TAG.lingerMs, request.lingerMs);
  if (request.leftovers !== undefined) fields.u32(TAG.leftovers, LEFTOVERS[request.leftovers]);
  if (request.sampleMs !== undefined) fields.u32(TAG.intervalMs, request.sampleMs);
  if (request.umask !== undefined) fields.u32(TAG.umask, request.umask);
  if (request.stdin instanceof Uint8Array) fields.bytes(TAG.input, request.stdin);
  if (request.confinement !== undefined) fields.bytes(TAG.confinement, encodeConfinement(request.confinement));
  if (request.world !== undefined) fields.text(TAG.world, request.world);
  if (request.room !== undefined) fields.text(TAG.room, request.room);
  if (spool !== undefined) fields.text(TAG.spool, spool.path);
  if (spool?.headBytes !== undefined) fields.u64(TAG.headBytes, spool.headBytes);
  if (spool?.tailBytes !== undefined) fields.u64(TAG.tailBytes, spool.tailBytes);
  if (record !== undefined) fields.text(TAG.record, record.path);
  if (record !== undefined && Object.keys(record.fields).length > 0)
    fields.text(TAG.recordFields, recordText(record.fields));
  // A core file is not output of a command, and may contain secrets.
  writeLimits(fields, { coreBytes: 0, ...request.limits });
  const frame = fields.finish(IN.start, task);
  if (frame.length > MAX_FRAME_BYTES)
    throw new HardshellError('too-long', 'the arguments, environment and input of the command are longer than 4 MB');
  return frame;
}

export function encodeKill(task: number, graceMs: number): Buffer {
  return encodeFrame(IN.kill, task, numbers(0, graceMs));
}

export function encodeSignal(task: number, signal: number): Buffer {
  return encodeFrame(IN.kill, task, numbers(1, signal));
}

export function encodeCredit(task: number, bytes: number): Buffer {
  return encodeFrame(IN.credit, task, numbers(null, bytes));
}

/** Whether the host has taken the task's listeners; the command waits for it. */
export function encodeListening(task: number, isReady: boolean): Buffer {
  return encodeFrame(IN.listening, task, Buffer.from([isReady ? 0 : 1]));
}

/** The proxy of a background task: the supervisor ends it if it was stopped. */
export function encodeProxy(task: number, pid: number, start: string): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeUInt32LE(pid, 0);
  payload.writeBigUInt64LE(BigInt(start), 4);
  return encodeFrame(IN.proxy, task, payload);
}

function numbers(first: number | null, value: number): Buffer {
  const payload = Buffer.alloc(first === null ? 4 : 5);
  if (first !== null) payload[0] = first;
  payload.writeUInt32LE(value, payload.length - 4);
  return payload;
}

export interface Hello {
  readonly version: number;
  readonly pid: number;
  readonly cgroup: readonly CgroupFeature[] | null;
}

const PROCESSES_BY_CGROUP = 8;
const PROCESSES_BY_RLIMIT = 64;
const SHARES_NETWORK = 128;
const SHARES_PROCESSES = 256;
const MISSES_PROCESSES = 512;

function cgroupFeatures(bits: number): CgroupFeature[] {
  const names: Readonly<Record<CgroupFeature, number>> = {
    kill: 2,
    memory: 4,
    processes: PROCESSES_BY_CGROUP,
    cpu: 16,
  };
  return (Object.keys(names) as CgroupFeature[]).filter((name) => bits & names[name]);
}

export function decodeHello(payload: Buffer): Hello {
  const reader = new PayloadReader(payload);
  const [version, pid, bits] = [reader.u32(), reader.u32(), reader.u32()];
  return { version, pid, cgroup: bits & 1 ? cgroupFeatures(bits) : null };
}

export function decodeStarted(payload: Buffer): RunStarted {
  const reader = new PayloadReader(payload);
  const [pid, firstPid, supervisorPid, bits] = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
  const startedAtMs = reader.u64();
  const confinement = decodeConfineReport(payload.subarray(24));
  return {
    pid,
    firstPid,
    supervisorPid,
    cgroup: cgroupFeatures(bits),
    hasProcessLimit: (bits & (PROCESSES_BY_CGROUP | PROCESSES_BY_RLIMIT)) !== 0,
    startedAtMs,
    ...(bits & SHARES_PROCESSES ? { shares: 'processes' } : bits & SHARES_NETWORK ? { shares: 'network' } : {}),
    ...(bits & MISSES_PROCESSES && { missesProcesses: true }),
    ...(confinement && { confinement }),
  };
}

export function decodeViolation(payload: Buffer): RunEvent {
  const reader = new PayloadReader(payload);
  return { type: 'violation', cause: causeOf(reader.u8()), limit: reader.u64(), seen: reader.u64() };
}

export function decodeInput(payload: Buffer): { takenBytes: number; isClosed: boolean } {
  return { takenBytes: payload.readUInt32LE(0), isClosed: payload.readUInt8(4) === 1 };
}

const ERROR_CODES = ['', 'request', 'start', 'spool', 'supervisor', 'init'] as const;
const STEPS = ['', 'resources', 'folder', 'limits', 'cgroup', 'program', 'confinement'] as const;

export function decodeError(payload: Buffer) {
  return {
    code: ERROR_CODES[payload.readUInt8(0)] ?? '',
    step: STEPS[payload.readUInt8(1)] ?? '',
    errno: payload.readUInt32LE(2),
    message: payload.toString('utf8', 6),
  };
}
