// The Seatbelt profile as text: NOT run on macOS. A reader of the language says what the rules allow.

import { describe, expect, test } from 'vitest';
import { findSeatbelt, SeatbeltBackend } from '../../src/confine/backends/seatbelt.ts';
import type { ConfinementPolicy } from '../../src/confine/plan.ts';
import type { FolderReader } from '../../src/confine/reading.ts';
import { GUARANTEES } from '../../src/core/confinement.ts';
import { type Operation, Profile, parseProfile } from './sbpl-reader.ts';

const W = '/Users/me/w';
const THERE = [
  ...['/', '/private', '/private/tmp', '/private/tmp/own', '/private/tmp/w', '/private/var', '/Users', '/Users/me'],
  ...['/Users/me/.ssh', W, `${W}/.git`, `${W}/.git/hooks`, `${W}/.git/config`],
];

/** A Mac: /tmp, /var and /etc are links. */
function mac(more: readonly string[] = []): FolderReader {
  const known = new Set([...THERE, ...more]);
  const real = (path: string) => path.replace(/^\/(tmp|var|etc)(?=\/|$)/, '/private/$1');
  return { realPath: (path) => (known.has(real(path)) ? real(path) : null), list: () => [] };
}

const workspace: ConfinementPolicy = {
  name: 'workspace',
  writable: [W],
  hidden: ['/Users/me/.ssh', `${W}/.env`],
  temporary: '/tmp/own',
};

function launch(policy: ConfinementPolicy, folders = mac()) {
  const plan = new SeatbeltBackend(folders).plan(policy);
  if (plan.kind !== 'confined') throw new Error(plan.kind);
  const request = { program: 'bash', argv: ['bash', '-c', 'echo "$1"'], cwd: W, env: { A: '1' }, timeoutMs: 5 };
  return { plan, request: plan.apply(request) };
}

function profileOf(policy: ConfinementPolicy, folders = mac()): { profile: Profile; text: string } {
  const { argv } = launch(policy, folders).request;
  const parameters = new Map<string, string>();
  for (let at = 3; argv[at] === '-D'; at += 2) {
    const word = argv[at + 1] as string;
    parameters.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
  }
  const text = argv[2] as string;
  return { profile: new Profile(text, parameters), text };
}

const create = (path: string, vnode: Operation['vnode'] = 'REGULAR-FILE') =>
  ({ name: 'file-write-create', path, vnode }) as const;
const unlink = (path: string): Operation => ({ name: 'file-write-unlink', path });
const write = (path: string): Operation => ({ name: 'file-write-data', path, vnode: 'REGULAR-FILE' });
const read = (path: string): Operation => ({ name: 'file-read-data', path, vnode: 'REGULAR-FILE' });
const device = (name: string, path: string): Operation => ({ name, path, vnode: 'CHARACTER-DEVICE' });
const to = (port: number, host = '127.0.0.1', kind: 'tcp' | 'udp' = 'tcp'): Operation => ({
  name: 'network-outbound',
  remote: { kind, host, port },
});
const on = (port: number, name = 'network-bind'): Operation => ({
  name,
  local: { kind: 'tcp', host: '127.0.0.1', port },
});
const socket = (path: string): Operation => ({ name: 'network-outbound', path, remote: { kind: 'unix' } });
const mach = (value: string): Operation => ({ name: 'mach-lookup', value });
const FAR = '93.184.216.34';
const RESOLVER = '/private/var/run/mDNSResponder';
const DOCKER = '/private/var/run/docker.sock';

