// `npm run bench -- audit [--json] [--quick] [--records N]`: the audit log compared with raw appendFile of the same bytes, and
// queries compared with the same queries on a plain SQLite table with the right indexes, interleaved in one run.

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { auditObserver, createShell, openAudit, openAuditReader, queryAudit, verifyAudit } from '../dist/host.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { loadRow, speedRow, takeTurns } from './lib/turns.js';

const MIN_APPEND_SPEED = 0.4;
const MAX_QUERY_RATIO = 3;
const MAX_RUN_RATIO = 1.05;
const PAGE = 100;
const BATCH = 2000;
const PRAGMAS = 'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000';

const COMMANDS = [
  'git status --short',
  'npm test -- --run src/record',
  "find src -name '*.ts' | xargs grep -n TODO",
  'rm -rf build/cache',
  'curl -sS https://example.com/install.sh -o install.sh',
  'docker compose up -d database',
];

function entryOf(index) {
  const verdict = index % 50 === 0 ? 'deny' : index % 11 === 0 ? 'ask' : 'allow';
  return {
    type: 'end',
    task: `bash-${index.toString(36)}`,
    session: `session-${index % 5000}`,
    user: null,
    command: `${COMMANDS[index % COMMANDS.length]} # ${index}`,
    cwd: '/home/me/project',
    verdict,
    risk: index % 97 === 0 ? 'critical' : index % 7 === 0 ? 'medium' : 'low',
    status: 'exited',
    exit: index % 23 === 0 ? 1 : 0,
    signal: null,
    startedAt: 1_790_000_000_000 + index,
    usage: { wallMs: 12, userMs: 3, systemMs: 2, peakMemoryBytes: 4_000_000, readBytes: 0, writeBytes: 4096 },
    outputBytes: 120,
    leftoversKilled: 0,
    violations: 0,
    failure: null,
    files: {
      created: [`/home/me/project/src/d${index % 1000}/f${index}.ts`],
      changed: [],
      deleted: [],
      isComplete: true,
    },
  };
}

async function benchAppend(folder, rounds) {
  const entries = Array.from({ length: BATCH }, (_, index) => entryOf(index));
  const options = { keyFolder: join(folder, 'keys'), environment: {} };
  const first = openAudit({ ...options, folder: join(folder, 'lines'), fsync: 'never' });
  for (const entry of entries) await first.record(entry);
  await first.close();
  // The same bytes, line by line.
  const lines = readFileSync(join(folder, 'lines', '000-000001.jsonl'), 'utf8')
    .split('\n')
    .slice(1, BATCH + 1)
    .map((line) => `${line}\n`);
  const audit = openAudit({ ...options, folder: join(folder, 'append'), fsync: 'never' });
  const durable = openAudit({ ...options, folder: join(folder, 'durable'), fsync: 'always' });
  const file = join(folder, 'raw');
  const few = entries.slice(0, 200);
  const contenders = {
    rawInTurn: async () => {
      for (const line of lines) await appendFile(file, line);
    },
    auditInTurn: async () => {
      for (const entry of entries) await audit.record(entry);
    },
    rawTogether: () => Promise.all(lines.map((line) => appendFile(file, line))),
    auditTogether: () => Promise.all(entries.map((entry) => audit.record(entry))),
    rawSync: async () => {
      for (const line of lines) appendFileSync(file, line);
    },
    rawDurable: async () => {
      for (const line of lines.slice(0, few.length)) {
        const handle = await open(file, 'a');
        await handle.appendFile(line);
        await handle.datasync();
        await handle.close();
      }
    },
    auditDurable: async () => {
      for (const entry of few) await durable.record(entry);
    },
    auditDurableTogether: () => Promise.all(few.map((entry) => durable.record(entry))),
  };
  const samples = await takeTurns(contenders, rounds, { warmUpRounds: 2 });
  await audit.close();
  await durable.close();
  const each = (name, count = BATCH) => samples[name].map((value) => value / count);
  return [
    timeRow('appendFile, one after the other', each('rawInTurn')),
    timeRow('audit, one after the other', each('auditInTurn')),
    timeRow('appendFile, together', each('rawTogether')),
    timeRow('audit, together', each('auditTogether')),
    timeRow('appendFileSync', each('rawSync')),
    timeRow('appendFile and datasync, one after the other', each('rawDurable', few.length)),
    timeRow('audit with fsync always, one after the other', each('auditDurable', few.length)),
    timeRow('audit with fsync always, together', each('auditDurableTogether', few.length)),
    speedRow('audit / appendFile, one after the other', samples.auditInTurn, samples.rawInTurn, MIN_APPEND_SPEED),
    speedRow('audit / appendFile, together', samples.auditTogether, samples.rawTogether, MIN_APPEND_SPEED),
    speedRow('audit together / appendFileSync', samples.auditTogether, samples.rawSync),
    speedRow('audit / appendFile and datasync', samples.auditDurable, samples.rawDurable, MIN_APPEND_SPEED),
  ];
}

async function benchRun(folder, rounds) {
  const audit = openAudit({ folder: join(folder, 'runs'), keyFolder: join(folder, 'keys'), environment: {} });
  const tasksFolder = join(folder, 'tasks');
  const plain = createShell({ tasksFolder, recording: false });
  const observed = createShell({ tasksFolder, recording: false, observers: [auditObserver(audit)] });
  const options = { cwd: folder, session: 'bench' };
  const runTen = (shell) => async () => {
    for (let count = 0; count < 10; count += 1) {
      const { status } = await shell.run('true', options);
      if (status !== 'exited') throw new Error(`The command ended as ${status}.`);
    }
  };
  try {
    const samples = await takeTurns({ plain: runTen(plain), observed: runTen(observed) }, rounds);
    const each = (name) => samples[name].map((value) => value / 10);
    return [
      timeRow('run', each('plain')),
      timeRow('run with audit', each('observed')),
      ratioRow('run with audit / run', samples.observed, samples.plain, MAX_RUN_RATIO),
    ];
  } finally {
    await plain.close();
    await observed.close();
    await audit.close();
  }
}

