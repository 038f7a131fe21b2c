// A path as settings write it → an absolute path (or glob).

import { resolve } from 'node:path';

export interface PathPlace {
  /** Folder of the settings: the project for files in `.hardshell/`. */
  readonly base: string;
  readonly cwd: string;
  readonly home: string | null;
}

/** `//abs`, `/x` below the folder of the settings, `~/x` below home, else below the current folder. `null`: no home. */
export function resolveSettingsPath(text: string, { base, cwd, home }: PathPlace): string | null {
  if (text.startsWith('//')) return resolve('/', text.replace(/^\/+/, ''));
  if (text.startsWith('/')) return resolve(base, `.${text}`);
  if (text === '~' || text.startsWith('~/')) return home === null ? null : resolve(home, `.${text.slice(1)}`);
  return resolve(cwd, text);
}

/** A path → its form in settings, independent of the folder of the settings. */
export function toSettingsPath(path: string): string {
  return path.startsWith('/') ? `/${path}` : path;
}
