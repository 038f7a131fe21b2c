// Paths → inotify watches of the nearest existing folders, each once, and their events.

#define _GNU_SOURCE
#include "folder-watch.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int folder_watch_open(struct folder_watch *watch) {
  if (watch->fd < 0) watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  return watch->fd >= 0;
}

static void note(struct folder_watch *watch, int number) {
  for (size_t i = 0; i < watch->count; i++)
    if (watch->watches[i] == number) return;
  watch->watches[watch->count++] = number;
}

void folder_watch_add(struct folder_watch *watch, const char *path) {
  char text[4096];
  if (watch->count == MAX_WATCHES) {
    watch->is_partial = 1;
    return;
  }
  snprintf(text, sizeof text, "%s", path);
  for (char *slash; (slash = strrchr(text, '/')) != NULL;) {
    slash[slash == text] = 0;
    int number = inotify_add_watch(watch->fd, text, watch->changes);
    if (number >= 0) note(watch, number);
    else if (errno == ENOENT || errno == ENOTDIR) {
      if (slash != text) continue;
    } else watch->is_partial = 1;
    return;
  }
}

int folder_watch_read(const struct folder_watch *watch, int (*is_ours)(const struct confinement *confinement, const char *name),
                      const struct confinement *confinement) {
  char events[8192] __attribute__((aligned(8)));
  int is_any = 0;
  for (ssize_t size; (size = read(watch->fd, events, sizeof events)) > 0;)
    for (char *at = events; at < events + size;) {
      const struct inotify_event *event = (const struct inotify_event *)(void *)at;
      at += sizeof *event + event->len;
      is_any = is_any || event->len == 0 || is_ours(confinement, event->name);
    }
  return is_any;
}

void folder_watch_clear(struct folder_watch *watch) {
  for (size_t i = 0; i < watch->count; i++) inotify_rm_watch(watch->fd, watch->watches[i]);
  watch->count = 0;
}
