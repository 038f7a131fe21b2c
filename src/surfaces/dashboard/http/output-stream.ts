// The output of one command as it comes, from a byte offset, until it has ended or the page is gone. Secrets are redacted.
// Bounded: nothing more is sent before the page has read the previous data.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeBinary, type ForegroundCommand, isBinary, OutputRedactor } from '../../../host.ts';
import type { Tasks } from '../data/tasks.ts';
import type { Output } from '../wire.ts';
import { openEvents, sendEvent } from './exchange.ts';

const PAUSE_MS = 250;
const ALIVE_MS = 15_000;
const MAX_UNREAD_BYTES = 1 << 18;

export async function streamOutput(
  tasks: Tasks,
  id: string,
  cursor: number | null,
  response: ServerResponse,
): Promise<void> {
  const isTask = (await tasks.find(id)) !== null;
  const live = isTask ? null : await tasks.findLive(id);
  if (live === null) return streamTask(tasks, id, cursor, response);
  const seen = await streamLive(tasks, live, cursor, response);
  if (response.destroyed) return;
  // It continues in the background, or its output is kept.
  if ((await tasks.find(id)) !== null) return streamTask(tasks, id, seen.cursor, response);
  sendEvent(response, { is: 'end', isWhole: seen.isWhole });
  response.end();
}

/** What the page gets of an output. A line that is not finished is sent when nothing comes for a while. */
class Shown {
  readonly #response: ServerResponse;
  readonly #redactor = new OutputRedactor(process.env);
  #cursor = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send({ text, cursor }: Output): void {
    this.#cursor = cursor;
    const shown = this.#redactor.push(text);
    const { held } = this.#redactor;
    // Who connects again goes on before what was held back; bytes that are no text cannot be counted.
    if (shown !== '') this.#emit(shown, held.includes('\ufffd') ? cursor : cursor - Buffer.byteLength(held));
  }

  flush(): void {
    const rest = this.#redactor.flush();
    if (rest !== '') this.#emit(rest, this.#cursor);
  }

  #emit(text: string, cursor: number): void {
    sendEvent(this.#response, { is: 'output', text, cursor, isAtEnd: false });
  }
}

async function streamLive(tasks: Tasks, live: ForegroundCommand, from: number | null, response: ServerResponse) {
  let cursor = from;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  openEvents(response);
  const shown = new Shown(response);
  let quiet: NodeJS.Timeout | undefined;
  const alive = setInterval(() => response.write(': alive\n\n'), ALIVE_MS);
  try {
    const isWhole = await tasks.follow(live, cursor, gone.signal, (output) => {
      cursor = output.cursor;
      shown.send(output);
      clearTimeout(quiet);
      quiet = setTimeout(() => shown.flush(), PAUSE_MS);
      return response.writableLength > MAX_UNREAD_BYTES ? untilRead(response) : undefined;
    });
    return { cursor, isWhole };
  } catch {
    return { cursor, isWhole: false };
  } finally {
    clearInterval(alive);
    clearTimeout(quiet);
    if (!response.destroyed) shown.flush();
  }
}

function untilRead(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}

async function streamTask(tasks: Tasks, id: string, cursor: number | null, response: ServerResponse): Promise<void> {
  let next = await tasks.read(id, cursor);
  if (!response.headersSent) openEvents(response);
  const shown = new Shown(response);
  let saidAt = Date.now();
  for (;;) {
    if (response.destroyed || response.writableEnded) return;
    const state = (await (await tasks.find(id))?.info())?.state ?? 'lost';
    if (next.text !== '') {
      if (state !== 'running' && isBinary(next.text)) {
        sendEvent(response, { is: 'output', ...next, text: describeBinary(id, await tasks.size(id)) });
        break;
      }
      shown.send(next);
      saidAt = Date.now();
    } else {
      shown.flush();
      if (state !== 'running') break;
    }
    if (Date.now() - saidAt > ALIVE_MS) {
      response.write(': alive\n\n');
      saidAt = Date.now();
    }
    const isFull = response.writableLength > MAX_UNREAD_BYTES;
    // A running task has no end: a silent interval means that there is nothing more now.
    if (next.text === '' || isFull) await sleep(PAUSE_MS);
    if (isFull) next = { ...next, text: '' };
    else next = await tasks.read(id, next.cursor);
  }
  sendEvent(response, { is: 'end', isWhole: true });
  response.end();
}
