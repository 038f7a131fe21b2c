// A developer's day: real programs, step by step. Each step is a command of its own, in the sandbox and outside of it.

export interface Work {
  readonly name: string;
  /** Programs that must be installed. */
  readonly needs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Runs beside the steps: a server for them. `ready`: a command that succeeds when it is up. */
  readonly server?: { readonly command: string; readonly ready: string };
  readonly steps: readonly string[];
  /** Refuses to run as root, as initdb does. */
  readonly asUser?: true;
  /** Contacts hosts of its makers, which is refused. */
  readonly callsHome?: true;
}

const C_PROGRAM = '#include <stdio.h>\nint main(void) { int answer = 42; printf("%d\\n", answer); return 0; }\n';
const IDENTITY = 'git config user.name Ada && git config user.email ada@example.com';
const repository = (file: string) =>
  `git init -q -b main . && ${IDENTITY} && git add ${file} && git commit -q -m first`;
const QUIETLY = '>/dev/null 2>&1';

const GIT: readonly Work[] = [
  {
    name: 'git: settings of a repository',
    files: { a: '1\n' },
    steps: [
      repository('a'),
      'git config user.name Grace; git config user.name',
      'git remote add origin https://example.com/x.git; git remote -v',
      'git remote rename origin upstream; git remote',
      'git remote set-url upstream https://example.com/y.git; git remote get-url upstream',
      'git remote remove upstream; git remote',
    ],
  },
  {
    name: 'git: branches',
    files: { a: '1\n' },
    steps: [
      repository('a'),
      'git branch -m trunk; git branch',
      'git switch -q -c topic; echo 2 >a; git commit -q -a -m second; git switch -q trunk; git merge -q topic; git log --format=%s',
      'git branch -d topic | cut -d" " -f1-3; git branch',
      'echo 3 >a; git stash -q; git stash list | wc -l; git stash pop -q; cat a',
      'git commit -q -a -m third; git rebase -q --root; git log --format=%s; git tag v1; git gc -q; git status --short',
    ],
  },
  {
    name: 'git: push to a bare repository',
    files: { 'work/a': '1\n' },
    steps: [
      `git init -q --bare -b main store.git; cd work; ${repository('a')}; git remote add origin ../store.git; git push -q -u origin main; git status -sb`,
      'git clone -q store.git copy; cd copy; cat a; git log --format=%s',
      'cd work; git fetch -q; git pull -q; git rev-parse --abbrev-ref @{u}',
    ],
  },
  {
    name: 'git: worktrees and submodules',
    files: { 'lib/l': '1\n', 'app/a': '1\n' },
    steps: [
      `cd lib; ${repository('l')}`,
      `cd app; ${repository('a')}; git worktree add -q ../tree; cd ../tree; echo 2 >a; git commit -q -a -m tree; git log --format=%s`,
      'cd app; git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -q -m sub; git submodule status | cut -d" " -f3-; cat lib/l',
      'cd app && git worktree remove ../tree && git worktree list | wc -l',
    ],
  },
];

