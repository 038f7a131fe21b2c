// Keys: J and K move, A and D answer, digits change the view, / searches, ? explains. Never while text is typed.

import { answer } from './answers.ts';
import { route, selected } from './state.ts';
import { VIEWS } from './views.ts';

export const KEYS: readonly (readonly [string, string])[] = [
  ['J / K', 'next, previous'],
  ['A / D', 'allow, deny the marked question'],
  ['Enter', 'open what is marked'],
  [`1 – ${VIEWS.length}`, 'change the view'],
  ['/', 'search'],
  ['?', 'these keys'],
];

export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    if (press(event.key.toLowerCase(), event.repeat)) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('textarea, select, input:not([type=radio]):not([type=checkbox])');
}

/** Or hides them again. */
export function showKeys(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.keys');
  if (dialog?.open) dialog.close();
  else dialog?.showModal();
}

function press(key: string, isRepeated: boolean): boolean {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.keys');
  if (key === '?') {
    showKeys();
    return true;
  }
  if (dialog?.open) return false;
  if (key === 'j') return move(1);
  if (key === 'k') return move(-1);
  if ((key === 'a' || key === 'd') && route.value.view === 'approvals') {
    // A key that is held down counts once, and a key meant for another row is ignored.
    if (selected.value !== null && !isRepeated && !isOnOtherRow())
      void answer(selected.value, key === 'a' ? 'allow' : 'deny');
    return true;
  }
  // Other rows are links themselves.
  const card = document.activeElement;
  if (key === 'enter' && card?.matches('article[data-row]')) {
    const link = card.querySelector<HTMLElement>('header a');
    link?.click();
    return link !== null;
  }
  const view = /^\d$/.test(key) ? VIEWS[Number(key) - 1] : undefined;
  if (view !== undefined) {
    location.hash = `#/${view.id}`;
    return true;
  }
  const search = key === '/' ? document.querySelector<HTMLElement>('[data-search]') : null;
  search?.focus();
  return search !== null;
}

function isOnOtherRow(): boolean {
  return document.activeElement?.closest('[data-row]:not(.question)') != null;
}

function move(by: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  if (rows.length === 0) return false;
  const active = document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
  const marked = active ?? document.querySelector<HTMLElement>('[data-row][aria-current=true]');
  const at = marked === null ? -1 : rows.indexOf(marked);
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return true;
}
