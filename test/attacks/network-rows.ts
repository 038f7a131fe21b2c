// The network as a command finds it: a proxy, one port of the host (LISTED), one socket file (SOCKET), and nothing else.
// ORIGIN and OTHER are ports of the host that no rule names but the proxy's; WRONG is another socket file.

import type { RefusedOperation } from '../../src/run/port.ts';

export interface NetworkRow {
  readonly name: string;
  readonly script: string;
  /** `blocked`: ends with anything but 0, and works without a confinement unless `control` says that it need not. */
  readonly expect: 'blocked' | 'works';
  readonly control?: 'none';
  readonly tier?: 'namespaces' | 'landlock';
  /** What is told of it where the supervisor makes the connections; files are told of in both tiers. */
  readonly told?: readonly [RefusedOperation, RegExp];
}

type Attempt = readonly [name: string, script: string, extra?: Partial<NetworkRow>];

const rows = (expect: NetworkRow['expect'], attempts: readonly Attempt[]): NetworkRow[] =>
  attempts.map(([name, script, extra]) => ({ name, script, expect, ...extra }));

const OTHER: readonly ['connect', RegExp] = ['connect', /^127\.0\.0\.1:\d+$/];
const none = { control: 'none' } as const;
/** What the proxy itself refuses. */
const refused = (url: string) => `curl -sS --noproxy '' -o /dev/null -w '%{http_code}' ${url} | grep -qv 403`;

