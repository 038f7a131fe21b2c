// `npm run bench -- judgement [--data DIR] [--json]`: how good the verdicts are, in each mode; `auto` in a sandbox that
// holds everything, with and without staged changes.
// Over the corpus of verdicts (test/cases/verdicts), and over real command lines, one per line in the *.txt files of DIR
// (or of $HARDSHELL_BENCH_DATA), which are not part of the project: those are sorted by simple patterns, independent of the analysis.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyze, DEFAULT_CONTEXT, DEFAULT_POLICY, decide, MODES, RELIANCES } from '../dist/host.js';
import { report } from './lib/measure.js';

const CORPUS = fileURLToPath(new URL('../test/cases/verdicts', import.meta.url));
const CWD = '/home/u/project';
const HOME = '/home/u';

/** Commands that print, also in pipes; a second pattern rules out those that do more, and those with typing errors. */
const READS =
  /^(?:ls|cat|head|tail|wc|grep|egrep|fgrep|rg|find|du|df|stat|file|tree|diff|cmp|sort|uniq|cut|tr|nl|od|xxd|date|echo|pwd|ps|uptime|whoami|id|uname|which|git (?:status|log|diff|show|branch|blame|shortlog))(?: |$)/;
const DOES_MORE =
  /[<>`;&{}]|\$|-exec|-delete|-ok|-fprint|-fls|--output|\b(?:sudo|xargs|sh|bash|tee|sed|awk|perl|ssh|curl|rm|mv|cp|date -s|branch \S)|\/(?:root|home|srv|mnt|opt|var|proc|dev|etc|media|volume)|~|\.\.\/|\bpath\/to\b|\.(?:key|pem|env)\b|-s\b|-o\b|-perm|[^ -~]|\bfind \S+ \w+ -/;
/** Must be refused. */
const DESTROYS =
  /^(?:sudo )?rm -[a-zA-Z]*[rR][a-zA-Z]* (?:-\S+ )*(?:\/|\/\*|~|\$HOME)(?: |$)|\bmkfs(?:\.\w+)? (?:-\S+ )*\/dev\/|\bdd\b.* of=\/dev\/(?:sd|nvme|hd)|:\(\)\s*\{|(?:curl|wget)[^|]*\|\s*(?:sudo )?(?:ba|z|da)?sh\b/;
/** Must not run without a question. */
const CHANGES =
  /^(?:sudo )?(?:rm|mv|chmod|chown|kill|killall|shutdown|reboot|mkfs\S*|dd|apt(?:-get)? install|useradd|passwd|crontab -[er])(?= (?!-0))/;

function readCorpus() {
  return readdirSync(CORPUS)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const isDangerous = name.startsWith('dangerous-');
      return JSON.parse(readFileSync(join(CORPUS, name), 'utf8')).map((row) => ({ ...row, isDangerous }));
    });
}

function readData(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  const commands = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
  return [...new Set(commands)].flatMap((command) => {
    if (DESTROYS.test(command)) return [{ command, verdict: 'deny', isDangerous: true }];
    if (CHANGES.test(command) && !/--?(?:h|help|version|l)\b/.test(command))
      return [{ command, verdict: 'ask', isDangerous: true }];
    const onlyReads = command.split('|').every((part) => READS.test(part.trim())) && !DOES_MORE.test(command);
    return onlyReads ? [{ command, verdict: 'allow', isDangerous: false }] : [];
  });
}

const UNSTAGED = 'auto, not staged';
/** Without a disk, git has nothing: every deletion counts as lost work. */
const COLUMNS = MODES.flatMap((mode) => (mode === 'auto' ? [mode, UNSTAGED] : [mode]));

function decisionOf({ command, cwd = CWD, shell = 'bash' }, column) {
  const facts = analyze(command, { cwd, shell, variables: { HOME } });
  const mode = column === UNSTAGED ? 'auto' : column;
  const held = RELIANCES.filter((each) => each !== 'undoable' || column !== UNSTAGED);
  const context = { ...DEFAULT_CONTEXT, cwd, home: HOME, probe: null, confinement: { held, missing: [] } };
  return decide(facts, { ...DEFAULT_POLICY, mode }, context).decision;
}

function judge(rows, mode) {
  const decided = rows.map((row) => ({ ...row, decision: decisionOf(row, mode) }));
  return {
    needless: decided.filter((row) => isHarmless(row, mode) && row.decision !== 'allow'),
    allowed: decided.filter((row) => isDanger(row, mode) && row.decision === 'allow'),
    missed: decided.filter(({ verdict, decision }) => verdict === 'deny' && decision !== 'deny'),
  };
}

const KINDS = { needless: 'needless questions', allowed: 'dangers allowed', missed: 'refusals missed' };

/** Modes that are meant to allow some of what is otherwise asked about. */
const LIFT_QUESTIONS = new Set(['accept-edits', 'bypass']);

/** What `auto` must not allow: rows say it (`auto`: always `ask`, or `staged`: unless changes are staged). */
function isDanger({ isDangerous, verdict, auto }, mode) {
  if (mode === 'auto') return verdict === 'deny' || auto === 'ask';
  if (mode === UNSTAGED) return verdict === 'deny' || auto === 'ask' || auto === 'staged';
  return LIFT_QUESTIONS.has(mode) ? verdict === 'deny' : isDangerous;
}

/** What should run without a question. */
function isHarmless({ verdict, auto }, mode) {
  if (verdict === 'allow') return true;
  return mode === 'auto' ? auto === 'allow' || auto === 'staged' : mode === UNSTAGED && auto === 'allow';
}

function totalOf(kind, rows, mode) {
  if (kind === 'needless') return rows.filter((row) => isHarmless(row, mode)).length;
  return rows.filter((row) => (kind === 'missed' ? row.verdict === 'deny' : isDanger(row, mode))).length;
}

export async function run(argv) {
  const json = argv.includes('--json');
  const given = argv.includes('--data') ? argv[argv.indexOf('--data') + 1] : process.env.HARDSHELL_BENCH_DATA;
  const sources = { corpus: readCorpus(), ...(given ? { data: readData(resolve(given)) } : {}) };
  const figures = [];
  let isBad = false;
  for (const [source, rows] of Object.entries(sources))
    for (const mode of COLUMNS) {
      const judged = judge(rows, mode);
      for (const [kind, title] of Object.entries(KINDS)) {
        const total = totalOf(kind, rows, mode);
        const share = (100 * judged[kind].length) / Math.max(1, total);
        figures.push({ case: `${source}, ${mode}: ${title}`, median: share, p95: share, unit: '%' });
        if (source === 'corpus' && kind !== 'needless') isBad ||= judged[kind].length > 0;
        if (json) continue;
        process.stdout.write(`${source}, ${mode}: ${title} ${judged[kind].length} of ${total}\n`);
        for (const { command, decision } of judged[kind]) process.stdout.write(`  ${decision.padEnd(5)} ${command}\n`);
      }
    }
  if (json) report('judgement', figures, { json });
  return isBad ? 1 : 0;
}
