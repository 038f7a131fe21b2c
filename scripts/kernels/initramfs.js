// The first file system of a guest: busybox, the modules that the kernel needs to reach the files of the host, and init.
// Written in the format of cpio (newc) here; it is a few megabytes.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Loaded before init mounts the files of the host, and what a system loads when programs ask for it. */
const MODULES = ['virtio_pci', 'virtio_console', '9pnet_virtio', '9p', 'overlay', 'unix_diag', 'inet_diag', 'tcp_diag'];
const UNPACK = { '.xz': 'xz', '.zst': 'zstd', '.gz': 'gzip' };

function moduleName(path) {
  return basename(path)
    .replace(/\.ko.*$/, '')
    .replaceAll('-', '_');
}

function readModule(path) {
  const program = Object.entries(UNPACK).find(([ending]) => path.endsWith(ending))?.[1];
  return program === undefined ? readFileSync(path) : execFileSync(program, ['-dc', path], { maxBuffer: 1 << 27 });
}

/** `depends=a,b` in the section .modinfo. */
export function dependenciesOf(content) {
  const list = /\0depends=([\w,-]*)\0/.exec(content.toString('latin1'))?.[1] ?? '';
  return list
    .split(',')
    .filter((name) => name !== '')
    .map((name) => name.replaceAll('-', '_'));
}

/** Each module after those that it depends on. One that has no file is built in. */
function collectModules(folder) {
  const files = new Map(
    readdirSync(folder, { recursive: true })
      .filter((path) => /\.ko(?:\.\w+)?$/.test(path))
      .map((path) => [moduleName(path), join(folder, path)]),
  );
  const found = new Map();
  const add = (name) => {
    const path = files.get(name);
    if (path === undefined || found.has(name)) return;
    const content = readModule(path);
    for (const needed of dependenciesOf(content)) add(needed);
    found.set(name, content);
  };
  for (const name of MODULES) add(name);
  return found;
}

/** Entries → a cpio archive. An entry without content is a folder. */
export function writeArchive(entries) {
  const parts = [];
  const push = (data) => parts.push(data, Buffer.alloc((4 - (data.length % 4)) % 4));
  let inode = 0;
  for (const { name, mode, content } of [...entries, { name: 'TRAILER!!!', mode: 0, content: '' }]) {
    const data = Buffer.from(content ?? '');
    inode += 1;
    const kind = name === 'TRAILER!!!' ? 0 : content === undefined ? 0o040000 : 0o100000;
    const fields = [inode, kind | mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length + 1, 0];
    const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
    push(Buffer.from(`${header}${name}\0`));
    push(data);
  }
  return Buffer.concat(parts);
}

function readScript(name) {
  return readFileSync(fileURLToPath(new URL(name, import.meta.url)));
}

/** `settings`: variables of the scripts. */
export function buildInitramfs({ kernel, busybox, settings }) {
  const modules = collectModules(kernel);
  const variables = Object.entries(settings).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`);
  return writeArchive([
    ...['bin', 'guest', 'modules', 'proc', 'sys', 'dev'].map((name) => ({ name, mode: 0o755 })),
    { name: 'bin/busybox', mode: 0o755, content: readFileSync(busybox) },
    { name: 'init', mode: 0o755, content: readScript('init.sh') },
    { name: 'guest/session', mode: 0o644, content: readScript('session.sh') },
    { name: 'guest/report', mode: 0o644, content: readScript('report.sh') },
    { name: 'guest/settings', mode: 0o644, content: variables.join('') },
    { name: 'modules/order', mode: 0o644, content: [...modules.keys()].map((name) => `${name}\n`).join('') },
    ...[...modules].map(([name, content]) => ({ name: `modules/${name}.ko`, mode: 0o644, content })),
  ]);
}
