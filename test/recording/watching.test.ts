// The log, verified now and then: what is new is read, what was changed is named, one process does it, and nobody waits.

import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AuditWatch,
  type AuditWatchOptions,
  readWatchReport,
  type WatchReport,
  watchAudit,
} from '../../src/host.ts';
import { createPlace, fill, linesIn, type Place, segmentsIn, startWriter, writeLines } from './subject.ts';

beforeAll(() => {
  // The writers run the built program.
}, 90_000);

let place: Place;
const open = new Set<AuditWatch>();
beforeEach(() => {
  place = createPlace();
});
afterEach(async () => {
  for (const watch of open) await watch.close();
  open.clear();
  place.remove();
});

interface Told extends WatchReport {
  readonly isOwn: boolean;
}

function watch(
  options: Partial<AuditWatchOptions> = {},
): AuditWatch & { readonly told: Told[]; readonly errors: unknown[] } {
  const told: Told[] = [];
  const errors: unknown[] = [];
  const watching = watchAudit({
    folder: place.folder,
    keyFolder: place.keyFolder,
    interval: 3_600_000,
    onReport: (report, { isOwn }) => void told.push({ ...report, isOwn }),
    onProblem: (error) => void errors.push(error),
    ...options,
  });
  open.add(watching);
  return Object.assign(watching, { told, errors });
}

const FIRST = '000-000001.jsonl';
const lineCount = () => segmentsIn(place).reduce((sum, file) => sum + linesIn(place, file).length, 0);

test('where nothing was recorded there is nothing to say', async () => {
  const watching = watch();
  await watching.look();
  expect([watching.told, watching.errors]).toEqual([[], []]);
});

test('each look counts what is new; whoever asks later finds it in a file', async () => {
  const watching = watch();
  for (const more of [5, 0, 7]) {
    if (more > 0) await fill(place, more);
    await watching.look();
    const [last] = watching.told.slice(-1);
    expect(last).toMatchObject({ isIntact: true, lines: lineCount(), problemCount: 0, isOwn: true });
    expect(readWatchReport(place.folder)).toMatchObject({ isIntact: true, lines: lineCount() });
  }
  expect(watching.errors).toEqual([]);
  expect(statSync(join(place.folder, 'verified.json')).mode & 0o777).toBe(0o600);
});

