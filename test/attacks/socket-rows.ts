// Unix sockets and debuggers: a command has its own, and none of the host. V and T are folders of the host with a socket,
// T below /tmp; $W/host.sock is the same socket in the project.

import { blocked, type Row, works } from './row.ts';

const none = { control: 'none' } as const;
const inside = { tier: 'namespaces' } as const;
const byKeeper = { tier: 'namespaces', backend: 'keeper' } as const;
const asRoot = { as: 'root' } as const;

export const SOCKET_ROWS: readonly Row[] = [
  ...blocked('unix-sockets', [
    ['connects to a socket of the host in the project', '$A unix-stream $W/host.sock'],
    ['connects to it in the restricted policy', '$A unix-stream $W/host.sock', { policy: 'restricted' }],
    ['connects to a socket of the host in /tmp', '$A unix-stream $T/stream'],
    ['connects to a socket of the host by a relative path', 'cd $V && $A unix-stream stream'],
    ['connects to a socket of the host by a link', 'ln -s $V/stream $W/l && $A unix-stream $W/l'],
    ['connects to it by a link to its folder', 'ln -s $V $W/l && $A unix-stream $W/l/stream'],
    ['connects to it by a second name', 'ln $W/host.sock $W/l && $A unix-stream $W/l'],
    ['connects to it by a new name', 'mv $W/host.sock $W/l && $A unix-stream $W/l'],
    ['connects to it through the root of a process', '$A unix-stream /proc/self/root$V/stream'],
    ['connects to it through the folder of a process', 'cd $V && $A unix-stream /proc/self/cwd/stream'],
    ['connects to it through the first process', '$A unix-stream /proc/1/root$V/stream', asRoot],
    ['connects to it through the root of its parent', '$A unix-stream /proc/$$/root$V/stream'],
    ['connects to it by a descriptor', '$A unix-descriptor $V/stream'],
    ['connects to the one in the project by a descriptor', '$A unix-descriptor $W/host.sock'],
    ['renames it over its own socket', '$A own-replaced $W/own $W/host.sock rename'],
    ['exchanges it with its own socket', '$A own-replaced $W/own $W/host.sock exchange'],
    ['exchanges it with its own socket while it connects', '$A race-own $W/own $W/host.sock exchange'],
    ['changes the address of its own socket while it connects', '$A race-own $W/own $W/host.sock address'],
    ['changes a link to its own socket while it connects', '$A race-own $W/own $W/host.sock link'],
    ['turns a call of a traced process into a connection', '$A trace-child connect $W/host.sock'],
    ['sends a datagram to a socket in the project', 'ln -s $V/datagram $W/l && $A unix-datagram $W/l'],
    ['makes a datagram socket', '$A socket 1 2 0'],
    ['makes a raw unix socket', '$A socket 1 3 0'],
    ['makes a pair of datagram sockets', '$A unix-pair $V/datagram'],
  ]),
  ...blocked('network', [
    ['connects to itself by fast open', '$A fastopen-own sendto', byKeeper],
    ['connects to itself by fast open in a message', '$A fastopen-own sendmsg', byKeeper],
    ['connects to itself by fast open in many messages', '$A fastopen-own sendmmsg', byKeeper],
    ['connects to itself by fast open as an option', '$A fastopen-own option', byKeeper],
  ]),
  ...blocked('privileges', [
    ['traces the first process', '$A ptrace 1', { ...inside, ...none }],
    ['reads the memory of the first process', '$A process-vm 1 0x400000', { ...inside, ...none }],
    ['reads it in /proc', '$A memory 1 0x400000', { ...inside, ...none }],
    ['takes a descriptor of the first process', '$A pidfd-take 1', { ...inside, ...none }],
    ['reads the environment of the first process', 'cat /proc/1/environ', { ...byKeeper, ...none }],
    ['traces a process that has a capability or no filter', '$A trace-anybody', { ...inside, ...none }],
    ['traces a child without its filter', '$A trace-child suspend', asRoot],
  ]),
  ...blocked('kernel-surface', [['turns a call of a traced process into a refused one', '$A trace-child rewrite']]),
  ...works([
    ['a program connects to its own socket', '$A own-unix $W/own', byKeeper],
    ['a program connects to its own socket in /tmp', '$A own-unix /tmp/own-$$', byKeeper],
    ['a program connects to its own socket in shared memory', '$A own-unix /dev/shm/own-$$', byKeeper],
    ['a program connects to its own socket by a relative path', 'cd $W && $A own-unix own', byKeeper],
    ['a program connects to its own socket of packets', '$A own-unix $W/own seqpacket', byKeeper],
    ['a program that cannot be inspected connects to its own socket', '$A own-unix $W/own unseen', byKeeper],
    ['a program connects to its own socket without a file', '$A own-unix own-$$ abstract', byKeeper],
    [
      'a read-only command connects to its own socket',
      '$A own-unix /tmp/own',
      { ...byKeeper, policy: 'restricted', control: 'none' },
    ],
    ['clients wait until their server accepts', '$A crowded-unix $W/own', byKeeper],
    ['clients wait for a server without a file', '$A crowded-unix own-$$ abstract', byKeeper],
    ['a hundred thousand sockets slow nothing down for long', '$A flood-unix $W/own 100000', byKeeper],
    ['a command that waits for a debugger goes on', 'exec $A trace-me', { ...byKeeper, control: 'none' }],
    ['an orphan that waits for a debugger goes on', '$A trace-orphan', { ...byKeeper, control: 'none' }],
    ['a debugger traces its own child', '$A ptrace $(sleep 5 > /dev/null & echo $!)', byKeeper],
  ]),
];
