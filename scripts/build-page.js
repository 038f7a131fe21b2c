// `build-page.js FOLDER`: the page of the dashboard, bundled into FOLDER: page.html, page.js, page.css, icon.svg.

import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/surfaces/dashboard/page');
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('hardshell: name the folder for the page: build-page.js FOLDER\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: ['main.tsx', 'page.css'].map((name) => ({ in: join(source, name), out: 'page' })),
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  logLevel: 'error',
});
for (const name of ['page.html', 'icon.svg']) copyFileSync(join(source, name), join(folder, name));
