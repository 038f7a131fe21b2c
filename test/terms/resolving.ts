// Settings of every layer and a request → terms, on a machine that is made up: nothing is read from the disk.

import type { Settings } from '../../src/config/settings.ts';
import type { SandboxOverrides } from '../../src/core/confinement.ts';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { RunOptions } from '../../src/core/running.ts';
import { createRequest } from '../../src/pipeline/request.ts';
import { completeOptions, type ShellOptions } from '../../src/pipeline/shell-options.ts';
import type { Machine } from '../../src/terms/machine.ts';
import { loadLayersFor } from '../../src/terms/settings.ts';
import { resolve, type Terms } from '../../src/terms/terms.ts';

export const MANAGED = '/machine/managed.json';
export const WORK = '/machine/work';

const FILES = {
  managed: MANAGED,
  flags: '/machine/flags.json',
  local: `${WORK}/.hardshell/settings.local.json`,
  project: `${WORK}/.hardshell/settings.json`,
  user: '/machine/user.json',
} as const;

export type Layer = keyof typeof FILES;
export type Layers = Partial<Record<Layer, Settings>>;

/** Links of the machine: path → where it leads. Every other path below `/machine` exists as it is. */
const LINKS: Readonly<Record<string, string>> = { [`${WORK}/link`]: '/machine/other' };

const MACHINE: Machine = {
  home: '/machine/home',
  temporary: '/machine/tmp',
  variables: { HOME: '/machine/home', PATH: '/usr/bin' },
  realPath: (path) => LINKS[path] ?? (path.startsWith('/machine/') && !path.includes('missing') ? path : null),
};

export type Asked = Omit<Partial<RunOptions>, 'policy' | 'sandbox'> & {
  readonly policy?: Partial<Policy>;
  readonly sandbox?: SandboxOverrides;
  readonly command?: string;
  readonly isBackground?: boolean;
};

export function resolveTerms(layers: Layers, asked: Asked = {}, shell: ShellOptions = {}): Terms {
  const { command = 'make', isBackground = false, policy, ...options } = asked;
  const given = policy === undefined ? {} : { policy: { ...DEFAULT_POLICY, ...policy } };
  const request = createRequest(command, { cwd: WORK, ...options, ...given }, completeOptions(shell), { isBackground });
  const texts = new Map(Object.entries(layers).map(([layer, text]) => [FILES[layer as Layer], JSON.stringify(text)]));
  const loaded = loadLayersFor(request, {
    places: { managed: FILES.managed, user: FILES.user },
    settingsFile: layers.flags === undefined ? undefined : FILES.flags,
    read: (file) => {
      const text = texts.get(file as (typeof FILES)[Layer]);
      return text === undefined ? null : { text, writableBy: null };
    },
  });
  return resolve(request, loaded, MACHINE);
}
