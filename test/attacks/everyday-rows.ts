// What people do all day, and what must go on to work inside.

import { type Row, works } from './row.ts';

export const EVERYDAY_ROWS: readonly Row[] = works([
  [
    'git commits',
    'cd $W && git add . && git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline | grep -q x',
  ],
  ['git status is what it was', 'cd $W && test "$(git status --porcelain)" = "$STATUS"'],
  [
    'git clones',
    'cd $W && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m y && git clone -q . copy && test -d copy/.git',
  ],
  [
    'git stashes',
    'cd $W && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m y && echo z > tracked && git add tracked && git -c user.name=a -c user.email=a@b stash -q',
  ],
  ['node evaluates', 'node -e "console.log(1+1)" | grep -q 2'],
  ['node starts a process', `node -e 'require("child_process").execFileSync("true")'`],
  [
    'node forks with a channel',
    `cd $W && echo 'process.send(1)' > c.js && node -e 'require("child_process").fork("./c.js").on("message",()=>process.exit(0));setTimeout(()=>process.exit(1),5000)'`,
  ],
  [
    'node has workers',
    `node -e 'new (require("worker_threads").Worker)("0",{eval:true}).on("exit",c=>process.exit(c))'`,
  ],
  ['npm tells its version', 'npm --version'],
  ['python computes', '/usr/bin/python3 -c "print(6*7)" | grep -q 42'],
  ['python starts a process', `/usr/bin/python3 -c 'import subprocess;subprocess.run(["true"],check=True)'`],
  [
    'python has a pool',
    `/usr/bin/python3 -c 'import multiprocessing as m;p=m.Pool(2);print(p.map(abs,[-1]))'`,
    { tier: 'namespaces' },
  ],
  ['python has temporary files', `/usr/bin/python3 -c 'import tempfile;tempfile.TemporaryFile().write(b"x")'`],
  ['a compiler compiles and the result runs', `cd $W && echo 'int main(void){return 0;}' > a.c && cc -o a a.c && ./a`],
  [
    'make runs jobs',
    `cd $W && printf 'all: a b c\\n%%:\\n\\ttouch $@\\na b c:\\n\\ttouch $@\\n' > Makefile && make -s -j4 all && test -e c`,
  ],
  ['sort uses temporary files', 'cd $W && seq 100000 | sort -S 100k -r | head -1 | grep -q 99999'],
  ['/dev/null takes everything', 'echo x > /dev/null && cat /dev/null'],
  ['/dev/stdout can be written', 'echo x > /dev/stdout && echo y > /dev/stderr'],
  ['/dev/urandom gives bytes', 'test $(head -c 10 /dev/urandom | wc -c) = 10'],
  ['/dev/zero and /dev/full are there', 'head -c1 /dev/zero >/dev/null && ! echo x > /dev/full'],
  ['a pipe has many members', 'seq 10 | tac | sort -n | uniq | wc -l | grep -q 10'],
  ['processes are substituted', 'diff <(echo a) <(echo a)'],
  ['text comes from here documents', 'cat <<< hello | grep -q hello'],
  ['jobs run in the background', 'sleep 0.01 & wait $!'],
  ['a child can be signalled', 'sleep 9 & kill $! && ! wait $!'],
  ['its own group can be signalled', `trap 'exit 0' TERM; kill -TERM 0; exit 1`],
  ['its own group has its number', `trap 'exit 0' TERM; kill -TERM -- -$$; exit 1`],
  ['a timeout ends a child', 'timeout 0.05 sleep 9; test $? = 124'],
  ['temporary files can be made', 'f=$(mktemp) && echo x > $f && rm $f'],
  ['files are found and handled', 'cd $W && find . -name tracked | xargs cat'],
  [
    'archives are packed and unpacked',
    'cd $W && mkdir t && echo x > t/f && tar czf t.tgz t && rm -r t && tar xzf t.tgz && test -e t/f',
  ],
  [
    'modes and links change in the workspace',
    'cd $W && echo x > f && chmod 755 f && ln f g && ln -s f h && mv g d && test -x d',
  ],
  ['files move between folders', 'cd $W && mkdir -p a b && echo x > a/f && mv a/f b/f && rm -r a b'],
  ['files are edited in place', 'cd $W && echo a > f && sed -i s/a/b/ f && grep -q b f'],
  ['a lock can be taken', 'cd $W && flock lock true'],
  ['a pipe file connects', 'cd $W && mkfifo p && (echo x > p &) && read l < p && test $l = x'],
  ['limits can be lowered', 'ulimit -n 64 && true'],
  ['priorities can be lowered', 'nice -n 5 true'],
  ['processes are listed', 'ps -o pid= -p $$ | grep -q .'],
  ['everything else can be read', 'cat /etc/passwd > /dev/null && ls / /usr > /dev/null'],
  ['a script runs by its first line', `cd $W && printf '#!/bin/sh\\nexit 0\\n' > s && chmod +x s && ./s`],
  [
    'a server and its client meet inside',
    `node -e 'const s=require("net").createServer(c=>c.end("x")).listen(0,"127.0.0.1",()=>require("net").connect(s.address().port).on("data",()=>process.exit(0)))'`,
    { tier: 'namespaces' },
  ],
  ['a terminal can be opened', `script -qec true /dev/null`, { tier: 'namespaces' }],
  ['a listed port can be reached', '$A tcp $PORT', { policy: 'open-port' }],
  ['the restricted policy reads', 'cat $W/tracked', { policy: 'restricted' }],
  [
    'the restricted policy has a temporary folder',
    'f=$(mktemp /tmp/hardshell-XXXXXX) && echo x > $f && rm $f',
    { policy: 'restricted', tier: 'namespaces' },
  ],
  ['hundreds of processes', 'for i in $(seq 200); do /bin/true; done'],
]);
