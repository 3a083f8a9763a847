/* SPDX-License-Identifier: MIT */
/* What is in a slot: "c1 + A1" becomes "A1+C1", and so do "AC 1" and, with all
 * ranks, "S1". */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "model/world.h"
#include "schedule/collective.h"
#include "tutor/question.h"

enum { LABEL_NAMES = 64, LABEL_NAME = 32 };

static int
by_rank_and_text(const void *a, const void *b)
{
    const char *x = a, *y = b;
    size_t letters_x = strcspn(x, "0123456789");
    size_t letters_y = strcspn(y, "0123456789");

    if (letters_x != letters_y) /* Z comes before AA */
        return letters_x < letters_y ? -1 : 1;
    return strcmp(x, y);
}

/* Adds a label's one form; "efgh 3" is E3+F3+G3+H3, if these are ranks in their
 * order.  Returns false if the text is not a sum of names. */
static bool
write_label(const struct question *q, const char *text, struct buf *out)
{
    char names[LABEL_NAMES][LABEL_NAME], name[LABEL_NAME];
    char letter[LABEL_RANK_MAX];
    size_t count = 0, used, letters, ranks;

    if (text[strspn(text, " ")] == '\0')
        return true;
    do {
        used = ranks = 0;
        for (; *text != '\0' && *text != '+'; text++) {
            if (*text == ' ')
                continue;
            if (used + 1 >= sizeof name ||
                (!isalnum((unsigned char)*text) && *text != '*'))
                return false;
            name[used++] = (char)toupper((unsigned char)*text);
        }
        name[used] = '\0';
        letters = strspn(name, "ABCDEFGHIJKLMNOPQRTUVWXYZ");
        for (int rank = 0; rank < q->nranks && rank < LABEL_LETTERS; rank++)
            ranks += label_rank(rank, letter)[0] == name[ranks];
        if (letters < 2 || ranks != letters)
            letters = 0; /* it is one name */
        if (used == 0 || count + letters >= LABEL_NAMES)
            return false;
        if (letters == 0)
            memcpy(names[count++], name, sizeof name);
        for (size_t i = 0; i < letters; i++)
            snprintf(names[count++], sizeof name, "%c%s", name[i],
                     name + letters);
    } while (*text++ == '+');
    if (count == 1 && q->nranks > 0 && names[0][0] == 'S' &&
        names[0][1] != '\0' &&
        names[0][1 + strspn(names[0] + 1, "0123456789")] == '\0') {
        /* a complete sum, as no rank is called S */
        for (int rank = 0; rank < q->nranks; rank++)
            buf_addf(out, "%s%s%s", rank > 0 ? "+" : "",
                     label_rank(rank, letter), names[0] + 1);
        return true;
    }
    qsort(names, count, sizeof *names, by_rank_and_text);
    for (size_t i = 0; i < count; i++)
        buf_addf(out, "%s%s", i > 0 ? "+" : "", names[i]);
    return true;
}

static json_t *
label_form(const struct question *q, const json_t *v, struct err *err)
{
    const char *text = json_string_value(v);
    OWN(buf) form = {0};

    if (text != NULL && write_label(q, text, &form))
        return json_string(buf_text(&form));
    err_set(err, _("'%s': what is in a slot is written like A1 or A1+C1; - is "
                   "nothing"), text != NULL ? text : "");
    return NULL;
}

/* The answer is shown as the script writes it. */
static json_t *
label_meant(const struct question *q, const json_t *said)
{
    return question_fits(q, said) ? json_deep_copy(said) : NULL;
}

/* Whether a run of so many ranks could hold that: names of its ranks' data,
 * each with a chunk. */
static bool
may_be_held(const struct question *q, const char *form)
{
    char letters[LABEL_RANK_MAX];

    for (; *form != '\0'; form += *form == '+') {
        size_t length = strspn(form, "0123456789");
        bool known = q->nranks == 0;
        if (form[length] == '*')
            form += length + 1; /* it arrived so often */
        length = strspn(form, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        for (int rank = 0; rank < q->nranks && !known; rank++) {
            label_rank(rank, letters);
            known = strlen(letters) == length &&
                    strncmp(letters, form, length) == 0;
        }
        form += length;
        length = strspn(form, "0123456789");
        form += length;
        if (!known || length == 0 || (*form != '+' && *form != '\0'))
            return false;
    }
    return true;
}

/* A "-" is an empty slot. */
static json_t *
label_parse(const struct question *q, const char *typed, struct err *err)
{
    bool empty = typed[0] == '-' &&
                 typed[1 + strspn(typed + 1, " ")] == '\0';
    json_auto_t *text = json_string(empty ? "" : typed);
    json_t *form = label_form(q, text, err);

    if (form == NULL || may_be_held(q, json_string_value(form)))
        return form;
    json_decref(form);
    err_set(err, _("'%s': no slot can hold that; it is written like A1 or "
                   "A1+C1; - is nothing"), typed);
    return NULL;
}

static void
label_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_puts(out, json_string_length(v) > 0 ? json_string_value(v)
                                            : _("nothing"));
}

struct place {
    int step, rank, slot;
};

/* Looks for data in the slot that is asked about, or else in others: first in
 * those of its rank, then in all.  Returns false if no slot ever holds it. */
static bool
find_data(const struct world *w, const struct question *q, const json_t *given,
          struct place *p)
{
    struct region out = schedule_outputs(w->schedule);
    OWN(buf) text = {0};

    for (int pass = 0; pass < 3; pass++)
        for (p->step = 0; p->step <= w->nsteps; p->step++)
            for (p->rank = 0; p->rank < w->schedule->nranks; p->rank++)
                for (p->slot = 0; p->slot < out.count; p->slot++) {
                    json_auto_t *here = NULL;
                    if ((pass < 2 && p->rank != q->rank) ||
                        (pass < 1 && p->slot != q->slot))
                        continue;
                    buf_clear(&text);
                    outlook_name(w->outlook, p->step, p->rank,
                                 out.first + p->slot, &text);
                    here = json_string(buf_text(&text));
                    if (question_is_right(q, given, here))
                        return true;
                }
    return false;
}

/* Says where the run has the data. */
static void
label_reason(const struct question *q, const struct slip *s, struct buf *out)
{
    const struct world *w = s->world;
    struct place p;

    if (w == NULL || w->outlook == NULL)
        return;
    if (!find_data(w, q, s->given, &p))
        buf_puts(out, json_string_length(s->given) == 0
                          ? _("No slot is ever empty in this run.")
                          : _("No slot of this run ever holds that."));
    else if (p.step == s->now && p.rank == q->rank && p.slot == q->slot)
        buf_puts(out, _("That is what it holds now."));
    else if (p.step == 0)
        buf_addf(out, _("Slot %1$d of GPU %2$d holds that at the start."),
                 p.slot, p.rank);
    else
        buf_addf(out, _("Slot %1$d of GPU %2$d holds that after step %3$d."),
                 p.slot, p.rank, p.step);
}

const struct question_kind kind_label = {
    .name = "label", .votes = true,
    .hint = N_("what is in the slot: A1+C1; - for nothing"),
    .samples = "[\"Z9\", \"Y8\"]",
    .form = label_form, .meant = label_meant, .parse = label_parse,
    .text = label_text, .reason = label_reason,
};
