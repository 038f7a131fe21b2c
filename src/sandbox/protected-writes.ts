// Paths that a request or the settings make writable, against the protected ones: what the check `protected-path` refuses
// to every command is not opened for a script either. Paths about which it only asks are opened by naming them.

import type { Finding, Verdict } from '../core/verdict.ts';
import { protectedTable } from '../decide/paths/tables/protected-paths.ts';
import { realPathOrSame } from '../local/real-path.ts';
import type { Terms } from '../terms/terms.ts';

/** Why no command may change it; `null` if naming it opens it. A folder counts like the files in it. */
export function whyNeverWritable(path: string, home: string | null): string | null {
  for (const each of new Set([path, realPathOrSame(path)]))
    for (const form of [each, `${each}/x`]) {
      const found = protectedTable().find(form, home);
      if (found?.verdict === 'deny') return found.why;
    }
  return null;
}

/** A request that asks for one of them is denied, and says so: it would be ignored otherwise. */
export function judgeProtectedWrites(verdict: Verdict, { sandbox, home }: Pick<Terms, 'sandbox' | 'home'>): Verdict {
  const findings = sandbox.requestedWrites.flatMap((path) => {
    const why = whyNeverWritable(path, home);
    return why === null ? [] : [refusal(path, why)];
  });
  if (findings.length === 0) return verdict;
  const all = [...findings, ...verdict.findings];
  return { ...verdict, decision: 'deny', risk: 'high', action: 'block', findings: all, suggestions: [] };
}

function refusal(path: string, why: string): Finding {
  return {
    id: 'protected-path',
    layer: 'sandbox',
    verdict: 'deny',
    severity: 'high',
    message: `The request asks to make ${path} writable, which stays protected: ${why}.`,
    instead: 'Leave it out of the request (--allow-write, allowWrite). Only the user can change this file.',
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}
