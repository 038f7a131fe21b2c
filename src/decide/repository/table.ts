// Every check on the repository that a command works in.

import type { Check } from '../check.ts';
import { gitConfigExecutes } from './git/git-execution.ts';

export const REPOSITORY_CHECKS: readonly Check[] = [gitConfigExecutes];
