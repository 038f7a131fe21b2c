// The location of the webhook secret in the settings → the secret. It is never in the settings, which are shown and shared.
// Refuses a file that other users can read: anyone who has the secret can forge alerts.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { AlertSettings } from '../config/settings.ts';
import { HardshellError } from '../core/errors.ts';

const MAX_BYTES = 4_096;

export function readWebhookSecret(
  { secretVariable, secretFile }: NonNullable<AlertSettings['webhook']>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (secretVariable !== undefined && secretFile !== undefined)
    throw wrong('alerts.webhook has both secretVariable and secretFile.', 'Remove one of them.');
  if (secretFile !== undefined) return readSecretFile(secretFile);
  if (secretVariable === undefined)
    throw wrong('alerts.webhook has no secret.', 'Set alerts.webhook.secretVariable or secretFile.');
  const secret = environment[secretVariable];
  if (secret === undefined || secret === '')
    throw wrong(`The variable ${secretVariable} of alerts.webhook is not set.`, 'Set it to the secret.');
  return secret;
}

function readSecretFile(path: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw wrong(`The secret ${path} of the webhook cannot be read: ${(cause as Error).message}.`, 'Check the path.');
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES)
      throw wrong(`The secret ${path} of the webhook is not a small regular file.`, 'Check the path.');
    if (process.getuid !== undefined && (stats.uid !== process.getuid() || (stats.mode & 0o077) !== 0))
      throw wrong(`Other users can read the secret ${path} of the webhook.`, `Make it private: chmod 600 ${path}`);
    return readFileSync(descriptor, 'utf8').trim();
  } finally {
    closeSync(descriptor);
  }
}

function wrong(message: string, hint: string): HardshellError {
  return new HardshellError('invalid-argument', message, { hint });
}
