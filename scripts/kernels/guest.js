// One guest: boots a kernel in QEMU with the files of this machine, and yields the lines that inside.js prints.

import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../ready.js';
import { buildInitramfs } from './initramfs.js';
import { Unavailable } from './unavailable.js';

/** Row's `as` → name and number in the guest. The number is not in use on most machines. */
const USERS = { user: ['tester', 4242], root: ['root', 0] };
const MEMORY = '1536M';

/** /dev/kvm alone says nothing: on a virtual machine it may exist without the processor's support. */
export function findAccelerator() {
  if (!/\b(?:vmx|svm)\b/.test(readFileSync('/proc/cpuinfo', 'utf8'))) return 'tcg';
  try {
    closeSync(openSync('/dev/kvm', 'r+'));
    return 'kvm';
  } catch {
    return 'tcg';
  }
}

function findImage(kernel) {
  const path = readdirSync(kernel, { recursive: true }).find((each) => /(?:^|\/)vmlinuz[^/]*$/.test(each));
  if (path === undefined) throw new Unavailable(`There is no kernel in ${kernel}: delete that folder and try again.`);
  return join(kernel, path);
}

function share(tag, path) {
  return [
    ...['-fsdev', `local,id=${tag},path=${path},security_model=none,multidevs=remap,readonly=on`],
    ...['-device', `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`],
  ];
}

function argvOf({ accelerator, image, initramfs, console, parameters }) {
  return [
    ...['-machine', 'q35', '-accel', accelerator, '-cpu', 'max', '-smp', '2', '-m', MEMORY],
    ...['-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'],
    ...['-kernel', image, '-initrd', initramfs],
    ...['-append', ['console=ttyS0 panic=-1 quiet random.trust_cpu=on', ...parameters].join(' ')],
    ...['-chardev', `file,id=console,path=${console}`, '-serial', 'chardev:console'],
    ...['-device', 'virtio-serial-pci', '-chardev', 'stdio,id=report,signal=off'],
    ...['-device', 'virtserialport,chardev=report,name=report'],
    ...share('root', '/'),
    ...share('project', root),
  ];
}

/**
 * `row`: {as, sysctls, parameters, cgroup}; `work`: what inside.js does there. `onPart` gets each part of the report.
 * Ends with a reason if the guest did not come to its end, or null.
 */
export async function runGuest({ kernel, busybox, row, work, timeoutMs, onPart }) {
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-guest-'));
  const console = join(folder, 'console');
  const initramfs = join(folder, 'initramfs');
  const accelerator = findAccelerator();
  const [name, uid] = USERS[row.as];
  const settings = {
    GUEST_USER: name,
    GUEST_UID: String(uid),
    GUEST_SYSCTLS: Object.entries(row.sysctls ?? {})
      .map((pair) => pair.join('='))
      .join(' '),
    GUEST_CGROUP: row.cgroup ?? 'session',
    GUEST_NODE: process.execPath,
    GUEST_WORK: JSON.stringify(work),
  };
  try {
    writeFileSync(initramfs, buildInitramfs({ kernel, busybox, settings }));
    writeFileSync(console, '');
    const argv = argvOf({
      accelerator,
      image: findImage(kernel),
      initramfs,
      console,
      parameters: row.parameters ?? [],
    });
    // With an input that has ended, the port counts as closed, and the guest would wait for ever.
    const qemu = spawn('nice', ['qemu-system-x86_64', ...argv], { stdio: ['pipe', 'pipe', 'pipe'] });
    let isTooLong = false;
    let isComplete = false;
    let said = '';
    const timer = setTimeout(() => {
      isTooLong = true;
      qemu.kill('SIGKILL');
    }, timeoutMs);
    qemu.stderr.on('data', (text) => {
      said += text;
    });
    const ended = new Promise((resolve) => {
      qemu.once('error', (error) => resolve(error.message));
      qemu.once('close', (code, signal) => resolve(`QEMU ended with ${signal ?? code}`));
    });
    for await (const line of createInterface({ input: qemu.stdout })) {
      const part = readPart(line);
      isComplete ||= part.part === 'end';
      onPart(part);
    }
    const end = await ended;
    clearTimeout(timer);
    if (isComplete) return null;
    const last = readFileSync(console, 'utf8').trim().split('\n').slice(-15).join('\n');
    const why = isTooLong ? `not done after ${timeoutMs / 1000} s` : end;
    return [why, said.trim(), last].filter((text) => text !== '').join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines that are no JSON are messages of programs in the guest. */
function readPart(line) {
  const text = line.replace(/\r$/, '');
  if (!text.startsWith('{"part":')) return { part: 'message', text };
  try {
    return JSON.parse(text);
  } catch {
    return { part: 'message', text };
  }
}
