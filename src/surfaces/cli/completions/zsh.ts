// What can be completed → a function for zsh, to be found on fpath or sourced.

import { quoteWord } from '../../../host/values.ts';
import type { Node, Value } from './words.ts';

export function zshScript(nodes: readonly Node[]): string {
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => `(${quoteWord(path)})`);
  const values = nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, value }) =>
      value === null ? [] : [`    (${quoteWord(`${path}:${name}`)}) ${reply(value)}; return ;;`],
    ),
  );
  const words = nodes.map(({ path, verbs, flags, words }) => {
    const described = [...verbs, ...words.map((name) => ({ name, summary: '' })), ...flags];
    const items = described.map(({ name, summary }) => quoteWord(`${name.replaceAll(':', '\\:')}:${summary}`));
    return `    (${quoteWord(path)}) items=(${items.join(' ')}) ;;`;
  });
  return `#compdef hardshell
# Completion of hardshell for zsh. Made by: hardshell completions zsh
_hardshell() {
  local at='' step i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    step="\${at:+$at }\${words[i]}"
    case "$step" in
      ${steps.map((step) => `${step} at=$step ;;`).join('\n      ')}
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  # Options are offered to who begins one; else they would hide the files that a command is about.
  [[ "$PREFIX" = -* ]] || items=(\${items:#-*})
  _describe -t words hardshell items || _files
}
if [[ "\${funcstack[1]}" = _hardshell ]]; then
  _hardshell "$@"
else
  compdef _hardshell hardshell
fi
`;
}

function reply(value: Value): string {
  if (value === 'folder') return '_files -/';
  if (value === 'file') return '_files';
  return value === 'any' ? '_message value' : `compadd -- ${value.map(quoteWord).join(' ')}`;
}
