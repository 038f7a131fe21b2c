// The text of a repository's settings, or of a rebase's todo list → whether it runs nothing. Knows what git itself writes into
// new repositories and common settings for names and colors; everything else, and unusual syntax, counts as unsafe.

#define _GNU_SOURCE
#include "sweep.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/** `section.key`, in lower case; `section.*.key` with a subsection. A final `*` stands for every key. */
static const char *const KEYS[] = {
    "core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
    "core.precomposeunicode", "core.symlinks", "core.autocrlf", "core.eol", "core.safecrlf", "core.abbrev", "core.quotepath",
    "core.sparsecheckout", "core.sparsecheckoutcone", "core.longpaths", "core.untrackedcache", "core.commitgraph",
    "core.multipackindex", "core.preloadindex", "core.splitindex", "core.sharedrepository", "core.hidedotfiles",
    "core.whitespace", "core.compression", "core.worktree",
    "extensions.objectformat", "extensions.partialclone", "extensions.refstorage", "extensions.compatobjectformat",
    "extensions.worktreeconfig", "extensions.relativeworktrees", "extensions.preciousobjects",
    "remote.*.url", "remote.*.pushurl", "remote.*.fetch", "remote.*.push", "remote.*.tagopt", "remote.*.prune",
    "remote.*.prunetags", "remote.*.mirror", "remote.*.promisor", "remote.*.partialclonefilter", "remote.*.gh-resolved",
    "remote.*.skipdefaultupdate", "remote.*.skipfetchall", "remote.*.followremotehead", "remote.pushdefault",
    "branch.*.remote", "branch.*.merge", "branch.*.rebase", "branch.*.pushremote", "branch.*.description",
    "branch.*.vscode-merge-base", "branch.*.gh-merge-base", "branch.autosetupmerge", "branch.autosetuprebase", "branch.sort",
    "submodule.*.url", "submodule.*.active", "submodule.*.branch", "submodule.*.ignore", "submodule.*.fetchrecursesubmodules",
    "submodule.*.update", "submodule.*.path", "submodule.*.shallow", "submodule.active", "submodule.recurse", "submodule.fetchjobs",
    "user.name", "user.email", "user.signingkey", "user.useconfigonly",
    "author.name", "author.email", "committer.name", "committer.email",
    "init.defaultbranch", "commit.gpgsign", "commit.verbose", "commit.cleanup", "tag.gpgsign", "tag.sort", "tag.forcesignannotated",
    "advice.*", "color.*", "color.*.*", "column.*", "index.*", "status.*", "rerere.*",
    "fetch.prune", "fetch.prunetags", "fetch.parallel", "fetch.recursesubmodules", "fetch.writecommitgraph", "fetch.all",
    "pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "push.followtags", "push.recursesubmodules",
    "gc.auto", "gc.autodetach", "gc.pruneexpire", "gc.reflogexpire", "gc.worktreepruneexpire", "pack.threads",
    "pack.windowmemory", "pack.usebitmaps",
    "rebase.autosquash", "rebase.autostash", "rebase.updaterefs", "rebase.missingcommitscheck", "rebase.abbreviatecommands",
    "merge.conflictstyle", "merge.ff", "merge.renames", "merge.log", "merge.autostash", "merge.stat",
    "diff.algorithm", "diff.renames", "diff.colormoved", "diff.noprefix", "diff.mnemonicprefix", "diff.context",
    "log.date", "log.decorate", "log.abbrevcommit", "log.follow", "log.showsignature", "apply.whitespace",
    "lfs.repositoryformatversion", "lfs.*.access", "feature.manyfiles", "transfer.fsckobjects", "receive.denycurrentbranch",
    "receive.denynonfastforwards",
};

int resolve_text(const char *folder, const char *text, size_t size, char *path, size_t room) {
  size_t length = 0;
  if (size == 0 || text[0] != '/') {
    if ((length = strlen(folder)) >= room) return 0;
    memcpy(path, folder, length);
  }
  for (size_t at = 0; at < size;) {
    size_t end = at;
    while (end < size && text[end] != '/') end++;
    size_t part = end - at;
    if (part == 2 && memcmp(text + at, "..", 2) == 0)
      while (length > 0 && path[--length] != '/') continue;
    else if (part > 0 && !(part == 1 && text[at] == '.')) {
      if (length + part + 1 >= room) return 0;
      path[length++] = '/';
      memcpy(path + length, text + at, part);
      length += part;
    }
    at = end + 1;
  }
  path[length] = 0;
  return length > 0;
}

static int is_known(const char *key) {
  size_t length = strlen(key);
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
    size_t size = strlen(KEYS[i]);
    if (strcmp(key, KEYS[i]) == 0) return 1;
    // Not for subsections: `color.*` does not match `pager.*.x`.
    if (KEYS[i][size - 1] == '*' && length >= size && strncmp(key, KEYS[i], size - 1) == 0 && strchr(key + size - 1, '.') == NULL)
      return 1;
  }
  return 0;
}

// Of a submodule: back to its folder in the same project. Any other value would redirect where a checkout writes.
static int is_own_worktree(const char *value, const char *folder) {
  char place[4096];
  const char *git = strstr(folder, "/.git/modules/");
  size_t top = git == NULL ? 0 : (size_t)(git - folder);
  if (top == 0 || value[0] == '/' || !resolve_text(folder, value, strlen(value), place, sizeof place)) return 0;
  return strncmp(place, folder, top) == 0 && place[top] == '/' && strncmp(place + top, "/.git", 5) != 0;
}

