/* SPDX-License-Identifier: MIT */
/*
** advice.c -- what the figures of a run suggest
**
** Each rule looks at a few figures.  If they stand out, it writes a sentence
** with the figures, and what to do about them.
*/
#include "observe/report.h"

/* True if it has written an item. */
typedef bool AdviceRule(const Report *report, Page *page);

static double advice_milliseconds(uint64_t nanoseconds) {
  return (double)nanoseconds / 1e6;
}

static double advice_percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

static bool advise_collections(const Report *report, Page *page) {
  const GcHistogram *h = &report->record->pauses;
  if (h->longest_collection < 5000000) return false;
  page_put(page,
           "<li><b>Whole collections stop the program.</b> There were %llu, "
           "and the longest took %.1f ms. Remove calls of "
           "<code>collectgarbage()</code>, or call <code>gc.step</code> where "
           "the program has time.\n",
           (unsigned long long)h->collections,
           advice_milliseconds(h->longest_collection));
  return true;
}

static bool advise_emergencies(const Report *report, Page *page) {
  if (report->record->emergencies == 0) return false;
  page_put(page,
           "<li><b>Memory ran out %llu times.</b> Each time everything was "
           "collected at once. Raise the limit of memory, or keep less.\n",
           (unsigned long long)report->record->emergencies);
  return true;
}

static bool advise_late(const Report *report, Page *page) {
  const RecordCycle *sum = &report->record->sum;
  unsigned cycles = sum->majors + sum->minors;
  if (cycles < 3 || sum->late * 10 < cycles) return false;
  page_put(page,
           "<li><b>Cycles end above the goal:</b> %u of %u. The program "
           "allocates faster than the collector works. Raise the step "
           "multiplier, or give it time with <code>gc.step</code>, or "
           "allocate less.\n",
           sum->late, cycles);
  return true;
}

static bool advise_share(const Report *report, Page *page) {
  double share = report_share(report);
  if (share < 0.2) return false;
  page_put(page,
           "<li><b>The program waited %.0f %% of the time for the "
           "collector.</b> A higher pause, such as "
           "<code>collectgarbage(\"incremental\", 300)</code>, makes cycles "
           "rarer and the heap larger. Or allocate less: see the lines that "
           "allocate most.\n",
           100 * share);
  return true;
}

static bool advise_finalizers(const Report *report, Page *page) {
  double all = (double)record_length(report->record);
  double part = advice_percent((double)report->finalizer_nanoseconds, all);
  if (part < 5) return false;
  page_put(page,
           "<li><b>Finalizers took %.0f %% of the time:</b> %llu calls of "
           "<code>__gc</code>, %.1f \xC2\xB5s each. Close objects when they "
           "are no longer needed, with <code>&lt;close&gt;</code> or by hand, "
           "and make <code>__gc</code> short.\n",
           part, (unsigned long long)report->finalizers_called,
           report->finalizers_called > 0
               ? (double)report->finalizer_nanoseconds / 1e3 /
                     (double)report->finalizers_called
               : 0.0);
  return true;
}

static bool advise_waiting(const Report *report, Page *page) {
  if (report->finalizers_due < 1000) return false;
  page_put(page,
           "<li><b>%zu dead objects wait for their finalizers.</b> More die "
           "than are finalized. See <code>gc.finalizers</code> and "
           "<code>gc.finalize</code>.\n",
           report->finalizers_due);
  return true;
}

/* The mean of what major cycles found live, from one group to another. */
static double mean_live(const Record *r, size_t from, size_t to) {
  double sum = 0, count = 0;
  for (size_t i = from; i < to; i++) {
    sum += (double)r->cycle[i].major_live;
    count += r->cycle[i].majors;
  }
  return count > 0 ? sum / count : 0;
}

static bool advise_growth(const Report *report, Page *page) {
  const Record *r = report->record;
  char a[PAGE_NUMBER], b[PAGE_NUMBER];
  size_t third = r->cycle_count / 3;
  if (r->sum.majors < 6 || third < 1) return false;
  double first = mean_live(r, 0, third),
         second = mean_live(r, third, 2 * third);
  double last = mean_live(r, 2 * third, r->cycle_count);
  if (first <= 0 || second < first * 1.15 || last < second * 1.15) return false;
  page_put(page,
           "<li><b>The live heap keeps growing:</b> from %s in the first third "
           "of the cycles to %s in the last.",
           page_bytes(a, first), page_bytes(b, last));
  if (report->growing.count > 0) {
    page_put(page, " It grows most at <code>");
    page_text(page, report->growing.row[0].name);
    page_put(page, "</code>.");
  }
  page_put(page, " If that is not a structure being built, it is a leak.\n");
  return true;
}

static bool advise_line(const Report *report, Page *page) {
  const ReportTable *t = &report->lines;
  if (t->count == 0 || t->sum < 1048576) return false;
  double part = advice_percent((double)t->row[0].bytes, (double)t->sum);
  if (part < 30) return false;
  page_put(page, "<li><b>One line allocates %.0f %% of all bytes:</b> <code>",
           part);
  page_text(page, t->row[0].name);
  page_put(page, "</code>. Reusing objects pays off most there.\n");
  return true;
}

static bool advise_survivors(const Report *report, Page *page) {
  const RecordCycle *sum = &report->record->sum;
  if (sum->majors + sum->minors < 5 || report_share(report) < 0.05)
    return false;
  double part = advice_percent((double)sum->live, (double)sum->before);
  if (part > 100) part = 100; /* what is made during a cycle survives it, too */
  if (part >= 85)
    page_put(page,
             "<li><b>%.0f %% of the heap survives a cycle.</b> Cycles cost "
             "much and free little. A higher pause makes them rarer.\n",
             part);
  else if (part < 20 && !report->generational)
    page_put(page,
             "<li><b>Only %.0f %% survives a cycle.</b> Objects die young. "
             "The generational mode may be cheaper: "
             "<code>collectgarbage(\"generational\")</code>.\n",
             part);
  else
    return false;
  return true;
}

static bool advise_large(const Report *report, Page *page) {
  const Record *r = report->record;
  double seconds = (double)record_length(r) / 1e9;
  if (r->large < 100 || (double)r->large < 50 * seconds) return false;
  page_put(page,
           "<li><b>%llu objects of 64 KB or more were made.</b> To fill them "
           "takes time that no collector can spread. Make them once and reuse "
           "them, or make them smaller.\n",
           (unsigned long long)r->large);
  return true;
}

static bool advise_pauses(const Report *report, Page *page) {
  uint64_t longest = report->record->pauses.longest_nanoseconds;
  if (longest < 1000000) return false;
  page_put(page,
           "<li><b>The longest step took %.1f ms.</b> A step begins nothing "
           "new after 40 \xC2\xB5s, so this was one large piece of work: most "
           "often memory that is not in the caches, or a call to the system. "
           "The trace (<code>--trace</code>) shows its phase.\n",
           advice_milliseconds(longest));
  return true;
}

void advice_write(const Report *report, Page *page) {
  static AdviceRule *const rules[] = {
      advise_emergencies, advise_collections, advise_growth,    advise_late,
      advise_share,       advise_finalizers,  advise_waiting,   advise_pauses,
      advise_large,       advise_line,        advise_survivors,
  };
  const Record *r = report->record;
  char text[PAGE_NUMBER];
  bool any = false;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    any |= rules[i](report, page);
  if (any) return;
  page_put(page,
           "<li>Nothing stands out. The longest step took %s, and the program "
           "waited %.1f %% of the time.\n",
           page_time(text, (double)r->pauses.longest_nanoseconds),
           100 * report_share(report));
}
