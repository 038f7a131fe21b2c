// `npm run bench -- NAME [--json] [--quick]`: prepares the clone if needed, then runs bench/NAME.js.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ready, root } from './ready.js';

const [name, ...argv] = process.argv.slice(2);
const names = readdirSync(join(root, 'bench'), { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
  .map((entry) => entry.name.slice(0, -3));

if (names.includes(name)) {
  ready();
  const { run } = await import(join(root, 'bench', `${name}.js`));
  try {
    process.exitCode = (await run(argv)) ?? 0;
  } catch (error) {
    process.stderr.write(`hardshell: ${error.message}\n`);
    process.exitCode = 1;
  }
} else {
  process.stderr.write(`hardshell: name a benchmark: npm run bench -- ${names.join(' | ')} [--json] [--quick]\n`);
  process.exitCode = 2;
}
