// The log as one process writes it: what is in a line, what is not, how segments follow each other, and what a crash leaves.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuditEntry, ENTRY_TYPES, OWN_TYPES, openAudit, verifyAudit } from '../../src/api/audit.ts';
import { createPlace, entry, fill, linesIn, openAt, type Place, segmentsIn } from './subject.ts';

const FIRST = '000-000001.jsonl';
let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

const recordsIn = (file: string) => linesIn(place, file).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a line', () => {
  test('holds the entry, its number, the hash of the line before and its own; the receipt says where', async () => {
    const audit = openAt(place);
    const receipt = await audit.record(entry(1));
    await audit.close();
    const [head, line, end] = recordsIn(FIRST);
    expect(Object.keys(line as object)).toEqual([
      ...['n', 'at', 'type', 'task', 'session', 'user', 'command', 'cwd', 'verdict', 'risk', 'status', 'exit'],
      ...['signal', 'startedAt', 'usage', 'outputBytes', 'leftoversKilled', 'violations', 'failure', 'files'],
      ...['prev', 'hash'],
    ]);
    expect(line).toMatchObject({ ...entry(1), n: 2, prev: head?.hash });
    expect(receipt).toEqual({ lane: 0, file: FIRST, n: 2, hash: line?.hash });
    expect(end).toMatchObject({ type: 'checkpoint', n: 3, prev: line?.hash, signature: expect.any(String) });
  });

  test('the kinds of lines are pinned: adding is fine, renaming breaks those who read', () => {
    expect([...ENTRY_TYPES, ...OWN_TYPES]).toEqual([
      ...['verdict', 'answer', 'start', 'end', 'violation', 'operation', 'changes', 'settings', 'false-positive'],
      ...['segment-head', 'segment-end', 'checkpoint', 'pruned', 'torn', 'lost'],
    ]);
  });

  test('secrets are not in it, from any field', async () => {
    const audit = openAt(place, { environment: { DEPLOY_TOKEN: 'correct-horse' } });
    const secret = `ghp_${'aB3'.repeat(12)}`;
    await audit.record(entry(1, { command: `TOKEN=${secret} x`, failure: { type: 'io_error', message: secret } }));
    await audit.record(
      entry(2, { files: { created: ['/x/correct-horse'], changed: [], deleted: [], isComplete: true } }),
    );
    await audit.close();
    const text = readFileSync(join(place.folder, FIRST), 'utf8');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('correct-horse');
    expect(text).toContain('[redacted:github-token]');
    expect(text).toContain('[redacted:variable DEPLOY_TOKEN]');
  });

  test('an entry cannot inject log fields or lines', async () => {
    const audit = openAt(place);
    const forged = {
      ...entry(1),
      n: 99,
      at: 1,
      prev: 'x',
      hash: 'y',
      signature: 'z',
      lane: 7,
    } as unknown as AuditEntry;
    await audit.record(forged);
    await audit.record(entry(2, { command: 'a\n{"n":3}\r\u2028b' }));
    await audit.close();
    expect(recordsIn(FIRST).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(recordsIn(FIRST)[2]).toMatchObject({ command: 'a\n{"n":3}\r\u2028b' });
    expect(verifyAudit(place).isIntact).toBe(true);
  });

  test('a value that writes itself in its own way does not get round the redaction', async () => {
    const audit = openAt(place);
    const secret = `ghp_${'aB3'.repeat(12)}`;
    const sly = { toJSON: () => secret, deep: [{ text: secret }] };
    await audit.record({
      ...entry(1),
      usage: sly,
      failure: new (class {
        toJSON = () => secret;
      })(),
    } as unknown as AuditEntry);
    await audit.close();
    expect(readFileSync(join(place.folder, FIRST), 'utf8')).not.toContain(secret);
    expect(recordsIn(FIRST)[1]).toMatchObject({ usage: { deep: [{ text: '[redacted:github-token]' }] }, failure: {} });
    expect(sly.deep).toEqual([{ text: secret }]);
  });

  test('an unknown kind is refused', async () => {
    const audit = openAt(place);
    await expect(audit.record({ ...entry(1), type: 'checkpoint' } as unknown as AuditEntry)).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await audit.close();
  });

  test('the level basic holds no files and no operations', async () => {
    const audit = openAt(place, { level: 'basic' });
    const { task, session, user, command, cwd } = entry(1) as Extract<AuditEntry, { type: 'end' }>;
    const subject = { task, session, user, command, cwd };
    expect(
      await audit.record({ type: 'operation', ...subject, operation: 'connect', target: 'x:443', address: null }),
    ).toBeNull();
    await audit.record(entry(1));
    await audit.close();
    expect(recordsIn(FIRST).map(({ type }) => type)).toEqual(['segment-head', 'end', 'checkpoint']);
    expect(recordsIn(FIRST)[1]).not.toHaveProperty('files');
  });

  test('a text of any length is cut, after the secrets are out', async () => {
    const audit = openAt(place);
    await audit.record(entry(1, { command: `${'x'.repeat(65_530)} PASSWORD=hunter2 ${'y'.repeat(90_000)}` }));
    await audit.close();
    const { command } = recordsIn(FIRST)[1] as { command: string };
    expect(command.length).toBeLessThan(66_000);
    expect(command).not.toContain('hunter');
    expect(command).toMatch(/\[cut: \d+ characters\]$/);
  });
});

