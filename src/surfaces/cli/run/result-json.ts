// A result and the events before it → the JSON of --json and --stream.

import type { RunResult, ShellEvent } from '../../../host.ts';
import { factsToJson, nestedVerdict, SCHEMA_VERSION, toLine } from '../json.ts';

export function resultLine(result: RunResult): string {
  return toLine({ schemaVersion: SCHEMA_VERSION, ...resultToJson(result) });
}

export function eventLine(event: ShellEvent): string {
  return toLine(event);
}

/** The last line of a stream has its own `type`, so that a reader needs no other mark. */
export function lastLine(result: RunResult): string {
  return toLine({ type: 'result', schemaVersion: SCHEMA_VERSION, ...resultToJson(result) });
}

function resultToJson({ facts, verdict, ...rest }: RunResult): Record<string, unknown> {
  return { ...rest, verdict: nestedVerdict(verdict), facts: factsToJson(facts) };
}
