// Ways into folders that a command may have closed, or exchanged for links.

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
  /** The folder, O_PATH; when a link is on the way, the folder of that link. */
  int fd;
  /** Where the name of that link ends in the path. */
  size_t link_end;
  struct opened opened[MAX_OPENED];
  size_t count;
};

/** The folder at an absolute path, or -1 with errno: ELOOP for a link, EACCES for a folder of somebody else. End it always. */
int reach_folder(const char *path, struct reach *reach);
/** A descriptor of the same folder for its names, or -1 with errno. */
int reach_list(struct reach *reach);
/** Opens a folder of ours for ourselves until the end; 0 when that does not help. */
int reach_open_up(struct reach *reach, int fd);
void reach_end(struct reach *reach);

#endif
