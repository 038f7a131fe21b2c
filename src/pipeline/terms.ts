// A request and the settings → its terms: everything that holds for it, resolved once.
// Managed settings, profile and narrowing are applied here and nowhere else; later stages see no options and no settings.

import type { LoadedLayers } from '../config/load.ts';
import { type Policy, userPolicyOf } from '../core/policy.ts';
import type { Request } from './request.ts';
import { type EnvironmentTerms, homeSeen, resolveEnvironment } from './terms/environment.ts';
import { type Limits, resolveLimits, type TimeTerms } from './terms/limits.ts';
import type { Machine } from './terms/machine.ts';
import { resolvePolicy } from './terms/policy.ts';
import { type NetworkTerms, resolveNetwork, resolveSandbox, type SandboxTerms } from './terms/sandbox.ts';

export interface Terms extends Omit<Request, 'asked'> {
  /** Where the session began, or else `cwd`: its settings hold, and `cd` does not leave it. */
  readonly project: string;
  readonly policy: Policy;
  /** Folders in which files may be changed. */
  readonly roots: readonly string[];
  readonly home: string | null;
  /** What `~` means to the command. */
  readonly homeSeen: string | null;
  readonly questions: QuestionTerms;
  readonly sandbox: SandboxTerms;
  /** `null`: none. */
  readonly network: NetworkTerms | null;
  readonly environment: EnvironmentTerms;
  readonly limits: Limits;
  readonly time: TimeTerms;
  /** How many shells may be made ahead of the next command; `null`: not said. */
  readonly waitingShells: number | null;
}

/** Who may be asked, and what an answer can do. */
export interface QuestionTerms {
  /** Every question is answered with yes; a refusal stays one. */
  readonly isYesAssumed: boolean;
  /** How long a question waits; `null`: as long as the broker lets it. */
  readonly timeoutMs: number | null;
  /** A classifier may answer before people do. */
  readonly canClassify: boolean;
  /** Answers may become rules of the session. */
  readonly canKeepAnswers: boolean;
  /** A host that no rule names may be asked about while the connection waits. */
  readonly canAskAboutHosts: boolean;
}

export function resolve(request: Request, layers: LoadedLayers, machine: Machine): Terms {
  const { asked, ...rest } = request;
  const { settings } = layers;
  const { cwd, user, isBackground } = request;
  const project = request.originalCwd ?? cwd;
  const policy = resolvePolicy({ ...asked, profile: request.profile }, layers, project, machine);
  const roots = userPolicyOf(policy, user)?.roots ?? policy.roots ?? [project];
  const inputs = { ...layers, asked, policy, project };
  const sandbox = resolveSandbox(inputs);
  const environment = resolveEnvironment(asked, settings, [cwd, ...roots], machine);
  const { managedRulesOnly, managedDomainsOnly } = settings.switches;
  const { timeoutSeconds } = settings.approval;
  return {
    ...rest,
    project,
    policy,
    roots,
    home: machine.home,
    homeSeen: homeSeen(environment),
    questions: {
      isYesAssumed: asked.assumeYes,
      timeoutMs: timeoutSeconds === null ? null : timeoutSeconds * 1000,
      // Whether a command may leave the sandbox is for a person to say.
      canClassify: asked.withoutSandbox !== true,
      canKeepAnswers: !managedRulesOnly,
      canAskAboutHosts: asked.hasBroker && !asked.assumeYes && policy.mode !== 'dont-ask' && !managedDomainsOnly,
    },
    sandbox,
    network: resolveNetwork(inputs, sandbox),
    environment,
    ...resolveLimits({ asked, settings, policy, user, sandbox: sandbox.name, isBackground }),
    waitingShells: settings.waitingShells,
  };
}
