// The current state of the page. One stream feeds it; views read it.

import { batch, computed, type Signal, signal } from '@preact/signals';
import type { Approval, FeedEvent, HeldCommand, HistoryRow, Sample, Task, WaitedCommand } from '../wire.ts';
import { Failed, listen, messageOf } from './connection.ts';

const RETRY_MS = 1_000;
const NOTICE_MS = 10_000;
/** How long the view must be stable before an answer counts: a moving list could put another question under the cursor. */
const SETTLE_MS = 500;

export type Line =
  | { readonly is: 'open' }
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'out'; readonly why: string };

export const line = signal<Line>({ is: 'lost', why: 'Connecting …' });
export const approvals = signal<readonly Approval[]>([]);
export const problems = signal<readonly string[]>([]);
export const tasks = signal<readonly Task[]>([]);
/** Commands in the foreground of other processes. */
export const waited = signal<readonly WaitedCommand[]>([]);
/** How often changes were undone, redone, applied or dropped. */
export const acts = signal(0);
/** Commands whose changes wait for review. */
export const held = signal<readonly HeldCommand[]>([]);
export const newest = signal<readonly HistoryRow[]>([]);
/** How many records came since the page was opened. */
export const recordCount = signal(0);
export const route = signal(readRoute());
export const isSettled = signal(false);
/** The result of the last answer. */
export const notice = signal('');
const chosen = signal<string | null>(null);
/** The question that keys answer: the one chosen, or the first. */
export const selected = computed(
  () => approvals.value.find(({ longCode }) => longCode === chosen.value) ?? approvals.value[0] ?? null,
);

/** A running command, of any process. */
export interface Running {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly outputBytes: number;
  readonly samples: readonly Sample[];
  /** As text. */
  readonly where: string;
  /** Its output can be seen, and it can be stopped. */
  readonly isOpen: boolean;
}

/** Oldest first: a new one moves no other. */
export const running = computed<readonly Running[]>(() => {
  const session = (name: string | null): string => (name === null ? '' : `, session ${name}`);
  const background = tasks.value
    .filter(({ state }) => state === 'running')
    .map((task) => ({ ...task, where: `in the background${session(task.session)}`, isOpen: true }));
  const foreground = waited.value.map((one) => {
    const who = one.host === null ? '' : ` of process ${one.host}`;
    return { ...one, id: one.task, where: `in the foreground${who}${session(one.session)}`, isOpen: one.host !== null };
  });
  return [...background, ...foreground].sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
});
/** The list of running commands was stable for a moment: otherwise another command could be under the cursor. */
export const isStill = signal(true);

let fading: ReturnType<typeof setTimeout> | undefined;
// Long enough to read, then hidden.
notice.subscribe((text) => {
  clearTimeout(fading);
  if (text === '') return;
  fading = setTimeout(() => {
    notice.value = '';
  }, NOTICE_MS);
});

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
    // An incomplete escape: an address that we never create.
    return { view: 'nothing', argument: '' };
  }
}

/** False for a moment, and then true. */
function waiting(settled: Signal<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    settled.value = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
      settled.value = true;
    }, SETTLE_MS);
  };
}

/** Answers count again when nothing has moved for a moment. */
export const settle = waiting(isSettled);
const moveTasks = waiting(isStill);

function orderOf(list: readonly string[]): string {
  return list.map((id) => `${id} `).join('');
}

function take(event: FeedEvent): void {
  if (event.is === 'tasks') {
    const before = orderOf(running.value.map(({ id }) => id));
    batch(() => {
      tasks.value = event.tasks;
      waited.value = event.waited;
    });
    if (!orderOf(running.value.map(({ id }) => id)).startsWith(before)) moveTasks();
  } else if (event.is === 'held') {
    batch(() => {
      held.value = event.held;
      acts.value = event.acts;
    });
  } else if (event.is === 'records') {
    newest.value = event.rows;
    recordCount.value += event.count;
  } else {
    const order = (list: readonly Approval[]): string => orderOf(list.map(({ longCode }) => longCode));
    // New ones are added at the end and move nothing, unless they are the first.
    if (approvals.value.length === 0 || !order(event.pending).startsWith(order(approvals.value))) settle();
    approvals.value = event.pending;
    problems.value = event.problems;
  }
}

/** Runs as long as the page is open. */
export async function connect(): Promise<void> {
  // The token may have been in the address when this file was loaded.
  route.value = readRoute();
  addEventListener('hashchange', () => {
    route.value = readRoute();
  });
  for (;;) {
    let why = 'The dashboard has stopped. Waiting for it to restart …';
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
