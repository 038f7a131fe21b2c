// Rows: text → what is recorded. Secrets in the rows are made up.

import { describe, expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';
import { SHAPES } from './shapes.ts';

const redactor = createRedactor({});

const ROWS: readonly (readonly [given: string, written: string])[] = [
  ['git status', 'git status'],
  ['git clone https://me:hunter2@example.com/x.git', 'git clone https://me:[redacted:url-password]@example.com/x.git'],
  ['git clone https://me:a@b@example.com/x.git', 'git clone https://me:[redacted:url-password]@example.com/x.git'],
  ['git clone https://abcdef0123@example.com/x', 'git clone https://[redacted:url-user]@example.com/x'],
  ['git clone ssh://git@example.com/x', 'git clone ssh://git@example.com/x'],
  ['git clone https://x:$TOKEN@example.com', 'git clone https://x:$TOKEN@example.com'],
  ['psql postgres://u:p%40ss@db/x', 'psql postgres://u:[redacted:url-password]@db/x'],
  ["curl 'https://x.y/a?token=abc123&page=2'", "curl 'https://x.y/a?token=[redacted:value]&page=2'"],
  ['curl https://x.y/a?page=2&api_key=abc', 'curl https://x.y/a?page=2&api_key=[redacted:value]'],
  ['curl -H "Authorization: Bearer abc.def" x', 'curl -H "Authorization: Bearer [redacted:header]" x'],
  ["curl -H 'authorization:Basic dTpw' x", "curl -H 'authorization:Basic [redacted:header]' x"],
  ['curl -H "Authorization: Bearer $TOKEN" x', 'curl -H "Authorization: Bearer $TOKEN" x'],
  ["curl -H 'Cookie: sid=1; b=2' x", "curl -H 'Cookie: [redacted:header]' x"],
  ['curl -H "X-Api-Key: abcdef" x', 'curl -H "X-Api-Key: [redacted:value]" x'],
  ['curl -u me:hunter2 https://x.y', 'curl -u me:[redacted:password] https://x.y'],
  ['curl --user "me:hunter2" https://x.y', 'curl --user "me:[redacted:password]" https://x.y'],
  ['docker run -u 1000:1000 x', 'docker run -u 1000:1000 x'],
  ['mysql -uroot -phunter2 db', 'mysql -uroot -p[redacted:password] db'],
  ['sshpass -p hunter2 ssh h', 'sshpass -p [redacted:password] ssh h'],
  ['mkdir -p build/x', 'mkdir -p build/x'],
  ['GITHUB_TOKEN=abc gh pr list', 'GITHUB_TOKEN=[redacted:value] gh pr list'],
  ["DB_PASSWORD='a b c' ./x", "DB_PASSWORD='[redacted:value]' ./x"],
  ['DB_PASSWORD=a\'b\'"c" ./x', 'DB_PASSWORD=[redacted:value] ./x'],
  ['DB_PASSWORD="unfinished', 'DB_PASSWORD="[redacted:value]"'],
  ['X="TOKEN=abc" y', 'X="TOKEN=[redacted:value]" y'],
  ['export API_KEY="$(pass show x)"', 'export API_KEY="$(pass show x)"'],
  ['TOKEN=$OTHER x', 'TOKEN=$OTHER x'],
  ["PASSWORD='$ecret' x", "PASSWORD='[redacted:value]' x"],
  ['{"client_secret": "abc", "n": 1}', '{"client_secret": "[redacted:value]", "n": 1}'],
  ['echo "{\\"token\\":\\"abc\\"}"', 'echo "{\\"token\\":[redacted:value]}"'],
  ['password: hunter2', 'password: [redacted:value]'],
  ['npm login --password hunter2 --user me', 'npm login --password [redacted:value] --user me'],
  ['x --api-key=abc', 'x --api-key=[redacted:value]'],
  ['x --token --verbose', 'x --token --verbose'],
  ['sort --key=2,2 f', 'sort --key=2,2 f'],
  ['SSH_KEY=~/.ssh/id_rsa x', 'SSH_KEY=~/.ssh/id_rsa x'],
  ['SESSION_KEY=f8A3kq91ZmPw x', 'SESSION_KEY=[redacted:value] x'],
  ['TOKEN_FILE=/run/secret x', 'TOKEN_FILE=/run/secret x'],
  ['x --max-tokens 4096', 'x --max-tokens 4096'],
  ['x --tokenizer=bert', 'x --tokenizer=bert'],
  ['git log --author=me', 'git log --author=me'],
  ['echo TOKEN', 'echo TOKEN'],
  ['a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted:private-key]\nb'],
  ['a -----BEGIN OPENSSH PRIVATE KEY----- b3Bl', 'a [redacted:private-key]'],
  ['-----BEGIN CERTIFICATE-----', '-----BEGIN CERTIFICATE-----'],
  ['git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904', 'git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
];

describe('a secret is replaced by its kind', () => {
  for (const [given, written] of ROWS) test(given, () => expect(redactor.text(given)).toBe(written));

  for (const { kind, examples } of SHAPES)
    for (const example of examples)
      test(`${kind}: ${example.slice(0, 16)}`, () =>
        expect(redactor.text(`run "${example}" now`)).toBe(`run "[redacted:${kind}]" now`));

  test('redacted text is not changed again', () => {
    for (const [, written] of ROWS) expect(redactor.text(written)).toBe(written);
  });
});

test('values of secret variables are found anywhere', () => {
  const { text } = createRedactor({
    MY_TOKEN: 'correct-horse',
    DEPLOY_KEY: 'f8A3kq91ZmPw',
    HOME: '/home/me',
    PAT: '/x',
  });
  expect(text('echo correct-horse, f8A3kq91ZmPw in /home/me')).toBe(
    'echo [redacted:variable MY_TOKEN], [redacted:variable DEPLOY_KEY] in /home/me',
  );
});

test('words: the one after a secret option is a secret', () => {
  expect(redactor.words(['--password', 'hunter2', '-u', 'me:x', '--token=a', '--token', '-v', 'plain'])).toEqual([
    '--password',
    '[redacted:value]',
    '-u',
    'me:[redacted:password]',
    '--token=[redacted:value]',
    '--token',
    '-v',
    'plain',
  ]);
});

describe('no text makes it slow: sixteen times the text costs no more than a small multiple of sixteen times the steps', () => {
  const units = [
    'a',
    '=',
    '"',
    "'",
    '\\',
    'token=',
    'token="',
    "x='",
    '://',
    '://a:',
    '@',
    '-u a',
    'eyJ',
    'sk-',
    'x-',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    'mysql ',
    'mysql -p',
    'authorization:',
    'cookie=',
    '--key ',
    'a.',
    ' ',
    '\n',
  ];
  for (const unit of units)
    test(JSON.stringify(unit), () => {
      // Half a million characters: anything quadratic would take minutes and exceed the timeout of the test.
      const long = unit.repeat(Math.ceil(500_000 / unit.length));
      expect(redactor.text(long).length).toBeGreaterThan(0);
    }, 5000);
});
