/* SPDX-License-Identifier: MIT */
/*
** metrics.c -- the API: penumbra.h, statistics in the text format of Prometheus
*/
#include <stdarg.h>
#include <stdio.h>

#include "api/api_impl.h"

/* The text so far.  Text that does not fit is only counted. */
typedef struct MetricsText {
  char *text;
  size_t capacity;
  size_t length;
} MetricsText;

static PRINTF_LIKE(2, 3) void metrics_print(MetricsText *out,
                                            const char *format, ...) {
  size_t at = size_min(out->length, out->capacity);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out->capacity > at ? out->text + at : NULL,
                         out->capacity - at, format, arguments);
  va_end(arguments);
  if (length > 0) out->length += (size_t)length;
}

static void metric(MetricsText *out, const char *name, const char *type,
                   const char *help, uint64_t value) {
  metrics_print(out, "# HELP penumbra_%s %s\n# TYPE penumbra_%s %s\n", name,
                help, name, type);
  metrics_print(out, "penumbra_%s %llu\n", name, (unsigned long long)value);
}

static void metrics_memory(MetricsText *out, const Gc *gc) {
  metric(out, "heap_bytes", "gauge", "Bytes in objects.", gc_count(gc));
  metric(out, "heap_live_bytes", "gauge",
         "Bytes that the last cycle found live.", gc->stats.live_bytes);
  metric(out, "heap_goal_bytes", "gauge",
         "Bytes at which the cycle should have ended.", gc_goal(gc));
  metric(out, "heap_footprint_bytes", "gauge", "Bytes held from the allocator.",
         heap_resident(&gc->heap));
  metric(out, "heap_limit_bytes", "gauge", "Limit of memory; 0 is none.",
         gc->heap.limit);
  metric(out, "external_bytes", "gauge", "Bytes held outside for objects.",
         gc->external_bytes);
  metric(out, "allocated_bytes_total", "counter",
         "Bytes allocated, less those freed at once.",
         gc->heap.allocation_clock);
}

static void metrics_work(MetricsText *out, const Gc *gc) {
  const GcStats *stats = &gc->stats;
  metrics_print(out, "# HELP penumbra_gc_cycles_total Cycles ended.\n"
                     "# TYPE penumbra_gc_cycles_total counter\n");
  metrics_print(out, "penumbra_gc_cycles_total{sort=\"major\"} %llu\n",
                (unsigned long long)(stats->cycles - stats->minor_cycles));
  metrics_print(out, "penumbra_gc_cycles_total{sort=\"minor\"} %llu\n",
                (unsigned long long)stats->minor_cycles);
  metric(out, "gc_steps_total", "counter", "Steps.", stats->steps);
  metric(out, "gc_work_units_total", "counter", "Units of work.", stats->work);
  metric(out, "gc_emergencies_total", "counter",
         "Collections because memory ran out.", stats->emergencies);
  metric(out, "finalizers_called_total", "counter", "Finalizers called.",
         stats->finalizers_taken);
  metric(out, "finalizers_waiting", "gauge",
         "Objects that wait for their finalizers.",
         worklist_count(&gc->to_finalize));
}

static double seconds(uint64_t nanoseconds) {
  return (double)nanoseconds / 1e9;
}

/* The bounds are powers of four, from about a microsecond (2^10 ns) to about a
** second (2^30 ns).  A bucket of the histogram begins at each of them. */
static void metrics_pauses(MetricsText *out, const GcHistogram *h) {
  uint64_t sum = 0, bound = 1024;
  metrics_print(out, "# HELP penumbra_gc_pause_seconds Steps by duration.\n"
                     "# TYPE penumbra_gc_pause_seconds histogram\n");
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS && bound <= 1u << 30; i++) {
    if (gc_bucket_begin(i) == bound) {
      metrics_print(out, "penumbra_gc_pause_seconds_bucket{le=\"%.9g\"} %llu\n",
                    seconds(bound), (unsigned long long)sum);
      bound *= 4;
    }
    sum += h->count[i];
  }
  metrics_print(out, "penumbra_gc_pause_seconds_bucket{le=\"+Inf\"} %llu\n",
                (unsigned long long)h->steps);
  metrics_print(out, "penumbra_gc_pause_seconds_sum %.9f\n",
                seconds(h->total_nanoseconds));
  metrics_print(out, "penumbra_gc_pause_seconds_count %llu\n",
                (unsigned long long)h->steps);
}

static void metrics_waits(MetricsText *out, const GcHistogram *h) {
  metric(out, "gc_collections_total", "counter",
         "Whole collections, asked for or because memory ran out.",
         h->collections);
  metrics_print(out,
                "# HELP penumbra_gc_longest_wait_seconds The longest time that "
                "the program waited, by cause.\n"
                "# TYPE penumbra_gc_longest_wait_seconds gauge\n");
  for (int i = 0; i < WAIT_COUNT; i++)
    metrics_print(out, "penumbra_gc_longest_wait_seconds{cause=\"%s\"} %.9f\n",
                  gc_wait_name((GcWait)i), seconds(h->longest_wait[i]));
}

LUA_API size_t penumbra_metrics(lua_State *L, char *text, size_t size) {
  const Gc *gc = gc_of(L);
  MetricsText out = {text, size, 0};
  if (size > 0) text[0] = '\0';
  metrics_memory(&out, gc);
  metrics_work(&out, gc);
  if (gc->histogram) metrics_pauses(&out, gc->histogram);
  if (gc->histogram) metrics_waits(&out, gc->histogram);
  return out.length;
}
