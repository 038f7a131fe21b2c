// Decisions of the hook → the audit log. Loaded on demand, from a separate file in the built program.

import { randomBytes } from 'node:crypto';
import { auditObserver, openAudit } from '../../../api/audit.ts';
import type { CheckResult, LoadedSettings } from '../../../host/deciding.ts';
import type { HookAgent } from './agents.ts';
import type { Asked } from './dialects.ts';

export interface HookDecision {
  readonly agent: HookAgent;
  readonly asked: Asked;
  /** With the verdict that was sent to the agent. */
  readonly checked: CheckResult;
  readonly audit: LoadedSettings['audit'];
}

/** Rejects if it could not be recorded. */
export async function recordHook({ agent, asked, checked, audit: configured }: HookDecision): Promise<void> {
  const { enabled: _, hook: __, verifyMinutes: ___, ...settings } = configured;
  const audit = openAudit(settings);
  const { command, cwd, session } = asked;
  const request = {
    task: `hook-${randomBytes(4).toString('hex')}`,
    command,
    args: null,
    shell: 'bash' as const,
    cwd,
    session,
    user: null,
    profile: `hook:${agent}`,
    isBackground: false,
  };
  try {
    await auditObserver(audit).onVerdict(request, checked);
  } finally {
    await audit.close();
  }
}
