// Commands that would print a secret without naming it: searches below a folder, `find -exec cat`, `… | xargs cat`,
// `cat $(ls -A)`, archives of a folder. Asked only if such a file is there and its content would be printed: most searches
// are harmless and should not cause questions.

import type { Check } from '../../check.ts';
import { showsNoContent } from '../../paths/listings.ts';
import { findShown, mayShow } from './terms/shown-secrets.ts';

const P = '/home/u/project';
const ENV = { [`${P}/.env`]: 'DB_PASSWORD=hunter2\nAPI_KEY=abc\n' };
/** An index with one entry, `.env`. */
const INDEX = `DIRC\0\0\0\x02\0\0\0\x01${'\0'.repeat(24)}\0\0\x81\xa4${'\0'.repeat(32)}\0\x04.env${'\0'.repeat(6)}${'\0'.repeat(20)}`;
const TRACKED = {
  ...ENV,
  [`${P}/.git/HEAD`]: 'ref: refs/heads/main\n',
  [`${P}/.git/objects/x`]: '',
  [`${P}/.git/refs/x`]: '',
  [`${P}/.git/index`]: INDEX,
};

export const SECRET_SEARCH_CHECKS: readonly Check[] = [
  {
    id: 'secret-search',
    layer: 'threats',
    severity: 'high',
    verdict: 'ask',
    message: 'This prints the content of a file that contains secrets, without naming the file.',
    instead: 'Exclude the file (`--exclude=.env`), or print only the names of files (`-l`).',
    inspect(command, subject) {
      const { context, facts } = subject;
      if (context.probe === null || !mayShow(command, facts) || command.elsewhere !== null || showsNoContent(command))
        return null;
      const file = findShown(command, subject);
      return file === null
        ? null
        : { span: command.span, message: `It would print the content of ${file}.`, confidence: 0.8 };
    },
    examples: {
      matches: [
        { command: 'rg -uu .', files: ENV },
        { command: "rg --hidden ''", files: ENV },
        { command: 'rg -uu -i password', files: ENV },
        { command: 'grep -r API_KEY .', files: ENV },
        { command: 'grep -rn PASSWORD', files: ENV },
        { command: "grep -rE 'KEY|TOKEN' --exclude-dir=node_modules .", files: ENV },
        { command: 'grep -rv zzz .', files: ENV },
        { command: 'grep -r "$X" .', files: ENV },
        { command: 'ls -A | grep env | xargs cat', files: ENV },
        { command: 'ls -a | xargs head -5', files: ENV },
        { command: 'ls -A | grep -e zzz -e env | xargs cat', files: ENV },
        { command: "ls -A | grep -v '[x]env' | xargs cat", files: ENV },
        { command: 'find . -type f | xargs cat', files: ENV },
        { command: "find . -type f | xargs grep -h 'KEY'", files: ENV },
        { command: 'find . -type f -exec cat {} +', files: ENV },
        { command: "find . -name '.*' -type f -exec cat {} +", files: ENV },
        { command: "find . -name '*.ts' -o -type f -exec cat {} +", files: ENV },
        { command: 'cat list | xargs cat', files: ENV },
        { command: 'fd -H -t f | xargs cat', files: ENV },
        { command: 'fd -H -x cat', files: ENV },
        { command: "rg --hidden -g '!.env' -g '.e*' KEY", files: ENV },
        { command: 'ls -A | while read -r f; do cat "$f"; done', files: ENV },
        { command: 'while read -r f; do cat "$f"; done < <(ls -A)', files: ENV },
        { command: 'cat $(ls -A)', files: ENV },
        { command: 'for f in $(find . -type f); do head -1 "$f"; done', files: ENV },
        { command: 'x=$(ls -a); base64 $x', files: ENV },
        { command: 'tar cf - . | base64', files: ENV },
        { command: 'tar c --exclude=src . | xxd', files: { [`${P}/deploy/a/.env`]: 'A=b' } },
        { command: 'diff -rN . /tmp/empty', files: ENV },
        { command: 'diff -r . ../b', files: { ...ENV, '/home/u/b/.env': 'x' } },
        { command: 'git diff --no-index /tmp/empty .', files: ENV },
        { command: 'git ls-files | xargs cat', files: TRACKED },
        { command: 'git ls-files -z | xargs -0 head', files: TRACKED },
        { command: 'for f in $(git ls-files); do cat "$f"; done', files: TRACKED },
        { command: 'git archive HEAD | tar xO', files: TRACKED },
        { command: 'git archive HEAD:', files: TRACKED },
        { command: 'git grep KEY', files: TRACKED },
        { command: 'git log -p', files: TRACKED },
        { command: 'git cat-file --batch --batch-all-objects', files: TRACKED },
        { command: 'rg hunter', files: { [`${P}/secrets.yml`]: 'a: hunter2\n' } },
        { command: 'grep -r mine .', files: { [`${P}/own.txt`]: 'mine\n' }, policy: { secretPaths: ['own.txt'] } },
        {
          command: "find . -name '*.txt' -exec cat {} +",
          files: { [`${P}/own.txt`]: 'mine\n' },
          policy: { secretPaths: ['own.txt'] },
        },
      ],
      passes: [
        'grep -rn TODO .',
        'rg -uu .',
        'ls -A | grep env | xargs cat',
        { command: 'grep -rn TODO .', files: ENV },
        { command: 'grep -rn foo src/', files: ENV },
        { command: 'rg foo', files: ENV },
        { command: 'rg API_KEY', files: ENV },
        { command: "rg -uu 'function .*foo'", files: ENV },
        { command: 'grep -rl API_KEY .', files: ENV },
        { command: 'grep -rc API_KEY .', files: ENV },
        { command: "grep -rn API_KEY --include='*.ts' .", files: ENV },
        { command: 'grep -rn API_KEY --exclude=.env .', files: ENV },
        { command: "rg --hidden -g '*.ts' KEY", files: ENV },
        { command: "rg --hidden -g '!.env' KEY", files: ENV },
        { command: 'rg -l foo | xargs cat', files: ENV },
        { command: 'fd -H -e ts | xargs cat', files: ENV },
        { command: 'rg --hidden -t ts KEY', files: ENV },
        { command: 'rg -H KEY', files: ENV },
        { command: "find . -name '*.ts' | xargs cat", files: ENV },
        { command: "find . -name '*.ts' -not -path './node_modules/*' -exec grep -n KEY {} +", files: ENV },
        { command: "find . \\( -name '*.ts' -o -name '*.js' \\) -exec cat {} +", files: ENV },
        { command: 'find src -type f -exec cat {} +', files: ENV },
        { command: 'find . -type f | xargs wc -l', files: ENV },
        { command: 'find . -type f | xargs grep -l KEY', files: ENV },
        { command: 'git ls-files | xargs cat', files: ENV },
        { command: 'ls | xargs cat', files: ENV },
        { command: 'git grep zzz', files: TRACKED },
        { command: 'git log -p -- src', files: TRACKED },
        { command: 'git log', files: TRACKED },
        { command: 'git grep -l KEY', files: TRACKED },
        { command: 'git archive HEAD src', files: TRACKED },
        { command: 'git archive HEAD', files: ENV },
        { command: "git ls-files '*.ts' | xargs cat", files: TRACKED },
        { command: 'git ls-files | xargs wc -l', files: TRACKED },
        { command: 'tar cf - src | base64', files: ENV },
        { command: 'tar cf - --exclude=.env . | base64', files: ENV },
        { command: 'tar tf a.tar', files: ENV },
        { command: 'diff -r . ../b', files: ENV },
        { command: 'diff -rqN . /tmp/empty', files: ENV },
        { command: 'for f in $(ls src); do cat "src/$f"; done', files: ENV },
        { command: 'n=$(ls -A | wc -l); cat "$X"', files: ENV },
        { command: 'ls -A | grep -v env | xargs cat', files: ENV },
        { command: 'grep -r API_KEY .', files: { [`${P}/.env.example`]: 'API_KEY=\n' } },
        { command: 'grep -r API_KEY .', files: ENV, context: { probe: null } },
      ],
    },
  },
];
