// A recursive deletion of a path that is known only at run time: an unset variable turns `$X/*` into `/*`.

import type { Check } from '../../../check.ts';

export const UNKNOWN_DELETION_CHECK: Check = {
  id: 'unknown-path-deletion',
  layer: 'safety',
  severity: 'high',
  verdict: 'ask',
  message:
    'The path to delete is not known before it runs: if the variable is empty, it may be `/` or the parent folder.',
  instead: 'Write the path out, or use `"${DIR:?}"/…`, which fails if the variable is not set.',
  inspect(command, { facts }) {
    if (!command.effects.deletes.some(({ path, recursive }) => path === null && recursive)) return null;
    if (command.name === 'git') return null;
    const word = command.words.find(({ kind }) => kind === 'dynamic');
    const text = word === undefined ? '' : facts.command.slice(word.span[0], word.span[1]);
    if (text.includes(':?')) {
      return { span: command.span, severity: 'medium', message: 'The path to delete is not known before it runs.' };
    }
    return { span: command.span };
  },
  examples: {
    matches: [
      ...[
        'rm -rf "$X"/*',
        'rm -rf $DIR/',
        'rm -rf "$DIR"',
        'rm -rf $A$B',
        'sudo rm -rf "$X"',
        'echo / | xargs rm -rf',
        'ls | xargs rm -rf',
      ],
      ...['rm -rf "$(cat list)"', 'find "$D" -delete', 'rm -rf ~bob', 'rm -rf ${X:?}/a', 'mv "$X" /tmp/y'],
      ...[
        'rm -r -- $X',
        'timeout 5 rm --recursive "$X"',
        'while read d; do rm -rf "$d"; done < list',
        'rsync -a --delete a/ "$X"/',
      ],
      ...['find . -print0 | xargs -0 rm -r', 'rm -rf `cat list`'],
    ],
    passes: [
      ...[
        'X=build; rm -rf "$X"/*',
        'rm -rf build',
        'for d in a b; do rm -rf "$d"/build; done',
        'rm "$F"',
        'rm -f "$TMPFILE"',
        'echo $X',
      ],
      ...['rm -rf "$PWD/build"', 'ls "$X"', 'X=a Y=b; rm -rf $X $Y'],
    ],
  },
};
