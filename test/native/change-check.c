// change-check FOLDER BEFORE NAME…: settings on stdin, those before in the file BEFORE; says whether native/git-change.c lets
// the change pass, or which setting it names.

#include "../../native/git-change.c"
#include "../../native/git-inert.c"
#include "../../native/git-address.c"
#include <stdio.h>

int main(int argc, char **argv) {
  static char before[1 << 16], after[1 << 16], names[4096], which[256];
  size_t length = 0;
  FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
  if (file == NULL) return 2;
  struct settings_text old = {before, fread(before, 1, sizeof before, file)};
  struct settings_text new = {after, fread(after, 1, sizeof after, stdin)};
  fclose(file);
  for (int i = 3; i < argc; i++) length += (size_t)snprintf(names + length, sizeof names - length, "/%s", argv[i]) + 1;
  struct setting_names list = {names, names + length};
  puts(is_inert_change(&old, &new, argv[1], &list, which, sizeof which) ? "passes" : which);
  return 0;
}
