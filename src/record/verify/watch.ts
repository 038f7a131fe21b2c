// An audit folder → verified periodically for the lifetime of a process: new lines each time, and everything at longer
// intervals. One process at a time does it, in small steps; its result is in a file that the others read.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncDispose } from '../../core/disposal.ts';
import { type ChecksOf, callback, checkOptions, count, folder, milliseconds } from '../../core/option-checks.ts';
import { describeError } from '../../core/values/error-text.ts';
import type { AuditPlaces } from '../../local/places.ts';
import { replaceWhole } from '../../local/whole-file.ts';
import { PUBLIC } from '../chain/key.ts';
import { type Ownership, tryOwn } from '../chain/ownership.ts';
import { LOCK_FOLDER } from '../chain/segments.ts';
import type { AuditProblem } from './report.ts';
import { type Places, type Verified, verifySteps } from './verify.ts';

/** What is known about the log, from any process that has checked. */
export interface WatchReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isIntact: boolean;
  /** Of the whole log. */
  readonly lines: number;
  /** The first ones, and how many there are in all. */
  readonly problems: readonly AuditProblem[];
  readonly problemCount: number;
}

export interface AuditWatchOptions extends AuditPlaces {
  /** How often it looks, in milliseconds. */
  readonly interval: number;
  /** Everything is verified again every this many checks. Default 12. */
  readonly wholeEvery?: number;
  /** Maximum number of bytes read in one check; the next one continues. Default 64 MB. */
  readonly bytesPerLook?: number;
  /** `isOwn`: this process has checked, not another one. */
  readonly onReport: (report: WatchReport, by: { readonly isOwn: boolean }) => void;
  readonly onProblem?: (error: unknown) => void;
}

const WATCH_OPTIONS: ChecksOf<AuditWatchOptions> = {
  folder,
  keyFolder: folder,
  interval: milliseconds,
  wholeEvery: count,
  bytesPerLook: count,
  onReport: callback,
  onProblem: callback,
};

export interface AuditWatch {
  /** Checks now, not only when it is due. */
  look(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const STATUS_FILE = 'verified.json';
const LOCK = 'verify';
const FIRST_LOOK_MS = 5_000;
const MAX_LISTED = 20;
/** A turn is some milliseconds of work, followed by four times as much for other work. */
const TURN_MS = 4;
const REST = 4;

export function watchAudit(options: AuditWatchOptions): AuditWatch {
  return new Watch(options);
}

/** The result of the last check; `null`: there is none, or it cannot be read. */
export function readWatchReport(folder: string): WatchReport | null {
  try {
    const report = JSON.parse(readFileSync(join(folder, STATUS_FILE), 'utf8')) as WatchReport;
    const isReport = typeof report.at === 'number' && typeof report.isIntact === 'boolean';
    return isReport && Array.isArray(report.problems) ? report : null;
  } catch {
    return null;
  }
}

class Watch implements AuditWatch {
  readonly #options: AuditWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #own: Ownership | null = null;
  /** A verification that was not finished in the last check. */
  #steps: Generator<number, Verified> | null = null;
  #isWhole = true;
  #places: Places | null = null;
  #looks = 0;
  #lines = 0;
  #problems: readonly AuditProblem[] = [];
  #problemCount = 0;
  #toldAt = 0;
  #wake: (() => void) | null = null;
  #isAwaited = false;
  #isClosed = false;

  constructor(options: AuditWatchOptions) {
    checkOptions(options, WATCH_OPTIONS);
    this.#options = options;
    this.#wait(Math.min(options.interval, FIRST_LOOK_MS));
  }

  look(): Promise<void> {
    this.#isAwaited = true;
    return this.#begin();
  }

  #begin(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => this.#options.onProblem?.(error))
      .finally(() => {
        this.#looking = null;
        this.#isAwaited = false;
        this.#wait(this.#options.interval);
      });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wake?.();
    await this.#looking;
    this.#own?.release();
    this.#own = null;
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Does not keep the process alive, unless it is awaited; ends at once when it is being closed. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!this.#isAwaited) timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isClosed) this.#wake();
    });
  }

  #wait(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#begin(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { folder } = this.#options;
    const locks = join(folder, LOCK_FOLDER);
    // Nothing was recorded yet.
    if (!existsSync(locks)) return;
    if (this.#own !== null && !this.#own.isHeld()) this.#own = null;
    this.#own ??= tryOwn(locks, LOCK);
    if (this.#own === null) return this.#hear();
    this.#own.touch();
    const verified = await this.#verify();
    if (verified !== null) this.#conclude(verified);
  }

  /** Another process does it. */
  #hear(): void {
    const report = readWatchReport(this.#options.folder);
    if (report === null || report.at === this.#toldAt) return;
    this.#toldAt = report.at;
    this.#options.onReport(report, { isOwn: false });
  }

  /** `null`: it continues with the next check. */
  async #verify(): Promise<Verified | null> {
    const { folder, keyFolder, wholeEvery = 12, bytesPerLook = 64 << 20 } = this.#options;
    if (this.#steps === null) {
      this.#isWhole = this.#places === null || this.#looks % wholeEvery === 0;
      this.#looks += 1;
      this.#steps = verifySteps({ folder, keyFolder }, this.#isWhole ? undefined : (this.#places ?? undefined));
    }
    try {
      for (let read = 0; read < bytesPerLook; ) {
        for (const began = performance.now(); performance.now() - began < TURN_MS; ) {
          const step = this.#steps.next();
          if (step.done) {
            this.#steps = null;
            return step.value;
          }
          read += step.value;
        }
        await this.#rest(TURN_MS * REST);
        if (this.#isClosed) return null;
      }
      return null;
    } catch (error) {
      this.#steps = null;
      // Retention has deleted the segment being read: the next check starts over.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#places = null;
      else this.#fail(error);
      return null;
    }
  }

  #conclude({ report, places }: Verified): void {
    this.#places = places;
    this.#lines = (this.#isWhole ? 0 : this.#lines) + report.lines;
    const before = this.#isWhole ? [] : this.#problems;
    this.#problems = [...before, ...report.problems].slice(0, MAX_LISTED);
    this.#problemCount = (this.#isWhole ? 0 : this.#problemCount) + report.problems.length + report.moreProblems;
    this.#tell();
  }

  /** A key that can no longer be read is as bad as a changed line: nothing can be proved. */
  #fail(error: unknown): void {
    const message = describeError(error);
    this.#places = null;
    this.#problems = [{ kind: 'other-key', file: PUBLIC, line: null, message }];
    this.#problemCount = 1;
    this.#tell();
  }

  #tell(): void {
    const { folder, onReport } = this.#options;
    const problemCount = this.#problemCount;
    const known = { at: Date.now(), isIntact: problemCount === 0, lines: this.#lines };
    const report: WatchReport = { ...known, problems: this.#problems, problemCount };
    this.#toldAt = report.at;
    const path = join(folder, STATUS_FILE);
    try {
      replaceWhole(path, JSON.stringify(report));
    } finally {
      onReport(report, { isOwn: true });
    }
  }
}
