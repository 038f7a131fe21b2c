// Questions about the log: the index and the segments give the same answers, and the index can always be made again.

import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AuditQuery,
  type AuditRecord,
  cursorOf,
  followAudit,
  openAuditReader,
  queryAudit,
  tailAudit,
} from '../../src/api/audit.ts';
import { scanSegments } from '../../src/record/query/scan.ts';
import { copyPlace, createPlace, entry, linesIn, openAt, type Place, segmentsIn, writeLines } from './subject.ts';

const COUNT = 300;
let place: Place;
let times: number[];

/** Two lanes in turn, in several segments. */
beforeAll(async () => {
  place = createPlace();
  const audits = [openAt(place, { rotateBytes: 30_000 }), openAt(place, { rotateBytes: 30_000 })];
  for (let index = 0; index < COUNT; index += 1)
    await audits[index % 2]?.record(entry(index, index === 77 ? { command: 'rm 100%_\\ "x"' } : {}));
  for (const audit of audits) await audit.close();
  times = (await collect({ order: 'oldest' })).map(({ at }) => at);
});
afterAll(() => place.remove());

async function collect(query: AuditQuery, from: Place = place): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for await (const record of queryAudit({ folder: from.folder, ...query })) found.push(record);
  return found;
}

const middle = () => times[Math.floor(COUNT / 2)] as number;

const ROWS: Readonly<Record<string, readonly [query: () => AuditQuery, expected: (index: number) => boolean]>> = {
  all: [() => ({}), () => true],
  verdict: [() => ({ verdict: 'deny' }), (index) => index % 3 === 0],
  risk: [() => ({ risk: 'high' }), (index) => index % 4 === 0],
  session: [() => ({ session: 's3' }), (index) => index % 5 === 3],
  task: [() => ({ task: 'bash-42' }), (index) => index === 42],
  exit: [() => ({ exit: 1 }), (index) => index % 2 === 1],
  'text in the command, in any case': [() => ({ command: 'ECHO 29' }), (index) => String(index).startsWith('29')],
  'text with the wildcards of SQL': [() => ({ command: '100%_\\ "' }), (index) => index === 77],
  'no wildcard matches': [() => ({ command: '1%_' }), () => false],
  'a file': [() => ({ path: '/work/d3/f10' }), (index) => index === 10],
  'a folder': [() => ({ path: '/work/d3' }), (index) => index % 7 === 3],
  'a folder with a slash': [() => ({ path: '/work/d3/' }), (index) => index % 7 === 3],
  'the beginning of a name is no folder': [() => ({ path: '/work/d' }), () => false],
  'two kinds': [() => ({ types: ['verdict', 'answer'] }), () => false],
  'kind and verdict and exit': [
    () => ({ types: ['end'], verdict: 'deny', exit: 0 }),
    (index) => index % 3 === 0 && index % 2 === 0,
  ],
  'a time that is over': [() => ({ until: (times[0] as number) - 1 }), () => false],
  'a quote is text': [() => ({ session: "s3' OR '1'='1" }), () => false],
};

const indexOf = (record: AuditRecord) => Number((record as { task: string }).task.slice('bash-'.length));

