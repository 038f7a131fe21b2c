// What a command can see: each text runs in a shell that waited and in one that was started for it, and nothing may differ,
// be it unconfined or in one of the tiers. The names are those of the table in docs/decisions/0006-prestarted-pool.md.

import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { diskFolders } from '../../src/confine/folders.ts';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import { plan } from '../../src/confine/plan.ts';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunHandle, RunRequest } from '../../src/run/port.ts';
import { makeBase } from '../attacks/subject.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { makeMark, pause } from '../contract/marks.ts';
import { BASH, canWait, untilWaiting } from './waiting-shells.ts';

const NOTE = new URL('../../docs/decisions/0006-prestarted-pool.md', import.meta.url);
const keeper = found.isAvailable ? found.path : '';
const reason = await canWait(found);
const OPTIONS = ['--norc', '--noprofile', '-p', '-c', '--'];

/** Sizes, times and numbers of processes are never the same twice, nor what a shell does while another process looks at it. */
const STATUS = `grep -Ev '^(Pid|PPid|Tgid|Ngid|NStgid|NSpid|NSpgid|NSsid|Vm|Rss|Hugetlb|voluntary|nonvoluntary|State|FDSize|Sig)' /proc/$$/status`;

const ROWS: Readonly<Record<string, string>> = {
  '`$0`, `$#`, `$@`': 'echo "$0|$#|$*|$BASH_ARGV0"',
  '`$-`, `$SHELLOPTS`, `$BASHOPTS`': 'echo "$-|$SHELLOPTS|$BASHOPTS"',
  '`$BASH_EXECUTION_STRING`': 'echo "$BASH_EXECUTION_STRING"; echo \'two lines\'\n: $BASH_EXECUTION_STRING',
  '`$LINENO`, `caller`': 'echo $LINENO\necho $LINENO\nf() { caller; caller 0; echo $LINENO; }\nf',
  'first and last `$?`, `$!`, `$_`, `$PIPESTATUS`':
    'echo "$?|$!|$_|${PIPESTATUS[*]}"; false | true; echo "${PIPESTATUS[*]}|$_"',
  '`$$`, `$PPID`, `$BASHPID`': 'echo $$ $PPID $BASHPID; (echo $$; [ $BASHPID = $$ ] || echo other)',
  '`$SHLVL`, `$BASH_SUBSHELL`, `$BASH`': 'echo $SHLVL $BASH_SUBSHELL $BASH',
  '`$PWD`, `$OLDPWD`': 'echo "$PWD|$OLDPWD"; pwd -P; cd / && echo "$PWD|$OLDPWD"',
  'error prefix': 'nosuchcommand; cd /nowhere; echo ${x?unset}',
  'error on a later line': 'true\n\nnosuchcommand\nexit 5',
  'syntax error': 'echo before; if',
  'syntax error on line 2': 'echo before\necho )\necho after',
  'unclosed quote': "echo 'open",
  'here-document': 'cat <<X\na $0\nX\ncat <<< b',
  'unfinished here-document': 'cat <<X\nabc',
  'empty text': '',
  'text that begins with `-`': '-x; echo "$-"',
  'line breaks, tabs, not ASCII': 'printf "%s" "ä\t€\n😀\r" | od -c\n\n',
  stdin: 'readlink /proc/$$/fd/0; read x; echo $?; cat',
  'open descriptors':
    'for fd in /proc/$$/fd/*; do echo "${fd##*/} $(readlink $fd | tr -d 0-9)"; done; cat /proc/$$/fdinfo/{0,1,2} | grep flags',
  '`/dev/stdout`, `/dev/stderr`, `/dev/fd`':
    'echo a > /dev/stdout; echo b > /dev/stderr; echo c | cat /dev/fd/0; cat <(echo d)',
  '`exec` of a program': 'exec sh -c \'echo $$ $0; tr "\\0" "|" < /proc/$$/cmdline\'',
  '`exec` of descriptors': 'exec 3>&1 1>&2; echo err; echo out >&3',
  'last program replaces the shell': 'cut -d" " -f1,2 /proc/self/stat',
  'exit code': 'exit 42',
  '`exit` in a trap': "trap 'echo bye; exit 9' EXIT; exit 3",
  '`set -e`': 'set -e; false; echo no',
  'own `TERM` trap': "trap 'echo got; exit 4' TERM; kill -TERM $$; echo no",
  'ended by a signal': 'kill -HUP $$; sleep 5',
  'ended by SIGINT': 'kill -INT $$; sleep 5',
  'ignored and blocked signals':
    'while read -r line; do [[ $line == Sig[PSBIC][!Q]* ]] && echo "$line"; done < /proc/$$/status; trap -p; sh -c "grep ^Sig[PSBIC][^Q] /proc/self/status"',
  limits: 'ulimit -a; cat /proc/$$/limits',
  umask: 'umask; umask -S',
  'session, group, terminal': 'read -ra stat < /proc/$$/stat; echo "${stat[@]:0:2} ${stat[@]:3:5}"; echo x > /dev/tty',
  'job control and background': 'sleep 0 & wait $!; echo $?; jobs; set -m; sleep 0 & wait; fg',
  '`cmdline`, `comm`, `ps`':
    'tr "\\0" "\\n" < /proc/$$/cmdline; od -An -tx1 /proc/$$/cmdline | tail -1; cat /proc/$$/comm; ps -o args= -p $$',
  '`environ`, `env`': 'tr "\\0" "\\n" < /proc/$$/environ; echo; env',
  'all variables': 'set; declare -p | sort',
  'shell options, functions, aliases': 'shopt; set -o; declare -F; alias; enable; hash',
  '`exe`, `cwd`, `root`': 'readlink /proc/$$/exe /proc/$$/cwd /proc/$$/root',
  'status: tracer, privileges, capabilities': STATUS,
  'auxiliary vector':
    'od -An -tu8 -w16 -v /proc/$$/auxv | awk \'{print $1, ($1==6||$1==11||$1==12||$1==13||$1==14||$1==16||$1==17||$1==23||$1==26) ? $2 : ""}\'',
  'mapped memory': "awk '{print $2, $6}' /proc/$$/maps | uniq",
  'priority, personality, other attributes':
    'nice; cat /proc/$$/{oom_score_adj,coredump_filter,personality,loginuid,cgroup,timerslack_ns}; readlink /proc/$$/ns/*',
  'a heap that grows': 'printf -v x "%3000000s"; echo ${#x}; f() { (( $1 )) && f $(($1-1)); }; f 500; echo $?',
  'parent of a child': 'cut -d" " -f4 /proc/self/stat; echo; (exec cut -d" " -f4 /proc/self/stat); echo',
};

