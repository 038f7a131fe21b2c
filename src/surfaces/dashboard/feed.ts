// Changes → the open pages. Changes are collected and sent at most some times a second, as the whole current state:
// a thousand records a second are one event, and a page that reads slowly misses steps, never the end.

import type { ServerResponse } from 'node:http';
import { type AuditReader, type AuditRecord, followAudit } from '../../host.ts';
import { Approvals } from './data/approvals.ts';
import { listHeld } from './data/changes.ts';
import { rowOf, settle } from './data/history.ts';
import type { Tasks } from './data/tasks.ts';
import { openEvents, sendEvent } from './http/exchange.ts';
import type { FeedEvent, HeldCommand, HistoryRow } from './wire.ts';

const GATHER_MS = 200;
const LOOK_MS = 1_000;
const ALIVE_MS = 15_000;
const MAX_ROWS = 10;
const MAX_CLIENTS = 30;
/** A page with this much unread data is updated later. */
const MAX_UNREAD_BYTES = 1 << 20;

type Topic = FeedEvent['is'];
const TOPICS: readonly Topic[] = ['approvals', 'tasks', 'held', 'records'];
/** Reading all stages takes time: only when something may have changed, and now and then. */
const HELD_MS = 10_000;

interface Client {
  readonly response: ServerResponse;
  readonly news: Set<Topic>;
  records: number;
}

export class Feed {
  readonly approvals: Approvals;
  readonly #tasks: Tasks;
  readonly #audit: { readonly folder: string; readonly reader: AuditReader };
  readonly #clients = new Set<Client>();
  readonly #timers: NodeJS.Timeout[] = [];
  #rows: readonly HistoryRow[] = [];
  #following: AbortController | null = null;
  #isLooking = false;
  #held: readonly HeldCommand[] = [];
  #heldAt = 0;
  #acts = 0;

  constructor(tasks: Tasks, audit: { readonly folder: string; readonly reader: AuditReader }) {
    this.#tasks = tasks;
    this.#audit = audit;
    this.approvals = new Approvals(() => this.#note('approvals'));
    this.#timers.push(
      setInterval(() => this.#tell(), GATHER_MS),
      setInterval(() => void this.#look(), LOOK_MS),
      setInterval(() => {
        for (const { response } of this.#clients) if (!response.writableNeedDrain) response.write(': alive\n\n');
      }, ALIVE_MS),
    );
  }

  /** False if too many pages are open. */
  attach(response: ServerResponse): boolean {
    if (this.#clients.size >= MAX_CLIENTS) return false;
    const client: Client = { response, news: new Set(TOPICS), records: 0 };
    openEvents(response);
    this.#clients.add(client);
    response.on('close', () => {
      this.#clients.delete(client);
      if (this.#clients.size === 0) this.#stopFollowing();
    });
    void this.#look();
    this.#follow();
    return true;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopFollowing();
    for (const { response } of this.#clients) response.end();
    await this.approvals.close();
  }

  #note(topic: Topic): void {
    for (const { news } of this.#clients) news.add(topic);
  }

  #tell(): void {
    for (const client of this.#clients) {
      if (client.response.writableLength > MAX_UNREAD_BYTES) continue;
      for (const topic of client.news) sendEvent(client.response, this.#eventOf(topic, client));
      client.news.clear();
    }
  }

  #eventOf(topic: Topic, client: Client): FeedEvent {
    if (topic === 'approvals') return { is: topic, pending: this.approvals.pending, problems: this.approvals.problems };
    if (topic === 'tasks') return { is: topic, tasks: this.#tasks.list, waited: this.#tasks.waited };
    if (topic === 'held') return { is: topic, held: this.#held, acts: this.#acts };
    const { records } = client;
    client.records = 0;
    return { is: topic, count: records, rows: this.#settledRows() };
  }

  /** Changes were undone or the like. */
  noteAct(): void {
    this.#acts += 1;
    this.#heldAt = 0;
  }

  /** Only while a page is open. */
  async #look(): Promise<void> {
    if (this.#clients.size === 0 || this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#readHeld();
      await this.#tasks.look();
      this.#note('tasks');
      // The end of a task may not be recorded in the log.
      if (this.#rows.some(({ status }) => status === 'running')) this.#note('records');
    } catch {
      // Its folder cannot be read now; the next attempt may work.
    } finally {
      this.#isLooking = false;
    }
  }

  async #readHeld(): Promise<void> {
    if (Date.now() - this.#heldAt < HELD_MS) return;
    this.#heldAt = Date.now();
    this.#held = await listHeld();
    this.#note('held');
  }

  async #readNewest(): Promise<void> {
    const rows: HistoryRow[] = [];
    for await (const record of this.#audit.reader.query({ types: ['end'], limit: 2 * MAX_ROWS })) {
      const row = rowOf(record);
      if (row !== null) rows.push(row);
    }
    // Those that came in the meantime are newer.
    const newer = this.#rows.filter(({ at }) => at >= (rows[0]?.at ?? 0));
    this.#rows = oneEach([...newer, ...rows]);
    this.#note('records');
  }

  #settledRows(): readonly HistoryRow[] {
    const infos = new Map(this.#tasks.list.map((info) => [info.id, info]));
    return this.#rows.map((row) => {
      const info = infos.get(row.task);
      return info === undefined ? row : { ...row, ...settle(row, info) };
    });
  }

  #stopFollowing(): void {
    this.#following?.abort();
    this.#following = null;
  }

  #follow(): void {
    if (this.#following !== null) return;
    const following = new AbortController();
    this.#following = following;
    const end = (): void => {
      if (this.#following === following) this.#following = null;
    };
    const { foreground } = this.#tasks;
    followRecords(this.#audit.folder, following.signal, (record) => {
      for (const client of this.#clients) client.records += 1;
      foreground.note(record);
      if (record.type === 'changes') this.noteAct();
      else if (record.type === 'end' && record.changes !== undefined) this.#heldAt = 0;
      const row = record.type === 'end' ? rowOf(record) : null;
      if (row !== null) this.#rows = oneEach([row, ...this.#rows]);
      this.#note('records');
    }).then(end, end);
    // After the above, which sees all later records: nothing is missed in between.
    foreground.begin(this.#audit.reader, Date.now()).catch(() => {});
    this.#readNewest().catch(() => {});
  }
}

/** The first record of each command, which is its newest. */
function oneEach(rows: readonly HistoryRow[]): readonly HistoryRow[] {
  const seen = new Set<string>();
  const first = rows.filter(({ task }) => !seen.has(task) && seen.add(task));
  return first.slice(0, MAX_ROWS);
}

async function followRecords(
  folder: string,
  signal: AbortSignal,
  onRecord: (record: AuditRecord) => void,
): Promise<void> {
  for await (const record of followAudit({ folder, signal })) onRecord(record);
}
