/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/block.h"
#include "draw/prose.h"
#include "schedule/pattern.h"
#include "text/text.h"
#include "text/word.h"
#include "text/words.h"

enum {
    BETWEEN = 3, /* columns between two panes, with a line in the middle */
    /* The picture's size on a screen of PANES_COLUMNS x PANES_ROWS. */
    WIDTH_LEAST = PANES_COLUMNS - 2,
    HEIGHT_LEAST = PANES_ROWS - 11,
    LINKS_PART = 4, /* the bars take at most one of so many rows */
};

/* The fewest rows of which one shows the bytes sent. */
enum { TRAFFIC_ROWS = 18 };

bool
layout(int columns, int rows, bool lesson, struct layout *l)
{
    int air = rows >= LAYOUT_AIRY_ROWS;
    int end = rows - 1 - air; /* of the rows below the picture */
    int text = LAYOUT_PANEL_ROWS + 2 * air;

    *l = (struct layout){
        .margin = 1,
        .width = columns - 2,
        .title = 0,
        .progress = 1 + air,
        .keys = rows - 1,
        .traffic = rows >= TRAFFIC_ROWS ? end - 1 : -1,
        .words = columns >= LAYOUT_COLUMNS_FULL ? 2 : 3,
    };
    l->now = end - (l->traffic >= 0) - air - l->words;
    l->next = l->now + 1;
    l->picture = (struct rect){1, 2 + air + (rows >= LAYOUT_ROWS_FULL),
                               columns - 2, 0};
    l->picture.height = l->now - air - l->picture.y;
    if (!lesson)
        return columns >= LAYOUT_COLUMNS_LEAST && rows >= LAYOUT_ROWS_LEAST;
    l->panel = (struct rect){0, l->keys - 1 - text, columns, 1 + text};
    l->picture.y = l->progress + 1;
    l->picture.height = l->panel.y - l->picture.y;
    return columns >= LAYOUT_COLUMNS_FULL && rows >= LAYOUT_ROWS_FULL - 1;
}

/* Cuts the bars off a pane. Returns false if its view does not show links, or
 * there is no room for both. */
static bool
cut_links(struct panes *p, const struct scene *s, struct pane *pane)
{
    struct rect above = pane->area;
    int rows = traffic_draw_links(s, NULL, above);

    above.height -= rows;
    if (rows == 0 || pane->view->topologies == 0 ||
        rows > pane->area.height / LINKS_PART ||
        !view_suits(pane->view, s, above))
        return false;
    p->links = (struct rect){above.x, above.y + above.height, above.width,
                             rows};
    pane->area = above;
    return true;
}

/* There are two if the left view loses nothing, or no names but their letters,
 * and its companion fits. */
struct panes
frame_panes(const struct scene *s, struct rect picture)
{
    /* The left pane's part of the picture, in twentieths; the first that both
     * views fit is taken.  The inspector has all its columns in twelve. */
    static const int views[] = {12, 10, 8, 13}, inspector[] = {8, 10, 12, 13};
    const int *shares = s->inspect ? inspector : views;
    struct panes p = {.count = 1, .scene = *s, .picture = picture};
    struct pane *left = &p.panes[0], *right = &p.panes[1];
    bool room = !s->taught && s->beside != SCENE_ALONE &&
                picture.width >= WIDTH_LEAST && picture.height >= HEIGHT_LEAST;
    int loss = BLOCK_LETTERS;

    left->view = view_choose(s, picture);
    if (room && view_loss(left->view, s, picture) > loss)
        loss = view_loss(left->view, s, picture);
    for (size_t i = 0;
         room && p.count == 1 && i < sizeof views / sizeof views[0]; i++) {
        left->area = right->area = picture;
        left->area.width = (picture.width - BETWEEN) * shares[i] / 20;
        right->area.x += left->area.width + BETWEEN;
        right->area.y++; /* below its title */
        right->area.width -= left->area.width + BETWEEN;
        right->area.height--;
        if (view_loss(left->view, s, left->area) > loss)
            continue;
        right->view = s->inspect ? &view_slots
                                 : view_beside(left->view, s, right->area);
        p.count += right->view != NULL;
    }
    if (p.count == 1)
        *left = (struct pane){s->inspect ? &view_slots : left->view, picture};
    else if (!cut_links(&p, s, left))
        cut_links(&p, s, right);
    return p;
}

/* A view may draw outside its area by a column: the border comes last. */
static void
draw_panes(const struct scene *s, struct panes *kept, struct canvas *c,
           struct rect picture)
{
    struct panes own = {.count = 0};
    struct panes *p = kept != NULL ? kept : &own;
    const struct pane *right = &p->panes[1];
    const struct scene *of = &p->scene;

