// Settings → whoever writes down what a tool does, for surfaces that record by themselves. The log opens with its first entry.

import type { ShellObserver } from '../core/observer.ts';
import { openAudit } from '../record/audit.ts';
import { auditObserver } from '../record/observer.ts';
import { loadPolicy } from './check.ts';

export interface Recording {
  readonly observers: readonly ShellObserver[];
  close(): Promise<void>;
}

/** `onProblem`: a record that could not be written; the command it is about is refused. */
export function openRecording(
  where: { readonly cwd: string; readonly settingsFile?: string | undefined },
  onProblem?: (error: unknown) => void,
): Recording {
  const { enabled = true, ...options } = loadPolicy(where).audit;
  if (!enabled) return { observers: [], close: async () => {} };
  const audit = openAudit(options);
  const observer = auditObserver(audit, onProblem === undefined ? {} : { onProblem });
  return { observers: [observer], close: () => audit.close() };
}
