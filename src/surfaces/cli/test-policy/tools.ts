// What the verb needs from outside: a function that decides, and one that lists the rules of the settings.

import type { Facts, Mode, RuleOrigin, Shell, Verdict } from '../../../host.ts';

export interface CaseRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface CheckRequest {
  readonly cwd: string;
  readonly shell: Shell;
  readonly mode?: Mode;
  readonly settingsFile?: string;
  /** Added to the rules of the settings. */
  readonly rules?: CaseRules;
}

export type CheckFunction = (
  command: string,
  request: CheckRequest,
) => { readonly facts: Facts; readonly verdict: Verdict };

export interface PolicyTools {
  readonly check: CheckFunction;
  /** The rules in effect in a folder, for --coverage. */
  readonly listRules: (request: { readonly cwd: string; readonly settingsFile?: string }) => readonly RuleOrigin[];
}
