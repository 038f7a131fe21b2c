// Access to folders that a command may have closed, or replaced by links.

#ifndef HARDSHELL_REACH_H
#define HARDSHELL_REACH_H

#include <stddef.h>
#include <sys/types.h>

#define MAX_OPENED 64

struct opened {
  int fd;
  mode_t mode;
};

struct reach {
  /** The folder, O_PATH; if there is a link on the way, the folder of that link. */
  int fd;
  /** Where the name of that link ends in the path. */
  size_t link_end;
  struct opened opened[MAX_OPENED];
  size_t count;
};

/** The folder at an absolute path, or -1 with errno: ELOOP for a link, EACCES for a folder of another user. Always end it. */
int reach_folder(const char *path, struct reach *reach);
/** A descriptor of the same folder for listing, or -1 with errno. */
int reach_list(struct reach *reach);
/** Opens a folder of ours for ourselves until the end; 0 if that does not help. */
int reach_open_up(struct reach *reach, int fd);
void reach_end(struct reach *reach);

#endif
