// Variables that make a program load or run other code.

import type { CommandFact } from '../../../../core/facts.ts';
import type { Check, Hit } from '../../../check.ts';

const ALWAYS_BAD =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|BASH_FUNC_.*)$/;
const DOUBTFUL =
  /^(?:LD_LIBRARY_PATH|LD_DEBUG_OUTPUT|DYLD_.*|ENV|PATH|PS4|IFS|GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND|EXEC_PATH|TEMPLATE_DIR|CONFIG.*|DIR|WORK_TREE)|(?:[A-Z_]*_)?PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|NODE_OPTIONS|NODE_PATH|PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT|WARNINGS)|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|RUSTC(?:_WRAPPER|_WORKSPACE_WRAPPER)?|MAKEFLAGS|TAR_OPTIONS|RSYNC_RSH|CLASSPATH|ZDOTDIR|GCONV_PATH)$/;

export const ENVIRONMENT_CHECKS: readonly Check[] = [
  {
    id: 'injected-library',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This variable loads a library into, or runs a script before, every program that starts.',
    instead: 'Run the program without it; build or test a library with your own program that links it.',
    inspect: (command) => hitsOf(command, (name) => ALWAYS_BAD.test(name)),
    examples: {
      matches: [
        ...[
          'LD_PRELOAD=/x.so ls',
          'env LD_PRELOAD=x ls',
          'export LD_PRELOAD=x',
          'export LD_PRELOAD=x; ls',
          'BASH_ENV=x bash -c ls',
          'LD_AUDIT=x ls',
          'A=1 LD_PRELOAD=x ls',
        ],
        ...[
          'declare -x LD_PRELOAD=x',
          'sudo LD_PRELOAD=x ls',
          'env -i LD_PRELOAD=x timeout 5 ls',
          "bash -c 'LD_PRELOAD=x ls'",
          'LD_PRELOAD=$X ls',
          'env A=b SHELLOPTS=xtrace bash -c ls',
        ],
        ...[
          'DYLD_INSERT_LIBRARIES=x ls',
          'export -- BASH_ENV=x',
          'typeset -x BASH_ENV=x',
          'ls | LD_PRELOAD=x grep a',
          'xargs env LD_PRELOAD=x ls',
          "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls",
        ],
      ],
      passes: [
        'NODE_ENV=test npm test',
        'echo LD_PRELOAD=x',
        'LANG=C sort a',
        'export A=b',
        'env | grep LD_PRELOAD',
        'unset LD_PRELOAD',
        'printenv BASH_ENV',
        'env A=b ls',
      ],
    },
  },
  {
    id: 'executing-variable',
    layer: 'safety',
    severity: 'medium',
    verdict: 'ask',
    message: 'This variable decides which programs or settings are used, so more may run than the command shows.',
    instead: null,
    inspect: (command) => hitsOf(command, (name, value) => DOUBTFUL.test(name) && !isHarmless(name, value, command)),
    examples: {
      matches: [
        ...[
          'PATH=/x:$PATH ls',
          'export PATH="$HOME/bin:$PATH"',
          'PAGER=./x git log',
          'GIT_EXTERNAL_DIFF=./x git diff',
          "GIT_SSH_COMMAND='ssh -i k' git fetch",
          'LESSOPEN="|x %s" less a',
        ],
        ...[
          'NODE_OPTIONS="--require ./x.js" node a.js',
          'env PYTHONSTARTUP=x python3',
          'PERL5OPT=-Mx perl a',
          'RUBYOPT=-rx ruby a',
          'JAVA_TOOL_OPTIONS=-javaagent:x java A',
          'LD_LIBRARY_PATH=. ./a',
        ],
        ...[
          "PS4='$(id)' bash -xc ls",
          'declare -x PATH=/x',
          'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager git log',
          'export GIT_SSH=x',
          'EDITOR=./x git commit',
          'env -u A PATH=/x ls',
          'ENV=./x sh -i',
        ],
        ...[
          'sudo env PATH=/x ls',
          "bash -c 'PAGER=x git log'",
          'NODE_OPTIONS=$X node a.js',
          'GIT_EDITOR="sh x" git rebase -i',
          'IFS=, ./run.sh',
        ],
      ],
      passes: [
        ...[
          'PAGER=cat git log',
          'GIT_PAGER=cat git diff',
          'NODE_ENV=production node a.js',
          'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
          'GIT_EDITOR=true git rebase --continue',
        ],
        ...[
          'ENV=production npm start',
          'echo $PATH',
          'GIT_TERMINAL_PROMPT=0 git fetch',
          'CI=1 npm test',
          'TZ=UTC date',
          'GIT_AUTHOR_DATE=x git commit -m x',
          'GIT_CONFIG_GLOBAL=/dev/null git status',
        ],
        ...[
          'export NODE_ENV=test',
          'echo "$EDITOR"',
          'X=1; ls',
          'AWS_PAGER="" aws s3 ls',
          'PYTHONUNBUFFERED=1 python3 a.py',
        ],
        ...[
          'IFS= read -r line',
          'IFS=, read -r a b',
          'while IFS= read -r line; do echo "$line"; done < f',
          "IFS=$'\\n' read -rd '' -a lines < f",
          'IFS=$sep mapfile -t x',
        ],
      ],
    },
  },
];

