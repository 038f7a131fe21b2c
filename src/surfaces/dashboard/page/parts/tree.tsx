// The commands in a command: what runs what, and what each does.

import type { CommandNode } from '../../wire.ts';
import { ShortText } from './command-text.tsx';

export function CommandTree({ commands, parent = null }: { commands: readonly CommandNode[]; parent?: number | null }) {
  const own = commands.flatMap((node, index) => (node.parent === parent ? [{ node, index }] : []));
  if (own.length === 0) return null;
  return (
    <ul class="tree">
      {own.map(({ node, index }) => (
        <li key={index}>
          <ShortText text={wordsOf(node)} /> <span class={`class ${node.class}`}>{node.class}</span>
          {node.summary !== null && <span class="dim"> {node.summary}</span>}
          {node.via.length > 0 && parent === null && <span class="dim"> via {node.via.join(', ')}</span>}
          <CommandTree commands={commands} parent={index} />
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ argv, name }: CommandNode): string {
  const words = argv.map((word) => word ?? '…').join(' ');
  return words === '' ? (name ?? '(redirect)') : words;
}