describe('segments', () => {
  test('a new one starts when the old one is long, and the next process continues with the last', async () => {
    await fill(place, 40, { rotateBytes: 8000 });
    const before = segmentsIn(place).length;
    expect(before).toBeGreaterThan(2);
    await fill(place, 1, { rotateBytes: 1 << 20 });
    expect(segmentsIn(place)).toHaveLength(before);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, notices: [] });
    for (const file of segmentsIn(place)) expect(statSync(join(place.folder, file)).mode & 0o777).toBe(0o600);
  });

  test('a signed line comes after every so many, and when the log is flushed', async () => {
    const audit = openAt(place, { checkpointEvery: 3 });
    for (let index = 0; index < 7; index += 1) await audit.record(entry(index));
    expect(recordsIn(FIRST).flatMap(({ type, n }) => (type === 'checkpoint' ? [n] : []))).toEqual([5, 9]);
    await audit.flush();
    expect(verifyAudit(place).heads).toMatchObject([{ unsigned: 0 }]);
    await audit.close();
    expect(recordsIn(FIRST).filter(({ type }) => type === 'checkpoint')).toHaveLength(3);
  });

  test.each(['always', 'interval', 'never'] as const)(
    'fsync %s: every entry once, in the order of asking',
    async (fsync) => {
      const audit = openAt(place, { fsync, rotateBytes: 30_000, checkpointEvery: 10 });
      const receipts: Promise<{ n: number } | null>[] = [];
      for (let index = 0; index < 200; index += 1) {
        receipts.push(audit.record(entry(index)));
        if (index % 17 === 0) await receipts.at(-1);
        if (index % 50 === 0) await audit.flush();
        if (index % 23 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([audit.flush(), audit.close()]);
      const numbers = (await Promise.all(receipts)).map((receipt) => receipt?.n as number);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(200);
      const commands = segmentsIn(place).flatMap((file) => recordsIn(file).flatMap(({ command }) => command ?? []));
      expect(commands).toEqual(Array.from({ length: 200 }, (_, index) => `echo ${index}`));
      expect(verifyAudit(place)).toMatchObject({ isIntact: true, heads: [{ unsigned: 0 }] });
    },
  );

  test('flush and close at the same time, after each number of turns', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const audit = openAt(place, { fsync: 'always' });
      await audit.record(entry(turns));
      const flushed = audit.flush();
      for (let turn = 0; turn < turns; turn += 1) await null;
      await Promise.all([flushed, audit.close()]);
    }
    for (let turns = 0; turns < 12; turns += 1) {
      const audit = openAt(place, { fsync: 'always' });
      await audit.record(entry(turns));
      const closed = audit.close();
      for (let turn = 0; turn < turns; turn += 1) await null;
      await Promise.all([audit.flush(), closed]);
    }
    expect(verifyAudit(place).isIntact).toBe(true);
  });

  test('retention by length deletes from the front, and verify knows why', async () => {
    await fill(place, 120, { rotateBytes: 6000, retainBytes: 20_000 });
    expect(segmentsIn(place)).not.toContain(FIRST);
    const total = segmentsIn(place).reduce((sum, file) => sum + statSync(join(place.folder, file)).size, 0);
    expect(total).toBeLessThan(30_000);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [], notices: [] });
  });

  test('retention by age covers lanes without writers', async () => {
    const [a, b] = [openAt(place, { rotateBytes: 3000 }), openAt(place, { rotateBytes: 3000 })];
    for (let index = 0; index < 12; index += 1) await Promise.all([a.record(entry(index)), b.record(entry(index))]);
    await Promise.all([a.close(), b.close()]);
    expect(segmentsIn(place)).toContain('001-000001.jsonl');
    const realNow = Date.now;
    try {
      Date.now = () => realNow() + 3 * 86_400_000;
      await fill(place, 8, { rotateBytes: 3000, retentionDays: 2 });
    } finally {
      Date.now = realNow;
    }
    expect(segmentsIn(place)).not.toContain(FIRST);
    expect(segmentsIn(place)).not.toContain('001-000001.jsonl');
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [] });
  });

  test('retention by age reaches segments that are never long enough to end', async () => {
    const [a, b] = [openAt(place), openAt(place)];
    await a.record(entry(1, { command: 'long ago' }));
    await b.record(entry(2, { command: 'long ago' }));
    await Promise.all([a.close(), b.close()]);
    const realNow = Date.now;
    try {
      // Somebody writes now and then, to the first lane alone.
      for (const day of [1.5, 3, 4.5, 6]) {
        Date.now = () => realNow() + day * 86_400_000;
        await fill(place, 1, { retentionDays: 2 });
      }
    } finally {
      Date.now = realNow;
    }
    const texts = segmentsIn(place).map((file) => readFileSync(join(place.folder, file), 'utf8'));
    expect(texts.join('')).not.toContain('long ago');
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [] });
  });

  test('a segment more than retention deleted is missed', async () => {
    await fill(place, 120, { rotateBytes: 6000, retainBytes: 20_000 });
    const [oldest = ''] = segmentsIn(place);
    unlinkSync(join(place.folder, oldest));
    expect(verifyAudit(place).problems).toMatchObject([{ kind: 'segment-missing', file: oldest }]);
  });
});

