// What can be completed → a script for fish.

import type { Node, Value } from './words.ts';

export function fishScript(nodes: readonly Node[]): string {
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = nodes.flatMap(({ path, verbs, flags, words }) => {
    const start = `complete -c hardshell -n ${quoted(`__hardshell_at ${quoted(path)}`)}`;
    return [
      ...verbs.map(({ name, summary }) => `${start} -f -a ${quoted(name)} -d ${quoted(summary)}`),
      ...words.map((word) => `${start} -f -a ${quoted(word)}`),
      ...flags.map(({ name, summary, value }) => `${start} ${spelling(name)}${wanted(value)} -d ${quoted(summary)}`),
    ];
  });
  return `# Completion of hardshell for fish. Made by: hardshell completions fish
function __hardshell_at
  set -l at ''
  set -l known ${steps.join(' ')}
  for word in (commandline -opc)[2..-1]
    set -l step (string trim -- "$at $word")
    contains -- "$step" $known; and set at "$step"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function spelling(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function wanted(value: Value | null): string {
  if (value === null) return '';
  if (value === 'folder') return " -x -a '(__fish_complete_directories)'";
  if (value === 'file') return ' -r -F';
  return value === 'any' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
