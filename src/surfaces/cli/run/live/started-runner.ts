// The runner, started when this module is loaded: the keeper gets ready while the rest is.

import { startRunner } from './early-runner.ts';

export const runner = startRunner();
