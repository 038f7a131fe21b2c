// The segments of one lane → their problems, line by line, and what is known about the lane for the others.
// After a problem it continues with the values of the lines themselves, so that one change is one problem. Works in steps,
// and can resume from any position that it has reached before.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Head, isSigned, readHead } from '../chain/heads.ts';
import type { VerifyingKey } from '../chain/key.ts';
import { type Link, NO_LINK, type ReadLine, readLine, sha256, splitSignature } from '../chain/line.ts';
import { linesOf } from '../chain/lines.ts';
import { headFile, type Segment, segmentFile } from '../chain/segments.ts';
import { OWN_TYPES } from '../entries.ts';
import { type LanePlace, stateOfPlace } from './lane-place.ts';
import type { Findings, LaneHead } from './report.ts';

/** After this many bytes other work may run: a few milliseconds. */
const STEP_BYTES = 128 << 10;
const SIGNED_TYPES = new Set<string>(OWN_TYPES);

export interface CheckedLane {
  readonly head: LaneHead;
  readonly place: LanePlace | null;
  readonly lines: number;
  /** Signed lines: number → hash. */
  readonly signed: ReadonlyMap<number, string>;
  /** The highest number that retention has deleted. */
  readonly prunedN: number;
  /** What its signed lines record about other lanes. */
  readonly seen: readonly {
    readonly lane: number;
    readonly link: Link;
    readonly file: string;
    readonly line: number;
  }[];
}

export interface LaneSubject {
  readonly folder: string;
  readonly lane: number;
  readonly segments: readonly Segment[];
  readonly key: VerifyingKey;
  readonly findings: Findings;
  /** As it was before the segments were listed. */
  readonly head: Head | null;
  /** A line requested by number: what was known about the lane earlier. */
  readonly expected: Link | null;
  /** Everything before it was verified, and is trusted. */
  readonly from?: LanePlace | null;
}

/** Yields how many bytes it has read since the last yield. */
export function checkLane(subject: LaneSubject): Generator<number, CheckedLane> {
  return new LaneCheck(subject).run();
}

class LaneCheck {
  readonly #subject: LaneSubject;
  readonly #signed = new Map<number, string>();
  readonly #seen: CheckedLane['seen'][number][] = [];
  readonly #pruned: { segment: number; n: number; hash: string }[] = [];
  #last: Link = NO_LINK;
  #lines = 0;
  #unsigned = 0;
  #hasExpected: boolean;
  #file = '';
  #line = 0;
  #place: LanePlace | null;
  #newest: Link | null = null;