describe('a question', () => {
  for (const [name, [query, isExpected]] of Object.entries(ROWS))
    test(name, async () => {
      const expected = Array.from({ length: COUNT }, (_, index) => index).filter(isExpected);
      const found = await collect(query());
      expect(found.map(indexOf).sort((a, b) => a - b)).toEqual(expected);
      expect(scanSegments(place.folder, query(), null, COUNT)).toEqual(found);
      const oldest = await collect({ ...query(), order: 'oldest' });
      expect(oldest).toEqual([...found].reverse());
      expect(scanSegments(place.folder, { ...query(), order: 'oldest' }, null, COUNT)).toEqual(oldest);
    });

  test('from a time on, and up to it', async () => {
    const [before, after] = [await collect({ until: middle() - 1 }), await collect({ since: middle() })];
    expect(before.length + after.length).toBe(COUNT);
    expect(after.every(({ at }) => at >= middle())).toBe(true);
  });

  test.each(['newest', 'oldest'] as const)('page by page, the %s first: each record once', async (order) => {
    const whole = await collect({ order, verdict: 'allow' });
    const pages: AuditRecord[] = [];
    for (let after: string | undefined; ; ) {
      const page = await collect({ order, verdict: 'allow', limit: 17, ...(after === undefined ? {} : { after }) });
      pages.push(...page);
      if (page.length < 17) break;
      after = cursorOf(page.at(-1) as AuditRecord);
    }
    expect(pages).toEqual(whole);
  });

  test('a cursor that makes no sense is refused', async () => {
    await expect(collect({ after: '1; DROP TABLE record' })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('several at once through one reader', async () => {
    const reader = openAuditReader(place);
    const count = async (query: AuditQuery) => {
      let found = 0;
      for await (const _ of reader.query(query)) found += 1;
      return found;
    };
    expect(await Promise.all([count({}), count({ session: 's1' }), count({ verdict: 'deny' })])).toEqual([
      300, 60, 100,
    ]);
    reader.close();
  });
});

describe('the index', () => {
  const FILE = 'index.db';
  const damages: Readonly<Record<string, (copy: Place) => void>> = {
    missing: (copy) => rmSync(join(copy.folder, FILE)),
    'no database': (copy) => writeFileSync(join(copy.folder, FILE), 'x'.repeat(9000)),
    empty: (copy) => truncateSync(join(copy.folder, FILE), 0),
    cut: (copy) => truncateSync(join(copy.folder, FILE), 8192),
    'broken inside': (copy) => {
      const bytes = readFileSync(join(copy.folder, FILE));
      bytes.fill(0xff, 4096);
      writeFileSync(join(copy.folder, FILE), bytes);
    },
    'left by a process that was killed in a change': (copy) => writeFileSync(join(copy.folder, 'index.changing'), ''),
    'locked by a process that was killed long ago': (copy) => {
      mkdirSync(join(copy.folder, `${FILE}.lock`));
    },
  };
  for (const [name, damage] of Object.entries(damages))
    test(`${name}: the answer is the same`, async () => {
      const copy = copyPlace(place);
      try {
        damage(copy);
        expect(await collect({ verdict: 'deny' }, copy)).toEqual(await collect({ verdict: 'deny' }));
        expect(await collect({ session: 's2' }, copy)).toEqual(await collect({ session: 's2' }));
        expect(existsSync(join(copy.folder, 'index.changing'))).toBe(false);
      } finally {
        copy.remove();
      }
    }, 60_000);

  test('what is new is added, what is gone is forgotten, what is different is read again', async () => {
    const copy = copyPlace(place);
    try {
      await collect({}, copy);
      const audit = openAt(copy, { rotateBytes: 30_000 });
      await audit.record(entry(1000));
      await audit.close();
      expect((await collect({ task: 'bash-1000' }, copy)).map(indexOf)).toEqual([1000]);
      const [first = ''] = segmentsIn(copy);
      const lines = linesIn(copy, first);
      // Shorter, with another end: as after a recovery.
      writeLines(copy, first, lines.slice(0, 10));
      expect(await collect({}, copy)).toEqual(scanSegments(copy.folder, {}, null, 1000));
      rmSync(join(copy.folder, first));
      expect(await collect({}, copy)).toEqual(scanSegments(copy.folder, {}, null, 1000));
    } finally {
      copy.remove();
    }
  });

  test('retention takes rows away with their segments, and no others', async () => {
    const own = createPlace();
    try {
      const options = { rotateBytes: 4000, retainBytes: 15_000 };
      for (let index = 0; index < 60; index += 1) {
        const audit = openAt(own, options);
        await audit.record(entry(index));
        await audit.close();
        if (index % 7 === 0) expect(await collect({}, own)).toEqual(scanSegments(own.folder, {}, null, 1000));
      }
      expect(segmentsIn(own)).not.toContain('000-000001.jsonl');
      expect(await collect({}, own)).toEqual(scanSegments(own.folder, {}, null, 1000));
      const path = '/work/d3';
      expect(await collect({ path }, own)).toEqual(scanSegments(own.folder, { path }, null, 1000));
    } finally {
      own.remove();
    }
  });

  test('reading where there is no log is an error, and creates nothing', async () => {
    const empty = createPlace();
    try {
      await expect(collect({}, empty)).rejects.toMatchObject({ code: 'no-such-folder' });
      expect(() => tailAudit(empty)).toThrow('There is no audit log in');
      expect(existsSync(empty.folder)).toBe(false);
    } finally {
      empty.remove();
    }
  });
});

describe('the newest', () => {
  test('of all lanes, the oldest of them first', async () => {
    expect(tailAudit({ folder: place.folder, count: 7 })).toEqual((await collect({ limit: 7 })).reverse());
  });

  test('that match, from further back', async () => {
    const found = tailAudit({ folder: place.folder, count: 3, session: 's4' });
    expect(found).toEqual((await collect({ limit: 3, session: 's4' })).reverse());
  });

  test('as they come, from every lane and into new segments', async () => {
    const copy = copyPlace(place);
    const end = new AbortController();
    try {
      const coming = followAudit({ folder: copy.folder, verdict: 'allow', signal: end.signal });
      const audits = [openAt(copy, { rotateBytes: 2000 }), openAt(copy, { rotateBytes: 2000 })];
      const write = async () => {
        for (let index = 2000; index < 2020; index += 1) await audits[index % 2]?.record(entry(index));
      };
      const written = write();
      const seen: number[] = [];
      for await (const record of coming) {
        seen.push(indexOf(record));
        if (seen.length === 13) end.abort();
      }
      await written;
      for (const audit of audits) await audit.close();
      const expected = Array.from({ length: 20 }, (_, at) => 2000 + at).filter((index) => index % 3 !== 0);
      expect(seen.sort((a, b) => a - b)).toEqual(expected);
    } finally {
      copy.remove();
    }
  });
});