export const NETWORK_ROWS: readonly NetworkRow[] = [
  ...rows('works', [
    ['an allowed host through the proxy', 'test "$(curl -sS http://allowed.test:$ORIGIN/a)" = "origin /a"'],
    ['an allowed host by a tunnel', 'test "$(curl -sS --proxytunnel http://allowed.test:$ORIGIN/b)" = "origin /b"'],
    [
      'an allowed host by SOCKS',
      'test "$(curl -sS -x socks5h://$CREDENTIALS"127.0.0.1:$PROXY" http://allowed.test:$ORIGIN/c)" = "origin /c"',
    ],
    ['a refused host is told why', 'curl -sS http://denied.test:$ORIGIN/ | grep -q "no rule allows this host"'],
    ['a listed port of the host', 'test "$(curl -sS --noproxy "*" http://127.0.0.1:$LISTED/d)" = "origin /d"'],
    ['the same by its name', 'test "$(curl -sS --noproxy "*" http://localhost:$LISTED/e)" = "origin /e"'],
    ['the same by an address of IPv6', '$A mapped $LISTED'],
    ['the same without an address', '$A any-address $LISTED'],
    ['the same by a socket that does not wait', '$A connect-later $LISTED'],
    ['the same by a socket that was passed on', '$A passed-socket $LISTED'],
    ['two hundred connections that wait at once', '$A many $LISTED 200'],
    [
      'a thousand connections at once',
      `ulimit -n $(ulimit -Hn); node -e 'let n=0;for(let i=0;i<1000;i++)require("net").connect(process.env.LISTED,"127.0.0.1").on("connect",function(){this.destroy();if(++n===1000)process.exit(0)}).on("error",e=>{console.log(e.message);process.exit(1)})'`,
    ],
    ['a listed socket file', '$A unix-stream $SOCKET', none],
    ['the same by a relative path', 'cd $(dirname $SOCKET) && $A unix-stream ./$(basename $SOCKET)', none],
    ['the same by a link', 'ln -s $SOCKET $W/link && $A unix-stream $W/link', none],
    [
      'a server and its client meet on a published port',
      `node -e 'const s=require("net").createServer(c=>c.end("x")).listen(+process.env.PUBLISHED,()=>require("net").connect(process.env.PUBLISHED,"127.0.0.1").on("data",()=>process.exit(0)))'`,
    ],
    ['an absent socket file is absent', '$A unix-stream $W/absent 2>&1 | grep -q "No such file"', none],
  ]),
  ...rows('blocked', [
    ['a host that no rule names', refused('http://denied.test:$ORIGIN/'), none],
    ['an address instead of its name', refused('http://127.0.0.1:$OTHER/'), none],
    ['an allowed name that leads to this machine', refused('http://loopback.test/'), none],
    ['an allowed name that leads to metadata of a cloud', refused('http://metadata.test/'), none],
    ['a tunnel to a host that no rule names', 'curl -sS --proxytunnel http://denied.test:$ORIGIN/', none],
    [
      'SOCKS to a name with a NUL in it',
      `printf '\\5\\1\\0\\5\\1\\0\\3\\30denied.test\\0.allowed.test\\0\\120' | timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PROXY; cat >&3; head -c 4 <&3 | tail -c 1 | od -An -tx1 | grep -q 00'`,
      none,
    ],
    [
      'a tunnel through a relay inside',
      `node -e 'const n=require("net");n.createServer(c=>n.connect(process.env.PROXY,"127.0.0.1").pipe(c).pipe).listen(+process.env.PUBLISHED);' & sleep 0.5; curl -sS -m 3 --proxytunnel -x http://127.0.0.1:$PUBLISHED http://denied.test:$ORIGIN/; r=$?; kill $!; exit $r`,
      none,
    ],
    ['another port of the host', '$A tcp $OTHER', { told: OTHER }],
    ['the same by bash', 'exec 3<>/dev/tcp/127.0.0.1/$OTHER', { told: OTHER }],
    ['the same by a socket that does not wait', '$A connect-later $OTHER', { told: OTHER }],
    ['the same by an address of IPv6', '$A mapped $OTHER', { told: ['connect', /^\[::ffff:127\.0\.0\.1\]:\d+$/] }],
    ['the same without an address', '$A any-address $OTHER', { told: ['connect', /^0\.0\.0\.0:\d+$/] }],
    ['the same by multipath TCP', '$A mptcp $OTHER', { told: ['send', /protocol 262/] }],
    ['the same by multipath TCP to a listed port', '$A mptcp $LISTED', { tier: 'landlock', told: ['send', /262/] }],
    ['the same by fast open', '$A fastopen $OTHER', { told: ['send', /^127\.0\.0\.1:\d+$/] }],
    ['the same by fast open in a message', '$A fastopen-message $OTHER', { told: ['send', /fast open/] }],
    ['the same by fast open in many messages', '$A fastopen-message $OTHER many', { told: ['send', /fast open/] }],
    ['the same by fast open as an option', '$A fastopen-later $OTHER'],
    ['the same after a listed port', '$A reconnect $LISTED $OTHER', { told: OTHER }],
    ['the same by a socket that was passed on', '$A passed-socket $OTHER', { told: OTHER }],
    ['an address that changes while it is looked at', '$A race $LISTED $OTHER', { told: OTHER }],
    ['UDP', '$A udp $UDP', { told: ['send', /^udp$/] }],
    ['a raw socket', '$A socket 2 3 1', none],
    ['a packet socket', '$A socket 17 3 0', none],
    ['a netlink socket of sockets', '$A socket 16 3 4'],
    ['a generic netlink socket', '$A socket 16 3 16'],
    ['a domain with high bits', '$A socket 0x100000002 2 0', { tier: 'landlock', told: ['send', /^udp$/] }],
    ['io_uring', '$A io-uring'],
    ['a port of its own', '$A bind 0', { tier: 'landlock', told: ['bind', /^127\.0\.0\.1:0$/] }],
    ['listening without a port', '$A listen', { tier: 'landlock', told: ['bind', /:0$/] }],
    [
      'the proxy without its password',
      'curl -sSf -x http://127.0.0.1:$PROXY http://allowed.test:$ORIGIN/',
      {
        ...none,
        tier: 'landlock',
      },
    ],
    ['another socket file', '$A unix-stream $WRONG', { told: ['connect', /wrong$/] }],
    [
      'the same by a path that goes back',
      '$A unix-stream $(dirname $SOCKET)/../$(basename $(dirname $WRONG))/wrong',
      {
        told: ['connect', /wrong$/],
      },
    ],
    [
      'the same by a link',
      'rm -f $W/link; ln -s $WRONG $W/link && $A unix-stream $W/link',
      {
        told: ['connect', /link$/],
      },
    ],
    ['a path that changes while it is looked at', '$A race-paths $SOCKET $WRONG'],
    ['a datagram to a socket file', '$A unix-datagram $V/datagram'],
    ['a datagram from a pair', '$A unix-pair $V/datagram'],
    ['an abstract socket', '$A unix-abstract $ABSTRACT', { told: ['connect', /^@hardshell-/] }],
    ['a descriptor that is left open', '$A inherited', none],
    ['tracing whoever makes the connections', '$A ptrace $PPID', none],
    ['taking its descriptors', '$A pidfd-take $PPID', none],
    ['reading its memory', '$A process-vm $PPID 0x400000 || $A memory $PPID 0x400000', none],
    [
      'looking into the first process',
      '$A memory 1 0x400000 || readlink /proc/1/fd/0',
      {
        ...none,
        tier: 'namespaces',
      },
    ],
    ['killing whoever makes the connections', 'kill -9 $PPID && sleep 0.3 && $A tcp $OTHER', none],
  ]),
];
