// `npm run soak [-- --count N]`: thousands of mixed commands through real servers, and what these hold afterwards.
// Ends with 1 if something grew: memory, descriptors, processes or files.

import { findGrowth, soak } from '../test/soak/soaking.js';
import { ready } from './ready.js';

const at = process.argv.indexOf('--count');
const count = at === -1 ? 20_000 : Number(process.argv[at + 1]);

if (Number.isInteger(count) && count >= 100) {
  ready();
  const result = await soak({ count, onProgress: (text) => process.stderr.write(`${text}\n`) });
  const grown = findGrowth(result);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(grown.length === 0 ? 'nothing grew\n' : `grew:\n  ${grown.join('\n  ')}\n`);
  process.exitCode = grown.length === 0 ? 0 : 1;
} else {
  process.stderr.write('hardshell: --count takes a number of commands, at least 100\n');
  process.exitCode = 2;
}
