/* SPDX-License-Identifier: MIT */
/* collviz check ALGORITHM: proves a schedule and counts its steps and bytes. */
#include "app/command.h"
#include "base/buf.h"
#include "base/print.h"
#include "base/translate.h"
#include "schedule/check.h"
#include "text/text.h"

static void
print_bytes(const char *what, int64_t elements, size_t size, int64_t count)
{
    print("  %s %s", what, text_of_bytes(elements * (int64_t)size).text);
    if (count > 0)
        print(_(" = %.4g S"), (double)elements / (double)count);
    print("\n");
}

/* A file may be right only with less data than it allows; most: bytes. */
static void
print_verdict(const char *name, int nranks, int64_t most)
{
    unsigned long n = (unsigned long)nranks;

    if (most == INT64_MAX)
        print(ngettext("%s on %d rank: proved\n", "%s on %d ranks: proved\n",
                       n), name, nranks);
    else
        print(ngettext("%s on %d rank: proved up to %lld bytes\n",
                       "%s on %d ranks: proved up to %lld bytes\n", n),
              name, nranks, (long long)most);
}

static void
print_proof(const struct algorithm *a, const struct schedule *s,
            const struct check_counts *counts, const struct options *o)
{
    int64_t count = build_count(o, s->nranks);
    size_t size = dtype_size(o->type);

    print(_("  %s, every contribution exactly once\n"),
          _(s->collective->what));
    if (a != NULL)
        print(_("  steps: %d (%s)\n"), counts->steps, a->steps_formula);
    else
        print(_("  steps: %d\n"), counts->steps);
    print_bytes(_("sent by the busiest rank:"), counts->most_sent, size,
                count);
    print_bytes(_("received by the busiest rank:"), counts->most_received, size,
                count);
    print_bytes(_("over the busiest link:"), counts->busiest_link, size,
                count);
    print_bytes(_("over all links:"), counts->total, size, count);
    if (s->collective->reduces) {
        print_bytes(_("reduced by the busiest rank:"), counts->most_reduced,
                    size, count);
        print_bytes(_("reduced by all ranks:"), counts->reduced, size, count);
    }
    print(_("  peers of a rank in one step: at most %d\n"), counts->ports);
}

/* For a file: with how much data do its thread blocks end? */
static void
print_links(const struct msccl_notes *notes)
{
    const char *proto = notes->protocol;
    int depth = notes->depth;

    if (notes->most_bytes == INT64_MAX)
        print(_("  no deadlock with any amount of data on %s's links, which "
                "hold %d messages\n"), proto, depth);
    else if (notes->is_bounded)
        print(_("  no deadlock up to its maxBytes on %s's links, which hold %d "
                "messages\n"), proto, depth);
    else
        print(_("  no deadlock up to %lld bytes on %s's links, which hold %d "
                "messages\n"
                "  with more it deadlocks, and the file has no maxBytes: %s\n"),
              (long long)notes->most_bytes, proto, depth, notes->beyond.text);
}

/* Returns NULL after printing the reason, with the exit status in *status. */
static struct schedule *
find(const char *name, const struct options *o, const struct algorithm **a,
     struct msccl_notes *notes, int *status)
{
    struct schedule *s;
    struct err err;

    *a = NULL;
    if (!build_is_file(name))
        return command_schedule(name, o, a, status);
    s = build_import(name, o, notes, status, &err);
    if (s == NULL)
        command_fail(*status, &err);
    return s;
}

/* A file that may also run out of place is checked so, too. */
static bool
right_out_of_place(const char *name, const struct options *in_place,
                   struct err *err)
{
    struct options o = *in_place;
    struct msccl_notes notes;
    struct schedule *s;
    int ignored;
    bool ok;

    o.out_of_place = true;
    s = build_import(name, &o, &notes, &ignored, err);
    ok = s != NULL &&
         schedule_check(s, build_count(&o, s->nranks), NULL, err);
    if (s != NULL && !ok)
        err_prefix(err, "%s is wrong", name);
    schedule_free(s);
    return ok || err_prefix(err, "out of place");
}

int
cmd_check(const struct options *o)
{
    const struct algorithm *a;
    struct buf name = {0};
    struct schedule *s;
    struct check_counts counts;
    const char *operand;
    struct msccl_notes notes = {0};
    struct err err;
    int status;

    if (!command_operand(o, "check", "ALGORITHM", &operand))
        return EXIT_USAGE;
    if ((s = find(operand, o, &a, &notes, &status)) == NULL)
        return status;
    status = EXIT_RIGHT;
    build_name(operand, a, &name);
    if (!schedule_check(s, build_count(o, s->nranks), &counts, &err)) {
        err_prefix(&err, "%s is wrong", buf_text(&name));
        status = command_fail(EXIT_WRONG, &err);
    } else if (notes.both_ways && s->in_place &&
               !right_out_of_place(operand, o, &err)) {
        status = command_fail(EXIT_WRONG, &err);
    } else {
        print_verdict(buf_text(&name), s->nranks,
                      a != NULL || notes.is_bounded ? INT64_MAX
                                                    : notes.most_bytes);
        print_proof(a, s, &counts, o);
        if (notes.both_ways && s->in_place)
            print(_("  in place and out of place\n"));
        if (a == NULL)
            print_links(&notes);
    }
    buf_done(&name);
    schedule_free(s);
    return command_finish(status);
}
