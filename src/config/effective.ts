// The effective settings, as settings: one file with this text gives the same policy in any folder.

import type { PolicyRule } from '../core/policy.ts';
import type { ProfileConfiguration } from '../core/profile-configuration.ts';
import { defined } from '../core/values/defined.ts';
import type { VerdictName } from '../core/verdict.ts';
import { toSettingsPath } from './layers/paths.ts';
import type { LoadedSettings } from './load.ts';
import type { AlertSettings, RuleEntry, SandboxSettings, Settings, UserSettings } from './settings.ts';

export function effectiveSettings({
  policy,
  approval,
  environment,
  keepOutput,
  waitingShells,
  staging,
  stagingStore,
  stagingTools,
  audit,
  alerts,
  telemetry,
  limits,
  sandbox,
  profiles,
  trustedFolders,
  switches,
}: LoadedSettings): Settings {
  const paths = (list: readonly string[]): readonly string[] => list.map(toSettingsPath);
  const rules = (list: VerdictName): readonly (string | RuleEntry)[] =>
    policy.rules.filter((rule) => rule.list === list).map(toEntry);
  const users = Object.entries(policy.users).map(([name, { roots, ...user }]): [string, UserSettings] => [
    name,
    roots === null ? user : { ...user, roots: paths(roots) },
  ]);
  return {
    mode: policy.mode,
    permissions: { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') },
    ...(policy.roots === null ? {} : { roots: paths(policy.roots) }),
    confineReads: policy.confineReads,
    protectedPaths: paths(policy.protectedPaths),
    secretPaths: paths(policy.secretPaths),
    ...(policy.allowedCommands === null ? {} : { allowedCommands: policy.allowedCommands }),
    blacklist: { commands: policy.blacklist.commands, directories: paths(policy.blacklist.directories) },
    domains: policy.domains,
    users: Object.fromEntries(users),
    checks: policy.checks,
    requireConfirmation: policy.requireConfirmation,
    approval: {
      ...(approval.timeoutSeconds === null ? {} : { timeoutSeconds: approval.timeoutSeconds }),
      askToApply: approval.askToApply,
    },
    trustedFolders: paths(trustedFolders),
    ...switches,
    allowBypass: policy.allowBypass,
    environment,
    keepOutput,
    ...(waitingShells === null ? {} : { waitingShells }),
    staging,
    stagingStore,
    stagingTools,
    audit,
    alerts: withSecretFile(alerts, paths),
    telemetry,
    limits,
    sandbox: withPaths(sandbox, paths),
    profiles: withFolders(profiles, paths),
  };
}

function toEntry({ text, until, because, staging }: PolicyRule): string | RuleEntry {
  if (until === null && because === null && staging === undefined) return text;
  return {
    rule: text,
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
    ...(because === null ? {} : { because }),
    ...defined({ staging }),
  };
}

/** A list without entries is one that files share nothing of; no file can say that. */
function withFolders(
  { layered, ...others }: ProfileConfiguration,
  paths: (list: readonly string[]) => readonly string[],
): ProfileConfiguration {
  if (layered === undefined) return others;
  const { allowedPaths, defaultWorkingDirectory: start, ...rest } = layered;
  return {
    layered: {
      ...rest,
      ...(allowedPaths === undefined ? {} : { allowedPaths: paths(allowedPaths) }),
      ...(start === undefined ? {} : { defaultWorkingDirectory: paths([start])[0] as string }),
    },
    ...others,
  };
}

function withSecretFile(alerts: AlertSettings, paths: (list: readonly string[]) => readonly string[]): AlertSettings {
  const { webhook } = alerts;
  if (webhook?.secretFile === undefined) return alerts;
  return { ...alerts, webhook: { ...webhook, secretFile: paths([webhook.secretFile])[0] as string } };
}

function withPaths(sandbox: SandboxSettings, paths: (list: readonly string[]) => readonly string[]): SandboxSettings {
  const { filesystem, network } = sandbox;
  const lists = Object.entries(filesystem ?? {}).map(([name, list]) => [name, paths(list)]);
  return {
    ...sandbox,
    ...(filesystem === undefined ? {} : { filesystem: Object.fromEntries(lists) }),
    ...(network?.allowUnixSockets === undefined
      ? {}
      : { network: { ...network, allowUnixSockets: paths(network.allowUnixSockets) } }),
  };
}