if (reason !== null) test('what a command can see', (context) => context.skip(reason));

test('the table of the decision record has these rows and no others', () => {
  const table = readFileSync(NOTE, 'utf8').split('## The table')[1]?.split('\n## ')[0] ?? '';
  const names = [...table.matchAll(/^\| (.+?) \| same \|$/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(ROWS));
});

/** Why a tier cannot be had here, or its confinement. */
async function confineBy(tier: 'namespaces' | 'landlock', folder: string): Promise<string | ConfinementSpec> {
  const runner = new KeeperRunner(keeper);
  try {
    const probe = await findKernelSupport(attemptConfinement(runner), { allowNamespaces: tier === 'namespaces' });
    const planned = plan(
      { name: 'workspace', writable: [folder], hidden: [join(folder, 'hidden')] },
      probe,
      diskFolders,
    );
    return probe.tier === tier && planned.kind === 'confined' ? planned.spec : (probe.why ?? 'another tier was found');
  } finally {
    await runner.close();
  }
}

describe.skipIf(reason !== null).each(['unconfined', 'namespaces', 'landlock'] as const)(
  '%s: what a command can see',
  (tier) => {
    let folder = '';
    let confined: { confinement?: ConfinementSpec } = {};
    let unavailable: string | null = null;
    const mark = makeMark();
    const pooled = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
    const plain = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 0 });
    beforeAll(async () => {
      // Without namespaces all names beside the way to a hidden file are listed: in /tmp they can be too many to wait with.
      folder = realpathSync(makeBase('hardshell-seen-'));
      writeFileSync(join(folder, 'hidden'), 'secret');
      if (tier === 'unconfined') return;
      const found = await confineBy(tier, folder);
      if (typeof found === 'string') unavailable = found;
      else confined = { confinement: found };
    });
    beforeEach((context) => {
      if (unavailable !== null) context.skip(unavailable);
    });
    afterAll(async () => {
      await Promise.all([pooled.close(), plain.close()]);
      rmSync(folder, { recursive: true, force: true });
    });

    const request = (text: string, argv = ['bash', ...OPTIONS]): RunRequest => ({
      program: BASH,
      argv: [...argv, text],
      cwd: folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, LC_ALL: 'C.UTF-8', ...mark.env },
      streams: 'split',
      ...confined,
    });
    // The supervisor, the shell itself and namespaces have other numbers each time.
    const seenOf = async (handle: RunHandle) => {
      const { pid, supervisorPid } = await handle.started;
      const { exitCode, signal, cause, output } = await handle.done;
      const named = (text: string) =>
        text
          .replaceAll(new RegExp(`\\b(${pid}|${supervisorPid})\\b`, 'g'), (number) =>
            number === String(pid) ? 'PID' : 'PARENT',
          )
          .replaceAll(/:\[40\d{8}\]/g, ':[NAMESPACE]');
      const [stdout, stderr] = await Promise.all(
        (['stdout', 'stderr'] as const).map(async (stream) =>
          named(String(await output.read(0, output.totalBytes, stream))),
        ),
      );
      return { pid, seen: { exitCode, signal, cause, stdout, stderr } };
    };
    const runHeld = async (wanted: RunRequest) => {
      for (const deadline = performance.now() + 15_000; ; ) {
        await pooled.start({ ...wanted, argv: [...wanted.argv.slice(0, -1), 'true'] }).done;
        const waiting = await untilWaiting(mark);
        const { pid, seen } = await seenOf(pooled.start(wanted));
        // On a busy machine the keeper may not know yet that the shell waits, and start another: that shows nothing.
        if (pid !== waiting && performance.now() < deadline) continue;
        expect(pid).toBe(waiting);
        return seen;
      }
    };

    test.each(Object.entries(ROWS))('%s', async (_, text) => {
      const [ours, theirs] = [await runHeld(request(text)), (await seenOf(plain.start(request(text)))).seen];
      expect(ours).toEqual(theirs);
    });

    test('sh is held in the same way', async () => {
      const text = 'echo $0 $- $$; tr "\\0" "|" < /proc/$$/cmdline; nosuchcommand';
      const wanted = { ...request(text, ['sh', '-c']), program: '/bin/sh' };
      // Two of a kind: what waited was for bash.
      await pooled.start(wanted).done;
      expect(await runHeld(wanted)).toEqual((await seenOf(plain.start(wanted))).seen);
      for (let count = 0; count < 2; count += 1) await pooled.start(request('true')).done;
    });

    test('the clock of the shell starts with the command, and so does its random seed', async () => {
      await pooled.start(request('true')).done;
      await untilWaiting(mark);
      await pause(2200);
      expect((await seenOf(pooled.start(request('echo $((SECONDS < 2))')))).seen.stdout).toBe('1\n');
      const numbers = new Set<string>();
      for (let count = 0; count < 4; count += 1)
        numbers.add((await runHeld(request('echo $RANDOM $RANDOM $RANDOM'))).stdout as string);
      expect(numbers.size).toBe(4);
    });
  },
);
