// The address of a remote → whether git, used outside, runs nothing for it: neither a helper of an unknown scheme, nor hooks
// of a repository that a command has made where no search looks. The same as native/git-address.c.

/** For every other scheme git runs `git-remote-NAME`. */
const NETWORK = /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/(?!-)/;
/** `host:path`, by ssh. */
const SSH = /^[^/:]*:/;
/** The private /tmp of a project, also by way of a process; caches and quarantine: src/local/places.ts. */
const OWN_FOLDERS = [
  /(?:^|\/)hardshell-\d+-tmp/i,
  /(?:^|\/)hardshell\/(?:.*\/)?(?:caches|quarantine)(?:\/|$)/is,
  /(?:^|\/)proc\/(?:.*\/)?(?:\d|(?:thread-)?self(?:\/|$))/is,
];

export function isInertAddress(text: string): boolean {
  if (text.startsWith('-') || text.includes('::')) return false;
  if (text.includes('://') && !text.startsWith('file://')) return NETWORK.test(text);
  if (!text.includes('://') && SSH.test(text)) return true;
  const path = text.replace(/^file:\/\//, '');
  return !path.includes('%') && !OWN_FOLDERS.some((own) => own.test(path));
}
