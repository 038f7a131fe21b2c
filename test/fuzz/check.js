// Is what was predicted true of what happened? In: facts and an observation. Out: complaints, none when sound.
// Sound: every argv that ran, its folder, and every changed file were predicted, or the analysis said it cannot tell.

import { posix } from 'node:path';

/**
 * @typedef {import('./oracle.js').Observation} Observation
 * @typedef {import('./oracle.js').Execution} Execution
 * @typedef {import('./oracle.js').Change} Change
 * @typedef {{ path: string | null, glob?: true, recursive?: true }} PathEffect
 * @typedef {{ reads: PathEffect[], writes: PathEffect[], deletes: PathEffect[],
 *   executes: { kind: string, text: string | null }[], unknown: string[] }} Effects
 * @typedef {{ name: string | null, argv: (string | null)[], cwd: string[] | null, elsewhere: string | null, effects: Effects }} CommandFact
 * @typedef {{ status: 'understood' | 'cannot-tell', readOnly: boolean, reasons: { id: string }[], effects: Effects,
 *   commands: CommandFact[] }} Facts
 * @typedef {{ kind: 'unpredicted command' | 'unpredicted folder' | 'unpredicted change' | 'unpredicted read' | 'not read-only' | 'contradiction',
 *   detail: string }} Complaint
 */

/**
 * @param {Facts} facts
 * @param {Observation} observation
 * @returns {Complaint[]}
 */
export function findComplaints(facts, observation) {
  if (facts.status === 'cannot-tell') {
    return facts.readOnly ? [{ kind: 'contradiction', detail: 'read-only although it cannot tell' }] : [];
  }
  /** @type {Complaint[]} */
  const complaints = [];
  for (const execution of observation.executions) {
    const named = facts.commands.filter(
      (command) => command.elsewhere === null && matchesArgv(command.argv, execution),
    );
    const ran = `${describe(execution)} in ${execution.cwd}`;
    if (named.length === 0) {
      if (!isBehindEffect(facts, execution, observation)) complaints.push({ kind: 'unpredicted command', detail: ran });
    } else if (!named.some((command) => command.cwd === null || command.cwd.includes(execution.cwd))) {
      complaints.push({ kind: 'unpredicted folder', detail: `${ran}, predicted ${named[0]?.cwd?.join(', ')}` });
    }
  }
  for (const change of observation.changes) {
    const what = `${change.type} ${change.path} ${change.kind}`;
    if (facts.readOnly && change.kind !== 'read') complaints.push({ kind: 'not read-only', detail: what });
    if (!isCovered(facts.effects, change)) {
      complaints.push({ kind: change.kind === 'read' ? 'unpredicted read' : 'unpredicted change', detail: what });
    }
  }
  return complaints;
}

/** What the files of the private folder run when a shell is given them as a script; see folder.c. */
const SCRIPT_LINES = new Set(
  ['c5 sourced', 'c6 from-d', 'c7 f', 'c1 one', 'c4', 'alpha', 'beta'].map((line) => line.split(' ').join('\0')),
);

/**
 * Some runs are told by an effect and not by a command: the lines of a script file that a shell was given or that
 * BASH_ENV names, the `sh -c` by which sed runs the text it was given (`1e c0`), and all that comes from a program of
 * which the facts say that it runs something unknown (`find -${x}exec …`).
 * @param {Facts} facts
 * @param {Execution} execution
 * @param {Observation} observation
 */
function isBehindEffect(facts, execution, observation) {
  const effects = facts.commands.flatMap((command) => command.effects.executes);
  const { name, args } = execution;
  if (effects.some(({ kind }) => kind === 'file' || kind === 'hook') && SCRIPT_LINES.has([name, ...args].join('\0'))) {
    return true;
  }
  const ancestors = ancestorsOf(execution, observation);
  const open = facts.commands.filter((command) =>
    command.effects.executes.some(({ kind, text }) => text === null && kind !== 'file' && kind !== 'hook'),
  );
  if (open.some((command) => command.name !== null && ancestors.has(command.name))) return true;
  const isCarrier = name === 'sh' && args.length === 2 && args[0] === '-c' && ancestors.has('sed');
  return isCarrier && effects.some(({ kind, text }) => kind === 'shell' && text === args[1]);
}

/**
 * @param {Execution} execution
 * @param {Observation} observation
 */
