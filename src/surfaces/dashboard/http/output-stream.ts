// The output of one task as it comes, from a byte on, until it has ended or the page has gone. Bounded: what a page has not
// read yet is not followed by more.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
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
  let next = await tasks.read(id, cursor);
  openEvents(response);
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
    if (next.isAtEnd || response.writableLength > MAX_UNREAD_BYTES) await sleep(PAUSE_MS);
    if (response.writableLength > MAX_UNREAD_BYTES) next = { ...next, text: '', isAtEnd: true };
    else next = await tasks.read(id, next.cursor);
  }
  sendEvent(response, { is: 'end' });
  response.end();
}
