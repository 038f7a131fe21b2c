// The parts of `npm run test:kernels` that need no guest: package lists, the choice of rows, the judgement and the table.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dependenciesOf, writeArchive } from '../../scripts/kernels/initramfs.js';
import { judgeRow } from '../../scripts/kernels/outcome.js';
import { compareVersions, findKernels } from '../../scripts/kernels/package-list.js';
import { chooseRows, ROWS } from '../../scripts/kernels/rows.js';
import { updateTable, writeRow } from '../../scripts/kernels/table.js';

const stanza = (name, version, depends = 'kmod') =>
  `Package: ${name}\nVersion: ${version}\nDepends: ${depends}\nDescription: x\n more\n`;

describe('package lists', () => {
  test('versions are ordered as dpkg orders them', () => {
    const versions = ['6.12.90-1', '6.1.190-1', '7.3~rc7-1~exp1', '7.3-1', '6.12.117-1', '6.12.117-1~bpo12+1'];
    expect(versions.sort(compareVersions)).toEqual([
      '6.1.190-1',
      '6.12.90-1',
      '6.12.117-1~bpo12+1',
      '6.12.117-1',
      '7.3~rc7-1~exp1',
      '7.3-1',
    ]);
  });

  test('the newest kernel of each series is found, without flavours, debug and unsigned packages', () => {
    const lists = {
      bookworm: [
        stanza('linux-image-6.1.0-53-amd64', '6.1.180-1'),
        stanza('linux-image-6.1.0-53-cloud-amd64', '6.1.180-1'),
        stanza('linux-image-6.1.0-53-amd64-unsigned', '6.1.180-1'),
        stanza('linux-image-amd64', '6.1.180-1'),
        stanza('bash', '5.2'),
      ].join('\n'),
      'bookworm-security': [
        stanza('linux-image-6.1.0-54-amd64', '6.1.190-1'),
        stanza('linux-image-6.1.0-54-rt-amd64', '6.1.190-1'),
        stanza('linux-image-6.1.0-54-amd64-dbg', '6.1.190-1'),
      ].join('\n'),
    };
    expect(findKernels(lists)).toEqual([
      {
        series: '6.1',
        release: '6.1.0-54-amd64',
        version: '6.1.190-1',
        suite: 'bookworm-security',
        packages: ['linux-image-6.1.0-54-amd64'],
      },
    ]);
  });

  test('a kernel in several packages counts if all of them are there', () => {
    const image = (release) => stanza(`linux-image-${release}`, '7.2.13-1', `linux-modules-${release} (= 7.2.13-1)`);
    const parts = ['base', 'binary', 'modules'].map((part) => stanza(`linux-${part}-7.2.13+deb14-amd64`, '7.2.13-1'));
    const sid = [image('7.2.13+deb14-amd64'), ...parts, image('7.1.5+deb14-amd64')].join('\n');
    expect(findKernels({ sid }).map(({ series, packages }) => [series, packages])).toEqual([
      ['7.2', ['linux-base-7.2.13+deb14-amd64', 'linux-binary-7.2.13+deb14-amd64', 'linux-modules-7.2.13+deb14-amd64']],
    ]);
  });
});

describe('rows', () => {
  const kernels = ['5.10', '6.12', '7.3'].map((series) => ({ series, release: `${series}-amd64` }));

  test('have names of their own', () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  });

  test('are chosen by name, or by the series of a kernel', () => {
    const chosen = chooseRows(['6.12-root', 'newest', '7.3', '9.9'], kernels);
    expect(chosen.map(({ name, as, kernel }) => [name, as, kernel?.series])).toEqual([
      ['6.12-root', 'root', '6.12'],
      ['newest', 'user', '7.3'],
      ['7.3', 'user', '7.3'],
      ['9.9', 'user', undefined],
    ]);
    expect(chooseRows([], kernels)).toHaveLength(ROWS.length);
  });
});

