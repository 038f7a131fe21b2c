// Random programs of file operations, direct and staged: the same output, the same tree after landing, and the tree of the
// beginning after undo. HARDSHELL_STRESS=N: N programs; HARDSHELL_SEED: the first of them.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKernelSupport } from '../../src/confine/kernel-support.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';

const keeper = found.isAvailable ? found.path : '';
const hasPython = spawnSync('python3', ['--version']).status === 0;
const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 4);
const SEED = Number(process.env.HARDSHELL_SEED ?? Math.floor(Math.random() * 1e9));

/** Takes a seed. Every operation prints its error, if it has one. */
const PROGRAM = `
import ctypes, mmap, os, random, socket, sys, shutil
libc = ctypes.CDLL(None, use_errno=True)
r = random.Random(int(sys.argv[1]))
NAMES = ['a', 'b', 'c', 'd', 'e', 'x y', 'n\\tt']
def name(depth=3):
    return '/'.join(r.choice(NAMES) for _ in range(r.randint(1, depth)))
def write(p, flags):
    fd = os.open(p, flags | os.O_WRONLY | os.O_NONBLOCK, 0o644)
    os.write(fd, b'%d\\n' % r.randint(0, 9)); os.close(fd)
def copy(p, q):
    shutil.copy2(p, q) if os.path.isfile(p) else os.mkdir(q)
def show(p):
    data = open(p, 'rb').read() if os.path.isfile(p) else b''
    print(len(data), data[:20], data[-20:])
def put(p, where):
    with open(p, 'r+b' if os.path.isfile(p) else 'xb') as f: f.seek(where); f.write(b'%d' % r.randint(0, 9))
def put_mapped(p):
    if not os.path.isfile(p) or os.path.getsize(p) == 0: return
    with open(p, 'r+b') as f, mmap.mmap(f.fileno(), 0) as m: m[len(m) - 1] = r.randint(48, 57)
def listen(p):
    with socket.socket(socket.AF_UNIX) as s: s.bind(p)
def exchange(p, q):
    if any(os.path.isdir(x) and not os.path.islink(x) for x in (p, q)): return
    if libc.renameat2(-100, os.fsencode(p), -100, os.fsencode(q), 2) != 0: raise OSError(ctypes.get_errno(), 'exchange')
def write_at_once(p, q):
    # All write the same: the order does not matter.
    fds = [os.open(x, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK, 0o644) for x in (p, q)]
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            for fd in fds: os.write(fd, b'together')
            os._exit(0)
        children.append(child)
    for child in children: os.waitpid(child, 0)
    for fd in fds: os.close(fd)
def replace(p):
    # As editors and package managers do.
    write('draft', os.O_CREAT | os.O_TRUNC); os.chmod('draft', 0o600); os.rename('draft', p)
OPERATIONS = [
    lambda: write(name(), os.O_CREAT | os.O_TRUNC), lambda: write(name(), os.O_CREAT | os.O_APPEND),
    lambda: write(name(), os.O_CREAT | os.O_EXCL), lambda: write(name(), 0), lambda: os.unlink(name()), lambda: os.rmdir(name()),
    lambda: os.mkdir(name()), lambda: os.makedirs(name(5)), lambda: os.rename(name(), name()), lambda: os.rename(name(), name()),
    lambda: os.rename(name(1), name(2)), lambda: os.chmod(name(), r.choice([0o700, 0o755, 0o750])),
    lambda: os.utime(name(), (1e9, 1e9 + r.randint(0, 999))), lambda: os.symlink(name(), name()), lambda: os.link(name(), name(), follow_symlinks=False),
    lambda: (lambda p: os.path.isdir(p) and shutil.rmtree(p))(name(2)), lambda: os.truncate(name(), r.randint(0, 3)), lambda: copy(name(), name()),
    lambda: (lambda p: os.path.isfile(p) and not os.path.islink(p) and os.setxattr(p, 'user.t', b'%d' % r.randint(0, 3)))(name()),
    lambda: print(sorted(os.listdir(name(2)))), lambda: show(name()), lambda: put(name(), 0), lambda: put(name(), 70000),
    lambda: put_mapped(name()), lambda: os.mkfifo(name()), lambda: listen(name()), lambda: exchange(name(), name()),
    lambda: write_at_once(name(), name()), lambda: replace(name()),
    lambda: (lambda p: os.path.isfile(p) and not os.path.islink(p) and os.removexattr(p, 'user.t'))(name()),
]
for i in range(int(sys.argv[2])):
    try: r.choice(OPERATIONS)()
    except OSError as e: print(i, e.errno)
    except shutil.Error as e: print(i, 'copy')
`;

