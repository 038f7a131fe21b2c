// The configuration objects of the profiles as settings, under the names of their documents (docs/profiles.md).

import {
  type BashConfig,
  type BashConfiguration,
  CONFIGURABLE_SHELLS,
  MAX_VIEW_CHARACTERS,
  type ProfileConfiguration,
} from '../core/profile-configuration.ts';
import { MAX_TIMER_MS } from '../core/values/timers.ts';
import { amount, command, fields, flag, list, path, type Schema, text } from './schema-words.ts';

const time = (description: string): Schema => ({ ...amount(description), maximum: MAX_TIMER_MS });
/** The documents take an empty list for no restriction: in a file that would look like the opposite. */
const only = (description: string, items: Schema): Schema => ({ ...list(description, items), minItems: 1 });

const LAYERED: Readonly<Record<keyof BashConfiguration, Schema>> = {
  enableSandbox: flag('false: commands ask to run outside the sandbox; sandbox.allowUnsandboxed must allow it.'),
  commandWhitelist: only('Only these programs may run. If several files set it: only programs in all lists.', command),
  allowedPaths: only(
    'Only these folders may be used; /srv is the absolute path. If several files set it: only folders in all lists.',
    path,
  ),
  securityLevel: {
    type: 'string',
    enum: ['medium', 'high'],
    description: 'medium: as the settings say. high: risky commands are asked about, even if a rule allows them.',
  },
  defaultTimeout: time('Milliseconds. Default 30000.'),
  maxOutputSize: amount('Bytes of output after which a command is ended. Default 10485760.'),
  enableStreaming: flag('Whether output may be sent while a command runs.'),
  maxMemoryUsage: amount('Bytes of memory. Default 1073741824.'),
  maxCpuUsage: amount('Percent of one CPU. Default 80.'),
  maxProcesses: amount('Number of concurrent processes. Default 10.'),
  maxFileDescriptors: amount('Open files of one process. Default 1000.'),
  preserveEnvironment: flag('Commands get the variables of the host, without secrets.'),
  defaultWorkingDirectory: {
    ...path,
    description: 'Where commands start; /srv is the absolute path. Default: the folder of the session.',
  },
  defaultShell: {
    ...text('The shell that reads commands. Default /bin/bash.'),
    pattern: `^(/(usr/)?bin/)?(${CONFIGURABLE_SHELLS.join('|')})$`,
    errorMessage: `Write ${CONFIGURABLE_SHELLS.join(', ')}: a name, or a path in /bin or /usr/bin.`,
  },
  enableMonitoring: flag('Whether resources are reported while a command runs.'),
  enableAuditing: { type: 'boolean', enum: [true], description: 'Only true: audit.enabled decides what is recorded.' },
  logLevel: { type: 'string', enum: ['info'], description: 'Only info: audit.level decides what is recorded.' },
};

const PROPOSAL_0028: Readonly<Record<keyof BashConfig, Schema>> = {
  defaultTimeout: time('Milliseconds. Default 120000.'),
  maxTimeout: time('The longest timeout of a request, in milliseconds. Default 600000.'),
  maxOutputSize: {
    type: 'integer',
    minimum: 2,
    maximum: MAX_VIEW_CHARACTERS,
    description: 'Characters of a stream that are shown. Default 30000.',
  },
  blockedCommands: list(
    "Commands that never run, besides the document's.",
    text('The words with which a command begins, such as dd if=/dev/zero.'),
  ),
  requireDescription: flag('true: a command without a description is refused.'),
  sandboxMode: flag('true: commands run in the sandbox, even if sandbox.name is unrestricted.'),
};

export const PROFILES_SCHEMA = fields('Configuration objects of profiles, with the names of their documents.', {
  layered: fields('BashConfiguration of the profile layered.', LAYERED),
  'proposal-0028': fields('BashConfig of the profile proposal-0028.', PROPOSAL_0028),
} satisfies Record<keyof ProfileConfiguration, Schema>);
