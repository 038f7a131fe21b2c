// The targets of the attempts: folders created for them, a process, sockets, shared memory and a locked terminal.
// Nothing that existed before is touched, and `close` leaves nothing behind.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Opening one of these has no effect, unlike, for example, a watchdog. */
const DEVICES = [
  '/dev/kmsg',
  '/dev/autofs',
  '/dev/fuse',
  '/dev/net/tun',
  '/dev/kvm',
  '/dev/vsock',
  '/dev/udmabuf',
  '/dev/dri/renderD128',
  '/dev/loop-control',
  '/dev/vda',
  '/dev/sda',
  '/dev/nvme0n1',
];
/** Process ids that may also exist inside a namespace: a signal to one of them would prove nothing. */
const SMALL_PID = 64;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

export class Scene {
  readonly #base: string;
  readonly #servers: Server[] = [];
  #datagrams: DatagramSocket | null = null;
  #victim: ChildProcess | null = null;
  #terminal: number | null = null;
  #segment: string | null = null;
  readonly #env: Record<string, string>;

  /** `parent`: a private folder that is not a temporary one, since those are empty inside. */
  constructor(parent: string) {
    this.#base = mkdtempSync(join(parent, 'hardshell-doctor-'));
    const mark = `hardshell-${randomBytes(6).toString('hex')}`;
    this.#env = {
      PATH,
      LC_ALL: 'C',
      NODE: process.execPath,
      MARK: mark,
      ABSTRACT: mark,
      W: this.path('w'),
      O: this.path('o'),
      S: this.path('s/secret'),
      H: this.path('h'),
      SHM: `/dev/shm/${mark}`,
    };
  }

  path(name: string): string {
    return join(this.#base, name);
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** The environment of a script. `writable`: a folder in which it may create files, as visible inside. */
  environment(writable: string): Readonly<Record<string, string>> {
    return { ...this.#env, L: writable };
  }

  async open(): Promise<void> {
    process.once('exit', this.#remove);
    this.refresh();
    const { MARK, SHM } = this.#env as { MARK: string; SHM: string };
    const tcp = await this.#listen({ port: 0, host: '127.0.0.1' });
    this.#env.PORT = String((tcp.address() as AddressInfo).port);
    this.#env.SOCKET = this.path('u');
    await this.#listen({ path: this.path('u') });
    if (process.platform === 'linux') await this.#listen({ path: `\0${MARK}` });
    this.#env.UDP = String(await this.#answerDatagrams());
    this.#victim = await startVictim(MARK);
    this.#env.P = String(this.#victim.pid);
    tolerate(() => writeFileSync(SHM, 'x', { flag: 'wx', mode: 0o600 }));
    tolerate(() => this.#openTerminal());
    this.#env.DEVICE = DEVICES.find(canOpen) ?? '';
    const made = spawnSync('ipcmk', ['-M', '4096'], { encoding: 'utf8', env: { PATH, LC_ALL: 'C' } });
    this.#segment = /id: (\d+)/.exec(made.stdout ?? '')?.[1] ?? null;
    this.#env.SEGMENT = this.#segment ?? '';
  }

  /** Restores the files before each attempt. */
  refresh(): void {
    for (const name of ['w', 'o', 's', 'h', 't']) rmSync(this.path(name), { recursive: true, force: true });
    for (const name of ['w/.git/hooks', 'o', 's', 'h', 't']) mkdirSync(this.path(name), { recursive: true });
    for (const name of ['o/file', 's/secret', 'h/key', 'w/.git/config']) writeFileSync(this.path(name), 'x\n');
  }

  async close(): Promise<void> {
    process.off('exit', this.#remove);
    for (const server of this.#servers) server.close();
    this.#datagrams?.close();
    await endVictim(this.#victim);
    this.#remove();
  }

  /** Also if the process is killed in the middle, for example by Ctrl-C. */
  readonly #remove = (): void => {
    if (this.#terminal !== null) closeSync(this.#terminal);
    if (this.#segment !== null) spawnSync('ipcrm', ['-m', this.#segment], { stdio: 'ignore', env: { PATH } });
    rmSync(this.#env.SHM as string, { force: true });
    rmSync(this.#base, { recursive: true, force: true });
  };

  async #listen(place: { port: number; host: string } | { path: string }): Promise<Server> {
    const server = createServer((socket) => socket.on('error', () => {}).destroy());
    this.#servers.push(server);
    server.listen(place);
    await once(server, 'listening');
    return server;
  }

  async #answerDatagrams(): Promise<number> {
    const socket = createSocket('udp4');
    this.#datagrams = socket;
    socket.on('message', (bytes, { port, address }) => socket.send(bytes, port, address));
    socket.on('error', () => {});
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return socket.address().port;
  }

  #openTerminal(): void {
    this.#terminal = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
    const number = /^tty-index:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${this.#terminal}`, 'utf8'))?.[1];
    if (number !== undefined) this.#env.TTY = `/dev/pts/${number}`;
  }
}

/** It ends with this process: its stdin closes then. */
async function startVictim(mark: string): Promise<ChildProcess> {
  for (;;) {
    const child = spawn('cat', [], { argv0: mark, stdio: ['pipe', 'ignore', 'ignore'], env: { PATH, [mark]: mark } });
    await once(child, 'spawn');
    if ((child.pid as number) > SMALL_PID) return child;
    await endVictim(child);
  }
}

async function endVictim(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

function canOpen(path: string): boolean {
  return tolerate(() => closeSync(openSync(path, 'r')));
}

/** If something is not available, there is one attempt less, and the report shows that. */
function tolerate(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
