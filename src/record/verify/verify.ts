// An audit folder → whether anything in it was changed, removed, repeated or swapped, and where. Reads only.
// Cannot detect: lines cut from the end of a lane that were not signed yet, and anything done by someone who has the key.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ChecksOf, checkOptions, folder, listOf, text, unchecked } from '../../core/option-checks.ts';
import { type AuditPlaces, auditPlaces } from '../../local/places.ts';
import { readHead } from '../chain/heads.ts';
import { loadVerifyingKey, PUBLIC } from '../chain/key.ts';
import type { Link } from '../chain/line.ts';
import { laneName, listSegments, type Segment, segmentFile, segmentsOfLane } from '../chain/segments.ts';
import { type CheckedLane, checkLane } from './lane-check.ts';
import type { LanePlace } from './lane-place.ts';
import { Findings, type LaneHead, type VerifyReport } from './report.ts';

export interface VerifyOptions extends Partial<AuditPlaces> {
  /** File of the public key, instead of the one in the key folder. */
  readonly keyFile?: string;
  /** An earlier verification: nothing of it may be missing or different. */
  readonly against?: readonly Pick<LaneHead, 'lane' | 'n' | 'hash'>[];
}

const ATTEMPTS = 3;

const VERIFY_OPTIONS: ChecksOf<VerifyOptions> = {
  folder,
  keyFolder: folder,
  keyFile: text,
  against: listOf(unchecked),
};

export function verifyAudit(options: VerifyOptions = {}): VerifyReport {
  checkOptions(options, VERIFY_OPTIONS);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return finish(verifySteps(options)).report;
    } catch (error) {
      // Retention may delete a segment after we have listed it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
  }
}

function finish<T>(steps: Generator<number, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** By lane. */
export type Places = ReadonlyMap<number, LanePlace>;

export interface Verified {
  readonly report: VerifyReport;
  /** Where the next verification can start. */
  readonly places: Places;
}

/** In steps of some milliseconds, each of which yields the bytes that it has read. `from`: only lines after these positions. */
export function* verifySteps(options: VerifyOptions, from: Places = new Map()): Generator<number, Verified> {
  const folder = options.folder ?? auditPlaces().folder;
  // Before the segments are listed: another process may write in the meantime, and start new ones.
  const headsBefore = new Map(listSegments(folder).heads.map((lane) => [lane, readHead(folder, lane)]));
  const { segments, heads } = listSegments(folder);
  const keyFile = options.keyFile ?? join(options.keyFolder ?? auditPlaces().keyFolder, PUBLIC);
  const isUnused = segments.length === 0 && heads.length === 0 && options.against === undefined && !existsSync(keyFile);
  if (isUnused) return { report: emptyReport(folder), places: new Map() };
  const key = loadVerifyingKey(keyFile);
  const findings = new Findings();
  const lanes = new Map<number, CheckedLane>();
  const against = new Map((options.against ?? []).map(({ lane, n, hash }) => [lane, { n, hash }]));
  for (const lane of new Set(segments.map((segment) => segment.lane))) {
    const own = segments.filter((segment) => segment.lane === lane);
    const expected = against.get(lane) ?? null;
    const head = headsBefore.get(lane) ?? null;
    const subject = { folder, lane, segments: own, key, head, expected, from: placeIn(lane, own) };
    lanes.set(lane, yield* checkLane({ ...subject, findings }));
  }
  /** Another process may have written to it since. */
  const lookAgain = function* (lane: number): Generator<number, CheckedLane | undefined> {
    const own = segmentsOfLane(folder, lane);
    if (own.length === 0) return undefined;
    const subject = { folder, lane, segments: own, key, head: null, expected: null, from: placeIn(lane, own) };
    return yield* checkLane({ ...subject, findings: new Findings() });
  };
  for (const lane of new Set([...heads, ...against.keys(), ...from.keys()]))
    if (!lanes.has(lane)) reportMissing(lane, findings);
  yield* checkWitnesses(lanes, findings, lookAgain);
  const report: VerifyReport = {
    isIntact: findings.problems.length === 0,
    folder,
    key: key.id,
    segments: segments.length,
    lines: [...lanes.values()].reduce((sum, { lines }) => sum + lines, 0),
    problems: findings.problems,
    moreProblems: findings.more,
    notices: findings.notices,
    heads: [...lanes.values()].map(({ head }) => head),
  };
  const reached = [...lanes].flatMap(([lane, { place }]) => (place === null ? [] : [[lane, place] as const]));
  return { report, places: new Map(reached) };

  /** A segment that was deleted in the meantime cannot be continued. */
  function placeIn(lane: number, own: readonly Segment[]): LanePlace | null {
    const place = from.get(lane);
    return place !== undefined && own.some(({ segment }) => segment === place.segment) ? place : null;
  }
}

/** Nothing was ever recorded here, or all of it is gone, with the key: the two cannot be distinguished. */
function emptyReport(folder: string): VerifyReport {
  const nothing = { segments: 0, lines: 0, problems: [], moreProblems: 0, notices: [], heads: [] };
  return { isIntact: true, folder, key: null, ...nothing };
}

function reportMissing(lane: number, findings: Findings): void {
  const message = `All segments of lane ${laneName(lane)} are missing.`;
  findings.add('lane-missing', segmentFile(lane, 1), null, message);
}

/** What lanes have recorded about each other. */
function* checkWitnesses(
  lanes: ReadonlyMap<number, CheckedLane>,
  findings: Findings,
  lookAgain: (lane: number) => Generator<number, CheckedLane | undefined>,
): Generator<number, void> {
  const looked = new Map<number, CheckedLane | undefined>();
  const reported = new Set<number>();
  for (const { seen } of lanes.values()) {
    for (const { lane, link, file, line } of seen) {
      if (reported.has(lane) || holds(lanes.get(lane), link)) continue;
      if (!looked.has(lane)) looked.set(lane, yield* lookAgain(lane));
      const other = looked.get(lane);
      if (holds(other, link)) continue;
      reported.add(lane);
      const where = `line ${line} of ${file}`;
      if (other === undefined) {
        findings.add('lane-missing', segmentFile(lane, 1), null, `The lane is missing: ${where} refers to it.`);
      } else {
        const message = `Number ${link.n} of the lane was signed, according to ${where}, and is now missing or different.`;
        findings.add('shortened', other.head.file, null, message);
      }
    }
  }
}

function holds(lane: CheckedLane | undefined, { n, hash }: Link): boolean {
  return lane !== undefined && (n <= lane.prunedN || lane.signed.get(n) === hash);
}
