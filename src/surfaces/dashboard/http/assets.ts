// The files of the page, read once: nothing in a request becomes a path.

import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HardshellError } from '../../../host.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly body: Buffer;
  readonly type: string;
}

/** By the path of the request: `/`, `/page.js` … */
export function readAssets(): ReadonlyMap<string, Asset> {
  const folder = fileURLToPath(new URL('../assets/', import.meta.url));
  const assets = new Map<string, Asset>();
  try {
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      assets.set(name === 'page.html' ? '/' : `/${name}`, { body: readFileSync(`${folder}${name}`), type });
    }
  } catch {
    // The same as an empty folder.
  }
  if (assets.has('/')) return assets;
  throw new HardshellError('invalid-argument', 'The files of the dashboard are missing.', {
    hint: 'Build them with `npm run build`, or install hardshell again.',
  });
}
