// The working folders of commands, against the roots: `cd` does not get around them.

import type { CommandFact } from '../../core/facts.ts';
import type { Check, Hit, Subject } from '../check.ts';
import { absolutePath, hasExplicitRoots, isInRoots, resolveLinks, rootsText } from './place.ts';

const EXPLICIT = { roots: ['/home/u/project'] };
const OUTSIDE_LINK = { '/home/u/project/link': { link: '/srv/data' }, '/srv/data/a': '' };

export const cwdOutside: Check = {
  id: 'cwd-outside-roots',
  layer: 'paths',
  severity: 'low',
  verdict: 'ask',
  message: 'It would run in a folder outside the allowed ones.',
  instead: 'Stay inside the allowed folders, or add the folder to `roots` in the settings.',
  examples: {
    matches: [
      { command: 'cd /srv && ls', policy: EXPLICIT },
      { command: 'cd ..', policy: EXPLICIT },
      { command: 'cd', policy: EXPLICIT },
      { command: 'pushd "$X"', policy: EXPLICIT },
      { command: 'env -C / ls', policy: EXPLICIT },
      { command: 'cd link', files: OUTSIDE_LINK, policy: EXPLICIT },
    ],
    passes: ['cd /srv && ls', { command: 'cd src && ls', policy: EXPLICIT }, { command: 'ls', policy: EXPLICIT }],
  },
  inspectWhole(subject) {
    if (!hasExplicitRoots(subject)) return null;
    const hits = new Map<string | null, Hit>();
    for (const command of subject.facts.commands) {
      if (command.elsewhere !== null) continue;
      for (const folder of [...(command.cwd ?? []), ...enteredBy(command, subject)]) {
        const real = folder === null ? null : resolveLinks(folder, subject);
        if (real !== null && isInRoots(real, subject)) continue;
        const what = folder === null ? 'a folder that is not known before it runs' : folder;
        if (!hits.has(folder))
          hits.set(folder, {
            span: command.span,
            message: `It would run in ${what}, outside the allowed folders (${rootsText(subject)}).`,
          });
      }
    }
    return [...hits.values()];
  },
};

/** The target of `cd`; an unknown word is `null`. */
function enteredBy({ name, invocation, cwd }: CommandFact, subject: Subject): readonly (string | null)[] {
  if (name !== 'cd' && name !== 'pushd') return [];
  const operands = invocation?.operands ?? [null];
  if (operands.length === 0) return name === 'cd' ? [subject.context.home] : [];
  const [target] = operands;
  if (target === null || target === undefined || target === '-' || cwd === null) return [null];
  return cwd.map((from) => absolutePath(target, { ...subject.context, cwd: from }));
}
