// The identity of the server: the same text in the early greeting and in the SDK's server.

import { readFileSync } from 'node:fs';

export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export const CAPABILITIES = { tools: {} };

export const INSTRUCTIONS =
  'Runs shell commands under a policy and a sandbox. If a command is refused, the answer has the reason and what to do instead: follow that, and do not try to work around it. A command that takes long is reported as running, with the id of its task: read its output later, and do not start it again.';

export function readIdentity(): Identity {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return { name: 'hardshell', title: 'hardshell', version: (JSON.parse(text) as { version: string }).version };
}
