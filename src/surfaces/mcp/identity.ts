// The identity of the server: the same text in the early greeting and in the SDK's server.

import { readFileSync } from 'node:fs';
import type { ProfileName } from '../../host.ts';

export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export const CAPABILITIES = { tools: {} };

const ALWAYS =
  'Runs shell commands under a policy and a sandbox. If a command is refused, the answer has the reason and what to do instead: follow that, and do not try to work around it.';

/** What a call does if its command takes long; only some documents have tasks. */
export function instructionsFor(profile: ProfileName | 'standard'): string {
  switch (profile) {
    case 'mcp-guide':
      return `${ALWAYS} A call waits until its command ends or times out: set timeout for a command that takes long.`;
    case 'req':
      return `${ALWAYS} A command that takes long is reported as running, with its process group and the file of its output: read that file later, and do not start the command again.`;
    default:
      return `${ALWAYS} A command that takes long is reported as running, with the id of its task: read its output later, and do not start it again.`;
  }
}

export function readIdentity(): Identity {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return { name: 'hardshell', title: 'hardshell', version: (JSON.parse(text) as { version: string }).version };
}