type Case = readonly [what: string, operation: Operation, isAllowed: boolean, policy?: Partial<ConfinementPolicy>];
const CASES: readonly Case[] = [
  ['writes in the workspace', write(`${W}/a`), true],
  ['makes files there', create(`${W}/new/file`), true],
  ['removes files there', unlink(`${W}/a`), true],
  ['makes links there', create(`${W}/link`, 'SYMLINK'), true],
  ['changes modes there', { name: 'file-write-mode', path: `${W}/a` }, true],
  ['writes in the workspace by the restricted policy', write(`${W}/a`), false, { name: 'restricted' }],
  ['writes in its temporary folder', create('/private/tmp/own/x'), true],
  ['writes there by the restricted policy too', create('/private/tmp/own/x'), true, { name: 'restricted' }],
  ['writes in the temporary folder of all', create('/private/tmp/x'), false],
  ['writes in a folder with the same beginning', write(`${W}2/a`), false],
  ['writes outside', write('/Users/me/other'), false],
  ['makes files outside', create('/Users/me/.zshrc'), false],
  ['changes modes outside', { name: 'file-write-mode', path: '/Users/me/other' }, false],
  ['changes attributes outside', { name: 'file-write-xattr', path: '/Users/me/other' }, false],
  ['changes times outside', { name: 'file-write-times', path: '/Users/me/other' }, false],
  ['writes where a link leads', write('/private/tmp/w/a'), true, { writable: ['/tmp/w'] }],
  ['makes a writable folder that is not there', create('/Users/me/absent'), false, { writable: ['/Users/me/absent'] }],
  ['removes the workspace', unlink(W), false],
  ['reads everything else', read('/etc/passwd'), true],
  ['maps code', { name: 'file-map-executable', path: '/usr/lib/dyld' }, true],
  ['reads what is hidden', read('/Users/me/.ssh/id'), false],
  ['lists what is hidden', { name: 'file-read-data', path: '/Users/me/.ssh', vnode: 'DIRECTORY' }, false],
  ['sees its size', { name: 'file-read-metadata', path: '/Users/me/.ssh/id' }, false],
  ['reads a hidden name that came later', read(`${W}/.env`), false],
  ['reads it in other letters', read(`${W}/.ENV`), false],
  ['writes to it', write(`${W}/.env`), false],
  ['moves it away', unlink(`${W}/.env`), false],
  ['reads its neighbour', read(`${W}/.environment`), true],
  ['makes a hook', create(`${W}/.git/hooks/pre-commit`), false],
  ['moves the hooks away', unlink(`${W}/.git/hooks`), false],
  ['moves their folder away', unlink(`${W}/.git`), false],
  ['puts a link in its place', create(`${W}/.git`, 'SYMLINK'), false],
  ['makes that folder', create(`${W}/.git`, 'DIRECTORY'), true],
  ['changes the settings of git', write(`${W}/.git/config`), false],
  ['commits', create(`${W}/.git/objects/ab/cdef`), true],
  ['writes a file beside the settings', create(`${W}/.git/config.lock`), true],
  ['clones into the workspace', create(`${W}/copy/.git/config`), true],
  ['makes a protected name', create(`${W}/.vscode`, 'DIRECTORY'), false],
  ['makes it in other letters', create(`${W}/.VSCode/tasks.json`), false],
  ['makes one that only begins so', create(`${W}/.vscode-test`), true],
  ['writes to /dev/null', device('file-write-data', '/dev/null'), true],
  ['reads a disk', { name: 'file-read-data', path: '/dev/disk0', vnode: 'BLOCK-DEVICE' }, false],
  ['reads a raw disk', device('file-read-data', '/dev/rdisk0'), false],
  ['makes a device', create(`${W}/disk`, 'BLOCK-DEVICE'), false],
  ['reads a device that it finds there', device('file-read-data', `${W}/disk`), false],
  ['writes to a device that it finds there', device('file-write-data', `${W}/disk`), false],
  ['opens a terminal', { name: 'pseudo-tty' }, true],
  ['uses its own terminal', { ...device('file-write-data', '/dev/ttys004'), extension: 'com.apple.sandbox.pty' }, true],
  ['writes into another terminal', device('file-write-data', '/dev/ttys001'), false],
  ['types into another terminal', device('file-ioctl', '/dev/ttys001'), false],
  ['starts programs', { name: 'process-exec', path: '/bin/ls' }, true],
  ['starts programs that it made', { name: 'process-exec', path: `${W}/a.out` }, true],
  ['starts setuid programs', { name: 'process-exec', path: '/usr/bin/sudo', isSetuid: true }, false],
  ['signals its own', { name: 'signal', target: 'same-sandbox' }, true],
  ['signals others', { name: 'signal', target: 'others' }, false],
  ['looks into others', { name: 'process-info-pidinfo', target: 'others' }, false],
  ['takes the task port of others', { name: 'mach-priv-task-port', target: 'others' }, false],
  ['asks who a user is', mach('com.apple.system.opendirectoryd.libinfo'), true],
  ['asks the keychain', mach('com.apple.SecurityServer'), false],
  ['asks it by the other name', mach('com.apple.securityd.xpc'), false],
  ['starts programs outside', mach('com.apple.coreservices.launchservicesd'), false],
  ['lets trustd fetch', mach('com.apple.trustd.agent'), false],
  ['reads the pasteboard', mach('com.apple.pasteboard.1'), false],
  ['resolves names by a service', mach('com.apple.dnssd.service'), false],
  ['sends events to programs', { name: 'appleevent-send' }, false],
  ['changes settings of the kernel', { name: 'sysctl-write', value: 'kern.hostname' }, false],
  ['mounts', { name: 'file-mount', path: W }, false],
  ['opens shared memory of others', { name: 'ipc-posix-shm-write-data', value: 'x' }, false],
  ['connects', to(443, FAR), false],
  ['connects to this machine', to(22), false],
  ['asks by UDP', to(53, '8.8.8.8', 'udp'), false],
  ['serves', on(8080), false],
  ['connects to the proxy', to(4321), true, { proxyPort: 4321 }],
  ['connects to that port elsewhere', to(4321, '10.0.0.1'), false, { proxyPort: 4321 }],
  ['connects beside the proxy', to(4322), false, { proxyPort: 4321 }],
  ['connects to a port whose number begins so', to(43210), false, { proxyPort: 4321 }],
  ['resolves names with a proxy', socket(RESOLVER), false, { proxyPort: 4321 }],
  ['connects to a listed port of this machine', to(5432), true, { hostPorts: [5432] }],
  ['connects to one that is published', to(3000), false, { publishPorts: [3000] }],
  ['serves one that is published', on(3000), true, { publishPorts: [3000] }],
  ['accepts there', on(3000, 'network-inbound'), true, { publishPorts: [3000] }],
  ['serves another', on(3001), false, { publishPorts: [3000] }],
  ['connects where all is open', to(443, FAR), true, { network: 'host' }],
  ['resolves names there', socket(RESOLVER), true, { network: 'host' }],
  ['reaches a socket there', socket(DOCKER), false, { network: 'host' }],
  ['connects to a listed port', to(443, FAR), true, { network: 'host', connectPorts: [443] }],
  ['connects to a port that is not listed', to(80, FAR), false, { network: 'host', connectPorts: [443] }],
  ['asks by UDP where TCP is listed', to(443, FAR, 'udp'), false, { network: 'host', connectPorts: [443] }],
  ['serves where the list is empty', on(1), false, { network: 'host', bindPorts: [] }],
  ['connects where the list is empty', to(1), false, { network: 'host', connectPorts: [] }],
  ['reaches a socket', socket(DOCKER), false],
  ['reaches a listed socket', socket('/private/tmp/agent'), true, { unixPaths: ['/tmp/agent'] }],
  ['reaches its neighbour', socket('/private/tmp/agent2'), false, { unixPaths: ['/tmp/agent'] }],
  ['reaches any socket where all are allowed', socket(DOCKER), true, { unixSockets: 'any' }],
];

