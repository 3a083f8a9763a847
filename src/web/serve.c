/* SPDX-License-Identifier: MIT */
#include "web/serve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "play/parse.h"
#include "term/svg.h"
#include "web/http.h"
#include "web/secret.h"

struct serve {
    struct http *http;
    struct http_place place;
    bool announced;

    /* Under the lock. */
    pthread_mutex_t lock;
    struct canvas latest;
    char *page, *notes; /* JSON */
    unsigned pages, noted; /* how often they have changed */
    struct question asked; /* the last question, without its texts */
    unsigned question; /* its number */
    bool is_open;
    struct vote {
        char voter[SECRET_LETTERS];
        unsigned place; /* the voter's */
        char answer[SERVE_ANSWER];
    } votes[SERVE_VOTES_MOST]; /* the last one of each voter */
    int voters, nclass; /* those who have voted, and those who may */

    /* Of the thread of http.c alone. */
    struct canvas now, next;
    struct row {
        struct buf svg;
        unsigned changed; /* the frame in which it changed last */
    } *rows; /* of `now` */
    struct buf picture; /* without rows */
    unsigned frame, sized; /* the last one; the last one of another size */
};

struct serve *
serve_open(const char *where, struct err *err)
{
    struct serve *s = mem_new(1, sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    s->page = mem_string("null");
    s->notes = mem_string("null");
    s->pages = 1;
    /* A phone may have a question of another collviz at the same address. */
    if (getrandom(&s->question, sizeof s->question, 0) < 0)
        die("getrandom failed");
    s->question >>= 2; /* it never overflows */
    s->http = http_open(where, s, &s->place, err);
    if (s->http != NULL)
        return s;
    serve_close(s);
    return NULL;
}

void
serve_close(struct serve *s)
{
    if (s == NULL)
        return;
    http_close(s->http);
    for (int y = 0; y < s->now.rows; y++)
        buf_done(&s->rows[y].svg);
    free(s->rows);
    buf_done(&s->picture);
    canvas_done(&s->now);
    canvas_done(&s->next);
    canvas_done(&s->latest);
    pthread_mutex_destroy(&s->lock);
    free(s->page);
    free(s->notes);
    free(s);
}

/* What the screen says. */

bool
serve_announce(struct serve *s, bool once, struct buf *out)
{
    if (once && s->announced)
        return false;
    s->announced |= once;
    buf_addf(out, _("Browsers follow at %s"), s->place.address);
    if (s->place.code[0] != '\0')
        buf_addf(out, _(", with the code %s"), s->place.code);
    return true;
}

const char *
serve_notes_address(const struct serve *s)
{
    return s->place.notes;
}

void
serve_add_status(struct serve *s, struct buf *out)
{
    pthread_mutex_lock(&s->lock);
    buf_puts(out, s->place.code);
    buf_puts(out, s->place.code[0] != '\0' ? "  " : "");
    if (s->is_open)
        buf_addf(out, _("%1$d of %2$d answered"), s->voters,
                 most(s->nclass, s->voters));
    else
        buf_addf(out, ngettext("%d follows", "%d follow",
                               (unsigned long)s->nclass), s->nclass);
    pthread_mutex_unlock(&s->lock);
}

int
serve_fd(const struct serve *s)
{
    return s->place.news_fd;
}

/* What followers are shown. */

static bool
has_same_cells(const struct cell *a, const struct cell *b, int count)
{
    int i = 0;

    while (i < count && cell_same(&a[i], &b[i]))
        i++;
    return i == count;
}

static bool
has_same_size(const struct canvas *a, const struct canvas *b)
{
    return a->columns == b->columns && a->rows == b->rows;
}

static void
copy_cells(struct canvas *to, const struct canvas *from)
{
    size_t count = (size_t)from->columns * (size_t)from->rows;

    if (!has_same_size(to, from))
        canvas_resize(to, from->columns, from->rows);
    if (count > 0)
        memcpy(to->cells, from->cells, count * sizeof *to->cells);
}

void
serve_show(struct serve *s, const struct canvas *c)
{
    if (has_same_size(c, &s->latest) &&
        has_same_cells(c->cells, s->latest.cells, c->columns * c->rows))
        return;
    pthread_mutex_lock(&s->lock);
    copy_cells(&s->latest, c);
    pthread_mutex_unlock(&s->lock);
    http_wake(s->http);
}

/* Replaces a text by what it takes over, as JSON. */
static void
replace_json(struct serve *s, char **text, json_t *all, unsigned *changes)
{
    char *old = *text, *by = json_dumps(all, JSON_COMPACT | JSON_ENCODE_ANY);

    json_decref(all);
    if (by == NULL || strcmp(old, by) == 0) {
        free(by);
        return;
    }
    pthread_mutex_lock(&s->lock);
    *text = by;
    ++*changes;
    pthread_mutex_unlock(&s->lock);
    http_wake(s->http);
    free(old);
}

/* Opens a question, or closes the last one, whose votes stay.  Returns whether
 * votes are taken; those for an order or a wiring are not. */
static bool
open_question(struct serve *s, const struct question *q)
{
    pthread_mutex_lock(&s->lock);
    s->is_open = q != NULL && question_kind(q)->votes;
    s->voters = q != NULL ? 0 : s->voters;
    s->question += s->is_open;
    s->asked = s->is_open ? *q : s->asked;
    pthread_mutex_unlock(&s->lock);
    return s->is_open;
}

void
serve_page(struct serve *s, const struct serve_page *page)
{
    const struct question *q = page != NULL ? page->question : NULL;
    json_t *asked = json_null(), *all = json_null(), *items = json_array();

    q = open_question(s, q) ? q : NULL;
    for (int i = 0; q != NULL && i < q->nitems; i++)
        json_array_append_new(items,
                              json_string(question_item(q, q->shown[i])));
    if (q != NULL)
        asked = json_pack("{si ss sO si}", "id", (int)s->question,
                          "kind", question_kind(q)->name, "items", items,
                          "ranks", q->nranks);
    if (page != NULL)
        all = json_pack("{ss ss so so*}", "title", page->title, "text",
                        page->text, "question", asked, "poll", page->poll);
    replace_json(s, &s->page, all, &s->pages);
    json_decref(items);
}

void
serve_notes(struct serve *s, json_t *notes)
{
    replace_json(s, &s->notes, notes, &s->noted);
}

/* Removes line breaks, which separate fields of an event. */
static void
join_lines(struct buf *b)
{
    for (size_t i = 0; i < b->length; i++)
        if (b->data[i] == '\n')
            b->data[i] = ' ';
}

/* Begins a picture of another size, all of whose rows are to come. */
static void
resize_picture(struct serve *s)
{
    struct rect whole = {0, 0, s->next.columns, s->next.rows};

    for (int y = 0; y < s->now.rows; y++)
        buf_done(&s->rows[y].svg);
    free(s->rows);
    s->rows = mem_new((size_t)whole.height, sizeof *s->rows);
    s->sized = s->frame + 1;
    canvas_resize(&s->now, whole.width, whole.height);
    buf_clear(&s->picture);
    svg_add_fragment(&s->now, whole, "", _("picture"), "", &s->picture);
    join_lines(&s->picture);
}

void
serve_refresh(struct serve *s)
{
    struct canvas before;
    bool resized, changed = false;

    pthread_mutex_lock(&s->lock);
    copy_cells(&s->next, &s->latest);
    pthread_mutex_unlock(&s->lock);
    resized = !has_same_size(&s->next, &s->now);
    if (resized)
        resize_picture(s);
    for (int y = 0; y < s->next.rows; y++) {
        struct row *row = &s->rows[y];
        if (!resized &&
            has_same_cells(canvas_at(&s->now, 0, y), canvas_at(&s->next, 0, y),
                           s->next.columns))
            continue;
        buf_clear(&row->svg);
        svg_add_row(&s->next, y, &row->svg);
        join_lines(&row->svg);
        row->changed = s->frame + 1;
        changed = true;
    }
    s->frame += changed;
    before = s->now;
    s->now = s->next;
    s->next = before;
}

static void
add_stream_event(struct buf *out, const char *name, const char *data)
{
    buf_addf(out, "event: %s\ndata: %s\n\n", name, data);
}

void
serve_add_events(struct serve *s, struct serve_follower *f, struct buf *out)
{
    bool rows = false;

    buf_puts(out, f->page == 0 ? "retry: 2000\n\n" : "");
    if (f->frame < s->sized)
        add_stream_event(out, "picture", buf_text(&s->picture));
    for (int y = 0; y < s->now.rows; y++) {
        if (s->rows[y].changed <= f->frame)
            continue;
        buf_addf(out, "%sdata: %d %s\n", rows ? "" : "event: rows\n", y,
                 buf_text(&s->rows[y].svg));
        rows = true;
    }
    buf_puts(out, rows ? "\n" : "");
    f->frame = s->frame;
    pthread_mutex_lock(&s->lock);
    if (f->page != s->pages)
        add_stream_event(out, "page", s->page);
    if (f->speaker && f->note != s->noted)
        add_stream_event(out, "notes", s->notes);
    f->page = s->pages;
    f->note = s->noted;
    pthread_mutex_unlock(&s->lock);
}

void
serve_count(struct serve *s, int by)
{
    pthread_mutex_lock(&s->lock);
    s->nclass += by;
    pthread_mutex_unlock(&s->lock);
}

/* What they answer. */

/* Reads what a browser says: a choice by its place, from 1. */
static bool
read_answer(const struct question *q, const char *typed, struct buf *answer,
            struct err *err)
{
    bool chosen = question_kind(q)->chooses;
    json_auto_t *value = NULL;
    int n = 0;

    if (strlen(typed) >= SERVE_ANSWER)
        return err_set(err, "%s", _("This answer is too long."));
    if (chosen && !parse_int(_("answer"), typed, 1, q->nitems, &n, err))
        return false;
    value = chosen ? json_integer(n) : question_parse(q, typed, err);
    if (value == NULL)
        return false;
    if (chosen)
        buf_addf(answer, "%c)", 'a' + n - 1);
    else
        question_answer_text(q, value, answer);
    return answer->length < SERVE_ANSWER ||
           err_set(err, "this answer is too long");
}

static enum serve_vote_end
keep_vote(struct serve *s, const char *question,
          const struct serve_voter *voter, const char *typed, struct buf *text)
{
    struct vote *vote = s->votes, *end = &s->votes[s->voters];
    struct err err;
    char number[16];
    int here = 0;

    snprintf(number, sizeof number, "%u", s->question);
    if (!s->is_open || strcmp(question, number) != 0)
        return VOTE_CLOSED;
    for (; vote < end && memcmp(vote->voter, voter->id, SECRET_LETTERS) != 0;
         vote++)
        here += vote->place == voter->place;
    if (vote == end && (s->voters == SERVE_VOTES_MOST || here >= voter->most))
        err_set(&err, "%s", _("There are too many votes."));
    else if (read_answer(&s->asked, typed, text, &err)) {
        memcpy(vote->voter, voter->id, SECRET_LETTERS);
        memcpy(vote->answer, buf_text(text), text->length + 1);
        vote->place = voter->place;
        s->voters += vote == end;
        return VOTE_KEPT;
    }
    buf_clear(text);
    buf_puts(text, err.text);
    return VOTE_REFUSED;
}

enum serve_vote_end
serve_take_vote(struct serve *s, const char *question,
                const struct serve_voter *voter, const char *typed,
                struct buf *text)
{
    enum serve_vote_end end;

    pthread_mutex_lock(&s->lock);
    end = keep_vote(s, question, voter, typed, text);
    pthread_mutex_unlock(&s->lock);
    return end;
}

static int
compare_counts(const void *one, const void *other)
{
    const struct serve_vote *a = one, *b = other;

    return b->count != a->count ? b->count - a->count
                                : strcmp(a->answer, b->answer);
}

int
serve_votes(struct serve *s, struct serve_vote *votes, int most, int *voters)
{
    OWN_MEMORY struct serve_vote *all =
        mem_new(SERVE_VOTES_MOST + QUESTION_ITEMS, sizeof *all);
    bool chosen;
    int count = 0;

    pthread_mutex_lock(&s->lock);
    *voters = s->voters;
    chosen = question_kind(&s->asked)->chooses && s->voters > 0;
    for (; chosen && count < s->asked.nitems; count++)
        snprintf(all[count].answer, SERVE_ANSWER, "%c)", 'a' + count);
    for (int i = 0; i < s->voters; i++) {
        int k = 0;
        while (k < count && strcmp(all[k].answer, s->votes[i].answer) != 0)
            k++;
        memcpy(all[k].answer, s->votes[i].answer, SERVE_ANSWER);
        all[k].count++;
        count += k == count;
    }
    pthread_mutex_unlock(&s->lock);
    if (!chosen)
        qsort(all, (size_t)count, sizeof *all, compare_counts);
    count = count < most ? count : most;
    memcpy(votes, all, (size_t)count * sizeof *all);
    return count;
}
