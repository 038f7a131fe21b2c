// Codex runs a hook only if the user has trusted exactly this hook, and skips others silently.
// Its config.toml has a hash of each trusted hook, under the file and the position of the hook.

import { createHash } from 'node:crypto';
import { readStrings } from '../../edit/toml-edit.ts';
import { findHook } from '../plan.ts';
import type { Target, Text } from '../target.ts';

const HOW = 'Start codex and trust the hook when it asks, or with /hooks.';

/**
 * `null`: it is trusted, or missing. `file` is the path of the hook as Codex has it, links of the home unresolved: trust
 * given under another path of the same file does not count there.
 */
export function whyUntrusted(target: Target, file: string, hooks: Text, config: Text): string | null {
  const hook = findHook(target, hooks);
  if (hook === null) return null;
  const { matcher, hooks: handlers = [] } = hook.entry as { matcher?: string; hooks?: Handler[] };
  const at = handlers.findIndex(({ command = '' }) => / hook codex\b/.test(command));
  const state = readStrings(config ?? '', ['hooks', 'state']).get(`${file}:pre_tool_use:${hook.index}:${at}`);
  if (state?.enabled === 'false') return `This hook is switched off in Codex. ${HOW}`;
  if (state?.trusted_hash === undefined) return `Codex silently skips a hook until you trust it. ${HOW}`;
  // The hash algorithm is not documented, and may differ in another version of Codex.
  if (state.trusted_hash === hashHook(matcher, handlers[at] as Handler)) return null;
  return `Codex trusted an earlier version of this hook. ${HOW}`;
}

interface Handler {
  readonly type?: string;
  readonly command?: string;
  readonly timeout?: number;
}

/** As Codex does it: over the hook's own values as JSON, with sorted keys. */
export function hashHook(matcher: string | undefined, { type, command, timeout }: Handler): string {
  const identity = { event_name: 'pre_tool_use', hooks: [{ async: false, command, timeout, type }], matcher };
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`;
}
