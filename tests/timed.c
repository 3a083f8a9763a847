/* SPDX-License-Identifier: MIT */
/* Timed runs on threads: every algorithm, and sizes that take several slices.
 * Out of place the result of the last of several calls is judged, so this also
 * shows that no algorithm depends on what was in its output or spoils its
 * input. */
#include "timed.h"

static void
test_algorithms(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        int failed = 0;
        for (int n = 1; n <= 9; n++)
            failed += count_untimed(&backend_threads, i, n);
        is_int(failed, 0, "%s-%s, 1 to 9 ranks", a->name, a->collective);
    }
}

static void
test_large(void)
{
    OWNS(schedule) *s = build("ring-allreduce",
                              &(struct coll_options){.nranks = 3});
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, 1 << 20, NULL},
        .timing = {.calls = 3}};
    struct run_native ignored;
    struct err err = {.text = ""};

    ok(time_on(&backend_threads, s, &o, &ignored, &err),
       "4 MiB, in slices, without a warm-up%s", err.text);
}

int
main(void)
{
    test_algorithms();
    test_large();
    return done_testing();
}
