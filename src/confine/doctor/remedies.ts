// What is missing × the machine → the exact commands that fix it. Text only; nothing is run or changed.
// If no command helps, a sentence describes what would.

import type { ConfineStep } from '../port.ts';
import type { MachineFacts, PackageTool } from './machine.ts';

const INSTALL: Readonly<Record<Exclude<PackageTool, null>, (packages: Packages) => string>> = {
  apt: ({ apt }) => `apt-get install -y ${apt}`,
  dnf: ({ dnf }) => `dnf install -y ${dnf}`,
  pacman: ({ pacman }) => `pacman -S --needed ${pacman}`,
  apk: ({ apk }) => `apk add ${apk}`,
  zypper: ({ zypper }) => `zypper install -y ${zypper}`,
};

type Packages = Readonly<Record<Exclude<PackageTool, null>, string>>;

const COMPILER: Packages = {
  apt: 'gcc libc6-dev',
  dnf: 'gcc glibc-devel',
  pacman: 'gcc',
  apk: 'gcc musl-dev linux-headers',
  zypper: 'gcc glibc-devel',
};

const same = (name: string): Packages => ({ apt: name, dnf: name, pacman: name, apk: name, zypper: name });

function asRoot({ isRoot }: MachineFacts, command: string): string {
  return isRoot ? command : `sudo ${command}`;
}

export function installing(machine: MachineFacts, what: 'compiler' | 'bash'): string {
  const { packageTool } = machine;
  if (packageTool === null)
    return `Install ${what === 'compiler' ? 'a C compiler (cc)' : what} with your package manager.`;
  return asRoot(machine, INSTALL[packageTool](what === 'compiler' ? COMPILER : same(what)));
}

function setting(machine: MachineFacts, name: string, value: number): string[] {
  const keep = `echo ${name}=${value} | ${asRoot(machine, 'tee /etc/sysctl.d/60-hardshell.conf')}`;
  return [asRoot(machine, `sysctl -w ${name}=${value}`), `To keep it: ${keep}`];
}

const OPTIONS: Readonly<Record<'seccomp' | 'apparmor' | 'proc', readonly [docker: string, podman: string]>> = {
  seccomp: ['--security-opt seccomp=unconfined', '--security-opt seccomp=unconfined'],
  apparmor: ['--security-opt apparmor=unconfined', '--security-opt label=disable'],
  proc: ['--security-opt systempaths=unconfined', '--security-opt unmask=ALL'],
};

function containerOptions({ container }: MachineFacts, names: readonly (keyof typeof OPTIONS)[]): string {
  const at = container === 'podman' ? 1 : 0;
  const options = names.map((name) => OPTIONS[name][at]).join(' ');
  return `${container === 'podman' ? 'podman' : 'docker'} run ${options} …`;
}

/** Why namespaces were refused, and what to do: from the error of the kernel and the configuration of the machine. */
export function namespaceRemedies(machine: MachineFacts, why: string | null): string[] {
  if (machine.platform !== 'linux') return [];
  if (machine.maxNamespaces === 0) return setting(machine, 'user.max_user_namespaces', 15_000);
  if (machine.unprivilegedNamespaces === false) return setting(machine, 'kernel.unprivileged_userns_clone', 1);
  if (machine.apparmorRestrictsNamespaces === true)
    return [
      ...setting(machine, 'kernel.apparmor_restrict_unprivileged_userns', 0),
      'Or allow only the keeper, with the AppArmor profile in docs/doctor.md.',
    ];
  if (machine.container !== null)
    return [
      `Start the container with: ${containerOptions(machine, ['seccomp', 'apparmor', 'proc'])}`,
      'In Kubernetes: a pod with hostUsers: false and seccompProfile.type: Unconfined.',
    ];
  if (why !== null && /mounts: (?:ENOSYS|EINVAL)/.test(why))
    return ['Use Linux 5.12 or newer: this kernel has no mount_setattr.'];
  return ['Check for a security module or a filter that blocks user namespaces: `unshare -Ur true` must work.'];
}

export function landlockRemedies(machine: MachineFacts, error: string | null): string[] {
  const { securityModules, packageTool } = machine;
  if (machine.container !== null)
    return [
      'Landlock must be enabled in the kernel of the host, and the seccomp filter of the container must allow its calls.',
    ];
  if (error === 'ENOSYS') return ['Use Linux 5.13 or newer, built with CONFIG_SECURITY_LANDLOCK=y.'];
  const argument = `lsm=landlock,${securityModules?.filter((name) => name !== 'landlock').join(',') ?? '…'}`;
  if (packageTool === 'dnf')
    return [asRoot(machine, `grubby --update-kernel=ALL --args="${argument}"`), 'Then restart the machine.'];
  return [
    `Add ${argument} to GRUB_CMDLINE_LINUX in /etc/default/grub.`,
    packageTool === 'apt' ? asRoot(machine, 'update-grub') : asRoot(machine, 'grub-mkconfig -o /boot/grub/grub.cfg'),
    'Then restart the machine.',
  ];
}

const NEEDS: Partial<Record<ConfineStep, string>> = {
  refer: '5.19',
  truncate: '6.2',
  'device-ioctl': '6.10',
  scope: '6.12',
};

/** Steps of the best tier that this machine lacks. */
export function stepRemedies(machine: MachineFacts, step: ConfineStep): string[] {
  const since = NEEDS[step];
  if (since !== undefined) return [`Use Linux ${since} or newer for ${step}.`];
  if (step === 'proc' && machine.container !== null)
    return [`Start the container with: ${containerOptions(machine, ['proc'])}`];
  if (step === 'proc')
    return ['Unmount the mounts that mask parts of /proc: `grep /proc/ /proc/self/mountinfo` lists them.'];
  return [];
}

/** For connections that the supervisor makes. */
export function brokerRemedies(machine: MachineFacts): string[] {
  if (machine.container === null)
    return ['Check for a system call filter around hardshell that blocks pidfd_getfd or process_vm_readv.'];
  const engine = machine.container === 'podman' ? 'podman' : 'docker';
  return [
    `Start the container with: ${engine} run --cap-add SYS_PTRACE …`,
    'In Kubernetes: securityContext.capabilities.add: [SYS_PTRACE], or a seccompProfile that allows pidfd_getfd and process_vm_readv.',
  ];
}

export function cgroupRemedies(machine: MachineFacts): string[] {
  if (machine.platform !== 'linux') return [];
  if (machine.cgroupControllers?.includes('memory') !== true)
    return [
      'Start the kernel with cgroup_no_v1=all (and systemd.unified_cgroup_hierarchy=1), so that cgroup v2 gets them.',
    ];
  if (!machine.hasSystemd)
    return ['Start hardshell as a service of systemd with Delegate=yes and DelegateSubgroup=main, or as root.'];
  // A folder with processes cannot enable controllers: the processes of the service must be one level below its own folder.
  const service = '--pty --same-dir -p Delegate=yes -p DelegateSubgroup=main';
  return [`systemd-run ${machine.isRoot ? '' : '--user '}${service} hardshell run …   (systemd 254 or newer)`];
}
