// What the keeper reports about a confinement → names and events.

import { getSystemErrorName } from 'node:util';
import { CONFINE_STEPS, type ConfineReport, type ConfineStep } from '../../confine/port.ts';
import { EXPOSURES, OBSERVED_OPERATIONS, REFUSED_OPERATIONS, type RunEvent, STAGED_STATES } from '../port.ts';

/** An EXPOSED payload: u8 how, path. */
export function decodeExposed(payload: Buffer): RunEvent {
  return { type: 'exposed', how: EXPOSURES[payload.readUInt8(0)] ?? 'unwatched', path: payload.toString('utf8', 1) };
}

/** A TRACED payload: u32 PID, name. */
export function decodeTraced(payload: Buffer): RunEvent {
  return { type: 'traced', pid: payload.readUInt32LE(0), name: payload.toString('utf8', 4) };
}

/** A STAGED payload: u8 state, u32 landed, u32 held, u32 names. */
export function decodeStaged(payload: Buffer): RunEvent {
  const [landed, held, names] = [payload.readUInt32LE(1), payload.readUInt32LE(5), payload.readUInt32LE(9)];
  return { type: 'staged', state: STAGED_STATES[payload.readUInt8(0)] ?? 'failed', landed, held, names };
}

/**
 * An UNDONE payload: u8 outcome, which the second text implies except for 2 (still there) and 3 (not searched); path, NUL,
 * where it is now.
 */
export function decodeUndone(payload: Buffer): RunEvent {
  const end = payload.indexOf(0, 1);
  const movedTo = payload.toString('utf8', end + 1);
  const isLeft = payload.readUInt8(0) === 2;
  const path = payload.toString('utf8', 1, end);
  if (payload.readUInt8(0) === 3) return { type: 'unsearched', path };
  return { type: 'undone', path, movedTo: movedTo === '' ? null : movedTo, ...(isLeft && { isLeft }) };
}

/** A REFUSAL payload: u8 operation (0: how many were not reported), u32 error or count, text; a line end before a setting. */
export function decodeRefusal(payload: Buffer): RunEvent {
  const [number, value] = [payload.readUInt8(0), payload.readUInt32LE(1)];
  const operation = REFUSED_OPERATIONS[number - 1];
  if (operation === undefined) return { type: 'untold', what: 'refusal', count: value };
  const error = getSystemErrorName(-value);
  const text = payload.toString('utf8', 5);
  if (operation !== 'configure') return { type: 'refusal', operation, target: text, error };
  const end = text.lastIndexOf('\n');
  return { type: 'refusal', operation, target: text.slice(0, end), setting: text.slice(end + 1), error };
}

/** The same with u32 0, or the count. */
export function decodeObserved(payload: Buffer): RunEvent {
  const operation = OBSERVED_OPERATIONS[payload.readUInt8(0) - 1];
  if (operation === undefined) return { type: 'untold', what: 'observed', count: payload.readUInt32LE(1) };
  return { type: 'observed', operation, target: payload.toString('utf8', 5) };
}

function stepsOf(bits: number): ConfineStep[] {
  return CONFINE_STEPS.filter((_, index) => (bits >>> index) & 1);
}

/** The end of a STARTED payload; null if the command was not confined. */
export function decodeConfineReport(payload: Buffer): ConfineReport | null {
  if (payload.length === 0) return null;
  const held = stepsOf(payload.readUInt32LE(0));
  const missing = stepsOf(payload.readUInt32LE(4)).map((step, index) => ({
    step,
    error: getSystemErrorName(-payload.readUInt32LE(8 + 4 * index)),
  }));
  return { held, missing };
}