    /* Nothing that they depend on changes while a step is in flight, and
     * finding them takes longer than drawing them. */
    if (s->step == 0 || of->step != s->step || of->world != s->world ||
        of->view != s->view || of->beside != s->beside ||
        of->inspect != s->inspect || of->selected != s->selected ||
        of->slot != s->slot || of->trail != s->trail ||
        memcmp(&p->picture, &picture, sizeof picture) != 0)
        *p = frame_panes(s, picture);
    for (int i = 0; i < p->count; i++)
        view_draw(p->panes[i].view, s, c, p->panes[i].area);
    if (p->links.height > 0)
        traffic_draw_links(s, c, p->links);
    if (p->count < 2)
        return;
    for (int y = -1; y < right->area.height; y++)
        canvas_glyph(c, right->area.x - BETWEEN / 2 - 1, right->area.y + y,
                     GLYPH_VERTICAL, quiet);
    if (right->view->name != NULL)
        canvas_puts_within(c, right->area.x, right->area.y - 1,
                           right->area.width, _(right->view->name), quiet);
}

int
frame_next_view(const struct scene *s, int columns, int rows)
{
    struct layout l;

    return layout(columns, rows, s->taught, &l) && s->world->schedule != NULL
               ? view_next(s, l.picture) : s->view;
}

int
frame_next_beside(const struct scene *s, int columns, int rows)
{
    struct scene with = *s;
    const struct view *now, *next;
    struct layout l;
    struct panes p;
    bool after;

    if (!layout(columns, rows, s->taught, &l) || s->world->schedule == NULL)
        return s->beside;
    with.inspect = false;
    p = frame_panes(&with, l.picture);
    now = p.count > 1 ? p.panes[1].view : NULL;
    after = now == NULL;
    for (int i = 0; (next = view_at(i)) != NULL; i++) {
        with.beside = i + 1;
        if (after && (p = frame_panes(&with, l.picture)).count > 1 &&
            p.panes[1].view == next)
            return with.beside;
        after |= next == now;
    }
    return now == NULL ? s->beside : SCENE_ALONE;
}

/* The parts of the title. */
enum title { NAME, WRONG, WHERE, WHAT, TITLE };

static void
add_title_parts(const struct world *w, struct buf parts[TITLE])
{
    static const char *const wrong[PURPOSE_PARTS] = {
        N_("! mismatch %s"), N_("! fault %s"), N_("! delay %s")};
    const struct run_info *run = w->run;
    struct buf *out = &parts[WRONG];
    OWN(buf) what = {0};

    text_title(w->schedule, &parts[NAME]);
    for (int part = 0; part < PURPOSE_PARTS; part++, buf_clear(&what)) {
        purpose_show(&run->purpose, (enum purpose_part)part, &what);
        if (what.length == 0)
            continue;
        buf_puts(out, out->length > 0 ? "  " : "");
        buf_addf(out, _(wrong[part]), buf_text(&what));
    }
    text_where(w, &parts[WHERE]);
    buf_puts(&parts[WHAT], dtype_name(run->type));
    if (w->schedule->collective->reduces)
        buf_addf(&parts[WHAT], " %s", redop_name(run->op));
    buf_puts(&parts[WHAT], ", ");
    text_elements(w, &parts[WHAT]);
}

/* Says less of where the ranks run, and less still if `more`. */
static void
shorten_where(const struct world *w, bool more, struct buf *where)
{
    struct word gpus = word_gpus(schedule_members(w->schedule));

    buf_clear(where);
    if (run_is_modelled(w->run) && !more)
        text_network(w, where);
    else if (run_is_modelled(w->run))
        buf_addf(where, _("modelled: %s"), gpus.text);
    else
        buf_puts(where, gpus.text);
}

/* Draws the title.  If there is no room for all, "collviz" is left out first,
 * then where the ranks run, but never the algorithm's name. */
