// The effects of a command, by kind.

import type { CommandNode } from '../../wire.ts';
import { ShortText } from './command-text.tsx';

type Effects = CommandNode['effects'];
const MAX_SHOWN = 12;
type ExecuteKind = Effects['executes'][number]['kind'];
const NAMED: Readonly<Record<ExecuteKind, string>> = {
  shell: 'shell code: ',
  program: '',
  file: 'the script ',
  code: 'code: ',
  hook: 'configured by files: ',
};
const UNNAMED: Readonly<Record<ExecuteKind, string>> = {
  shell: 'unknown shell code',
  program: 'an unknown program',
  file: 'an unknown script',
  code: 'unknown code',
  hook: 'code chosen by files or configuration, such as git hooks or package scripts',
};

function namesOf(effects: Effects): readonly (readonly [string, readonly string[]])[] {
  const path = ({ path: text, recursive }: Effects['reads'][number]): string =>
    `${text ?? 'an unknown file'}${recursive ? ' and all below' : ''}`;
  return [
    ['deletes', effects.deletes.map(path)],
    ['writes', effects.writes.map(path)],
    ['reads', effects.reads.map(path)],
    ['contacts', effects.network.map(({ host, port }) => `${host ?? 'an unknown host'}${port ? `:${port}` : ''}`)],
    ['runs', effects.executes.map(({ kind, text }) => (text === null ? UNNAMED[kind] : `${NAMED[kind]}${text}`))],
    ['changes', effects.changes],
    ['shows secrets of', effects.discloses],
    ['gains', effects.privilege ? ['elevated privileges'] : []],
    ['may do more', effects.unknown],
  ];
}

export function EffectList({ effects }: { effects: Effects }) {
  const kinds = namesOf(effects).filter(([, names]) => names.length > 0);
  if (kinds.length === 0) return <p class="dim">No known effects.</p>;
  return (
    <dl class="effects">
      {kinds.map(([kind, names]) => (
        <div key={kind}>
          <dt>{kind}</dt>
          <dd>
            {names.slice(0, MAX_SHOWN).map((name, index) => (
              <ShortText key={index} text={name} />
            ))}
            {names.length > MAX_SHOWN && <span class="dim"> and {names.length - MAX_SHOWN} more</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
