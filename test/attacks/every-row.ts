// Every row, by each backend, as one user: blocked, or named as a guarantee that is missing.
// A row whose script does not work unconfined proves nothing: it is skipped, with the reason.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { EVERYDAY_ROWS } from './everyday-rows.ts';
import { FILE_ROWS } from './file-rows.ts';
import type { Row } from './row.ts';
import { SOCKET_ROWS } from './socket-rows.ts';
import { type Attempt, type Means, Subject } from './subject.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

export const ROWS = [...FILE_ROWS, ...SYSTEM_ROWS, ...SOCKET_ROWS, ...EVERYDAY_ROWS];
const MEANS: readonly Means[] = ['namespaces', 'landlock', 'bubblewrap'];
const PORTS_REFUSED = expect.stringContaining('cannot restrict a command to a list of ports');
const isRoot = process.getuid?.() === 0;

function isFor({ tier, backend }: Row, means: Means): boolean {
  if (backend === 'keeper' && means === 'bubblewrap') return false;
  return tier === undefined || (tier === 'namespaces') === (means !== 'landlock');
}

export function describeRows(as: 'root' | 'user'): void {
  // What a script does unconfined does not depend on the backend: it is tried once for all of them.
  const controls = new Map<Row, Attempt>();
  for (const means of MEANS) {
    const rows = ROWS.filter((row) => (row.as ?? as) === as && isFor(row, means));
    const reason = !keeperUnderTest.isAvailable ? 'there is no keeper' : as === 'root' && !isRoot ? 'needs root' : null;
    describe.skipIf(reason !== null)(`as ${as}, by ${means}`, () => {
      let subject: Subject;
      let unavailable: string | null = null;
      beforeAll(async () => {
        if (!keeperUnderTest.isAvailable) return;
        subject = new Subject(keeperUnderTest.path, keeperStderr, as);
        unavailable = await subject.open(means);
      }, 60_000);
      afterAll(() => subject?.close());
      beforeEach(() => subject?.refresh());

      for (const row of rows) test(row.name, (context) => attempt(row, (why) => context.skip(why)));

      async function tryUnconfined(row: Row): Promise<Attempt> {
        const control = await subject.run(row.script);
        controls.set(row, control);
        subject.refresh();
        return control;
      }

      async function attempt(row: Row, skip: (why: string) => never): Promise<void> {
        if (unavailable !== null) skip(unavailable);
        if (row.control === undefined) {
          const control = controls.get(row) ?? (await tryUnconfined(row));
          if (control.exitCode !== 0) skip(`does not work unconfined either: ${control.text.trim().slice(0, 100)}`);
        }
        const planned = subject.planOf(row);
        // A policy that a backend cannot keep is refused, and the reason says which part.
        if (planned.kind === 'impossible') return expect([means, planned.why]).toEqual(['bubblewrap', PORTS_REFUSED]);
        const { enforcement } = planned;
        const { exitCode, text } = await subject.run(row.script, planned);
        if (row.expect === 'works') return expect([exitCode, text]).toEqual([0, text]);
        const isMissing = enforcement.missing.some(({ guarantee }) => guarantee === row.guarantee);
        if (!isMissing) expect([exitCode === 0 ? 'worked' : 'blocked', text]).toEqual(['blocked', text]);
      }
    });
  }
}
