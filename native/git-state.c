// Files of a git folder that record an operation in progress → whether git and prompts can use them safely. They trust what
// is written there: git applies options and writes to paths, and git-sh-prompt puts numbers into PS1, which the shell expands.

#define _GNU_SOURCE
#include "git-index.h"
#include "sweep.h"
#include <string.h>

int is_number_file(const char *text, size_t size, const char *folder) {
  (void)folder;
  while (size > 0 && text[size - 1] == '\n') size--;
  for (size_t i = 0; i < size; i++)
    if (text[i] < '0' || text[i] > '9') return 0;
  return size <= 10;
}

/** The options that `git am` and `git rebase` hand on. Others name files. */
static int is_apply_option(const char *word, size_t length) {
  static const char *const OPTIONS[] = {
      "--whitespace=", "-C", "-p", "--ignore-whitespace", "--ignore-space-change", "--reject", "-3", "--directory=",
      "--exclude=", "--include=",
  };
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
    size_t size = strlen(OPTIONS[i]);
    int has_value = OPTIONS[i][size - 1] == '=' || strcmp(OPTIONS[i], "-C") == 0 || strcmp(OPTIONS[i], "-p") == 0;
    if (length >= size && strncmp(word, OPTIONS[i], size) == 0 && (has_value || length == size)) return 1;
  }
  return 0;
}

/** ` '--whitespace=fix' '-C3'`, as git quotes them. */
int is_apply_options(const char *text, size_t size, const char *folder) {
  (void)folder;
  while (size > 0 && text[size - 1] == '\n') size--;
  for (size_t at = 0; at < size;) {
    if (text[at] == ' ') {
      at++;
      continue;
    }
    const char *end = text[at] == '\'' ? memchr(text + at + 1, '\'', size - at - 1) : NULL;
    if (end == NULL || !is_apply_option(text + at + 1, (size_t)(end - (text + at + 1)))) return 0;
    at = (size_t)(end - text) + 1;
    if (at < size && text[at] != ' ') return 0;
  }
  return 1;
}

/** MERGE_RR, `ID<tab>path<NUL>`: from each path that has no conflict any more, git copies the content into `rr-cache`. */
int is_safe_resolutions(const char *text, size_t size, const char *folder) {
  (void)folder;
  if (size > 0 && text[size - 1] != 0) return 0;
  for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
    const char *tab = strchr(text + at, '\t');
    if (tab == NULL || !is_safe_git_path(tab + 1, GIT_FILE)) return 0;
  }
  return 1;
}

int is_empty_file(const char *text, size_t size, const char *folder) {
  (void)text;
  (void)folder;
  return size == 0;
}
