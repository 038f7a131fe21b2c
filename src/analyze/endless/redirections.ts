// A redirection → whether it replaces standard input or output, and with what.

import type { Redirect, Redirection } from '../../parse/tree.ts';
import { ENDLESS_DEVICE } from './streams.ts';

const HARMLESS_FILE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;

function descriptorOf({ descriptor }: Redirection, otherwise: number): number {
  return descriptor?.type === 'FileDescriptor' ? descriptor.value : otherwise;
}

/** The descriptor that it opens for reading; `null` if it opens none. */
export function inputDescriptor(redirect: Redirection): number | null {
  return redirect.operator.startsWith('<') ? descriptorOf(redirect, 0) : null;
}

/** `<&3`: the descriptor that it copies. */
export function copiedDescriptor(redirect: Redirection): number | null {
  if (redirect.type !== 'Redirect' || redirect.operator !== '<&') return null;
  return /^\d+$/.test(redirect.target?.value ?? '') ? Number(redirect.target?.value) : null;
}

export function takesOutput(redirect: Redirection): redirect is Redirect {
  return redirect.type === 'Redirect' && !redirect.operator.startsWith('<') && descriptorOf(redirect, 1) === 1;
}

export function namesEndlessDevice(redirect: Redirection): boolean {
  return redirect.type === 'Redirect' && ENDLESS_DEVICE.test(redirect.target?.value ?? '');
}

/** Something that grows when it is written: not a device, another descriptor or a process. */
export function isFile(target: string): boolean {
  return !/^(?:\d+|-)$|^>\(/.test(target) && !HARMLESS_FILE.test(target);
}
