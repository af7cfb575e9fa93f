/* SPDX-License-Identifier: MIT */
/*
** replay.c -- runs a target without a fuzzer, on the files of a corpus
**
**     fuzz_TARGET file...
**     fuzz_TARGET --seeds FIRST COUNT    inputs of eight bytes, the seeds
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

/* An input of the bytes of a number.  Targets that use the input as choices
** continue with random ones. */
static void replay_seed(uint64_t seed) {
  uint8_t data[8];
  for (int i = 0; i < 8; i++) data[i] = (uint8_t)(seed >> (8 * i));
  LLVMFuzzerTestOneInput(data, sizeof data);
}

static int replay_seeds(char **numbers) {
  uint64_t first = strtoull(numbers[0], NULL, 10);
  uint64_t count = strtoull(numbers[1], NULL, 10);
  for (uint64_t i = 0; i < count; i++) replay_seed(first + i);
  fprintf(stderr, "%llu seeds\n", (unsigned long long)count);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--seeds") == 0)
    return replay_seeds(argv + 2);
  for (int i = 1; i < argc; i++) replay(argv[i]);
  printf("%d inputs\n", argc - 1);
  return 0;
}