/** One line for each name; times of the last minutes are "now", which differs between two runs. */
const DESCRIBE = `
import hashlib, os, sys
def look(p, n):
    s = os.lstat(p)
    t = 'now' if s.st_mtime > 1.2e9 and sys.argv[2] == 'loose' else s.st_mtime_ns
    x = {k: os.getxattr(p, k, follow_symlinks=False) for k in os.listxattr(p, follow_symlinks=False)}
    kind = s.st_mode
    if os.path.islink(p): print(repr(n), os.readlink(p)); return
    data = open(p, 'rb').read() if os.path.isfile(p) else b''
    if len(data) > 200: data = (len(data), hashlib.md5(data).hexdigest())
    print(repr(n), oct(kind), t, x, data, s.st_nlink if os.path.isfile(p) else '')
    if os.path.isdir(p):
        for e in sorted(os.listdir(p)): look(os.path.join(p, e), n + '/' + e)
look(sys.argv[1], '')
`;

describe.skipIf(!found.isAvailable || !hasPython)('random programs', { timeout: 60_000 + ROUNDS * 10_000 }, () => {
  let runner: KeeperRunner;
  let base = '';

  beforeEach(async (context) => {
    runner = new KeeperRunner(keeper, { stderr: keeperStderr, pool: 1 });
    const { tier } = await findKernelSupport(attemptConfinement(runner));
    if (tier !== 'namespaces') context.skip('this kernel has no user namespaces');
    base = mkdtempSync(join(homedir(), 'hardshell-random-'));
  });
  afterEach(async () => {
    await runner.close();
    if (base !== '') rmSync(base, { recursive: true, force: true });
  });

  const describeTree = (folder: string, how: 'exact' | 'loose') =>
    execFileSync('python3', ['-c', DESCRIBE, folder, how], { encoding: 'utf8' }).split('\n');

  async function runStaged(root: string, seed: number, count: number) {
    const stage = join(base, `stage-${seed}`);
    mkdirSync(stage, { mode: 0o700 });
    const handle = runner.start({
      program: 'python3',
      argv: ['python3', '-c', PROGRAM, String(seed), String(count)],
      cwd: root,
      env: { PATH: process.env.PATH ?? '' },
      timeoutMs: 60_000,
      confinement: {
        tier: 'namespaces',
        reads: 'all',
        network: 'own',
        unixSockets: 'any',
        paths: [
          { kind: 'device', path: '/dev/null' },
          { kind: 'staged', path: root, from: join(stage, '0') },
        ],
        stage: { folder: stage, mode: 'apply', guarded: [] },
        optional: ['proc', 'terminals', 'loopback', 'files', 'refer', 'truncate', 'device-ioctl', 'scope'],
      },
    });
    const [, { output }] = await Promise.all([handle.started, handle.done]);
    return { stage, text: (await output.read(0, output.totalBytes)).toString() };
  }

  test(`the same in a stage, from seed ${SEED}`, async () => {
    for (let seed = SEED; seed < SEED + ROUNDS; seed++) {
      const [root, copy] = [join(base, `project-${seed}`), join(base, `copy-${seed}`)];
      mkdirSync(root);
      spawnSync('python3', ['-c', PROGRAM, String(seed + 7), '150'], { cwd: root, timeout: 30_000 });
      // No file of the beginning has two names: an overlay separates them.
      const alone = 'find . -type f -links +1 -exec sh -c \'cp -p "$1" tmp && mv tmp "$1"\' _ {} \\;';
      spawnSync('sh', ['-c', `${alone}; find . -exec touch -h -d @1000000500 {} +`], { cwd: root });
      execFileSync('cp', ['-a', root, copy]);
      const before = describeTree(root, 'exact');
      const direct = spawnSync('python3', ['-c', PROGRAM, String(seed), '80'], {
        cwd: copy,
        encoding: 'utf8',
        timeout: 30_000,
      });
      const { stage, text } = await runStaged(root, seed, 80);
      expect(text, `seed ${seed}`).toBe(direct.stdout);
      expect(describeTree(root, 'loose'), `seed ${seed}`).toEqual(describeTree(copy, 'loose'));
      const journal = readFileSync(join(stage, 'journal'), 'latin1');
      expect(journal).not.toContain('\0held\t');
      const undo = spawnSync(keeper, ['stage', 'undo', stage], { encoding: 'utf8' });
      expect([undo.status, undo.stdout, undo.stderr], `seed ${seed}`).toEqual([0, '', '']);
      expect(describeTree(root, 'exact'), `seed ${seed}`).toEqual(before);
    }
  });
});
