// All counters, in one place and in bounded memory. Numbers only: independent of their readers.

import type { Answer } from '../../core/approval.ts';
import type { Enforcement, SandboxViolation } from '../../core/confinement.ts';
import type { RunResult, RunUsage } from '../../core/running.ts';
import { unreachable } from '../../core/values/unreachable.ts';
import type { Layer, Verdict } from '../../core/verdict.ts';
import { Distribution } from './distribution.ts';
import { OTHER, Tally } from './tally.ts';

export const OUTCOMES = ['succeeded', 'failed', 'signalled', 'timed-out', 'cancelled', 'limited'] as const;
/** How a command that ran has ended. `failed`: with an error, of the command or of hardshell. */
export type ExecutionOutcome = (typeof OUTCOMES)[number];

/** Milliseconds. */
const EXECUTION_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1e3, 2.5e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5];
const STEP_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1e3];
const ANSWER_BOUNDS = [1e3, 2.5e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5];

/** There are fewer built-in checks; threat rules of settings are added. */
const MAX_CHECKS = 256;

/** Layers that find attacks. The other layers represent the policy. */
const THREAT_LAYERS: ReadonlySet<Layer> = new Set(['safety', 'confusion', 'repository', 'threats', 'classifier']);

/** Resources used by commands of one type, or by all. */
export class Consumption {
  readonly times = new Distribution(EXECUTION_BOUNDS);
  readonly outcomes = new Tally(OUTCOMES.length);
  wallMs = 0;
  userMs = 0;
  systemMs = 0;
  peakMemoryBytes: number | null = null;
  /** For commands whose memory could be measured. */
  memoryBytes = 0;
  memoryCount = 0;
  readBytes = 0;
  writeBytes = 0;
  /** Of commands with a proxy. */
  sentBytes = 0;
  receivedBytes = 0;
  outputBytes = 0;

  add(outcome: ExecutionOutcome, usage: RunUsage | null, outputBytes: number): void {
    this.outcomes.add(outcome);
    this.outputBytes += outputBytes;
    if (usage === null) return;
    this.times.add(usage.wallMs);
    this.wallMs += usage.wallMs;
    this.userMs += usage.userMs ?? 0;
    this.systemMs += usage.systemMs ?? 0;
    this.readBytes += usage.readBytes ?? 0;
    this.writeBytes += usage.writeBytes ?? 0;
    this.sentBytes += usage.sentBytes ?? 0;
    this.receivedBytes += usage.receivedBytes ?? 0;
    if (usage.peakMemoryBytes === null) return;
    this.memoryBytes += usage.peakMemoryBytes;
    this.memoryCount += 1;
    this.peakMemoryBytes = Math.max(this.peakMemoryBytes ?? 0, usage.peakMemoryBytes);
  }
}

export class Registry {
  readonly since = Date.now();
  readonly all = new Consumption();
  readonly types = new Map<string, Consumption>();
  readonly statuses = new Tally(16);
  /** `verdict risk`. */
  readonly verdicts = new Tally(16);
  readonly findings = new Tally(32);
  readonly threats = new Tally(MAX_CHECKS);
  readonly falsePositives = new Tally(MAX_CHECKS);
  readonly violations = new Tally(16);
  readonly tiers = new Tally(16);
  /** `verdict by`. */
  readonly answers = new Tally(64);
  asked = 0;
  readonly decisionTimes = new Distribution(STEP_BOUNDS);
  readonly startDelays = new Distribution(STEP_BOUNDS);
  readonly creationTimes = new Distribution(STEP_BOUNDS);
  readonly answerTimes = new Distribution(ANSWER_BOUNDS);
  /** Of the audit log: `intact` or `broken`. */
  readonly verifications = new Tally(2);
  auditProblems = 0;
  /** Milliseconds since 1970; 0: not yet. */
  verifiedAt = 0;
  /** Durations of commands in a sandbox whose setup was measured. */
  confinedMs = 0;
  /** Sum over all starts of the share of guarantees that were held. */
  heldShares = 0;
  readonly #maxTypes: number;

  constructor(maxTypes: number) {
    this.#maxTypes = maxTypes;
  }

  /** `seen`: findings already counted for the same request. */
  addVerdict({ decision, risk, findings }: Verdict, elapsedMs: number | undefined, seen: Set<string>): void {
    this.verdicts.add(`${decision} ${risk}`);
    if (decision === 'ask') this.asked += 1;
    if (elapsedMs !== undefined) this.decisionTimes.add(elapsedMs);
    for (const { id, layer } of findings) {
      if (seen.has(id)) continue;
      seen.add(id);
      this.findings.add(layer);
      if (THREAT_LAYERS.has(layer)) this.threats.add(id);
    }
  }

  addAnswer({ verdict, by }: Answer, waitedMs: number | null): void {
    this.answers.add(`${verdict} ${by}`);
    if (waitedMs !== null) this.answerTimes.add(waitedMs);
  }

  addStart(enforcement: Enforcement | null, delayMs: number | null, creationMs: number | undefined): void {
    const { tier, held, missing } = enforcement ?? { tier: 'none', held: [], missing: [] };
    this.tiers.add(tier);
    if (delayMs !== null) this.startDelays.add(delayMs);
    if (tier === 'none') return;
    if (creationMs !== undefined) this.creationTimes.add(creationMs);
    this.heldShares += held.length / Math.max(1, held.length + missing.length);
  }

  addVerification({ isIntact, problemCount, at }: { isIntact: boolean; problemCount: number; at: number }): void {
    this.verifications.add(isIntact ? 'intact' : 'broken');
    this.auditProblems = problemCount;
    this.verifiedAt = at;
  }

  addViolation({ kind }: SandboxViolation): void {
    this.violations.add(kind);
  }

  addEnd(result: RunResult, ran: { readonly type: string; readonly isMeasured: boolean } | null): void {
    const { status, usage, outputBytes } = result;
    this.statuses.add(status);
    if (ran === null) return;
    const outcome = classifyOutcome(result);
    this.all.add(outcome, usage, outputBytes);
    this.#typeOf(ran.type).add(outcome, usage, outputBytes);
    if (ran.isMeasured && usage !== null) this.confinedMs += usage.wallMs;
  }

  #typeOf(name: string): Consumption {
    const key = this.types.has(name) || this.types.size < this.#maxTypes ? name : OTHER;
    let found = this.types.get(key);
    if (found === undefined) {
      found = new Consumption();
      this.types.set(key, found);
    }
    return found;
  }
}

export function classifyOutcome({ status, isError }: RunResult): ExecutionOutcome {
  switch (status) {
    case 'exited':
      return isError ? 'failed' : 'succeeded';
    case 'signalled':
    case 'timed-out':
    case 'cancelled':
    case 'limited':
      return status;
    case 'running':
    case 'denied':
    case 'failed':
      return 'failed';
    default:
      return unreachable(status);
  }
}
