// Codex runs a hook only when its person has trusted exactly this hook, and says nothing when it does not run it.
// Its config.toml keeps a hash of each hook that was trusted, under the file and the place of the hook.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readStrings } from './edit/toml-edit.ts';
import { findHook } from './plan.ts';
import type { Target, Text } from './target.ts';

const HOW = 'Start codex and trust the hook when it asks, or with /hooks.';

/** `null`: it is trusted, or not there. */
export function whyUntrusted(target: Target, hooks: Text, config: Text): string | null {
  const hook = findHook(target, hooks);
  if (hook === null) return null;
  const { matcher, hooks: handlers = [] } = hook.entry as { matcher?: string; hooks?: Handler[] };
  const at = handlers.findIndex(({ command = '' }) => / hook codex\b/.test(command));
  const keys = [target.file, realFile(target.file)].map((file) => `${file}:pre_tool_use:${hook.index}:${at}`);
  const known = readStrings(config ?? '', ['hooks', 'state']);
  const states = keys.map((key) => known.get(key)).filter((state) => state !== undefined);
  if (states.some((state) => state.enabled === 'false')) return `Not in force: the hook is off in Codex. ${HOW}`;
  const hashes = states.flatMap((state) => state.trusted_hash ?? []);
  if (hashes.length === 0) return `Not in force: Codex ignores a hook until you trust it, without a word. ${HOW}`;
  if (hashes.includes(hashOf(matcher, handlers[at] as Handler))) return null;
  // The hash is Codex's own affair, and another version of it may make it otherwise.
  return `Probably not in force: Codex trusted an earlier version of this hook. ${HOW}`;
}

interface Handler {
  readonly type?: string;
  readonly command?: string;
  readonly timeout?: number;
}

/** As Codex does it: of the hook's own values as JSON, with its keys in order. */
export function hashOf(matcher: string | undefined, { type, command, timeout }: Handler): string {
  const identity = { event_name: 'pre_tool_use', hooks: [{ async: false, command, timeout, type }], matcher };
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`;
}

function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