  constructor(subject: LaneSubject) {
    this.#subject = subject;
    this.#hasExpected = subject.expected === null;
    const { from = null } = subject;
    this.#place = from;
    if (from === null) return;
    [this.#last, this.#unsigned, this.#newest] = [from.last, from.unsigned, from.signed];
    if (from.signed !== null) this.#signed.set(from.signed.n, from.signed.hash);
  }

  *run(): Generator<number, CheckedLane> {
    const { lane, head: headBefore, from = null } = this.#subject;
    const segments = this.#subject.segments.filter(({ segment }) => from === null || segment >= from.segment);
    let before = 0;
    for (const [index, segment] of segments.entries()) {
      if (index > 0) this.#expectNext(before, segment);
      yield* this.#checkSegment(segment, {
        isFirst: index === 0 && from === null,
        isLast: index === segments.length - 1,
        from: from?.segment === segment.segment ? from : null,
      });
      before = segment.segment;
    }
    if (from === null) this.#checkBeginning();
    this.#checkHeadFile(headBefore);
    // Verified parts are not read again: references of others to them count as confirmed.
    const prunedN = Math.max(from?.last.n ?? 0, ...this.#pruned.map(({ n }) => n));
    if (!this.#hasExpected && (this.#subject.expected as Link).n > prunedN)
      this.#problem(
        'not-as-before',
        `Line ${this.#subject.expected?.n} of the lane is not the one that was recorded before.`,
      );
    const head = { lane, file: this.#file, ...this.#last, unsigned: this.#unsigned };
    return { head, place: this.#place, lines: this.#lines, signed: this.#signed, prunedN, seen: this.#seen };
  }

  #problem(kind: Parameters<Findings['add']>[0], message: string, line: number | null = this.#line): void {
    this.#subject.findings.add(kind, this.#file, line, message);
  }

  #expectNext(before: number, segment: Segment): void {
    for (let missing = before + 1; missing < Math.min(segment.segment, before + 100); missing += 1)
      this.#subject.findings.add(
        'segment-missing',
        segmentFile(segment.lane, missing),
        null,
        'The segment is missing, but later ones exist.',
      );
  }

  *#checkSegment(
    segment: Segment,
    place: { readonly isFirst: boolean; readonly isLast: boolean; readonly from: LanePlace | null },
  ): Generator<number, void> {
    const path = join(this.#subject.folder, segment.file);
    this.#file = segment.file;
    this.#line = place.from?.line ?? 0;
    let end: number | null = place.from?.end ?? null;
    let read = 0;
    if (place.from !== null) this.#checkPlace(path, place.from);
    for (const { bytes, offset, isWhole } of linesOf(path, place.from?.offset)) {
      read += bytes.length + 1;
      if (read > STEP_BYTES) {
        yield read;
        read = 0;
      }
      this.#line += 1;
      if (!isWhole) {
        if (place.isLast)
          this.#note(
            'The last line is incomplete: it is being written, or a crash left it and the next writer will move it to torn/.',
          );
        else this.#problem('not-a-line', 'The segment ends in the middle of a line.');
        continue;
      }
      const line = readLine(bytes);
      if (line === null) {
        this.#problem('not-a-line', 'This is not a line of an audit log: it was changed.');
        // It replaced one line: the next one is not at fault.
        this.#last = { n: this.#last.n + 1, hash: '' };
        this.#reach(segment, offset + bytes.length + 1, end);
        continue;
      }
      if (end !== null) this.#problem('after-end', `The segment ended with line ${end}; this was added.`);
      if (this.#line === 1) this.#checkHeadLine(line, segment, place.isFirst);
      this.#checkLine(line, bytes);
      if (line.type === 'segment-end') end = this.#line;
      this.#reach(segment, offset + bytes.length + 1, end);
    }
    yield read;
    if (!place.isLast && end === null)
      this.#problem(
        'not-ended',
        'The segment has no signed end, but a later one exists: lines are missing at its end.',
      );
  }

  #reach({ segment }: Segment, offset: number, end: number | null): void {
    const [line, last, unsigned, signed] = [this.#line, this.#last, this.#unsigned, this.#newest];
    this.#place = { segment, offset, line, end, last, unsigned, signed };
  }

  /** The line before the position must still be the same. */
  #checkPlace(path: string, place: LanePlace): void {
    const state = stateOfPlace(path, place);
    const { n } = place.last;
    if (state === 'shortened')
      this.#problem(state, `Lines are missing at the end: number ${n} was verified before.`, null);
    if (state === 'changed') this.#problem(state, `Line ${n} of the lane is not the one that was verified before.`);
  }

  #checkHeadLine(line: ReadLine, { lane, segment }: Segment, isFirst: boolean): void {
    const { fields, type } = line;
    if (type !== 'segment-head') this.#problem('missing', 'The segment does not start with its signed head.');
    else if (fields.lane !== lane || fields.segment !== segment)
      this.#problem(
        'wrong-place',
        `This is segment ${String(fields.segment)} of lane ${String(fields.lane)}, under another name.`,
      );
    else if (fields.key !== this.#subject.key.id)
      this.#problem(
        'other-key',
        `It was started with the key ${String(fields.key)}, not with ${this.#subject.key.id}.`,
      );
    // Earlier segments are deleted or missing; #checkBeginning determines which.
    if (isFirst && segment > 1) this.#last = { n: line.n - 1, hash: line.prev };
  }

  #checkLine(line: ReadLine, bytes: Buffer): void {
    const { n, hash, prev, isIntact, type } = line;
    const last = this.#last;
    if (!isIntact) this.#problem('changed', 'The line was changed: its hash does not match its text.');
    if (n > last.n + 1)
      this.#problem('missing', `${n - last.n - 1} line(s) are missing before this one: number ${n} follows ${last.n}.`);
    else if (n === last.n) this.#problem('repeated', `Number ${n} is duplicated.`);
    else if (n < last.n) this.#problem('out-of-order', `Number ${n} stands after ${last.n}.`);
    else if (prev !== last.hash && last.hash !== '')
      this.#problem('not-linked', 'It does not link to the previous line: one of the two was changed or swapped.');
    this.#lines += 1;
    this.#unsigned += 1;
    if (SIGNED_TYPES.has(type)) this.#checkSigned(line, bytes);
    // A copy of an earlier line does not affect the following ones.
    if (n > last.n) this.#last = { n, hash };
    if (this.#subject.expected?.n === n && this.#subject.expected.hash === hash) this.#hasExpected = true;
  }

  #checkSigned(line: ReadLine, bytes: Buffer): void {
    const parts = splitSignature(bytes);
    if (parts === null || !this.#subject.key.verify(parts.signed, parts.signature)) {
      this.#problem(
        'bad-signature',
        'The signature is not from this key: the lines since the previous signed one were rewritten.',
      );
      return;
    }
    const { n, hash, type, fields } = line;
    this.#signed.set(n, hash);
    this.#newest = { n, hash };
    this.#unsigned = 0;
    for (const [lane, link] of Object.entries((fields.seen ?? {}) as Record<string, Link>))
      this.#seen.push({ lane: Number(lane), link, file: this.#file, line: this.#line });
    if (type === 'pruned') this.#pruned.push(fields.through as { segment: number; n: number; hash: string });
    if (type === 'torn') this.#checkTorn(fields);
    if (type === 'lost') {
      const { lane, n: lost } = fields.expected as Link & { lane: number };
      this.#problem(
        'lost',
        `Lane ${lane} had reached number ${lost} and was found shorter or changed when it was opened.`,
      );
    }
  }

  #checkTorn({ file, sha256: expected, cause, bytes }: ReadLine['fields']): void {
    const path = join(this.#subject.folder, String(file));
    if (!existsSync(path)) this.#problem('torn-file', `The torn end that was kept in ${String(file)} is missing.`);
    else if (sha256(readFileSync(path)) !== expected)
      this.#problem('torn-file', `The torn end in ${String(file)} was changed.`);
    if (cause === 'damaged')
      this.#problem(
        'damaged',
        `Before this, ${String(bytes)} bytes that are not complete lines were moved to ${String(file)}.`,
      );
    else this.#note(`Before this, an incomplete line of ${String(bytes)} bytes was moved to ${String(file)}.`);
  }

  #checkBeginning(): void {
    const first = this.#subject.segments[0]?.segment ?? 1;
    if (first === 1 || this.#pruned.some(({ segment }) => segment >= first - 1)) return;
    const file = segmentFile(this.#subject.lane, first - 1);
    const message = 'The segment and those before it are missing, and no signed line records that they were deleted.';
    this.#subject.findings.add('segment-missing', file, null, message);
  }

  /** What the head file of the lane proves: that this signed line existed. */
  #checkHeadFile(head: Head | null): void {
    const { folder, lane, key, findings } = this.#subject;
    const file = headFile(lane);
    if (head === null) {
      // A process may be killed after the first line of a lane and before this file; and a lane may be new.
      if (this.#last.n > 1 && readHead(folder, lane) === null)
        findings.add('no-head', file, null, 'The newest signed line of the lane should be here.');
    } else if (!isSigned(head, key)) findings.add('bad-signature', file, null, 'This is not signed with the key.');
    else if (head.line.n > this.#last.n)
      this.#problem(
        'shortened',
        `Lines are missing at the end: number ${head.line.n} was signed (${file}), the lane ends with ${this.#last.n}.`,
      );
    // One before the position is not known any more, unless it was the newest.
    else if ((this.#signed.get(head.line.n) ?? this.#old(head.line)) !== head.line.hash)
      this.#problem('not-linked', `The lane does not contain the signed line ${head.line.n} that is in ${file}.`);
  }

  #old({ n, hash }: Link): string | null {
    return n < (this.#subject.from?.last.n ?? 0) ? hash : null;
  }

  #note(message: string): void {
    this.#subject.findings.note(this.#file, this.#line, message);
  }
}
