/* SPDX-License-Identifier: MIT */
/*
** gcbench.c -- the benchmark of Ellis, Kovac and Boehm, for two collectors
**
** A tree and an array live from beginning to end.  Trees of many sizes are
** built and dropped beside them, from the root downwards (with stores into old
** objects) and from the leaves upwards (without).  At the beginning one large
** tree is built and dropped, which makes the heap grow.
**
** The same source is compiled for this project's collector and, with
** MUTATOR_BOEHM, for Boehm's.
**
**   gcbench [mode [stretch [long_lived [array [shortest [longest]]]]]]
*/
#if defined(MUTATOR_BOEHM)
#include "mutator_boehm.h"
#else
#include "mutator_penumbra.h"
#endif

#include <stdbool.h>
#include <stdlib.h>

/* The sizes of the original benchmark. */
typedef struct Sizes {
  int stretch;           /* depth of the tree that makes the heap grow */
  int long_lived;        /* depth of the long-lived tree */
  int array;             /* elements of the long-lived array */
  int shortest, longest; /* depths of the short-lived trees */
} Sizes;

static const Sizes classic = {18, 16, 500000, 4, 16};

static int tree_size(int depth) { return (1 << (depth + 1)) - 1; }

/* Fills the tree below a node that is reachable. */
static void tree_populate(int depth, Node *node) {
  if (depth <= 0) return;
  mutator_store(node, &node->left, mutator_new_node(NULL, NULL));
  mutator_store(node, &node->right, mutator_new_node(NULL, NULL));
  mutator_poll();
  tree_populate(depth - 1, node->left);
  tree_populate(depth - 1, node->right);
}

/* Builds a tree from its leaves.  The result is not a root yet. */
static Node *tree_make(int depth) {
  Node *node;
  if (depth <= 0) {
    node = mutator_new_node(NULL, NULL);
  } else {
    Node *left = tree_make(depth - 1);
    mutator_push(left);
    Node *right = tree_make(depth - 1);
    mutator_push(right);
    node = mutator_new_node(left, right);
    mutator_pop(2);
  }
  mutator_push(node);
  mutator_poll();
  mutator_pop(1);
  return node;
}

/* Builds and drops trees of one depth, with the same total of nodes for
** each. */
static void trees_come_and_go(const Sizes *sizes, int depth) {
  int rounds = 2 * tree_size(sizes->stretch) / tree_size(depth);
  for (int i = 0; i < rounds; i++) {
    Node *root = mutator_new_node(NULL, NULL);
    mutator_push(root);
    tree_populate(depth, root);
    mutator_pop(1);
  }
  for (int i = 0; i < rounds; i++) tree_make(depth);
}

static Array *array_make(int count) {
  Array *array = mutator_new_array((size_t)count);
  mutator_push(array);
  for (int i = 0; i < count / 2; i++) array->value[i] = 1.0 / (i + 1);
  return array;
}

/* The number of nodes that exist. */
static int tree_count(const Node *node) {
  if (!node) return 0;
  return 1 + tree_count(node->left) + tree_count(node->right);
}

/* Runs the benchmark.  True if the long-lived data survived intact. */
static bool benchmark_run(const Sizes *sizes) {
  tree_make(sizes->stretch);
  Node *tree = mutator_new_node(NULL, NULL);
  mutator_push(tree);
  tree_populate(sizes->long_lived, tree);
  Array *array = array_make(sizes->array);
  for (int depth = sizes->shortest; depth <= sizes->longest; depth += 2)
    trees_come_and_go(sizes, depth);
  return tree_count(tree) == tree_size(sizes->long_lived) &&
         array->value[1000] == 1.0 / 1001;
}

static bool mode_exists(const char *mode) {
  for (int i = 0; mutator_modes[i]; i++)
    if (strcmp(mode, mutator_modes[i]) == 0) return true;
  return false;
}

static int argument(int argc, char **argv, int index, int otherwise) {
  return argc > index ? atoi(argv[index]) : otherwise;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : mutator_modes[0];
  if (!mode_exists(mode)) {
    fprintf(stderr, "gcbench: there is no mode '%s'\n", mode);
    return 2;
  }
  Sizes sizes = {.stretch = argument(argc, argv, 2, classic.stretch),
                 .long_lived = argument(argc, argv, 3, classic.long_lived),
                 .array = argument(argc, argv, 4, classic.array),
                 .shortest = argument(argc, argv, 5, classic.shortest),
                 .longest = argument(argc, argv, 6, classic.longest)};
  mutator_open(mode);
  bool right = benchmark_run(&sizes);
  double seconds = (double)clock_process() / 1e9;
  printf("mode=%s cpu_s=%.3f peak_rss_mb=%.1f ", mode, seconds,
         (double)clock_peak_kilobytes() / 1024);
  if (MEASURE_STOPS)
    printf("longest_stop_us=%.1f stops_over_200us=%llu ",
           (double)mutator.stops.longest / 1e3,
           (unsigned long long)mutator.stops.over_200us);
  mutator_report();
  printf("\n");
  mutator_close();
  return right ? 0 : 1;
}
