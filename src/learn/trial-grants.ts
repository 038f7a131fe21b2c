// The needs of several runs, combined: what the next run is granted, and what the last one used of it.

import { isAtOrBelow } from '../core/values/containment.ts';
import type { Judged } from './judging.ts';
import { type ClosedPlaces, mergePlaces } from './places.ts';
import type { Need } from './report.ts';

export type Needs = Pick<Judged, 'writes' | 'ports' | 'publish' | 'sockets' | 'domains'>;

export const NO_NEEDS: Needs = {
  writes: new Map(),
  ports: new Set(),
  publish: new Set(),
  sockets: new Set(),
  domains: new Set(),
};

/** Whether a run needed more than it was granted. */
export function hasNew(judged: Judged, granted: Needs): boolean {
  const places = [...granted.writes.keys()];
  return (
    [...judged.writes.keys()].some((path) => !places.some((place) => isAtOrBelow(path, place))) ||
    SETS.some((name) => [...judged[name]].some((item) => !(granted[name] as ReadonlySet<unknown>).has(item)))
  );
}

const SETS = ['ports', 'publish', 'sockets', 'domains'] as const;

export function grantMore(granted: Needs, judged: Judged, closed: ClosedPlaces): Needs {
  const merged = mergePlaces([...granted.writes.keys(), ...judged.writes.keys()], closed);
  return {
    writes: usesBelow(merged, [granted.writes, judged.writes]),
    ports: union(granted.ports, judged.ports),
    publish: union(granted.publish, judged.publish),
    sockets: union(granted.sockets, judged.sockets),
    domains: union(granted.domains, judged.domains),
  };
}

/**
 * After a run that needed nothing more: what it used of its grants, because that was enough. Allowed hosts, and
 * ports on which it listened, are not reported; they stay.
 */
export function findNeeds(judged: Judged, granted: Needs, closed: ClosedPlaces, areConnectionsTold: boolean): Needs {
  const grantedPlaces = [...granted.writes.keys()];
  const used = [...judged.writes.keys()].map((path) => grantedPlaces.find((place) => isAtOrBelow(path, place)) ?? path);
  return {
    writes: usesBelow(mergePlaces(used, closed), [judged.writes]),
    ports: areConnectionsTold ? judged.ports : union(granted.ports, judged.ports),
    publish: granted.publish,
    sockets: areConnectionsTold ? judged.sockets : union(granted.sockets, judged.sockets),
    domains: granted.domains,
  };
}

export function without(needs: Needs, need: Need): Needs {
  switch (need.kind) {
    case 'write':
      return { ...needs, writes: new Map([...needs.writes].filter(([path]) => path !== need.path)) };
    case 'domain':
      return { ...needs, domains: less(needs.domains, need.host) };
    case 'port':
      return { ...needs, ports: less(needs.ports, need.port) };
    case 'publish':
      return { ...needs, publish: less(needs.publish, need.port) };
    case 'socket':
      return { ...needs, sockets: less(needs.sockets, need.path) };
  }
}

const MAX_USES = 5;

function usesBelow(
  places: readonly string[],
  sources: readonly ReadonlyMap<string, readonly string[]>[],
): Map<string, readonly string[]> {
  const all = [...new Set(sources.flatMap((source) => [...source.values()].flat()))];
  return new Map(
    places.map((place) => [place, all.filter((path) => isAtOrBelow(path, place)).slice(0, MAX_USES)] as const),
  );
}

function union<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> {
  return new Set([...a, ...b]);
}

function less<T>(set: ReadonlySet<T>, item: T): Set<T> {
  return new Set([...set].filter((other) => other !== item));
}
