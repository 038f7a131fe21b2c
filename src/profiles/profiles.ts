// The name of a profile → the profile. Without a name: hardshell's own tools.

import { oneOf, orNull } from '../core/option-checks.ts';
import { checkConfiguration, type ProfileConfiguration } from '../core/profile-configuration.ts';
import { PROFILES, type ProfileName } from '../core/profile-names.ts';
import { CLAUDE_CODE } from './claude-code/tools.ts';
import { createLayered } from './layered/tools.ts';
import { MCP_GUIDE } from './mcp-guide/tools.ts';
import type { Profile } from './profile.ts';
import { createProposal0028 } from './proposal-0028/tools.ts';
import { REQ } from './req.ts';
import { STANDARD } from './standard/standard.ts';

export type { ProfileConfiguration } from '../core/profile-configuration.ts';

export function profileOf(name: ProfileName | null, configuration: ProfileConfiguration = {}): Profile {
  orNull(oneOf(PROFILES))('The profile', name);
  checkConfiguration('profiles', configuration);
  switch (name) {
    case null:
      return STANDARD;
    case 'req':
      return REQ;
    case 'claude-code':
      return CLAUDE_CODE;
    case 'proposal-0028':
      return createProposal0028(configuration[name]);
    case 'mcp-guide':
      return MCP_GUIDE;
    case 'layered':
      return createLayered(configuration[name]);
  }
}
