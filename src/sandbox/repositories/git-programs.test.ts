// Commands in settings of git → the files of the project that they run.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSettingsReader, findNamedPrograms } from './git-programs.ts';

const project = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-programs-')));
afterAll(() => rmSync(project, { recursive: true }));
for (const folder of ['.git', 'tools', 'my dir']) mkdirSync(join(project, folder));
for (const file of ['tools/t', 'my dir/t']) writeFileSync(join(project, file), '#!/bin/sh\n');

function namedBy(key: string, value: string) {
  const [section, name] = key.split('.') as [string, string];
  const header = section === 'filter' ? '[filter "f"]' : `[${section}]`;
  const text = value.replace(/[\\"]/g, '\\$&');
  writeFileSync(join(project, '.git/config'), `${header}\n\t${name} = "${text}"\n`);
  const { paths, unclear } = findNamedPrograms(join(project, '.git'), project, project, createSettingsReader());
  return { paths: paths.map((path) => path.slice(project.length + 1)), unclear };
}

test.each([
  'tools/t',
  'FOO=1 tools/t',
  'env A=1 tools/t',
  'exec tools/t',
  'nice -n 5 tools/t',
  'cd tools && ./t',
  'true; tools/t',
  'cat | tools/t',
  'if true; then tools/t; fi',
  '{ tools/t; }',
  '$PWD/tools/t',
  '"${PWD}"/tools/t',
  '"$(git rev-parse --show-toplevel)"/tools/t',
  "sh -c 'tools/t %f'",
  'sh <tools/t',
  'to"ols"/t',
  'python3 --script=tools/t',
])('%s', (value) => {
  for (const key of ['filter.clean', 'core.fsmonitor'])
    expect(namedBy(key, value)).toEqual({ paths: ['tools/t'], unclear: [] });
});

test.each(['"my dir/t"', "'my dir'/t x", 'my\\ dir/t'])('%s, with a blank in its name', (value) => {
  expect(namedBy('filter.clean', value).paths).toContain('my dir/t');
});

test.each(['$TOOLS/t', 'eval "$X"', '$X', '`cat name`', 'true; $X', '/opt/$X/t'])(
  '%s may run anything, and is reported',
  (value) => {
    const { unclear } = namedBy('filter.clean', value);
    expect(unclear).toEqual([`filter.f.clean in ${join(project, '.git/config')}`]);
  },
);

test.each(['git-lfs clean -- %f', 'sed s/a/b/', 'f() { git log "$1"; }; f', 'less -R'])(
  '%s names nothing of the project',
  (value) => {
    expect(namedBy('filter.clean', value)).toEqual({ paths: [], unclear: [] });
  },
);