const SOCKETS: readonly Work[] = [
  {
    name: 'tmux',
    needs: ['tmux'],
    steps: ['tmux -f /dev/null new-session -d -s work "sleep 30"; tmux ls -F "#S"; tmux kill-server; echo $?'],
  },
  {
    name: 'ssh-agent',
    needs: ['ssh-agent', 'ssh-keygen'],
    files: {
      'agent.sh': `ssh-keygen -q -t ed25519 -N "" -C me -f ./k
eval "$(ssh-agent)" >/dev/null
ssh-add -q ./k && ssh-add -L | cut -d" " -f1,3
ssh-agent -k >/dev/null
`,
    },
    steps: ['sh agent.sh'],
  },
  {
    name: 'gpg: a key, a signature',
    needs: ['gpg'],
    steps: [
      `mkdir -m 700 g; export GNUPGHOME=$PWD/g; gpg --batch --quiet --passphrase "" --quick-gen-key me@example.com ed25519 sign never ${QUIETLY}; echo text >t; gpg --batch --quiet --sign t; gpg --verify t.gpg ${QUIETLY}; echo $?; gpgconf --kill all`,
    ],
  },
  {
    name: 'Python: processes, locks, a manager, shared memory',
    needs: ['python3'],
    files: {
      'work.py': `import multiprocessing as m
from multiprocessing import shared_memory
def double(x): return 2 * x
if __name__ == '__main__':
    with m.Pool(2) as pool: print(pool.map(double, range(5)))
    with m.Manager() as manager:
        shared = manager.list([1]); shared.append(2); print(list(shared))
    with m.Lock(): print('locked')
    memory = shared_memory.SharedMemory(create=True, size=16); memory.buf[0] = 7; print(memory.buf[0]); memory.close(); memory.unlink()
`,
    },
    steps: ['python3 work.py'],
  },
  {
    name: 'a unix socket in the project and in /tmp, by name and abstract',
    needs: ['python3'],
    files: {
      'talk.py': `import socket, threading, os
for name in ['./s', '/tmp/hs-workday-s', '\\0hs-workday']:
    server = socket.socket(socket.AF_UNIX); server.bind(name); server.listen()
    def answer():
        peer, _ = server.accept(); peer.sendall(peer.recv(9)); peer.close()
    thread = threading.Thread(target=answer); thread.start()
    client = socket.socket(socket.AF_UNIX); client.connect(name); client.sendall(b'hello'); print(client.recv(9)); thread.join()
    if name[0] != '\\0': os.unlink(name)
`,
    },
    steps: ['python3 talk.py'],
  },
  {
    name: 'a server on a unix socket, a client in the next command',
    needs: ['node'],
    files: {
      'server.cjs': "require('net').createServer((c) => c.end('served')).listen('./s')",
      'client.cjs': "require('net').connect('./s').on('data', (d) => console.log(String(d)))",
    },
    server: { command: 'node server.cjs', ready: 'test -S s' },
    steps: ['node client.cjs', 'cat client.cjs | node -'],
  },
  {
    name: 'redis by socket',
    needs: ['redis-server', 'redis-cli'],
    server: {
      command: 'redis-server --port 0 --unixsocket r.sock --save "" --daemonize no',
      ready: 'redis-cli -s r.sock ping | grep -q PONG',
    },
    steps: ['redis-cli -s r.sock set a 1; redis-cli -s r.sock get a'],
  },
  {
    name: 'PostgreSQL: a cluster, its socket, a query',
    needs: ['initdb', 'psql'],
    asUser: true,
    steps: [
      `initdb -D data -A trust -U me ${QUIETLY}; echo $?`,
      `pg_ctl -D data -o "-k $PWD -c listen_addresses=" -l log -w start ${QUIETLY}; psql -h "$PWD" -U me -d postgres -Atc "select 40 + 2"; pg_ctl -D data -w stop ${QUIETLY}; echo $?`,
    ],
  },
  {
    name: 'chromium prints a page',
    needs: ['chromium'],
    callsHome: true,
    files: { 'page.html': '<title>t</title><p id=p>a</p><script>p.textContent = 6 * 7</script>' },
    steps: [
      'XDG_CONFIG_HOME=$PWD/config chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/profile" --dump-dom "file://$PWD/page.html" 2>/dev/null | grep -o "<p id=.*</p>"',
    ],
  },
];

const DEBUGGERS: readonly Work[] = [
  {
    name: 'gdb',
    needs: ['gdb', 'cc'],
    files: { 'a.c': C_PROGRAM },
    steps: [
      'cc -g -O0 -o a a.c',
      'gdb -nx -batch -ex "break main" -ex run -ex next -ex "print answer" -ex kill ./a 2>/dev/null | grep "^\\$1"',
    ],
  },
  {
    name: 'strace',
    needs: ['strace'],
    steps: ['strace -f -e trace=execve -o log sh -c "true; /bin/true"; grep -c execve log'],
  },
  {
    name: 'a debugger attaches to a process of the command',
    needs: ['gdb'],
    steps: ['sleep 20 & gdb -nx -batch -p $! -ex detach 2>/dev/null | grep -c "detached"; kill %1'],
  },
];

