// What the page knows now. One stream feeds it; views read it.

import { computed, signal } from '@preact/signals';
import type { Approval, FeedEvent, ForegroundCommand, HistoryRow, Task } from '../wire.ts';
import { Failed, listen, messageOf } from './connection.ts';

const RETRY_MS = 1_000;
/** What is shown must have stood still for so long before an answer counts: a list that moves puts another question under the hand. */
const SETTLE_MS = 500;

export type Line =
  | { readonly is: 'open' }
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'out'; readonly why: string };

export const line = signal<Line>({ is: 'lost', why: 'Connecting …' });
export const approvals = signal<readonly Approval[]>([]);
export const problems = signal<readonly string[]>([]);
export const tasks = signal<readonly Task[]>([]);
export const foreground = signal<readonly ForegroundCommand[]>([]);
export const newest = signal<readonly HistoryRow[]>([]);
/** How many records came since the page was opened. */
export const recordCount = signal(0);
export const route = signal(readRoute());
export const isSettled = signal(false);
/** What happened with the last answer. */
export const notice = signal('');
const chosen = signal<string | null>(null);
/** The question that keys answer: the one chosen, or the first. */
export const selected = computed(
  () => approvals.value.find(({ longCode }) => longCode === chosen.value) ?? approvals.value[0] ?? null,
);
export const runningCount = computed(
  () => tasks.value.filter(({ state }) => state === 'running').length + foreground.value.length,
);

export function choose(longCode: string): void {
  chosen.value = longCode;
}

export interface Route {
  readonly view: string;
  readonly argument: string;
}

function readRoute(): Route {
  const [view = '', argument = ''] = location.hash.replace(/^#\/?/, '').split('/');
  try {
    return { view: view || 'approvals', argument: decodeURIComponent(argument) };
  } catch {
    // Half a percent sign: an address that we never make.
    return { view: 'nothing', argument: '' };
  }
}

let settling: ReturnType<typeof setTimeout> | undefined;

function settle(): void {
  isSettled.value = false;
  clearTimeout(settling);
  settling = setTimeout(() => {
    isSettled.value = true;
  }, SETTLE_MS);
}

function take(event: FeedEvent): void {
  if (event.is === 'tasks') {
    tasks.value = event.tasks;
    foreground.value = event.foreground;
  } else if (event.is === 'records') {
    newest.value = event.rows;
    recordCount.value += event.count;
  } else {
    const order = (list: readonly Approval[]): string => list.map(({ longCode }) => longCode).join(' ');
    // New ones come at the end and move nothing, unless they are the first.
    if (approvals.value.length === 0 || !order(event.pending).startsWith(order(approvals.value))) settle();
    approvals.value = event.pending;
    problems.value = event.problems;
  }
}

/** Goes on for as long as the page is open. */
export async function connect(): Promise<void> {
  // The token may have stood in the address when this file was loaded.
  route.value = readRoute();
  addEventListener('hashchange', () => {
    route.value = readRoute();
  });
  for (;;) {
    let why = 'The dashboard has ended. Waiting for it to come back …';
    try {
      await listen<FeedEvent>(
        'events',
        new AbortController().signal,
        () => {
          line.value = { is: 'open' };
        },
        take,
      );
    } catch (error) {
      if (error instanceof Failed && error.status === 401) {
        line.value = { is: 'out', why: error.message };
        return;
      }
      why = messageOf(error);
    }
    line.value = { is: 'lost', why };
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
