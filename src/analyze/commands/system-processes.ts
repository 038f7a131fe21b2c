// Processes, memory, kernel messages and settings.

import type { CommandFamily, CommandSpec } from './spec.ts';

/** A program that only shows something; `details` add its options. */
function shows(summary: string, examples: readonly string[], details: Partial<CommandSpec> = {}): CommandSpec {
  return {
    summary,
    class: 'list',
    operands: 'value*',
    ...details,
    examples: { readOnly: examples, notReadOnly: details.examples?.notReadOnly ?? [] },
  };
}

export const processes: CommandFamily = {
  ps: {
    summary: 'list processes',
    class: 'list',
    exactLong: true,
    flags:
      '-A -a -d -e -f -F -H -j -l -L -M -m -N -r -T -v -V -w -x -y -Z -c --deselect --forest --headers ' +
      '--no-headers --no-heading --info --context --cumulative --help --version',
    values:
      '-C -g -G -n -p -q -s -t -u -U --cols --columns --group --Group --lines --rows --pid --ppid ' +
      '--quick-pid --sid --sort --tty --user --User --width -k',
    options: { '-o --format': 'value', '-O': 'value', '-E': '+secret' },
    operands: 'value*',
    program: 'ps',
    examples: {
      readOnly: [
        'ps',
        'ps aux',
        'ps -ef',
        'ps -eo pid,cmd --sort=-rss',
        'ps axo pid,etime,command',
        'ps -p 12 -o args=',
        'ps auxf',
        'ps -u root',
        'ps ax o pid,time',
        'ps 12',
      ],
      notReadOnly: ['ps auxe', 'ps e', 'ps eww 12', 'ps -p 12 e', 'ps axe', 'ps -E', 'ps -eo environ'],
    },
  },
  pgrep: shows('find processes by name', ['pgrep node', 'pgrep -fl node', 'pgrep -u root -a ssh'], {
    flags:
      '-a --list-full -c --count -f --full -i --ignore-case -l --list-name -L --logpidfile -n --newest -o ' +
      '--oldest -v --inverse -w --lightweight -x --exact -h --help -V --version -q --quiet -A ' +
      '--ignore-ancestors',
    values:
      '-d --delimiter -g --pgroup -G --group -O --older -P --parent -r --runstates -s --session -t ' +
      '--terminal -u --euid -U --uid --cgroup --ns --nslist --env',
    options: { '-F --pidfile': 'read' },
  }),
  pkill: {
    summary: 'signal processes by name',
    class: 'list',
    flags:
      '-c --count -e --echo -f --full -i --ignore-case -n --newest -o --oldest -v --inverse -x --exact -h ' +
      '--help -V --version -A',
    values:
      '-g --pgroup -G --group -O --older -P --parent -r --runstates -s --session -t --terminal -u --euid -U ' +
      '--uid --signal -q --queue',
    numeric: true,
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-h --help -V --version', does: '' }],
    examples: { readOnly: ['pkill --version'], notReadOnly: ['pkill node', 'pkill -9 -f x'] },
  },
  kill: {
    summary: 'signal a process',
    class: 'list',
    style: 'none',
    operands: 'value*',
    program: 'kill',
    examples: {
      readOnly: ['kill -l', 'kill -L', 'kill -0 12'],
      notReadOnly: ['kill 12', 'kill -9 12', 'kill -0 -9 12', 'kill -s KILL 12'],
    },
  },
  killall: {
    summary: 'signal processes by name',
    class: 'list',
    flags: '-e -I -g -i -l -q -v -V -w --list --version --quiet --wait',
    values: '-n -s -u -o -y -Z --signal --user',
    numeric: true,
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-l --list -V --version', does: '', operands: '' }],
    examples: { readOnly: ['killall -l'], notReadOnly: ['killall node', 'killall -9 x'] },
  },
  killall5: {
    summary: 'signal all processes',
    class: 'execute',
    style: 'none',
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['killall5 -9'] },
  },
  skill: 'killall5',
  snice: 'killall5',
  xkill: 'killall5',
  pidof: shows('find a process by name', ['pidof sshd'], { flags: '-s -c -n -q -w -x -z', values: '-o -S -d' }),
  pidwait: 'pgrep',
  pwait: 'pgrep',
  pstree: shows('show processes as a tree', ['pstree', 'pstree -ap 1'], {
    flags: '-a -A -c -C -g -G -h -k -l -n -p -s -S -t -T -u -U -V -Z',
    values: '-H -N',
  }),
  pmap: shows('show the memory of a process', ['pmap 12'], {
    flags: '-x -X -XX -d -q -p -k -V',
    values: '-A',
    options: { '-C': 'unknown', '-N': 'write', '-c': '+unknown', '-n': '+unknown' },
  }),
  pwdx: shows('show the folder of a process', ['pwdx 12'], { flags: '-V' }),
  lsof: {
    summary: 'list open files',
    class: 'list',
    flags: '-? -h -a -b -C -E -H -K -l -M -n -N -O -P -R -t -U -v -V -w -x -X -Q -s -o -T -L -f',
    values: '-c -d -g -p -u -e -k -S',
    optional: '-F -i -r -T',
    options: { '-D': 'unknown', '-A': 'read', '-m': 'read' },
    operands: 'value*',
    program: 'lsof',
    examples: {
      readOnly: ['lsof', 'lsof -i :80', 'lsof -i:3000 -t', 'lsof -nP -iTCP -sTCP:LISTEN', 'lsof -p 12', 'lsof f'],
      notReadOnly: ['lsof -Db f'],
    },
  },
  fuser: {
    summary: 'find processes that use files',
    class: 'list',
    flags: '-a -c -f -I -l -m -M -s -u -v -V -4 -6',
    values: '-n -N',
    options: { '-k --kill': '+change', '-i --interactive': '+change' },
    operands: 'read*',
    examples: { readOnly: ['fuser f', 'fuser -v 80/tcp'], notReadOnly: ['fuser -k 80/tcp', 'fuser -km /mnt'] },
  },
  top: {
    ownState: true,
    summary: 'show processes as they run',
    class: 'list',
    flags: '-b --batch-mode -c -H -i -S -1 -E -h -v -V',
    values: '-d -n -o -p -u -U -w -e -l -s -stats -ncols',
    operands: '',
    // Without batch mode it accepts keys that signal processes and write settings.
    does: 'unknown',
    variants: [{ has: '-b --batch-mode -l -h -v -V', does: '' }],
    examples: { readOnly: ['top -b -n 1', 'top -bn1', 'top -bn1 -o %MEM', 'top -l 1'], notReadOnly: ['top'] },
  },
  htop: {
    summary: 'show processes as they run',
    class: 'list',
    flags: '--version --help',
    operands: '',
    does: 'unknown',
    variants: [{ has: '--version --help', does: '' }],
    examples: { readOnly: ['htop --version'], notReadOnly: ['htop'] },
  },
  btop: 'htop',
  atop: 'htop',
  iotop: {
    summary: 'show input and output of processes',
    class: 'list',
    flags: '-b --batch -o --only -P --processes -a --accumulated -k -t -q --version -h --help',
    values: '-n --iter -d --delay -p --pid -u --user',
    operands: '',
    does: 'unknown',
    variants: [{ has: '-b --batch --version -h --help', does: '' }],
    examples: { readOnly: ['iotop -b -n 1'], notReadOnly: ['iotop'] },
  },
  vmstat: shows('show memory and processor use', ['vmstat', 'vmstat 1 3', 'vmstat -s'], {
    flags: '-a -d -D -f -m -n -s -t -w -y -V -h',
    values: '-p -S',
  }),
  iostat: shows('show disk use', ['iostat', 'iostat -x 1 2'], {
    flags: '-c -d -h -k -m -N -s -t -V -x -y -z --human --pretty --compact',
    values: '-j -o -p -g --dec',
  }),
  mpstat: shows('show processor use', ['mpstat', 'mpstat -P ALL 1 1'], {
    flags: '-A -n -T -u -V',
    values: '-I -N -P -o --dec',
  }),
  pidstat: {
    summary: 'show resources of processes',
    class: 'list',
    style: 'posix',
    flags: '-d -e -h -H -I -l -r -R -s -t -u -v -V -w --human',
    values: '-C -G -p -T -U --dec',
    operands: 'value*',
    variants: [{ has: '-e', operands: 'command*' }],
    examples: { readOnly: ['pidstat', 'pidstat -p 12 1 1'], notReadOnly: ['pidstat -e rm x'] },
  },
  sar: {
    summary: 'show recorded activity',
    class: 'list',
    flags: '-A -b -B -d -h -H -p -q -r -R -S -t -u -v -V -w -W -y -z',
    values: '-I -i -m -n -P -s -e -j',
    options: { '-f': 'read?', '-o': 'write?' },
    operands: 'value*',
    examples: { readOnly: ['sar', 'sar -u 1 1', 'sar -n DEV'], notReadOnly: ['sar -o f 1 1'] },
  },
  free: shows('show memory', ['free', 'free -h', 'free -m -t'], {
    flags:
      '-b -k -m -g -h --human --si -l --lohi -t --total -v -w --wide -V --help --mega --giga --kibi --mebi ' +
      '--gibi -L --line',
    values: '-s --seconds -c --count',
    operands: '',
  }),
  w: shows('show who is logged in', ['w', 'w -h'], { flags: '-h -u -s -f -o -i -V -p', operands: 'value?' }),
  last: shows('show logins', ['last', 'last -n 5', 'last -x reboot'], {
    flags: '-a -d -F -i -R -w -x -V -h -y -T',
    values: '-n -s -t -p --time-format',
    numeric: true,
    options: { '-f --file': 'read' },
  }),
  lastb: 'last',
  lastlog: {
    summary: 'show last logins',
    class: 'list',
    flags: '-h',
    values: '-b -t -u',
    options: { '-C --clear': '+change', '-S --set': '+change', '-R --root': 'unknown' },
    operands: '',
    examples: { readOnly: ['lastlog', 'lastlog -u root'], notReadOnly: ['lastlog -C -u root'] },
  },
  dmesg: {
    summary: 'show kernel messages',
    class: 'read',
    flags:
      '-d --show-delta -e --reltime -H --human -k --kernel -P --nopager -p --force-prefix -r --raw ' +
      '--noescape -S --syslog -T --ctime -t --notime -u --userspace -w --follow -W --follow-new -x --decode ' +
      '-h --help -V --version -J --json',
    values: '-f --facility -l --level -s --buffer-size --time-format --since --until',
    optional: '-L --color',
    options: {
      '-C --clear': '+change',
      '-c --read-clear': '+change',
      '-D --console-off': '+change',
      '-E --console-on': '+change',
      '-n --console-level': 'change',
      '-F --file': 'read',
      '-K --kmsg-file': 'read',
    },
    operands: '',
    examples: {
      readOnly: ['dmesg', 'dmesg -T', 'dmesg -H --level=err', 'dmesg --color=always'],
      notReadOnly: ['dmesg -c', 'dmesg -C', 'dmesg -n 1'],
    },
  },
  sysctl: {
    summary: 'show or change kernel settings',
    class: 'list',
    flags:
      '-a -A -X --all -b --binary -e --ignore -N --names -n --values -q --quiet -d --dry-run --deprecated ' +
      '-h --help -V --version',
    values: '-r --pattern',
    options: { '-w --write': '+change', '-p --load -f': 'change?', '--system': '+change' },
    operands: 'value*',
    program: 'sysctl',
    examples: {
      readOnly: ['sysctl -a', 'sysctl kernel.hostname', 'sysctl -n hw.ncpu'],
      notReadOnly: ['sysctl -w a=b', 'sysctl a=b', 'sysctl -p', 'sysctl -p f', 'sysctl --system'],
    },
  },
  lsmod: shows('list kernel modules', ['lsmod'], { flags: '-v -s', operands: '' }),
  modinfo: shows('show a kernel module', ['modinfo ext4'], {
    flags: '-a -d -l -p -n -0 -V -h',
    values: '-F -k -b',
    operands: 'value*',
  }),
  modprobe: {
    summary: 'load or unload kernel modules',
    class: 'list',
    flags:
      '-a --all -n --dry-run --show -v --verbose -q --quiet -s --syslog -f --force -V --version -c ' +
      '--showconfig -D --show-depends -R --resolve-alias',
    values: '-S --set-version',
    options: { '-C --config': 'hook', '-d --dirname': 'unknown', '-r --remove': '+change' },
    operands: 'value*',
    // Its configuration may name commands to run instead.
    does: 'change privilege execute',
    variants: [
      { has: '-r --remove', does: 'change privilege execute' },
      { has: '-n --dry-run --show -V --version -c --showconfig -D --show-depends -R --resolve-alias', does: '' },
    ],
    examples: {
      readOnly: ['modprobe -n -v ext4', 'modprobe --showconfig'],
      notReadOnly: ['modprobe ext4', 'modprobe -r ext4'],
    },
  },
  insmod: {
    summary: 'load a kernel module',
    class: 'privilege',
    operands: 'library value*',
    does: 'change privilege',
    examples: { readOnly: [], notReadOnly: ['insmod x.ko'] },
  },
  rmmod: {
    summary: 'unload a kernel module',
    class: 'privilege',
    operands: 'value*',
    does: 'change privilege',
    examples: { readOnly: [], notReadOnly: ['rmmod x'] },
  },
  depmod: {
    summary: 'index kernel modules',
    class: 'list',
    flags: '-n --dry-run --show -a -A -v -V --version',
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-n --dry-run --show -V --version', does: '' }],
    examples: { readOnly: ['depmod -n'], notReadOnly: ['depmod -a'] },
  },
  lscpu: shows('show processors', ['lscpu', 'lscpu -J'], {
    flags:
      '-a --all -b --online -B --bytes -c --offline -J --json -r --raw -x --hex -y --physical -h --help -V ' +
      '--version --output-all',
    optional: '-e --extended -p --parse -C --caches',
    options: { '-s --sysroot': 'unknown' },
    operands: '',
  }),
  lsmem: shows('show memory ranges', ['lsmem', 'lsmem -a'], {
    flags: '-a --all -b --bytes -J --json -n --noheadings -P --pairs -r --raw --output-all -h -V',
    values: '-o --output -S --split',
    optional: '--summary',
    operands: '',
  }),
  lspci: {
    summary: 'list devices',
    class: 'list',
    flags: '-b -D -k -m -mm -n -nn -P -PP -t -v -vv -vvv -vt -x -M',
    values: '-d -s -H',
    options: {
      '-i': 'read',
      '-p': 'read',
      '-q': '+network',
      '-qq': '+network',
      '-Q': '+network',
      '-F': 'read',
      '-O': 'unknown',
      '-A': 'unknown',
    },
    operands: '',
    examples: { readOnly: ['lspci', 'lspci -nnk', 'lspci -v'], notReadOnly: ['lspci -q', 'lspci -O x'] },
  },
  lsusb: shows('list devices', ['lsusb', 'lsusb -t'], {
    flags: '-v --verbose -t --tree -V -h',
    values: '-s -d -D',
    operands: '',
  }),
  lshw: {
    summary: 'list hardware',
    class: 'list',
    style: 'words',
    flags: '-short -json -html -xml -businfo -sanitize -numeric -quiet -version',
    values: '-class -C -disable -enable',
    options: { '-X': '+unknown', '-dump': 'write' },
    operands: '',
    examples: { readOnly: ['lshw -short', 'lshw -C network'], notReadOnly: ['lshw -X', 'lshw -dump f'] },
  },
  dmidecode: {
    summary: 'show hardware tables',
    class: 'list',
    flags: '-q -u -V --no-sysfs',
    values: '-s -t -H',
    options: { '--dump-bin': 'write', '--from-dump': 'read', '-d --dev-mem': 'read' },
    operands: '',
    examples: { readOnly: ['dmidecode', 'dmidecode -t memory'], notReadOnly: ['dmidecode --dump-bin f'] },
  },
  'nvidia-smi': {
    summary: 'show graphics processors',
    class: 'list',
    flags: '-L -q -h --help --version',
    values: '-i --id -l --loop -d --display --query-gpu --format --query-compute-apps',
    options: { '-f --filename': 'write' },
    operands: 'unknown*',
    examples: {
      readOnly: ['nvidia-smi', 'nvidia-smi -L', 'nvidia-smi --query-gpu=name --format=csv'],
      notReadOnly: ['nvidia-smi -f f', 'nvidia-smi -pm 1', 'nvidia-smi -r'],
    },
  },
  sensors: shows('show temperatures', ['sensors'], {
    flags: '-A -f -j -u -v -h --no-adapter',
    options: { '-c': 'hook', '-s': '+change' },
  }),
  getconf: shows('show system limits', ['getconf PAGE_SIZE', 'getconf -a'], { flags: '-a', values: '-v' }),
  inotifywait: {
    summary: 'wait for changes of files',
    class: 'read',
    flags: '-m --monitor -r --recursive -q --quiet -P --no-dereference -h --help -c --csv -s --syslog',
    values: '-e --event -t --timeout --format --timefmt --exclude --excludei --include --includei',
    options: { '-o --outfile': 'write', '-d --daemon': '+change', '--fromfile': 'read' },
    operands: 'read/*',
    examples: {
      readOnly: ['inotifywait -m d', 'inotifywait -e modify -r d'],
      notReadOnly: ['inotifywait -o f d', 'inotifywait -d d'],
    },
  },
  inotifywatch: 'inotifywait',
  fswatch: {
    summary: 'wait for changes of files',
    class: 'read',
    flags: '-0 -1 -a -E -i -I -L -o -r -t -u -v -x -n',
    values: '-e -l -m -f --event --format',
    options: { '--filter-from': 'read' },
    operands: 'read/*',
    examples: { readOnly: ['fswatch -o d'], notReadOnly: [] },
  },
};