describe('what is changed after a look is named by the next one', () => {
  const change = (file: string, edit: (lines: string[]) => string[]) =>
    writeLines(place, file, edit(linesIn(place, file)));
  const rows: [string, () => void | Promise<void>, string][] = [
    [
      'a new line that was changed',
      async () => {
        await fill(place, 3);
        change(FIRST, (lines) => [
          ...lines.slice(0, -2),
          (lines.at(-2) ?? '').replace('echo', 'ECHO'),
          ...lines.slice(-1),
        ]);
      },
      'changed',
    ],
    [
      'a new line that was taken out',
      async () => {
        await fill(place, 3);
        change(FIRST, (lines) => [...lines.slice(0, -3), ...lines.slice(-2)]);
      },
      'missing',
    ],
    [
      'the last line of before, rewritten',
      () => change(FIRST, (lines) => [...lines.slice(0, -1), `${lines.at(-1)?.slice(0, -4)}00"}`]),
      'changed',
    ],
    ['the end, cut off', () => truncateSync(join(place.folder, FIRST), 500), 'shortened'],
    ['text behind it', () => appendFileSync(join(place.folder, FIRST), 'not a line\n'), 'not-a-line'],
    ['the lane, taken away', () => rmSync(join(place.folder, FIRST)), 'lane-missing'],
    [
      'its head, forged',
      () => {
        const file = join(place.folder, '000.head');
        writeFileSync(file, readFileSync(file, 'utf8').replace('checkpoint', 'checkpoinT'));
      },
      'bad-signature',
    ],
  ];
  test.each(rows)('%s', async (_name, act, kind) => {
    await fill(place, 10);
    const watching = watch();
    await watching.look();
    await act();
    await watching.look();
    const [, after] = watching.told;
    expect(after).toMatchObject({ isIntact: false });
    expect(after?.problems.map((problem) => problem.kind)).toContain(kind);
    expect(readWatchReport(place.folder)?.isIntact).toBe(false);
  });

  test('an old line is seen when everything is verified again, and not before', async () => {
    await fill(place, 50);
    const watching = watch({ wholeEvery: 3 });
    await watching.look();
    writeLines(
      place,
      FIRST,
      linesIn(place, FIRST).map((line, index) => (index === 20 ? line.replace('echo', 'ECHO') : line)),
    );
    for (let look = 0; look < 3; look += 1) await watching.look();
    expect(watching.told.map(({ isIntact }) => isIntact)).toEqual([true, true, true, false]);
    expect(watching.told.at(-1)?.problems).toMatchObject([{ kind: 'changed', file: FIRST, line: 21 }]);
  });

  test('a problem stays said until everything is verified again and it is gone', async () => {
    await fill(place, 5);
    const watching = watch({ wholeEvery: 4 });
    await watching.look();
    const before = readFileSync(join(place.folder, FIRST));
    appendFileSync(join(place.folder, FIRST), 'not a line\n');
    await watching.look();
    await watching.look();
    writeFileSync(join(place.folder, FIRST), before);
    await watching.look();
    await watching.look();
    expect(watching.told.map(({ isIntact }) => isIntact)).toEqual([true, false, false, false, true]);
  });

  test('the key, taken away', async () => {
    await fill(place, 5);
    const watching = watch();
    await watching.look();
    rmSync(join(place.keyFolder, 'audit-key.pub.pem'));
    await watching.look();
    expect(watching.told.at(-1)).toMatchObject({ isIntact: false, problems: [{ kind: 'other-key' }] });
  });
});

test('one of several does it; the others hear of it, and one of them goes on', async () => {
  await fill(place, 5);
  const [first, second] = [watch(), watch()];
  await first.look();
  await second.look();
  await second.look();
  expect(first.told).toMatchObject([{ isOwn: true }]);
  expect(second.told).toMatchObject([{ isOwn: false, at: first.told[0]?.at }]);
  await first.close();
  await second.look();
  expect(second.told.at(-1)).toMatchObject({ isOwn: true, isIntact: true });
});

test('a look reads only so much, and the next one goes on', async () => {
  await fill(place, 3_000);
  const watching = watch({ bytesPerLook: 1 });
  let looks = 0;
  for (; watching.told.length === 0 && looks < 1_000; looks += 1) await watching.look();
  expect(looks).toBeGreaterThan(1);
  expect(watching.told).toMatchObject([{ isIntact: true, lines: lineCount() }]);
});

test('others have their turn while it looks', async () => {
  await fill(place, 10_000);
  const watching = watch();
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 1);
  await watching.look();
  clearInterval(count);
  expect(watching.told).toMatchObject([{ isIntact: true }]);
  expect(turns).toBeGreaterThan(3);
});

test.each([
  ['in one look', 64 << 20],
  ['over several', 60_000],
])('writers that rotate and forget beside it are no problem, %s', { timeout: 60_000 }, async (_name, bytesPerLook) => {
  const options = {
    count: 3_000,
    together: 5,
    size: 200,
    rotateBytes: 30_000,
    retainBytes: 200_000,
    checkpointEvery: 20,
  };
  const writers = [startWriter(place, options), startWriter(place, options)];
  let isOver = false;
  const ended = Promise.all(writers.map((writer) => writer.ended)).then(() => {
    isOver = true;
  });
  const watching = watch({ wholeEvery: 4, bytesPerLook });
  while (!isOver) {
    await watching.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  await watching.look();
  expect(watching.errors).toEqual([]);
  expect(watching.told.length).toBeGreaterThan(3);
  expect(watching.told.filter(({ isIntact }) => !isIntact)).toEqual([]);
});
