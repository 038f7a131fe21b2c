// Plain `bash -c` compared with hardshell's, for every observable in the table of docs/decisions/0004-cwd-tracking.md.
// Equal means: the same bytes on both streams, the same exit code, the same signal. `ours` rows say what differs.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readEndFolder } from './end-folder.ts';
import type { ShellProvider } from './provider.ts';
import { checkShell, findShell } from './trusted-shells.ts';

interface Row {
  readonly name: string;
  readonly command: string;
  /** Below the start folder; `null`: nothing is reported, the previous folder stays. */
  readonly folder: string | null;
  /** The difference, if any: the name must be marked in the document. */
  readonly ours?: Partial<Seen>;
  readonly shells?: readonly string[];
  /** Shells that report nothing here: they read everything before they run the first word, or drop the trap on an error. */
  readonly untold?: readonly string[];
  /** Shells that report a folder that no longer exists: it is verified on disk. */
  readonly gone?: readonly string[];
}

interface Seen {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BASH = ['bash'];
/** The text that runs at the end, where the command can see it. */
const HOOK = /^(?:cd sub\n)?(?:trap -- \$?')?\{(?: |\\n).*pwd -P >\|.*$/s;

const ROWS: readonly Row[] = [
  { name: 'plain cd', command: 'cd sub', folder: 'sub' },
  { name: 'no cd', command: 'echo hi', folder: '.' },
  { name: 'exit code of the last command', command: 'cd sub; (exit 7)', folder: 'sub' },
  { name: '`exit N`', command: 'cd sub; exit 3', folder: 'sub' },
  { name: '`exit` in a function', command: 'f() { cd sub; exit 9; }; f; echo never', folder: 'sub' },
  { name: '`set -e`', command: 'set -e; cd sub; false; echo never', folder: 'sub' },
  { name: '`set -u`', command: 'set -u; cd sub; echo $nope; echo never', folder: 'sub', untold: ['zsh'] },
  { name: '`set -o pipefail`', command: 'set -o pipefail; cd sub; false | true', folder: 'sub', shells: BASH },
  { name: '`set -C` (noclobber)', command: 'set -C; cd sub', folder: 'sub' },
  { name: 'syntax error', command: 'cd sub; echo )', folder: '.', untold: ['sh', 'zsh'] },
  { name: 'syntax error on line 2', command: 'cd sub\necho a; fi', folder: 'sub', untold: ['zsh'] },
  { name: 'unfinished `if`', command: 'echo a\nif true', folder: '.', untold: ['zsh'] },
  { name: 'unclosed quote', command: 'echo "a\nb', folder: '.', untold: ['sh', 'zsh'] },
  { name: 'here-document without a final newline', command: 'cd sub; cat <<E\nbody\nE', folder: 'sub' },
  { name: 'unfinished here-document', command: 'cd sub; cat <<E\nbody', folder: 'sub' },
  { name: 'comment at the end', command: 'cd sub # there', folder: 'sub' },
  { name: 'backslash at the end', command: 'cd sub; echo a\\', folder: 'sub' },
  { name: '`&` at the end', command: 'cd sub; sleep 0 &', folder: 'sub' },
  { name: 'text that begins with `-`', command: '-x', folder: '.' },
  { name: 'empty text', command: '', folder: '.' },
  { name: 'first line empty', command: '\n\ncd sub; echo $LINENO', folder: 'sub' },
  { name: 'CR at the end of a line', command: 'cd sub\r\necho $?', folder: '.' },
  { name: 'not ASCII', command: 'echo "ä€😀"; cd sub', folder: 'sub' },
  { name: '`cd` in a subshell', command: '(cd sub); cd . && echo "$(cd sub; pwd)" | wc -l', folder: '.' },
  { name: '`cd` in the background', command: 'cd sub & wait', folder: '.' },
  { name: '`cd` in a pipeline', command: 'cd sub | true', folder: '.' },
  { name: '`pushd`', command: 'pushd sub > /dev/null; dirs -v | wc -l', folder: 'sub', shells: BASH },
  { name: 'through a symbolic link', command: 'ln -s sub way; cd way; echo "${PWD##*/}"', folder: 'sub' },
  { name: 'folder name with a line break', command: "mkdir 'a\nb'; cd 'a\nb'", folder: 'a\nb' },
  { name: 'folder name with quotes', command: 'mkdir "it\'s"; cd "it\'s"', folder: "it's" },
  { name: '`PWD` assigned', command: 'cd sub; PWD=/; OLDPWD=/', folder: 'sub' },
  { name: '`exec` of a program', command: 'cd sub; exec echo hi', folder: null },
  { name: '`exec` of descriptors', command: 'exec 5>&1; cd sub; echo hi >&5', folder: 'sub' },
  { name: 'own `EXIT` trap', command: 'trap \'echo "$?|${PWD##*/}"\' EXIT; cd sub; exit 5', folder: null },
  { name: 'own `EXIT` trap in a subshell', command: 'cd sub; (trap "echo in" EXIT); false', folder: 'sub' },
  { name: 'own `TERM` trap', command: 'trap "cd sub; exit 4" TERM; kill -TERM $$; sleep 5', folder: 'sub' },
  { name: 'ended by SIGTERM', command: 'cd sub; kill -TERM $$', folder: 'sub', shells: BASH },
  { name: 'ended by SIGKILL', command: 'cd sub; kill -KILL $$', folder: null },
  { name: 'own `ERR` trap', command: 'trap "echo err" ERR; cd sub; false', folder: 'sub', shells: BASH },
  {
    name: 'own `DEBUG` trap',
    command: 'trap \'echo "d $BASH_COMMAND"\' DEBUG; cd sub; :',
    folder: 'sub',
    shells: BASH,
  },
  { name: 'traced `DEBUG` trap', command: 'set -T; trap "echo d" DEBUG; cd sub', folder: 'sub', shells: BASH },
  { name: '`set -x`', command: 'set -x; cd sub; echo a', folder: 'sub' },
  {
    name: '`set -x` with `BASH_XTRACEFD`',
    command: 'exec 7>&1; BASH_XTRACEFD=7; set -x; cd sub',
    folder: 'sub',
    shells: BASH,
  },
  { name: '`set -n`', command: 'set -n\ncd sub', folder: null },
  {
    name: 'functions over builtins',
    command: 'for n in pwd builtin printf exit command trap unset eval; do eval "$n() { echo bad >&2; }"; done; cd sub',
    folder: 'sub',
    shells: BASH,
  },
  {
    name: 'functions over `pwd` and `command`',
    command: 'pwd() { echo bad; }; command() { echo bad; }; cd sub',
    folder: 'sub',
  },
  {
    name: 'aliases',
    command: 'shopt -s expand_aliases\nalias pwd="echo a" builtin="echo b" unset="echo c" trap="echo d"\ncd sub',
    folder: 'sub',
    shells: BASH,
  },
  {
    name: 'aliases of sh',
    command: 'alias pwd="echo a" command="echo b" unset="echo c"\ncd sub',
    folder: 'sub',
    shells: ['sh'],
  },
  {
    name: '`POSIXLY_CORRECT` read-only',
    command: 'readonly POSIXLY_CORRECT=; cd sub; exit 4',
    folder: null,
    shells: BASH,
  },
  { name: 'no output left', command: 'cd sub; exec >&- 2>&-', folder: 'sub' },
  { name: 'file size limit', command: 'cd sub; ulimit -f 0; exit 6', folder: null },
  { name: 'file size limit under `set -e`', command: 'set -e; cd sub; ulimit -f 0; exit 6', folder: null },
  { name: 'folder removed', command: 'mkdir d; cd d; rmdir ../d; exit 6', folder: null, gone: ['zsh'] },
  {
    name: 'folder removed under `set -e`',
    command: 'set -e; mkdir d; cd d; rmdir ../d; exit 6',
    folder: null,
    gone: ['zsh'],
  },
  {
    name: 'folder removed, own `ERR` trap',
    command: 'trap "echo err" ERR; mkdir d; cd d; rmdir ../d; exit 6',
    folder: null,
    shells: BASH,
  },
  { name: '`$0`', command: 'echo "$0 $# $@"', folder: '.' },
  { name: '`$?` and `$!` at the start', command: 'echo "$?|$!"', folder: '.' },
  { name: '`$_` at the start', command: 'echo "$_"', folder: '.', shells: BASH },
  { name: '`$LINENO`', command: 'echo $LINENO\necho $LINENO; f() {\necho $LINENO\n}; f', folder: '.' },
  { name: 'line of an error', command: 'echo a\nno-such-program\ncd nowhere', folder: '.' },
  { name: '`caller`', command: 'f() { caller; caller 0; echo ${BASH_LINENO[@]}; }\n\nf', folder: '.', shells: BASH },
  {
    name: '`$BASH_EXECUTION_STRING`',
    command: 'printf "%q" "$BASH_EXECUTION_STRING"\n# end',
    folder: '.',
    shells: BASH,
  },
  {
    name: '`$BASH_SUBSHELL`, `$SHLVL`, jobs',
    command: 'echo "$BASH_SUBSHELL $SHLVL"; jobs',
    folder: '.',
    shells: BASH,
  },
  { name: 'shell options', command: 'shopt; set -o | grep -v privileged', folder: '.', shells: BASH },
  { name: 'functions, aliases, builtins', command: 'declare -F; alias; enable; hash', folder: '.', shells: BASH },
  {
    name: 'all variables',
    command: 'set | grep -Ev "^(PPID|BASHPID|RANDOM|SRANDOM|SECONDS|EPOCH[A-Z]*|SHELLOPTS|PIPESTATUS|LINENO|_)="',
    folder: '.',
    shells: BASH,
  },
  { name: 'environment', command: 'env | sort', folder: '.' },
  { name: 'open descriptors', command: 'for f in /proc/$$/fd/*; do echo "${f##*/}"; done', folder: '.' },
  { name: 'umask and limits', command: 'umask; ulimit -a', folder: '.' },
  { name: 'stdin', command: 'read x; cd "$x"; cat', folder: 'sub' },
  { name: '`$-`', command: 'echo $-', folder: '.', shells: BASH, ours: { stdout: 'hpBc\n' } },
  {
    name: '`$SHELLOPTS`',
    command: 'case $SHELLOPTS in *privileged*) echo p ;; esac',
    folder: '.',
    shells: BASH,
    ours: { stdout: 'p\n' },
  },
  {
    name: '`$PIPESTATUS` at the start',
    command: 'echo "${PIPESTATUS[@]}"',
    folder: '.',
    shells: BASH,
    ours: { stdout: '0\n' },
  },
  {
    name: '`LINENO` in the list of `set`',
    command: 'set | grep ^LINENO',
    folder: '.',
    shells: BASH,
    ours: { stdout: 'LINENO=0\n', exitCode: 0 },
  },
  { name: '`set -v`', command: 'set -v\ncd sub', folder: 'sub', shells: BASH, ours: { stderr: 'HOOK' } },
  { name: '`set -v` of sh', command: 'set -v\ncd sub', folder: 'sub', shells: ['sh'] },
  { name: '`trap` list', command: 'trap', folder: '.', ours: { stdout: 'HOOK' } },
  {
    name: 'last program replaces the shell',
    command: "cd sub; sh -c '[ $1 = $$ ] && echo same || echo child' - $$",
    folder: 'sub',
    shells: BASH,
    ours: { stdout: 'child\n' },
  },
  {
    name: 'last program dies by a signal',
    command: "cd sub; sh -c 'kill -SEGV $$'",
    folder: 'sub',
    shells: BASH,
    ours: { exitCode: 139, signal: null, stderr: "bash: line 1: PID Segmentation fault      sh -c 'kill -SEGV $$'\n" },
  },
];

const home = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-folders-')));
const start = join(home, 'start');
const cwdFile = join(home, "the folder's file");
afterAll(() => rmSync(home, { recursive: true }));

const ENV = { PATH: '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8' };

function run(file: string, argv: readonly string[]): Seen {
  rmSync(start, { recursive: true, force: true });
  mkdirSync(join(start, 'sub'), { recursive: true });
  const [argv0 = file, ...args] = argv;
  const { status, signal, stdout, stderr } = spawnSync(file, args, { argv0, cwd: start, env: ENV, input: 'sub\nrest' });
  const text = (bytes: Buffer) => bytes.toString().replace(/line 1: +\d+ /g, 'line 1: PID ');
  return { exitCode: status, signal, stdout: text(stdout), stderr: text(stderr) };
}

function hideHook({ stdout, stderr, ...rest }: Seen): Seen {
  return { ...rest, stdout: stdout.replace(HOOK, 'HOOK'), stderr: stderr.replace(HOOK, 'HOOK') };
}

function plainArgv(kind: string, command: string): readonly string[] {
  return kind === 'bash' ? ['bash', '--norc', '--noprofile', '-c', '--', command] : [kind, '-c', '--', command];
}

const installed: ShellProvider[] = (['bash', 'sh', 'zsh'] as const).flatMap((kind) =>
  ['/bin/', '/usr/bin/'].some((folder) => checkShell(folder + kind) === null) ? [findShell({ kind })] : [],
);

describe.each(installed)('$kind', (shell) => {
  beforeEach(() => rmSync(cwdFile, { force: true }));
  const rows = ROWS.filter(({ shells }) => shells === undefined || shells.includes(shell.kind));

  test.each(rows)('$name', async ({ command, folder, ours, untold, gone }) => {
    const plain = run(shell.shellPath, plainArgv(shell.kind, command));
    const built = shell.buildCommand({ command, cwdFile });
    const seen = hideHook(run(built.file, built.argv));
    const expected = { ...plain, ...ours };
    expect(seen).toEqual(expected);
    if (ours !== undefined) expect(expected, 'a row that no longer differs').not.toEqual(plain);
    const told = await readEndFolder(cwdFile);
    if (gone?.includes(shell.kind)) expect(existsSync(told ?? start)).toBe(false);
    else expect(told).toBe(folder === null || untold?.includes(shell.kind) ? null : join(start, folder));
  });

  test.each(rows)('bare: $name', ({ command, ours }) => {
    const built = shell.buildCommand({ command });
    expect(built.argv.at(-1)).toBe(command);
    if (ours === undefined || shell.kind !== 'bash')
      expect(run(built.file, built.argv)).toEqual(run(shell.shellPath, plainArgv(shell.kind, command)));
    expect(existsSync(cwdFile)).toBe(false);
  });
});

test('the document has exactly these rows, and marks those that differ', () => {
  const document = readFileSync(new URL('../../../docs/decisions/0004-cwd-tracking.md', import.meta.url), 'utf8');
  const table = document.slice(document.indexOf('| observable |')).split('\n\n')[0] ?? '';
  const documented = table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(documented.map((cells) => [cells[1], cells[3] === 'same'])).toEqual(
    ROWS.map(({ name, ours }) => [name, ours === undefined]),
  );
});
