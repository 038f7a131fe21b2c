/** Folders for temporary files, which are private to the command in a sandbox with namespaces. */
export const TEMPORARY_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm'] as const;
