// What runs asked for, added up: what the next run is lent, and what of it the last one really used.

import { isAtOrBelow } from '../sandbox/boundary.ts';
import type { Judged } from './judging.ts';
import type { Need } from './lesson.ts';
import { type Keeping, mergePlaces } from './places.ts';

export type Needs = Pick<Judged, 'writes' | 'ports' | 'publish' | 'sockets' | 'domains'>;

export const NO_NEEDS: Needs = {
  writes: new Map(),
  ports: new Set(),
  publish: new Set(),
  sockets: new Set(),
  domains: new Set(),
};

/** Whether a run wanted more than it was lent. */
export function hasNew(judged: Judged, lent: Needs): boolean {
  const places = [...lent.writes.keys()];
  return (
    [...judged.writes.keys()].some((path) => !places.some((place) => isAtOrBelow(path, place))) ||
    SETS.some((name) => [...judged[name]].some((item) => !(lent[name] as ReadonlySet<unknown>).has(item)))
  );
}

const SETS = ['ports', 'publish', 'sockets', 'domains'] as const;

export function lendMore(lent: Needs, judged: Judged, keeping: Keeping): Needs {
  const merged = mergePlaces([...lent.writes.keys(), ...judged.writes.keys()], keeping);
  return {
    writes: usesBelow(merged, [lent.writes, judged.writes]),
    ports: union(lent.ports, judged.ports),
    publish: union(lent.publish, judged.publish),
    sockets: union(lent.sockets, judged.sockets),
    domains: union(lent.domains, judged.domains),
  };
}

/**
 * After a run that wanted nothing more: what it used of what it was lent, as it was lent, because that was enough. Hosts
 * that were let through, and ports on which it listened, are not told; they stay.
 */
export function needsOf(judged: Judged, lent: Needs, keeping: Keeping, areConnectionsTold: boolean): Needs {
  const lentPlaces = [...lent.writes.keys()];
  const used = [...judged.writes.keys()].map((path) => lentPlaces.find((place) => isAtOrBelow(path, place)) ?? path);
  return {
    writes: usesBelow(mergePlaces(used, keeping), [judged.writes]),
    ports: areConnectionsTold ? judged.ports : union(lent.ports, judged.ports),
    publish: lent.publish,
    sockets: areConnectionsTold ? judged.sockets : union(lent.sockets, judged.sockets),
    domains: lent.domains,
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
