// A profile that is named in a request holds in its terms: time, view, limits, restrictions; with the configuration objects
// of the settings and of the caller.

import { describe, expect, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { PROFILES } from '../../src/core/profile-names.ts';
import type { RunOptions } from '../../src/core/running.ts';
import type { Terms } from '../../src/terms/terms.ts';
import { type Asked, type Layer, resolveTerms, WORK } from './resolving.ts';

const layered = (config: object): Settings => ({ profiles: { layered: config } });
const proposal = (config: object): Settings => ({ profiles: { 'proposal-0028': config } });
const TRUST = { trustedFolders: [`/${WORK}`] };

test.each([
  ['req', 30_000, 900_000, 'req', undefined],
  ['claude-code', 120_000, 600_000, 'claude-code', undefined],
  ['proposal-0028', 120_000, 600_000, 'proposal-0028', 30_000],
  ['mcp-guide', 300_000, 3_600_000, 'proposal-0028', undefined],
  ['layered', 30_000, 2 ** 31 - 1, 'req', undefined],
] as const)('%s: its timeouts and its view', (profile, usual, most, view, viewCharacters) => {
  expect(PROFILES).toContain(profile);
  const timeout = (more: Asked = {}) => resolveTerms({}, { profile, ...more }).time.timeoutMs;
  expect([timeout(), timeout({ timeout: 1000 }), timeout({ timeout: 2 ** 31 - 1 })]).toEqual([usual, 1000, most]);
  expect(resolveTerms({}, { profile }).output).toMatchObject({ view, viewCharacters });
  // A tool that was made with other numbers is not wider than the document.
  expect(resolveTerms({}, { profile, timeout: 2 ** 31 - 1 }, { maxTimeout: 5000 }).time.timeoutMs).toBe(5000);
  expect(resolveTerms({}, { profile }, { timeout: 7000 }).time.timeoutMs).toBe(7000);
  expect(resolveTerms({}, { profile, view: 'claude-code' }).output.view).toBe('claude-code');
});

test('layered: the limits of its configuration', () => {
  const limits = { outputBytes: 10 << 20, memoryBytes: 1 << 30, cpuPercent: 80, processes: 10, openFiles: 1000 };
  expect(resolveTerms({}, { profile: 'layered' }).limits).toEqual(limits);
  expect(resolveTerms({}, { profile: 'layered', limits: { processes: 3, openFiles: 5000 } }).limits).toEqual({
    ...limits,
    processes: 3,
  });
});

test('proposal-0028: its blocked commands are those of the tool', () => {
  const { commands } = resolveTerms({}, { profile: 'proposal-0028' }).policy.blacklist;
  expect(commands).toEqual(expect.arrayContaining(['rm -rf /', 'mkfs', 'dd if=/dev/zero', ':(){:|:&};:']));
  expect(resolveTerms({}).policy.blacklist.commands).not.toContain('dd if=/dev/zero');
});

interface Row {
  readonly key: string;
  readonly settings: Settings;
  readonly profile: NonNullable<RunOptions['profile']>;
  readonly read: (terms: Terms) => unknown;
  readonly shown: unknown;
}

const L = 'layered' as const;
const P = 'proposal-0028' as const;
const ROWS: readonly Row[] = [
  row(L, 'enableSandbox', false, ({ sandbox }) => sandbox.isLeaving, true),
  row(L, 'commandWhitelist', ['ls'], ({ policy }) => policy.allowedCommands, ['ls']),
  row(L, 'allowedPaths', ['sub'], ({ policy }) => policy.roots, [`${WORK}/sub`]),
  row(L, 'securityLevel', 'high', ({ policy }) => policy.requireConfirmation, true),
  row(L, 'defaultTimeout', 5, ({ time }) => time.timeoutMs, 5),
  row(L, 'maxOutputSize', 6, ({ limits }) => limits.outputBytes, 6),
  row(L, 'maxMemoryUsage', 7, ({ limits }) => limits.memoryBytes, 7),
  row(L, 'maxCpuUsage', 8, ({ limits }) => limits.cpuPercent, 8),
  row(L, 'maxProcesses', 9, ({ limits }) => limits.processes, 9),
  row(L, 'maxFileDescriptors', 10, ({ limits }) => limits.openFiles, 10),
  row(L, 'preserveEnvironment', true, ({ environment }) => environment.preserve, true),
  row(L, 'defaultShell', '/bin/zsh', ({ shell }) => shell, 'zsh'),
  row(P, 'defaultTimeout', 5, ({ time }) => time.timeoutMs, 5),
  row(P, 'maxTimeout', 6, ({ time }) => time.timeoutMs, 6),
  row(P, 'maxOutputSize', 7, ({ output }) => output.viewCharacters, 7),
  row(P, 'blockedCommands', ['x y'], ({ policy }) => policy.blacklist.commands.includes('x y'), true),
  row(P, 'requireDescription', true, ({ requiresDescription }) => requiresDescription, true),
];

function row(profile: Row['profile'], key: string, value: unknown, read: Row['read'], shown: unknown): Row {
  return { profile, key, settings: { profiles: { [profile]: { [key]: value } } }, read, shown };
}

describe.each(ROWS.map((each) => [`${each.profile} ${each.key}`, each] as const))('%s', (_, each) => {
  const { settings, profile, read, shown } = each;

  test.each(['managed', 'flags', 'user'] as const)('in the %s settings', (layer: Layer) => {
    expect(read(resolveTerms({ [layer]: settings }, { profile }))).toEqual(shown);
  });

  test('in the options', () => {
    const profiles = settings.profiles as NonNullable<RunOptions['profiles']>;
    expect(read(resolveTerms({}, { profile, profiles }))).toEqual(shown);
  });

  test('for another profile, or for none, it says nothing', () => {
    const none = read(resolveTerms({}));
    expect(none).not.toEqual(shown);
    expect(read(resolveTerms({ managed: settings }))).toEqual(none);
    expect(read(resolveTerms({ managed: settings }, { profile: 'req' }))).not.toEqual(shown);
  });

  test('a policy of the caller replaces all files but the managed one', () => {
    expect(read(resolveTerms({ user: settings }, { profile, policy: {} }))).not.toEqual(shown);
    expect(read(resolveTerms({ managed: settings }, { profile, policy: {} }))).toEqual(shown);
  });
});

test('sandboxMode confines where the settings do not, and removes no sandbox', () => {
  const sandbox = (settings: Settings, more: Asked = {}) =>
    resolveTerms({ user: settings }, { profile: 'proposal-0028', ...more }).sandbox.name;
  const on = proposal({ sandboxMode: true });
  expect(sandbox({ sandbox: { name: 'unrestricted' } })).toBe('unrestricted');
  expect(sandbox({ sandbox: { name: 'unrestricted' }, ...on })).toBe('workspace');
  expect(sandbox({ sandbox: { name: 'restricted' }, ...on })).toBe('restricted');
  expect(sandbox(proposal({ sandboxMode: false }))).toBe('workspace');
  expect(sandbox(on, { sandbox: { name: 'unrestricted' } })).toBe('workspace');
});

describe('several sources: the stricter value holds', () => {
  const profile = 'layered';
  const processes = (settings: object, ...profiles: object[]) =>
    resolveTerms({ user: layered(settings) }, { profile, profiles: profiles.map((each) => ({ layered: each })) }).limits
      .processes;

  test('numbers', () => {
    expect(processes({ maxProcesses: 5 }, { maxProcesses: 50 })).toBe(5);
    expect(processes({ maxProcesses: 5 }, { maxProcesses: 3 }, { maxProcesses: 4 })).toBe(3);
    // The document's number is a default, not a source.
    expect(processes({}, { maxProcesses: 50 })).toBe(50);
    expect(processes({ maxProcesses: 50 })).toBe(50);
  });

  test('switches', () => {
    const leaves = (settings: object, given: object) =>
      resolveTerms({ user: layered(settings) }, { profile, profiles: { layered: given } }).sandbox.isLeaving;
    expect(leaves({ enableSandbox: true }, { enableSandbox: false })).toBe(false);
    expect(leaves({ enableSandbox: false }, { enableSandbox: true })).toBe(false);
    expect(leaves({}, { enableSandbox: false })).toBe(true);
  });

  test('whitelists without a common entry allow nothing, whichever source they are from', () => {
    const allowed = (terms: Terms) => terms.policy.allowedCommands;
    const [ls, cat] = [{ commandWhitelist: ['ls', 'pwd'] }, { commandWhitelist: ['cat', 'pwd'] }];
    expect(allowed(resolveTerms({ user: layered(ls) }, { profile, profiles: { layered: cat } }))).toEqual(['pwd']);
    expect(allowed(resolveTerms({ user: layered(ls), project: layered(cat) }, { profile }))).toEqual(['pwd']);
    const other = layered({ commandWhitelist: ['sed'] });
    expect(allowed(resolveTerms({ user: layered(ls), project: other }, { profile }))).toEqual([]);
    const none = { layered: { commandWhitelist: [] } };
    expect(allowed(resolveTerms({ user: layered(ls) }, { profile, profiles: none }))).toEqual(['ls', 'pwd']);
    expect(allowed(resolveTerms({}, { profile, profiles: none }))).toBe(null);
  });

  test('blocked commands: files add, a program may replace those of the document', () => {
    const blocked = (settings: Settings, given?: readonly string[]) => {
      const profiles = given === undefined ? [] : [{ 'proposal-0028': { blockedCommands: given } }];
      const { commands } = resolveTerms({ user: settings }, { profile: 'proposal-0028', profiles }).policy.blacklist;
      return ['mkfs', 'a', 'b'].filter((each) => commands.includes(each));
    };
    expect(blocked({})).toEqual(['mkfs']);
    expect(blocked(proposal({ blockedCommands: ['a'] }))).toEqual(['mkfs', 'a']);
    expect(blocked({}, [])).toEqual([]);
    expect(blocked(proposal({ blockedCommands: ['a'] }), ['b'])).toEqual(['a', 'b']);
  });

  test('a request of the tool still says otherwise where the document lets it', () => {
    const terms = resolveTerms(
      { user: layered({ enableSandbox: false, preserveEnvironment: true }) },
      {
        profile,
        withoutSandbox: false,
        preserveEnvironment: false,
      },
    );
    expect([terms.sandbox.isLeaving, terms.environment.preserve]).toEqual([false, false]);
  });
});

test('a project that is not trusted tightens a profile, and never loosens it', () => {
  const blocked = (settings: Settings, user: Settings = {}) =>
    resolveTerms({ user, project: settings }, { profile: 'proposal-0028' }).policy.blacklist.commands;
  expect(blocked(proposal({ blockedCommands: ['a'] }))).toEqual(expect.arrayContaining(['mkfs', 'a']));
  const time = (project: Settings, user: Settings = {}) =>
    resolveTerms({ user, project }, { profile: 'layered' }).time.timeoutMs;
  expect(time(layered({ defaultTimeout: 60_000 }))).toBe(30_000);
  expect(time(layered({ defaultTimeout: 60_000 }), TRUST)).toBe(60_000);
  expect(time(layered({ defaultTimeout: 1000 }))).toBe(1000);
});
