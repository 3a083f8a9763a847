/* SPDX-License-Identifier: MIT */
/* The stopwatch: what it measures, it also judges. */
#include "run/stopwatch.h"

#include "play.h"
#include "tap.h"

int
main(void)
{
    const struct input in = {DTYPE_INT32, REDOP_SUM, 1000, NULL, 0};
    OWNS(schedule) *right = ring(2), *wrong = ring(2);
    struct timed all[] = {
        {.schedule = right, .input = in},
        {.schedule = wrong, .input = in},
        {.schedule = right, .input = in},
    };
    struct err err = {""};

    schedule_step(wrong, "once too often");
    reduce_chunk(wrong, 0, 1, 0);
    ok(stopwatch(all, 3, &err), "three schedules: %s", err.text);
    ok(all[0].right && all[2].right, "a right schedule is called right");
    ok(!all[1].right, "a wrong one between them is called wrong");
    for (int i = 0; i < 3; i++) {
        ok(all[i].ns > 0 && all[i].ns < 1e9, "schedule %d takes %.0f ns", i,
           all[i].ns);
        ok(all[i].low_ns > 0 && all[i].low_ns <= all[i].ns &&
               all[i].ns <= all[i].high_ns,
           "between %.0f and %.0f", all[i].low_ns, all[i].high_ns);
        ok(all[i].workers >= 1 && all[i].workers <= 2, "on %d threads",
           all[i].workers);
    }
    return done_testing();
}
