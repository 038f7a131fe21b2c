// The name of a profile → the profile. Without a name: hardshell's own tools.

import { type ChecksOf, checkOptions, oneOf, orNull, recordOf } from '../core/option-checks.ts';
import { PROFILES, type ProfileName } from '../core/profile-names.ts';
import { CLAUDE_CODE } from './claude-code/tools.ts';
import { type BashConfiguration, CONFIGURATION_CHECKS } from './layered/configuration.ts';
import { createLayered } from './layered/tools.ts';
import { MCP_GUIDE } from './mcp-guide/tools.ts';
import type { Profile } from './profile.ts';
import { BASH_CONFIG_CHECKS, type BashConfig } from './proposal-0028/configuration.ts';
import { createProposal0028 } from './proposal-0028/tools.ts';
import { REQ } from './req.ts';
import { STANDARD } from './standard/standard.ts';

/** The configuration objects of the documents that have one; missing values have the document's defaults. */
export interface ProfileConfiguration {
  readonly 'proposal-0028'?: Partial<BashConfig>;
  readonly layered?: Partial<BashConfiguration>;
}

/** A misspelled entry, such as of a blacklist, must not be ignored. */
const CONFIGURATION: ChecksOf<ProfileConfiguration> = {
  'proposal-0028': recordOf(BASH_CONFIG_CHECKS),
  layered: recordOf(CONFIGURATION_CHECKS),
};

export function profileOf(name: ProfileName | null, configuration: ProfileConfiguration = {}): Profile {
  orNull(oneOf(PROFILES))('The profile', name);
  checkOptions(configuration, CONFIGURATION);
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