describe('after a crash', () => {
  const cutTo = (bytes: number) => truncateSync(join(place.folder, FIRST), bytes);
  const sizeOf = () => statSync(join(place.folder, FIRST)).size;

  /** As if the process were gone: nothing is signed at the end, and the lock has no live owner. */
  async function crashed(count: number): Promise<void> {
    const audit = openAt(place, { checkpointEvery: 1000 });
    for (let index = 0; index < count; index += 1) await audit.record(entry(index));
    const locks = join(place.folder, 'locks');
    for (const name of readdirSync(locks)) {
      const owner = JSON.parse(readFileSync(join(locks, name), 'utf8')) as object;
      writeFileSync(join(locks, name), JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
    }
  }

  test('an incomplete line is set aside, noted in the log and reported by verify', async () => {
    await crashed(5);
    const whole = linesIn(place, FIRST);
    cutTo(sizeOf() - 10);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, notices: [{ file: FIRST, line: 6 }] });
    await fill(place, 1);
    const torn = recordsIn(FIRST).find(({ type }) => type === 'torn') as { file: string; bytes: number };
    expect(torn).toMatchObject({ n: 6, cause: 'unfinished', bytes: (whole[5] as string).length + 1 - 10 });
    expect(readFileSync(join(place.folder, torn.file), 'utf8')).toBe((whole[5] as string).slice(0, -9));
    const report = verifyAudit(place);
    expect(report).toMatchObject({ isIntact: true, notices: [{ file: FIRST, line: 6 }] });
    expect(report.notices[0]?.message).toContain(torn.file);
    unlinkSync(join(place.folder, torn.file));
    expect(verifyAudit(place).problems).toMatchObject([{ kind: 'torn-file', file: FIRST, line: 6 }]);
  });

  test('a process that was killed between cutting and noting is made up for', async () => {
    await crashed(3);
    const { length } = linesIn(place, FIRST)[3] as string;
    const text = readFileSync(join(place.folder, FIRST));
    cutTo(sizeOf() - 5);
    mkdirSync(join(place.folder, 'torn'), { recursive: true });
    const end = sizeOf() - (length - 4);
    writeFileSync(join(place.folder, 'torn', `000-1-${end}.part`), text.subarray(end, sizeOf()));
    cutTo(end);
    await fill(place, 1);
    expect(recordsIn(FIRST).find(({ type }) => type === 'torn')).toMatchObject({ n: 4, cause: 'unfinished' });
    expect(verifyAudit(place).isIntact).toBe(true);
  });

  test('whole lines that make no sense are damage, not a crash', async () => {
    await crashed(3);
    appendFileSync(join(place.folder, FIRST), 'zeros and ones\n');
    await fill(place, 1);
    expect(verifyAudit(place).problems).toMatchObject([{ kind: 'damaged', file: FIRST }]);
  });

  test('a torn beginning of a segment begins it again', async () => {
    await crashed(1);
    cutTo(20);
    rmSync(join(place.folder, '000.head'));
    await fill(place, 2);
    expect(recordsIn(FIRST).map(({ type }) => type)).toEqual(['segment-head', 'torn', 'end', 'end', 'checkpoint']);
    expect(verifyAudit(place).isIntact).toBe(true);
  });

  test('signed lines that are gone are noted when the log is opened', async () => {
    await fill(place, 5);
    cutTo(2000);
    await fill(place, 1);
    expect(verifyAudit(place).problems).toMatchObject([{ kind: 'lost', file: FIRST }]);
  });

  test('a process that was ended between two segments is followed by the next segment', async () => {
    await fill(place, 40, { rotateBytes: 8000 });
    const last = segmentsIn(place).at(-1) as string;
    truncateSync(join(place.folder, last), 0);
    rmSync(join(place.folder, '000.head'));
    await fill(place, 1);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [] });
    unlinkSync(join(place.folder, last));
    rmSync(join(place.folder, '000.head'));
    await fill(place, 1);
    expect(segmentsIn(place)).toContain(last);
    expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [] });
  });
});

