// Words → names of commands and options that are spelled so that a reader misses them.
// The facts have the real name, and rules match against it: a name that the parser is sure of only warns.

import type { CommandFact, Facts, Span } from '../../../core/facts.ts';
import type { Check, Hit } from '../../check.ts';
import { writtenWord } from './reading/layout.ts';
import { type Piece, readPieces, showText } from './reading/words.ts';

const NEEDS_NO_QUOTES = /^[\w./:=,@%+-]*$/;

const QUOTED: ReadonlySet<string> = new Set(['single', 'double', 'ansi', 'escape']);
const EXPANDED: ReadonlySet<string> = new Set(['parameter', 'substitution', 'backquote']);

const isNeedless = ({ kind, text }: Piece) => QUOTED.has(kind) && NEEDS_NO_QUOTES.test(text);

/** An unnecessarily quoted piece that touches other letters of the same path component: `r''m`, `/bin/r\m`. */
function hasBrokenQuotes(pieces: readonly Piece[]): boolean {
  return pieces.some((piece, i) => {
    if (!isNeedless(piece)) return false;
    const before = pieces[i - 1];
    const after = pieces[i + 1];
    const touches =
      (before !== undefined && !before.text.endsWith('/') && !piece.text.startsWith('/')) ||
      (after !== undefined && !after.text.startsWith('/') && !piece.text.endsWith('/'));
    return touches && !(piece.kind === 'escape' && i === 0 && pieces.length === 2);
  });
}

/** The pieces after the last slash. */
function lastComponent(pieces: readonly Piece[]): readonly Piece[] {
  const at = pieces.findLastIndex(({ kind, text }) => !EXPANDED.has(kind) && text.includes('/'));
  if (at === -1) return pieces;
  const { kind, text } = pieces[at] as Piece;
  const tail = text.slice(text.lastIndexOf('/') + 1);
  return tail === '' ? pieces.slice(at + 1) : [{ kind, text: tail }, ...pieces.slice(at + 1)];
}

