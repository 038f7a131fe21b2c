// Several processes write side by side, and processes are killed while they write: nothing is mixed, nothing that was
// acknowledged is lost. HARDSHELL_AUDIT_KILLS and HARDSHELL_AUDIT_RECORDS ask for more of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryAudit, verifyAudit } from '../../src/api/audit.ts';
import { tryOwn } from '../../src/record/chain/ownership.ts';
import { type Ack, createPlace, entry, fill, openAt, type Place, segmentsIn, startWriter } from './subject.ts';

const KILLS = Number(process.env.HARDSHELL_AUDIT_KILLS ?? 25);
const RECORDS = Number(process.env.HARDSHELL_AUDIT_RECORDS ?? 400);
const PROCESSES = 8;
/** A separate log for so many kills: rereading all of it would take too long. */
const KILLS_PER_LOG = 50;

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

/** `lane n` → hash, of all whole lines. */
function readAll(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of segmentsIn(place)) {
    const lines = readFileSync(join(place.folder, file), 'utf8').split('\n');
    for (const line of lines.slice(0, -1)) {
      const { n, hash } = JSON.parse(line) as Ack;
      found.set(`${Number(file.slice(0, 3))} ${n}`, hash);
    }
  }
  return found;
}

function expectAll(acks: readonly Ack[]): void {
  const there = readAll();
  expect(acks.filter(({ lane, n, hash }) => there.get(`${lane} ${n}`) !== hash)).toEqual([]);
}

test(`${PROCESSES} processes write ${RECORDS} records each: one chain per process, all of them there`, async () => {
  const options = { count: RECORDS, together: 20, size: 60, rotateBytes: 200_000, fsync: 'never' as const };
  const writers = Array.from({ length: PROCESSES }, () => startWriter(place, options));
  expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual(writers.map(() => 0));
  const acks = writers.flatMap((writer) => writer.acks);
  expect(acks).toHaveLength(PROCESSES * RECORDS);
  expect(new Set(acks.map(({ hash }) => hash)).size).toBe(acks.length);
  expectAll(acks);
  const report = verifyAudit(place);
  expect(report).toMatchObject({ isIntact: true, problems: [], notices: [] });
  expect(report.heads.every(({ unsigned }) => unsigned === 0)).toBe(true);
  let count = 0;
  for await (const { type } of queryAudit(place)) if (type === 'false-positive') count += 1;
  expect(count).toBe(acks.length);
}, 600_000);

test(`killed ${KILLS} times while it writes: whole lines are intact, what was acknowledged is there`, async () => {
  const acks: Ack[] = [];
  const tally = { acknowledged: 0, torn: 0 };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const together = 1 + Math.floor(Math.random() * 60);
    const size = 1 + Math.floor(Math.random() * 20_000);
    const writer = startWriter(place, { count: 1e9, together, size, fsync: 'always', rotateBytes: 1 << 20 });
    await writer.until(1 + Math.floor(Math.random() * 3 * together));
    // Somewhere in the next batch, not right after an answer.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    writer.kill();
    await writer.ended;
    expect(writer.acks.length).toBeGreaterThan(0);
    acks.push(...writer.acks);
    const report = verifyAudit(place);
    expect(report.problems).toEqual([]);
    if (report.notices.some(({ message }) => message.includes('has no end'))) tally.torn += 1;
    expectAll(acks);
    if (kill % KILLS_PER_LOG === 0 || kill === KILLS) {
      // The next process sets aside what was torn, and reports it.
      await fill(place, 1);
      const after = verifyAudit(place);
      expect(after.problems).toEqual([]);
      expect(after.notices.filter(({ message }) => message.includes('has no end'))).toEqual([]);
      expectAll(acks);
      tally.acknowledged += acks.length;
      acks.length = 0;
      place.remove();
      place = createPlace();
    }
  }
  if (KILLS > 100) process.stderr.write(`${KILLS} kills: ${JSON.stringify(tally)}\n`);
}, 3_600_000);

test('a full disk: the writer gets an error, and the log is intact', async () => {
  const options = { count: 1e9, together: 3, size: 3000, limitKb: 100, rotateBytes: 1 << 30 };
  const writer = startWriter(place, { ...options, fsync: 'never' });
  expect(await writer.ended).toBe(3);
  expect(writer.acks.length).toBeGreaterThan(20);
  expectAll(writer.acks);
  expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [], notices: [] });
  await fill(place, 1);
  expect(verifyAudit(place)).toMatchObject({ isIntact: true, problems: [], notices: [] });
});

test('a lane is taken over when its process is gone, and not before', async () => {
  const alive = openAt(place);
  await alive.record(entry(1));
  const writer = startWriter(place, { count: 1e9, together: 1, size: 10 });
  await writer.until(1);
  expect(writer.acks[0]).toMatchObject({ lane: 1 });
  const third = openAt(place);
  expect(await third.record(entry(2))).toMatchObject({ lane: 2 });
  writer.kill();
  await writer.ended;
  const fourth = openAt(place);
  expect(await fourth.record(entry(3))).toMatchObject({ lane: 1 });
  await Promise.all([alive, third, fourth].map((audit) => audit.close()));
  const fifth = openAt(place);
  expect(await fifth.record(entry(4))).toMatchObject({ lane: 0 });
  await fifth.close();
  expect(verifyAudit(place).problems).toEqual([]);
});

test('many who want the same lock at once: never two have it', async () => {
  await fill(place, 1);
  const locks = join(place.folder, 'locks');
  const script = `
    import { tryOwn } from ${JSON.stringify(new URL('../../dist/record/chain/ownership.js', import.meta.url).href)};
    import { mkdirSync, rmdirSync, writeSync } from 'node:fs';
    let had = 0;
    const wanted = process.argv[1] === 'die' ? 5 : 20;
    for (const end = Date.now() + 15_000; had < wanted && Date.now() < end; ) {
      const owner = tryOwn(${JSON.stringify(locks)}, 'x');
      if (owner === null) continue;
      // Fails when another process is in here.
      mkdirSync(${JSON.stringify(join(place.root, 'inside'))});
      had += 1;
      // Killed while it owns: the others find a lock of the dead.
      if (process.argv[1] === 'die' && had === wanted) { rmdirSync(${JSON.stringify(join(place.root, 'inside'))}); process.kill(process.pid, 'SIGKILL'); }
      rmdirSync(${JSON.stringify(join(place.root, 'inside'))});
      owner.release();
    }
    writeSync(1, String(had));`;
  const { spawn } = await import('node:child_process');
  const children = Array.from({ length: 5 }, (_, index) => {
    const mode = index === 0 ? 'die' : 'live';
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    return new Promise<{ code: number | null; had: number }>((resolve) =>
      child.on('close', (code) => resolve({ code, had: Number(text) })),
    );
  });
  const [dead, ...living] = await Promise.all(children);
  expect(dead).toMatchObject({ code: null });
  expect(living).toEqual(living.map(() => ({ code: 0, had: 20 })));
  const owner = tryOwn(locks, 'x');
  expect(owner?.isHeld()).toBe(true);
  expect(tryOwn(locks, 'x')).toBeNull();
  owner?.release();
});
