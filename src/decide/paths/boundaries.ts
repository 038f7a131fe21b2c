// Path effects against the roots: what a command would delete, write or read outside its folders.
// Ignores commands that run on another system (ssh, docker exec): their paths are not on this one.

import type { CommandFact, PathEffect, Span } from '../../core/facts.ts';
import type { Check, CommandCheck, Hit, Subject } from '../check.ts';
import { hasExplicitRoots, judgePath, type PathUse, type Place, rootsText } from './place.ts';
import { isHarmlessDevice, isPublicPlace } from './tables/public-places.ts';

const EXPLICIT = { roots: ['/home/u/project'] };
const OUTSIDE_LINK = { '/home/u/project/link': { link: '/srv/data' }, '/srv/data/a': '' };

const NO_PLACES: readonly never[] = [];

function placesOf(use: PathUse, command: CommandFact, subject: Subject): readonly Place[] {
  const effects = effectsOf(use, command);
  if (effects.length === 0 || command.elsewhere !== null) return NO_PLACES;
  return effects.map((effect) => judgePath(effect, use, command, subject));
}

function effectsOf(use: PathUse, { effects }: CommandFact): readonly PathEffect[] {
  if (use === 'read') return effects.reads;
  return use === 'write' ? effects.writes : effects.deletes;
}

function hitsFor(places: readonly Place[], describe: (place: Place) => Partial<Hit>, span: Span): readonly Hit[] {
  if (places.length === 0) return NO_PLACES;
  const seen = new Set<string | null>();
  return places.flatMap((place) => {
    if (seen.has(place.path)) return [];
    seen.add(place.path);
    return [{ span, ...describe(place) }];
  });
}

const isDevice = (place: Place) => place.forms.length > 0 && place.forms.every(isHarmlessDevice);

const deleteOutside: CommandCheck = {
  id: 'delete-outside-roots',
  touches: ['deletes'],
  layer: 'paths',
  severity: 'high',
  verdict: 'deny',
  message: 'It would delete or move something outside the allowed folders.',
  instead: 'Delete only inside the allowed folders, or add the folder to `roots` in the settings.',
  examples: {
    matches: [
      'rm ../../etc/passwd',
      'rm /etc/passwd',
      'rm -rf /bin',
      'rm -rf ~/other',
      'sudo rm -r /srv/x',
      'mv ~/notes.txt .',
      'find /srv -name x -delete',
      'rm /proc/self/root/etc/hosts',
      { command: 'cd .. && rm -rf lib', files: { '/home/u/lib/a': '' } },
      { command: 'rm /tmp/x', policy: EXPLICIT },
      { command: 'rm x', policy: { users: { ann: userWith(['/srv/ann']) } }, context: { user: 'ann' } },
    ],
    passes: [
      'rm test.txt',
      'rm ./subdir/file.txt',
      'rm -rf temp_dir/',
      'rm -rf /tmp/build-1/*',
      'mv a b',
      'ssh host rm -rf /srv/x',
      { command: 'rm link', files: OUTSIDE_LINK },
      { command: 'rm /srv/a', policy: { roots: ['/srv'] } },
      { command: 'rm x', cwd: '/w/link', files: { '/w/link': { link: '/real' }, '/real/x': '' } },
    ],
  },
  inspect: (command, subject) =>
    hitsFor(
      placesOf('delete', command, subject).filter(({ where }) => where === 'outside'),
      ({ path }) => ({
        message: `It would delete or move ${path}: this path is outside the allowed folders (${rootsText(subject)}).`,
      }),
      command.span,
    ),
};

const writeOutside: CommandCheck = {
  id: 'write-outside-roots',
  touches: ['writes'],
  layer: 'paths',
  severity: 'medium',
  verdict: 'ask',
  message: 'It would write outside the allowed folders.',
  instead: 'Write inside the project or a temporary folder, or add the folder to `roots` in the settings.',
  examples: {
    matches: ['echo x > ~/notes', 'touch /srv/x', 'cp a /opt/', { command: 'touch /tmp/x', policy: EXPLICIT }],
    passes: [
      'echo x > notes',
      'ls > /dev/null 2>&1',
      'echo x > /tmp/x',
      'echo x >&2',
      'echo x > /dev/fd/2',
      'mkdir -p a/b',
    ],
  },
  inspect: (command, subject) =>
    hitsFor(
      placesOf('write', command, subject).filter((place) => place.where === 'outside' && !isDevice(place)),
      ({ path }) => ({ message: `It would write to ${path}, outside the allowed folders (${rootsText(subject)}).` }),
      command.span,
    ),
};

