// Whether one absolute path is inside another. Compares text: the caller resolves links and `..` first.

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function isBelow(path: string, folder: string): boolean {
  return path !== folder && isAtOrBelow(path, folder);
}
