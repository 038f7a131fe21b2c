// Every way to change the files of a log, and the place that `verify` names. One row per attack.

import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProblemKind, verifyAudit } from '../../src/api/audit.ts';
import { sha256 } from '../../src/record/chain/line.ts';
import { copyPlace, createPlace, entry, fill, linesIn, openAt, type Place, segmentsIn, writeLines } from './subject.ts';

const FIRST = '000-000001.jsonl';
const SECOND = '000-000002.jsonl';
const OTHER = '001-000001.jsonl';
let template: Place;

/** Two lanes: the first with several segments, the second with one, each signed now and then and at its end. */
beforeAll(async () => {
  template = createPlace();
  await fill(template, 60, { rotateBytes: 12_000, checkpointEvery: 7 });
  const [a, b] = [openAt(template), openAt(template)];
  await a.record(entry(1));
  await b.record(entry(2));
  await b.record(entry(3));
  await b.close();
  await a.close();
});
afterAll(() => template.remove());

type Damage = (place: Place) => void;
/** `null`: some line, or none. */
type Expected = readonly [kind: ProblemKind, file: string, line: number | null];

function edit(file: string, change: (lines: string[]) => string[]): Damage {
  return (place) => writeLines(place, file, change(linesIn(place, file)));
}

/** Lines count from 1. */
function rewrite(at: number, change: (line: string) => string): (lines: string[]) => string[] {
  return (lines) => lines.map((line, index) => (index === at - 1 ? change(line) : line));
}

function without(at: number): (lines: string[]) => string[] {
  return (lines) => lines.filter((_, index) => index !== at - 1);
}

/** As someone who knows the format would do it: every hash from line `at` on is recomputed. */
function rechain(lines: readonly string[], at: number): string[] {
  let prev = '';
  return lines.map((line, index) => {
    const body = line.slice(0, line.lastIndexOf(',"hash":"'));
    const linked = index < at ? body : body.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
    prev = sha256(linked);
    return `${linked},"hash":"${prev}"}`;
  });
}

const toAllow = (line: string) => line.replace('"verdict":"deny"', '"verdict":"allow"');
/** The line of the entry 3, which is denied. */
const DENIED = 5;

function lastOf(place: Place): string {
  return segmentsIn(place)
    .filter((name) => name.startsWith('000'))
    .at(-1) as string;
}

function nextOf(place: Place): string {
  return `000-${String(Number(lastOf(place).slice(4, 10)) + 1).padStart(6, '0')}.jsonl`;
}

