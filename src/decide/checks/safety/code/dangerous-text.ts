// Text that will run but that the analysis cannot parse as commands: the worst word sequences are refused anyway.
// It splits the text into words regardless of quoting, so it applies only if it is uncertain what runs.

import type { Facts, ReasonId } from '../../../../core/facts.ts';
import type { Check } from '../../../check.ts';
import { bareWords, type RawWord, rawWords } from '../../../rules/raw-words.ts';
import { isBlockDevice, isSystemTop } from '../terms/places.ts';

/** Reasons that do not mean that text is run: a script is loaded, a name was redefined. */
const NO_TEXT: ReadonlySet<ReasonId> = new Set<ReasonId>([
  'sourced-file',
  'lookup-changed',
  'shell-option',
  'recursion',
  'trap-changes-state',
]);

export const DANGEROUS_TEXT_CHECKS: readonly Check[] = [
  {
    id: 'dangerous-text',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'The text that runs here contains a command that would destroy the system, a home folder or a disk.',
    instead: 'Run the commands directly, one by one, so that each can be reviewed.',
    inspectWhole({ facts }) {
      if (facts.status !== 'cannot-tell' || !SIGNS.test(facts.command)) return null;
      const isText = facts.reasons.some(({ id }) => !NO_TEXT.has(id)) || facts.command.includes('<(');
      const word = isText ? findDestruction(facts) : null;
      return word === null ? null : { span: word.span };
    },
    examples: {
      matches: [
        ...[
          "echo 'rm -rf /' | bash",
          "cat <<'EOF' | sh\nrm -rf ~\nEOF",
          "printf 'rm -rf /\\n' | sh",
          'x=\'rm -rf /\'; bash -c "$x$y"',
          'echo "rm -rf \\$HOME" | bash',
          'echo "sudo rm -fr /*" | sh',
        ],
        ...[
          "echo 'ls; /bin/rm -r --force /etc' | bash",
          "echo 'rm -rf --no-preserve-root /' | ssh h bash",
          "printf 'mkfs.ext4 /dev/sda1' | sh",
          "echo 'dd if=/dev/zero of=/dev/sda' | sh",
          "echo 'cat x > /dev/sda' | sh",
          "$SHELL -c 'rm -rf ~/'",
        ],
        ...[
          "shopt -s expand_aliases\nalias x='rm -rf /'\nx",
          'source <(echo rm -rf /)',
          "printf 'rm\\x20-rf\\x20/' | sh",
          "echo 'rm -rf ${HOME}/*' | zsh",
          "echo 'rm --recursive /usr' | sudo bash",
          "echo 'rm build -rf /' | sh",
        ],
      ],
      passes: [
        ...[
          "grep 'rm -rf /' script.sh",
          "echo 'never run rm -rf /'",
          "echo 'rm -rf build' | bash",
          "echo 'rm -f /tmp/x' | sh",
          'cat a.sh | bash',
        ],
        ...[
          "echo 'rm -rf dist; ls /' | sh",
          "echo 'rm -rf ./a' | sh; cd /",
          "source a.sh; grep 'rm -rf /' b",
          "echo 'dd if=a of=b' | sh",
          "echo 'rm -rf ~/.cache/x' | sh",
          'eval "$x"',
          "echo 'alarm -r /' | sh",
        ],
      ],
    },
  },
];

const SIGNS = /rm|mkfs|dd|\/dev\/|\\/;
/** Operands are inspected up to this number; a root path after a hundred names is not an accident. */
const MAX_OPERANDS = 100;

function findDestruction(facts: Facts): RawWord | null {
  const text = facts.command;
  for (const words of [rawWords(text), bareWords(text)]) {
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as RawWord;
      if (isBlockDevice(word.text) && isWrittenTo(text, word)) return word;
      if (isDestruction(nameOf(word.text), restOf(words, i, text))) return word;
    }
  }
  return null;
}

/** `/bin/rm`, `x=rm` and `$(rm` are all `rm`. */
const nameOf = (word: string) =>
  word.length > 300 ? '' : word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('=')) + 1);

const isWrittenTo = (text: string, { span }: RawWord) =>
  /[>=]\s*["']?$/.test(text.slice(Math.max(0, span[0] - 5), span[0]));

/** The words after one of them, up to the end of the command. */
function restOf(words: readonly RawWord[], at: number, text: string): readonly string[] {
  const first = nameOf((words[at] as RawWord).text);
  if (first !== 'rm' && first !== 'dd' && !first.startsWith('mkfs')) return [];
  const rest: string[] = [];
  for (let i = at + 1; i < words.length && rest.length < MAX_OPERANDS; i++) {
    const [start, end] = (words[i] as RawWord).span;
    const before = (words[i - 1] as RawWord).span[1];
    if (/[;&|\n]/.test(text.slice(before, start))) break;
    rest.push((words[i] as RawWord).text);
    // `printf 'rm -rf /\n'`: the program that prints the text may turn `\n` into the end of the command.
    const written = text.slice(start, Math.min(end, start + 300));
    const code = written.search(/\\[nrt0]/);
    if (code > 0) rest.push(written.slice(0, code).replace(/["']/g, ''));
  }
  return rest;
}

/** `rm -rf /` and similar, as a program and its words. */
export function isDestruction(name: string, rest: readonly string[]): boolean {
  if (name === 'dd') return rest.some((word) => word.startsWith('of=') && isBlockDevice(word.slice(3)));
  if (name.startsWith('mkfs')) return rest.some((word) => word.startsWith('/dev/'));
  if (name !== 'rm') return false;
  const isRecursive = rest.some((word) => /^-[a-zA-Z]*[rR]|^--r/.test(word));
  return isRecursive && rest.some((word) => word === '--no-preserve-root' || isWholeTree(word));
}

export function isWholeTree(word: string): boolean {
  const path = word.replace(/(?:\/|\/\.?\*|\/\.)$/, '');
  if (path === '' || path === '~' || path === '$HOME' || path === '${HOME}') return true;
  return isSystemTop(path) || /^\/(?:home|Users)\/[\w.-]+$|^\/root$/.test(path);
}

/** The commands in a text for a shell, each as its words. */
export function wordsOfText(text: string): readonly (readonly string[])[] {
  return text.split(/[;&|\n]+/).map((part) => {
    const words = rawWords(part).map((word) => word.text);
    const start = words.findIndex((word) => word !== 'sudo' && !word.startsWith('-'));
    return [nameOf(words[start] ?? ''), ...words.slice(start + 1)];
  });
}
