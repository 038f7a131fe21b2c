// What the hook has decided → the audit log. Loaded where it is wanted, from a file of its own where the program was built.

import { randomBytes } from 'node:crypto';
import { auditObserver, openAudit } from '../../../api/audit.ts';
import type { CheckResult, LoadedSettings } from '../../../host/deciding.ts';
import type { HookAgent } from './agents.ts';
import type { Asked } from './dialects.ts';

export interface HookDecision {
  readonly agent: HookAgent;
  readonly asked: Asked;
  /** With the verdict that the agent was told. */
  readonly judged: CheckResult;
  readonly audit: LoadedSettings['audit'];
}

/** Rejects when it could not be recorded. */
export async function recordHook({ agent, asked, judged, audit: settings }: HookDecision): Promise<void> {
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
    await auditObserver(audit).onVerdict(request, judged);
  } finally {
    await audit.close();
  }
}
