#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The cache lies beside the code: whoever can write there can change the code itself. A shared temp folder would trust more.
module.enableCompileCache?.(fileURLToPath(new URL('../.cache/compile', import.meta.url)));

const cli = new URL('../dist/surfaces/cli/main.js', import.meta.url);
if (existsSync(cli)) {
  const { main } = await import(cli.href);
  await main(process.argv.slice(2));
} else {
  process.stderr.write('hardshell: not built yet. Run `npm start -- --help` in the hardshell folder once.\n');
  process.exitCode = 1;
}
