// hardshell-keeper: started by the host with a stream socket as descriptor 3. See frame.h for the protocol.

#define _GNU_SOURCE
#include "file-limit.h"
#include "keeper.h"
#include "room.h"
#include "stage.h"
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int read_count(const char *text) {
  char *end = NULL;
  long count = strtol(text, &end, 10);
  return *text != 0 && *end == 0 && count >= 0 && count <= MAX_LANES ? (int)count : -1;
}

// hardshell-keeper stage VERB STAGE [--force]; see stage-verbs.c. Otherwise:
// hardshell-keeper [LANES [WAITING [CHANNEL]]]: sockets after the host's own, shells that may wait for a command, and
// whether a Node channel for messages with descriptors follows the sockets (1).
int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "stage") == 0) return stage_main(argc - 2, argv + 2);
  file_limit_begin();
  int type = 0;
  socklen_t size = sizeof type;
  // See room-list.c.
  if (argc == 2 && strcmp(argv[1], "room") == 0) room_serve();
  if (getsockopt(HOST_FD, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM) {
    static const char message[] = "hardshell keeper: this program is started by hardshell, not by hand\n";
    return write(2, message, strlen(message)) < 0 ? 70 : 64;
  }
  int lanes = argc > 1 ? read_count(argv[1]) : 0, holders = argc > 2 ? read_count(argv[2]) : 0;
  int has_channel = argc > 3 ? read_count(argv[3]) : 0;
  if (argc > 4 || lanes < 0 || holders < 0 || has_channel < 0 || has_channel > 1) return 64;
  // The file that we were loaded from has no meaningful name.
  prctl(PR_SET_NAME, "hs-keeper");
  int behind = LANE_FD + lanes;
  close_from((unsigned)(behind + has_channel));
  // Out of the way of the descriptors counted from LANE_FD.
  if (has_channel && behind != CHANNEL_FD && (dup2(behind, CHANNEL_FD) < 0 || close(behind) < 0)) die("the channel");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) die("subreaper");
  return keep(lanes, holders, has_channel);
}
