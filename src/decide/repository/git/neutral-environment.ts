// A setting that runs a program → the settings that disable it, and whether variables reach git.
// Each of them is tested with real git; `diff.external` and `diff.*.command` have no value that means "none".

import type { CommandFact } from '../../../core/facts.ts';
import { keyOf } from './git-keys.ts';
import type { LocatedSetting } from './git-settings.ts';

type Pair = readonly [key: string, value: string];

export function neutralise(setting: LocatedSetting): readonly Pair[] | null {
  const { section, subsection, name } = setting;
  // Such a name cannot be expressed in a variable.
  if (subsection !== null && /[\n\0]/.test(subsection)) return null;
  const key = keyOf(setting);
  if (key === 'core.fsmonitor') return [['core.fsmonitor', 'false']];
  if (key === 'core.splitindex') return [['core.splitIndex', 'false']];
  if (key === 'core.pager') return [['core.pager', 'cat']];
  if (section === 'pager') return [[key, 'false']];
  if (section === 'diff' && subsection !== null && name === 'cachetextconv') return [[key, 'false']];
  if (key === 'diff.submodule') return [['diff.submodule', 'short']];
  if (section === 'diff' && subsection !== null && name === 'textconv') return [[key, 'cat']];
  if (section === 'filter' && subsection !== null)
    return [
      ...['clean', 'smudge', 'process'].map((each): Pair => [`filter.${subsection}.${each}`, '']),
      [`filter.${subsection}.required`, 'false'],
    ];
  return null;
}

const TRANSPARENT = /^(?:\$\( \)|\( \)|<\( \)|timeout|nice|time|command|function [\w-]+)$/;
const KEEPS_VARIABLES = new Set([
  'cd',
  'pushd',
  'popd',
  'pwd',
  'echo',
  'true',
  'false',
  'test',
  '[',
  ':',
  'type',
  'command',
  'wait',
]);

/** `env -i`, `sudo` and other shells may drop the variables that we set. */
export function keepsEnvironment({ via }: CommandFact): boolean {
  return via.every((wrapper) => TRANSPARENT.test(wrapper));
}

/** `unset`, `export -n`, `read`, `exec -c`: a builtin that is not known to keep variables unchanged. */
export function mayChangeVariables({ kind, name, argv }: CommandFact): boolean {
  if (kind !== 'builtin') return false;
  if (name === 'printf') return argv.some((word) => word === null || word.startsWith('-v'));
  return name === null || !KEEPS_VARIABLES.has(name);
}