test('names are unique', () => expect(new Set(CASES.map(([name]) => name)).size).toBe(CASES.length));

test.for(CASES)('%s', ([, operation, isAllowed, policy = {}]) => {
  expect(profileOf({ ...workspace, ...policy }).profile.allows(operation)).toBe(isAllowed);
});

describe('names that could be read as rules', () => {
  const ODD = [
    'a"b',
    'a\\b',
    'a\\"b',
    'two\nlines',
    ') (allow default) (',
    '")) (allow file-write*) ((x "',
    '#"raw"',
    '; comment',
    '(param "WRITE_0")',
    'a=b',
    '\u00e9\u{1f600}',
    '[a-z]*$^.+?|',
    ' -D',
  ];

  test.each(ODD.map((name) => [name]))('%j', (name) => {
    const root = `/Users/me/${name}`;
    const folders = mac([root, `${root}/.git`, `${root}/.git/hooks`, `${root}/.git/config`]);
    const policy = { ...workspace, writable: [root], hidden: [`${root}/${name}`], unixPaths: [`${root}/${name}.sock`] };
    const { profile, text } = profileOf(policy, folders);
    const plain = profileOf({ ...policy, writable: [W], hidden: [`${W}/x`], unixPaths: [`${W}/y`] });
    expect(profile.size).toBe(plain.profile.size);
    // That one is in every text, as itself.
    if (!name.startsWith('(param')) expect(text).not.toContain(name);
    expect(profile.allows(write(`${root}/a`))).toBe(true);
    expect(profile.allows(create(`${root}/.git/hooks/x`))).toBe(false);
    expect(profile.allows(create(`${root}/.vscode`))).toBe(false);
    expect(profile.allows(read(`${root}/${name}`))).toBe(false);
    expect(profile.allows(write('/Users/me/other'))).toBe(false);
    expect(profile.allows(socket(`${root}/${name}.sock`))).toBe(true);
    expect(profile.allows(socket(DOCKER))).toBe(false);
  });

  test('ports are numbers or nothing', () => {
    for (const port of ['1"))(allow default)((', 1.5, -1, 70000, Number.NaN] as number[])
      expect(() => launch({ ...workspace, hostPorts: [port] })).toThrow('is not a port');
  });
});

