import { expect, test } from 'vitest';
import { parse } from '../parse/script.ts';
import { displayCommand } from './display.ts';

// REQ-BASH-011, clause by clause.
test.each([
  ['cd /w && npm test', 'npm test', 'a matching folder is stripped'],
  ['cd /w/ && npm test', 'npm test', 'a trailing slash still matches'],
  ["cd '/w' && npm test", 'npm test', 'quotes still match'],
  ['cd "/w" && npm test', 'npm test', 'double quotes still match'],
  ['cd /other && npm test', 'cd /other && npm test', 'another folder stays'],
  ['cd /w; npm test', 'npm test', 'a semicolon separates as well'],
  ['cd /other; npm test', 'cd /other; npm test', 'another folder stays'],
  ['cd /w || npm test', 'cd /w || npm test', 'nothing before || is stripped'],
  ['cd /w && a || b', 'a || b', 'only the matching cd goes'],
  ['cd /w && a && b; c', 'a && b; c', 'everything after it stays'],
  ['a && cd /w && b', 'a && cd /w && b', 'only a prefix is stripped'],
  ['cd /w', 'cd /w', 'a cd alone is the command'],
  ['cd /w &', 'cd /w &', 'in the background it is not a prefix'],
  ['cd /w >f && a', 'cd /w >f && a', 'a redirect is not boilerplate'],
  ['X=1 cd /w && a', 'X=1 cd /w && a', 'an assignment is not boilerplate'],
  ['cd $PWD && a', 'cd $PWD && a', 'a value that is not literal stays'],
  ['cd -P /w && a', 'cd -P /w && a', 'options stay'],
  ["echo 'cd /w && a'", "echo 'cd /w && a'", 'quoted text is data'],
  ['cd /w && cat <<E\nx\nE', 'cat <<E\nx\nE', 'a here-document stays whole'],
  ['  cd /w  &&   a', 'a', 'blanks go with it'],
])('%s → %s (%s)', (command, display) => {
  expect(displayCommand(command, parse(command).script, '/w')).toBe(display);
});

test('a folder with blanks', () => {
  expect(displayCommand("cd '/a b' && ls", parse("cd '/a b' && ls").script, '/a b')).toBe('ls');
});

test('without a known folder nothing is stripped', () => {
  expect(displayCommand('cd /w && ls', parse('cd /w && ls').script, undefined)).toBe('cd /w && ls');
});