describe('the judgement of a row', () => {
  const row = { name: 'x', what: '', tier: 'namespaces', missing: [], kernel: { release: '6.12-amd64' } };
  const FEATURES =
    'files (1), renames between folders (2), cutting files (3), TCP ports (4), device controls (5), signals (6)';
  const guarantee = (name, verdict) => ({ guarantee: name, verdict, why: verdict === 'held' ? null : 'why' });
  const doctor = (verdict, tier = 'namespaces', says = FEATURES) => ({
    part: 'doctor',
    diagnosis: {
      tier,
      guarantees: [guarantee('network', verdict), guarantee('protected-absent', 'missing')],
      checks: [{ name: 'landlock', state: 'good', says }],
    },
  });
  const kernel = { part: 'kernel', release: '6.12.1', landlockAbi: 6 };
  const command = (problem) => ({ part: 'command', name: 'echo', problem });
  const attack = (tier, status) => ({
    file: 'a.test.ts',
    group: `as user, by ${tier}`,
    name: 'writes',
    status,
    why: 'it worked',
  });
  const attacks = (...tests) => ({ part: 'attacks', tests });
  const stopped = attacks(attack('namespaces', 'passed'), attack('landlock', 'passed'));
  const problemsOf = (parts, failure = null) => judgeRow(row, parts, failure).problems;

  test('without problems', () => {
    expect(judgeRow(row, [kernel, doctor('held'), command(null), stopped], null)).toEqual({
      name: 'x',
      release: '6.12.1',
      what: '',
      landlockAbi: 6,
      tier: 'namespaces',
      held: 1,
      notProven: [],
      guarantees: 2,
      missing: [],
      commands: { worked: 1, all: 1 },
      attacks: { failed: 0, tried: 2 },
      problems: [],
    });
  });

  const bad = [
    [
      'an attack worked',
      [kernel, doctor('held'), command(null), attacks(attack('namespaces', 'failed'), ...stopped.tests)],
      /it worked/,
    ],
    ['a command failed', [kernel, doctor('held'), command('exit code 1: no'), stopped], /echo: exit code 1/],
    ['a guarantee is broken', [kernel, doctor('broken'), command(null), stopped], /network broken/],
    [
      'a guarantee is missing',
      [kernel, doctor('missing'), command(null), stopped],
      /missing: network; expected: nothing/,
    ],
    ['the tier is another one', [kernel, doctor('held', 'landlock'), command(null), stopped], /the tier is landlock/],
    [
      'the doctor does not know the Landlock of the kernel',
      [{ ...kernel, landlockAbi: 4 }, doctor('held'), command(null), stopped],
      /Landlock 4/,
    ],
    [
      'attacks could not use the tier',
      [kernel, doctor('held'), command(null), attacks(attack('landlock', 'passed'))],
      /could not use namespaces/,
    ],
    [
      'the attacks could not be run',
      [kernel, doctor('held'), command(null), { part: 'attacks', tests: null, said: 'x' }],
      /could not be run/,
    ],
    ['no command was run', [kernel, doctor('held'), stopped], /no command/],
    ['the guest could not be set up', [{ part: 'setup', problem: 'no sysctl' }], /no sysctl/],
  ];
  test.each(bad)('fails if %s', (_, parts, expected) => {
    expect(problemsOf(parts).join('\n')).toMatch(expected);
  });

  test('fails if the guest does not come to its end', () => {
    expect(problemsOf([kernel, doctor('held'), command(null), stopped], 'not done after 1 s')).toEqual([
      'not done after 1 s',
    ]);
  });

  test('without a sandbox every command must be refused', () => {
    const none = { ...row, tier: 'none' };
    const parts = (problem) => [
      { ...kernel, landlockAbi: 0 },
      doctor('missing', 'none', 'not available'),
      command(problem),
    ];
    expect(judgeRow(none, parts('refused: no sandbox'), null).problems).toEqual([]);
    expect(judgeRow(none, parts(null), null).problems).toEqual(['echo was not refused: null']);
  });
});

/** With its marks. */
const TABLE = /<!-- kernels[\s\S]*<!-- .kernels -->/;

describe('the table', () => {
  const outcome = {
    name: '6.12-root',
    release: '6.12.1',
    what: 'as root',
    landlockAbi: 6,
    tier: 'landlock',
    held: 13,
    notProven: ['devices'],
    guarantees: 15,
    missing: ['hidden-names'],
    commands: { worked: 6, all: 6 },
    attacks: { failed: 0, tried: 300 },
    problems: [],
  };
  const line =
    '| 6.12-root | 6.12.1, as root | 6 | landlock | 13 of 15; not proven: devices | `hidden-names` | 6 of 6 work | 300 of 300 stopped | 2026-01-02 |';

  test('has a line for each outcome', () => {
    expect(writeRow(outcome, '2026-01-02')).toBe(line);
    const none = { ...outcome, name: '5.10', what: '', landlockAbi: 0, tier: 'none', attacks: null };
    expect(writeRow(none, '2026-01-02')).toBe(
      '| 5.10 | 6.12.1 | no | none | none | all | refused | not tried | 2026-01-02 |',
    );
  });

  test('is updated line by line in docs/sandbox.md, in the order of the rows, and nothing else is changed', () => {
    const document = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    const names = ROWS.map(({ name }) => name);
    const first = updateTable(document, [line], names);
    expect(first).toContain(line);
    const second = updateTable(first, ['| 6.1 | x |', line.replace('300 of 300', '299 of 300')], names);
    expect(second).toContain('| 6.1 | x |\n');
    expect(second).not.toContain(line);
    expect(second.indexOf('| 6.1 |')).toBeLessThan(second.indexOf('| 6.12-root |'));
    expect(second.replace(TABLE, '')).toBe(document.replace(TABLE, ''));
    expect(() => updateTable('no marks', [line], names)).toThrow('the document has no');
  });
});

describe('the initramfs', () => {
  test('is read by cpio as it was written', () => {
    const archive = writeArchive([
      { name: 'bin', mode: 0o755 },
      { name: 'bin/a', mode: 0o644, content: 'text' },
    ]);
    expect(archive.subarray(0, 6).toString()).toBe('070701');
    expect(archive.length % 4).toBe(0);
    const names = [...archive.toString('latin1').matchAll(/070701[0-9a-f]{104}([^\0]+)\0/g)].map(([, name]) => name);
    expect(names).toEqual(['bin', 'bin/a', 'TRAILER!!!']);
  });

  test('modules name what they depend on', () => {
    expect(dependenciesOf(Buffer.from('\0license=GPL\0depends=9pnet,fs-cache\0name=9p\0'))).toEqual([
      '9pnet',
      'fs_cache',
    ]);
    expect(dependenciesOf(Buffer.from('\0depends=\0'))).toEqual([]);
  });
});
