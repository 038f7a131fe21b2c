// One request as a value that changes: nothing yet, the answer, or why there is none.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { call, messageOf } from './connection.ts';

export interface Loaded<T> {
  readonly value: T | null;
  readonly problem: string | null;
}

/** Requests again whenever `path` or `again` changes; `null` requests nothing. The old value stays until the new one arrives. */
export function useLoaded<T>(path: string | null, again: unknown = 0, body?: object): Signal<Loaded<T>> {
  const loaded = useMemo(() => signal<Loaded<T>>({ value: null, problem: null }), []);
  useEffect(() => {
    if (path === null) return;
    const gone = new AbortController();
    call<T>(path, body, gone.signal).then(
      (value) => {
        loaded.value = { value, problem: null };
      },
      (error) => {
        if (!gone.signal.aborted) loaded.value = { ...loaded.value, problem: messageOf(error) };
      },
    );
    return () => gone.abort();
  }, [path, again]);
  return loaded;
}
