// The verdict with which a run would start, without loading what runs commands: for a hook that hands a command to a run.

import type { RunOptions } from '../core/running.ts';
import { thisMachine } from '../terms/machine.ts';
import { loadLayersFor } from '../terms/settings.ts';
import { resolve } from '../terms/terms.ts';
import { checkCommand, completeCall } from './call-options.ts';
import type { CheckResult } from './check.ts';
import { checkNow, understand, type WhoAnswers } from './permission.ts';
import { createRequest } from './request.ts';

/** Of output and time, which do not matter for a verdict. */
const UNUSED = { timeout: undefined, maxTimeout: undefined, keepBytes: 0 };

const NOBODY: WhoAnswers['broker'] = {
  ask: () => Promise.reject(new Error('a check asks no one')),
  grants: () => [],
};

/** As `createShell().check()`. */
export function checkForRun(command: string, options: RunOptions & { readonly cwd: string }): CheckResult {
  checkCommand(command);
  const request = createRequest(command, completeCall(options, {}), UNUSED);
  const terms = resolve(request, loadLayersFor(request, {}), thisMachine(process.env));
  const { facts, verdict } = checkNow(understand(terms, { broker: NOBODY }));
  return { facts, verdict };
}
