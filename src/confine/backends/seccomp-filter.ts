// The system call filter as bytes, for programs that take one by a descriptor; null for unknown architectures.
// It refuses the same calls as native/confine-seccomp.c inside namespaces; the rows of test/attacks check both.

export interface FilterChoice {
  readonly unixSockets: 'any' | 'pairs';
  readonly hasInternet: boolean;
}

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

const LOAD = 0x20;
const MASK = 0x54;
const IF_EQUAL = 0x15;
const IF_ANY_BIT = 0x45;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const NUMBER_OFFSET = 0;
const MACHINE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const X32_BIT = 0x40000000;
const NEW_NAMESPACES = 0x7e020000;
const NEW_TIME = 0x80;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCKET_TYPE_BITS = 0x0f;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const CLONE3 = 435;

interface Machine {
  readonly audit: number;
  readonly hasX32: boolean;
  readonly clone: number;
  readonly unshare: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly refused: readonly number[];
}

/** open_tree, move_mount, io_uring_*, fsopen … fspick, pidfd_getfd, process_madvise, mount_setattr, quotactl_fd, … */
const REFUSED_EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 448, 467];

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    hasX32: true,
    clone: 56,
    unshare: 272,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    refused: [
      // ptrace, syslog, uselib, ustat, sysfs, vhangup, modify_ldt, pivot_root, _sysctl, adjtimex, chroot, acct
      101, 103, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163,
      // settimeofday, mount, umount2, swapon, swapoff, reboot, sethostname, setdomainname, iopl, ioperm
      164, 165, 166, 167, 168, 169, 170, 171, 172, 173,
      // create_module … query_module, quotactl, nfsservctl, lookup_dcookie, clock_settime, kexec_load
      174, 175, 176, 177, 178, 179, 180, 212, 227, 246,
      // add_key, request_key, keyctl, migrate_pages, move_pages, perf_event_open, fanotify_init
      248, 249, 250, 256, 279, 298, 300,
      // name_to_handle_at, open_by_handle_at, clock_adjtime, setns, process_vm_readv, process_vm_writev, kcmp
      303, 304, 305, 308, 310, 311, 312,
      // finit_module, kexec_file_load, bpf, userfaultfd
      313, 320, 321, 323,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    hasX32: false,
    clone: 220,
    unshare: 97,
    ioctl: 29,
    socket: 198,
    socketpair: 199,
    refused: [
      // lookup_dcookie, umount2, mount, pivot_root, nfsservctl, chroot, vhangup, quotactl, acct
      18, 39, 40, 41, 42, 51, 58, 60, 89,
      // kexec_load, init_module, delete_module, clock_settime, syslog, ptrace, reboot, sethostname, setdomainname
      104, 105, 106, 112, 116, 117, 142, 161, 162,
      // settimeofday, adjtimex, add_key, request_key, keyctl, swapon, swapoff, migrate_pages, move_pages
      170, 171, 217, 218, 219, 224, 225, 238, 239,
      // perf_event_open, fanotify_init, name_to_handle_at, open_by_handle_at, clock_adjtime, setns
      241, 262, 264, 265, 266, 268,
      // process_vm_readv, process_vm_writev, kcmp, finit_module, bpf, userfaultfd, kexec_file_load
      270, 271, 272, 273, 280, 282, 294,
    ],
  },
};

type Instruction = readonly [code: number, when: number, otherwise: number, value: number];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
// The low half: the kernel takes an int, so the other half is ignored.
const loadArgument = (index: number): Instruction => load(ARGUMENTS_OFFSET + 8 * index);
const giveBack = (value: number): Instruction => [RETURN, 0, 0, value];
const answerIf = (test: number, value: number, answer: number): Instruction[] => [
  [test, 0, 1, value],
  giveBack(answer),
];

/** Skipped by all other calls; it ends in a return, so that the number need not be loaded again. */
function forCall(number: number, work: readonly Instruction[], last = ALLOW): Instruction[] {
  const block = [...work, giveBack(last)];
  if (block.length > 255) throw new RangeError('a block of the filter is too long to skip');
  return [[IF_EQUAL, 0, block.length, number], ...block];
}

function filterSockets(machine: Machine, { unixSockets, hasInternet }: FilterChoice): Instruction[] {
  const families = [...(unixSockets === 'any' ? [AF_UNIX] : []), ...(hasInternet ? [AF_INET, AF_INET6] : [])];
  // A pair of datagram sockets can be reconnected afterwards, and SOCK_RAW is an alias for it.
  const pairTypes = unixSockets === 'pairs' ? [SOCK_DGRAM, SOCK_RAW] : [];
  return [
    ...forCall(
      machine.socket,
      [loadArgument(0), ...families.flatMap((family) => answerIf(IF_EQUAL, family, ALLOW))],
      EPERM,
    ),
    ...forCall(machine.socketpair, [
      loadArgument(0),
      [IF_EQUAL, 1, 0, AF_UNIX],
      giveBack(EPERM),
      loadArgument(1),
      [MASK, 0, 0, SOCKET_TYPE_BITS],
      ...pairTypes.flatMap((type) => answerIf(IF_EQUAL, type, EPERM)),
    ]),
  ];
}

export function makeFilter(choice: FilterChoice, architecture: string = process.arch): Uint8Array | null {
  const machine = MACHINES[architecture];
  if (machine === undefined) return null;
  const code: Instruction[] = [
    load(MACHINE_OFFSET),
    [IF_EQUAL, 1, 0, machine.audit],
    giveBack(KILL),
    load(NUMBER_OFFSET),
    ...(machine.hasX32 ? answerIf(IF_AT_LEAST, X32_BIT, EPERM) : []),
    ...[...machine.refused, ...REFUSED_EVERYWHERE].flatMap((number) => answerIf(IF_EQUAL, number, EPERM)),
    // Its flags are in memory, which a filter cannot read; all callers fall back to clone.
    ...answerIf(IF_EQUAL, CLONE3, ENOSYS),
    ...forCall(machine.clone, [loadArgument(0), ...answerIf(IF_ANY_BIT, NEW_NAMESPACES, EPERM)]),
    ...forCall(machine.unshare, [loadArgument(0), ...answerIf(IF_ANY_BIT, NEW_NAMESPACES | NEW_TIME, EPERM)]),
    ...forCall(machine.ioctl, [
      loadArgument(1),
      ...[TIOCSTI, TIOCLINUX].flatMap((request) => answerIf(IF_EQUAL, request, EPERM)),
    ]),
    ...filterSockets(machine, choice),
    giveBack(ALLOW),
  ];
  const bytes = Buffer.alloc(8 * code.length);
  for (const [index, [operation, when, otherwise, value]] of code.entries()) {
    bytes.writeUInt16LE(operation, 8 * index);
    bytes.writeUInt8(when, 8 * index + 2);
    bytes.writeUInt8(otherwise, 8 * index + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  }
  return bytes;
}
