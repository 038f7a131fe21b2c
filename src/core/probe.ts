// The port through which pure code reads the disk. Answers may be stale immediately: never a security boundary.

export interface Probe {
  /**
   * The path with all symbolic links resolved. For a path that does not exist, its nearest existing folder is resolved and
   * the rest appended. `null` if that cannot be determined (a loop, no permission).
   */
  realPath(path: string): string | null;
  kind(path: string): 'file' | 'folder' | 'other' | 'absent' | 'unreadable';
  /** Up to `limitBytes` of a text file; `null` when it is absent, unreadable or longer. */
  readText(path: string, limitBytes: number): string | null;
  /** Up to `limitBytes` of any file; `null` when it is absent, unreadable or longer. */
  readBytes(path: string, limitBytes: number): Uint8Array | null;
  /** Names in a folder; `null` when it is absent or unreadable. */
  list(path: string): readonly string[] | null;
  /** The name that git gives to the content of a file (SHA-1, in hex); `null` when it is absent, unreadable or longer. */
  blobId?(path: string, limitBytes: number): string | null;
}
