// Words → text that looks like one thing and becomes another: escapes, encoded blobs, $IFS, escaped operators.

import type { CommandFact, Facts } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check, Hit } from '../../check.ts';
import { type CodeText, readLayout, textsWith, writtenWord } from './reading/layout.ts';
import { PLAIN } from './reading/text.ts';
import { showText } from './reading/words.ts';

const ANSI_ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|[\s\S])/g;
/** `echo -e` requires a zero before octal digits, `printf` does not. */
const PRINT_ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|0?([0-7]{1,3})|[\s\S])/g;

/** The code points that escapes give as numbers, and where each escape ends. */
function numbersIn(text: string, pattern: RegExp): readonly { readonly code: number; readonly end: number }[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: hex, 2: short, 3: long, 4: octal, index }) => {
    const digits = hex ?? short ?? long;
    if (digits === undefined && octal === undefined) return [];
    const code = digits === undefined ? Number.parseInt(octal as string, 8) : Number.parseInt(digits, 16);
    return [{ code, end: index + whole.length }];
  });
}

/** The printable ASCII characters among them, except quotes and backslashes, which need escapes. */
function spelledBy(text: string, pattern: RegExp): string {
  return numbersIn(text, pattern)
    .filter(({ code }) => code > 0x20 && code < 0x7f)
    .map(({ code }) => String.fromCharCode(code))
    .filter((character) => !`'"\\\``.includes(character))
    .join('');
}

function ansiUnits(facts: Facts): readonly { readonly text: CodeText; readonly start: number; readonly end: number }[] {
  return textsWith(facts, "$'").flatMap((text) =>
    text.units.filter(({ kind }) => kind === 'ansi').map(({ start, end }) => ({ text, start, end })),
  );
}

const ESCAPE_SEQUENCE =
  /(?:\u001b|\\(?:[eE]|0?33|x1[bB]|u001[bB]))(?:(\][^\\\u0007]{0,8}|[PX^_])|\[([0-9;?]{0,32})([A-Za-z@]))/g;

/** Colors are common; writing to the clipboard or querying the terminal is not. */
function sequenceHits(command: CommandFact): Hit[] {
  const hits: Hit[] = [];
  for (const word of command.words.slice(1)) {
    if (word.kind !== 'literal') continue;
    for (const [, string, parameters, final] of word.value.matchAll(ESCAPE_SEQUENCE)) {
      if (string !== undefined && (/^\]52;/.test(string) || !string.startsWith(']'))) {
        const message =
          'The printed text sends a control string to the terminal: it can write to the clipboard or inject input.';
        return [{ span: word.span, message, verdict: 'ask', severity: 'high' }];
      }
      const isColour = final === 'm' && !/(?:^|;)8(?:;|$)/.test(parameters ?? '');
      if (string === undefined && !isColour && hits.length === 0) hits.push({ span: word.span });
    }
  }
  return hits;
}

