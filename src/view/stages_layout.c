/* SPDX-License-Identifier: MIT */
#include "view/stages_layout.h"

#include "base/utf8.h"

enum {
    AIR_MOST = 12,   /* columns added to a gap if there is room */
    HEAD_LEAST = 9,  /* of a column with its gap: "16 apart" fits */
    ROWS_APART = 3,  /* blank rows between ranks if there is room */
    LEFT_EDGE = 4,   /* "... ", where columns are left out */
    RIGHT_EDGE = 7   /* "... +12" */
};

/* Ways to draw what a rank holds, best first, and the least space. */
static const struct trial {
    enum block_form form;
    bool tight; /* a complete sum is drawn with two colours in a column */
    int pad, between, air;
} trials[] = {
    {BLOCK_WHOLE, false, 1, 1, 6},   {BLOCK_WHOLE, false, 0, 1, 4},
    {BLOCK_LETTERS, false, 0, 0, 4}, {BLOCK_SHORT, false, 0, 1, 2},
    {BLOCK_PAIR, false, 0, 1, 2},    {BLOCK_LETTERS, false, 0, 0, 0},
    {BLOCK_PAIR, false, 0, 1, 0},    {BLOCK_LETTERS, true, 0, 0, 0},
    {BLOCK_PAIR, false, 0, 0, 0},    {BLOCK_CELL, false, 0, 0, 0},
};

/* What is known before the columns are placed. */
struct plan {
    struct stages *g;
    const struct trial *trial;
    int rungs[STAGES_STEPS_MOST + 1]; /* columns of rungs, by step */
    int room;                         /* for columns */
};

const struct stages_column *
stages_column(const struct stages *g, int step)
{
    return &g->columns[step - g->first];
}

bool
stages_shows(const struct stages *g, int step)
{
    return step > g->first && step <= g->last;
}

int
stages_row(const struct stages *g, int rank)
{
    return g->y + rank * g->pitch + (g->rows - 1) / 2;
}

int
stages_slots_a_row(const struct stages *g, int step)
{
    int slots = g->outlook->most[step].slots;

    return slots > 0 ? (slots + g->rows - 1) / g->rows : 1;
}

int
stages_slot_width(const struct stages *g, int step)
{
    const struct schedule *s = g->schedule;
    int parts = g->outlook->most[step].parts;

    switch (g->form) {
    case BLOCK_WHOLE:
        return parts * ((block_columns_whole(s, g->pad) - 1) / s->nranks) + 1;
    case BLOCK_SHORT:
        return block_columns_short(s);
    case BLOCK_PAIR:
        return block_columns_pair(s);
    case BLOCK_LETTERS:
        return parts > 0 ? parts : 1;
    default:
        return 1;
    }
}

static int
bar_width(const struct plan *p, int step)
{
    const struct stages *g = p->g;
    int slot = stages_slot_width(g, step);
    int count = stages_slots_a_row(g, step);

    if (p->trial->tight && slot == g->schedule->nranks)
        slot = 2 + (slot + 1) / 2; /* S0, then the colours */
    return count * (slot + g->between) - g->between;
}

/* The least width of a gap: a line on either side of the rungs, and the mark of
 * what changed. */
static int
gap_width(const struct plan *p, int step)
{
    int least = HEAD_LEAST - bar_width(p, step);
    int width = p->rungs[step] + 3 + p->trial->air;

    return width > least ? width : least;
}

static int
columns_width(const struct plan *p, int first, int last)
{
    int width = bar_width(p, first);

    for (int step = first + 1; step <= last && width <= p->room; step++)
        width += gap_width(p, step) + bar_width(p, step);
    return width;
}

/* Whether any `count` columns in a row fit. */
static bool
fits(const struct plan *p, int count)
{
    int all = p->g->schedule->nsteps + 1;
    int edges = count < all ? LEFT_EDGE + RIGHT_EDGE : 0;

    if (count > all)
        return false;
    for (int first = 0; first + count <= all; first++)
        if (columns_width(p, first, first + count - 1) + edges > p->room)
            return false;
    return true;
}

/* Letters are enough where nobody needs more than one slot at a time. */
static bool
applies(const struct plan *p, const struct trial *t)
{
    const struct stages *g = p->g;
    bool single = g->schedule->nchunks == 1;

    for (int step = 0; step <= g->schedule->nsteps; step++)
        single = single && g->outlook->most[step].slots <= 1;
    return t->form == BLOCK_WHOLE || single == (t->form == BLOCK_LETTERS);
}