static int is_one_of(const char *value, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(value, words[i]) == 0) return 1;
  return 0;
}

// Values that name programs or places although their keys are common.
static int is_sound_value(const char *key, const char *value, const char *folder) {
  static const char *const UPDATES[] = {"checkout", "rebase", "merge", "none"};
  static const char *const ADDRESSES[] = {
      "remote.*.url", "remote.*.pushurl", "remote.pushdefault", "submodule.*.url", "branch.*.remote", "branch.*.pushremote",
  };
  int is_address = is_one_of(key, ADDRESSES, sizeof ADDRESSES / sizeof *ADDRESSES);
  int is_worktree = strcmp(key, "core.worktree") == 0;
  // Quotes and comments change the value.
  if ((is_address || is_worktree) && strpbrk(value, "\"#;") != NULL) return 0;
  if (is_worktree) return is_own_worktree(value, folder);
  if (strcmp(key, "submodule.*.update") == 0) return is_one_of(value, UPDATES, sizeof UPDATES / sizeof *UPDATES);
  return !is_address || is_inert_address(value);
}

size_t skip_blanks(const char *line, size_t at) {
  while (line[at] == ' ' || line[at] == '\t') at++;
  return at;
}

int take_header(const char *line, char section[MAX_SECTION]) {
  size_t at = 1, length = 0;
  while (isalnum((unsigned char)line[at]) || line[at] == '-') {
    if (length >= 32) return 0;
    section[length++] = (char)tolower((unsigned char)line[at++]);
  }
  if (length == 0) return 0;
  if (line[at] == ' ') {
    at = skip_blanks(line, at);
    if (line[at++] != '"') return 0;
    size_t size = strcspn(line + at, "\"\\");
    if (size == 0 || line[at + size] != '"') return 0;
    at += size + 1;
    memcpy(section + length, ".*", 2);
    length += 2;
  }
  section[length] = 0;
  return line[at] == ']' && line[skip_blanks(line, at + 1)] == 0;
}

int is_inert_setting(const char *line, const char *section, const char *folder, char key[MAX_KEY]) {
  char value[MAX_SETTING_LINE];
  size_t at = 0, length = strlen(section);
  key[0] = 0;
  if (length == 0 || !isalpha((unsigned char)line[0])) return 0;
  memcpy(key, section, length);
  key[length++] = '.';
  while (isalnum((unsigned char)line[at]) || line[at] == '-') {
    if (length >= MAX_KEY - 1) return 0;
    key[length++] = (char)tolower((unsigned char)line[at++]);
  }
  key[length] = 0;
  at = skip_blanks(line, at);
  value[0] = 0;
  if (line[at] == '=') strcpy(value, line + skip_blanks(line, at + 1));
  else if (line[at] != 0) return 0;
  return is_known(key) && is_sound_value(key, value, folder);
}

/** One line without its end. Backslashes join lines and hide characters: git writes them for few values, none of them here. */
static int take_line(const char *line, char *section, const char *folder) {
  char key[MAX_KEY];
  size_t at = skip_blanks(line, 0);
  if (line[at] == 0 || line[at] == '#' || line[at] == ';') return strchr(line, '\\') == NULL;
  if (strchr(line, '\\') != NULL) return 0;
  return line[at] == '[' ? take_header(line + at, section) : is_inert_setting(line + at, section, folder, key);
}

/** Calls `take` for each line, as text without unusual characters; 0 if one of the calls returns 0. */
static int take_lines(const char *text, size_t size, int (*take)(const char *, char *, const char *), const char *folder) {
  char line[MAX_SETTING_LINE], state[MAX_SECTION] = "";
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t length = end == NULL ? size - at : (size_t)(end - (text + at));
    if (length >= sizeof line) return 0;
    memcpy(line, text + at, length);
    at += length + 1;
    if (length > 0 && line[length - 1] == '\r') length--;
    line[length] = 0;
    for (size_t i = 0; i < length; i++)
      if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 127) return 0;
    if (!take(line, state, folder)) return 0;
  }
  return 1;
}

int is_partial_setting(const char *key) {
  static const char *const PARTIAL[] = {"extensions.partialclone", "remote.*.promisor", "remote.*.partialclonefilter"};
  return is_one_of(key, PARTIAL, sizeof PARTIAL / sizeof *PARTIAL);
}

int has_partial_text(const char *text, size_t size) {
  static const char *const NAMES[] = {"promisor", "partialclone"};
  for (size_t at = 0; at < size; at++)
    for (size_t i = 0; i < 2; i++)
      if (size - at >= strlen(NAMES[i]) && strncasecmp(text + at, NAMES[i], strlen(NAMES[i])) == 0) return 1;
  return 0;
}

int is_inert_config(const char *text, size_t size, const char *folder) { return take_lines(text, size, take_line, folder); }

static int take_step(const char *line, char *state, const char *folder) {
  static const char *const STEPS[] = {
      "pick", "p", "revert", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "drop", "d",
      "label", "l", "reset", "t", "merge", "m", "break", "b", "update-ref", "u", "noop",
  };
  char word[16];
  size_t at = skip_blanks(line, 0), length = strcspn(line + at, " \t");
  (void)state;
  (void)folder;
  if (length == 0 || !isalpha((unsigned char)line[at])) return length == 0 || line[at] == '#';
  if (length >= sizeof word) return 0;
  memcpy(word, line + at, length);
  word[length] = 0;
  return is_one_of(word, STEPS, sizeof STEPS / sizeof *STEPS);
}

int is_inert_todo(const char *text, size_t size) { return take_lines(text, size, take_step, ""); }
