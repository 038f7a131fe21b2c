// The names of the profiles: one for each tool whose schema, limits and texts hardshell can adopt.

export const PROFILES = ['claude-code', 'req', 'layered', 'proposal-0028', 'mcp-guide'] as const;
export type ProfileName = (typeof PROFILES)[number];
