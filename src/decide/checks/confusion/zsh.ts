// zsh only: text that is harmless in bash and runs something in zsh. Active only if the shell is zsh.
// The facts parse text as bash does, so this file inspects the text itself, outside quotes.

import type { Facts, Span } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check, Example, Hit } from '../../check.ts';
import { definitionsIn } from './hidden-code.ts';
import { type CodeText, readLayout } from './reading/layout.ts';
import { DOUBLE, LIVE, PLAIN } from './reading/text.ts';

interface ZshCheck extends Pick<Check, 'id' | 'severity' | 'message' | 'instead'> {
  readonly verdict?: Check['verdict'];
  readonly examples: { readonly matches: readonly string[]; readonly passes: readonly string[] };
  readonly find: (facts: Facts) => readonly Hit[];
}

const inZsh = (command: string): Example => ({ command, shell: 'zsh' });

function zshCheck({ find, examples, verdict = 'ask', ...rest }: ZshCheck): Check {
  return {
    ...rest,
    layer: 'confusion',
    verdict,
    inspectWhole: ({ facts }) => (facts.shell === 'zsh' ? find(facts) : null),
    // In bash the same text is not a problem.
    examples: { matches: examples.matches.map(inZsh), passes: [...examples.passes.map(inZsh), ...examples.matches] },
  };
}

/** Matches of a pattern in unquoted text; `states` can include more. */
function findText(facts: Facts, pattern: RegExp, states: readonly number[] = [PLAIN]): Hit[] {
  return readLayout(facts).texts.flatMap((text) =>
    [...text.text.matchAll(pattern)].slice(0, 50).flatMap((match) => {
      const span = groupSpan(match, text, states);
      return span === null ? [] : [{ span }];
    }),
  );
}

function groupSpan(match: RegExpExecArray, code: CodeText, among: readonly number[]): Span | null {
  const shown = match[1] ?? match[0];
  const start = match.index + match[0].indexOf(shown);
  return among.includes(code.states[start] as number) ? code.spanOf(start, start + shown.length) : null;
}

function findCommands(facts: Facts, isMeant: (name: string, argv: readonly (string | null)[]) => boolean): Hit[] {
  return facts.commands
    .filter(({ argv, name }) => name !== null && isMeant(name, argv))
    .map(({ span, name }) => ({
      span,
      message: `The zsh builtin ${name} does more than its name shows.`,
    }));
}

const SYSTEM_BUILTINS = wordSet(
  'sysopen sysread syswrite sysseek syserror zpty ztcp zsocket zselect zcompile zftp zsystem zprof zle zcurses ztie zgdbmpath private',
);
const FILE_BUILTINS = /^zf_(?:chgrp|chmod|chown|ln|mkdir|mv|rm|rmdir|sync)$/;
const HOOKS = wordSet(
  'precmd preexec chpwd periodic zshexit zshaddhistory zsh_directory_name command_not_found_handler TRAPDEBUG TRAPEXIT TRAPZERR TRAPINT',
);