const ROWS: Readonly<Record<string, readonly [damage: Damage, ...expected: Expected[]]>> = {
  'a word in a line': [edit(FIRST, rewrite(DENIED, toAllow)), ['changed', FIRST, DENIED]],
  'a blank in a line': [
    edit(
      FIRST,
      rewrite(3, (line) => line.replace('"n":', '"n": ')),
    ),
    ['changed', FIRST, 3],
  ],
  'a line and its hash': [
    edit(
      FIRST,
      rewrite(DENIED, (line) => rechain([toAllow(line)], 1)[0] as string),
    ),
    ['not-linked', FIRST, DENIED + 1],
  ],
  'a line and all hashes after it': [
    edit(FIRST, (lines) => rechain(rewrite(DENIED, toAllow)(lines), 1)),
    ['bad-signature', FIRST, 9],
  ],
  'a line is garbage': [
    edit(
      FIRST,
      rewrite(4, () => 'garbage'),
    ),
    ['not-a-line', FIRST, 4],
  ],
  'a line is empty': [
    edit(
      FIRST,
      rewrite(4, () => ''),
    ),
    ['not-a-line', FIRST, 4],
  ],
  'a line deleted': [edit(FIRST, without(6)), ['missing', FIRST, 6]],
  'the first line deleted': [edit(FIRST, without(1)), ['missing', FIRST, 1]],
  'the signed end of a segment deleted': [edit(FIRST, (lines) => lines.slice(0, -1)), ['not-ended', FIRST, null]],
  'two lines exchanged': [
    edit(FIRST, (lines) => [...lines.slice(0, 3), lines[4] as string, lines[3] as string, ...lines.slice(5)]),
    ['missing', FIRST, 4],
    ['out-of-order', FIRST, 5],
  ],
  'a line twice': [
    edit(FIRST, (lines) => [...lines.slice(0, 4), lines[3] as string, ...lines.slice(4)]),
    ['repeated', FIRST, 5],
  ],
  'a line of another lane': [
    (place) =>
      edit(
        FIRST,
        rewrite(4, () => linesIn(place, OTHER)[1] as string),
      )(place),
    ['out-of-order', FIRST, 4],
  ],
  'a line added at the end of a closed segment': [
    (place) => appendFileSync(join(place.folder, FIRST), `${linesIn(place, OTHER)[1]}\n`),
    ['after-end', FIRST, null],
  ],
  'a closed segment cut in the middle of a line': [
    (place) => truncateSync(join(place.folder, FIRST), 3000),
    ['not-a-line', FIRST, null],
  ],
  'a closed segment empty': [(place) => truncateSync(join(place.folder, SECOND), 0), ['not-ended', SECOND, null]],
  'a segment deleted': [(place) => rmSync(join(place.folder, SECOND)), ['segment-missing', SECOND, null]],
  'the first segment deleted': [(place) => rmSync(join(place.folder, FIRST)), ['segment-missing', FIRST, null]],
  'the last segment deleted': [(place) => rmSync(join(place.folder, lastOf(place))), ['shortened', '', null]],
  'two segments exchanged': [
    (place) => {
      renameSync(join(place.folder, FIRST), join(place.folder, 'x'));
      renameSync(join(place.folder, SECOND), join(place.folder, FIRST));
      renameSync(join(place.folder, 'x'), join(place.folder, SECOND));
    },
    ['wrong-place', FIRST, 1],
    ['wrong-place', SECOND, 1],
  ],
  'a segment copied to the end': [
    (place) => copyFileSync(join(place.folder, FIRST), join(place.folder, nextOf(place))),
    ['wrong-place', '', 1],
  ],
  'a lane deleted': [(place) => rmSync(join(place.folder, OTHER)), ['lane-missing', OTHER, null]],
  'a lane deleted with its head': [
    (place) => {
      rmSync(join(place.folder, OTHER));
      rmSync(join(place.folder, '001.head'));
    },
    ['lane-missing', OTHER, null],
  ],
  'a lane copied to another number': [
    (place) => {
      copyFileSync(join(place.folder, OTHER), join(place.folder, '002-000001.jsonl'));
      copyFileSync(join(place.folder, '001.head'), join(place.folder, '002.head'));
    },
    ['wrong-place', '002-000001.jsonl', 1],
  ],
  'signed lines cut from the end': [edit(OTHER, (lines) => lines.slice(0, -2)), ['shortened', OTHER, null]],
  'signed lines cut from the end, and the head deleted': [
    (place) => {
      edit(OTHER, (lines) => lines.slice(0, -2))(place);
      rmSync(join(place.folder, '001.head'));
    },
    ['no-head', '001.head', null],
  ],
  // The other lane has seen the end.
  'signed lines cut from the end, and an older head put back': [
    (place) => {
      const lines = linesIn(place, OTHER);
      edit(OTHER, () => lines.slice(0, -2))(place);
      writeFileSync(join(place.folder, '001.head'), `${lines[0]}\n`);
    },
    ['shortened', OTHER, null],
  ],
  'the head is garbage': [
    (place) => writeFileSync(join(place.folder, '000.head'), 'x\n'),
    ['no-head', '000.head', null],
  ],
  'another key': [
    (place) => {
      const { publicKey } = generateKeyPairSync('ed25519');
      const pem = publicKey.export({ type: 'spki', format: 'pem' });
      writeFileSync(join(place.keyFolder, 'audit-key.pub.pem'), pem);
    },
    ['other-key', FIRST, 1],
    ['bad-signature', FIRST, 1],
  ],
};

