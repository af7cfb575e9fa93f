/* SPDX-License-Identifier: MIT */
/*
** replay.c -- runs a target without a fuzzer, on the files of a corpus
**
**     fuzz_TARGET file...
*/
#include "fuzz.h"

static void replay(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  CHECK(fseek(file, 0, SEEK_END) == 0);
  long size = ftell(file);
  CHECK(size >= 0);
  rewind(file);
  /* Exactly as long as the input, so that a sanitizer sees reads beyond it. */
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  CHECK(fread(data, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) replay(argv[i]);
  printf("%d inputs\n", argc - 1);
  return 0;
}
