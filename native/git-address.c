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

/** `/dev/fd/../../1/root` is `/proc/1/root`. */
static int is_descriptor(const char *part) {
  static const char *const NAMES[] = {"fd", "stdin", "stdout", "stderr", "shm", "mqueue", "pts"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (is_part(part, NAMES[i])) return 1;
  return 0;
}

/** Folders of the kernel and of running programs: no one stores a repository there. */
static int is_in_system(const char *path) {
  static const char *const FOLDERS[] = {"/dev", "/proc", "/sys", "/run/user", "/var/run/user"};
  char place[4096];
  if (path[0] != '/') return 0;
  if (!resolve_text("", path, strlen(path), place, sizeof place)) return strlen(path) >= sizeof place;
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
    if (is_part(place, FOLDERS[i])) return 1;
  return 0;
}

/** Whether a path leads to folders in which commands may write and which are not searched, by its text: links in it are not
 * followed, since that could contact another host. */
static int is_in_own_folders(const char *path) {
  int is_ours = 0, is_proc = 0, is_dev = 0;
  if (is_in_system(path)) return 1;
  for (const char *part = path; *(part += strspn(part, "/")) != 0; part += strcspn(part, "/")) {
    if (is_part(part, ".")) continue;
    if (is_temporary(part) || (is_proc && is_process(part)) || (is_dev && is_descriptor(part))) return 1;
    // Also with other parts in between: `hardshell/x/../caches`.
    if (is_ours && (is_part(part, "caches") || is_part(part, "quarantine"))) return 1;
    is_ours = is_ours || is_part(part, "hardshell");
    is_proc = is_proc || is_part(part, "proc");
    is_dev = is_dev || is_part(part, "dev");
  }
  return 0;
}

static int digit_of(char character) {
  return isdigit((unsigned char)character) ? character - '0' : isxdigit((unsigned char)character) ? (character | 32) - 'a' + 10 : -1;
}

/** A path at another host, which may be this machine under any of its names. Git decodes percent signs in it. */
static int is_safe_at_host(const char *path) {
  char decoded[4096];
  size_t length = 0;
  for (; *path != 0 && length < sizeof decoded - 1; length++) {
    int high = path[0] == '%' ? digit_of(path[1]) : -1, low = high < 0 ? -1 : digit_of(path[2]);
    decoded[length] = low < 0 ? *path : (char)(16 * high + low);
    path += low < 0 ? 1 : 3;
  }
  decoded[length] = 0;
  return *path == 0 && !is_in_own_folders(decoded);
}

/** `https` is a server of its own, which serves what it is told to. */
static int is_inert_url(const char *host, int is_web) {
  const char *path = strchr(host, '/');
  return host[0] != '-' && (is_web || path == NULL || is_safe_at_host(path));
}

int is_inert_address(const char *text) {
  // `ext::…` and similar run a helper of that name.
  if (text[0] == '-' || strstr(text, "::") != NULL) return 0;
  const char *scheme = strstr(text, "://"), *colon = strchr(text, ':'), *slash = strchr(text, '/');
  for (size_t i = 0; scheme != NULL && i < sizeof SCHEMES / sizeof *SCHEMES; i++)
    if (strncmp(text, SCHEMES[i], strlen(SCHEMES[i])) == 0) return is_inert_url(scheme + 3, strncmp(text, "http", 4) == 0);
  if (scheme != NULL && strncmp(text, "file://", 7) != 0) return 0;
  // `host:path`, by ssh.
  if (scheme == NULL && colon != NULL && (slash == NULL || colon < slash)) return is_safe_at_host(colon + 1);
  // In `file://` git decodes percent signs.
  const char *path = scheme == NULL ? text : scheme + 3, *root = strchr(path, '/');
  return strchr(text, '%') == NULL && !is_in_own_folders(path) && (root == NULL || scheme == NULL || !is_in_own_folders(root));
}