/** A group at the end of a pattern: `*(e:…:)`, `*(+f)`, `*(#qe…)`. Letters before the dangerous one are flags. */
const RUNNING_QUALIFIER =
  /[\w\])}*?/.~-](\((?:#q)?[\w.,/@=*%^:-]{0,40}?(?:e(?=[^\w\s)])|\+[\w]|oe|Oe|o\+|O\+|P(?=[^\w\s)])))/g;

export const ZSH_CHECKS: readonly Check[] = [
  zshCheck({
    id: 'zsh-equals-command',
    severity: 'high',
    message: 'In zsh a word that starts with = becomes the path of a program, which hides the program from rules.',
    instead: 'Write the name of the program.',
    find: (facts) => findText(facts, /(?:^|[\s;&|(])(=[A-Za-z_][\w.-]*)/g),
    examples: {
      matches: ['=ls x', 'cat =curl', 'sudo =rm x'],
      passes: ['ls a=b', 'echo "=ls"', '[ a = b ]', 'x=1; ls', 'echo a == b'],
    },
  }),
  zshCheck({
    id: 'zsh-equals-substitution',
    severity: 'high',
    message: 'In zsh =( ) runs the commands in it and passes a temporary file.',
    instead: 'Run the command first and write its output into a file.',
    find: (facts) => findText(facts, /(?:^|[\s;&|(])(=\()/g),
    examples: { matches: ['cat =(ls)', 'diff =(ls a) =(ls b)'], passes: ['a=(1 2)', 'echo "=(ls)"', "echo '=(x)'"] },
  }),
  zshCheck({
    id: 'zsh-module',
    severity: 'high',
    message: 'In zsh zmodload loads modules that open files and network connections without a program.',
    instead: 'Use ordinary programs: `cat`, `curl`, `rm`.',
    find: (facts) => findCommands(facts, (name) => name === 'zmodload'),
    examples: { matches: ['zmodload zsh/net/tcp', 'zmodload -F zsh/files b:zf_rm'], passes: ['ls', 'echo zmodload'] },
  }),
  zshCheck({
    id: 'zsh-emulate',
    severity: 'high',
    message: 'In zsh emulate changes how all later text is parsed, and emulate -c runs text.',
    instead: 'Run the other shell directly: `sh -c`.',
    find: (facts) => findCommands(facts, (name) => name === 'emulate'),
    examples: { matches: ["emulate sh -c 'id'", 'emulate -R ksh'], passes: ['ls', "sh -c 'ls'"] },
  }),
  zshCheck({
    id: 'zsh-system-builtin',
    severity: 'high',
    message: 'A builtin of a zsh module opens files, terminals or network connections without a program.',
    instead: 'Use ordinary programs and redirects.',
    find: (facts) => findCommands(facts, (name) => SYSTEM_BUILTINS.has(name)),
    examples: {
      matches: [
        'sysopen -w -u 3 f',
        'syswrite x',
        'zpty a sh',
        'ztcp a.example 80',
        'zsocket /x',
        'zcompile f',
        'zselect -t 1',
      ],
      passes: ['ls', 'echo ztcp', 'man zpty'],
    },
  }),
  zshCheck({
    id: 'zsh-file-builtin',
    severity: 'high',
    message:
      'A zf_ builtin of zsh changes or deletes files like the program of that name, but bypasses rules about it.',
    instead: 'Use the program: `rm`, `mv`, `ln`, `chmod`.',
    find: (facts) => findCommands(facts, (name) => FILE_BUILTINS.test(name)),
    examples: {
      matches: ['zf_rm -rf x', 'zf_mv a b', 'zf_ln -s a b', 'zf_chmod 777 x'],
      passes: ['rm x', 'echo zf_rm', 'zf_custom'],
    },
  }),
  zshCheck({
    id: 'zsh-running-glob',
    severity: 'critical',
    message: 'In zsh a qualifier after a pattern, as in *(e:…:) or *(+f), runs code for every file that matches.',
    instead: 'Use `find … -exec`, or a loop.',
    find: (facts) => findText(facts, RUNNING_QUALIFIER),
    examples: {
      matches: ["ls *(e:'id':)", 'ls *(+fn)', "ls *(#qe:'id':)", "echo **/*(.e{'id'})", "ls *(oe:'id':)", 'ls a?(+f)'],
      passes: ['ls *(.)', 'ls *(om[1])', 'ls *(/)', "echo '*(e:x:)'", 'echo "a (+b)"', 'ls *.txt', 'echo $((1+2))'],
    },
  }),
  zshCheck({
    id: 'zsh-glob-flag',
    severity: 'medium',
    message: 'In zsh (#…) inside a pattern changes how it matches, and (#q…) adds qualifiers to it.',
    instead: 'Use a plain pattern, or `find`.',
    find: (facts) => findText(facts, /(\(#[a-zA-Z])/g),
    examples: {
      matches: ['ls (#i)readme*', 'ls *(#q.)', 'rm (#a1)x'],
      passes: ['ls *', "echo '(#i)'", 'echo "(#q)"', 'ls # (#i)'],
    },
  }),
  zshCheck({
    id: 'zsh-running-parameter',
    severity: 'high',
    message: 'In zsh the flags (e) and (%) of a parameter run the substitutions in its value.',
    instead: 'Use the value itself: `"$x"`.',
    find: (facts) => findText(facts, /\$\{\([^()\s]{0,20}?[e%P][^()\s]{0,20}\)/g, [PLAIN, DOUBLE, LIVE]),
    examples: {
      matches: ['echo ${(e)x}', 'echo "${(%)x}"', 'echo ${(%%)x}', 'echo ${(Pe)x}'],
      passes: ['echo ${(U)x}', 'echo ${(j:,:)x}', "echo '${(e)x}'", 'echo ${x}'],
    },
  }),
  zshCheck({
    id: 'zsh-always-block',
    severity: 'medium',
    message: 'In zsh the block after "always" runs even if the block before it fails or exits.',
    instead: 'Put the commands one after the other, or use `trap`.',
    find: (facts) => findText(facts, /\}[ \t]*(always)[ \t\n]*\{/g),
    examples: {
      matches: ['{ ls } always { rm x }', '{ ls; } always {\nid\n}'],
      passes: ['echo always', '{ ls; }', "echo '} always {'"],
    },
  }),
  zshCheck({
    id: 'zsh-global-alias',
    severity: 'high',
    message: 'In zsh alias -g and alias -s change what words mean anywhere on a line.',
    instead: 'Use a function with another name.',
    find: (facts) =>
      facts.commands
        .filter(({ name, argv }) => name === 'alias' && argv.some((word) => word !== null && /^-[a-z]*[gs]/.test(word)))
        .map(({ span }) => ({ span })),
    examples: {
      matches: ["alias -g X='| sh'", 'alias -s txt=sh', "alias -rg X='|sh'"],
      passes: ["alias ll='ls -l'", 'alias', 'alias -L'],
    },
  }),
  zshCheck({
    id: 'zsh-hook-function',
    severity: 'high',
    message: 'In zsh a function of this name, or one in its list, runs automatically, before each command or prompt.',
    instead: 'Call the commands where they are needed.',
    find: (facts) => [
      ...definitionsIn(facts)
        .filter(({ name }) => HOOKS.has(name))
        .map(({ name, span }) => ({ span, message: `In zsh the function ${name} runs automatically.` })),
      ...findText(facts, /(?:^|[\s;&|({])((?:precmd|preexec|chpwd|periodic|zshexit|zshaddhistory)_functions\+?=)/g),
      ...findCommands(facts, (name) => name === 'add-zsh-hook'),
    ],
    examples: {
      matches: [
        'precmd() { id; }',
        'function preexec { id; }',
        'chpwd_functions+=(f)',
        'add-zsh-hook precmd f',
        'zshaddhistory() { id; }',
      ],
      passes: ['build() { make; }', 'echo "precmd() {"', 'ls precmd'],
    },
  }),
  zshCheck({
    id: 'zsh-read-substitution',
    severity: 'low',
    verdict: 'allow',
    message: 'In zsh $(<file) runs the program in READNULLCMD when the file is alone in a command.',
    instead: 'Use `$(cat file)`.',
    find: (facts) => findText(facts, /\$\([ \t]*<(?![<(])/g, [PLAIN, DOUBLE, LIVE]),
    examples: {
      matches: ['echo $(<file)', 'echo "$(< file)"'],
      passes: ['echo $(cat file)', 'cat <(ls)', "echo '$(<f)'", 'echo $((1<2))'],
    },
  }),
];
