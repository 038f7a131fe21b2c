// The private folder: a fixed set of files, what a program changed in it, and putting it back.
// Fixed files carry old dates, so that a read, or a rewrite with the same bytes within one clock tick, shows.

#define _GNU_SOURCE
#include "runner.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD 1000000000
#define MAX_ENTRIES 512

struct fixture {
  const char *path, *text;
};
// Names that turn into options, commands or several words when a glob finds them.
static const struct fixture FIXTURES[] = {
    {"d", NULL},           {"d/g", NULL},      {"home", NULL},         {"a", "alpha\nbeta\n"},
    {"b.txt", "c1 one\n"}, {"c4", "c4\n"},     {"-n", "dash\n"},       {"s p", "space\n"},
    {"x=1", "assign\n"},   {".hid", "hid\n"},  {"d/e.txt", "epsilon\n"}, {"d/lib.sh", "c6 from-d\n"},
    {"lib.sh", "c5 sourced\nx=c6\nf() { c7 f; }\n"}, {"home/h.txt", "home\n"},
};
#define FIXTURE_COUNT (sizeof FIXTURES / sizeof *FIXTURES)

struct entry {
  char path[256];
  struct stat info;
};
static struct entry before[MAX_ENTRIES], now[MAX_ENTRIES];
static size_t before_count;

static void remove_tree(int at, const char *name) {
  if (unlinkat(at, name, 0) == 0 || errno == ENOENT) return;
  if (unlinkat(at, name, AT_REMOVEDIR) == 0) return;
  if (fchmodat(at, name, 0700, 0) < 0) return;
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  DIR *folder = fdopendir(fd);
  for (struct dirent *item; folder != NULL && (item = readdir(folder)) != NULL;)
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) remove_tree(fd, item->d_name);
  if (folder != NULL) closedir(folder);
  unlinkat(at, name, AT_REMOVEDIR);
}

static void list(const char *path, struct entry *entries, size_t *count, int depth) {
  const char *name = *path ? path : ".";
  DIR *folder = opendir(name);
  if (folder == NULL && chmod(name, 0755) == 0) folder = opendir(name);
  for (struct dirent *item; folder != NULL && (item = readdir(folder)) != NULL;) {
    if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0 || *count == MAX_ENTRIES) continue;
    struct entry *entry = &entries[*count];
    if (snprintf(entry->path, sizeof entry->path, "%s%s%s", path, *path ? "/" : "", item->d_name) >=
        (int)sizeof entry->path)
      continue;
    if (lstat(entry->path, &entry->info) < 0) continue;
    ++*count;
    if (S_ISDIR(entry->info.st_mode) && depth < 8) list(entry->path, entries, count, depth + 1);
  }
  if (folder != NULL) closedir(folder);
}

static void copy_tool(void) {
  char buffer[65536];
  ssize_t count;
  int in = open("/bin/c0", O_RDONLY | O_CLOEXEC), out = open("tool", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  while ((count = read(in, buffer, sizeof buffer)) > 0)
    if (write(out, buffer, (size_t)count) != count) die("tool");
  close(in);
  close(out);
}

static void set_old(const char *path) {
  const struct timespec times[2] = {{.tv_sec = OLD}, {.tv_sec = OLD}};
  if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) < 0) die(path);
}

void folder_make(void) {
  DIR *folder = chdir(WORK) < 0 ? NULL : opendir(".");
  if (folder == NULL) die(WORK);
  for (struct dirent *item; (item = readdir(folder)) != NULL;)
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) remove_tree(dirfd(folder), item->d_name);
  closedir(folder);
  for (size_t i = 0; i < FIXTURE_COUNT; i++) {
    const struct fixture *fixture = &FIXTURES[i];
    if (fixture->text == NULL) {
      if (mkdir(fixture->path, 0755) < 0) die(fixture->path);
      continue;
    }
    int fd = open(fixture->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, fixture->text, strlen(fixture->text)) < 0) die(fixture->path);
    close(fd);
  }
  copy_tool();
  before_count = 0;
  list("", before, &before_count, 0);
  for (size_t i = 0; i < before_count; i++) set_old(before[i].path);
  before_count = 0;
  list("", before, &before_count, 0);
}

static char type_of(const struct stat *info) {
  return S_ISDIR(info->st_mode) ? 'd' : S_ISREG(info->st_mode) ? 'f' : S_ISLNK(info->st_mode) ? 'l' : 'o';
}

static int is_same(const struct stat *a, const struct stat *b) {
  if (a->st_ino != b->st_ino || a->st_mode != b->st_mode) return 0;
  // A folder's own date changes with its files, which are reported themselves.
  return S_ISDIR(a->st_mode) || (a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec);
}

size_t folder_changes(char *out, size_t capacity) {
  size_t length = 0, count = 0;
  int damaged = 0;
  static char seen[MAX_ENTRIES];
  memset(seen, 0, sizeof seen);
  list("", now, &count, 0);
  for (size_t i = 0; i < count; i++) {
    size_t j = 0;
    while (j < before_count && strcmp(before[j].path, now[i].path) != 0) j++;
    if (j < before_count) seen[j] = 1;
    char kind = j < before_count ? 'M' : 'C';
    if (kind == 'M' && is_same(&before[j].info, &now[i].info)) {
      if (!S_ISREG(now[i].info.st_mode) || now[i].info.st_atim.tv_sec == OLD) continue;
      set_old(now[i].path);
      kind = 'R';
    }
    if (kind == 'M') damaged = 1;
    if (length + 300 > capacity) break;
    length += (size_t)sprintf(out + length, "%c%c%s", kind, type_of(&now[i].info), now[i].path) + 1;
  }
  for (size_t j = 0; j < before_count; j++) {
    if (seen[j]) continue;
    damaged = 1;
    if (length + 300 > capacity) break;
    length += (size_t)sprintf(out + length, "D%c%s", type_of(&before[j].info), before[j].path) + 1;
  }
  if (damaged || count == MAX_ENTRIES) {
    folder_make();
  } else if (length > 0) {
    for (const char *p = out; p < out + length; p += strlen(p) + 1)
      if (*p == 'C') remove_tree(AT_FDCWD, p + 2);
  }
  return length;
}
