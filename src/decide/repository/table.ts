// All checks on the repository or project that a command works in.

import type { Check } from '../check.ts';
import { composeFiles } from './compose-files.ts';
import { gitConfigExecutes } from './git/git-execution.ts';
import { gitCredentials } from './git/git-secrets.ts';
import { goModules } from './go-modules.ts';
import { hgConfigExecutes } from './hg-config.ts';
import { kustomizeRemotes } from './kustomize-remotes.ts';
import { npmSettings } from './npm-settings.ts';
import { sideFiles } from './side-files.ts';
import { terraformProviders } from './terraform-providers.ts';
import { toolchainFile } from './toolchain-files.ts';

export const REPOSITORY_CHECKS: readonly Check[] = [
  composeFiles,
  gitConfigExecutes,
  gitCredentials,
  goModules,
  hgConfigExecutes,
  kustomizeRemotes,
  npmSettings,
  sideFiles,
  terraformProviders,
  toolchainFile,
];
