// The agents with a known hook; separate from their dialects, so that naming them loads nothing.

export const HOOK_AGENTS = ['claude-code', 'codex', 'cursor', 'gemini'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

export function isHookAgent(word: string): word is HookAgent {
  return (HOOK_AGENTS as readonly string[]).includes(word);
}
