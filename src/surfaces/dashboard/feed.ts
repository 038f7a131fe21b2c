// Whatever changes → the pages that watch. Changes are gathered and told at most some times a second, as the whole that
// holds then: a thousand records a second are one event, and a page that reads slowly misses steps, never the end.

import type { ServerResponse } from 'node:http';
import { type AuditReader, type AuditRecord, followAudit } from '../../index.ts';
import { Approvals } from './data/approvals.ts';
import { rowsOf } from './data/history.ts';
import type { Tasks } from './data/tasks.ts';
import { openEvents, sendEvent } from './http/exchange.ts';
import type { FeedEvent, HistoryRow } from './wire.ts';

const GATHER_MS = 200;
const LOOK_MS = 1_000;
const ALIVE_MS = 15_000;
const MAX_ROWS = 10;
const MAX_CLIENTS = 30;
/** A page that has so much to read already is told later. */
const MAX_UNREAD_BYTES = 1 << 20;

type Topic = FeedEvent['is'];
const TOPICS: readonly Topic[] = ['approvals', 'tasks', 'records'];

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

  /** False when too many watch already. */
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
    if (topic === 'tasks') return { is: topic, tasks: this.#tasks.list, foreground: this.#tasks.others };
    const { records } = client;
    client.records = 0;
    return { is: topic, count: records, rows: this.#rows };
  }

  /** Only while somebody watches. */
  async #look(): Promise<void> {
    if (this.#clients.size === 0 || this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#tasks.look();
      this.#note('tasks');
    } catch {
      // Its folder cannot be read now; the next look may work.
    } finally {
      this.#isLooking = false;
    }
  }

  async #readNewest(): Promise<void> {
    const rows: HistoryRow[] = [];
    for await (const record of this.#audit.reader.query({ types: ['end'], limit: MAX_ROWS }))
      rows.push(...rowsOf(record));
    // Those that came meanwhile are newer.
    const known = new Set(rows.map(({ task, at }) => `${task} ${at}`));
    const newer = this.#rows.filter(({ task, at }) => !known.has(`${task} ${at}`) && at >= (rows[0]?.at ?? 0));
    this.#rows = [...newer, ...rows].slice(0, MAX_ROWS);
    this.#note('records');
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
      const [row = null] = record.type === 'end' ? rowsOf(record) : [];
      if (row !== null) this.#rows = [row, ...this.#rows].slice(0, MAX_ROWS);
      this.#note('records');
    }).then(end, end);
    // After the above, which sees everything from now on: nothing falls between the two.
    foreground.begin(this.#audit.reader, Date.now()).catch(() => {});
    this.#readNewest().catch(() => {});
  }
}

async function followRecords(
  folder: string,
  signal: AbortSignal,
  onRecord: (record: AuditRecord) => void,
): Promise<void> {
  for await (const record of followAudit({ folder, signal })) onRecord(record);
}
