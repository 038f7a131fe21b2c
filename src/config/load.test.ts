import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../core/default-policy.ts';
import { MODES, type Policy } from '../core/policy.ts';
import { LIMITS } from '../core/running.ts';
import { VERDICTS } from '../core/verdict.ts';
import { findPattern, keyRules } from './layers/keys.ts';
import { standardPlaces } from './layers/places.ts';
import { type LoadedSettings, type LoadOptions, loadLayers, loadSettings } from './load.ts';
import { SETTINGS_SCHEMA } from './schema.ts';
import type { Schema } from './schema-words.ts';
import type { Settings } from './settings.ts';

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-config-')));
afterAll(() => rmSync(ROOT, { recursive: true }));
let worlds = 0;

type Files = Readonly<Record<string, Settings | string>>;

/** A separate machine: `managed`, `user`, `flags`, and files below `/p`, the project. */
function world(files: Files, { at = 'p', ...options }: Partial<LoadOptions> & { at?: string } = {}) {
  const top = join(ROOT, String(worlds++));
  const path = (name: string): string => join(top, name);
  for (const folder of ['home', 'p/sub']) mkdirSync(path(folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path(name.includes('/') ? name : `${name}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, (typeof content === 'string' ? content : JSON.stringify(content)).replaceAll('$TOP', top));
  }
  const load = (more: Partial<LoadOptions> = {}): LoadedSettings =>
    loadSettings({
      cwd: path(at),
      home: path('home'),
      places: { managed: path('managed.json'), user: path('user.json') },
      checkRule: () => ({ ok: true }),
      knownCheckIds: new Set(['a-check', 'b-check']),
      now: Date.UTC(2026, 0, 1),
      settingsFile: 'flags' in files ? path('flags.json') : undefined,
      ...options,
      ...more,
    });
  return { path, load };
}

const PROJECT = 'p/.hardshell/settings.json';
const LOCAL = 'p/.hardshell/settings.local.json';
const SUB = 'p/sub/.hardshell/settings.json';
const TRUST = { trustedFolders: ['/$TOP/p'] };

function policyOf(files: Files, options: Parameters<typeof world>[1] = {}): Policy {
  return world(files, options).load().policy;
}

describe('layers', () => {
  test('without any file, the defaults apply', () => {
    const loaded = world({}).load();
    expect(loaded.policy).toEqual(DEFAULT_POLICY);
    expect(loaded.notices).toEqual([]);
    expect(loaded.sources.every(({ settings }) => settings === null)).toBe(true);
  });

  const layers: readonly (readonly [string, Settings])[] = [
    ['user', { mode: 'accept-edits', ...TRUST }],
    [PROJECT, { mode: 'plan' }],
    [LOCAL, { mode: 'dont-ask' }],
    ['flags', { mode: 'default' }],
    ['managed', { mode: 'bypass' }],
  ];
  test.each(layers.map((_, index) => index))('the strongest file sets the mode (%i)', (index) => {
    const files = Object.fromEntries(layers.slice(0, index + 1));
    expect(policyOf(files).mode).toBe(layers[index]?.[1].mode);
  });

  test('the nearest folder wins in one layer, and local wins over project at any distance', () => {
    const user = { trustedFolders: ['/$TOP/p'] };
    const at = 'p/sub';
    expect(policyOf({ user, [PROJECT]: { mode: 'plan' }, [SUB]: { mode: 'bypass' } }, { at }).mode).toBe('bypass');
    expect(policyOf({ user, [LOCAL]: { mode: 'plan' }, [SUB]: { mode: 'bypass' } }, { at }).mode).toBe('plan');
  });

  test('lists are united over all layers, rules keep their origin', () => {
    const files: Files = {
      managed: { permissions: { deny: ['Bash(m)'] }, protectedPaths: ['//m'] },
      flags: { permissions: { deny: ['Bash(f)'] }, domains: { deny: ['f'] } },
      [LOCAL]: { permissions: { ask: ['Bash(l)'] }, protectedPaths: ['//m', './l'] },
      [PROJECT]: '{\n "permissions": {\n  "deny": [\n   "Bash(p)"]}}',
      user: { permissions: { allow: [{ rule: 'Bash(u)', until: '2030-01-31', because: 'why' }] } },
    };
    const { path, load } = world(files);
    const { policy } = load();
    expect(policy.protectedPaths).toEqual(['/m', path('p/l')]);
    const rule = { until: null, base: null, because: null };
    expect(policy.rules).toEqual([
      {
        text: 'Bash(u)',
        list: 'allow',
        origin: { layer: 'user', file: path('user.json'), line: 1 },
        until: Date.UTC(2030, 1, 1),
        base: null,
        because: 'why',
      },
      {
        ...rule,
        text: 'Bash(l)',
        list: 'ask',
        origin: { layer: 'local', file: path(LOCAL), line: 1 },
        base: path('p'),
      },
      { ...rule, text: 'Bash(m)', list: 'deny', origin: { layer: 'managed', file: path('managed.json'), line: 1 } },
      { ...rule, text: 'Bash(f)', list: 'deny', origin: { layer: 'flags', file: path('flags.json'), line: 1 } },
      {
        ...rule,
        text: 'Bash(p)',
        list: 'deny',
        origin: { layer: 'project', file: path(PROJECT), line: 4 },
        base: path('p'),
      },
    ]);
  });

  test('a folder with its own settings does not drop the denies above', () => {
    const files = { [PROJECT]: { permissions: { deny: ['Bash(p)'] } }, [SUB]: { permissions: { deny: [] } } };
    expect(policyOf(files, { at: 'p/sub' }).rules.map(({ text }) => text)).toEqual(['Bash(p)']);
  });

  test('behind a link, both the folders above the link and those above its target count', () => {
    const { path, load } = world({
      [PROJECT]: { permissions: { deny: ['Bash(above-link)'] } },
      'q/.hardshell/settings.json': { permissions: { deny: ['Bash(above-target)'] } },
      'q/r/.hardshell/settings.json': { permissions: { deny: ['Bash(target)'] } },
    });
    symlinkSync(path('q/r'), path('p/link'));
    const texts = load({ cwd: path('p/link') }).policy.rules.map(({ text }) => text);
    expect(texts).toEqual(['Bash(target)', 'Bash(above-link)', 'Bash(above-target)']);
  });

  test('programs may run if every list contains them', () => {
    const user = { allowedCommands: ['git', 'ls', 'npm'] };
    expect(policyOf({ user }).allowedCommands).toEqual(['git', 'ls', 'npm']);
    expect(policyOf({ user, managed: { allowedCommands: ['ls', 'git', 'rm'] } }).allowedCommands).toEqual([
      'ls',
      'git',
    ]);
    const empty = world({ user, [PROJECT]: { allowedCommands: ['make'] } }).load();
    expect(empty.policy.allowedCommands).toEqual([]);
    expect(empty.notices.map(({ key, why }) => [key, why])).toEqual([
      ['allowedCommands', 'Combined with the other files, no program is left that may run.'],
    ]);
    expect(policyOf({ user: { allowedCommands: [] } }).allowedCommands).toEqual([]);
  });

  test('no file can allow bypass again', () => {
    expect(policyOf({ user: { allowBypass: false }, managed: { allowBypass: true } }).allowBypass).toBe(false);
    expect(policyOf({ [PROJECT]: { allowBypass: false }, flags: { allowBypass: true } }).allowBypass).toBe(false);
  });

  test('users, checks, environment, approval and sandbox reach the caller', () => {
    const { path, load } = world({
      user: {
        users: { 'a.b': { allow: ['Bash(x)'], limits: { timeoutMs: 5 } }, 'a.b.limits': { roots: ['~/r'] }, '*': {} },
        checks: { 'a-check': 'ask', 'b-check': 'deny' },
        environment: { set: { A: '1' }, keep: ['K'], drop: ['D'] },
        approval: { timeoutSeconds: 9 },
        sandbox: { excludedCommands: ['x'], filesystem: { denyRead: ['~/s'] }, network: { allowPorts: [80] } },
        limits: { memoryBytes: 9 },
      },
      managed: {
        checks: { 'a-check': 'deny' },
        environment: { set: { A: '2' } },
        users: { 'a.b': { allow: ['Bash(y)'] } },
      },
    });
    const loaded = load();
    const nobody = { allow: [], ask: [], deny: [], roots: null, limits: {} };
    expect(loaded.policy.users).toEqual({
      'a.b': { ...nobody, allow: ['Bash(y)', 'Bash(x)'], limits: { timeoutMs: 5 } },
      'a.b.limits': { ...nobody, roots: [path('home/r')] },
      '*': nobody,
    });
    expect(loaded.policy.checks).toEqual({ 'a-check': 'deny', 'b-check': 'deny' });
    expect(loaded.environment).toEqual({ set: { A: '2' }, keep: ['K'], drop: ['D'] });
    expect(loaded.approval).toEqual({ timeoutSeconds: 9, askToApply: false });
    expect(loaded.sandbox).toEqual({
      excludedCommands: ['x'],
      filesystem: { denyRead: [path('home/s')] },
      network: { allowPorts: [80] },
    });
    expect(loaded.limits).toEqual({ memoryBytes: 9 });
  });

  test('who set what', () => {
    const { path, load } = world({
      user: { mode: 'plan', roots: ['.'] },
      flags: { mode: 'default' },
      [PROJECT]: { roots: ['..'] },
    });
    const shown = load().origins.map(({ key, value, layer, state }) => [key, value, layer, state]);
    expect(shown).toEqual([
      ['mode', 'plan', 'user', 'overridden'],
      ['mode', 'default', 'flags', 'used'],
      ['roots[0]', '..', 'project', 'ignored'],
      ['roots[0]', '.', 'user', 'used'],
    ]);
    expect(load().policy.roots).toEqual([path('p')]);
  });
});

describe('managed settings', () => {
  test('alone and with the other files, they come from a single read of the file', () => {
    const texts: Record<string, object> = {
      '/m/managed.json': { mode: 'plan', secretPaths: ['//s'], trustedFolders: ['//m/p'] },
      '/m/user.json': { mode: 'bypass', secretPaths: ['//u'] },
    };
    const read: string[] = [];
    const options: LoadOptions = {
      cwd: '/m/p',
      home: null,
      places: { managed: '/m/managed.json', user: '/m/user.json' },
      checkRule: () => ({ ok: true }),
      knownCheckIds: new Set(),
      read: (file) => {
        read.push(file);
        const data = texts[file];
        return data === undefined ? null : { text: JSON.stringify(data), writableBy: null };
      },
    };
    const { settings, managed } = loadLayers(options);
    expect(read.filter((file) => file === '/m/managed.json')).toHaveLength(1);
    expect([settings.policy.mode, settings.policy.secretPaths]).toEqual(['plan', ['/s', '/u']]);
    expect(managed).toEqual(loadSettings({ ...options, isManagedOnly: true }));
    delete texts['/m/managed.json'];
    expect(loadLayers(options).managed).toBeNull();
  });

  /** Settings that would weaken `sandbox.name`, or widen what a switch reserves for managed settings: `kept` still counts. */
  test.each<[managed: Settings, widens: Settings, kept?: Settings]>([
    [{ sandbox: { name: 'workspace' } }, { sandbox: { name: 'unrestricted' } }],
    [{ sandbox: { name: 'workspace' } }, { sandbox: { excludedCommands: ['bash'] } }],
    [
      { sandbox: { name: 'workspace' } },
      { sandbox: { allowUnsandboxed: true } },
      { sandbox: { allowUnsandboxed: false } },
    ],
    [{ sandbox: { name: 'workspace' } }, { sandbox: { backend: 'landlock' } }],
    [
      { sandbox: { name: 'restricted' } },
      { sandbox: { failIfUnavailable: false } },
      { sandbox: { failIfUnavailable: true } },
    ],
    [{ managedDomainsOnly: true }, { sandbox: { network: { allowAddresses: ['10.0.0.0/8'] } } }],
    [{ managedDomainsOnly: true }, { sandbox: { network: { allowPorts: [5432] } } }],
    [{ managedPathsOnly: true }, { sandbox: { network: { allowAllUnixSockets: true } } }],
    [{ managedPathsOnly: true }, { sandbox: { filesystem: { allowWrite: ['//srv'] } } }],
  ])('%j is not widened by %j', (managed, widens, kept) => {
    const before = world({ managed, user: TRUST }).load();
    for (const file of ['user', 'flags', PROJECT, LOCAL]) {
      const said = file === 'user' ? { ...widens, ...TRUST } : widens;
      const { sandbox, origins } = world({ managed, user: TRUST, [file]: said }).load();
      expect([file, sandbox]).toEqual([file, before.sandbox]);
      const { state, why } = origins.find(({ layer, key }) => layer !== 'managed' && key.startsWith('sandbox')) ?? {};
      expect([state, why]).toEqual([expect.stringMatching(/ignored|overridden/), expect.stringMatching('managed')]);
      if (kept === undefined) continue;
      const tightened = world({ managed, user: TRUST, [file]: file === 'user' ? { ...kept, ...TRUST } : kept }).load();
      expect(tightened.sandbox).toEqual({ ...before.sandbox, ...kept.sandbox });
    }
  });

  test('managed settings that confine nothing fix nothing', () => {
    const { sandbox } = world({
      managed: { sandbox: { name: 'unrestricted' } },
      user: { sandbox: { excludedCommands: ['docker'] } },
    }).load();
    expect(sandbox).toEqual({ name: 'unrestricted', excludedCommands: ['docker'] });
  });

  const all: Settings = {
    permissions: { allow: ['Bash(a)', 'Read(b)', 'WebFetch(domain:c)'], deny: ['Bash(d)'] },
    domains: { allow: ['x'], deny: ['y'] },
    roots: ['//r'],
    users: { u: { allow: ['Bash(a)'] } },
  };
  const load = (managed: Settings) => world({ managed, user: all }).load();

  test('their rules can be the only ones', () => {
    const { policy, notices } = load({ managedRulesOnly: true, permissions: { allow: ['Bash(m)'] } });
    expect(policy.rules.map(({ text }) => text)).toEqual(['Bash(m)']);
    expect(policy.users).toEqual({});
    expect(notices.map(({ key }) => key)).toEqual([
      'permissions.allow[0]',
      'permissions.allow[1]',
      'permissions.allow[2]',
      'permissions.deny[0]',
      'users.u.allow[0]',
    ]);
  });

  test('their domains can be the only ones, also against rules', () => {
    const { policy } = load({ managedDomainsOnly: true, domains: { allow: ['m'] } });
    expect(policy.domains).toEqual({ allow: ['m'], deny: ['y'] });
    expect(policy.rules.map(({ text }) => text)).toEqual(['Bash(a)', 'Read(b)', 'Bash(d)']);
  });

  test('their paths can be the only ones, also against rules', () => {
    const { policy } = load({ managedPathsOnly: true, roots: ['//m'] });
    expect(policy.roots).toEqual(['/m']);
    expect(policy.rules.map(({ text }) => text)).toEqual(['Bash(a)', 'WebFetch(domain:c)', 'Bash(d)']);
  });

  test('the switches count in no other file', () => {
    const { policy, notices, switches } = world({ user: { ...all, managedRulesOnly: true } }).load();
    expect(policy.rules).toHaveLength(4);
    expect(switches.managedRulesOnly).toBe(false);
    expect(notices.map(({ key, why }) => [key, why])).toEqual([
      ['managedRulesOnly', 'This counts in managed settings only.'],
    ]);
  });

  test('no variable moves them', () => {
    const environment = { XDG_CONFIG_HOME: '/x', HOME: '/y', HARDSHELL_MANAGED: '/z' };
    expect(standardPlaces({ home: '/h', platform: 'linux', environment })).toEqual({
      managed: '/etc/hardshell/managed-settings.json',
      user: '/x/hardshell/settings.json',
    });
    expect(standardPlaces({ home: '/h', platform: 'darwin', environment: { XDG_CONFIG_HOME: 'relative' } })).toEqual({
      managed: '/Library/Application Support/hardshell/managed-settings.json',
      user: '/h/.config/hardshell/settings.json',
    });
  });

  test('a file that others can write is pointed out', () => {
    const { path, load: again } = world({ managed: {}, user: {} });
    chmodSync(path('managed.json'), 0o666);
    chmodSync(path('user.json'), 0o620);
    expect(again().notices.map(({ layer, why }) => [layer, why])).toEqual([
      ['managed', 'This file can be changed by all users, who can therefore change every verdict.'],
      ['user', 'This file can be changed by its group, who can therefore change every verdict.'],
    ]);
  });
});

describe('any unusable file is an error', () => {
  const failure = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message.replaceAll(ROOT, '').replace(/\/\d+\//g, '/')}`;
    }
  };
  test.each(['managed', 'flags', LOCAL, PROJECT, 'user'])('%s: broken file', (name) => {
    const file = name.includes('/') ? name : `${name}.json`;
    expect(failure(() => policyOf({ [name]: '{\n"mode": }' }))).toBe(
      `invalid-settings: /${file}:2:9: Expected a value.`,
    );
  });

  test.each<[string, string, (file: string) => void]>([
    ['a folder', 'This is a folder, not a file.', (file) => mkdirSync(file, { recursive: true })],
    ['a link to nothing', 'The symbolic link is dangling.', (file) => symlinkSync('nowhere', file)],
    ['a link in a circle', 'The symbolic links form a loop.', (file) => symlinkSync(file, file)],
    ['a device', 'This is not a regular file.', (file) => symlinkSync('/dev/zero', file)],
    ['too large', 'The file is larger than 1 MiB.', (file) => writeFileSync(file, ' '.repeat((1 << 20) + 1))],
  ])('managed settings that are %s', (_, message, make) => {
    const { path, load } = world({});
    make(path('managed.json'));
    expect(failure(load)).toBe(`unreadable-settings: /managed.json: ${message}`);
  });

  test('the position of invalid UTF-8 is reported', () => {
    const { path, load } = world({});
    writeFileSync(path('user.json'), Buffer.from([0x7b, 0x0a, 0xc3, 0xa4, 0x22, 0xff, 0x22, 0x7d]));
    expect(failure(load)).toBe('invalid-settings: /user.json:2:3: This is not valid UTF-8.');
  });

  test('an error while reading is never taken for a missing file', () => {
    const read = () => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    };
    expect(() => world({}).load({ read })).toThrow('EACCES');
  });

  test('a file passed explicitly must exist; the others need not', () => {
    const { path, load } = world({});
    expect(failure(() => load({ settingsFile: path('gone.json') }))).toBe(
      'unreadable-settings: /gone.json: No such file.',
    );
  });

  test('home is needed where it is written', () => {
    expect(failure(() => policyOf({ user: { roots: ['~/x'] } }, { home: null }))).toBe(
      'invalid-settings: /user.json:1:11: "~/x" is below home, but no home folder is known.',
    );
  });
});

