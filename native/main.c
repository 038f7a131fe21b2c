// hardshell-keeper: started by the host with a stream socket as descriptor 3. See frame.h for what goes over it.

#define _GNU_SOURCE
#include "keeper.h"
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// hardshell-keeper [LANES]
int main(int argc, char **argv) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(HOST_FD, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM) {
    static const char message[] = "hardshell keeper: this program is started by hardshell, not by hand\n";
    return write(2, message, strlen(message)) < 0 ? 70 : 64;
  }
  char *end = NULL;
  long lanes = argc > 1 ? strtol(argv[1], &end, 10) : 0;
  if (argc > 2 || (end != NULL && *end != 0) || lanes < 0 || lanes > MAX_LANES) return 64;
  close_from((unsigned)(LANE_FD + lanes));
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) die("subreaper");
  return keep((int)lanes);
}
