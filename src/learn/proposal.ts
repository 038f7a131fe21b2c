// Needs → the settings that grant exactly them.

import { toSettingsPath } from '../config/layers/paths.ts';
import type { LoadedSettings } from '../config/load.ts';
import type { SandboxSettings, Settings } from '../config/settings.ts';
import type { SandboxName } from '../core/confinement.ts';
import type { Need } from './report.ts';

export interface ProposalInputs {
  readonly needs: readonly Need[];
  /** Hidden files to show to the command, because the user asked for it. */
  readonly reads: readonly string[];
  readonly home: string | null;
  /** The sandbox of the current settings; only `workspace` uses what is listed. */
  readonly name: SandboxName;
}

type Filesystem = NonNullable<SandboxSettings['filesystem']>;
type Network = NonNullable<SandboxSettings['network']>;

export function settingsFor({ needs, reads, home, name }: ProposalInputs): Settings {
  const written = (path: string) => writePath(path, home);
  const paths = (kind: 'write' | 'socket') =>
    needs.flatMap((need) => (need.kind === kind ? [written((need as { readonly path: string }).path)] : []));
  const ports = (kind: 'port' | 'publish') =>
    needs.flatMap((need) => (need.kind === kind ? [(need as { readonly port: number }).port] : []));
  const filesystem: Filesystem = {
    ...list('allowWrite', paths('write')),
    ...list('allowRead', reads.map(written)),
  };
  const network: Network = {
    ...list('allowPorts', ports('port')),
    ...list('publishPorts', ports('publish')),
    ...list('allowUnixSockets', paths('socket')),
  };
  const sandbox: SandboxSettings = {
    ...(isEmpty(filesystem) ? {} : { filesystem }),
    ...(isEmpty(network) ? {} : { network }),
  };
  const hosts = needs.flatMap((need) => (need.kind === 'domain' ? [need.host] : []));
  const wanted: Settings = {
    ...(hosts.length === 0 ? {} : { domains: { allow: hosts } }),
    ...(isEmpty(sandbox) ? {} : { sandbox }),
  };
  if (isEmpty(wanted) || name === 'workspace') return wanted;
  return { ...wanted, sandbox: { name: 'workspace', ...sandbox } };
}

/** The current settings at the places where `added` adds something: the other side of the diff. */
export function currentFor(added: Settings, { policy, sandbox }: LoadedSettings, home: string | null): Settings {
  const same = (paths: readonly string[] = []) => paths.map((path) => writePath(path, home));
  const { filesystem = {}, network = {} } = sandbox;
  const wanted = added.sandbox ?? {};
  const lists = {
    ...(wanted.name === undefined ? {} : { name: sandbox.name ?? 'workspace' }),
    ...(wanted.filesystem === undefined
      ? {}
      : {
          filesystem: {
            ...(wanted.filesystem.allowWrite && list('allowWrite', same(filesystem.allowWrite))),
            ...(wanted.filesystem.allowRead && list('allowRead', same(filesystem.allowRead))),
          },
        }),
    ...(wanted.network === undefined
      ? {}
      : {
          network: {
            ...(wanted.network.allowPorts && list('allowPorts', network.allowPorts ?? [])),
            ...(wanted.network.publishPorts && list('publishPorts', network.publishPorts ?? [])),
            ...(wanted.network.allowUnixSockets && list('allowUnixSockets', same(network.allowUnixSockets))),
          },
        }),
  };
  return {
    ...(added.domains === undefined ? {} : { domains: list('allow', policy.domains.allow) }),
    ...(isEmpty(lists) ? {} : { sandbox: lists }),
  };
}

/** Independent of the location of the settings file and of the user's home. */
function writePath(path: string, home: string | null): string {
  if (home !== null && path.startsWith(`${home}/`)) return `~/${path.slice(home.length + 1)}`;
  return toSettingsPath(path);
}

function list<K extends string, T>(key: K, items: readonly T[]): { readonly [P in K]?: readonly T[] } {
  return (items.length === 0 ? {} : { [key]: items }) as { readonly [P in K]?: readonly T[] };
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