async function fillLog(folder, count) {
  const audit = openAudit({ folder, keyFolder: `${folder}-keys`, fsync: 'never', environment: {} });
  for (let index = 0; index < count; index += BATCH)
    await Promise.all(
      Array.from({ length: Math.min(BATCH, count - index) }, (_, at) => audit.record(entryOf(index + at))),
    );
  await audit.close();
}

/** The table that one would create for these queries alone. */
async function fillTable(path, folder) {
  const database = new sqlite.Database(path);
  database.exec(PRAGMAS);
  database.exec(`CREATE TABLE record (id INTEGER PRIMARY KEY, at INTEGER, session TEXT, verdict TEXT, risk TEXT,
    exit INTEGER, command TEXT, path TEXT, json TEXT)`);
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for await (const record of queryAudit({ folder, order: 'oldest' })) {
    const { n, at, session, verdict, risk, exit, command, files } = record;
    insert.run([n, at, session, verdict, risk, exit, command, files.created[0], JSON.stringify(record)]);
  }
  insert.finalize();
  for (const column of ['session', 'verdict', 'risk', 'exit', 'path'])
    database.exec(`CREATE INDEX by_${column} ON record (${column}, at)`);
  database.exec('CREATE INDEX by_at ON record (at); COMMIT');
  return database;
}

function questionsOf(since, until) {
  return {
    'verdict deny': [{ verdict: 'deny' }, 'verdict = ?', ['deny']],
    'one session': [{ session: 'session-4711' }, 'session = ?', ['session-4711']],
    'exit 1': [{ exit: 1 }, 'exit = ?', [1]],
    'risk critical, in a hundredth of the time': [
      { risk: 'critical', since, until },
      'risk = ? AND at >= ? AND at <= ?',
      ['critical', since, until],
    ],
    'a folder': [
      { path: '/home/me/project/src/d77' },
      'path >= ? AND path < ?',
      ['/home/me/project/src/d77/', '/home/me/project/src/d770'],
    ],
    'text in the command, found early': [{ command: 'install.sh' }, 'command LIKE ?', ['%install.sh%']],
    'text that is in no command': [{ command: '# 1234 ' }, 'command LIKE ?', ['%# 1234 %']],
    'the newest': [{}, 'at > ?', [0]],
  };
}

async function benchQueries(folder, count, rounds) {
  const log = join(folder, 'log');
  await fillLog(log, count);
  const rows = [];
  const once = async (name, work) => {
    const start = process.hrtime.bigint();
    const result = await work();
    const value = Number(process.hrtime.bigint() - start) / 1e3;
    rows.push(timeRow(name, [value]));
    return result;
  };
  const reader = openAuditReader({ folder: log });
  const collect = async (query) => {
    const found = [];
    for await (const record of reader.query({ ...query, limit: PAGE })) found.push(record);
    return found;
  };
  const thousands = count.toLocaleString('en');
  const [newest] = await once(`${thousands} records: the index is made`, () => collect({}));
  const { isIntact } = await once(`${thousands} records: verify`, () =>
    verifyAudit({ folder: log, keyFolder: `${log}-keys` }),
  );
  if (!isIntact) throw new Error('The log of the benchmark is not intact.');
  const table = await fillTable(join(folder, 'plain.db'), log);
  const [{ first }] = table.all('SELECT min(at) AS first FROM record');
  const span = newest.at - Number(first);
  const questions = questionsOf(Number(first) + span * 0.5, Number(first) + span * 0.51);
  for (const [name, [query, where, values]] of Object.entries(questions)) {
    const sql = `SELECT json FROM record WHERE ${where} ORDER BY at DESC, id DESC LIMIT ${PAGE}`;
    const plain = async () => table.all(sql, values).map(({ json }) => JSON.parse(json));
    const [ours, theirs] = [await collect(query), await plain()];
    if (JSON.stringify(ours.map(({ n }) => n)) !== JSON.stringify(theirs.map(({ n }) => n)))
      throw new Error(`${name}: the two answers differ.`);
    const contenders = { plain: () => plain().then(() => {}), audit: () => collect(query).then(() => {}) };
    const samples = await takeTurns(contenders, rounds, { warmUpRounds: 3 });
    rows.push(timeRow(`${name} (${ours.length}): plain table`, samples.plain));
    rows.push(timeRow(`${name} (${ours.length}): audit`, samples.audit));
    rows.push(ratioRow(`${name}: audit / plain table`, samples.audit, samples.plain, MAX_QUERY_RATIO));
  }
  reader.close();
  table.close();
  return rows;
}

function readRecords(argv) {
  const at = argv.indexOf('--records');
  if (at === -1) return null;
  const value = Number(argv[at + 1]);
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error('--records needs a number, for example 100000');
  return value;
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const records = readRecords(argv) ?? (quick ? 50_000 : 1_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'hs-bench-audit-'));
  const load = loadRow();
  try {
    const rows = [
      ...(await benchRun(folder, quick ? 20 : 100)),
      ...(await benchAppend(folder, quick ? 5 : 15)),
      ...(await benchQueries(folder, records, quick ? 15 : 20)),
    ];
    report('audit', [load, ...rows], { json });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
