// Why a file could not be written → what a person can do about it.

/** `otherwise`: for causes that depend on the file. */
export function adviceForWriting(cause: unknown, otherwise: string): string {
  switch ((cause as { readonly code?: unknown } | null)?.code) {
    case 'ENOSPC':
      return 'The disk is full: free some space, and run it again.';
    case 'EDQUOT':
      return 'Your disk quota is used up: delete some files, and run it again.';
    case 'EROFS':
      return 'The file system is read-only: use a folder on another one.';
    case 'EIO':
      return 'The disk reports an error: check it, for example with dmesg.';
    default:
      return otherwise;
  }
}
