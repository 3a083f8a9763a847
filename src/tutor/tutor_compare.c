/* SPDX-License-Identifier: MIT */
/* The verb `compare`: several algorithms on the same input, as a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "tutor/tutor.h"

enum { COMPARED_MOST = 6 };

struct compared {
    char name[2 * SCHEDULE_NAME_MAX];
    int steps;
    int64_t sent, received; /* bytes, of the busiest rank */
    int64_t bytes; /* size of a rank's input */
};

static int64_t
most_received(const struct world *w)
{
    int64_t *bytes = mem_new((size_t)w->schedule->nranks, sizeof *bytes);
    int64_t most = 0;

    for (int step = 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++) {
            const struct event *e = &w->steps[step].events[i];
            bytes[e->dst] += e->bytes;
            if (bytes[e->dst] > most)
                most = bytes[e->dst];
        }
    free(bytes);
    return most;
}

/* Runs an algorithm to its end and measures it. The learner waits meanwhile. */
static bool
watch_one(struct tutor *t, const char *command, struct compared *c,
          struct err *err)
{
    struct job *job = tutor_make_job(t, command, err);
    struct session *s;
    bool ok;

    if (job == NULL)
        return false;
    s = &job->session;
    ok = session_grant(s, s->world->nsteps, err);
    while (ok && !s->world->has_end)
        ok = tutor_await(s, err);
    if (ok && !s->world->result.correct)
        ok = err_set(err, "%s: the result is wrong", command);
    if (ok) {
        snprintf(c->name, sizeof c->name, "%s-%s", job->schedule->algorithm,
                 job->schedule->collective->name);
        for (int k = 1; k <= job->schedule->nsteps; k++)
            c->steps += !schedule_step_is_local(job->schedule, k);
        for (int rank = 0; rank < job->schedule->nranks; rank++)
            if (s->world->result.bytes_sent[rank] > c->sent)
                c->sent = s->world->result.bytes_sent[rank];
        c->received = most_received(s->world);
        c->bytes = job->run.input.count *
                   (int64_t)dtype_size(job->run.input.type);
    }
    t->bytes -= job_bytes(job);
    job_free(job);
    return ok;
}

/* Adds a text at the left or the right of a column. */
static void
add_cell(struct buf *out, const char *text, int columns, bool right)
{
    int blanks = columns - utf8_columns(text);

    if (!right)
        buf_puts(out, text);
    while (blanks-- > 0)
        buf_putc(out, ' ');
    if (right)
        buf_puts(out, text);
}

static void
add_bytes(struct buf *out, int64_t bytes, int columns)
{
    struct buf text = {0};

    buf_addf(&text, "%lld B", (long long)bytes);
    add_cell(out, buf_text(&text), columns, true);
    buf_done(&text);
}

/* Adds rows of equal length, with a newline between them. */
static void
add_table(const struct compared *list, int count, struct buf *out)
{
    enum { NAME = 34, STEPS = 8, BYTES = 15 };
    struct buf head = {0};
    char steps[16];

    buf_addf(&head, _("S = %lld B; the busiest GPU:"),
             (long long)list[0].bytes);
    add_cell(out, buf_text(&head), NAME, false);
    buf_done(&head);
    add_cell(out, _("steps"), STEPS, true);
    add_cell(out, _("sent"), BYTES, true);
    add_cell(out, _("received"), BYTES, true);
    for (int i = 0; i < count; i++) {
        buf_putc(out, '\n');
        add_cell(out, list[i].name, NAME, false);
        snprintf(steps, sizeof steps, "%d", list[i].steps);
        add_cell(out, steps, STEPS, true);
        add_bytes(out, list[i].sent, BYTES);
        add_bytes(out, list[i].received, BYTES);
    }
}

static json_t *
told_of_all(const struct compared *list, int count)
{
    json_t *all = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(
            all, json_pack("{ss si sI sI}", "name", list[i].name, "steps",
                           list[i].steps, "sent", (json_int_t)list[i].sent,
                           "received", (json_int_t)list[i].received));
    return all;
}

/* Each word that is not an option, followed by all the options. */
static int
split_command(const char *command, char *names[COMPARED_MOST],
              struct buf *options, struct err *err)
{
    char *copy = mem_string(command), *rest = NULL, *word;
    bool value = false;
    int count = 0;

    for (word = strtok_r(copy, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        bool option = word[0] == '-';
        if (option || value) {
            buf_addf(options, " %s", word);
        } else if (count == COMPARED_MOST) {
            err_set(err, "compare takes at most %d algorithms",
                    COMPARED_MOST);
            count++;
            break;
        } else {
            names[count++] = mem_string(word);
        }
        value = option && strchr(word, '=') == NULL;
    }
    free(copy);
    return count;
}

static enum tutor_did
compare_all(struct tutor *t, char *const names[], int count,
            const char *options, json_t **reply, struct err *err)
{
    struct compared list[COMPARED_MOST] = {{.steps = 0}};
    struct buf command = {0}, table = {0};
    bool ok = true;

    for (int i = 0; ok && i < count; i++) {
        buf_clear(&command);
        buf_addf(&command, "%s%s", names[i], options);
        ok = watch_one(t, buf_text(&command), &list[i], err);
    }
    if (ok) {
        add_table(list, count, &table);
        free(t->table);
        t->table = mem_string(buf_text(&table));
        t->tables++;
        t->changed = true;
        *reply = told_of_all(list, count);
    }
    buf_done(&command);
    buf_done(&table);
    return ok ? DID_REPLY : DID_REFUSE;
}

enum tutor_did
tutor_compare(struct tutor *t, const struct request *r, json_t **reply,
              struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    char *names[COMPARED_MOST] = {NULL};
    struct buf options = {0};
    enum tutor_did did = DID_REFUSE;
    int count = command != NULL ? split_command(command, names, &options, err)
                                : 0;

    if (count < 2)
        err_set(err, "compare needs algorithms: compare \"naive-allreduce "
                "ring-allreduce --gpus 4\"");
    else if (strstr(buf_text(&options), "--delay") != NULL)
        err_set(err, "compare takes no --delay: nobody would see who waits");
    else if (count <= COMPARED_MOST)
        did = compare_all(t, names, count, buf_text(&options), reply, err);
    for (int i = 0; i < COMPARED_MOST; i++)
        free(names[i]);
    buf_done(&options);
    return did;
}
