// Writes that bypass the file system: block devices, partitions, memory, kernel settings.

import type { CommandFact, PathEffect } from '../../../../core/facts.ts';
import { wordSet } from '../../../../core/values/once.ts';
import type { Check } from '../../../check.ts';
import { isBlockDevice, isKernelFile } from '../terms/places.ts';
import { knownWords, names } from '../terms/words.ts';

const PARTITION_TOOLS = names(
  'fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted wipefs blkdiscard hdparm nvme sg_format diskutil diskpart',
);
/** With one of these words the tool only displays. */
const SHOWS_ONLY: Readonly<Record<string, RegExp>> = {
  fdisk: /^(?:-[a-zA-Z]*[lsVh]|--list|--getsz|--version|--help)$/,
  sfdisk: /^(?:-[a-zA-Z]*[ldJsFVh]|--list|--dump|--json|--show-size|--version|--help)$/,
  sgdisk: /^(?:-[piv]|--print|--info.*|--verify|--version|--help)$/,
  gdisk: /^-l$/,
  parted: /^(?:-[a-z]*l|--list|print|--version|--help)$/,
};
const PARTED_CHANGE = /^(?:mk|rm$|rescue|resize|set$|name$|disk_|toggle|type$)/;

export const DEVICE_CHECKS: readonly Check[] = [
  {
    id: 'file-system-creation',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'Creating a file system erases all data on the device or file.',
    instead: null,
    inspect: (command) => (isFileSystemTool(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'mkfs.ext4 /dev/sda1',
          'mkfs -t ext4 /dev/sdb',
          'sudo mkfs.xfs -f /dev/nvme0n1',
          '/sbin/mkfs.btrfs /dev/sdb',
          'mke2fs /dev/sdb',
        ],
        ...[
          'mkswap /dev/sdb2',
          "bash -c 'mkfs.vfat /dev/sdc'",
          'true && mkfs.f2fs /dev/sdd',
          'echo y | mkfs.ext4 "$DISK"',
          'newfs /dev/ada0',
        ],
        ...[
          'mkfs.something /dev/sda',
          'env A=b timeout 5 mkfs.ext4 /dev/sda',
          'echo /dev/sda | xargs mkfs.ext4',
          'zpool create x /dev/sdb',
        ],
        ...['mk"fs".ext4 /dev/sda', 'cryptsetup luksFormat /dev/sda', 'pvcreate /dev/sdb'],
      ],
      passes: [
        'man mkfs',
        'echo mkfs.ext4',
        'mkdir fs',
        'which mkfs.ext4',
        'zpool status',
        'cryptsetup status x',
        'mkfs.ext4 --help',
        'mkfs -V',
      ],
    },
  },
  {
    id: 'partition-change',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This changes or erases the partitions of a disk.',
    instead: '`lsblk` or `fdisk -l` show disks and partitions without changing them.',
    names: PARTITION_TOOLS,
    inspect: (command) => (isPartitionChange(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'wipefs -a /dev/sda',
          'fdisk /dev/sda',
          'sudo sfdisk /dev/sda < table',
          'parted -s /dev/sda mklabel gpt',
          'blkdiscard /dev/sda',
        ],
        ...[
          'sgdisk --zap-all /dev/sda',
          'gdisk /dev/sda',
          'sgdisk -d 1 /dev/sda',
          'parted /dev/sda mkpart x print',
          "printf 'd\\nw\\n' | fdisk /dev/sda",
          'diskutil eraseDisk JHFS+ X disk2',
        ],
        ...[
          'hdparm --security-erase p /dev/sda',
          'nvme format /dev/nvme0n1',
          "sh -c 'wipefs --all /dev/sdb'",
          'cfdisk "$D"',
          'timeout 5 fdisk -w always /dev/sda',
        ],
      ],
      passes: [
        'fdisk -l',
        'sudo fdisk -l /dev/sda',
        'parted -l',
        'parted /dev/sda print',
        'sgdisk -p /dev/sda',
        'lsblk',
        'wipefs /dev/sda',
        'sfdisk -d /dev/sda',
        'diskutil list',
      ],
    },
  },
  {
    id: 'device-write',
    touches: ['writes', 'deletes'],
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This writes directly to a disk, bypassing its file system, and destroys its data.',
    instead: 'Write to a file instead, for example `dd if=input of=image.img`.',
    inspect(command) {
      return someChange(command, isBlockDevice) ? { span: command.span } : null;
    },
    examples: {
      matches: [
        ...[
          'dd if=/dev/zero of=/dev/sda bs=1M',
          'cat x > /dev/sda',
          'cp x.img /dev/nvme0n1',
          'echo x | sudo tee /dev/sdb',
          'shred /dev/sda',
        ],
        ...[
          '> /dev/sda1',
          'echo x >> /dev/vda',
          "bash -c 'cat a > /dev/hda'",
          'dd of=/dev/mmcblk0 if=a',
          'sudo dd if=a of=/dev/disk/by-id/x',
        ],
        ...[
          'cat a >| /dev/mapper/root',
          'cat a &> /dev/dm-0',
          'dd if=a of="/dev/s"da',
          'cat a | dd of=/dev/disk2',
          'dd if=a "of=/dev/md0"',
        ],
        ...[
          'truncate -s 0 /dev/loop0',
          'rm -f /dev/sda',
          'exec 3>/dev/sda',
          'cd /dev && echo x > sda',
          'echo x > /dev/../dev/sda',
          'mv a /dev/xvda',
        ],
      ],
      passes: [
        ...[
          'cat x > /dev/null',
          'ls 2>/dev/null',
          'dd if=/dev/zero of=file bs=1M count=1',
          'echo x > /dev/stderr',
          'cat a > /dev/tty',
          'ls /dev/sda',
        ],
        ...[
          'dd if=/dev/sda of=backup.img',
          'echo x > dev/sda',
          'cat /dev/urandom | head -c 8',
          'echo x > /dev/shm/a',
          'sha256sum /dev/sdb',
        ],
      ],
    },
  },
  {
    id: 'kernel-write',
    touches: ['writes', 'deletes'],
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This writes to memory or to a setting of the running kernel.',
    instead: null,
    inspect(command) {
      return someChange(command, isKernelFile) ? { span: command.span } : null;
    },
    examples: {
      matches: [
        ...[
          'echo b > /proc/sysrq-trigger',
          'echo 1 | sudo tee /proc/sys/kernel/sysrq',
          'echo 1 > /proc/sys/net/ipv4/ip_forward',
          'dd if=a of=/dev/mem',
        ],
        ...[
          'cat a > /dev/kmem',
          'echo 0 > /sys/class/leds/x/brightness',
          "sh -c 'echo c > /proc/sysrq-trigger'",
          'echo mem > /sys/power/state',
        ],
        ...['sudo bash -c "echo b >/proc/sysrq-trigger"', 'cp a /sys/x', 'cd /proc && echo b > sysrq-trigger'],
      ],
      passes: [
        'cat /proc/sys/kernel/hostname',
        'cat /sys/class/net/eth0/address',
        'echo x > sys/a',
        'cat /proc/meminfo',
        'ls /sys',
        'cat /proc/cpuinfo > a',
      ],
    },
  },
];

