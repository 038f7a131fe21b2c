// Whether one absolute path is inside another. Compares text: the caller resolves links and `..` first.

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function isBelow(path: string, folder: string): boolean {
  return path !== folder && isAtOrBelow(path, folder);
}

/** Walks up from the path: as fast for a thousand folders as for one. */
export function isBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return path !== '/' && folders.has('/');
}

export function isAtOrBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  return folders.has(path) || isBelowAny(path, folders);
}
