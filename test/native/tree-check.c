// tree-check: children are killed by their PIDs, and no other process, even if the list of them is truncated.
// Built with room for few of them.

#define MAX_PROCESSES 5
#include "../../native/tree.c"
#include "../../native/process.c"
#include <sys/prctl.h>

#define CHILDREN 40

static pid_t fork_sleeper(void) {
  pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

static void check(int is_so, const char *what) {
  if (is_so) return;
  puts(what);
  exit(1);
}

int main(void) {
  int ends[2];
  siginfo_t info;
  pid_t grandchild = 0, child = fork_sleeper();
  check(kill_child(getppid()) == 0, "the parent is no child");
  check(kill(getppid(), 0) == 0, "the parent lives");
  check(pipe(ends) == 0, "a pipe");
  pid_t between = fork();
  if (between == 0) {
    grandchild = fork_sleeper();
    check(write(ends[1], &grandchild, sizeof grandchild) == (ssize_t)sizeof grandchild, "its number");
    for (;;) pause();
  }
  check(read(ends[0], &grandchild, sizeof grandchild) == (ssize_t)sizeof grandchild, "the number of a grandchild");
  check(kill_child(grandchild) == 0 && kill(grandchild, 0) == 0, "a grandchild is no child");
  check(kill_child(child) == 1, "a child is one");
  check(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0, "it has ended");
  check(kill_child(child) == 0, "a dead one is not killed again");
  check(waitpid(child, NULL, 0) == child, "it is waited for");
  check(kill_child(child) == 0, "nor is a number that nobody has");
  for (int i = 0; i < CHILDREN; i++) fork_sleeper();
  check(tree_kill_children(NULL, MAX_PROCESSES * 8) == 0, "few are left alone");
  int left = CHILDREN + 1;
  for (int round = 0; round < 1000 && left > 0; round++) {
    tree_kill_children(NULL, 0);
    usleep(1000);
    while (waitpid(-1, NULL, WNOHANG) > 0) left--;
  }
  check(left == 0, "all are gone");
  puts("fine");
  return 0;
}
