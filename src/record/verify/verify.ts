// An audit folder → whether anything in it was changed, removed, repeated or exchanged, and where. Reads only.
// Cannot see: lines cut from the end of a lane that were not signed yet, and anything done by whoever has the key.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadVerifyingKey, PUBLIC } from '../chain/key.ts';
import type { Link } from '../chain/line.ts';
import { laneName, listSegments, segmentFile, segmentsOfLane } from '../chain/segments.ts';
import { type AuditPlaces, auditPlaces } from '../folder.ts';
import { type CheckedLane, checkLane } from './lane-check.ts';
import { Findings, type LaneHead, type VerifyReport } from './report.ts';

export interface VerifyOptions extends Partial<AuditPlaces> {
  /** File of the public key, instead of the one in the key folder. */
  readonly keyFile?: string;
  /** What an earlier verification said: nothing of it may be gone or different. */
  readonly against?: readonly Pick<LaneHead, 'lane' | 'n' | 'hash'>[];
}

const ATTEMPTS = 3;

export function verifyAudit(options: VerifyOptions = {}): VerifyReport {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return verifyOnce(options);
    } catch (error) {
      // Retention may delete a segment after we have listed it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
  }
}

function verifyOnce(options: VerifyOptions): VerifyReport {
  const folder = options.folder ?? auditPlaces().folder;
  const { segments, heads } = listSegments(folder);
  const keyFile = options.keyFile ?? join(options.keyFolder ?? auditPlaces().keyFolder, PUBLIC);
  const isUnused = segments.length === 0 && heads.length === 0 && options.against === undefined && !existsSync(keyFile);
  if (isUnused) return emptyReport(folder);
  const key = loadVerifyingKey(keyFile);
  const findings = new Findings();
  const lanes = new Map<number, CheckedLane>();
  const against = new Map((options.against ?? []).map(({ lane, n, hash }) => [lane, { n, hash }]));
  for (const lane of new Set(segments.map((segment) => segment.lane))) {
    const own = segments.filter((segment) => segment.lane === lane);
    const expected = against.get(lane) ?? null;
    lanes.set(lane, checkLane({ folder, lane, segments: own, key, findings, expected }));
  }
  /** Somebody may have written to it since. */
  const lookAgain = (lane: number): CheckedLane | undefined => {
    const own = segmentsOfLane(folder, lane);
    if (own.length === 0) return undefined;
    return checkLane({ folder, lane, segments: own, key, findings: new Findings(), expected: null });
  };
  for (const lane of new Set([...heads, ...against.keys()])) if (!lanes.has(lane)) reportMissing(lane, findings);
  checkWitnesses(lanes, findings, lookAgain);
  return {
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
}

/** Nothing was ever recorded here, or all of it is gone, with the key: no file can tell the two apart. */
function emptyReport(folder: string): VerifyReport {
  const nothing = { segments: 0, lines: 0, problems: [], moreProblems: 0, notices: [], heads: [] };
  return { isIntact: true, folder, key: null, ...nothing };
}

function reportMissing(lane: number, findings: Findings): void {
  const message = `All segments of lane ${laneName(lane)} are missing.`;
  findings.add('lane-missing', segmentFile(lane, 1), null, message);
}

/** What lanes have said of each other. */
function checkWitnesses(
  lanes: ReadonlyMap<number, CheckedLane>,
  findings: Findings,
  lookAgain: (lane: number) => CheckedLane | undefined,
): void {
  const looked = new Map<number, CheckedLane | undefined>();
  const reported = new Set<number>();
  for (const { seen } of lanes.values()) {
    for (const { lane, link, file, line } of seen) {
      if (reported.has(lane) || holds(lanes.get(lane), link)) continue;
      if (!looked.has(lane)) looked.set(lane, lookAgain(lane));
      const other = looked.get(lane);
      if (holds(other, link)) continue;
      reported.add(lane);
      const where = `line ${line} of ${file}`;
      if (other === undefined) {
        findings.add('lane-missing', segmentFile(lane, 1), null, `The lane is missing: ${where} has seen it.`);
      } else {
        const message = `Number ${link.n} of the lane was signed, as ${where} says, and is missing or another one now.`;
        findings.add('shortened', other.head.file, null, message);
      }
    }
  }
}

function holds(lane: CheckedLane | undefined, { n, hash }: Link): boolean {
  return lane !== undefined && (n <= lane.prunedN || lane.signed.get(n) === hash);
}
