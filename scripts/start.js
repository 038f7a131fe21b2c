// `npm start -- …`: prepares the clone if needed, then runs the CLI.

import { join } from 'node:path';
import { ready, root } from './ready.js';

ready();
process.argv[1] = join(root, 'bin/hardshell.js');
await import('../bin/hardshell.js');
