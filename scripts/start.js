// `npm start -- …`: prepares the clone when needed, then is the CLI.

import { join } from 'node:path';
import { ready, root } from './ready.js';

ready();
process.argv[1] = join(root, 'bin/hardshell.js');
await import('../bin/hardshell.js');
