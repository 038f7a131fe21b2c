// Shell builtins. Their effects on the shell are in `analyze/builtins/`; here are their effects outside.

import type { CommandFamily, CommandSpec } from './spec.ts';

function shellOnly(summary: string, readOnly: readonly string[]): CommandSpec {
  return {
    summary,
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    shellOnly: true,
    examples: { readOnly, notReadOnly: [] },
  };
}

export const builtins: CommandFamily = {
  ':': shellOnly('do nothing', [': x']),
  cd: shellOnly('change the folder', ['cd src']),
  pushd: shellOnly('change the folder and remember it', ['pushd src']),
  popd: shellOnly('go back to a folder', ['popd']),
  dirs: shellOnly('list remembered folders', ['dirs -v']),
  declare: shellOnly('declare variables', ['declare -i x=5']),
  typeset: 'declare',
  local: shellOnly('declare local variables', ['f() { local x=1; }; f']),
  export: shellOnly('give variables to programs', ['export LANG=C']),
  readonly: shellOnly('protect variables', ['readonly x=1']),
  unset: shellOnly('remove variables', ['unset x']),
  read: shellOnly('read a line into variables', ['read -r x']),
  mapfile: shellOnly('read lines into an array', ['mapfile -t lines']),
  readarray: 'mapfile',
  getopts: shellOnly('parse options', ['getopts ab: o']),
  let: shellOnly('calculate', ['let x=1']),
  eval: shellOnly('run its words as shell text', ["eval 'ls'"]),
  source: {
    ...shellOnly('run a file in this shell', []),
    operands: 'file value*',
    examples: { readOnly: [], notReadOnly: ['source x.sh'] },
  },
  '.': 'source',
  trap: shellOnly('run text on a signal', ["trap 'echo x' EXIT"]),
  exec: shellOnly('replace the shell', ['exec ls']),
  command: shellOnly('run a command, not a function', ['command -v node', 'command ls']),
  builtin: shellOnly('run a builtin', ['builtin echo x']),
  break: shellOnly('leave a loop', []),
  continue: shellOnly('next round of a loop', []),
  return: shellOnly('leave a function', []),
  exit: shellOnly('leave the shell', ['exit 1']),
  logout: 'exit',
  set: shellOnly('set shell options and parameters', ['set -e', 'set -- a b']),
  shift: shellOnly('shift parameters', ['shift']),
  shopt: shellOnly('set shell options', ['shopt -s nullglob']),
  alias: shellOnly('define aliases', ['alias']),
  unalias: shellOnly('remove aliases', ['unalias x']),
  enable: shellOnly('switch builtins', []),
  hash: shellOnly('remember where programs are', ['hash -r']),
  wait: shellOnly('wait for processes', ['wait']),
  jobs: shellOnly('list jobs', ['jobs -l']),
  fg: { ...shellOnly('continue a job', []), does: 'change', examples: { readOnly: [], notReadOnly: ['fg %1'] } },
  bg: 'fg',
  disown: 'fg',
  suspend: 'fg',
  times: shellOnly('show times', ['times']),
  ulimit: shellOnly('show or set limits of this shell', ['ulimit -a']),
  umask: shellOnly('show or set the file mask of this shell', ['umask']),
  caller: shellOnly('show the call stack', ['caller']),
  help: shellOnly('show help', ['help cd']),
  compgen: shellOnly('list completions', ['compgen -c']),
  complete: {
    ...shellOnly('define completions', []),
    does: 'unknown',
    examples: { readOnly: [], notReadOnly: ["complete -C 'rm x' y"] },
  },
  compopt: 'complete',
  bind: {
    ...shellOnly('bind keys', []),
    does: 'unknown',
    examples: { readOnly: [], notReadOnly: ['bind -x \'"a": rm x\''] },
  },
  history: {
    ...shellOnly('show or change the history', []),
    // Alone, or with a number, it prints. The shell that runs a command has no history.
    program: 'history',
    examples: {
      readOnly: ['history', 'history 20'],
      notReadOnly: ['history -w f', 'history -c', 'history "$x"', 'history -s x', 'history -p x'],
    },
  },
  fc: {
    ...shellOnly('edit and run the history', []),
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['fc -e vi'] },
  },
};