const isExpanding = ({ kind, text }: Piece) => EXPANDED.has(kind) || (kind === 'double' && /[$`]/.test(text));

/** The usual case: nothing in the word is quoted or expanded. */
function isAsWritten(value: string, [start, end]: Span, { command }: Facts): boolean {
  return value.length === end - start && command.startsWith(value, start);
}

const NO_PIECES: readonly Piece[] = [];

function namePieces(command: CommandFact, facts: Facts): readonly Piece[] {
  const [word] = command.words;
  if (word?.kind === 'literal' && isAsWritten(word.value, word.span, facts)) return NO_PIECES;
  const written = writtenWord(command, 0, facts);
  // Words of a brace expansion share one text.
  return written === null || isFromBraces(command) ? [] : readPieces(written, facts);
}

function isFromBraces({ words }: CommandFact): boolean {
  const [first, second] = words;
  return first !== undefined && second !== undefined && first.span[0] === second.span[0];
}

const nameHit = (command: CommandFact, message: string): Hit => ({
  span: command.words[0]?.span ?? null,
  message: showText(message),
});

function optionHits(command: CommandFact, facts: Facts): readonly Hit[] | null {
  let hits: Hit[] | null = null;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i];
    if (word?.kind !== 'literal' || !word.value.startsWith('-') || isAsWritten(word.value, word.span, facts)) continue;
    const written = writtenWord(command, i, facts);
    if (written === null || !/["'\\]/.test(written) || !isHiddenOption(readPieces(written, facts), word.value, command))
      continue;
    const message = `Quotes or backslashes are inside the option ${word.value}: ${written}.`;
    hits = [...(hits ?? []), { span: word.span, message: showText(message) }];
  }
  return hits;
}

function isHiddenOption(pieces: readonly Piece[], value: string, { invocation }: CommandFact): boolean {
  if (pieces.length < 2) return false;
  const equals = value.indexOf('=');
  const nameEnd = value.startsWith('--') && equals !== -1 ? equals : value.length;
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    const isLast = i === pieces.length - 1;
    if (at < nameEnd && isNeedless(piece)) {
      // `-m"text"` gives a value; `-r"f"` is `-rf`.
      const mayBeValue = !value.startsWith('--') && isLast && at >= 2;
      if (!mayBeValue) return true;
      const flags = invocation?.isCertain === true ? invocation.options.flatMap(({ names }) => names) : [];
      if (piece.text !== '' && [...piece.text].every((letter) => flags.includes(`-${letter}`))) return true;
    }
    at += piece.text.length;
  }
  return false;
}

export const NAME_CHECKS: readonly Check[] = [
  {
    id: 'quotes-inside-command',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The name of the command is split by unnecessary quotes or backslashes.',
    instead: 'Write the name without them.',
    inspect(command, { facts }) {
      const pieces = namePieces(command, facts);
      if (!hasBrokenQuotes(pieces)) return null;
      return nameHit(
        command,
        `The quotes or backslashes in ${writtenWord(command, 0, facts)} hide that it runs ${command.argv[0] ?? 'a command'}.`,
      );
    },
    examples: {
      matches: [
        `r''m x`,
        `"r"m x`,
        'r\\m x',
        `/bin/r''m x`,
        `sudo r""m x`,
        `c\\at f`,
        `$'r'm x`,
        `'r''m' x`,
        `\\r\\m x`,
      ],
      passes: [
        'rm x',
        '"rm" x',
        '\\rm x',
        '"$HOME"/bin/x',
        './"my tool"/run',
        '/opt/My\\ App/run',
        `~/"bin"/x`,
        `'./my script.sh' a`,
      ],
    },
  },
  {
    id: 'quoted-command',
    layer: 'confusion',
    severity: 'low',
    verdict: 'allow',
    message: 'The name of the command is quoted, which hides it from tools that match text.',
    instead: 'Write the name without quotes; `command NAME` bypasses aliases and functions.',
    inspect(command, { facts }) {
      const [first, second, third] = namePieces(command, facts);
      if (first === undefined || !isNeedless(first) || third !== undefined) return null;
      const isWhole = second === undefined || first.kind === 'escape';
      return isWhole ? nameHit(command, `The quoted name runs ${command.argv[0] ?? 'a command'}.`) : null;
    },
    examples: {
      matches: ['"rm" x', "'ls'", '\\rm x'],
      passes: ['rm x', '"./my script.sh"', '"$EDITOR" x', `echo "rm"`],
    },
  },
  {
    id: 'blank-in-command',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'The name of the command contains a blank: for bash it is one word, not a command with arguments.',
    instead: 'Remove the quotes or the backslash to separate the words.',
    inspect(command) {
      const name = command.argv[0];
      if (typeof name !== 'string' || name.includes('/') || !/[ \t\n]/.test(name)) return null;
      return nameHit(command, `The name of the command is the one word ${JSON.stringify(name)}, including the blank.`);
    },
    examples: {
      matches: ['rm\\ x y', '"rm -rf" x', "'git status'", 'ls\\\t-l'],
      passes: ['rm x', '"./my script.sh"', '/opt/My\\ App/run', 'cat "a b"'],
    },
  },
  {
    id: 'brace-built-command',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'Braces build the command together with its arguments.',
    instead: 'Write the command and its arguments as separate words.',
    inspect: (command, { facts }) => {
      const written = isFromBraces(command) ? writtenWord(command, 0, facts) : null;
      if (written === null) return null;
      const open = written.indexOf('{');
      const list = open === -1 ? '' : written.slice(open, written.indexOf('}', open));
      if (!list.includes(',') && !list.includes('..')) return null;
      // Commands in a substitution next to braces share the text of the whole word; it does not start with their name.
      if (command.argv[0]?.startsWith(written.slice(0, open)) !== true) return null;
      return nameHit(
        command,
        `The braces in ${written} build the command "${command.argv.map((word) => word ?? '…').join(' ')}".`,
      );
    },
    examples: {
      matches: ['{rm,-rf,/}', '{cat,/etc/passwd}', 'sudo {rm,x}', '/bin/{cat,x}'],
      passes: [
        'echo {a,b}',
        'mkdir -p src/{a,b}',
        '{ ls; }',
        'cp f{,.bak}',
        'ls | parallel wget a{}.html',
        'ls $(npm prefix)/{a,b}',
      ],
    },
  },
  {
    id: 'variable-as-command',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A variable or substitution decides which command runs.',
    instead: 'Write the name of the command directly.',
    inspect(command, { facts }) {
      const all = namePieces(command, facts);
      if (all.length === 0) return null;
      const pieces = lastComponent(all);
      if (pieces.length !== 1 || !pieces.some(isExpanding)) return null;
      const name = command.argv[0];
      if (typeof name !== 'string') return nameHit(command, 'Which command runs is decided only at run time.');
      // The value is known: rules see it as if it were written here.
      return {
        ...nameHit(command, `${writtenWord(command, 0, facts)} runs ${name}.`),
        verdict: 'allow',
        severity: 'low',
      };
    },
    examples: {
      matches: ['X=rm; $X y', '$CMD x', '"$(which node)" a.js', '`echo ls` x'],
      passes: ['rm $X', '$HOME/bin/tool x', '"$HOME"/bin/tool', 'echo "$CMD"'],
    },
  },
  {
    id: 'assembled-command',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The name of the command is assembled from several pieces.',
    instead: 'Write the name of the command as one word.',
    inspect(command, { facts }) {
      const all = namePieces(command, facts);
      if (all.length === 0) return null;
      const pieces = lastComponent(all);
      const count = pieces.reduce(
        (sum, { kind, text }) => sum + (kind === 'double' ? readPieces(text, facts).length : 1),
        0,
      );
      if (count < 2 || !pieces.some(isExpanding)) return null;
      return nameHit(
        command,
        `The name of the command is assembled from ${count} pieces: ${writtenWord(command, 0, facts)}.`,
      );
    },
    examples: {
      matches: ['a=r; b=m; $a$b x', 'r$(echo m) x', 'x=; r${x}m y', '"$a$b" y', 'w`echo get` x'],
      passes: ['rm x', '$HOME/bin/tool', '$CMD x', 'echo $a$b', '"$dir/tool" x'],
    },
  },
  {
    id: 'roundabout-command',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'The path of the command goes into a folder and out again, which hides the program.',
    instead: 'Write the shortest path, or only the name.',
    inspect(command) {
      const path = command.argv[0];
      if (typeof path !== 'string' || !path.includes('..')) return null;
      const parts = path.split('/').filter((part) => part !== '' && part !== '.');
      if (!parts.some((part, i) => part === '..' && i > 0 && parts[i - 1] !== '..')) return null;
      return nameHit(
        command,
        `The path ${path} goes into a folder and out again; it runs ${command.name ?? 'a program'}.`,
      );
    },
    examples: {
      matches: ['/bin/../bin/rm x', '/usr/bin/./../bin/env ls', 'a/../b.sh'],
      passes: ['/bin/rm x', '../scripts/x.sh', '../../x', './x', 'ls a/../b'],
    },
  },
  {
    id: 'quotes-inside-option',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The name of an option contains unnecessary quotes or backslashes.',
    instead: 'Write the option without them; quote only its value.',
    inspect: (command, { facts }) => optionHits(command, facts),
    examples: {
      matches: ['rm -"r"f x', 'git push --"force"', 'rm -r"f" x', "git push --fo''rce", 'rm -\\r x', 'rm "-r"f x'],
      passes: [
        'rm "-rf" x',
        'grep --include="*.ts" x .',
        'git commit -m"message"',
        `awk -F'\\t' '{print $1}' f`,
        'git log --author="Bob" --format="%h"',
        `curl -H"Accept: x" http://a.example`,
        'gcc -I"$DIR" -D"X=1" a.c',
      ],
    },
  },
];