describe('write errors are reported', () => {
  test('a folder that cannot be made', async () => {
    writeFileSync(join(place.root, 'file'), '');
    const audit = openAt({ ...place, folder: join(place.root, 'file', 'audit') });
    await expect(audit.record(entry(1))).rejects.toMatchObject({ code: 'unwritable-audit', hint: expect.any(String) });
  });

  test('a folder that others can open', async () => {
    mkdirSync(place.folder, { mode: 0o755 });
    chmodSync(place.folder, 0o755);
    await expect(openAt(place).record(entry(1))).rejects.toMatchObject({ code: 'unwritable-audit' });
  });

  test('a key that others can read', async () => {
    await fill(place, 1);
    chmodSync(join(place.keyFolder, 'audit-key.pem'), 0o644);
    await expect(openAt(place).record(entry(1))).rejects.toMatchObject({ code: 'unwritable-audit' });
  });

  test('a key that is gone: no other one continues the log', async () => {
    await fill(place, 1);
    rmSync(join(place.keyFolder, 'audit-key.pem'));
    await expect(openAt(place).record(entry(1))).rejects.toThrow('is missing');
    expect(existsSync(join(place.keyFolder, 'audit-key.pem'))).toBe(false);
  });

  test('a closed log', async () => {
    const audit = openAt(place);
    await audit.close();
    await expect(audit.record(entry(1))).rejects.toMatchObject({ code: 'closed' });
  });

  test('after a failure the next entry is written', async () => {
    writeFileSync(place.folder, '');
    const audit = openAt(place);
    await expect(audit.record(entry(1))).rejects.toMatchObject({ code: 'unwritable-audit' });
    rmSync(place.folder);
    expect(await audit.record(entry(2))).toMatchObject({ n: 2 });
    await audit.close();
  });

  test.each([{ rotateBytes: 0 }, { retentionDays: -1 }, { checkpointEvery: 1.5 }, { retainBytes: Number.NaN }])(
    '%o is refused',
    (options) => expect(() => openAudit({ ...place, ...options })).toThrow('must be a whole number'),
  );

  test('a choice that there is not', () => {
    expect(() => openAudit({ ...place, fsync: 'sometimes' as 'never' })).toThrow('one of always, interval, never');
    expect(() => openAudit({ ...place, level: 'all' as 'basic' })).toThrow('one of basic, detailed');
  });
});

test('nothing is touched before the first entry, and the segment is never removed while in use', async () => {
  const audit = openAt(place);
  expect(existsSync(place.folder)).toBe(false);
  await audit.record(entry(1));
  unlinkSync(join(place.folder, FIRST));
  await audit.record(entry(2));
  await audit.close();
  expect(verifyAudit(place).problems.map(({ kind }) => kind)).toContain('lost');
});
