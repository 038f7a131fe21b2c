// Disks, file systems and mounts. Showing has no effects, everything else affects the whole machine.

import { part } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

function shows(
  summary: string,
  readOnly: readonly string[],
  notReadOnly: readonly string[],
  details: Partial<CommandSpec> = {},
): CommandSpec {
  return { summary, class: 'list', operands: 'value*', ...details, examples: { readOnly, notReadOnly } };
}

/** Rewrites a disk or a part of it. */
function rewrites(summary: string, notReadOnly: readonly string[], details: Partial<CommandSpec> = {}): CommandSpec {
  return {
    summary,
    class: 'privilege',
    style: 'none',
    operands: 'write*',
    does: 'change privilege',
    ...details,
    examples: { readOnly: [], notReadOnly },
  };
}

const VOLUME_FLAGS =
  '-a --all -v --verbose -q --quiet --noheadings --nosuffix --readonly --reportformat -P --partial ' +
  '--segments --units -h --help --version';
const VOLUME_VALUES = '-o --options -O --sort --units --separator --reportformat -S --select';

export const storage: CommandFamily = {
  mount: {
    summary: 'show or mount file systems',
    class: 'list',
    flags: '-l --show-labels -v --verbose -h --help -V --version',
    values: '-t --types -o --options -L --label -U --uuid -O --test-opts',
    options: {
      '-a --all': '+change',
      '-B --bind': '+change',
      '-M --move': '+change',
      '-R --rbind': '+change',
      '-T --fstab': 'read',
      '-r --read-only': '+change',
      '-w --rw': '+change',
      '--make-private': '+change',
      '--make-shared': '+change',
    },
    operands: 'value*',
    does: 'change privilege',
    alone: '',
    variants: [
      { has: '-h --help -V --version', does: '' },
      { has: '-L --label -U --uuid -o --options -O', does: 'change privilege' },
    ],
    examples: {
      readOnly: ['mount', 'mount -l', 'mount -t ext4'],
      notReadOnly: ['mount /dev/sda1 /mnt', 'mount -a', 'mount -o remount,rw /', 'mount --bind a b', 'mount -L x'],
    },
  },
  umount: rewrites('unmount file systems', ['umount /mnt', 'umount -a'], { operands: 'value*' }),
  findmnt: shows('show mounts', ['findmnt', 'findmnt -J /', 'findmnt -t ext4 -o TARGET,SOURCE'], ['findmnt -p -x'], {
    flags:
      '-A --all -a --ascii -b --bytes -C --nocanonicalize -c --canonicalize -D --df -e --evaluate -f ' +
      '--first-only -i --invert -J --json -k --kernel -l --list -m --mtab -n --noheadings -P --pairs -r ' +
      '--raw -R --submounts -s --fstab -u --notruncate -v --nofsroot -y --shell --output-all --pseudo ' +
      '--real -h --help -V --version --deleted',
    values:
      '-d --direction -M --mountpoint -N --task -o --output -O --options -S --source -T --target -t --types ' +
      '-w --timeout',
    options: { '-F --tab-file': 'read' },
  }),
  mountpoint: shows('tell whether a folder is a mount point', ['mountpoint /', 'mountpoint -q /mnt'], [], {
    flags: '-q --quiet -d --fs-devno -x --devno --nofollow -h -V',
    operands: 'value',
  }),
  lsblk: shows('list disks', ['lsblk', 'lsblk -f', 'lsblk -J -o NAME,SIZE'], ['lsblk --sysroot d'], {
    flags:
      '-A --noempty -a --all -b --bytes -d --nodeps -D --discard -f --fs -i --ascii -J --json -l --list -M ' +
      '--merge -m --perms -n --noheadings -N --nvme -v --virtio -O --output-all -p --paths -P --pairs -r ' +
      '--raw -S --scsi -s --inverse -t --topology -z --zoned -y --shell -h --help -V --version',
    values: '-e --exclude -E --dedup -I --include -o --output -x --sort -w --width',
    optional: '-T --tree',
  }),
  blkid: shows(
    'show what disks hold',
    ['blkid', 'blkid /dev/sda1', 'blkid -o value -s UUID /dev/sda1'],
    ['blkid -g', 'blkid -c f'],
    {
      flags: '-d -h --help -i --info -k --list-filesystems -l --list-one -p --probe -V --version -D --no-part-details',
      values:
        '-L --label -U --uuid -n --match-types -o --output -O --offset -s --match-tag -S --size -t ' +
        '--match-token -u --usages',
      options: { '-c --cache-file': 'write', '-g --garbage-collect': '+change' },
    },
  ),
  fdisk: {
    summary: 'show or change partitions',
    class: 'privilege',
    flags: '-l --list -x --list-details -s --getsz --bytes -V --version -h --help',
    values: '-b --sector-size -B -c --compatibility -L --color -o --output -t --type -u --units -C -H -S -w -W',
    operands: 'write*',
    does: 'change privilege',
    variants: [
      {
        has: '-l --list -x --list-details -s --getsz -V --version -h --help',
        does: '',
        operands: 'read*',
        class: 'list',
      },
    ],
    examples: { readOnly: ['fdisk -l', 'fdisk -l /dev/sda'], notReadOnly: ['fdisk /dev/sda'] },
  },
  sfdisk: {
    summary: 'show or change partitions',
    class: 'privilege',
    flags:
      '-d --dump -J --json -l --list -F --list-free -s --show-size -T --list-types -V --verify -g ' +
      '--show-geometry -n --no-act -q --quiet -v --version -h --help',
    values: '-o --output',
    operands: 'write*',
    does: 'change privilege',
    variants: [
      {
        has:
          '-d --dump -J --json -l --list -F --list-free -s --show-size -T --list-types -V --verify -g ' +
          '--show-geometry -v --version -h --help',
        does: '',
        operands: 'read*',
        class: 'list',
      },
    ],
    examples: {
      readOnly: ['sfdisk -l', 'sfdisk -d /dev/sda'],
      notReadOnly: ['sfdisk /dev/sda', 'sfdisk -l --delete /dev/sda'],
    },
  },
  parted: {
    summary: 'show or change partitions',
    class: 'privilege',
    style: 'posix',
    flags: '-l --list -m --machine -s --script -v --version -h --help -j --json',
    values: '-a --align',
    operands: 'write value*',
    does: 'change privilege',
    variants: [{ has: '-l --list -v --version -h --help', does: '', operands: '', class: 'list' }],
    examples: {
      readOnly: ['parted -l'],
      notReadOnly: ['parted /dev/sda', 'parted -s /dev/sda mklabel gpt', 'parted -l /dev/sda rm 1'],
    },
  },
  gdisk: rewrites('change partitions', ['gdisk /dev/sda'], {}),
  sgdisk: 'gdisk',
  cgdisk: 'gdisk',
  cfdisk: 'gdisk',
  partprobe: 'gdisk',
  wipefs: 'gdisk',
  mkfs: rewrites('make a file system', ['mkfs.ext4 /dev/sda1', 'mkfs -t ext4 /dev/sda1']),
  ...named(
    'mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs ' +
      'mkfs.msdos mkfs.minix mkfs.cramfs mke2fs mkswap mkdosfs newfs',
    rewrites('make a file system', []),
  ),
  fsck: rewrites('check and repair a file system', ['fsck /dev/sda1', 'fsck -y /dev/sda1']),
  ...named(
    'fsck.ext2 fsck.ext3 fsck.ext4 fsck.xfs fsck.vfat fsck.fat e2fsck xfs_repair btrfsck ntfsfix',
    rewrites('check and repair a file system', []),
  ),
  ...named(
    'tune2fs resize2fs e2label xfs_growfs xfs_admin blockdev fstrim swaplabel badblocks debugfs',
    rewrites('change a file system', []),
  ),
  dumpe2fs: shows('show a file system', ['dumpe2fs -h /dev/sda1'], [], {
    flags: '-b -f -g -h -x -V',
    values: '-o -i',
    operands: 'read',
  }),
  swapon: {
    summary: 'show or use swap',
    class: 'list',
    flags: '-s --summary --raw --noheadings --bytes -v --verbose -h --help -V --version',
    optional: '--show',
    options: {
      '-a --all': '+change',
      '-L': 'change',
      '-U': 'change',
      '-p --priority': 'value',
      '-d --discard': 'value?',
      '-e --ifexists': '+change',
      '-f --fixpgsz': '+change',
    },
    operands: 'write*',
    variants: [{ has: '-a -L -U', does: 'change privilege' }],
    examples: { readOnly: ['swapon --show', 'swapon -s'], notReadOnly: ['swapon f', 'swapon -a'] },
  },
  swapoff: rewrites('stop using swap', ['swapoff -a'], { operands: 'value*' }),
  losetup: {
    summary: 'show or make loop devices',
    class: 'list',
    flags: '-a --all -l --list -J --json -n --noheadings --raw -h --help -V --version',
    values: '-O --output -j --associated',
    options: {
      '-f --find': '+unknown',
      '-d --detach': '+change',
      '-D --detach-all': '+change',
      '-c --set-capacity': '+change',
      '-P --partscan': '+change',
      '-o --offset': 'change',
      '-r --read-only': '+change',
      '--show': '+change',
    },
    operands: 'value write*',
    examples: {
      readOnly: ['losetup -a', 'losetup -l', 'losetup'],
      notReadOnly: ['losetup -d /dev/loop0', 'losetup /dev/loop0 f', 'losetup -fP f'],
    },
  },
  cryptsetup: {
    summary: 'encrypted disks',
    class: 'list',
    style: 'posix',
    flags: '--version -V --help -? -v --verbose -q --batch-mode',
    subcommands: {
      ...named('status isLuks luksDump luksUUID', part('show an encrypted disk', 'list', { operands: 'read*' })),
      benchmark: part('measure', 'list'),
      ...named(
        'open close create remove luksOpen luksClose luksFormat luksAddKey luksRemoveKey luksChangeKey ' +
          'luksKillSlot luksErase erase resize reencrypt convert config suspend resume luksHeaderBackup ' +
          'luksHeaderRestore',
        part('change an encrypted disk', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: {
      readOnly: ['cryptsetup status x', 'cryptsetup --version'],
      notReadOnly: [
        'cryptsetup luksFormat /dev/sda1',
        'cryptsetup open /dev/sda1 x',
        'cryptsetup luksDump --dump-master-key /dev/sda1',
      ],
    },
  },
  pvs: shows('show volumes', ['pvs', 'pvs -o pv_name', 'lvs', 'vgs --noheadings'], ['pvs --config x=y'], {
    flags: VOLUME_FLAGS,
    values: VOLUME_VALUES,
  }),
  vgs: 'pvs',
  lvs: 'pvs',
  pvdisplay: 'pvs',
  vgdisplay: 'pvs',
  lvdisplay: 'pvs',
  lvm: rewrites('manage volumes', ['lvm lvremove x'], { operands: 'value*' }),
  ...named(
    'lvcreate lvremove lvextend lvreduce lvresize lvchange lvrename vgcreate vgremove vgextend vgreduce ' +
      'vgchange pvcreate pvremove pvresize pvmove dmsetup',
    rewrites('change volumes', [], { operands: 'value*' }),
  ),
  mdadm: {
    summary: 'manage disk arrays',
    class: 'privilege',
    flags:
      '-D --detail -E --examine -Q --query --version -V -h --help -s --scan -b --brief --export -v --verbose -t --test',
    operands: 'value*',
    does: 'change privilege',
    variants: [{ has: '-D --detail -E --examine -Q --query --version -V -h --help', does: '', class: 'list' }],
    examples: {
      readOnly: ['mdadm --detail /dev/md0', 'mdadm -E /dev/sda1'],
      notReadOnly: ['mdadm --stop /dev/md0', 'mdadm --create /dev/md0', 'mdadm -D --monitor --program=x'],
    },
  },
  smartctl: {
    summary: 'health of disks',
    class: 'list',
    flags:
      '-i --info -a --all -x --xall -H --health -c --capabilities -A --attributes -V --version -h --help ' +
      '--scan --scan-open -j --json --identify',
    values: '-l --log -d --device -q --quietmode -n --nocheck -f --format -r --report',
    options: {
      '-t --test': 'change',
      '-X --abort': '+change',
      '-s --smart': 'change',
      '-o --offlineauto': 'change',
      '-S --saveauto': 'change',
      '--set': 'change',
      '-B --drivedb': 'read',
    },
    operands: 'read*',
    examples: {
      readOnly: ['smartctl -a /dev/sda', 'smartctl --scan', 'smartctl -H /dev/sda'],
      notReadOnly: ['smartctl -t short /dev/sda', 'smartctl -s on /dev/sda'],
    },
  },
  hdparm: {
    summary: 'show or set a disk',
    class: 'list',
    flags: '-I -i -t -T -g -V -q -C -v',
    operands: 'read*',
    examples: {
      readOnly: ['hdparm -I /dev/sda', 'hdparm -tT /dev/sda'],
      notReadOnly: ['hdparm -S 0 /dev/sda', 'hdparm --security-erase x /dev/sda'],
    },
  },
  nvme: {
    summary: 'show or set a disk',
    class: 'privilege',
    style: 'posix',
    flags: '--version',
    subcommands: {
      ...named(
        'list list-subsys smart-log id-ctrl id-ns error-log version',
        part('show a disk', 'list', {
          flags: '-v --verbose -H --human-readable',
          values: '-o --output-format -n --namespace-id',
          operands: 'read*',
        }),
      ),
      ...named(
        'format sanitize write reset fw-download fw-commit set-feature delete-ns create-ns admin-passthru io-passthru',
        part('change a disk', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: { readOnly: ['nvme list', 'nvme smart-log /dev/nvme0'], notReadOnly: ['nvme format /dev/nvme0n1'] },
  },
  btrfs: {
    summary: 'file systems',
    class: 'privilege',
    style: 'posix',
    flags: '--version --help',
    subcommands: {
      ...named(
        'filesystem fi subvolume sub device dev scrub balance qgroup',
        part('file systems', 'privilege', {
          style: 'posix',
          subcommands: named(
            'show df du usage list status stats',
            part('show', 'list', {
              flags: '-h -H -b -k -m -g -t -a -p -c -u -q -s --human-readable --si --raw',
              operands: 'read*',
            }),
          ),
        }),
      ),
    },
    examples: {
      readOnly: ['btrfs filesystem show', 'btrfs fi df /', 'btrfs subvolume list /'],
      notReadOnly: ['btrfs subvolume delete x', 'btrfs balance start /'],
    },
  },
  zfs: {
    summary: 'file systems',
    class: 'privilege',
    style: 'posix',
    flags: '--version',
    subcommands: {
      ...named('list get version diff', part('show', 'list', { flags: '-H -p -r -t -a', values: '-o -s -t -d -S' })),
      ...named(
        'create destroy snapshot rollback clone promote rename set inherit mount unmount share unshare send ' +
          'receive recv bookmark hold release load-key unload-key allow unallow upgrade',
        part('change', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: { readOnly: ['zfs list', 'zfs get all x'], notReadOnly: ['zfs destroy x', 'zfs set a=b x'] },
  },
  zpool: {
    summary: 'disk pools',
    class: 'privilege',
    style: 'posix',
    flags: '--version',
    subcommands: {
      ...named(
        'list status get iostat version',
        part('show', 'list', { flags: '-H -p -v -x -L -P -g -D', values: '-o -T' }),
      ),
      ...named(
        'create destroy add remove import export scrub trim clear replace attach detach offline online set ' +
          'upgrade history events labelclear split',
        part('change', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: { readOnly: ['zpool status', 'zpool list'], notReadOnly: ['zpool destroy x', 'zpool status -c x'] },
  },
  diskutil: {
    summary: 'disks',
    class: 'privilege',
    style: 'posix',
    subcommands: {
      ...named('list info activity', part('show disks', 'list', { style: 'none' })),
      ...named(
        'eraseDisk eraseVolume mount unmount mountDisk unmountDisk eject rename partitionDisk verifyDisk ' +
          'repairDisk verifyVolume repairVolume secureErase apfs',
        part('change disks', 'privilege', { style: 'none', does: 'change privilege' }),
      ),
    },
    examples: {
      readOnly: ['diskutil list', 'diskutil info /'],
      notReadOnly: ['diskutil eraseDisk x y z', 'diskutil unmount /x'],
    },
  },
  hdiutil: {
    summary: 'disk images',
    class: 'privilege',
    style: 'posix',
    subcommands: {
      ...named('info imageinfo', part('show disk images', 'list', { style: 'none' })),
      ...named(
        'attach detach create convert mount unmount eject verify resize compact',
        part('change disk images', 'write', { style: 'none', does: 'change' }),
      ),
    },
    examples: { readOnly: ['hdiutil info'], notReadOnly: ['hdiutil attach x.dmg'] },
  },
  'qemu-img': {
    summary: 'disk images',
    class: 'list',
    style: 'posix',
    flags: '--version -V --help -h',
    subcommands: {
      ...named(
        'info check measure',
        // The name may be an address, and so may a backing file.
        part('show a disk image', 'read', {
          flags: '-U --force-share -q',
          values: '-f --output',
          operands: 'read*',
          program: 'plain-words',
        }),
      ),
      ...named(
        'create convert resize commit rebase amend snapshot bitmap dd bench',
        part('change a disk image', 'write', { style: 'none', does: 'change' }),
      ),
    },
    examples: {
      readOnly: ['qemu-img info x.img', 'qemu-img --version'],
      notReadOnly: ['qemu-img create f 1G', 'qemu-img check -r all f', 'qemu-img info nbd://h', 'qemu-img resize f 1G'],
    },
  },
  lsattr: shows('show attributes of files', ['lsattr f', 'lsattr -d d'], [], {
    flags: '-R -V -a -d -l -p -v',
    operands: 'read*',
  }),
  chattr: {
    summary: 'change attributes of files',
    class: 'write',
    style: 'none',
    operands: 'value edit*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['chattr +i f', 'chattr -R +i d'] },
  },
  getfacl: shows('show rights of files', ['getfacl f', 'getfacl -R d'], [], {
    flags:
      '-a -d -c -e -E -s -R -L -P -t -p -n -v -h --access --default --omit-header --recursive --tabular ' +
      '--absolute-names --numeric --version --help',
    operands: 'read*',
  }),
  setfacl: {
    summary: 'change rights of files',
    class: 'write',
    flags: '-b -k -n -R -L -P -d -v -h --recursive --test --mask --default --remove-all --remove-default',
    values: '-m -x --modify --remove --set',
    options: { '-M --modify-file': 'read', '-X --remove-file': 'read', '--set-file': 'read', '--restore': 'unknown' },
    operands: 'edit*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['setfacl -m u:x:rw f', 'setfacl --restore=f'] },
  },
  getcap: shows('show rights of programs', ['getcap f', 'getcap -r /usr'], [], {
    flags: '-r -v -n -h',
    operands: 'read*',
  }),
  setcap: {
    summary: 'change rights of programs',
    class: 'privilege',
    flags: '-q -v -r -n',
    operands: 'value edit*',
    does: 'change privilege',
    examples: { readOnly: [], notReadOnly: ['setcap cap_net_raw+ep f', 'setcap -r f'] },
  },
  getfattr: shows('show attributes of files', ['getfattr -d f'], [], {
    flags: '-d -h -R -L -P --dump --absolute-names --only-values',
    values: '-n -e -m --name --encoding --match',
    operands: 'read*',
  }),
  setfattr: {
    summary: 'change attributes of files',
    class: 'write',
    flags: '-h',
    values: '-n -v -x',
    options: { '--restore': 'unknown' },
    operands: 'edit*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['setfattr -n user.x -v y f'] },
  },
};