const SETTERS = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);

const GIVES_ENVIRONMENT = new Set(['env', 'sudo', 'doas']);
const NO_HITS: readonly Hit[] = [];

function hitsOf(command: CommandFact, isBad: (name: string, value: string | null) => boolean): readonly Hit[] {
  const { assignments, effects, name: program } = command;
  const isSetter = program !== null && (SETTERS.has(program) || GIVES_ENVIRONMENT.has(program));
  if (assignments.length + effects.executes.length === 0 && !isSetter) return NO_HITS;
  const hits: Hit[] = [];
  for (const { name, value, span } of assignments) if (isBad(name, value)) hits.push({ span });
  if (command.name !== null && SETTERS.has(command.name)) {
    for (const word of command.words.slice(1)) {
      // For an assignment in the words of a builtin, only the name is known.
      const text = word.kind === 'literal' ? word.value : word.kind === 'dynamic' ? word.head : '';
      const [name = '', value = null] = text.split('=', 2);
      if ((word.kind === 'dynamic' || text.includes('=')) && isBad(name, value)) hits.push({ span: word.span });
    }
  }
  if (program !== null && GIVES_ENVIRONMENT.has(program)) {
    for (const word of command.words.slice(1)) {
      const text = word.kind === 'literal' ? word.value : word.kind === 'dynamic' ? word.head : '';
      const at = text.indexOf('=');
      const value = word.kind === 'literal' ? text.slice(at + 1) : null;
      // Values that start with an option or are shell code are checked where they run.
      if (
        at > 0 &&
        ALWAYS_BAD.test(text.slice(0, at).replace(/%%$/, '')) &&
        isBad(text.slice(0, at).replace(/%%$/, ''), value)
      )
        hits.push({ span: word.span });
    }
  }
  // Exported earlier: the program that starts now inherits it.
  if (hits.length === 0) {
    const inherited = command.effects.executes.some(
      ({ kind, text }) => kind === 'hook' && text !== null && ALWAYS_BAD.test(text) && isBad(text, null),
    );
    if (inherited) hits.push({ span: command.span });
  }
  return hits;
}

const HARMLESS_PROGRAMS = new Set([
  '',
  'cat',
  'less',
  'more',
  '/bin/cat',
  '/usr/bin/less',
  'true',
  ':',
  '/bin/true',
  'vi',
  'vim',
  'nano',
]);

const READERS = new Set(['read', 'mapfile', 'readarray']);

function isHarmless(name: string, value: string | null, command: CommandFact): boolean {
  // It applies to this one builtin, and sets where the line is split.
  if (name === 'IFS') return command.kind === 'builtin' && READERS.has(command.name ?? '');
  if (value === null) return name === 'ENV' && !isPosixShell(command);
  if (/PAGER$|EDITOR$|^VISUAL$/.test(name)) return HARMLESS_PROGRAMS.has(value);
  if (name === 'NODE_OPTIONS')
    return /^(?:--(?:max-old-space-size=\d+|no-warnings|no-deprecation|trace-warnings|enable-source-maps|experimental-vm-modules)\s*)+$/.test(
      value,
    );
  if (name === 'GIT_CONFIG_GLOBAL' || name === 'GIT_CONFIG_SYSTEM' || name === 'GIT_CONFIG_NOSYSTEM')
    return value === '/dev/null' || value === '1';
  // Only a POSIX shell reads the file that ENV names; for other programs it is the name of an environment.
  return name === 'ENV' && !isPosixShell(command);
}

const isPosixShell = ({ name }: CommandFact) => name !== null && /^(?:sh|dash|ksh\d*|mksh|ash|busybox)$/.test(name);