const readOutside: CommandCheck = {
  id: 'read-outside-roots',
  touches: ['reads'],
  layer: 'paths',
  severity: 'low',
  verdict: 'ask',
  message: 'It would read outside the allowed folders.',
  instead: 'Read inside the project, or add the folder to `roots` in the settings.',
  examples: {
    matches: [
      { command: 'cat /srv/x', policy: { confineReads: true } },
      { command: 'cat ../other/x', policy: EXPLICIT },
      { command: 'ls /usr', policy: EXPLICIT },
      { command: 'cat */../../x', policy: EXPLICIT },
    ],
    passes: [
      'cat /srv/x',
      { command: 'cat /usr/include/stdio.h /etc/os-release', policy: { confineReads: true } },
      { command: 'cat src/a.ts < /dev/null', policy: EXPLICIT },
    ],
  },
  inspect(command, subject) {
    const isExplicit = hasExplicitRoots(subject);
    if (!isExplicit && !subject.policy.confineReads) return null;
    const isPublic = (place: Place) => !isExplicit && place.forms.length > 0 && place.forms.every(isPublicPlace);
    const outside = placesOf('read', command, subject).filter(
      (place) => (place.where === 'outside' || isUntoldPlace(place)) && !isDevice(place) && !isPublic(place),
    );
    return hitsFor(
      outside,
      ({ path }) => ({ message: `It would read ${path}, outside the allowed folders (${rootsText(subject)}).` }),
      command.span,
    );
  },
};

/** The name is known, but only the disk knows where it leads. */
const isUntoldPlace = ({ where, path }: Place) => where === 'unknown' && path !== null;

const unknownPath: CommandCheck = {
  id: 'unknown-path',
  touches: ['reads', 'writes', 'deletes'],
  layer: 'paths',
  severity: 'medium',
  verdict: 'ask',
  message: 'It would change a file whose path is not known before it runs.',
  instead: 'Write the path out instead of a variable or a substitution.',
  examples: {
    matches: [
      'rm -rf "$DIR"',
      'echo x > "$OUT"',
      'cd "$D"; rm x',
      'xargs rm < list',
      'rm */../x',
      { command: 'cat "$X"', policy: { confineReads: true } },
      { command: 'rm loop/x', files: { '/home/u/project/loop': { link: 'loop' } } },
    ],
    passes: ['cat "$X"', 'rm x', 'D=build; rm -rf "$D"'],
  },
  inspect(command, subject) {
    const uses: PathUse[] = subject.policy.confineReads ? ['delete', 'write', 'read'] : ['delete', 'write'];
    for (const use of uses) {
      const place = placesOf(use, command, subject).find(
        ({ where, path }) => where === 'unknown' && (use !== 'read' || path === null),
      );
      if (place === undefined) continue;
      const what = place.path === null ? 'a path that is not known' : `${place.path}, which cannot be resolved,`;
      return {
        span: command.span,
        severity: use === 'read' ? 'low' : 'medium',
        message: `It would ${use} ${what} before it runs.`,
      };
    }
    return null;
  },
};

const symlinkEscapes: CommandCheck = {
  id: 'symlink-escapes',
  touches: ['reads', 'writes', 'deletes'],
  layer: 'paths',
  severity: 'high',
  verdict: 'deny',
  message: 'The path looks like it is inside the allowed folders, but a symbolic link points outside.',
  instead: 'Use the real path, so that it can be checked, or add its folder to `roots` in the settings.',
  examples: {
    matches: [
      { command: 'rm link/a', files: OUTSIDE_LINK },
      { command: 'echo x > link/a', files: OUTSIDE_LINK },
      { command: 'rm -r link/', files: OUTSIDE_LINK },
      { command: 'find link -delete', files: OUTSIDE_LINK },
      { command: 'rm link/../x', files: OUTSIDE_LINK },
      { command: 'rm */a', files: OUTSIDE_LINK },
      { command: 'rm -r */', files: OUTSIDE_LINK },
      { command: 'ln -s /srv d && rm -r d/x' },
      { command: 'cat link/a', files: OUTSIDE_LINK, policy: { confineReads: true } },
    ],
    passes: [
      { command: 'rm link', files: OUTSIDE_LINK },
      { command: 'rm -rf l*', files: OUTSIDE_LINK },
      { command: 'cat link/a', files: OUTSIDE_LINK },
      { command: 'rm near/a', files: { '/home/u/project/near': { link: 'src' }, '/home/u/project/src/a': '' } },
    ],
  },
  inspect(command, subject) {
    const isReadAsked = hasExplicitRoots(subject) || subject.policy.confineReads;
    return (['delete', 'write', 'read'] as const).flatMap((use) => {
      if (use === 'read' && !isReadAsked) return [];
      return hitsFor(
        placesOf(use, command, subject).filter((place) => place.where === 'escapes' && !isDevice(place)),
        ({ path, leadsTo }) => ({
          verdict: use === 'read' ? 'ask' : 'deny',
          severity: use === 'read' ? 'medium' : 'high',
          message: `It would ${use} ${path}, but a symbolic link leads from there to ${leadsTo}, outside the allowed folders.`,
        }),
        command.span,
      );
    });
  },
};

function userWith(roots: readonly string[]) {
  return { allow: [], ask: [], deny: [], roots, limits: {} };
}

export const BOUNDARY_CHECKS: readonly Check[] = [
  deleteOutside,
  writeOutside,
  readOutside,
  unknownPath,
  symlinkEscapes,
];
