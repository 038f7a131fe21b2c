// Functions that start more and more copies of themselves.

import type { CommandFact, Facts } from '../../../../core/facts.ts';
import type { Check } from '../../../check.ts';

export const FORK_BOMB_CHECKS: readonly Check[] = [
  {
    id: 'fork-bomb',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This starts copies of itself endlessly, until the machine stops responding.',
    instead: null,
    inspectWhole(subject) {
      const bomb = findBomb(subject.facts);
      return bomb === null ? null : { span: bomb === 'text' ? null : bomb.span };
    },
    examples: {
      matches: [
        ...[
          ':(){ :|:& };:',
          'bomb() { bomb | bomb & }; bomb',
          'f() { f & }; f',
          'function b { b|b; }; b',
          ':(){:|:&};:',
          'f() { f & f & }; f',
        ],
        ...[
          "bash -c ':(){ :|:& };:'",
          'sudo bash -c "b() { b | b & }; b"',
          'echo x; :() { : | : & }; :',
          'a() { b; }; b() { a & }; a',
          'f() { (f | f) & }; f',
          'for i in 1; do bomb() { bomb | bomb & }; bomb; done',
        ],
        ...[
          'b(){ b|b; }; b | cat',
          'echo x | { b(){ b|b; }; b; }',
          '(b(){ (b) | (b); }; b) | cat',
          "bash -c 'b(){ b|b; }; b' | cat",
          "echo 'b(){ b|b& };b' | bash",
        ],
        ...["perl -e 'fork while fork'", 'f(){\n f|f&\n}\nf', "timeout 5 perl -e 'fork while 1'"],
      ],
      passes: [
        ...[
          'f() { f; }; f',
          'f() { echo x & }; f',
          'sleep 1 & sleep 1 &',
          ':',
          'f() { g | g; }; g() { cat; }; f',
          'f() { ls | wc; }; f | f',
          'true | : | :',
        ],
        ...[
          'fact() { if [ $1 -le 1 ]; then echo 1; else fact $(( $1 - 1 )); fi; }; fact 5',
          'walk() { walk a; walk b; }; walk . | sort',
          "perl -e 'fork'",
          'walk() { ls | wc; walk a; walk b; }; cat x | walk .',
          "echo 'f() { g|h; }; f' | bash",
        ],
      ],
    },
  },
];

/** As it is often quoted: not even valid bash, but never written with good intentions. */
const QUOTED_BOMB = /(:|(?<!\w)\w{1,40})\(\)\{\1\|&?\1&?;?\};?\1/;

function isQuotedBomb(text: string): boolean {
  if (!text.includes('|') || !text.includes('{')) return false;
  return QUOTED_BOMB.test(
    text
      .replace(/\n/g, ';')
      .replace(/\s*([^\w\s])\s*/g, '$1')
      .replace(/(?<=[{};]);+/g, ''),
  );
}

function findBomb(facts: Facts): CommandFact | 'text' | null {
  if (facts.status === 'cannot-tell' && isQuotedBomb(facts.command)) return 'text';
  for (const command of facts.commands) {
    if (
      command.effects.executes.some(
        ({ kind, text }) => kind === 'code' && text !== null && /\bfork\s+while\b/.test(text),
      )
    )
      return command;
  }
  if (!facts.reasons.some(({ id }) => id === 'recursion')) return null;
  const seen = new Map<string, CommandFact>();
  for (const command of facts.commands) {
    if (command.kind !== 'function' || command.parent === null) continue;
    const self = command.via.indexOf(`function ${command.name}`);
    if (self < 0) continue;
    if (command.via.includes('&', self)) return command;
    const parent = facts.commands[command.parent];
    if (command.pipeline === null) continue;
    const key = `${command.parent} ${command.pipeline} ${command.name}`;
    const sibling = seen.get(key);
    // A pipe around the caller does not matter, but a pipe between the two calls does.
    const isOwnPipe = command.pipeline !== parent?.pipeline;
    if (sibling !== undefined && (isOwnPipe || isPipeBetween(facts, sibling, command))) return command;
    seen.set(key, command);
  }
  return null;
}

/** Commands in code inside a word have no span of their own: there the text decides. */
function isPipeBetween({ command: text }: Facts, first: CommandFact, second: CommandFact): boolean {
  if (first.span[0] === second.span[0]) return isQuotedBomb(text.slice(first.span[0], first.span[1]));
  return /^[\s)};]*\|&?[\s({]*$/.test(text.slice(first.span[1], second.span[0]));
}
