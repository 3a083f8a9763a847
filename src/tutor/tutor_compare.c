/* SPDX-License-Identifier: MIT */
/* The verb `compare`: several algorithms on the same input, as a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/text.h"
#include "text/word.h"
#include "tutor/tutor.h"

enum { COMPARED_MOST = 6 };

struct compared {
    char name[2 * SCHEDULE_NAME_MAX];
    int steps;
    int64_t sent, received; /* bytes, of the busiest rank */
    int64_t bytes; /* size of a rank's input */
    int64_t ns;    /* on the network; unknown if there is none */
};

/* The rows of a table. */
struct table {
    struct compared list[COMPARED_MOST];
    int count;
    char *label; /* "modelled: 8 GPUs on ethernet": what the times are; NULL:
                  * there are none */
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

/* Only a network's times are shown: those of this machine would compare two
 * algorithms as its few cores run them, not as GPUs do. */
static void
note_network(struct table *table, const struct world *w)
{
    struct buf label = {0};

    text_network(w, &label);
    if (label.length > 0 && table->label == NULL)
        table->label = mem_string(buf_text(&label));
    buf_done(&label);
}

/* Runs an algorithm to its end and measures it. The learner waits meanwhile. */
static bool
watch_one(struct tutor *t, const char *command, struct table *table,
          struct err *err)
{
    struct compared *c = &table->list[table->count];
    struct job *job = tutor_finish_job(
        t, "compare", tutor_build_job(t, command, err), err);
    struct session *s;
    bool ok = true;

    if (job == NULL)
        return false;
    s = &job->session;
    if (!s->world->result.correct)
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
        c->ns = s->world->result.wall_ns;
        note_network(table, s->world);
        table->count++;
    }
    tutor_drop_job(t, job);
    return ok;
}

static void
add_bytes(struct buf *out, int64_t bytes, int columns)
{
    struct buf text = {0};

    buf_addf(&text, "%lld B", (long long)bytes);
    utf8_pad(out, buf_text(&text), columns);
    buf_done(&text);
}

/* Adds rows of equal length, with a newline between them.  Times take the place
 * of blanks between the columns. */
static void
add_table(const struct table *t, struct buf *out)
{
    const struct compared *list = t->list;
    bool timed = t->label != NULL;
    int name = timed ? 32 : 34, steps = timed ? 7 : 8, bytes = timed ? 11 : 15;
    int ns = timed ? 11 : 0;
    struct buf head = {0};
    char text[16];

    buf_addf(&head, _("S = %lld B; the busiest GPU:"),
             (long long)list[0].bytes);
    utf8_pad(out, buf_text(&head), -name);
    buf_done(&head);
    utf8_pad(out, _("steps"), steps);
    utf8_pad(out, _("sent"), bytes);
    utf8_pad(out, _("received"), bytes);
    utf8_pad(out, timed ? _("modelled") : "", ns);
    for (int i = 0; i < t->count; i++) {
        buf_putc(out, '\n');
        utf8_pad(out, list[i].name, -name);
        snprintf(text, sizeof text, "%d", list[i].steps);
        utf8_pad(out, text, steps);
        add_bytes(out, list[i].sent, bytes);
        add_bytes(out, list[i].received, bytes);
        if (timed)
            utf8_pad(out, word_ns(list[i].ns, false).text, ns);
    }
    if (timed) {
        buf_putc(out, '\n');
        utf8_pad(out, t->label, -(name + steps + 2 * bytes + ns));
    }
}

static json_t *
told_of_all(const struct table *t)
{
    json_t *all = json_array();

    for (int i = 0; i < t->count; i++) {
        const struct compared *c = &t->list[i];
        json_t *one = json_pack("{ss si sI sI}", "name", c->name, "steps",
                                c->steps, "sent", (json_int_t)c->sent,
                                "received", (json_int_t)c->received);
        if (t->label != NULL)
            json_object_set_new(one, "time", json_real((double)c->ns / 1e3));
        json_array_append_new(all, one);
    }
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
    struct table all = {.count = 0};
    struct buf command = {0}, table = {0};
    bool ok = true;

    for (int i = 0; ok && i < count; i++) {
        buf_clear(&command);
        buf_addf(&command, "%s%s", names[i], options);
        ok = watch_one(t, buf_text(&command), &all, err);
    }
    if (ok) {
        add_table(&all, &table);
        tutor_put_table(t, &table, NULL);
        *reply = told_of_all(&all);
    }
    free(all.label);
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
    else if (count <= COMPARED_MOST)
        did = compare_all(t, names, count, buf_text(&options), reply, err);
    for (int i = 0; i < COMPARED_MOST; i++)
        free(names[i]);
    buf_done(&options);
    return did;
}
