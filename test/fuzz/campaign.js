// One fuzzing run: programs from seeds, through the analysis and the oracle, to figures and small counter-examples.

import { describe, findComplaints } from './check.js';
import { isAllowed, makeProgram } from './generate/programs.js';
import { minimise } from './minimise.js';
import { HOME_FOLDER, WORK_FOLDER } from './oracle.js';

/**
 * @typedef {import('./check.js').Facts} Facts
 * @typedef {import('./check.js').Complaint} Complaint
 * @typedef {import('./oracle.js').Oracle} Oracle
 * @typedef {import('./oracle.js').Observation} Observation
 * @typedef {{ text: string, shell: 'bash' | 'sh' }} Subject
 * @typedef {(command: string, options: { cwd: string, shell: 'bash' | 'sh', variables: Record<string, string> }) => Facts} Analyze
 * @typedef {{ kind: string, detail: string }} Failure
 * @typedef {{ command: string, shell: 'bash' | 'sh', seed: number, kind: string, detail: string }} Unsound as it was generated
 * @typedef {{ command: string, shell: 'bash' | 'sh', seed: number, kind: string, detail: string, ran: string[],
 *   predicted: string, original: string, seen: number }} Finding
 */

const SLOW_MS = 50;
const WINDOW = 32;

/**
 * @param {Analyze} analyze
 * @param {Subject} subject
 * @returns {{ facts: Facts | null, failure: Failure | null }}
 */
