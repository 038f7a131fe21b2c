import { expect, test } from 'vitest';
import { type MachineFacts, readMachine } from './machine.ts';
import {
  brokerRemedies,
  cgroupRemedies,
  installing,
  landlockRemedies,
  namespaceRemedies,
  stepRemedies,
} from './remedies.ts';

const plain: MachineFacts = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.8.0',
  distribution: 'Debian GNU/Linux 12',
  packageTool: 'apt',
  container: null,
  isRoot: false,
  apparmorRestrictsNamespaces: null,
  unprivilegedNamespaces: null,
  maxNamespaces: 1000,
  securityModules: ['capability', 'yama', 'apparmor'],
  hasSystemd: true,
  cgroupControllers: ['cpu', 'memory', 'pids'],
};

const NAMESPACES: [name: string, change: Partial<MachineFacts>, why: string | null, first: string][] = [
  [
    'Ubuntu 24.04',
    { apparmorRestrictsNamespaces: true },
    'namespaces: EACCES',
    'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  ['Debian 10', { unprivilegedNamespaces: false }, null, 'sudo sysctl -w kernel.unprivileged_userns_clone=1'],
  ['hardened', { maxNamespaces: 0, isRoot: true }, null, 'sysctl -w user.max_user_namespaces=15000'],
  [
    'Docker',
    { container: 'docker' },
    'namespaces: EPERM',
    'Start the container with: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined …',
  ],
  [
    'Podman',
    { container: 'podman' },
    'namespaces: EPERM',
    'Start the container with: podman run --security-opt seccomp=unconfined --security-opt label=disable --security-opt unmask=ALL …',
  ],
  ['an old kernel', {}, 'mounts: ENOSYS', 'Use Linux 5.12 or newer: this kernel has no mount_setattr.'],
];

test.each(NAMESPACES)('namespaces on %s', (_, change, why, first) => {
  expect(namespaceRemedies({ ...plain, ...change }, why)[0]).toBe(first);
});

test('Landlock comes before the active modules', () => {
  expect(landlockRemedies(plain, 'EOPNOTSUPP')).toEqual([
    'Add lsm=landlock,capability,yama,apparmor to GRUB_CMDLINE_LINUX in /etc/default/grub.',
    'sudo update-grub',
    'Then restart the machine.',
  ]);
  expect(landlockRemedies({ ...plain, packageTool: 'dnf' }, 'EOPNOTSUPP')[0]).toBe(
    'sudo grubby --update-kernel=ALL --args="lsm=landlock,capability,yama,apparmor"',
  );
  expect(landlockRemedies(plain, 'ENOSYS')[0]).toContain('Linux 5.13');
});

test('a broker without the required system calls is fixed in the container', () => {
  expect(brokerRemedies({ ...plain, container: 'docker' })[0]).toBe(
    'Start the container with: docker run --cap-add SYS_PTRACE …',
  );
  expect(brokerRemedies(plain)).toEqual([expect.stringContaining('pidfd_getfd')]);
});

test('a masked /proc is fixed in the container', () => {
  expect(stepRemedies({ ...plain, container: 'docker' }, 'proc')).toEqual([
    'Start the container with: docker run --security-opt systempaths=unconfined …',
  ]);
  expect(stepRemedies(plain, 'scope')).toEqual(['Use Linux 6.12 or newer for scope.']);
});

const SERVICE = '--pty --same-dir -p Delegate=yes -p DelegateSubgroup=main hardshell run …   (systemd 254 or newer)';

test.each([
  ['a user', {}, `systemd-run --user ${SERVICE}`],
  ['root', { isRoot: true }, `systemd-run ${SERVICE}`],
  [
    'no systemd',
    { hasSystemd: false },
    'Start hardshell as a service of systemd with Delegate=yes and DelegateSubgroup=main, or as root.',
  ],
] as const)('cgroups: %s', (_, change, fix) => {
  expect(cgroupRemedies({ ...plain, ...change })).toEqual([fix]);
});

test('cgroups: controllers of the first version', () => {
  expect(cgroupRemedies({ ...plain, cgroupControllers: [] })[0]).toContain('cgroup_no_v1=all');
});

test.each([
  ['apt', 'sudo apt-get install -y gcc libc6-dev'],
  ['dnf', 'sudo dnf install -y gcc glibc-devel'],
  ['apk', 'sudo apk add gcc musl-dev linux-headers'],
  ['pacman', 'sudo pacman -S --needed gcc'],
  ['zypper', 'sudo zypper install -y gcc glibc-devel'],
  [null, 'Install a C compiler (cc) with your package manager.'],
] as const)('a compiler by %s', (packageTool, command) => {
  expect(installing({ ...plain, packageTool }, 'compiler')).toBe(command);
});

test('a machine is read from its files', () => {
  const files: Record<string, string> = {
    '/etc/os-release': 'PRETTY_NAME="Linux Mint 22"\nID=linuxmint\nID_LIKE="ubuntu debian"',
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1',
    '/proc/sys/user/max_user_namespaces': '63000',
    '/sys/kernel/security/lsm': 'lockdown,capability,landlock,yama,apparmor',
    '/proc/self/mountinfo': '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw',
    '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids',
  };
  const machine = readMachine(
    (path) => files[path] ?? null,
    (path) => path === '/run/systemd/system',
  );
  expect(machine).toMatchObject({
    distribution: 'Linux Mint 22',
    packageTool: 'apt',
    container: null,
    apparmorRestrictsNamespaces: true,
    unprivilegedNamespaces: null,
    maxNamespaces: 63_000,
    securityModules: ['lockdown', 'capability', 'landlock', 'yama', 'apparmor'],
    hasSystemd: true,
    cgroupControllers: ['cpuset', 'cpu', 'io', 'memory', 'pids'],
  });
});

test.each([
  ['/run/.containerenv', 'podman'],
  ['/.dockerenv', 'docker'],
])('%s means %s', (file, container) => {
  expect(
    readMachine(
      () => null,
      (path) => path === file,
    ).container,
  ).toBe(container);
});