static void
draw_run_title(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct pen name = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};
    const struct world *w = s->world;
    bool brand = l->width >= LAYOUT_COLUMNS_FULL - 2;
    int x = l->margin, y = l->title, end = x + l->width, columns, left;
    int room = l->width - (s->replay ? utf8_columns(_("replay")) + 1 : 0);
    struct buf parts[TITLE] = {{0}};

    if (w->schedule != NULL)
        add_title_parts(w, parts);
    for (int cut = 0; cut < 5; cut++) {
        columns = -2;
        for (int i = 0; i < TITLE; i++)
            if (parts[i].length > 0)
                columns += utf8_columns(buf_text(&parts[i])) + 2;
        if (columns <= room)
            break;
        if (cut < 2)
            shorten_where(w, cut > 0, &parts[WHERE]);
        else if (cut < 4)
            buf_clear(&parts[cut < 3 ? WHERE : WHAT]);
    }
    brand = brand && columns + (int)sizeof "collviz" + 1 <= room;
    if (brand)
        x += canvas_puts(c, x, y, "collviz", quiet) + 1;
    if (s->replay)
        x += canvas_puts(c, x, y, _("replay"), quiet) + 1;
    x += brand;
    if (w->schedule == NULL)
        canvas_puts(c, x, y, _("preparing the run ..."), plain);
    x += canvas_puts_within(c, x, y, end - x, buf_text(&parts[NAME]),
                            name) + 2;
    if (parts[WRONG].length > 0)
        x += canvas_puts_within(c, x, y, end - x, buf_text(&parts[WRONG]),
                                warning) + 2;
    end -= utf8_columns(buf_text(&parts[WHAT]));
    canvas_puts(c, end, y, buf_text(&parts[WHAT]), plain);
    left = (end - 2 - x - utf8_columns(buf_text(&parts[WHERE]))) / 2;
    canvas_puts(c, x + (left > 0 ? left : 0), y, buf_text(&parts[WHERE]),
                plain);
    for (int i = 0; i < TITLE; i++)
        buf_done(&parts[i]);
}

/* A verdict begins with a badge, and why it is bad takes many words, if need be
 * instead of the traffic.  Returns the row below the words. */
static int
draw_words(const struct scene *s, struct canvas *c, const struct layout *l)
{
    static const struct {
        enum role ground;
        enum glyph sign;
        const char *text;
    } badges[] = {[WORDS_CORRECT] = {ROLE_CORRECT, GLYPH_YES, N_("correct")},
                  [WORDS_WRONG] = {ROLE_WARNING, GLYPH_NO, N_("WRONG")},
                  [WORDS_HANGS] = {ROLE_WARNING, GLYPH_FOREVER, N_("hangs")}};
    struct rect area = {l->margin, l->now, l->width, l->words - 1};
    OWN(buf) now = {0}, next = {0};
    int rows = l->words, mark = 0, needed;
    enum words_tone tone;
    bool wrong;

    words_now(s, l->width * (l->words - 1), &now);
    tone = words_next(s, l->width, &next);
    wrong = tone > WORDS_CORRECT;
    if (tone != WORDS_PLAIN)
        mark = 5 + utf8_columns(_(badges[tone].text));
    needed = wrap_rows(buf_text(&next), l->width - mark);
    if (wrong && l->traffic > l->now + l->words)
        rows++; /* the blank row */
    if (wrong && needed > rows)
        rows = least(needed, l->keys - l->now);
    if (needed > 1)
        area.height = 1;
    if (!wrong || needed < rows) {
        area.y += prose_draw(c, area, buf_text(&now), strong, strong);
        if (area.y < l->next)
            area.y = l->next; /* there was nothing to say */
    } /* else the warning needs all rows */
    area.height = l->now + rows - area.y;
    if (mark > 0) {
        const struct pen pen = {(uint8_t)palette_ink(badges[tone].ground),
                                badges[tone].ground, ATTR_BOLD};
        canvas_putf(c, area.x, area.y, pen, "   %s ", _(badges[tone].text));
        canvas_glyph(c, area.x + 1, area.y, badges[tone].sign, pen);
    }
    area.x += mark;
    area.width -= mark;
    area.y += prose_draw(c, area, buf_text(&next), plain, plain);
    return area.y;
}

/* The line of keys, with the state in which they are looked up. */
static struct key_line
run_keys(const struct scene *s, const struct surround *a)
{
    bool at_slot = s->inspect || s->trail != NULL;
    struct key_line l = {.on = ON_WATCH, .speed = a->speed, .back = a->back};

    if (s->taught)
        return a->panel->keys;
    l.state = (a->playing ? KEY(PLAYING) : 0) |
              (s->inspect ? KEY(INSPECTING) : 0) |
              (at_slot ? KEY(AT_SLOT) : 0) |
              (at_slot || a->typed != NULL ? KEY(ON_TOP) : 0) |
              (a->in_lesson ? KEY(IN_LESSON) : 0) |
              (a->from_file ? KEY(FILE) : 0) |
              (a->back != NULL ? KEY(VISITING) : 0);
    return l;
}

