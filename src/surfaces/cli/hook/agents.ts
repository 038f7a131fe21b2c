// The agents with a known hook; separate from their dialects, so that naming them loads nothing.

export const HOOK_AGENTS = ['claude-code', 'codex', 'cursor', 'gemini', 'opencode', 'qwen'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

export function isHookAgent(word: string): word is HookAgent {
  return (HOOK_AGENTS as readonly string[]).includes(word);
}

/** Their hooks can change a command, so that hardshell runs it. Qwen Code 0.24 ignores the changed command. */
export const CONFINED_AGENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
export type ConfinedAgent = (typeof CONFINED_AGENTS)[number];

export function isConfinedAgent(agent: string): agent is ConfinedAgent {
  return (CONFINED_AGENTS as readonly string[]).includes(agent);
}

/** The field of its tool that starts a command in the background; `null` if there is none. */
export const BACKGROUND_FIELDS: Readonly<Record<ConfinedAgent, string | null>> = {
  'claude-code': 'run_in_background',
  codex: null,
  gemini: 'is_background',
  opencode: null,
};
