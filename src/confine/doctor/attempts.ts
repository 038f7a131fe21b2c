// The attempts, as data: what is tried against each guarantee, using only bash, coreutils, node, and optional programs.
// Harmless by construction: they use only the folders and processes of the scene, and open files without using them.

import type { ConfineGuarantee } from '../../core/confinement.ts';
import type { Scene } from './scene.ts';

export interface Attempt {
  readonly guarantee: ConfineGuarantee;
  /** After "tried to". */
  readonly tried: string;
  /**
   * Exits with 0 if it worked. It prints `tried` before the attempt itself, so that a program that is missing inside is
   * not counted as one that was stopped. Names in capitals come from the scene.
   */
  readonly script: string;
  /** If the exit code proves nothing: what is visible from outside afterwards. */
  readonly seen?: (scene: Scene) => boolean;
  readonly as?: 'root';
}

type Line = readonly [tried: string, script: string, extra?: Pick<Attempt, 'seen' | 'as'>];

function against(guarantee: ConfineGuarantee, lines: readonly Line[]): Attempt[] {
  return lines.map(([tried, script, extra]) => ({ guarantee, tried, script, ...extra }));
}

const builtin = (script: string) => `echo tried; ${script}`;
/** `command` answers to --version, or the attempt was not possible. */
const by = (command: string, script: string) => `${command} --version >/dev/null && echo tried; ${script}`;
const byNode = (code: string) => `"$NODE" -e 'console.log("tried");${code}'`;
/** The kernel checked the arguments, which are invalid on purpose; a refusal comes before that. */
const byCall = (number: number, args: string) =>
  `perl -e '$|=1; print "tried\\n"; exit 0 if syscall(${number}, ${args}) >= 0; print "$!\\n"; exit($!{EPERM} || $!{EACCES} || $!{ENOSYS} ? 1 : 0)'`;
const connect = (place: string) =>
  byNode(
    `require("net").connect({path:${place}}).on("connect",()=>process.exit(0)).on("error",e=>{console.log(e.code);process.exit(1)})`,
  );

