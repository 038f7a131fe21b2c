// index-check index SIZE | path MODE | config: stdin; says what native/git-index.c says about it.

#include "../../native/git-index.c"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  size_t room = 64u << 20, size;
  // Of exactly this size, so that every read behind the end is found.
  char *bytes = malloc(room), *exact;
  if (bytes == NULL || argc < 2) return 2;
  size = fread(bytes, 1, room, stdin);
  if ((exact = malloc(size + 1)) == NULL) return 2;
  memcpy(exact, bytes, size);
  exact[size] = 0;
  free(bytes);
  if (strcmp(argv[1], "path") == 0) puts(is_safe_git_path(exact, (uint32_t)strtoul(argv[2], NULL, 8)) ? "safe" : "unsafe");
  else if (strcmp(argv[1], "config") == 0) printf("%zu\n", find_hash_size(exact, size));
  else {
    char *fitting = malloc(size == 0 ? 1 : size);
    if (fitting == NULL) return 2;
    memcpy(fitting, exact, size);
    puts(is_safe_index((const uint8_t *)fitting, size, strtoul(argv[2], NULL, 10)) ? "safe" : "unsafe");
    free(fitting);
  }
  free(exact);
  return 0;
}
