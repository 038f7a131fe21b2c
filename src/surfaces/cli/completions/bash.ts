// What can be completed → a script for bash 3.2 and later.

import { quoteWord } from '../../../host/values.ts';
import type { Node, Value } from './words.ts';

export function bashScript(nodes: readonly Node[]): string {
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => quoteWord(path));
  const values = nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, value }) =>
      value === null ? [] : [`    ${quoteWord(`${path}:${name}`)}) ${reply(value)}; return ;;`],
    ),
  );
  const words = nodes.map(({ path, verbs, flags, words }) => {
    const all = [...verbs.map(({ name }) => name), ...words, ...flags.map(({ name }) => name)];
    return `    ${quoteWord(path)}) words=${quoteWord([...new Set(all)].join(' '))} ;;`;
  });
  return `# Completion of hardshell for bash. Made by: hardshell completions bash
_hardshell() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' step i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    step="\${path:+$path }\${COMP_WORDS[i]}"
    case "$step" in
    ${steps.join('|')}) path=$step ;;
    esac
  done
  case "$path:$before" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hardshell hardshell
`;
}

function reply(value: Value): string {
  if (value === 'folder') return 'COMPREPLY=($(compgen -d -- "$current"))';
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$current"))';
  if (value === 'any') return ':';
  return `COMPREPLY=($(compgen -W ${quoteWord(value.join(' '))} -- "$current"))`;
}