function ancestorsOf(execution, { executions }) {
  const names = new Set();
  const seen = new Set();
  for (let at = execution.id; !seen.has(at); ) {
    seen.add(at);
    // One process may have been several programs in turn: env, then what it became.
    const same = executions.filter((other) => other.id === at && other !== execution);
    for (const { name } of same) names.add(name);
    at = at === execution.id ? execution.parent : (same[0]?.parent ?? at);
  }
  return names;
}

/** @param {Execution} execution */
export function describe(execution) {
  const text = [execution.name, ...execution.args].map((word) => JSON.stringify(word)).join(' ');
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
}

/**
 * @param {readonly (string | null)[]} argv
 * @param {Execution} execution
 */
function matchesArgv(argv, execution) {
  const [first, ...rest] = argv;
  if (first === undefined) return false;
  // Words that did not fit into the log are not compared.
  if (execution.isCut) return first === null || posix.basename(first) === execution.name;
  if (first === null) return matchesWords(argv, [execution.name, ...execution.args]);
  return posix.basename(first) === execution.name && matchesWords(rest, execution.args);
}

/**
 * `null` stands for any number of words.
 * @param {readonly (string | null)[]} pattern
 * @param {readonly string[]} words
 * @returns {boolean}
 */
function matchesWords(pattern, words) {
  const gap = pattern.indexOf(null);
  if (gap < 0) return pattern.length === words.length && pattern.every((word, i) => isSameWord(word, words[i]));
  if (words.length < gap || !pattern.slice(0, gap).every((word, i) => isSameWord(word, words[i]))) return false;
  const rest = pattern.slice(gap + 1);
  for (let at = gap; at <= words.length; at++) if (matchesWords(rest, words.slice(at))) return true;
  return false;
}

/**
 * Bytes that are not UTF-8 came back as U+FFFD: such a word is compared only outside of them.
 * @param {string | null | undefined} predicted
 * @param {string | undefined} seen
 */
function isSameWord(predicted, seen) {
  if (predicted === seen) return true;
  if (typeof predicted !== 'string' || !seen?.includes('\ufffd')) return false;
  const parts = seen.split(/\ufffd+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(predicted);
}

/**
 * @param {Effects} effects
 * @param {Change} change
 */
function isCovered(effects, change) {
  if (effects.unknown.length > 0) return true;
  // The stub in the folder is read by being run.
  if (change.kind === 'read' && posix.basename(change.path) === 'tool') return true;
  if (change.kind === 'read' && effects.executes.some((effect) => isScript(effect, change.path))) return true;
  // A read is seen by the time of access, which `touch -a` writes.
  const candidates =
    change.kind === 'deleted'
      ? effects.deletes
      : change.kind === 'read'
        ? [...effects.reads, ...effects.writes]
        : effects.writes;
  return candidates.some((effect) => effect.path === null || reaches(effect, effect.path, change));
}

/**
 * @param {{ kind: string, text: string | null }} effect
 * @param {string} path
 */
function isScript({ kind, text }, path) {
  return kind === 'hook' || (kind === 'file' && (text === null || posix.basename(text) === posix.basename(path)));
}

/**
 * @param {PathEffect} effect
 * @param {string} path
 * @param {Change} change
 */
function reaches(effect, path, change) {
  const target = change.path;
  const whole = posix.normalize(path).replace(/(.)\/$/, '$1');
  // `mkdir -p a/b` names the last of several folders.
  if (change.type === 'folder' && change.kind === 'created' && whole.startsWith(`${target}/`)) return true;
  // `cp a d` names the folder; the file in it is meant.
  const targets = [target, posix.dirname(target)];
  if (effect.glob) return targets.some((one) => globToRegExp(path, effect.recursive === true).test(one));
  return targets.includes(whole) || (effect.recursive === true && (target.startsWith(`${whole}/`) || whole === '/'));
}

/**
 * @param {string} glob
 * @param {boolean} below
 */
function globToRegExp(glob, below) {
  const body = glob.replace(/\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|\\?[\s\S]/g, (piece) => {
    if (piece === '*' || piece.startsWith('[')) return '.*';
    return piece === '?' ? '.' : piece.slice(-1).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  return new RegExp(`^${body}${below ? '(/.*)?' : ''}$`, 's');
}