function someChange({ effects: { writes, deletes } }: CommandFact, isMeant: (path: string) => boolean): boolean {
  const test = ({ path }: PathEffect) => path !== null && isMeant(path);
  return writes.some(test) || deletes.some(test);
}

const HELP = ['-V', '--version', '-h', '--help', '-n'];

const FILE_SYSTEM_TOOLS = wordSet('mkfs mke2fs mkswap newfs zpool cryptsetup pvcreate vgremove lvremove pvremove');

function isFileSystemTool(command: CommandFact): boolean {
  const { name } = command;
  if (name === null || !(FILE_SYSTEM_TOOLS.has(name) || name.startsWith('mkfs.'))) return false;
  const words = knownWords(command);
  if (name === 'mkfs' || name.startsWith('mkfs.') || name === 'mke2fs' || name === 'mkswap' || name === 'newfs') {
    return !words.some((word) => HELP.includes(word)) || words.some((word) => word.startsWith('/'));
  }
  if (name === 'zpool') return words[0] === 'create' || words[0] === 'destroy' || words[0] === 'labelclear';
  if (name === 'cryptsetup') return words.some((word) => /^(?:luksFormat|luksErase|erase|reencrypt)$/.test(word));
  return name === 'pvcreate' || name === 'vgremove' || name === 'lvremove' || name === 'pvremove';
}

function isPartitionChange(command: CommandFact): boolean {
  const words = knownWords(command);
  switch (command.name) {
    case 'wipefs':
      return words.some((word) => /^-(?:[a-z]*[ao]|-all|-offset)/.test(word));
    case 'hdparm':
      return words.some((word) => /^--(?:security-|trim-|write-|make-bad|dco-|yes-i-know)/.test(word));
    case 'nvme':
      return words.some((word) => ['format', 'sanitize', 'write', 'write-zeroes', 'delete-ns'].includes(word));
    case 'diskutil':
      return words.some((word) => /^(?:erase|secureErase|partition|zero|random|reformat|apfs|resize)/i.test(word));
    case 'blkdiscard':
    case 'sg_format':
    case 'diskpart':
      return true;
    default: {
      if (command.name === 'parted' && words.some((word) => PARTED_CHANGE.test(word))) return true;
      const shown = SHOWS_ONLY[command.name ?? ''];
      return shown === undefined || !words.some((word) => shown.test(word));
    }
  }
}