const ENCODED = /[A-Za-z0-9+/_-]{200,}/;
const DECODES_IN_CODE =
  /b64decode|fromhex|unhexlify|atob\(|decode_base64|unpack\s*\(?['"]m|'base64'|"base64"|'hex'|"hex"/;

export function isDecoder({ name, argv, invocation }: CommandFact): boolean {
  const has = (...names: string[]) =>
    argv.some((word) => word !== null && names.includes(word)) ||
    invocation?.options.some((option) => option.names.some((each) => names.includes(each))) === true;
  if (name === 'base64' || name === 'base32' || name === 'basenc') return has('-d', '-D', '--decode');
  if (name === 'xxd') return has('-r', '-revert');
  if (name === 'openssl') return has('base64', 'enc') && has('-d');
  if (name === 'uudecode') return true;
  return argv.some((word) => word !== null && DECODES_IN_CODE.test(word));
}

const TAKES_OPERATORS = wordSet('find fd fdfind xargs parallel tmux expr test [ [[ watch gfind bfs entr screen let');
const takesOperators = (word: string | null) => TAKES_OPERATORS.has(word?.slice(word.lastIndexOf('/') + 1) ?? '');

const BLOB = 'cm0gLXJmIC8K'.repeat(20);

export const ENCODING_CHECKS: readonly Check[] = [
  {
    id: 'escaped-letters',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: "A $'…' string encodes ordinary characters as numbers, which hides the text.",
    instead: 'Write the characters directly.',
    inspectWhole: ({ facts }) =>
      ansiUnits(facts).flatMap(({ text, start, end }) => {
        const spelled = spelledBy(text.text.slice(start, end), ANSI_ESCAPE);
        const message = `Escapes in a $'…' string hide the text "${showText(spelled, 80)}".`;
        return spelled === '' ? [] : [{ span: text.spanOf(start, end), message }];
      }),
    examples: {
      matches: ["$'\\x72m' x", "cat $'/etc/\\160asswd'", "echo $'\\u0024(id)'", `bash -c "$'\\x6cs'"`],
      passes: [
        "echo $'a\\tb\\n'",
        "grep $'\\x1b' f",
        "echo $'caf\\u00e9 \\u2713'",
        "echo $'it\\'s \\x27'",
        "printf '\\x41'",
      ],
    },
  },
  {
    id: 'escaped-nul',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: "A $'…' string contains a NUL: bash drops the rest of the string, so the word is not what it seems.",
    instead: 'Remove the NUL and the text after it.',
    inspectWhole: ({ facts }) =>
      ansiUnits(facts).flatMap(({ text, start, end }) => {
        const numbers = numbersIn(text.text.slice(start, end), ANSI_ESCAPE);
        return numbers.some((each) => each.code === 0 && start + each.end < end - 1)
          ? [{ span: text.spanOf(start, end) }]
          : [];
      }),
    examples: {
      matches: ["$'rm\\0z' x", "cat $'f\\x00.txt'", "echo $'a\\u0000b'"],
      passes: ["read -r -d $'\\0' x", "echo $'\\012a'", "tr '\\0' '\\n' < f", "echo $'a\\x0ab'"],
    },
  },
  {
    id: 'printed-letters',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'The printed text encodes ordinary characters as numbers, which hides the text.',
    instead: 'Write the characters directly.',
    names: ['printf', 'echo'],
    inspect: (command) =>
      command.words.slice(1).flatMap((word) => {
        const spelled = word.kind === 'literal' && word.value.includes('\\') ? spelledBy(word.value, PRINT_ESCAPE) : '';
        // One escape may be an example in a text; a hidden word needs more.
        return spelled.length < 2
          ? []
          : [{ span: word.span, message: `The printed text encodes "${showText(spelled, 80)}" as numbers.` }];
      }),
    examples: {
      matches: ["printf '\\x72\\x6d x' | sh", "echo -e '\\0162\\0155'", "printf '\\162\\155'"],
      passes: [
        "printf '\\xe2\\x9c\\x93 ok\\n'",
        "printf '\\033[31m%s\\033[0m\\n' x",
        "echo -e 'a\\tb\\x41'",
        "grep '\\x41\\x42' f",
      ],
    },
  },
  {
    id: 'printed-terminal-escape',
    layer: 'confusion',
    severity: 'low',
    verdict: 'allow',
    message:
      'The printed text moves the cursor, clears the screen or hides text, so the screen does not show the real output.',
    instead: 'Print plain text, or use colors only.',
    names: ['printf', 'echo'],
    inspect: sequenceHits,
    examples: {
      matches: ["printf '\\033[2J'", "printf '\\033]52;c;aGk=\\007'", "echo -e '\\e[8mhidden'", "echo $'\\e[1A'"],
      passes: [
        "printf '\\033[1;31mred\\033[0m\\n'",
        "echo -e '\\e[32mok\\e[0m'",
        "printf '\\033]0;title\\007'",
        'echo "[2J"',
      ],
    },
  },
  {
    id: 'ifs-as-blank',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message:
      'The variable IFS is used as a blank: bash splits the word there, but it does not look like several words.',
    instead: 'Write a blank.',
    inspectWhole: ({ facts }) =>
      textsWith(facts, /\$\{?IFS/).flatMap((code) =>
        code.units
          .filter(({ kind, start, end }) => {
            if (
              kind !== 'parameter' ||
              code.states[start] !== PLAIN ||
              !/^\$(?:IFS$|\{IFS\b)/.test(code.text.slice(start, end))
            )
              return false;
            const isKept = /(?:^|[\s;&|({])[A-Za-z_]\w*=$/.test(code.text.slice(Math.max(0, start - 64), start));
            return !(isKept && /^(?:$|[\s;&|)])/.test(code.text.slice(end, end + 1)));
          })
          .map(({ start, end }) => ({ span: code.spanOf(start, end) })),
      ),
    examples: {
      matches: ['rm${IFS}x', 'cat$IFS/etc/passwd', 'ls ${IFS:0:1}x', "bash -c 'cat${IFS}f'", 'x=a${IFS}b'],
      passes: ['OLDIFS=$IFS; ls', 'echo "$IFS" | od -c', "echo '$IFS'", 'while IFS= read -r l; do echo "$l"; done < f'],
    },
  },
  {
    id: 'ifs-changed',
    layer: 'confusion',
    severity: 'low',
    verdict: 'allow',
    message: 'IFS is changed: bash then splits words at characters other than blanks.',
    instead: 'Change it for one command only: `IFS=, read -ra parts <<< "$x"`.',
    inspectWhole({ facts }) {
      const texts = textsWith(facts, 'IFS=');
      if (texts.length === 0) return null;
      const reads = facts.commands.filter(({ name }) => name === 'read' || name === 'mapfile' || name === 'readarray');
      const fine = new Set(reads.flatMap(({ assignments }) => assignments.map(({ span }) => span[0])));
      return texts.flatMap((code) =>
        [...code.text.matchAll(/(?:^|[\s;&|({])IFS=/g)]
          .map(({ 0: match, index }) => index + match.length - 4)
          .filter((start) => code.states[start] === PLAIN && !fine.has(start))
          .map((start) => ({ span: code.spanOf(start, start + 4) })),
      );
    },
    examples: {
      matches: ['IFS=,; echo $x', "IFS=$'\\n'\nfor f in $(ls); do echo $f; done", 'export IFS=x'],
      passes: ['while IFS= read -r l; do echo "$l"; done < f', 'IFS=, read -ra a <<< "$x"', 'echo "IFS=x"', 'MYIFS=1'],
    },
  },
  {
    id: 'very-long-word',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A word of more than 2,000 characters without a blank is not readable for a person.',
    instead: 'Put the data into a file and pass the file.',
    inspect({ words }) {
      const long = words.find((word) => word.kind === 'literal' && word.value.length > 2000 && !/\s/.test(word.value));
      return long === undefined ? null : { span: long.span };
    },
    examples: {
      matches: [`echo ${'a'.repeat(2500)}`],
      passes: [`echo "${'word '.repeat(600)}"`, `echo ${'a'.repeat(1500)}`],
    },
  },
  {
    id: 'encoded-blob',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'More than 200 characters of encoded text are decoded: the content cannot be reviewed.',
    instead: 'Write the text directly, or put it into a file that can be reviewed.',
    inspectWhole({ facts }) {
      if (facts.command.length < 200) return null;
      const decoder = facts.commands.find(isDecoder);
      if (decoder === undefined || !ENCODED.test(facts.command)) return null;
      // Only decoded for display, such as the parts of a token.
      return { span: decoder.span, ...(facts.readOnly ? { verdict: 'allow', severity: 'low' } : {}) };
    },
    examples: {
      matches: [
        `echo ${BLOB} | base64 -d | sh`,
        `echo ${BLOB} | base64 --decode > x`,
        `python3 -c "import base64; exec(base64.b64decode('${BLOB}'))"`,
      ],
      passes: ['echo aGVsbG8= | base64 -d', `echo ${BLOB}`, `echo ${BLOB} | base64`, 'base64 -d f'],
    },
  },
  {
    id: 'escaped-operator',
    layer: 'confusion',
    severity: 'low',
    verdict: 'ask',
    message: 'An escaped operator is an ordinary word: the text after it is not a command, only more words.',
    instead: "Put quotes around it (';'), or remove the backslash if you mean the operator.",
    inspect(command, { facts }) {
      if (!readLayout(facts).hasBackslash) return null;
      const index = command.words.findIndex((word, i) => {
        if (word.kind !== 'literal' || !/^[;&|<>]+$/.test(word.value)) return false;
        return /^(?:\\[;&|<>])+$/.test(writtenWord(command, i, facts) ?? '');
      });
      if (index === -1 || command.argv.some(takesOperators)) return null;
      return { span: command.words[index]?.span ?? null, ...(command.readOnly ? { verdict: 'allow' } : {}) };
    },
    examples: {
      matches: ['rm a \\; ls', 'echo a \\> b', 'cp a b \\&\\& ls'],
      passes: [
        'find . -exec ls {} \\;',
        'grep a\\|b f',
        '[ a \\< b ]',
        'expr 2 \\> 1',
        "echo ';'",
        'sudo find . -exec rm {} \\;',
      ],
    },
  },
];
