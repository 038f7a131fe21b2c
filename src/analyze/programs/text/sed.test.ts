import { describe, expect, test } from 'vitest';
import { analyze } from '../../analyze.ts';

function editsOf(command: string) {
  return analyze(command, { cwd: '/w' }).commands.flatMap((fact) => fact.edits);
}

describe('edits that can be previewed', () => {
  test.each([
    ["sed -i 's/a/b/' f", { script: 's/a/b/', extended: false, backupSuffix: null }],
    ["sed -i.bak 's/a/b/' f", { script: 's/a/b/', extended: false, backupSuffix: '.bak' }],
    ["sed -Ei 's/(a)/b/' f", { script: 's/(a)/b/', extended: true, backupSuffix: null }],
    ['sed --in-place -r -e s/a/b/ -e 1d f', { script: 's/a/b/\n1d', extended: true, backupSuffix: null }],
    ['sed -n -i /x/p f', { script: '#n\n/x/p', extended: false, backupSuffix: null }],
    ['sed --silent -i /x/p f', { script: '#n\n/x/p', extended: false, backupSuffix: null }],
    ['sed -i 3q f', { script: '3q', extended: false, backupSuffix: null }],
    ['sed s/a/b/ f -i', { script: 's/a/b/', extended: false, backupSuffix: null }],
  ])('%s', (command, edit) => {
    expect(editsOf(command)).toEqual([{ file: '/w/f', ...edit }]);
  });

  test('each file has its own', () => {
    expect(editsOf('cd d && sed -i 1d a ../b').map((edit) => edit.file)).toEqual(['/w/d/a', '/w/b']);
  });
});

describe('no edit that could be previewed wrongly', () => {
  test.each([
    "sed 's/a/b/' f",
    "sed -i 's/a/b' f",
    'sed -i "$x" f',
    'sed -i -f s f',
    'sed -iz s/a/b/ -z f',
    'sed -i --null-data s/a/b/ f',
    'sed -i --posix s/a/b/ f',
    'sed -i --follow-symlinks s/a/b/ f',
    'sed -i --debug s/a/b/ f',
    'sed -i 3q f g',
    'sed -i 3q *.c',
    'sed -i s/a/b/ $f',
    "sed -i -e 's/a+/b/' -E f",
    'sed -i s/a/b/ ./*.c',
  ])('%s', (command) => {
    expect(editsOf(command)).toEqual([]);
  });
});
