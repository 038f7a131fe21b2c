// The address of a remote → whether git, used outside, runs nothing for it: neither a helper of an unknown scheme, nor hooks
// of a repository that a command has made where no search looks.

#define _GNU_SOURCE
#include "sweep.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/** For every other scheme git runs `git-remote-NAME`. */
static const char *const SCHEMES[] = {"https://", "http://", "ssh://", "git://", "git+ssh://", "ssh+git://"};

/** A part of a path, up to its slash. Some folders do not tell upper from lower case. */
static int is_part(const char *part, const char *name) {
  size_t length = strlen(name);
  return strncasecmp(part, name, length) == 0 && (part[length] == 0 || part[length] == '/');
}

/** `hardshell-0-tmp`, where the private /tmp of each project is: src/local/places.ts. */
static int is_temporary(const char *part) {
  static const char START[] = "hardshell-";
  if (strncasecmp(part, START, sizeof START - 1) != 0) return 0;
  part += sizeof START - 1;
  size_t digits = strspn(part, "0123456789");
  return digits > 0 && strncasecmp(part + digits, "-tmp", 4) == 0;
}

/** `/proc/1/root/tmp` is the private /tmp of a command that runs. */
static int is_process(const char *part) {
  return isdigit((unsigned char)part[0]) || is_part(part, "self") || is_part(part, "thread-self");
}

/** Whether a path leads to folders in which commands may write and which are not searched, by its text. */
static int is_in_own_folders(const char *path) {
  int is_ours = 0, is_proc = 0;
  for (const char *part = path; *(part += strspn(part, "/")) != 0; part += strcspn(part, "/")) {
    if (is_part(part, ".")) continue;
    if (is_temporary(part) || (is_proc && is_process(part))) return 1;
    // Also with other parts in between: `hardshell/x/../caches`.
    if (is_ours && (is_part(part, "caches") || is_part(part, "quarantine"))) return 1;
    is_ours = is_ours || is_part(part, "hardshell");
    is_proc = is_proc || is_part(part, "proc");
  }
  return 0;
}

int is_inert_address(const char *text) {
  // `ext::…` and similar run a helper of that name.
  if (text[0] == '-' || strstr(text, "::") != NULL) return 0;
  const char *scheme = strstr(text, "://"), *colon = strchr(text, ':'), *slash = strchr(text, '/');
  for (size_t i = 0; scheme != NULL && i < sizeof SCHEMES / sizeof *SCHEMES; i++)
    if (strncmp(text, SCHEMES[i], strlen(SCHEMES[i])) == 0) return scheme[3] != '-';
  if (scheme != NULL && strncmp(text, "file://", 7) != 0) return 0;
  // `host:path`, by ssh.
  if (scheme == NULL && colon != NULL && (slash == NULL || colon < slash)) return 1;
  // In `file://` git decodes percent signs.
  return strchr(text, '%') == NULL && !is_in_own_folders(scheme == NULL ? text : scheme + 3);
}
