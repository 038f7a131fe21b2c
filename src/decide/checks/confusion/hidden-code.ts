// Text → commands inside text that looks like data (here-documents, backquotes in prose), and functions and
// aliases that replace a well-known program.

import type { CommandFact, Facts, ReasonId, Span } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check, Hit } from '../../check.ts';
import { isDecoder } from './encodings.ts';
import { findInTexts } from './layout.ts';
import { textsWith, writtenWord } from './reading/layout.ts';
import { PLAIN } from './reading/text.ts';
import { readPieces } from './reading/words.ts';

function backquotesIn(text: string, [start, end]: Span): Span | null {
  let open = -1;
  for (let i = start; i < end; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '`') {
      if (open !== -1) return [open, i + 1];
      open = i;
    }
  }
  return null;
}

const isWithin = ({ span }: CommandFact, [start, end]: Span) => span[0] >= start && span[1] <= end;

/** Backquotes in prose are mostly meant as Markdown; the severity depends on what they would run. */
function backquoteHit(facts: Facts, place: Span): Hit {
  const inside = facts.commands.filter((command) => isWithin(command, place));
  const isHarmless = inside.length > 0 && inside.every(({ readOnly }) => readOnly);
  return { span: place, ...(isHarmless ? { verdict: 'allow', severity: 'low' } : {}) };
}

/** Programs whose names are not used for functions or aliases by accident. */
const WELL_KNOWN =
  wordSet(`[ alias apt apt-get awk base64 bash brew builtin bun cargo cat cd chgrp chmod chown cmake command cp curl cut date dd
  declare deno df diff dirname docker doas du echo env eval exec exit export false find gh git go grep gunzip gzip head
  hostname id install jq kill kubectl less ln local ls make mkdir mktemp more mv node npm npx openssl passwd perl pip pip3
  pkill pnpm podman printenv printf ps pwd python python3 read readlink realpath return rg rm rmdir rsync ruby scp sed set
  sh shift sort source ssh stat su sudo systemctl tail tar tee terraform tmux touch tr trap true type umask uname uniq
  unset unzip uv wc wget whoami xargs yarn zip zsh`);

export interface Definition {
  readonly name: string;
  readonly span: readonly [number, number];
}

