// The settings as JSON Schema, written once: the published file and the validator both come from here.

import { BACKENDS, SANDBOXES } from '../core/confinement.ts';
import { ALERT_KINDS, AUDIT_LEVELS, FSYNC_POLICIES } from '../core/observer.ts';
import { MODES } from '../core/policy.ts';
import type { LimitName } from '../core/running.ts';
import { STAGING_MODES, type StagingTool } from '../core/staging.ts';
import { once } from '../core/values/once.ts';
import { SEVERITIES, VERDICTS } from '../core/verdict.ts';
import { PROFILES_SCHEMA } from './schema-profiles.ts';
import {
  amount,
  command,
  domain,
  entry,
  fields,
  flag,
  list,
  path,
  port,
  rule,
  type Schema,
  text,
  VARIABLE,
  variableName,
  WEBHOOK_URL,
} from './schema-words.ts';

/** Needed only if there are settings to read. */
export const settingsSchema = once(
  () =>
    ({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'hardshell settings',
      type: 'object',
      additionalProperties: false,
      properties: {
        $schema: text('Where this schema is, for editors.'),
        mode: { type: 'string', enum: MODES, description: 'How questions are handled.' },
        permissions: fields('Rules. Deny beats ask beats allow, whichever file they come from.', {
          allow: list('Commands that may run without a question.', entry),
          ask: list('Commands that are always asked about.', entry),
          deny: list('Commands that never run.', entry),
        }),
        roots: list(
          'Folders in which files may be changed, instead of the current folder and the temporary ones.',
          path,
        ),
        confineReads: flag('Ask about reading outside the roots too.'),
        protectedPaths: list('Paths that are never written, besides the built-in ones.', path),
        secretPaths: list('Paths whose content is secret, besides the built-in ones.', path),
        allowedCommands: list(
          'Only these programs may run. If several files set it: only programs in all lists.',
          command,
        ),
        blacklist: fields(
          'Programs and folders that are always refused, besides the built-in ones. Entries cannot be removed by other files.',
          {
            commands: list('Programs that never run.', command),
            directories: list('Folders that no command may touch.', path),
          },
        ),
        domains: fields('Hosts that commands may contact.', {
          allow: list('Hosts that need no question.', domain),
          deny: list('Hosts that are refused.', domain),
        }),
        users: {
          type: 'object',
          description: 'Permissions by the name of the user that the request carries; * stands for all other users.',
          propertyNames: {
            pattern: '^(\\*|[A-Za-z0-9._@+-]+)$',
            description: 'Write a user name without blanks, or *.',
          },
          additionalProperties: fields('The permissions of one user.', {
            allow: list('Commands that may run without a question.', rule),
            ask: list('Commands that are always asked about.', rule),
            deny: list('Commands that never run.', rule),
            roots: list('Folders in which files may be changed.', path),
            limits: {
              type: 'object',
              description: 'Limits by name.',
              propertyNames: {
                pattern: '^[a-z][A-Za-z]*$',
                description: 'Write the name of a limit, such as timeoutMs.',
              },
              additionalProperties: { type: 'number', minimum: 0 },
            },
          }),
        },
        checks: {
          type: 'object',
          description:
            'Another verdict for a check, by its id (docs/checks.md). A critical check can be set to ask, not to allow.',
          propertyNames: {
            pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
            description: 'Write the id of a check, such as git-force-push.',
          },
          additionalProperties: { type: 'string', enum: VERDICTS },
        },
        requireConfirmation: flag('Ask about risky commands, even if a rule allows them.'),
        approval: fields('How a person is asked.', {
          timeoutSeconds: {
            type: 'integer',
            description: 'A question without an answer is denied after this time.',
            minimum: 1,
            maximum: 86_400,
          },
          askToApply: flag(
            'With staging review: when a command has ended, ask whether its changes are applied, and show them. Default false.',
          ),
        }),
        trustedFolders: list(
          'Folders whose own settings may loosen, including all subfolders. Counts in user, flag and managed files.',
          {
            type: 'string',
            description: '//abs or ~/x',
            // A relative entry would trust whichever folder is current.
            pattern: '^(//|~/|[A-Za-z]:[\\\\/])[^\\u0000]*$',
            errorMessage: 'Write //absolute or ~/below-home; a relative folder would trust any current folder.',
          },
        ),
        managedRulesOnly: flag('Managed settings only: the rules of all other files do not count.'),
        managedDomainsOnly: flag('Managed settings only: the allowed domains of all other files do not count.'),
        managedPathsOnly: flag('Managed settings only: the roots and allowed paths of all other files do not count.'),
        allowBypass: flag('false forbids the mode bypass; no other file can allow it again.'),
        environment: fields('Variables of the commands that are run.', {
          set: {
            type: 'object',
            description: 'Variables to set.',
            propertyNames: VARIABLE,
            additionalProperties: {
              type: 'string',
              pattern: '^[^\\u0000]*$',
              errorMessage: 'Write a string without NUL.',
            },
          },
          keep: list('Variables that are kept although they look like secrets.', variableName),
          drop: list('Variables that are removed.', variableName),
        }),
        keepOutput: flag(
          'false: output of commands in the foreground that was shown whole is not kept; no other file can switch it on again.',
        ),
        waitingShells: {
          type: 'integer',
          minimum: 0,
          maximum: 4,
          description:
            'Shells and namespaces that may be prepared before the next command; 0 disables this. Default 2.',
        },
        staging: {
          type: 'string',
          enum: STAGING_MODES,
          description:
            'Changes of commands in the foreground (docs/staging.md). apply: they can be undone. review: they wait for `hardshell apply`. Default off.',
        },
        stagingStore: fields('How long changes can be undone.', {
          maxMegabytes: amount('The oldest changes can no longer be undone if the total is larger. Default 2048.'),
          maxDays: amount('Older changes can no longer be undone. Default 14.'),
        }),
        stagingTools: fields(
          'What a model may do with the changes of its own staged commands, by tools (docs/mcp.md#changes).',
          {
            changes: flag('task_changes: look at them. Default true.'),
            undo: flag('undo_changes: undo them, unless files were changed since. Default true.'),
            redo: flag('redo_changes: make undone changes again. Default true.'),
            apply: flag('apply_changes: let held changes land, without a person. Default false.'),
            drop: flag('drop_changes: delete held changes, and make landed ones final. Default false.'),
          } satisfies Record<StagingTool, Schema>,
        ),
        audit: fields('The record of requests, decisions and runs (docs/audit.md).', {
          enabled: flag('false: `hardshell run` and `hardshell mcp` record nothing.'),
          level: {
            type: 'string',
            enum: AUDIT_LEVELS,
            description: 'basic: decisions and ends. detailed: also files and hosts that are touched.',
          },
          fsync: { type: 'string', enum: FSYNC_POLICIES, description: 'always: on disk before the command goes on.' },
          retentionDays: amount('Older records are deleted.'),
          retainBytes: amount('The oldest records are deleted if the total is larger.'),
          hook: flag('true: `hardshell hook` records its verdicts, which makes it slower (docs/agents.md).'),
          verifyMinutes: {
            type: 'integer',
            minimum: 0,
            maximum: 10_080,
            description: 'How often `mcp` and `dashboard` verify the log; 0: never. Default 5.',
          },
        }),
        alerts: fields(
          'Where security events are reported (docs/metrics.md). Counts in user, flag and managed files.',
          {
            kinds: list('Only these kinds. Default: all but denied.', { type: 'string', enum: ALERT_KINDS }),
            minSeverity: { type: 'string', enum: SEVERITIES, description: 'Only events of at least this severity.' },
            perMinute: {
              type: 'integer',
              minimum: 1,
              maximum: 10_000,
              description: 'Maximum number of each kind. Default 30.',
            },
            webhook: fields('Where each alert is sent, signed, with retries until it is delivered.', {
              url: {
                type: 'string',
                description: 'https://host/path, or http to this machine.',
                pattern: WEBHOOK_URL,
                errorMessage: 'Write https://host/path, without a user or a password; http only to localhost.',
              },
              secretVariable: {
                type: 'string',
                description: 'The variable that contains the signing secret.',
                pattern: VARIABLE.pattern,
                errorMessage: VARIABLE.description,
              },
              secretFile: { ...path, description: 'The file that contains it instead; must be readable only by you.' },
            }),
          },
        ),
        telemetry: fields('OpenTelemetry, if `@opentelemetry/api` is installed and an SDK is registered.', {
          enabled: flag('false: no spans and no metrics. Default true.'),
          withCommand: flag('true: spans contain the command, without secrets, and its folder. Default false.'),
        }),
        limits: fields('Limits of every command; those of its user and of the request apply if they are smaller.', {
          timeoutMs: amount('How long it may run, in milliseconds.'),
          memoryBytes: amount('Memory of all its processes together.'),
          cpuPercent: amount('CPU time per wall time: 100 is one CPU.'),
          cpuSeconds: amount('CPU time of one process.'),
          processes: amount('Number of concurrent processes.'),
          openFiles: amount('Open files of one process.'),
          fileSizeBytes: amount('Size of each file that it writes.'),
          outputBytes: amount('Output after which it is killed.'),
        } satisfies Record<LimitName, Schema>),
        sandbox: fields('What commands may access; enforced by the kernel.', {
          name: {
            type: 'string',
            enum: SANDBOXES,
            description:
              'restricted: read only, no network. workspace: write in the roots, network by domains. unrestricted: not confined.',
          },
          backend: {
            type: 'string',
            enum: BACKENDS,
            description: 'What enforces the sandbox; auto takes the strongest available.',
          },
          excludedCommands: list('Programs that run outside the sandbox, if a command starts nothing else.', command),
          allowUnsandboxed: flag('A request may ask to run outside the sandbox.'),
          failIfUnavailable: flag(
            'false: if no sandbox is available, run without one and report it. true: refuse such runs. Default: refuse them, except in the profile req.',
          ),
          filesystem: fields('Paths inside the sandbox.', {
            allowWrite: list('Paths that may be written, besides the roots.', path),
            denyWrite: list('Paths that must not be written.', path),
            denyRead: list('Paths that must not be read.', path),
            allowRead: list('Paths that may be read although denyRead covers them.', path),
          }),
          network: fields('The network inside the sandbox; the hosts are in domains.', {
            allowAddresses: list(
              'Special addresses, such as 127.0.0.1:5432 or 10.0.0.0/8, that commands may connect to.',
              text('An address or a network, with an optional port.'),
            ),
            allowPorts: list('Ports of the host that commands may reach on localhost.', port),
            publishPorts: list('Ports of commands that are reachable from the host.', port),
            allowUnixSockets: list('Sockets that may be used.', path),
            allowAllUnixSockets: flag('Any socket may be used.'),
            allowLocalBinding: flag('false: commands cannot listen, not even for each other.'),
          }),
        }),
        profiles: PROFILES_SCHEMA,
      },
    }) as const satisfies Schema & { readonly $schema: string; readonly title: string },
);

// The mark lets a bundler drop it if unused.
export const SETTINGS_SCHEMA = /* @__PURE__ */ settingsSchema();
