// A request and the settings → its terms: everything that applies to it, resolved once.
// Managed settings, profile and narrowing are applied only here; later stages see no options and no settings.

import type { LoadedLayers } from '../config/load.ts';
import { type Policy, userPolicyOf } from '../core/policy.ts';
import { type EnvironmentTerms, homeSeen, resolveEnvironment } from './environment.ts';
import { type Limits, resolveLimits, type TimeTerms } from './limits.ts';
import type { Machine } from './machine.ts';
import { resolvePolicy } from './policy.ts';
import { resolveProfile } from './profile.ts';
import type { OutputForm, Request } from './request.ts';
import { type NetworkTerms, resolveNetwork, resolveSandbox, type SandboxTerms } from './sandbox.ts';
import { resolveStaging, type StagingTerms } from './staging.ts';

export interface Terms extends Omit<Request, 'asked' | 'output'> {
  readonly output: OutputForm;
  /** The profile's tool takes no command without a description. */
  readonly requiresDescription: boolean;
  /** Where the session started, or `cwd`: its settings apply, and `cd` does not leave it. */
  readonly project: string;
  readonly policy: Policy;
  /** Folders in which files may be changed. */
  readonly roots: readonly string[];
  /** No policy names them: it is the project. */
  readonly hasDefaultRoot: boolean;
  readonly home: string | null;
  /** What `~` means for the command. */
  readonly homeSeen: string | null;
  readonly questions: QuestionTerms;
  readonly sandbox: SandboxTerms;
  /** `null`: none. */
  readonly network: NetworkTerms | null;
  readonly environment: EnvironmentTerms;
  readonly limits: Limits;
  readonly time: TimeTerms;
  /** Output that is shown whole can be seen afterwards, too. */
  readonly keepsOutput: boolean;
  /** How many shells may be started ahead; `null`: not set. */
  readonly waitingShells: number | null;
  readonly staging: StagingTerms;
}

/** Who may be asked, and the effects of an answer. */
export interface QuestionTerms {
  /** Every question is answered with yes; denied commands stay denied. */
  readonly isYesAssumed: boolean;
  /** How long a question waits; `null`: the broker's timeout. */
  readonly timeoutMs: number | null;
  /** A classifier may answer before people do. */
  readonly canClassify: boolean;
  /** What the sandbox holds inside its folders needs no rule: so says the document of the profile. */
  readonly isInsideUnasked: boolean;
  /** Answers may become rules of the session. */
  readonly canKeepAnswers: boolean;
  /** When changes are held for review, the user is asked whether to apply them. */
  readonly asksToApply: boolean;
  /** The user may be asked about an unknown host while the connection waits. */
  readonly canAskAboutHosts: boolean;
}

export function resolve(request: Request, layers: LoadedLayers, machine: Machine): Terms {
  const { asked, ...rest } = request;
  const { settings } = layers;
  const { cwd, user, isBackground } = request;
  const project = request.originalCwd ?? cwd;
  const profile = resolveProfile({ ...asked, profile: request.profile }, settings, project);
  const policy = resolvePolicy({ ...asked, profile: request.profile, rules: profile }, layers, project, machine);
  const named = userPolicyOf(policy, user)?.roots ?? policy.roots;
  const roots = named ?? [project];
  const inputs = { ...layers, asked, policy, profile, project };
  const sandbox = resolveSandbox(inputs);
  const environment = resolveEnvironment(asked, profile, settings, [cwd, ...roots], machine);
  const { managedRulesOnly, managedDomainsOnly } = settings.switches;
  const { timeoutSeconds, askToApply } = settings.approval;
  const { view = profile?.view ?? 'claude-code', viewCharacters = profile?.viewCharacters } = request.output;
  return {
    ...rest,
    shell: request.shell ?? (request.args === null ? (profile?.shell ?? undefined) : undefined),
    output: { ...request.output, view, viewCharacters, readsHints: profile?.readsHints ?? true },
    requiresDescription: profile?.requiresDescription ?? false,
    project,
    policy,
    roots,
    hasDefaultRoot: named === null,
    home: machine.home,
    homeSeen: homeSeen(environment),
    questions: {
      isYesAssumed: asked.assumeYes,
      timeoutMs: timeoutSeconds === null ? null : timeoutSeconds * 1000,
      // Only a person may decide that a command leaves the sandbox.
      canClassify: asked.withoutSandbox !== true && !sandbox.isLeaving,
      isInsideUnasked: profile?.runsInsideUnasked === true,
      canKeepAnswers: !managedRulesOnly,
      asksToApply: askToApply,
      canAskAboutHosts: asked.hasBroker && !asked.assumeYes && policy.mode !== 'dont-ask' && !managedDomainsOnly,
    },
    sandbox,
    network: resolveNetwork(inputs, sandbox),
    environment,
    ...resolveLimits({ asked, settings, profile, policy, user, sandbox: sandbox.name, isBackground }),
    keepsOutput: settings.keepOutput && asked.keepOutput !== false,
    waitingShells: settings.waitingShells,
    staging: resolveStaging(asked.staging, settings),
  };
}
