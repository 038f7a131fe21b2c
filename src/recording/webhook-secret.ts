// Where the settings say the secret of the webhook is → the secret. It never stands in settings, which are shown and shared.
// Refuses a file that others can read: whoever has the secret can make up alerts.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { AlertSettings } from '../config/settings.ts';
import { HardshellError } from '../core/errors.ts';

const MAX_BYTES = 4_096;

export function readWebhookSecret(
  { secretVariable, secretFile }: NonNullable<AlertSettings['webhook']>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (secretVariable !== undefined && secretFile !== undefined)
    throw wrong('alerts.webhook has secretVariable and secretFile.', 'Leave one of them out.');
  if (secretFile !== undefined) return readSecretFile(secretFile);
  if (secretVariable === undefined)
    throw wrong('alerts.webhook has no secret.', 'Name it: alerts.webhook.secretVariable, or secretFile.');
  const secret = environment[secretVariable];
  if (secret === undefined || secret === '')
    throw wrong(`The variable ${secretVariable}, which alerts.webhook names, is not set.`, 'Set it to the secret.');
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
      throw wrong(`The secret ${path} of the webhook is no small plain file.`, 'Check the path.');
    if (process.getuid !== undefined && (stats.uid !== process.getuid() || (stats.mode & 0o077) !== 0))
      throw wrong(`Others can read the secret ${path} of the webhook.`, `Give it to yourself alone: chmod 600 ${path}`);
    return readFileSync(descriptor, 'utf8').trim();
  } finally {
    closeSync(descriptor);
  }
}

/** The hint is in the message: it is told as one line, not thrown at anybody. */
function wrong(message: string, hint: string): HardshellError {
  return new HardshellError('invalid-argument', `${message} ${hint}`, { hint });
}