int
frame_notice(const char *text, bool alarm, struct canvas *c, struct rect area)
{
    const struct pen pen = {.fg = alarm ? ROLE_WARNING : ROLE_TEXT};
    int sign = alarm ? 2 : 0;
    int rows = least(wrap_rows(text, area.width - sign), area.height);

    if (c == NULL)
        return rows;
    area.y += area.height - rows;
    canvas_clear(c, (struct rect){0, area.y, c->columns, rows});
    if (alarm)
        canvas_puts(c, area.x, area.y, "!", warning);
    prose_draw(c, (struct rect){area.x + sign, area.y, area.width - sign, rows},
               text, pen, pen);
    return rows;
}

struct help
frame_help(const struct scene *s, const struct surround *a, int columns,
           int rows)
{
    struct key_line line = run_keys(s, a);
    struct panes p = {.count = 0};
    struct help h = {.on = line.on, .state = line.state};
    struct layout l;

    if (!layout(columns, rows, s->taught, &l))
        return h;
    if (a->panes != NULL)
        p = *a->panes;
    else if (s->world->schedule != NULL)
        p = frame_panes(s, l.picture);
    for (; h.nviews < p.count; h.nviews++)
        h.views[h.nviews] = p.panes[h.nviews].view;
    return h;
}

int64_t
frame_reading_ns(const struct scene *s, int columns, int rows)
{
    const struct schedule *schedule = s->world->schedule;
    int step = scene_step(s);
    OWN(buf) now = {0};
    struct layout l;

    if (!layout(columns, rows, false, &l) ||
        (step > 0 && !pattern_is_new(schedule, step)))
        return 0;
    words_now(s, l.width * (l.words - 1), &now);
    return text_reading_ns(buf_text(&now));
}

bool
frame_too_small(struct canvas *c, int columns, int rows)
{
    OWN(buf) text = {0};
    struct wrap w = {.columns = c->columns};
    int y;

    if (c->columns >= columns && c->rows >= rows)
        return false;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    buf_addf(&text, _("%dx%d is too small: %dx%d is needed"), c->columns,
             c->rows, columns, rows);
    w.text = buf_text(&text);
    y = (c->rows - wrap_rows(w.text, w.columns)) / 2;
    for (y = y > 0 ? y : 0; y < c->rows && wrap_next(&w); y++) {
        int width = wrap_put(&w, NULL, 0, 0, plain);
        wrap_put(&w, c, (c->columns - width) / 2, y, plain);
    }
    return true;
}

void
frame_draw(const struct scene *s, const struct surround *a, struct canvas *c)
{
    const struct surround none = {0};
    bool published = a == NULL, shown;
    struct layout l;
    int picture;

    a = a != NULL ? a : &none;
    c->moves = false;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!layout(c->columns, c->rows, s->taught, &l)) {
        if (s->taught)
            frame_too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1);
        else
            frame_too_small(c, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
        return;
    }
    picture = l.picture.height;
    /* there may be something else in the picture's place */
    shown = !s->taught || (!a->panel->full && a->panel->table == NULL);
    if (shown)
        draw_run_title(s, c, &l);
    shown = shown && world_step_complete(s->world, 0);
    if (s->taught)
        panel_make_room(a->panel, a->notice_rows, &l);
    if (shown && !view_suits(view_choose(s, l.picture), s, l.picture))
        l.picture.height = picture; /* the panel covers a part of it */
    if (shown) {
        progress_draw(s, c, &l);
        draw_panes(s, a->panes, c, l.picture);
    }
    if (s->taught) {
        panel_draw(a->panel, c, &l);
        l.margin++;
        l.width -= 2;
        l.now = l.panel.y + 1;
        l.next = l.panel.y + 2;
        if (shown && a->panel->text[0] == '\0' &&
            a->panel->above == NULL && a->panel->closing == NULL)
            draw_words(s, c, &l); /* where the lesson has no text */
    } else if (shown) {
        if (draw_words(s, c, &l) <= l.traffic)
            traffic_draw(s, c, &l);
    } else if (s->note != NULL) {
        canvas_puts_within(c, l.margin, l.next, l.width, s->note, plain);
    }
    if (a->task != NULL) {
        /* above the picture if that row is blank, else where no notice is */
        int y = l.picture.y - 1 > l.progress ? l.picture.y - 1 : l.next;
        canvas_clear(c, (struct rect){0, y, c->columns, 1});
        canvas_puts_within(c, l.margin, y, l.width, a->task, bright);
    }
    if (!published) {
        struct key_line keys = run_keys(s, a);
        int x = l.margin;
        if (a->typed != NULL) /* digits before a key */
            x += canvas_puts(c, x, l.keys, a->typed, strong) + 2;
        keys_draw(&keys, c, x, l.keys);
    }
}
