// Whether one absolute path lies in another. Compares text: links and `..` are the caller's to resolve first.

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function isBelow(path: string, folder: string): boolean {
  return path !== folder && isAtOrBelow(path, folder);
}
