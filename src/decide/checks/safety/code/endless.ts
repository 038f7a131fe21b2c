// What takes more and more of the machine: loops that only start processes, and output without end that is kept in memory.

import type { CommandFact, Facts } from '../../../../core/facts.ts';
import { wordSet } from '../../../../core/values/once.ts';
import type { Check } from '../../../check.ts';
import { layoutOf } from '../../confusion/reading/layout.ts';
import { PLAIN } from '../../confusion/reading/text.ts';
import { names } from '../terms/words.ts';

const ENDLESS_DEVICE = /^\/dev\/(?:zero|u?random|full)$/;
/** Those that give no line ends. */
const ZEROS = /^\/dev\/(?:zero|full)$/;
/** What they read, they print, all of it. */
const PASSES_ON = new Set(names('cat tee tr base64 base32 nl rev fold cut dd'));
const HOLDS_ALL = new Set(names('sort tac shuf mapfile readarray sponge column jq'));
const HOLDS_LINE = new Set(names('tail grep egrep fgrep sed awk gawk mawk cut paste rev nl uniq read'));

export const ENDLESS_CHECKS: readonly Check[] = [
  {
    id: 'endless-processes',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This starts processes without end, until the machine stops responding.',
    instead: 'Count the rounds (`for i in 1 2 3`), or wait for each process in the loop.',
    inspectWhole({ facts }) {
      if (hasLaunchingLoop(facts)) return { span: null };
      const launcher = facts.commands.find((command) => launchesWithoutEnd(command, facts));
      return launcher === undefined ? null : { span: launcher.span };
    },
    examples: {
      matches: [
        'while :; do sleep 1d & done',
        'while true; do sleep 1d & done',
        'for((;;)); do sleep 1000 & done',
        'for (( i = 0; ; i++ )); do (sleep 1000 &) ; done',
        'until false; do ./server & echo started; done',
        'while [ 1 ]; do sleep 9 > /dev/null 2>&1 & done',
        'while ((1)); do\n  x=1\n  sleep 9 &\ndone',
        "bash -c 'while :; do sleep 1d & done'",
        'yes | xargs -P0 -I{} sleep 1000',
        'yes x | xargs -P 5000 -n1 sleep',
        'cat /dev/urandom | base64 | xargs -P0 -n1 echo',
        'yes | parallel -j0 sleep',
      ],
      passes: [
        'while true; do sleep 1; done',
        'while true; do curl -s http://localhost:3000/health & sleep 5; done',
        'while true; do make & wait; done',
        'while read -r line; do echo "$line" & done < list',
        'while :; do inotifywait -q src; npm test & done',
        'while :; do sleep 1 & break; done',
        'for i in 1 2 3; do sleep 1 & done',
        'for ((i = 0; i < 3; i++)); do sleep 1 & done',
        'while :; do ls 2>&1; done',
        'while :; do true && sleep 1; done',
        "echo 'while :; do sleep 1d & done'",
        'yes | head -100 | xargs -P0 -I{} sleep 1',
        'yes | xargs -I{} sleep 1',
        'ls | xargs -P0 -I{} wc {}',
        'yes | apt-get install x',
      ],
    },
  },
  {
    id: 'endless-memory',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'This keeps output that never ends in memory.',
    instead: 'Take a part of it first, for example with `head -c 1000`.',
    names: ['yes', ...new Set([...PASSES_ON, ...HOLDS_ALL, ...HOLDS_LINE])],
    inspect: (command, { facts }) => (fillsMemory(command, facts) ? { span: command.span } : null),
    examples: {
      matches: [
        'x=$(yes)',
        'echo "$(cat /dev/zero)"',
        'x=$(yes | tr y n)',
        'sort /dev/zero',
        'sort < /dev/urandom',
        'tac /dev/urandom',
        'tail /dev/zero',
        'grep x /dev/zero',
        'yes | sort',
        'cat /dev/urandom | tac',
        'mapfile lines < /dev/zero',
        "read -r -d '' x < /dev/zero",
        'yes | shuf',
        "bash -c 'sort /dev/zero'",
        'dd if=/dev/zero | sort',
      ],
      passes: [
        'x=$(yes | head -3)',
        'yes | head',
        'yes > /dev/null',
        'head -c 16 /dev/urandom | base64',
        'x=$(head -c 16 /dev/urandom | xxd -p)',
        'tr -dc a-z < /dev/urandom | head -c 8',
        'x=$(tr -dc a-z < /dev/urandom | head -c 8)',
        'dd if=/dev/zero bs=1M count=1 | sort',
        'sort f',
        'cat /dev/null | sort',
        'yes | xargs -n1 echo',
        'grep x /dev/null',
        'yes | apt-get install x',
      ],
    },
  },
];