describe('the mode auto', () => {
  test.each([
    ['the user', { user: { mode: 'auto' } }, 'auto'],
    ['flags', { flags: { mode: 'auto' } }, 'auto'],
    ['the administrator', { managed: { mode: 'auto' } }, 'auto'],
    ['a project, over the default', { [PROJECT]: { mode: 'auto' } }, 'default'],
    ['a trusted project', { user: TRUST, [PROJECT]: { mode: 'auto' } }, 'default'],
    ['a local file of a trusted project', { user: { mode: 'plan', ...TRUST }, [LOCAL]: { mode: 'auto' } }, 'plan'],
    ['a project, over bypass', { user: { mode: 'bypass' }, [PROJECT]: { mode: 'auto' } }, 'bypass'],
    ['a project that asks about all edits', { user: { mode: 'auto' }, [PROJECT]: { mode: 'default' } }, 'default'],
    [
      'a project that allows edits without a copy',
      { user: { mode: 'auto' }, [PROJECT]: { mode: 'accept-edits' } },
      'auto',
    ],
  ] as [string, Record<string, Settings>, string][])(
    'is set by people, never by a repository: %s',
    (_, files, mode) => {
      expect(policyOf(files).mode).toBe(mode);
    },
  );
});

describe('a folder that is not trusted', () => {
  /** For every key: a value that would loosen, one that tightens (`null`: there is none), on top of `base`. */
  const ATTACKS: Readonly<Record<string, { loose: unknown; strict: unknown; base?: Settings }>> = {
    $schema: { loose: null, strict: null },
    mode: { loose: 'bypass', strict: 'plan' },
    'permissions.allow': { loose: ['Bash(*)'], strict: null },
    'permissions.ask': { loose: null, strict: ['Bash(x)'] },
    'permissions.deny': { loose: null, strict: ['Bash(x)'] },
    roots: { loose: ['//'], strict: null },
    confineReads: { loose: false, strict: true, base: { confineReads: true } },
    protectedPaths: { loose: null, strict: ['x'] },
    secretPaths: { loose: null, strict: ['x'] },
    allowedCommands: { loose: null, strict: ['ls'] },
    'blacklist.commands': { loose: null, strict: ['x'] },
    'blacklist.directories': { loose: null, strict: ['x'] },
    'domains.allow': { loose: ['*'], strict: null },
    'domains.deny': { loose: null, strict: ['x'] },
    'users.*.allow': { loose: ['Bash(*)'], strict: null },
    'users.*.ask': { loose: ['Bash(*)'], strict: null },
    'users.*.deny': { loose: ['Bash(*)'], strict: null },
    'users.*.roots': { loose: ['//'], strict: null },
    'users.*.limits.*': { loose: 1, strict: null },
    'checks.*': { loose: 'ask', strict: 'deny' },
    requireConfirmation: { loose: false, strict: true, base: { requireConfirmation: true } },
    'approval.timeoutSeconds': { loose: 1, strict: null },
    'approval.askToApply': { loose: true, strict: null },
    trustedFolders: { loose: ['//'], strict: null },
    managedRulesOnly: { loose: true, strict: null },
    managedDomainsOnly: { loose: true, strict: null },
    managedPathsOnly: { loose: true, strict: null },
    allowBypass: { loose: true, strict: false, base: { allowBypass: false } },
    'environment.set.*': { loose: 'x', strict: null },
    'environment.keep': { loose: ['AWS_*'], strict: null },
    'environment.drop': { loose: ['npm_config_ignore_scripts'], strict: null },
    keepOutput: { loose: true, strict: false, base: { keepOutput: false } },
    waitingShells: { loose: 3, strict: 1, base: { waitingShells: 2 } },
    staging: { loose: 'off', strict: 'review', base: { staging: 'apply' } },
    'stagingStore.maxMegabytes': { loose: 1, strict: null },
    'stagingStore.maxDays': { loose: 1, strict: null },
    'stagingTools.changes': { loose: true, strict: false },
    'stagingTools.undo': { loose: true, strict: false },
    'stagingTools.redo': { loose: true, strict: false },
    'stagingTools.apply': { loose: true, strict: null },
    'stagingTools.drop': { loose: true, strict: null },
    'audit.enabled': { loose: false, strict: true },
    'audit.level': { loose: 'basic', strict: null },
    'audit.fsync': { loose: 'never', strict: null },
    'audit.retentionDays': { loose: 1, strict: null },
    'audit.retainBytes': { loose: 1, strict: null },
    'audit.hook': { loose: false, strict: null },
    'audit.verifyMinutes': { loose: 0, strict: null },
    'alerts.kinds': { loose: [], strict: null },
    'alerts.minSeverity': { loose: 'critical', strict: null },
    'alerts.perMinute': { loose: 1, strict: null },
    'alerts.webhook.url': { loose: 'https://evil.example/take', strict: null },
    'alerts.webhook.secretVariable': { loose: 'HOME', strict: null },
    'alerts.webhook.secretFile': { loose: '//etc/passwd', strict: null },
    'telemetry.enabled': { loose: false, strict: null },
    'telemetry.withCommand': { loose: true, strict: null },
    ...Object.fromEntries(
      LIMITS.map((name) => [`limits.${name}`, { loose: 9, strict: 4, base: { limits: { [name]: 5 } } }]),
    ),
    'sandbox.name': { loose: 'unrestricted', strict: 'restricted' },
    'sandbox.backend': { loose: 'bubblewrap', strict: null },
    'sandbox.excludedCommands': { loose: ['bash'], strict: null },
    'sandbox.allowUnsandboxed': { loose: true, strict: false },
    'sandbox.failIfUnavailable': { loose: false, strict: true, base: { sandbox: { failIfUnavailable: true } } },
    'sandbox.filesystem.allowWrite': { loose: ['//'], strict: null },
    'sandbox.filesystem.denyWrite': { loose: null, strict: ['x'] },
    'sandbox.filesystem.denyRead': { loose: null, strict: ['x'] },
    'sandbox.filesystem.allowRead': { loose: ['//'], strict: null },
    'sandbox.network.allowAddresses': { loose: ['127.0.0.1'], strict: null },
    'sandbox.network.allowPorts': { loose: [1], strict: null },
    'sandbox.network.publishPorts': { loose: [1], strict: null },
    'sandbox.network.allowUnixSockets': { loose: ['//s'], strict: null },
    'sandbox.network.allowAllUnixSockets': { loose: true, strict: false },
    'sandbox.network.allowLocalBinding': { loose: true, strict: false },
    'profiles.layered.enableSandbox': { loose: false, strict: true },
    'profiles.layered.commandWhitelist': { loose: null, strict: ['ls'] },
    'profiles.layered.allowedPaths': { loose: null, strict: ['x'] },
    'profiles.layered.securityLevel': {
      loose: 'medium',
      strict: 'high',
      base: { profiles: { layered: { securityLevel: 'high' } } },
    },
    'profiles.layered.defaultTimeout': { loose: 30_001, strict: 1 },
    'profiles.layered.maxOutputSize': { loose: (10 << 20) + 1, strict: 1 },
    'profiles.layered.enableStreaming': { loose: null, strict: false },
    'profiles.layered.maxMemoryUsage': { loose: 2 ** 31, strict: 1 },
    'profiles.layered.maxCpuUsage': { loose: 81, strict: 80 },
    'profiles.layered.maxProcesses': { loose: 6, strict: 9, base: { profiles: { layered: { maxProcesses: 5 } } } },
    'profiles.layered.maxFileDescriptors': { loose: 1001, strict: 10 },
    'profiles.layered.preserveEnvironment': { loose: true, strict: false },
    'profiles.layered.defaultWorkingDirectory': { loose: '//', strict: null },
    'profiles.layered.defaultShell': { loose: '/bin/sh', strict: null },
    'profiles.layered.enableMonitoring': { loose: false, strict: true },
    'profiles.layered.enableAuditing': { loose: null, strict: true },
    'profiles.layered.logLevel': { loose: null, strict: 'info' },
    'profiles.proposal-0028.defaultTimeout': { loose: 120_001, strict: 1 },
    'profiles.proposal-0028.maxTimeout': { loose: 600_001, strict: 1 },
    'profiles.proposal-0028.maxOutputSize': {
      loose: 300,
      strict: 100,
      base: { profiles: { 'proposal-0028': { maxOutputSize: 200 } } },
    },
    'profiles.proposal-0028.blockedCommands': { loose: null, strict: ['x'] },
    'profiles.proposal-0028.requireDescription': { loose: false, strict: true },
    'profiles.proposal-0028.sandboxMode': { loose: false, strict: true },
  };

  function leavesOf(schema: Schema, path: readonly string[]): string[] {
    const { properties, additionalProperties } = schema;
    if (properties !== undefined)
      return Object.entries(properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
    if (schema.type === 'object' && additionalProperties) return leavesOf(additionalProperties, [...path, '*']);
    return [findPattern(path)];
  }

  test('every key of the schema has a decision and an attack', () => {
    const leaves = leavesOf(SETTINGS_SCHEMA, []);
    expect(Object.keys(keyRules())).toEqual(leaves);
    expect(Object.keys(ATTACKS)).toEqual(leaves);
  });

  const NAMES: Readonly<Record<string, string>> = {
    checks: 'a-check',
    users: 'u',
    limits: 'timeoutMs',
    set: 'LD_PRELOAD',
  };
  const settingsWith = (pattern: string, value: unknown): Settings => {
    const parts = pattern.split('.');
    const names = parts.map((part, index) => (part === '*' ? (NAMES[parts[index - 1] as string] as string) : part));
    return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Settings;
  };
  const effective = ({
    policy,
    approval,
    environment,
    keepOutput,
    waitingShells,
    staging,
    stagingStore,
    stagingTools,
    audit,
    alerts,
    telemetry,
    limits,
    sandbox,
    profiles,
    switches,
    trustedFolders,
  }: LoadedSettings) => ({
    policy: { ...policy, rules: policy.rules.map(({ text, list }) => [text, list]) },
    approval,
    environment,
    keepOutput,
    waitingShells,
    staging,
    stagingStore,
    stagingTools,
    audit,
    alerts,
    telemetry,
    limits,
    sandbox,
    profiles,
    switches,
    trustedFolders,
  });

  const rows = Object.entries(ATTACKS).map(([pattern, attack]) => ({ pattern, ...attack }));
  test.each(rows.filter(({ loose }) => loose !== null))('cannot loosen $pattern', ({ pattern, loose, base = {} }) => {
    for (const file of [PROJECT, LOCAL]) {
      const before = world({ user: base }, { at: 'p/sub' }).load();
      const { load, path } = world({ user: base, [file]: settingsWith(pattern, loose) }, { at: 'p/sub' });
      const after = load();
      expect(effective(after)).toEqual(effective(before));
      // Where the strictest value wins, the weaker one does not even give a notice.
      if (pattern !== 'allowBypass' || after.notices.length > 0) {
        expect(after.notices).toHaveLength(1);
        expect(after.notices[0]).toMatchObject({
          file: path(file),
          line: 1,
          hint: expect.stringMatching(/config trust|Move it/),
        });
      }
      expect(after.origins.some(({ state, layer }) => state === 'used' && layer !== 'user')).toBe(false);
    }
  });

  test.each(rows.filter(({ strict }) => strict !== null))('can tighten $pattern', ({ pattern, strict }) => {
    const before = world({}).load();
    const after = world({ [PROJECT]: settingsWith(pattern, strict) }).load();
    expect(after.notices).toEqual([]);
    expect(effective(after)).not.toEqual(effective(before));
  });

  test.each(
    rows.filter(
      ({ pattern, loose }) =>
        loose !== null && !/^(managed|trusted|allowBypass|keepOutput|alerts|telemetry)/.test(pattern),
    ),
  )('once trusted, can set $pattern', ({ pattern, loose, base = {} }) => {
    const after = world({ user: { ...base, ...TRUST }, [PROJECT]: settingsWith(pattern, loose) }).load();
    expect(after.notices).toEqual([]);
    expect(after.origins.some(({ state, layer }) => state === 'used' && layer === 'project')).toBe(true);
  });

  test('trust is for a folder and all below it, by its real path', () => {
    const allow = { permissions: { allow: ['Bash(x)'] } };
    const rules = (trusted: string, options = {}) =>
      policyOf({ user: { trustedFolders: [trusted] }, [PROJECT]: allow, [SUB]: allow }, { at: 'p/sub', ...options })
        .rules.length;
    expect(rules('/$TOP/p')).toBe(2);
    expect(rules('/$TOP/p/')).toBe(2);
    expect(rules('/$TOP/p/sub')).toBe(1);
    expect(rules('/$TOP/p/su')).toBe(0);
    expect(rules('/$TOP/q')).toBe(0);
    const { path, load } = world({ user: { trustedFolders: ['/$TOP/link'] }, [PROJECT]: allow });
    symlinkSync(path('p'), path('link'));
    expect(load().policy.rules).toHaveLength(1);
  });

  test('a link in a trusted folder does not make its target trusted', () => {
    const { path, load } = world({
      user: TRUST,
      'evil/.hardshell/settings.json': { permissions: { allow: ['Bash(x)'] } },
    });
    symlinkSync(path('evil'), path('p/link'));
    expect(load({ cwd: path('p/link') }).policy.rules).toEqual([]);
  });

  test('expired rules and paths that look absolute are reported', () => {
    const { notices } = world({
      user: {
        permissions: {
          deny: [{ rule: 'Bash(x)', until: '2025-12-31' }, 'Read(/etc/**)', 'Read(//etc/**)', 'Bash(/etc/x)'],
        },
        protectedPaths: ['/etc/x', '//etc/y', '/home'],
      },
    }).load();
    expect(notices.map(({ key, hint }) => [key, hint])).toEqual([
      ['permissions.deny[0]', 'Remove it, or set a later date.'],
      ['permissions.deny[1]', 'For the absolute path, write //etc/**'],
      ['protectedPaths[0]', 'For the absolute path, write //etc/x'],
    ]);
  });

  test('a root that does not exist is reported, with how an absolute path is written', () => {
    const { load } = world({ user: { roots: ['/no-such-folder/x', '//no-such-folder/x', '/'] } });
    expect(load().notices).toMatchObject([
      {
        key: 'roots[0]',
        why: expect.stringMatching(/^\/no-such-folder\/x means \/.+\/no-such-folder\/x here, which does not exist\.$/),
        hint: 'For the absolute path, write //no-such-folder/x',
      },
    ]);
  });

  test('folders of the profile layered are written as in its document: /srv is absolute', () => {
    const layered = { allowedPaths: ['/etc/x', '//etc/y', 'sub'], defaultWorkingDirectory: '/etc' };
    const { path, load } = world({ user: TRUST, [PROJECT]: { profiles: { layered } } });
    const { profiles, notices } = load();
    expect(profiles.layered).toEqual({
      allowedPaths: ['/etc/x', '/etc/y', path('p/sub')],
      defaultWorkingDirectory: '/etc',
    });
    expect(notices).toEqual([]);
  });
});

describe('adding a file of an untrusted folder never loosens', () => {
  const names = fc.subarray(['a', 'b', 'c']);
  const rules = fc.subarray(['Bash(a)', 'Bash(b)', 'Bash(c)']);
  const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const settings = fc
    .record({
      mode: some(fc.constantFrom(...MODES)),
      permissions: fc.record({ allow: rules, ask: rules, deny: rules }),
      roots: some(names),
      confineReads: some(fc.boolean()),
      protectedPaths: names,
      allowedCommands: some(names),
      blacklist: fc.record({ commands: names }),
      domains: fc.record({ allow: names, deny: names }),
      checks: fc.dictionary(fc.constantFrom('a-check', 'b-check'), fc.constantFrom(...VERDICTS)),
      requireConfirmation: some(fc.boolean()),
      allowBypass: some(fc.boolean()),
      users: fc.dictionary(fc.constantFrom('u', '*'), fc.record({ allow: rules, roots: names })),
    })
    .map((value) => JSON.parse(JSON.stringify(value)) as Settings);

  const MODE_ORDER = ['bypass', 'auto', 'accept-edits', 'default', 'dont-ask', 'plan'];
  const contains = (all: readonly string[], part: readonly string[]) => part.every((each) => all.includes(each));
  const texts = (policy: Policy, list: string) =>
    policy.rules.filter((rule) => rule.list === list).map(({ text }) => text);

  /** Reasons why `b` is laxer than `a`. */
  function laxer(a: Policy, b: Policy): string[] {
    const tests: Record<string, boolean> = {
      mode:
        MODE_ORDER.indexOf(b.mode) >= MODE_ORDER.indexOf(a.mode) && !(a.mode === 'auto' && b.mode === 'accept-edits'),
      allow: contains(texts(a, 'allow'), texts(b, 'allow')),
      ask: contains(texts(b, 'ask'), texts(a, 'ask')),
      deny: contains(texts(b, 'deny'), texts(a, 'deny')),
      roots: JSON.stringify(a.roots) === JSON.stringify(b.roots),
      reads: b.confineReads || !a.confineReads,
      protected: contains(b.protectedPaths, a.protectedPaths),
      commands:
        a.allowedCommands === null || (b.allowedCommands !== null && contains(a.allowedCommands, b.allowedCommands)),
      blacklist: contains(b.blacklist.commands, a.blacklist.commands),
      domains: contains(a.domains.allow, b.domains.allow) && contains(b.domains.deny, a.domains.deny),
      checks: Object.keys({ ...a.checks, ...b.checks }).every((id) =>
        a.checks[id] === undefined
          ? b.checks[id] === 'deny'
          : VERDICTS.indexOf(b.checks[id] as 'ask') >= VERDICTS.indexOf(a.checks[id] as 'ask'),
      ),
      confirmation: b.requireConfirmation || !a.requireConfirmation,
      bypass: a.allowBypass || !b.allowBypass,
      users: JSON.stringify(a.users) === JSON.stringify(b.users),
    };
    return Object.keys(tests).filter((name) => !tests[name]);
  }

  const place = fc.constantFrom('user.json', 'managed.json', PROJECT, LOCAL, SUB);

  test.each([
    ['for any content of the other files', [PROJECT, LOCAL, SUB], {}],
    ['also when a folder below it is trusted', [PROJECT, LOCAL], { trustedFolders: ['/$TOP/p/sub'] }],
  ])('%s', (_, targets, flags) => {
    const { load, path } = world({ flags }, { at: 'p/sub' });
    const flagsText = JSON.stringify(flags).replaceAll('$TOP', path('').replace(/\/$/, ''));
    const others = fc.array(fc.tuple(place, settings));
    fc.assert(
      fc.property(others, fc.constantFrom(...targets), settings, (given, target, added) => {
        const files = new Map(given.map(([name, value]) => [path(name), JSON.stringify(value)]));
        files.set(path('flags.json'), flagsText).delete(path(target));
        const policy = (): Policy =>
          load({ read: (file) => (files.has(file) ? { text: files.get(file) as string, writableBy: null } : null) })
            .policy;
        const before = policy();
        files.set(path(target), JSON.stringify(added));
        expect(laxer(before, policy())).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('the order can tell: the same file in a trusted folder loosens', () => {
    const [before, after] = [
      {},
      { [PROJECT]: { mode: 'bypass', permissions: { allow: ['Bash(a)'] } } as Settings },
    ].map((files) => policyOf({ user: TRUST, ...files })) as [Policy, Policy];
    expect(laxer(before, after)).toEqual(['mode', 'allow']);
  });
});