describe('the request', () => {
  test('starts the program of the system with the same words', () => {
    const { request } = launch(workspace);
    expect(request).toMatchObject({ program: '/usr/bin/sandbox-exec', cwd: W, timeoutMs: 5 });
    expect(request.argv.slice(0, 2)).toEqual(['sandbox-exec', '-p']);
    expect(request.argv.slice(-3)).toEqual(['bash', '-c', 'echo "$1"']);
    expect(request.env).toEqual({ A: '1', TMPDIR: '/private/tmp/own' });
  });

  test('takes no option for a program', () => {
    const { plan } = launch(workspace);
    expect(() => plan.apply({ program: '-n', argv: ['-n'], cwd: '/', env: {} })).toThrow('looks like an option');
  });
});

test('missing guarantees are listed: new names are held, the state of git repositories is not checked', () => {
  const { enforcement } = launch(workspace).plan;
  const missing = enforcement.missing.map(({ guarantee }) => guarantee);
  expect(enforcement.tier).toBe('seatbelt');
  expect(missing).toEqual(['protected-absent', 'processes-unseen', 'shared-ipc', 'kernel-surface']);
  expect(enforcement.missing[0]?.why).toContain('the index of a git repository');
  expect(enforcement.held).toEqual(GUARANTEES.filter((name) => !missing.includes(name)));
  const open = launch({ ...workspace, network: 'host', unixSockets: 'any' }).plan.enforcement.missing;
  expect(open.map(({ guarantee }) => guarantee)).toEqual(expect.arrayContaining(['network', 'unix-sockets']));
});

test('it is trusted only when a start works and a write does not', async () => {
  const find = (...codes: number[]) =>
    findSeatbelt(mac(), async () => ({ exitCode: codes.shift() ?? 9, text: 'sandbox_apply' }));
  expect(await find(0, 1)).toMatchObject({ isAvailable: true });
  expect(await find(71)).toMatchObject({ isAvailable: false, why: expect.stringContaining('sandbox_apply') });
  expect(await find(0, 0)).toMatchObject({ isAvailable: false, why: expect.stringContaining('does not confine') });
});

describe('the reader', () => {
  test.each([
    '(version 1)(allow',
    '(version 1))',
    '(version 1)(allow file-eat*)',
    '(version 1)(permit default)',
    '(allow default)',
    '(version 1)(allow file-read* (nonsense "x"))',
    '(version 1)(allow file-read* (literal (param "GONE")))',
    '(version 1)(allow network-outbound (remote ip "10.0.0.1:80"))',
  ])('refuses %s', (text) => {
    expect(() => new Profile(text, new Map())).toThrow(SyntaxError);
  });

  test('lets the last rule count', () => {
    const rules = '(deny default)(allow file-read*)(deny file-read* (subpath "/a"))(allow file-read* (literal "/a/b"))';
    const profile = new Profile(`(version 1)${rules}`, new Map());
    expect(['/x', '/a/x', '/a/b', '/ab'].map((path) => profile.allows(read(path)))).toEqual([true, false, true, true]);
    expect(parseProfile('(a "b\\"c\\\\" #"d\\e") ; f')).toEqual([['a', { text: 'b"c\\' }, { text: 'd\\e' }]]);
  });
});
