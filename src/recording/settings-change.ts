// A change of settings → an entry of the audit log, written by the process that made the change, afterwards.
// Unreadable settings are not a reason to skip it: then the defaults of the log apply.

import type { AuditSettings } from '../config/settings.ts';
import { type Audit, openAudit } from '../record/audit.ts';
import type { SettingsEntry } from '../record/entries.ts';
import { loadPolicy } from '../terms/settings.ts';

/** Rejects if it could not be recorded. Does nothing if the settings disable the log. */
export async function recordSettingsChange(
  change: Pick<SettingsEntry, 'layer' | 'file' | 'change'>,
  { cwd }: { readonly cwd: string },
): Promise<void> {
  const audit = openAuditIn(cwd);
  if (audit === null) return;
  try {
    await audit.record({ type: 'settings', session: null, user: null, ...change });
  } finally {
    await audit.close();
  }
}

/** `null` if the settings of the folder disable the log. */
export function openAuditIn(cwd: string): Audit | null {
  const { enabled, hook: _, verifyMinutes: __, ...settings } = auditSettingsIn(cwd);
  return enabled === false ? null : openAudit(settings);
}

function auditSettingsIn(cwd: string): AuditSettings {
  try {
    return loadPolicy({ cwd }).audit;
  } catch {
    return {};
  }
}
