// Options of the command line → what a call asks of its sandbox.

import { resolve } from 'node:path';
import { defined } from '../../host/values.ts';
import type { SandboxName, SandboxOverrides } from '../../host.ts';

export interface SandboxOptions {
  readonly sandbox?: SandboxName;
  readonly allowWrite?: readonly string[];
  readonly allowDomain?: readonly string[];
  readonly allowPort?: readonly number[];
  readonly publish?: readonly number[];
}

export function readSandboxOverrides({
  sandbox,
  allowWrite,
  allowDomain,
  allowPort,
  publish,
}: SandboxOptions): SandboxOverrides {
  return {
    ...defined({ name: sandbox }),
    ...(allowWrite === undefined ? {} : { allowWrite: allowWrite.map((path) => resolve(path)) }),
    ...defined({ allowDomains: allowDomain, allowPorts: allowPort, publishPorts: publish }),
  };
}