const DEFINITION = /(?:^|[\s;&|({])(?:function[ \t]+([^\s(){}'"$`;&|<>]+)|([^\s(){}'"$`;&|<>]+)[ \t]*\([ \t]*\))/g;

/** `name() …` and `function name …` anywhere in unquoted text, called or not. */
export function definitionsIn(facts: Facts): readonly Definition[] {
  return textsWith(facts, /\([ \t]*\)|function/).flatMap((code) =>
    [...code.text.matchAll(DEFINITION)].flatMap((match) => {
      const name = (match[1] ?? match[2]) as string;
      const start = match.index + match[0].indexOf(name);
      return code.states[start] === PLAIN ? [{ name, span: code.spanOf(start, start + name.length) }] : [];
    }),
  );
}

function reasonCheck(id: string, reason: ReasonId, rest: Pick<Check, 'message' | 'instead' | 'examples'>): Check {
  return {
    ...rest,
    id,
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    inspectWhole({ facts: { reasons } }) {
      if (reasons.length === 0) return null;
      return reasons.filter((each) => each.id === reason).map(({ span }) => ({ span }));
    },
  };
}

const RUNS_TEXT: ReadonlySet<string> = new Set(['eval', 'source', '.', 'bash', 'sh', 'zsh', 'dash', 'ksh']);

export const HIDDEN_CODE_CHECKS: readonly Check[] = [
  {
    id: 'odd-heredoc-delimiter',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The delimiter of a here-document is written in a way that hides which line ends it.',
    instead: "Use one plain word, unquoted or fully quoted: `<<'EOF'`.",
    inspectWhole: ({ facts }) =>
      textsWith(facts, '<<').flatMap((code) =>
        code.heredocs
          .filter(({ delimiter }) => !/^(?:[\w.+!-]+|'[\w.+!-]+'|"[\w.+!-]+"|\\[\w.+!-]+)$/.test(delimiter))
          .map(({ span }) => ({ span: code.spanOf(...span) })),
      ),
    examples: {
      matches: [
        'cat <<E"O"F\nx\nEOF',
        "cat <<'EOF '\nx\nEOF \nid",
        'cat <<$x\na\n$x',
        "cat <<''\na\n\nid",
        'cat <<E\\OF\nx\nEOF',
      ],
      passes: ["cat <<'EOF'\nx\nEOF", 'cat <<-EOF\n\tx\n\tEOF', 'cat <<"END"\nx\nEND', 'cat <<\\EOF\nx\nEOF'],
    },
  },
  {
    id: 'unclosed-heredoc',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A here-document is never closed: bash takes everything to the end as its text.',
    instead: 'Put the delimiter alone on a line, without blanks before or after it.',
    inspectWhole: ({ facts }) =>
      textsWith(facts, '<<').flatMap((code) =>
        code.heredocs.filter(({ isClosed }) => !isClosed).map(({ span }) => ({ span: code.spanOf(...span) })),
      ),
    examples: {
      matches: ['cat <<EOF\nabc', 'cat <<EOF\nabc\n EOF\nrm x'],
      passes: ['cat <<EOF\nabc\nEOF', 'echo $((1<<2))\nls', 'cat <<<EOF\nls'],
    },
  },
  {
    id: 'heredoc-substitution',
    layer: 'confusion',
    severity: 'low',
    verdict: 'allow',
    message: 'The delimiter of this here-document is not quoted, so bash runs the commands in its $( ).',
    instead: "Quote the delimiter (`<<'EOF'`) if the text is meant literally.",
    inspectWhole: ({ facts }) =>
      findInTexts(facts, '<<', ({ text, heredocs }) => {
        for (const { body, isQuoted } of heredocs) {
          const at = isQuoted ? -1 : text.slice(...body).search(/(?<!\\)\$\((?!\()/);
          if (at !== -1) return [body[0] + at, body[0] + at + 2];
        }
        return null;
      }),
    examples: {
      matches: ['cat <<EOF\n$(date)\nEOF'],
      passes: ["cat <<'EOF'\n$(date)\nEOF", 'cat <<EOF\n$HOME \\$(x) $((1+1))\nEOF'],
    },
  },
  {
    id: 'heredoc-backquote',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'Backquotes in a here-document look like Markdown, but bash runs the text between them.',
    instead: "Quote the delimiter: `<<'EOF'`.",
    inspectWhole({ facts }) {
      const { command: text } = facts;
      const [scan] = text.includes('<<') && text.includes('`') ? textsWith(facts, '<<') : [];
      return (scan?.heredocs ?? []).flatMap(({ body, isQuoted }) => {
        const place = isQuoted ? null : backquotesIn(text, body);
        return place === null ? [] : [backquoteHit(facts, place)];
      });
    },
    examples: {
      matches: ['cat > README.md <<EOF\nRun `npm install` first.\nEOF', 'cat <<EOF\n`rm x`\nEOF'],
      passes: ["cat > README.md <<'EOF'\nRun `npm install`.\nEOF", 'cat <<EOF\nRun \\`npm i\\`.\nEOF'],
    },
  },
  {
    id: 'backquote-in-text',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'Backquotes inside double quotes look like Markdown, but bash runs the text between them.',
    instead: 'Use single quotes around the text, or `$( )` if you mean a command.',
    inspectWhole({ facts }) {
      const [scan] = facts.command.includes('`') ? textsWith(facts, '`') : [];
      const marks = scan?.units.filter(
        ({ kind, around, depth }) => kind === 'backquote' && around !== PLAIN && depth > 0,
      );
      return (marks ?? []).slice(0, 20).map(({ start, end }) => backquoteHit(facts, [start, end]));
    },
    examples: {
      matches: [
        'git commit -m "fix `parse` for rm"',
        'gh pr create --title x --body "Use `npm install`"',
        'echo "`rm x` done"',
      ],
      passes: ["git commit -m 'fix `parse`'", 'echo `date`', 'echo "$(date)"', 'git commit -m "a \\`b\\`"'],
    },
  },
  {
    id: 'shadowing-function',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'A function has the name of a well-known program and replaces it from then on.',
    instead: 'Give the function another name.',
    inspectWhole: ({ facts }) =>
      definitionsIn(facts)
        .filter(({ name }) => WELL_KNOWN.has(name))
        .map(({ name, span }) => ({
          span,
          message: `A function has the name ${name}: after that, ${name} is not the program.`,
        })),
    examples: {
      matches: ['ls() { rm x; }; ls', 'function git { id; }', 'cd () ( id )', "bash -c 'ls() { id; }; ls'"],
      passes: ['build() { make; }; build', 'echo "ls() {"', "awk 'function ls() {}' f", 'python3 -c "print()"', '(ls)'],
    },
  },
  {
    id: 'shadowing-alias',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'An alias has the name of a well-known program and replaces it from then on.',
    instead: 'Give the alias another name.',
    names: ['alias'],
    inspect: (command, { facts }) =>
      command.words.slice(1).flatMap((word) => {
        const written = word.kind === 'literal' ? word.value : facts.command.slice(...word.span);
        const name = written.slice(0, Math.max(written.indexOf('='), 0)).replace(/["'\\]/g, '');
        return WELL_KNOWN.has(name) ? [{ span: word.span, message: `An alias has the name ${name}.` }] : [];
      }),
    examples: {
      matches: ["alias ls='rm x'", 'alias -- git=id', 'alias "sudo=id"'],
      passes: ["alias ll='ls -l'", 'alias', 'alias ls'],
    },
  },
  {
    id: 'eval-pieces',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'The builtin eval joins several pieces and runs the result, which does not appear in the text.',
    instead: 'Write the command directly.',
    names: ['eval'],
    inspect(command, { facts }) {
      const pieces = command.words
        .slice(1)
        .flatMap((_, i) => readPieces(writtenWord(command, i + 1, facts) ?? '', facts));
      const inner = pieces.flatMap((piece) => (piece.kind === 'double' ? readPieces(piece.text, facts) : [piece]));
      const isJoined = pieces.length > 1 || inner.length > 1;
      return isJoined && pieces.some(({ kind }) => kind !== 'bare') ? { span: command.span } : null;
    },
    examples: {
      matches: ['eval "r""m x"', 'eval r"m" x', 'eval $a$b', 'eval "$a" "$b"', 'eval "$x rm"'],
      passes: ['eval ls -l', 'eval "$(ssh-agent -s)"', 'eval "ls -l"', `eval 'echo $x'`],
    },
  },
  reasonCheck('running-subscript', 'arithmetic-evaluates', {
    message: 'A value is evaluated as arithmetic, and an array subscript in it may run commands.',
    instead: 'Check that the value is a number first: `[[ $x =~ ^[0-9]+$ ]]`; compare with `[ "$x" -eq 1 ]`.',
    examples: { matches: ['((a[$(id)]))', "[[ -v 'a[$(id)]' ]]"], passes: ['echo $((1 + 2))', "[ 'a[$(id)]' -eq 0 ]"] },
  }),
  reasonCheck('running-prompt', 'prompt-expansion', {
    message: 'A value is expanded like a prompt, which runs the commands in it.',
    instead: 'Use the value itself: `"$x"`.',
    examples: { matches: ['echo ${x@P}'], passes: ['x=a; echo ${x@Q}', 'echo "$x"'] },
  }),
  reasonCheck('indirect-name', 'indirect-expansion', {
    message: 'The name of a variable comes from another variable, and a subscript in it may run commands.',
    instead: 'Name the variable directly, or use an associative array.',
    examples: { matches: ['echo ${!x}'], passes: ['echo ${x}', 'echo "${x[0]}"'] },
  }),
  reasonCheck('subscript-in-name', 'dynamic-name', {
    message: 'The name of a variable to set or read is unknown, or has a subscript, which may run commands.',
    instead: 'Write a plain name.',
    examples: { matches: ["read 'a[$(id)]' <<< x", "unset 'a[$(id)]'"], passes: ['read -r a <<< x', 'unset a'] },
  }),
  reasonCheck('pattern-as-command', 'pattern-command', {
    message: 'The name of the command is a pattern: which program runs depends on the files that exist.',
    instead: 'Write the name of the program.',
    examples: { matches: ['/bin/r? x', '/???/c?t f'], passes: ['ls /bin/r?', 'cat *.txt'] },
  }),
  {
    id: 'decoded-code',
    layer: 'confusion',
    severity: 'critical',
    verdict: 'deny',
    message: 'Decoded text is run as a command: it cannot be reviewed before it runs.',
    instead: 'Decode the text first, review it, and run its commands directly.',
    inspectWhole: ({ facts: { commands } }) =>
      commands.flatMap((decoder) => {
        if (decoder.parent === null || !isDecoder(decoder)) return [];
        const user = commands[decoder.parent];
        const carrier = user?.words.find(({ span }) => isWithin(decoder, span));
        if (user === undefined || carrier?.kind !== 'dynamic') return [];
        const runsIt = RUNS_TEXT.has(user.name ?? '') && user.effects.executes.some(({ text }) => text === null);
        return runsIt || carrier === user.words[0] ? [{ span: user.span }] : [];
      }),
    examples: {
      matches: [
        'eval "$(echo bHMK | base64 -d)"',
        'bash -c "$(base64 -d f)"',
        'source <(xxd -r -p f)',
        '$(echo bHMK | base64 -d) x',
      ],
      passes: [
        'echo "$(echo bHMK | base64 -d)"',
        'x=$(base64 -d f); echo "$x"',
        'eval "$(ssh-agent -s)"',
        'base64 -d f > g',
        'bash -c "base64 -d f"',
        "bash -c 'x=$(base64 -d f); echo $x'",
        'bash run.sh "$(base64 -d f)"',
      ],
    },
  },
];
