// A path as written → the plain paths it may refer to: `/proc/self/root`, `/proc/self/cwd`, links made by the same command.
// Refuses to guess: paths that only the running process knows (its descriptors, another process' folder) become `null`.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Subject } from '../check.ts';

const PROCESS = /^\/proc\/(self|thread-self|\d+|\*)(?:\/task\/[^/]+)?\/(root|cwd|fd)(\/.*)?$/;
const MAX_LINKS = 50;
const MAX_LAYERS = 8;

/** `null`: its target cannot be determined. */
export function unmask(path: string, cwds: readonly string[] | null): readonly string[] | null {
  let plain = [posix.normalize(path).replace(/(?<=.)\/+$/, '')];
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    let isChanged = false;
    const next: string[] = [];
    for (const one of plain) {
      const match = PROCESS.exec(one);
      if (match === null) next.push(one);
      else {
        const [, whose, what, rest = ''] = match;
        isChanged = true;
        if (what === 'root') next.push(rest === '' ? '/' : rest);
        else if (what === 'fd') {
          // A descriptor alone is an open file of the process; a path below it is in an unknown folder.
          if (!/^(?:\/\d*)?$/.test(rest)) return null;
          next.push('/dev/fd');
        } else if (whose === 'self' && cwds !== null) next.push(...cwds.map((cwd) => posix.join(cwd, rest)));
        else return null;
      }
    }
    plain = next;
    if (!isChanged) return plain;
  }
  return null;
}

interface MadeLink {
  readonly at: string;
  readonly target: string;
}

const linksBySubject = new WeakMap<Subject, readonly MadeLink[]>();

/** `ln -s /etc d && rm -r d/x`: the disk does not know the link yet. */
export function followMadeLinks(path: string, subject: Subject): string | null {
  let links = linksBySubject.get(subject);
  if (links === undefined) {
    links = subject.facts.commands.flatMap(madeLinks).slice(0, MAX_LINKS);
    linksBySubject.set(subject, links);
  }
  for (const { at, target } of links) if (path.startsWith(`${at}/`)) return posix.join(target, path.slice(at.length));
  return null;
}

function madeLinks({ name, elsewhere, effects }: CommandFact): MadeLink[] {
  if (name !== 'ln' || elsewhere !== null) return [];
  const targets = effects.reads.flatMap(({ path }) => (path === null ? [] : [path]));
  const places = effects.writes.flatMap(({ path }) => (path === null ? [] : [path]));
  return places.flatMap((at) => targets.map((target) => ({ at, target })));
}