const ENDLESS_LOOP =
  /(?:^|[\s;&|({])(?:while\s+(?::|true|\[\s+(?:1|true)\s+\]|\(\(\s*[1-9]\d*\s*\)\)|\[\[\s+1\s+\]\])|until\s+(?:false|!\s*(?:true|:))|for\s*\(\(\s*[^;()]*;\s*(?:[1-9]\s*)?;[^()]*\)\))\s*;?\s*do\b/g;
/** They are done at once, so that a loop goes on to the next round. */
const AT_ONCE = wordSet(': true false echo printf let test [ [[ ls date pwd cat touch local declare export');

function hasLaunchingLoop(facts: Facts): boolean {
  if (!facts.command.includes('&')) return false;
  return layoutOf(facts).texts.some((text) => {
    if (!text.text.includes('&') || !/\b(?:while|until|for)\b/.test(text.text)) return false;
    const shown = text.text
      .split('')
      .map((char, i) => (text.states[i] === PLAIN ? char : 'x'))
      .join('');
    return [...shown.matchAll(ENDLESS_LOOP)].some(({ index, 0: head }) =>
      onlyLaunches(bodyAt(shown, index + head.length)),
    );
  });
}

/** Up to the `done` that belongs to it. */
function bodyAt(text: string, start: number): string {
  let depth = 1;
  for (const { 0: word, index } of text.slice(start).matchAll(/\b(?:do|done)\b/g)) {
    depth += word === 'do' ? 1 : -1;
    if (depth === 0) return text.slice(start, start + index);
  }
  return text.slice(start);
}

/** Something goes into the background, and nothing else in the body takes any time. */
function onlyLaunches(body: string): boolean {
  const parts = body.replace(/\d*[<>]&[\d-]*|&>>?/g, ' ').split(/(&&|\|\||\|&?|&|;+|\n)/);
  let launches = false;
  for (let i = 0; i < parts.length; i += 2) {
    const words = (parts[i] ?? '').replace(/[(){}!]|\b(?:then|else|do|fi|if|time)\b/g, ' ').trim();
    if (parts[i + 1] === '&' && words !== '') launches = true;
    else if (words !== '' && !AT_ONCE.has(words.split(/\s/)[0] ?? '') && !/^\w+\+?=\S*$|^\w+[+-]{2}$/.test(words))
      return false;
  }
  return launches;
}

const MANY = 64;

function launchesWithoutEnd(command: CommandFact, facts: Facts): boolean {
  if (command.name !== 'xargs' && command.name !== 'parallel') return false;
  const jobs = command.invocation?.options.find(({ names }) => names.includes('-P') || names.includes('-j'));
  if (jobs === undefined || jobs.value === null) return false;
  const count = Number(jobs.value);
  return (count === 0 || count > MANY) && hasEndlessInput(command, facts);
}

function readsDevice({ effects }: CommandFact, devices: RegExp): boolean {
  return effects.reads.some(({ path }) => path !== null && devices.test(path));
}

function isEndless(command: CommandFact): boolean {
  if (command.name === 'yes') return true;
  if (command.name === null || !PASSES_ON.has(command.name)) return false;
  return readsDevice(command, ENDLESS_DEVICE) && !command.argv.some((word) => word?.startsWith('count='));
}

const endless = new WeakMap<Facts, boolean>();

/** Hardly any text has such a source: the rest is not looked through again and again. */
function hasEndlessSource(facts: Facts): boolean {
  const answer = endless.get(facts) ?? facts.commands.some(isEndless);
  endless.set(facts, answer);
  return answer;
}

/** What comes through the pipe to it never ends: the commands before it only pass on. */
function hasEndlessInput(command: CommandFact, facts: Facts): boolean {
  if (command.pipeline === null || !hasEndlessSource(facts)) return false;
  const { commands } = facts;
  const before = commands.slice(0, commands.indexOf(command)).filter(({ pipeline }) => pipeline === command.pipeline);
  const first = before.findLastIndex(isEndless);
  return first >= 0 && before.slice(first + 1).every(({ name }) => name !== null && PASSES_ON.has(name));
}

function fillsMemory(command: CommandFact, facts: Facts): boolean {
  const { name, via, elsewhere } = command;
  if (name === null || elsewhere !== null) return false;
  if (HOLDS_ALL.has(name)) return readsDevice(command, ENDLESS_DEVICE) || hasEndlessInput(command, facts);
  if (HOLDS_LINE.has(name) && readsDevice(command, ZEROS)) return true;
  // The shell itself keeps what a substitution prints.
  if (via.at(-1) !== '$( )' || !(isEndless(command) || (PASSES_ON.has(name) && hasEndlessInput(command, facts))))
    return false;
  const isLast = (other: CommandFact) => command.pipeline === null || other.pipeline !== command.pipeline;
  return facts.commands.slice(facts.commands.indexOf(command) + 1).every(isLast);
}