export const ATTEMPTS: readonly Attempt[] = [
  ...against('writes-outside', [
    ['overwrite a file next to the workspace', builtin('echo x > "$O/file"')],
    ['create a file there', builtin(': > "$O/new"')],
    ['remove a file there', by('rm', 'rm "$O/file"')],
    ['write there through a symbolic link', by('ln', 'ln -s "$O" "$L/out"; echo x > "$L/out/file"')],
    ['write there through a hard link', by('ln', 'ln "$O/file" "$L/hard" && echo x > "$L/hard"')],
    ['write there through /proc/self/root', builtin('echo x > "/proc/self/root$O/file"')],
    // By its name: opening it first is stopped by other means.
    [
      'truncate a file there',
      `perl -e '$|=1; print "tried\n"; exit 0 if truncate("$ENV{O}/file", 0); print "$!\n"; exit 1'`,
    ],
  ]),
  ...against('metadata-outside', [
    ['change the mode of a file outside', by('chmod', 'chmod 600 "$O/file"')],
    ['change the time of a file outside', by('touch', 'touch -d 2001-01-01 "$O/file"')],
  ]),
  ...against('hidden-content', [
    ['read a hidden file', builtin('read -r x < "$S"')],
    ['read it through /proc/self/root', builtin('read -r x < "/proc/self/root$S"')],
    ['move it and read it', by('mv', 'mv "$S" "$L/moved" && read -r x < "$L/moved"')],
    ['read a file of a hidden folder', builtin('read -r x < "$H/key"')],
  ]),
  ...against('hidden-names', [
    ['list a hidden folder', builtin('[ -e "$H/key" ] || { echo "nothing is there"; exit 1; }')],
    ['see the size of a hidden file', builtin('[ -s "$S" ] || { echo "it looks empty"; exit 1; }')],
  ]),
  ...against('protected-existing', [
    ['create a git hook', builtin('echo x > "$W/.git/hooks/pre-commit"')],
    ['move a git hook into place', by('mv', 'echo x > "$W/.git/x"; mv "$W/.git/x" "$W/.git/hooks/pre-commit"')],
    [
      'move .git away and recreate it',
      by('mv', 'mv "$W/.git" "$W/old" && mkdir -p "$W/.git/hooks" && echo x > "$W/.git/hooks/pre-commit"'),
    ],
    ['change the git configuration', builtin('echo "[core]" >> "$W/.git/config"')],
  ]),
  ...against('protected-absent', [
    ['create editor settings', by('mkdir', 'mkdir "$W/.vscode"'), { seen: (scene) => scene.has('w/.vscode') }],
    ['create a file that runs later', builtin('echo x > "$W/.envrc"'), { seen: (scene) => scene.has('w/.envrc') }],
    [
      'move a file to such a name',
      by('mv', 'echo x > "$W/x"; mv "$W/x" "$W/.mcp.json"'),
      { seen: (scene) => scene.has('w/.mcp.json') },
    ],
  ]),
  ...against('devices', [
    ['create a device file and read it', by('mknod', 'mknod "$L/zero" c 1 5 && head -c1 "$L/zero" >/dev/null')],
    ['open a device of this machine', builtin('[ -n "$DEVICE" ] && : < "$DEVICE"')],
  ]),
  ...against('network', [
    ['connect to a port of this machine', builtin('exec 3<>"/dev/tcp/127.0.0.1/$PORT"')],
    [
      'send a UDP request and get an answer',
      builtin('exec 3<>"/dev/udp/127.0.0.1/$UDP" && echo x >&3 && read -r -n 1 -t 2 -u 3 x'),
    ],
  ]),
  ...against('unix-sockets', [
    ['connect to a socket file', connect('process.env.SOCKET')],
    ['connect to an abstract socket', connect('"\\0"+process.env.ABSTRACT')],
  ]),
  ...against('signals-outside', [['signal a process outside', builtin('kill -CONT "$P"')]]),
  ...against('processes-unseen', [
    [
      'read the command line of a process outside',
      builtin('read -r -d "" x < "/proc/$P/cmdline" && [ "$x" = "$MARK" ]'),
    ],
  ]),
  ...against('shared-ipc', [
    [
      'write into shared memory of another program',
      builtin('[ -e "$SHM" ] || { echo "nothing is there"; exit 1; }; echo x > "$SHM"'),
    ],
    [
      'read a System V segment of another program',
      `perl -e '$|=1; print "tried\n"; exit 0 if shmread($ENV{SEGMENT}, $x, 0, 1); print "$!\n"; exit 1'`,
    ],
  ]),
  ...against('terminals', [
    [
      'open the terminal of another program',
      // It is locked, which the kernel reports only to processes that got this far.
      builtin('m=$( { : >> "$TTY"; } 2>&1 ) || case $m in *"Input/output"*) ;; *) echo "$m"; exit 1;; esac'),
    ],
  ]),
  ...against('privileges', [
    ['read the environment of a process outside', by('grep', 'grep -aq "$MARK" "/proc/$P/environ"')],
    ['walk through the root of a process outside', by('ls', 'ls "/proc/$P/root/" >/dev/null')],
    ['create a user namespace with all capabilities', by('unshare', 'unshare -Ur true')],
    ['change the root folder', by('chroot', 'chroot / true'), { as: 'root' }],
    [
      'gain privileges by starting a program',
      by('grep', 'grep -q "^NoNewPrivs:.0" /proc/self/status || { echo "no new privileges"; exit 1; }'),
    ],
  ]),
  ...against('kernel-surface', [
    ['set up io_uring', byCall(425, '1, 0')],
    ['call process_madvise on another process', byCall(440, '-1, 0, 0, 0, 0')],
    [
      'use io_uring from Node',
      `UV_USE_IO_URING=1 ${byNode(
        'const f=require("fs");f.stat("/",()=>process.exit(f.readdirSync("/proc/self/fd").some(n=>{try{return f.readlinkSync("/proc/self/fd/"+n).includes("io_uring")}catch{}})?0:(console.log("no such call"),1)))',
      )}`,
    ],
  ]),
];