test('the template is intact', () => {
  const report = verifyAudit(template);
  expect(report).toMatchObject({ isIntact: true, problems: [], notices: [] });
  expect(report.heads.map(({ lane, unsigned }) => ({ lane, unsigned }))).toEqual([
    { lane: 0, unsigned: 0 },
    { lane: 1, unsigned: 0 },
  ]);
  expect(segmentsIn(template).length).toBeGreaterThan(3);
});

test('where nothing was ever recorded nothing was changed; but what was noted before must be there', () => {
  const place = createPlace();
  try {
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, lines: 0, key: null });
    const { heads } = verifyAudit(template);
    expect(() => verifyAudit({ ...place, against: heads })).toThrow('cannot be read');
    const report = verifyAudit({ folder: place.folder, keyFolder: template.keyFolder, against: heads });
    expect(report.problems.map(({ kind }) => kind)).toEqual(['lane-missing', 'lane-missing']);
  } finally {
    place.remove();
  }
});

describe('verify names what was done', () => {
  for (const [name, [damage, ...expected]] of Object.entries(ROWS))
    test(name, () => {
      const place = copyPlace(template);
      try {
        damage(place);
        const report = verifyAudit(place);
        expect(report.isIntact).toBe(false);
        const found = report.problems.map(({ kind, file, line }) => ({ kind, file, line }));
        for (const [kind, file, line] of expected) {
          const inPlace = found.filter((one) => one.kind === kind && (file === '' || one.file === file));
          expect(inPlace, JSON.stringify(found)).not.toEqual([]);
          if (line !== null) expect(inPlace.map((one) => one.line)).toContain(line);
        }
      } finally {
        place.remove();
      }
    });
});

test('one change is one problem, not a flood', () => {
  const place = copyPlace(template);
  try {
    edit(FIRST, rewrite(DENIED, toAllow))(place);
    expect(verifyAudit(place).problems).toHaveLength(1);
    edit(FIRST, without(7))(copyInto(place));
    expect(verifyAudit(place).problems).toHaveLength(1);
  } finally {
    place.remove();
  }
});

/** The first segment as it was. */
function copyInto(place: Place): Place {
  copyFileSync(join(template.folder, FIRST), join(place.folder, FIRST));
  return place;
}

test('every single line of a segment: edited, doubled or deleted, it is named', () => {
  const place = copyPlace(template);
  try {
    const lines = linesIn(place, FIRST);
    const namedAfter = (changed: string[]) => {
      writeLines(place, FIRST, changed);
      const { problems } = verifyAudit(place);
      return problems.filter(({ file }) => file === FIRST).map(({ line }) => line);
    };
    for (let at = 1; at <= lines.length; at += 1) {
      expect(namedAfter(rewrite(at, (line) => line.replace('"at":1', '"at":2'))(lines))).toContain(at);
      expect(namedAfter([...lines.slice(0, at), lines[at - 1] as string, ...lines.slice(at)])).toContain(at + 1);
      // The place of one that is gone is the line that follows it, or the end.
      expect(namedAfter(without(at)(lines))).toContain(Math.min(at, lines.length - 1));
    }
  } finally {
    place.remove();
  }
});

test('unsigned lines can be cut off unnoticed, unless the length of the log was noted before', async () => {
  const place = createPlace();
  try {
    const audit = openAt(place);
    for (let index = 0; index < 10; index += 1) await audit.record(entry(index));
    const before = verifyAudit(place);
    expect(before.heads).toMatchObject([{ n: 11, unsigned: 10 }]);
    edit(FIRST, (lines) => lines.slice(0, 6))(place);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true });
    const { problems } = verifyAudit({ ...place, against: before.heads });
    expect(problems).toMatchObject([{ kind: 'not-as-before', file: FIRST }]);
    // The one who writes notices it, too: with the next entry.
    await audit.record(entry(11));
    await audit.close();
    expect(verifyAudit(place).problems).toMatchObject([{ kind: 'lost' }]);
  } finally {
    place.remove();
  }
});
