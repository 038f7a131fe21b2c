// Shells, programs that start one, other users, and programs that run commands later, repeatedly or in parallel.

import type { CommandFamily, CommandSpec } from './spec.ts';

const HELP = '-h --help -V --version';
const PRIVATE = { class: 'privilege', style: 'posix', operands: 'command*', does: 'privilege' } as const;
const PLAIN = { class: 'neutral', style: 'posix', operands: 'command*' } as const;

function shellRow(summary: string, program: string, name: string): CommandSpec {
  return {
    summary,
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program,
    examples: {
      readOnly: program === 'other-shell' ? [] : [`${name} --version`],
      notReadOnly: [`${name} x.sh`, `${name} -c 'rm x'`, `${name} -i`, `${name}`],
    },
  };
}

export const shellWrappers: CommandFamily = {
  bash: shellRow('run a shell', 'shell', 'bash'),
  rbash: 'bash',
  sh: shellRow('run a shell', 'posix-shell', 'sh'),
  dash: 'sh',
  ash: 'sh',
  zsh: shellRow('run a shell', 'zsh-shell', 'zsh'),
  fish: { ...shellRow('run the fish shell', 'other-shell', 'fish'), ownState: true },
  ksh: 'fish',
  ksh93: 'fish',
  mksh: 'fish',
  pdksh: 'fish',
  yash: 'fish',
  csh: 'fish',
  tcsh: 'fish',
  nu: 'fish',
  elvish: 'fish',
  xonsh: 'fish',
  osh: 'fish',
  ysh: 'fish',
  sudo: {
    summary: 'run a command as another user',
    class: 'privilege',
    style: 'posix',
    flags:
      '-A --askpass -b --background -B --bell -E --preserve-env -e --edit -H --set-home -h --help -i --login -K ' +
      '--remove-timestamp -k --reset-timestamp -l --list -N --no-update -n --non-interactive -P --preserve-groups -S ' +
      '--stdin -s --shell -V --version -v --validate',
    values:
      '-C --close-from -g --group --host -p --prompt -r --role -t --type -T --command-timeout -U ' +
      '--other-user -u --user -a',
    optional: '--preserve-env',
    options: { '-D --chdir': 'chdir', '-R --chroot': 'unknown' },
    operands: 'value*',
    does: 'privilege',
    program: 'sudo',
    examples: { readOnly: [], notReadOnly: ['sudo ls', 'sudo -u bob -n rm x', 'sudo A=b env', 'sudo -i', 'sudo -s'] },
  },
  sudoedit: {
    summary: 'edit a file as another user',
    class: 'privilege',
    flags: '-A -B -H -k -n -P -S',
    values: '-C -g -p -r -t -T -u',
    operands: 'edit*',
    does: 'privilege execute',
    examples: { readOnly: [], notReadOnly: ['sudoedit /etc/hosts'] },
  },
  doas: {
    summary: 'run a command as another user',
    class: 'privilege',
    style: 'posix',
    flags: '-L -n -s',
    values: '-a -u',
    options: { '-C': 'hook' },
    operands: 'value*',
    does: 'privilege',
    program: 'sudo',
    examples: { readOnly: [], notReadOnly: ['doas rm x', 'doas -u bob ls', 'doas -s'] },
  },
  su: {
    summary: 'run a shell as another user',
    class: 'privilege',
    flags: `-m -p --preserve-environment -l --login -f --fast -P --pty -T --no-pty ${HELP}`,
    values: '-g --group -G --supp-group -w --whitelist-environment',
    options: { '-c --command --session-command': 'value', '-s --shell': 'value', '-u --user': 'value' },
    operands: 'value*',
    does: 'privilege',
    program: 'su',
    examples: { readOnly: [], notReadOnly: ['su', "su - bob -c 'ls'", 'su root x.sh'] },
  },
  runuser: 'su',
  sg: {
    summary: 'run a command with another group',
    class: 'privilege',
    style: 'none',
    operands: 'value*',
    does: 'privilege',
    program: 'sg',
    examples: { readOnly: [], notReadOnly: ["sg docker -c 'docker ps'", 'sg docker'] },
  },
  newgrp: 'sg',
  pkexec: {
    ...PRIVATE,
    summary: 'run a command as another user',
    flags: '--disable-internal-agent --keep-cwd --version --help',
    values: '--user -u',
    operands: 'value*',
    program: 'shell-unless-command',
    examples: { readOnly: [], notReadOnly: ['pkexec ls', 'pkexec'] },
  },
  gosu: {
    ...PRIVATE,
    summary: 'run a command as another user',
    flags: HELP,
    operands: 'value command*',
    examples: { readOnly: [], notReadOnly: ['gosu bob ls'] },
  },
  'su-exec': 'gosu',
  setuidgid: 'gosu',
  's6-setuidgid': 'gosu',
  xargs: {
    summary: 'run a command with words from the input',
    class: 'neutral',
    style: 'posix',
    flags:
      '-0 --null -o --open-tty -p --interactive -r --no-run-if-empty -t --verbose -x --exit --show-limits ' +
      '--help --version',
    values: '-d --delimiter -E -P --max-procs -s --max-chars -R -S',
    optional: '-e --eof',
    options: {
      '-a --arg-file': 'read',
      '-I': 'value',
      '-i --replace': 'value?',
      '-J': 'value',
      '-n --max-args': 'value',
      '-L --max-lines': 'value',
      '-l': 'value?',
    },
    operands: 'value*',
    program: 'xargs',
    examples: {
      readOnly: ['xargs', 'xargs cat', 'xargs -0 -n 1 wc -l', 'xargs -I {} ls {}', 'xargs -P4 -r head'],
      notReadOnly: ['xargs rm', 'xargs -I {} rm {}', 'xargs -n1 sh', "xargs -I{} sh -c '{}'", 'xargs -a f rm'],
    },
  },
  parallel: {
    summary: 'run commands in parallel',
    class: 'execute',
    style: 'posix',
    flags:
      '-0 --null -k --keep-order -r --no-run-if-empty -t --verbose -u --ungroup --lb --line-buffer --group ' +
      '-X -m --xargs ' +
      '-q --quote --pipe --pipepart --spreadstdin --dry-run --dryrun --bar --eta --progress --tag --will-cite --plus ' +
      '--semaphore --link --xapply --shuf --resume --resume-failed --linebuffer --no-notice --cat --fifo ' +
      '--citation -v -V --version -h --help',
    values:
      '-j --jobs -P --max-procs -n --max-args -N --max-replace-args -L --max-lines -d --delimiter -C ' +
      '--colsep --halt --timeout ' +
      '--retries --delay --load --memfree --nice --tagstring --block --recstart --recend --shellquote ' +
      '--header -s --max-chars -E --env --trim --id',
    options: {
      '-a --arg-file': 'read',
      '-I': 'value',
      '--rpl': 'code',
      '--results': 'write/',
      '--joblog': 'write',
      '--tmpdir': 'write/',
      '--workdir --wd': 'chdir',
      '-S --sshlogin': 'network',
      '--sshloginfile --slf': 'network',
      '-J --profile': 'hook',
    },
    operands: 'value*',
    does: 'execute',
    program: 'parallel',
    examples: {
      readOnly: [],
      notReadOnly: ['parallel gzip ::: a b', "parallel 'rm {}' ::: a", 'parallel', 'parallel ls ::: a'],
    },
  },
  sem: 'parallel',
  watch: {
    summary: 'run a command again and again',
    class: 'neutral',
    style: 'posix',
    flags:
      '-b --beep -c --color -C --no-color -e --errexit -g --chgexit -p --precise -r --no-rerun -t ' +
      '--no-title -w --no-wrap -x --exec -f --follow -h --help -v --version',
    values: '-n --interval -q --equexit',
    optional: '-d --differences',
    operands: 'value*',
    program: 'watch',
    examples: {
      readOnly: ['watch ls', 'watch -n 1 -d ls -l', "watch 'ls | wc -l'", 'watch -x ls'],
      notReadOnly: ['watch rm x', "watch 'ls; rm x'", 'watch -x rm x'],
    },
  },
  flock: {
    summary: 'run a command under a lock',
    class: 'neutral',
    style: 'posix',
    flags: `-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork --verbose ${HELP}`,
    values: '-w --wait --timeout -E --conflict-exit-code',
    options: { '-c --command': 'shell' },
    operands: 'value*',
    program: 'flock',
    examples: { readOnly: [], notReadOnly: ['flock f ls', "flock f -c 'rm x'", 'flock -n 9'] },
  },
  script: {
    summary: 'record a session',
    class: 'neutral',
    style: 'posix',
    flags: `-a --append -e --return -f --flush --force -q --quiet -r -k -d -p ${HELP}`,
    values: '-m --logging-format -E --echo -o --output-limit',
    options: {
      '-c --command': 'value',
      '-I --log-in': 'write',
      '-O --log-out': 'write',
      '-B --log-io': 'write',
      '-T --log-timing': 'write',
      '-t --timing': 'write?',
    },
    operands: 'value*',
    program: 'script',
    examples: {
      readOnly: ["script -qc 'ls' /dev/null"],
      notReadOnly: ['script', "script -c 'ls' f", "script -qc 'rm x' /dev/null", 'script -q /dev/null rm x'],
    },
  },
  busybox: {
    summary: 'run one of its own commands',
    class: 'neutral',
    style: 'none',
    operands: 'value*',
    program: 'busybox',
    examples: {
      readOnly: ['busybox ls', 'busybox --list', 'busybox'],
      notReadOnly: ['busybox rm x', "busybox sh -c 'rm x'", 'busybox --install d'],
    },
  },
  toybox: 'busybox',
  at: {
    summary: 'run commands later',
    class: 'execute',
    flags: '-m -M -v -k -b',
    values: '-q -t',
    options: { '-f': 'file', '-c': 'secret', '-r': '+change', '-d': '+change', '-l': 'value?', '-V': 'value?' },
    operands: 'value*',
    does: 'execute change',
    variants: [
      { has: '-l -V', does: '', class: 'list' },
      { has: '-c', does: '' },
      { has: '-r -d', does: 'change' },
    ],
    examples: { readOnly: ['at -l', 'at -V'], notReadOnly: ['at now', 'at -f x.sh now', 'at -r 1'] },
  },
  batch: 'at',
  atq: {
    summary: 'list commands that will run later',
    class: 'list',
    flags: '-V',
    values: '-q',
    operands: '',
    examples: { readOnly: ['atq'], notReadOnly: [] },
  },
  atrm: {
    summary: 'remove commands that would run later',
    class: 'write',
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['atrm 1'] },
  },
  crontab: {
    summary: 'show or change scheduled commands',
    class: 'write',
    flags: '-l -i',
    values: '-u',
    options: { '-e': '+hook', '-r': '+change', '-n': 'value', '-T': 'read' },
    operands: 'read?',
    does: 'change execute',
    variants: [
      { has: '-e -r', does: 'change' },
      { has: '-l', does: '', operands: '', class: 'list' },
      { has: '-T', does: '' },
    ],
    examples: {
      readOnly: ['crontab -l'],
      notReadOnly: ['crontab f', 'crontab -r', 'crontab -e', 'crontab -', 'crontab -l f'],
    },
  },
  'run-parts': {
    summary: 'run all programs in a folder',
    class: 'execute',
    flags:
      '--test --list -v --verbose -d --debug --report --reverse --exit-on-error --stdin --lsbsysinit ' +
      '--new-session -V --version -h --help',
    values: '--regex -u --umask -a --arg',
    operands: 'read/',
    does: 'execute',
    variants: [{ has: '--test --list --help --version -h -V', does: '', class: 'list' }],
    examples: { readOnly: ['run-parts --test d', 'run-parts --list d'], notReadOnly: ['run-parts d'] },
  },
  'start-stop-daemon': {
    summary: 'start or stop a daemon',
    class: 'list',
    flags:
      '-S --start -K --stop -T --status -H --help -V --version -b --background -m --make-pidfile -o ' +
      '--oknodo -q --quiet -t --test -v --verbose -C --no-close --remove-pidfile',
    values:
      '--pid --ppid -n --name -u --user -g --group -c --chuid -s --signal -r --chroot -N --nicelevel -P ' +
      '--procsched -I --iosched -k --umask -R --retry',
    options: {
      '-x --exec': 'program',
      '-a --startas': 'program',
      '-p --pidfile': 'write',
      '-d --chdir': 'chdir',
      '-O --output': 'write',
    },
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-H --help -V --version', does: '' }],
    examples: {
      readOnly: ['start-stop-daemon --version'],
      notReadOnly: ['start-stop-daemon --start --exec /bin/x', 'start-stop-daemon -K -n x'],
    },
  },
  daemonize: {
    ...PLAIN,
    summary: 'run a command as a daemon',
    flags: '-a -v',
    values: '-u -E',
    options: { '-c': 'chdir', '-e': 'write', '-o': 'write', '-p': 'write', '-l': 'write' },
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['daemonize /bin/x', 'daemonize -p f /bin/x'] },
  },
  tmux: {
    ownState: true,
    summary: 'manage terminal sessions',
    class: 'list',
    style: 'none',
    operands: 'value*',
    program: 'tmux',
    examples: {
      readOnly: [
        'tmux ls',
        'tmux -V',
        "tmux list-sessions -F '#{session_name}'",
        'tmux capture-pane -p -t x',
        'tmux has-session -t x',
      ],
      notReadOnly: [
        'tmux',
        "tmux new-session -d 'rm x'",
        "tmux send-keys -t x 'ls' Enter",
        'tmux kill-server',
        "tmux ls ';' kill-server",
        "tmux ls -F '#(id)'",
        'tmux -f c ls',
        'tmux capture-pane -t x',
        "tmux run-shell 'rm x'",
      ],
    },
  },
  screen: {
    summary: 'manage terminal sessions',
    class: 'execute',
    style: 'posix',
    flags:
      '-4 -6 -a -A -d -D -f -h -i -l -ln -L -m -O -q -r -R -RR -U -v -x -dm -dr -Dr -dRR -ls -list --list --version',
    values: '-e -p -s -S -t -T -dmS',
    options: { '-wipe': '+change', '-X': '+unknown', '-Q': '+unknown', '-c': 'hook', '-Logfile': 'write' },
    operands: 'command*',
    does: 'execute change',
    variants: [{ has: '-ls -list --list -v --version', does: '', operands: '', class: 'list' }],
    examples: { readOnly: ['screen -ls'], notReadOnly: ['screen', 'screen -dmS x rm x', "screen -S x -X stuff 'ls'"] },
  },
};
