// Limits and timeouts of one command: from the request, its profile, the user's policy, the settings and the
// sandbox, the smallest of each.

import type { LoadedSettings } from '../config/load.ts';
import type { SandboxName } from '../core/confinement.ts';
import { type Policy, userPolicyOf } from '../core/policy.ts';
import type { ProfileRules } from '../core/profile-rules.ts';
import { LIMITS, type RunOptions } from '../core/running.ts';

export type Limits = NonNullable<RunOptions['limits']>;

export interface AskedLimits extends Pick<RunOptions, 'limits' | 'timeout' | 'keepTimeout' | 'backgroundAfter'> {
  /** For a request without a timeout; `undefined`: as the profile says. */
  readonly defaultTimeoutMs: number | undefined;
  readonly maxTimeoutMs: number | undefined;
}

/** How long a command may take. */
export interface TimeTerms {
  /** After this time it is ended. */
  readonly timeoutMs: number | null;
  /** The part of it that also applies to a task: from settings and policy, or all of it if the request says so. */
  readonly taskTimeoutMs: number | null;
  /** After this time a foreground command continues as a task. */
  readonly backgroundAfterMs: number | null;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export interface LimitInputs {
  readonly asked: AskedLimits;
  readonly settings: Pick<LoadedSettings, 'limits'>;
  readonly profile: ProfileRules | null;
  readonly policy: Policy;
  readonly user: string | null;
  readonly sandbox: SandboxName;
  readonly isBackground: boolean;
}

/** REQ-BASH-008: a read-only command needs no more than this. */
const RESTRICTED_LIMITS = { memoryBytes: 4 * 2 ** 30, cpuSeconds: 900, processes: 512 };

export function resolveLimits(inputs: LimitInputs): { readonly limits: Limits; readonly time: TimeTerms } {
  const { asked, settings, profile, policy, user, sandbox, isBackground } = inputs;
  const ruled = userPolicyOf(policy, user)?.limits ?? {};
  const built: Record<string, number | undefined> = sandbox === 'restricted' ? RESTRICTED_LIMITS : {};
  const wanted: Record<string, number | undefined> = { ...asked.limits };
  const limits: Record<string, number> = {};
  for (const name of LIMITS) {
    if (name === 'timeoutMs') continue;
    const least = smallest(wanted[name], profile?.limits[name], ruled[name], settings.limits[name], built[name]);
    if (least !== null) limits[name] = Math.max(1, Math.floor(least));
  }
  const taskTimeoutMs = smallest(ruled.timeoutMs, settings.limits.timeoutMs);
  return { limits, time: resolveTime(asked, profile, taskTimeoutMs, isBackground) };
}

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;
/** A caller waits for the end, and gets its answer within two seconds of the time limit. */
const GRACE_MS = 1_000;
/** No caller waits for a task: a server may close its files. */
const TASK_GRACE_MS = 5_000;

function resolveTime(
  asked: AskedLimits,
  profile: ProfileRules | null,
  taskTimeoutMs: number | null,
  isBackground: boolean,
): TimeTerms {
  const { timeout, keepTimeout = false, backgroundAfter } = asked;
  const defaultTimeoutMs = asked.defaultTimeoutMs ?? profile?.timeoutMs ?? DEFAULT_MS;
  const maxTimeoutMs = smallest(asked.maxTimeoutMs, profile?.maxTimeoutMs) ?? MAX_MS;
  const cap = (ms: number) => Math.max(1, Math.min(ms, taskTimeoutMs ?? Number.POSITIVE_INFINITY));
  // A task has no timeout unless the request, the policy or the settings set one.
  if (isBackground)
    return {
      timeoutMs: timeout === undefined ? taskTimeoutMs : cap(timeout),
      taskTimeoutMs,
      backgroundAfterMs: null,
      graceMs: profile?.graceMs ?? TASK_GRACE_MS,
    };
  const timeoutMs = cap(Math.min(timeout ?? defaultTimeoutMs, maxTimeoutMs));
  return {
    timeoutMs,
    taskTimeoutMs: keepTimeout ? timeoutMs : taskTimeoutMs,
    backgroundAfterMs: backgroundAfter ?? null,
    graceMs: profile?.graceMs ?? GRACE_MS,
  };
}

function smallest(...values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