const SERVERS: readonly Work[] = [
  {
    name: 'a web server, a client in the next command',
    needs: ['python3', 'curl'],
    files: { 'index.html': 'page\n' },
    server: { command: 'python3 -m http.server 18080', ready: 'curl -s -o /dev/null http://127.0.0.1:18080/' },
    steps: ['curl -s http://localhost:18080/', 'curl -s http://127.0.0.1:18080/index.html | wc -c'],
  },
  {
    name: 'vite, a client in the next command',
    needs: ['vite', 'curl'],
    files: { 'index.html': '<h1>vite</h1>\n' },
    server: { command: 'vite --port 15173 --strictPort', ready: 'curl -s -o /dev/null http://localhost:15173/' },
    steps: ['curl -s http://localhost:15173/ | grep h1'],
  },
];

const INTERFACES: readonly Work[] = [
  {
    name: 'programs that list network interfaces',
    needs: ['node', 'python3'],
    steps: [
      'node -p "Object.keys(os.networkInterfaces()).includes(\'lo\')"',
      'python3 -c "import socket; print(socket.if_nameindex()[0])"',
    ],
  },
];

const BUILDS: readonly Work[] = [
  {
    name: 'make',
    needs: ['make', 'cc'],
    files: { 'a.c': C_PROGRAM, Makefile: 'a: a.c\n\tcc -o a a.c\n' },
    steps: ['make -j2', './a', 'touch -d "2001-01-01" a; make; make'],
  },
  {
    name: 'cmake',
    needs: ['cmake', 'cc'],
    files: {
      'a.c': C_PROGRAM,
      'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a a.c)\n',
    },
    steps: [`cmake -B build ${QUIETLY}; cmake --build build ${QUIETLY}; build/a`],
  },
  {
    name: 'cargo',
    needs: ['cargo'],
    steps: [
      'cargo new --quiet --vcs none hello && cd hello && cargo run --quiet --offline',
      'cd hello && cargo test --quiet --offline 2>&1 | grep -c "test result"',
    ],
  },
  {
    name: 'Go',
    needs: ['go'],
    files: {
      'go.mod': 'module example.com/a\n\ngo 1.19\n',
      'main.go': 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(42) }\n',
      'main_test.go': 'package main\n\nimport "testing"\n\nfunc TestMain42(t *testing.T) {}\n',
    },
    steps: ['go run .', 'go test ./... | cut -f1,2', 'go vet ./...; echo $?'],
  },
];

const FILES: readonly Work[] = [
  {
    name: 'sqlite',
    needs: ['sqlite3'],
    steps: [
      'sqlite3 d.db "pragma journal_mode=wal; create table t(a); insert into t values(1),(2); select sum(a) from t;"',
      'sqlite3 d.db "select count(*) from t"',
    ],
  },
  {
    name: 'inotify',
    needs: ['node'],
    files: {
      'watch.cjs': `const fs = require('fs');
const watcher = fs.watch('.', (kind, name) => { if (name === 'made') { console.log(name); watcher.close(); } });
setTimeout(() => fs.writeFileSync('made', ''), 100);`,
    },
    steps: ['node watch.cjs'],
  },
  {
    name: 'pipes, locks, terminals, /dev/shm, what stays in /tmp',
    needs: ['flock', 'script'],
    steps: [
      'mkfifo p; cat p & echo through >p; wait; rm p',
      'flock l -c "echo locked"; rm l',
      'script -qec "tty | cut -c1-8" /dev/null',
      'echo x >/dev/shm/hs-workday; cat /dev/shm/hs-workday; rm /dev/shm/hs-workday; ls /dev/shm/hs-workday 2>&1 | wc -l',
      'echo kept >/tmp/hs-workday-kept',
      'cat /tmp/hs-workday-kept; rm /tmp/hs-workday-kept',
    ],
  },
];

export const DAY: readonly Work[] = [...GIT, ...SOCKETS, ...DEBUGGERS, ...SERVERS, ...INTERFACES, ...BUILDS, ...FILES];
