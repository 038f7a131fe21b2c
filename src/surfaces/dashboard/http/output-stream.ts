// The output of one command as it comes, from a byte offset, until it has ended or the page is gone. Bounded: nothing
// more is sent before the page has read the previous data.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForegroundCommand } from '../../../host.ts';
import type { Tasks } from '../data/tasks.ts';
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

async function streamLive(tasks: Tasks, live: ForegroundCommand, from: number | null, response: ServerResponse) {
  let cursor = from;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  openEvents(response);
  const alive = setInterval(() => response.write(': alive\n\n'), ALIVE_MS);
  try {
    const isWhole = await tasks.follow(live, cursor, gone.signal, (output) => {
      cursor = output.cursor;
      sendEvent(response, { is: 'output', ...output });
      return response.writableLength > MAX_UNREAD_BYTES ? untilRead(response) : undefined;
    });
    return { cursor, isWhole };
  } catch {
    return { cursor, isWhole: false };
  } finally {
    clearInterval(alive);
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
  let saidAt = Date.now();
  for (;;) {
    if (response.destroyed || response.writableEnded) return;
    const state = (await (await tasks.find(id))?.info())?.state ?? 'lost';
    if (next.text !== '') {
      sendEvent(response, { is: 'output', ...next });
      saidAt = Date.now();
    } else if (state !== 'running') break;
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