function understand(analyze, subject) {
  let best = Number.POSITIVE_INFINITY;
  /** @type {Facts | null} */
  let facts = null;
  // Several tries, and CPU time: a busy machine is not a slow analysis.
  for (let attempt = 0; attempt < 6 && best > SLOW_MS; attempt++) {
    const start = process.cpuUsage();
    try {
      facts = analyze(subject.text, { cwd: WORK_FOLDER, shell: subject.shell, variables: { HOME: HOME_FOLDER } });
    } catch (error) {
      return { facts: null, failure: { kind: 'crash', detail: String(/** @type {Error} */ (error).stack ?? error) } };
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
  }
  return { facts, failure: best > SLOW_MS ? { kind: 'slow', detail: `${best.toFixed(0)} ms` } : null };
}

/**
 * @param {Analyze} analyze
 * @param {Oracle} oracle
 * @param {Subject} subject
 */
export async function judge(analyze, oracle, subject) {
  const { facts, failure } = understand(analyze, subject);
  const observation = await oracle.run(subject.text, subject.shell);
  /** @type {(Failure | Complaint)[]} */
  const failures = failure ? [failure] : [];
  if (facts) failures.push(...findComplaints(facts, observation));
  return { facts, observation, failures };
}

/** @param {Facts | null} facts */
function describePrediction(facts) {
  if (facts === null) return 'nothing';
  const commands = facts.commands.map((fact) => fact.argv.map((word) => JSON.stringify(word)).join(' '));
  const paths = (/** @type {{ path: string | null }[]} */ effects) => JSON.stringify(effects.map(({ path }) => path));
  const { reads, writes, deletes } = facts.effects;
  return `${commands.join(' | ') || 'no command'}; reads ${paths(reads)} writes ${paths(writes)} deletes ${paths(deletes)}`;
}

/**
 * @param {Analyze} analyze
 * @param {Oracle} oracle
 * @param {Subject & { seed?: number }} subject
 * @param {string} kind
 * @returns {Promise<Finding>}
 */
export async function explainFailure(analyze, oracle, subject, kind) {
  const command = await minimise(subject.text, async (text) => {
    if (!isAllowed(text)) return false;
    const { failures } = await judge(analyze, oracle, { text, shell: subject.shell });
    return failures.some((failure) => failure.kind === kind);
  });
  const { facts, observation, failures } = await judge(analyze, oracle, { text: command, shell: subject.shell });
  const failure = failures.find((candidate) => candidate.kind === kind) ?? failures[0];
  return {
    command,
    shell: subject.shell,
    seed: subject.seed ?? -1,
    kind,
    detail: failure?.detail ?? 'did not show again',
    ran: [...new Set(observation.executions.map(describe))].slice(0, 20),
    predicted: describePrediction(facts),
    original: subject.text,
    seen: 1,
  };
}

/** @param {number} seed @param {number} index */
function programSeed(seed, index) {
  let mixed = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/**
 * Programs that fail alike after minimising: same kind, same text up to which stub or word it was.
 * @param {Finding} finding
 */
function shapeOf(finding) {
  return `${finding.kind} ${finding.shell} ${finding.command.replace(/\b(?:c\d|ls|git|curl|cat|rm)\b/g, 'c').replace(/\d+/g, '0')}`;
}

/**
 * @param {{ analyze: Analyze, oracle: Oracle, seed: number, seconds?: number, count?: number, family?: string,
 *   maxFindings?: number,
 *   onProgress?: (figures: Figures) => void, onUnsound?: (unsound: Unsound) => void,
 *   onFinding?: (finding: Finding) => void }} options
 */
export async function runCampaign(options) {
  const {
    analyze,
    oracle,
    seed,
    seconds = Number.POSITIVE_INFINITY,
    count = Number.POSITIVE_INFINITY,
    maxFindings = 20,
  } = options;
  const figures = new Figures(seed);
  /** @type {Map<string, Finding>} */
  const findings = new Map();
  const deadline = performance.now() + seconds * 1000;
  let next = 0;
  let lastProgress = performance.now();

  async function work() {
    while (next < count && performance.now() < deadline && findings.size < maxFindings) {
      const number = programSeed(seed, next++);
      const program = makeProgram(number, options.family);
      const { facts, observation, failures } = await judge(analyze, oracle, program);
      figures.add(program, facts, observation);
      if (failures.length > 0) {
        figures.unsound++;
        const { kind, detail } = /** @type {Failure} */ (failures[0]);
        // Before it is made small: that takes a while, and the run may be ended meanwhile.
        options.onUnsound?.({ command: program.text, shell: program.shell, seed: number, kind, detail });
        const finding = await explainFailure(analyze, oracle, { ...program, seed: number }, kind);
        const shape = shapeOf(finding);
        const known = findings.get(shape);
        if (known) known.seen++;
        else {
          findings.set(shape, finding);
          options.onFinding?.(finding);
        }
      }
      if (performance.now() - lastProgress > 5000) {
        lastProgress = performance.now();
        options.onProgress?.(figures);
      }
    }
  }
  await Promise.all(Array.from({ length: WINDOW }, work));
  return { figures, findings: [...findings.values()] };
}

export class Figures {
  /** @param {number} seed */
  constructor(seed) {
    this.seed = seed;
    this.programs = 0;
    this.unsound = 0;
    this.cannotTell = 0;
    this.rejected = 0;
    this.timeouts = 0;
    this.executions = 0;
    this.checked = 0;
    this.changes = 0;
    this.readOnly = 0;
    this.start = performance.now();
    /** @type {Set<string>} */
    this.constructs = new Set();
    /** @type {Record<string, number>} */
    this.reasons = {};
    /** @type {Record<string, number>} how many programs contained each family */
    this.families = {};
  }

  /**
   * @param {import('./generate/programs.js').Program} program
   * @param {Facts | null} facts
   * @param {Observation} observation
   */
  add(program, facts, observation) {
    this.programs++;
    const isOpen = facts?.status === 'cannot-tell';
    if (isOpen) this.cannotTell++;
    if (observation.rejected) this.rejected++;
    if (observation.outcome === 'timeout') this.timeouts++;
    if (facts?.readOnly) this.readOnly++;
    this.executions += observation.executions.length;
    this.changes += observation.changes.filter((change) => change.kind !== 'read').length;
    if (!isOpen) this.checked += observation.executions.length;
    for (const construct of program.constructs) this.constructs.add(construct);
    for (const family of program.families) this.families[family] = (this.families[family] ?? 0) + 1;
    for (const id of new Set(facts?.reasons.map((reason) => reason.id))) this.reasons[id] = (this.reasons[id] ?? 0) + 1;
  }

  summary() {
    const share = (/** @type {number} */ part) => Number((part / Math.max(1, this.programs)).toFixed(4));
    const seconds = (performance.now() - this.start) / 1000;
    return {
      programs: this.programs,
      unsound: this.unsound,
      cannotTellRate: share(this.cannotTell),
      syntaxErrorRate: share(this.rejected),
      readOnlyRate: share(this.readOnly),
      timeoutRate: share(this.timeouts),
      executions: this.executions,
      executionsChecked: this.checked,
      filesChanged: this.changes,
      constructs: this.constructs.size,
      reasons: this.reasons,
      families: this.families,
      seed: this.seed,
      seconds: Number(seconds.toFixed(1)),
      programsPerSecond: Number((this.programs / seconds).toFixed(0)),
    };
  }
}
