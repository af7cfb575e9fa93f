/* SPDX-License-Identifier: MIT */
/*
** worklist.c -- the lists of the collector, compared with an array
*/
#include "gc_test.h"

enum { WORDS_MAX = 20000 };

/* The words of the model, oldest first, beginning at `first`. */
typedef struct Model {
  uintptr_t word[WORDS_MAX];
  size_t first;
  size_t end;
} Model;

static Model model;

static void compare(const Worklist *list) {
  size_t count = model.end - model.first;
  assert_int_equal(worklist_count(list), count);
  assert_true(worklist_is_empty(list) == (count == 0));
  WorkPlace place = worklist_begin(list);
  for (size_t i = model.first; i < model.end; i++) {
    uintptr_t *word = worklist_next(list, &place);
    assert_non_null(word);
    assert_int_equal(*word, model.word[i]);
  }
  assert_null(worklist_next(list, &place));
  place = worklist_end(list);
  for (size_t i = model.end; i-- > model.first;) {
    uintptr_t *word = worklist_back(list, &place);
    assert_non_null(word);
    assert_int_equal(*word, model.word[i]);
  }
  assert_null(worklist_back(list, &place));
}

static void push(Gc *gc, Worklist *list, size_t count) {
  for (; count > 0 && model.end < WORDS_MAX; count--) {
    model.word[model.end] = model.end * 7 + 1;
    assert_true(worklist_push(gc, list, model.word[model.end++]));
  }
}

static void pop(Gc *gc, Worklist *list, size_t count) {
  for (; count > 0 && model.end > model.first; count--)
    assert_int_equal(worklist_pop(gc, list), model.word[--model.end]);
}

static void shift(Gc *gc, Worklist *list, size_t count) {
  for (; count > 0 && model.end > model.first; count--)
    assert_int_equal(worklist_shift(gc, list), model.word[model.first++]);
}

/* Keeps the first `kept` words of the list.  The place is found from either
** end. */
static void truncate_to(Gc *gc, Worklist *list, size_t kept, bool back) {
  WorkPlace place = back ? worklist_end(list) : worklist_begin(list);
  for (size_t i = 0; !back && i < kept; i++)
    assert_non_null(worklist_next(list, &place));
  for (size_t i = model.end - model.first; back && i > kept; i--)
    assert_non_null(worklist_back(list, &place));
  worklist_truncate(gc, list, place, kept);
  model.end = model.first + kept;
}

static void test_ends(void **state) {
  Toy *toy = *state;
  Worklist list = {0};
  memset(&model, 0, sizeof model);
  compare(&list);
  push(&toy->gc, &list, 1500);
  compare(&list);
  pop(&toy->gc, &list, 600);
  shift(&toy->gc, &list, 700);
  compare(&list);
  pop(&toy->gc, &list, 200);
  compare(&list);
  push(&toy->gc, &list, 10);
  shift(&toy->gc, &list, 10);
  compare(&list);
  worklist_free(&toy->gc, &list);
}

/* Truncates before, at and behind the ends of segments. */
static void truncate_everywhere(Toy *toy, bool back) {
  for (size_t skipped = 0; skipped < 3; skipped++)
    for (size_t kept = 0; kept <= 3 * SEGMENT_WORDS; kept++) {
      size_t near = kept % SEGMENT_WORDS;
      size_t shifted = skipped * (SEGMENT_WORDS / 2);
      if (near > 3 && near < SEGMENT_WORDS - 3) continue;
      if (kept + shifted > 3 * SEGMENT_WORDS) continue;
      Worklist list = {0};
      memset(&model, 0, sizeof model);
      push(&toy->gc, &list, 3 * SEGMENT_WORDS + 20);
      shift(&toy->gc, &list, shifted);
      truncate_to(&toy->gc, &list, kept, back);
      compare(&list);
      push(&toy->gc, &list, 5);
      compare(&list);
      pop(&toy->gc, &list, SIZE_MAX);
      compare(&list);
      worklist_free(&toy->gc, &list);
    }
}

static void test_truncate(void **state) {
  truncate_everywhere(*state, false);
  truncate_everywhere(*state, true);
}

static void test_random_operations(void **state) {
  Toy *toy = *state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    TestRandom random = {seed};
    Worklist list = {0};
    memset(&model, 0, sizeof model);
    while (model.end < WORDS_MAX) {
      size_t count = random_below(&random, 700);
      switch (random_below(&random, 8)) {
        case 0: pop(&toy->gc, &list, count); break;
        case 1: shift(&toy->gc, &list, count); break;
        case 2:
          if (model.end > model.first && random_chance(&random, 30))
            truncate_to(&toy->gc, &list,
                        random_below(&random, model.end - model.first + 1),
                        random_chance(&random, 50));
          break;
        case 3: compare(&list); break;
        default: push(&toy->gc, &list, count);
      }
    }
    compare(&list);
    worklist_free(&toy->gc, &list);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      GC_TEST(test_ends),
      GC_TEST(test_truncate),
      GC_TEST(test_random_operations),
  };
  return cmocka_run_group_tests_name("worklists", tests, NULL, NULL);
}
