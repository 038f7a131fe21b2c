// A link → the browser of this machine. The link goes through a private file: arguments of programs are visible to every
// user, and the first browser with the token gets access.

import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePrivateFolder, runtimeFolder } from '../../host.ts';

/** Returns a function that removes the file. */
export function openBrowser(link: string, port: number): () => void {
  const folder = makePrivateFolder(join(makePrivateFolder(runtimeFolder()), 'dashboard'));
  const file = join(folder, `${port}.html`);
  const forget = (): void => rmSync(file, { force: true });
  forget();
  // Links are generated: they contain only letters, digits and `:/#=`.
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">hardshell</a>\n`;
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.on('error', () => process.stderr.write(`hardshell: ${program} was not found. Open the link by hand.\n`));
  child.unref();
  return forget;
}
