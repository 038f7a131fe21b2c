// Every layer against every field of the terms, as docs/settings.md and docs/sandbox.md describe them.

import { describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { Terms } from '../../src/terms/terms.ts';
import { type Asked, type Layer, type Layers, MANAGED, resolveTerms, WORK } from './resolving.ts';

const TRUST = { trustedFolders: [`/${WORK}`] };
const OTHER = '/machine/other';
const SUB = `${WORK}/sub`;

const rulesOf = ({ policy }: Terms) => policy.rules.map(({ list, text }) => `${list} ${text}`).sort();

test('without settings and wishes', () => {
  const terms = resolveTerms({});
  expect(terms).toEqual({
    command: 'make',
    text: 'make',
    args: null,
    shell: undefined,
    isBackground: false,
    cwd: WORK,
    originalCwd: null,
    project: WORK,
    session: null,
    user: null,
    profile: null,
    requiresDescription: false,
    caller: undefined,
    description: null,
    signal: undefined,
    input: { bytes: null, isOpen: false },
    output: {
      view: 'claude-code',
      viewCharacters: undefined,
      streams: 'merged',
      stripAnsi: false,
      wantsDetails: false,
      readsHints: true,
      keepBytes: 64 << 20,
    },
    policy: expect.objectContaining({ mode: 'default', rules: [], roots: null }),
    roots: [WORK],
    hasDefaultRoot: true,
    home: '/machine/home',
    homeSeen: '/machine/home',
    questions: {
      isYesAssumed: false,
      timeoutMs: null,
      canClassify: true,
      isInsideUnasked: false,
      canKeepAnswers: true,
      asksToApply: false,
      canAskAboutHosts: false,
    },
    sandbox: {
      name: 'workspace',
      backend: 'auto',
      isRequired: true,
      isLeaving: false,
      canLeave: false,
      excludedCommands: [],
      allowWrite: [],
      requestedWrites: [],
      denyWrite: [],
      denyRead: [],
      allowRead: [],
      managed: null,
    },
    network: {
      allow: [],
      deny: [],
      allowAddresses: [],
      areHostsFixed: false,
      hostPorts: [],
      publishPorts: { settings: [], request: [] },
      unixSockets: { isAny: false, paths: [] },
    },
    environment: {
      host: { HOME: '/machine/home', PATH: '/usr/bin' },
      set: {},
      keep: [],
      drop: [],
      preserve: false,
      request: {},
      withheld: [],
      refusePathBelow: [WORK, WORK, '/tmp', '/var/tmp', '/dev/shm', '/machine/tmp'],
    },
    limits: {},
    time: { timeoutMs: 120_000, taskTimeoutMs: null, backgroundAfterMs: null, graceMs: 1000 },
    keepsOutput: true,
    waitingShells: null,
    staging: { mode: 'off', store: { maxBytes: 2 ** 31, maxMs: 14 * 86_400_000 } },
  });
});

/** One row for each field: a value that loosens, one that tightens, and how the terms show them. */
interface FieldRow {
  readonly field: string;
  readonly loose: Settings;
  readonly strict?: Settings;
  readonly read: (terms: Terms) => unknown;
  readonly shown: { readonly none: unknown; readonly loose: unknown; readonly strict?: unknown };
}

const FIELDS: readonly FieldRow[] = [
  {
    field: 'mode',
    loose: { mode: 'accept-edits' },
    strict: { mode: 'plan' },
    read: ({ policy }) => policy.mode,
    shown: { none: 'default', loose: 'accept-edits', strict: 'plan' },
  },
  {
    field: 'permissions',
    loose: { permissions: { allow: ['Bash(make:*)'] } },
    strict: { permissions: { deny: ['Bash(rm:*)'], ask: ['Bash(ls:*)'] } },
    read: rulesOf,
    shown: { none: [], loose: ['allow Bash(make:*)'], strict: ['ask Bash(ls:*)', 'deny Bash(rm:*)'] },
  },
  {
    field: 'roots',
    loose: { roots: [`/${OTHER}`] },
    read: ({ policy, roots }) => [policy.roots, roots],
    shown: { none: [null, [WORK]], loose: [[OTHER], [OTHER]] },
  },
  {
    field: 'confineReads',
    loose: { confineReads: false },
    strict: { confineReads: true },
    read: ({ policy }) => policy.confineReads,
    shown: { none: false, loose: false, strict: true },
  },
  {
    field: 'protectedPaths and secretPaths',
    loose: {},
    strict: { protectedPaths: ['//p'], secretPaths: ['//s'] },
    read: ({ policy }) => [policy.protectedPaths, policy.secretPaths],
    shown: { none: [[], []], loose: [[], []], strict: [['/p'], ['/s']] },
  },
  {
    field: 'blacklist',
    loose: {},
    strict: { blacklist: { commands: ['dd'], directories: ['//b'] } },
    read: ({ policy }) => policy.blacklist,
    shown: {
      none: { commands: [], directories: [] },
      loose: { commands: [], directories: [] },
      strict: { commands: ['dd'], directories: ['/b'] },
    },
  },
  {
    field: 'domains',
    loose: { domains: { allow: ['a.example'] } },
    strict: { domains: { deny: ['b.example'] } },
    read: ({ policy, network }) => [policy.domains, network?.allow, network?.deny],
    shown: {
      none: [{ allow: [], deny: [] }, [], []],
      loose: [{ allow: ['a.example'], deny: [] }, ['a.example'], []],
      strict: [{ allow: [], deny: ['b.example'] }, [], ['b.example']],
    },
  },
  {
    field: 'users',
    loose: {
      users: { anna: { allow: ['Bash(make)'], roots: [`/${OTHER}`], limits: { processes: 9, timeoutMs: 50 } } },
    },
    read: ({ policy, roots, limits, time }) => [Object.keys(policy.users), roots, limits, time.timeoutMs],
    shown: { none: [[], [WORK], {}, 120_000], loose: [['anna'], [OTHER], { processes: 9 }, 50] },
  },
  {
    field: 'checks',
    loose: { checks: { 'write-outside-roots': 'allow' } },
    strict: { checks: { 'write-outside-roots': 'deny' } },
    read: ({ policy }) => policy.checks,
    shown: { none: {}, loose: { 'write-outside-roots': 'allow' }, strict: { 'write-outside-roots': 'deny' } },
  },
  {
    field: 'requireConfirmation',
    loose: {},
    strict: { requireConfirmation: true },
    read: ({ policy }) => policy.requireConfirmation,
    shown: { none: false, loose: false, strict: true },
  },
  {
    field: 'approval',
    loose: { approval: { timeoutSeconds: 7 } },
    read: ({ questions }) => questions.timeoutMs,
    shown: { none: null, loose: 7_000 },
  },
  {
    field: 'allowBypass',
    loose: {},
    strict: { allowBypass: false },
    read: ({ policy }) => policy.allowBypass,
    shown: { none: true, loose: true, strict: false },
  },
  {
    field: 'environment',
    loose: { environment: { set: { A: '1' }, keep: ['B'], drop: ['C'] } },
    read: ({ environment: { set, keep, drop } }) => ({ set, keep, drop }),
    shown: { none: { set: {}, keep: [], drop: [] }, loose: { set: { A: '1' }, keep: ['B'], drop: ['C'] } },
  },
  {
    field: 'limits',
    loose: {},
    strict: { limits: { memoryBytes: 1000, timeoutMs: 40 } },
    read: ({ limits, time }) => [limits, time],
    shown: {
      none: [{}, { timeoutMs: 120_000, taskTimeoutMs: null, backgroundAfterMs: null, graceMs: 1000 }],
      loose: [{}, { timeoutMs: 120_000, taskTimeoutMs: null, backgroundAfterMs: null, graceMs: 1000 }],
      strict: [{ memoryBytes: 1000 }, { timeoutMs: 40, taskTimeoutMs: 40, backgroundAfterMs: null, graceMs: 1000 }],
    },
  },
  {
    field: 'sandbox.name',
    loose: { sandbox: { name: 'unrestricted' } },
    strict: { sandbox: { name: 'restricted' } },
    read: ({ sandbox, network }) => [sandbox.name, network === null],
    shown: { none: ['workspace', false], loose: ['unrestricted', false], strict: ['restricted', true] },
  },
  {
    field: 'sandbox.backend',
    loose: { sandbox: { backend: 'landlock' } },
    read: ({ sandbox }) => sandbox.backend,
    shown: { none: 'auto', loose: 'landlock' },
  },
  {
    field: 'sandbox.excludedCommands',
    loose: { sandbox: { excludedCommands: ['docker'] } },
    read: ({ sandbox }) => sandbox.excludedCommands,
    shown: { none: [], loose: ['docker'] },
  },
  {
    field: 'sandbox.allowUnsandboxed',
    loose: { sandbox: { allowUnsandboxed: true } },
    strict: { sandbox: { allowUnsandboxed: false } },
    read: ({ sandbox }) => sandbox.canLeave,
    shown: { none: false, loose: true, strict: false },
  },
  {
    field: 'sandbox.failIfUnavailable',
    loose: { sandbox: { failIfUnavailable: false } },
    strict: { sandbox: { failIfUnavailable: true } },
    read: ({ sandbox }) => sandbox.isRequired,
    shown: { none: true, loose: false, strict: true },
  },
  {
    field: 'sandbox.filesystem',
    loose: { sandbox: { filesystem: { allowWrite: ['//w'], allowRead: ['//r'] } } },
    strict: { sandbox: { filesystem: { denyWrite: ['//dw'], denyRead: ['//dr'] } } },
    read: ({ sandbox: { allowWrite, allowRead, denyWrite, denyRead } }) => [allowWrite, allowRead, denyWrite, denyRead],
    shown: { none: [[], [], [], []], loose: [['/w'], ['/r'], [], []], strict: [[], [], ['/dw'], ['/dr']] },
  },
  {
    field: 'sandbox.network',
    loose: {
      sandbox: {
        network: {
          allowAddresses: ['10.0.0.0/8'],
          allowPorts: [5432],
          publishPorts: [5173],
          allowUnixSockets: ['//run/s'],
          allowAllUnixSockets: true,
        },
      },
    },
    read: ({ network }) => [
      network?.allowAddresses,
      network?.hostPorts,
      network?.publishPorts.settings,
      network?.unixSockets,
    ],
    shown: {
      none: [[], [], [], { isAny: false, paths: [] }],
      loose: [['10.0.0.0/8'], [5432], [5173], { isAny: true, paths: ['/run/s'] }],
    },
  },
  {
    field: 'keepsOutput',
    loose: {},
    strict: { keepOutput: false },
    read: ({ keepsOutput }) => keepsOutput,
    shown: { none: true, loose: true, strict: false },
  },
  {
    field: 'waitingShells',
    loose: {},
    strict: { waitingShells: 0 },
    read: ({ waitingShells }) => waitingShells,
    shown: { none: null, loose: null, strict: 0 },
  },
  {
    field: 'staging',
    loose: { stagingStore: { maxDays: 1 } },
    strict: { staging: 'review' },
    read: ({ staging }) => [staging.mode, staging.store.maxMs / 86_400_000],
    shown: { none: ['off', 14], loose: ['off', 1], strict: ['review', 14] },
  },
];

const ALWAYS_COUNT: readonly Layer[] = ['managed', 'flags', 'user'];
const IN_PROJECT: readonly Layer[] = ['local', 'project'];
/** With a user, so that the entries of users count. */
const ANNA: Asked = { user: 'anna' };

describe.each(FIELDS.map((row) => [row.field, row] as const))('%s', (_, { loose, strict, read, shown }) => {
  test('is not said', () => expect(read(resolveTerms({}, ANNA))).toEqual(shown.none));

  test.each(ALWAYS_COUNT)('in the %s settings', (layer) => {
    expect(read(resolveTerms({ [layer]: loose }, ANNA))).toEqual(shown.loose);
    if (strict !== undefined) expect(read(resolveTerms({ [layer]: strict }, ANNA))).toEqual(shown.strict);
  });

  test.each(IN_PROJECT)('in the %s settings of a folder that is trusted', (layer) => {
    expect(read(resolveTerms({ user: TRUST, [layer]: loose }, ANNA))).toEqual(shown.loose);
  });

  test.each(IN_PROJECT)(
    'in the %s settings of a folder that is not trusted, it tightens and never loosens',
    (layer) => {
      expect(read(resolveTerms({ [layer]: loose }, ANNA))).toEqual(shown.none);
      if (strict !== undefined) expect(read(resolveTerms({ [layer]: strict }, ANNA))).toEqual(shown.strict);
    },
  );

  test('a policy of the caller replaces all files but the managed one', () => {
    const policy = {};
    for (const layer of ['flags', 'user'] as const)
      expect(read(resolveTerms({ [layer]: loose }, { ...ANNA, policy }))).toEqual(shown.none);
    if (strict !== undefined)
      expect(read(resolveTerms({ managed: strict }, { ...ANNA, policy }))).toEqual(shown.strict);
  });
});

describe('the strongest layer that says anything wins', () => {
  const modes: readonly [Layers, string][] = [
    [{ user: { mode: 'plan' }, flags: { mode: 'accept-edits' } }, 'accept-edits'],
    [
      { user: { mode: 'plan', ...TRUST }, project: { mode: 'default' }, local: { mode: 'accept-edits' } },
      'accept-edits',
    ],
    [{ flags: { mode: 'bypass' }, managed: { mode: 'default' } }, 'default'],
  ];
  test.each(modes)('%j', (layers, mode) => expect(resolveTerms(layers).policy.mode).toBe(mode));
});

const M = { managed: { mode: 'accept-edits' } } as const satisfies Layers;
const R = { managed: { staging: 'review' } } as const satisfies Layers;
const A = { managed: { staging: 'apply' } } as const satisfies Layers;

describe('what a request asks for', () => {
  const rows: readonly [string, Layers, Asked, (terms: Terms) => unknown, unknown][] = [
    ['a mode', {}, { mode: 'bypass' }, ({ policy }) => policy.mode, 'bypass'],
    ['a laxer mode than the managed one', M, { mode: 'bypass' }, ({ policy }) => policy.mode, 'accept-edits'],
    ['a stricter mode than the managed one', M, { mode: 'plan' }, ({ policy }) => policy.mode, 'plan'],
    [
      "a mode in the caller's policy, laxer than the managed one",
      M,
      { policy: { mode: 'bypass' } },
      ({ policy }) => policy.mode,
      'accept-edits',
    ],
    ['staging', { user: { staging: 'review' } }, { staging: 'off' }, ({ staging }) => staging.mode, 'off'],
    ['less staging than managed', R, { staging: 'apply' }, ({ staging }) => staging.mode, 'review'],
    ['more staging than managed', A, { staging: 'review' }, ({ staging }) => staging.mode, 'review'],
    ['a profile that asks for borders', {}, { profile: 'mcp-guide' }, ({ policy }) => policy.roots, [WORK]],
    [
      'a profile, and checks that the settings lowered',
      { user: { checks: { 'write-outside-roots': 'allow' } } },
      { profile: 'mcp-guide' },
      ({ policy }) => policy.checks['write-outside-roots'],
      'deny',
    ],
    ['narrower roots', {}, { narrowing: { roots: [SUB, OTHER] } }, ({ roots }) => roots, [SUB]],
    ['narrower roots through a link', {}, { narrowing: { roots: [`${WORK}/link`] } }, ({ roots }) => roots, []],
    [
      'narrower roots than a profile',
      {},
      { profile: 'mcp-guide', narrowing: { roots: [SUB] } },
      ({ roots }) => roots,
      [SUB],
    ],
    [
      'other commands than the settings name',
      { user: { allowedCommands: ['ls', 'make'] } },
      { narrowing: [{ allowedCommands: ['make', 'rm'] }, { allowedCommands: ['make', 'ls'] }] },
      ({ policy }) => policy.allowedCommands,
      ['make'],
    ],
    [
      'a user without an entry',
      { user: { users: { '*': { roots: [`/${SUB}`] } } } },
      { user: 'bob' },
      ({ roots }) => roots,
      [SUB],
    ],
    ['no user', { user: { users: { '*': { roots: [`/${SUB}`] } } } }, {}, ({ roots }) => roots, [WORK]],
    [
      'a folder inside of the project',
      {},
      { cwd: SUB, originalCwd: WORK },
      ({ cwd, project, roots }) => [cwd, project, roots],
      [SUB, WORK, [WORK]],
    ],
    [
      'settings of the folder that it names: they only tighten',
      { user: TRUST, project: { mode: 'accept-edits', permissions: { deny: ['Bash(x)'] } } },
      { cwd: WORK, originalCwd: OTHER },
      (terms) => [terms.policy.mode, rulesOf(terms)],
      ['default', ['deny Bash(x)']],
    ],
    [
      'smaller limits',
      { user: { limits: { processes: 9 } } },
      { limits: { processes: 5, openFiles: 3 } },
      ({ limits }) => limits,
      { processes: 5, openFiles: 3 },
    ],
    [
      'larger limits',
      { user: { limits: { processes: 9 } } },
      { limits: { processes: 50 } },
      ({ limits }) => limits,
      { processes: 9 },
    ],
    [
      'larger limits than the sandbox has',
      {},
      { sandbox: { name: 'restricted' }, limits: { processes: 5000 } },
      ({ limits }) => limits.processes,
      512,
    ],
    ['more time', {}, { timeout: 900_000 }, ({ time }) => time.timeoutMs, 600_000],
    [
      'more time than the settings leave',
      { user: { limits: { timeoutMs: 70 } } },
      { timeout: 90 },
      ({ time }) => time.timeoutMs,
      70,
    ],
    ['a task: no time limit', {}, { isBackground: true }, ({ time }) => time.timeoutMs, null],
    [
      'a task: that of the settings',
      { user: { limits: { timeoutMs: 70 } } },
      { isBackground: true },
      ({ time }) => time.timeoutMs,
      70,
    ],
    ['a task: its own', {}, { isBackground: true, timeout: 900_000 }, ({ time }) => time.timeoutMs, 900_000],
    [
      'to continue as a task',
      {},
      { backgroundAfter: 5 },
      ({ time }) => time,
      { timeoutMs: 120_000, taskTimeoutMs: null, backgroundAfterMs: 5, graceMs: 1000 },
    ],
    [
      'variables',
      {},
      { env: { A: '1', HOME: '/x', xdg_config_home: '/y' }, preserveEnvironment: true },
      ({ environment: { request, withheld, preserve }, homeSeen }) => [request, withheld, preserve, homeSeen],
      [{ A: '1' }, ['HOME', 'xdg_config_home'], true, '/machine/home'],
    ],
    [
      'another home by the settings',
      { user: { environment: { set: { HOME: '/h' } } } },
      {},
      ({ home, homeSeen }) => [home, homeSeen],
      ['/machine/home', '/h'],
    ],
    [
      'no home by the settings',
      { user: { environment: { drop: ['HOME'] } } },
      {},
      ({ home, homeSeen }) => [home, homeSeen],
      ['/machine/home', null],
    ],
    ['a wider sandbox', {}, { sandbox: { name: 'unrestricted' } }, ({ sandbox }) => sandbox.name, 'unrestricted'],
    [
      'to leave the sandbox',
      { user: { sandbox: { allowUnsandboxed: true } } },
      { withoutSandbox: true },
      ({ sandbox, questions }) => [sandbox.isLeaving, sandbox.canLeave, questions.canClassify],
      [true, true, false],
    ],
    [
      'to leave where nothing confines',
      {},
      { withoutSandbox: true, sandbox: { name: 'unrestricted' } },
      ({ sandbox }) => sandbox.isLeaving,
      false,
    ],
    [
      'a sandbox that must be there',
      { user: { sandbox: { failIfUnavailable: false } } },
      { sandbox: { name: 'restricted' } },
      ({ sandbox }) => sandbox.isRequired,
      true,
    ],
    [
      'paths, hosts and ports',
      { user: { domains: { allow: ['a.example'] }, sandbox: { network: { allowPorts: [1], publishPorts: [2] } } } },
      { sandbox: { allowWrite: [OTHER], allowDomains: ['b.example'], allowPorts: [3], publishPorts: [4] } },
      ({ sandbox, network }) => [sandbox.requestedWrites, network?.allow, network?.hostPorts, network?.publishPorts],
      [[OTHER], ['a.example', 'b.example'], [1, 3], { settings: [2], request: [4] }],
    ],
    [
      'a timeout that a task keeps',
      { user: { limits: { timeoutMs: 9000 } } },
      { timeout: 5000, keepTimeout: true, backgroundAfter: 100 },
      ({ time }) => time,
      { timeoutMs: 5000, taskTimeoutMs: 5000, backgroundAfterMs: 100, graceMs: 1000 },
    ],
    ['a sandbox that the profile req does without', {}, { profile: 'req' }, ({ sandbox }) => sandbox.isRequired, false],
    [
      'a sandbox that the profile req needs, because the settings say so',
      { user: { sandbox: { failIfUnavailable: true } } },
      { profile: 'req' },
      ({ sandbox }) => sandbox.isRequired,
      true,
    ],
    [
      'a sandbox that the profile req needs, because the administrator chose it',
      { managed: { sandbox: { name: 'workspace' } } },
      { profile: 'req' },
      ({ sandbox }) => sandbox.isRequired,
      true,
    ],
    [
      'the restricted sandbox, also in the profile req',
      {},
      { profile: 'req', sandbox: { name: 'restricted' } },
      ({ sandbox }) => sandbox.isRequired,
      true,
    ],
    ['a yes in advance', {}, { assumeYes: true }, ({ questions }) => questions.isYesAssumed, true],
    [
      'argv',
      {},
      { command: 'echo', args: ['a b'] },
      ({ text, command, args }) => [text, command, args],
      ["echo 'a b'", 'echo', ['a b']],
    ],
  ];
  test.each(rows)('%s', (_, layers, asked, read, expected) =>
    expect(read(resolveTerms(layers, asked))).toEqual(expected),
  );
});

describe('who may be asked about a host', () => {
  const broker = createBroker();
  const canAsk = (layers: Layers, asked: Asked) => resolveTerms(layers, asked, { broker }).questions.canAskAboutHosts;
  test.each<[string, Layers, Asked, boolean]>([
    ['a tool with a broker', {}, {}, true],
    ['approved in advance', {}, { assumeYes: true }, false],
    ['the mode dont-ask', {}, { mode: 'dont-ask' }, false],
    ['managedDomainsOnly', { managed: { managedDomainsOnly: true } }, {}, false],
  ])('%s', (_, layers, asked, expected) => expect(canAsk(layers, asked)).toBe(expected));
  test('no one without a broker', () => expect(resolveTerms({}).questions.canAskAboutHosts).toBe(false));
});

describe('what the managed settings fix', () => {
  const at = { file: MANAGED, line: 1 };

  test('sandbox.name: a wider one does not count and is refused, a stricter one counts', () => {
    const managed: Settings = { sandbox: { name: 'workspace' } };
    const wide = resolveTerms({ managed }, { sandbox: { name: 'unrestricted' } }).sandbox;
    expect([wide.name, wide.managed?.refusedName, wide.managed?.name]).toEqual([
      'workspace',
      'unrestricted',
      { ...at, value: 'workspace' },
    ]);
    const strict = resolveTerms({ managed }, { sandbox: { name: 'restricted' } }).sandbox;
    expect([strict.name, strict.managed?.refusedName]).toEqual(['restricted', null]);
  });

  test('sandbox.name: no other file leads out of it', () => {
    const ways: Settings = {
      sandbox: {
        name: 'unrestricted',
        backend: 'landlock',
        excludedCommands: ['docker'],
        allowUnsandboxed: true,
        failIfUnavailable: false,
      },
    };
    const { name, backend, excludedCommands, canLeave, isRequired } = resolveTerms({
      managed: { sandbox: { name: 'workspace' }, ...TRUST },
      flags: ways,
      user: ways,
      project: ways,
      local: ways,
    }).sandbox;
    expect({ name, backend, excludedCommands, canLeave, isRequired }).toEqual({
      name: 'workspace',
      backend: 'auto',
      excludedCommands: [],
      canLeave: false,
      isRequired: true,
    });
  });

  test('sandbox.name: its own exceptions count', () => {
    const own: Settings = { sandbox: { name: 'workspace', excludedCommands: ['docker'], allowUnsandboxed: true } };
    const { excludedCommands, canLeave } = resolveTerms({ managed: own }).sandbox;
    expect([excludedCommands, canLeave]).toEqual([['docker'], true]);
  });

  test('denyRead and secretPaths: only its own allowRead shows any of it', () => {
    const { managed } = resolveTerms({
      managed: { secretPaths: ['//s'], sandbox: { filesystem: { denyRead: ['//d'], allowRead: ['//d/open'] } } },
      user: { secretPaths: ['//mine'], sandbox: { filesystem: { allowRead: ['//d', '//s'], denyRead: ['//e'] } } },
    }).sandbox;
    expect([managed?.hidden, managed?.shown]).toEqual([['/s', '/d'], ['/d/open']]);
  });

  test('managedPathsOnly: roots, paths, sockets and rules of others do not count', () => {
    const others: Settings = {
      roots: [`/${OTHER}`],
      permissions: { allow: ['Edit(//machine/other/**)', 'Bash(make)'] },
      sandbox: {
        filesystem: { allowWrite: [`/${OTHER}`], allowRead: ['//r'] },
        network: { allowUnixSockets: ['//run/s'], allowAllUnixSockets: true },
      },
    };
    const terms = resolveTerms({ managed: { managedPathsOnly: true, ...TRUST }, user: others, project: others });
    const { allowWrite, allowRead, managed } = terms.sandbox;
    expect([terms.roots, rulesOf(terms).filter((rule) => !rule.includes('Bash')), allowWrite, allowRead]).toEqual([
      [WORK],
      [],
      [],
      [],
    ]);
    expect(terms.network?.unixSockets).toEqual({ isAny: false, paths: [] });
    expect([managed?.paths, managed?.places]).toEqual([{ ...at, value: true }, [WORK]]);
  });

  test.each<[string, Partial<Policy>, Settings, readonly string[] | null]>([
    ['other roots', { roots: [OTHER] }, {}, null],
    ['roots of which some are inside', { roots: [OTHER, SUB] }, { roots: [`/${WORK}`] }, [SUB]],
    ['a link that leads out', { roots: [`${WORK}/link`] }, { roots: [`/${WORK}`] }, []],
    ['a folder that does not exist', { roots: [`${WORK}/missing`] }, { roots: [`/${WORK}`] }, []],
  ])('managedPathsOnly: a policy with %s', (_, policy, managed, roots) => {
    expect(resolveTerms({ managed: { ...managed, managedPathsOnly: true } }, { policy }).policy.roots).toEqual(roots);
  });

  test('managedDomainsOnly: hosts, addresses and ports of others do not count', () => {
    const others: Settings = {
      domains: { allow: ['u.example'] },
      permissions: { allow: ['WebFetch(domain:u.example)'] },
      sandbox: { network: { allowAddresses: ['10.0.0.0/8'], allowPorts: [1] } },
    };
    const managed: Settings = {
      managedDomainsOnly: true,
      domains: { allow: ['m.example'] },
      sandbox: { network: { allowPorts: [5] } },
    };
    const asked = { sandbox: { allowDomains: ['m.example', 'r.example'], allowPorts: [5, 6] } };
    const terms = resolveTerms({ managed, user: others }, asked);
    expect(terms.network).toMatchObject({
      allow: ['m.example'],
      allowAddresses: [],
      areHostsFixed: true,
      hostPorts: [5],
    });
    expect([rulesOf(terms), terms.sandbox.managed?.refusedHosts]).toEqual([[], ['r.example', 'localhost:6']]);
  });

  test('managedRulesOnly: rules of others do not count, and answers are not kept', () => {
    const terms = resolveTerms({
      managed: { managedRulesOnly: true, permissions: { allow: ['Bash(a)'] } },
      user: { permissions: { allow: ['Bash(b)'], deny: ['Bash(c)'] } },
    });
    expect([rulesOf(terms), terms.questions.canKeepAnswers]).toEqual([['allow Bash(a)'], false]);
  });

  test('the switches count in the managed file only', () => {
    const on: Settings = { managedRulesOnly: true, managedDomainsOnly: true, managedPathsOnly: true };
    const { questions, network, sandbox } = resolveTerms({ user: on, flags: on });
    expect([questions.canKeepAnswers, network?.areHostsFixed, sandbox.managed]).toEqual([true, false, null]);
  });

  const LAX: Policy['rules'] = (['Read(//r)', 'Network(n.example)', 'Bash(b)'] as const).map((text) => ({
    text,
    list: 'allow',
    origin: { layer: 'flags', file: null, line: null },
    until: null,
    base: null,
    because: null,
  }));
  test.each<[Settings, string[]]>([
    [{ managedRulesOnly: true }, []],
    [{ managedPathsOnly: true }, ['allow Bash(b)', 'allow Network(n.example)']],
    [{ managedDomainsOnly: true }, ['allow Bash(b)', 'allow Read(//r)']],
    [
      { permissions: { deny: ['Bash(d)'], allow: ['Bash(a)'] } },
      ['allow Bash(b)', 'allow Network(n.example)', 'allow Read(//r)', 'deny Bash(d)'],
    ],
  ])('rules of a policy that the caller brings, under %j', (managed, expected) => {
    expect(rulesOf(resolveTerms({ managed }, { policy: { rules: LAX } }))).toEqual(expected);
  });

  test('a policy that the caller brings loosens nothing else either', () => {
    const { policy } = resolveTerms(
      {
        managed: {
          confineReads: true,
          allowedCommands: ['ls', 'make'],
          managedDomainsOnly: true,
          domains: { allow: ['m.example'], deny: ['d.example'] },
          users: { anna: { deny: ['Bash(x)'] } },
          checks: { 'write-outside-roots': 'deny', 'read-outside-roots': 'ask' },
        },
      },
      {
        policy: {
          allowedCommands: ['make', 'rm'],
          domains: { allow: ['m.example', 'p.example'], deny: [] },
          users: { anna: { allow: ['Bash(y)'], ask: [], deny: [], roots: null, limits: {} } },
          checks: { 'write-outside-roots': 'allow', 'read-outside-roots': 'deny' },
        },
      },
    );
    expect(policy).toMatchObject({
      confineReads: true,
      allowedCommands: ['make'],
      domains: { allow: ['m.example'], deny: ['d.example'] },
      users: { anna: { allow: [], deny: ['Bash(x)'] } },
      checks: { 'write-outside-roots': 'deny', 'read-outside-roots': 'deny' },
    });
  });
});