/* Tries to show `count` columns at a time. */
static bool
try_columns(struct plan *p, int count, int rows_most)
{
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        if (!applies(p, &trials[i]))
            continue;
        p->trial = &trials[i];
        p->g->form = trials[i].form;
        p->g->pad = trials[i].pad;
        p->g->between = trials[i].between;
        for (p->g->rows = 1; p->g->rows <= rows_most; p->g->rows++)
            if (fits(p, count))
                return true;
    }
    return false;
}

static bool
choose_form(struct plan *p, int rows_most)
{
    static const int enough[] = {6, 4, 3};

    if (try_columns(p, p->g->schedule->nsteps + 1, rows_most))
        return true;
    for (size_t i = 0; i < sizeof enough / sizeof enough[0]; i++)
        if (try_columns(p, enough[i], rows_most))
            return true;
    return false;
}

/* Shows the step at hand and the one after it, and as many before them as there
 * is room for; then those that follow. */
static void
choose_columns(const struct plan *p, int now)
{
    struct stages *g = p->g;
    int end = g->schedule->nsteps;
    struct plan inner = *p;

    g->first = 0;
    g->last = end;
    if (columns_width(p, 0, end) <= p->room && end < STAGES_COLUMNS_MOST)
        return;
    inner.room -= LEFT_EDGE + RIGHT_EDGE;
    g->last = now < end ? now + 1 : end;
    while (g->last - g->first >= STAGES_COLUMNS_MOST ||
           columns_width(&inner, g->first, g->last) > inner.room)
        g->first++;
    while (g->last < end && g->last - g->first + 1 < STAGES_COLUMNS_MOST &&
           columns_width(&inner, g->first, g->last + 1) <= inner.room)
        g->last++;
}

static void
place_columns(struct plan *p, struct rect area)
{
    struct stages *g = p->g;
    int width = columns_width(p, g->first, g->last);
    int gaps = g->last - g->first, all = gaps == g->schedule->nsteps;
    int spare = p->room - width - (all ? 0 : LEFT_EDGE + RIGHT_EDGE);
    int air = gaps > 0 ? spare / gaps : 0, x;

    if (air > AIR_MOST)
        air = AIR_MOST;
    x = area.x + area.width - p->room + (all ? 0 : LEFT_EDGE) +
        (spare - gaps * air) / 2;
    g->label_x = all ? area.x + (spare - gaps * air) / 2 : area.x;
    for (int step = g->first; step <= g->last; step++) {
        struct stages_column *c = &g->columns[step - g->first];
        int gap = step > g->first ? gap_width(p, step) + air : 0;
        c->gap_x = x;
        c->rung_x = x + (gap - 1 - p->rungs[step]) / 2;
        c->x = x + gap;
        c->width = bar_width(p, step);
        x = c->x + c->width;
    }
}

static void
place_rows(struct stages *g, struct rect area)
{
    int n = g->schedule->nranks, spare;

    g->pitch = (area.height - 1) / n;
    if (g->pitch > g->rows + ROWS_APART)
        g->pitch = g->rows + ROWS_APART;
    spare = area.height - 1 - ((n - 1) * g->pitch + g->rows);
    g->heads_y = area.y + (spare > 1 ? 1 + (spare - 2) / 2 : 0);
    g->phases_y = spare > 1 ? g->heads_y - 1 : -1;
    g->y = g->heads_y + 1 + (spare > 3);
}

bool
stages_arrange(struct stages *g, const struct scene *s, struct rect area)
{
    const struct world *w = s->world;
    int n = w->schedule->nranks, pitch = (area.height - 1) / n;
    struct plan p = {.g = g};
    char name[SCENE_NAME_MAX];
    struct rungs rungs;

    if (w->outlook == NULL || n < 2 || w->nsteps < 1 || pitch < 1 ||
        w->nsteps > STAGES_STEPS_MOST)
        return false;
    *g = (struct stages){.schedule = w->schedule, .outlook = w->outlook};
    for (int step = 1; step <= w->nsteps; step++) {
        rungs_of(w->schedule, step, &rungs);
        p.rungs[step] = rungs.columns;
    }
    p.room = area.width - utf8_columns(scene_rank_name(n - 1, name)) - 2;
    if (!choose_form(&p, pitch > 2 ? pitch - 1 : 1))
        return false;
    choose_columns(&p, scene_step(s));
    place_columns(&p, area);
    place_rows(g, area);
    return true;
}
