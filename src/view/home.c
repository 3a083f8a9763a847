/* SPDX-License-Identifier: MIT */
#include "view/home.h"

#include <string.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "text/text.h"
#include "text/word.h"
#include "view/frame.h"

enum {
    MARGIN = 2,
    DOORS_Y = 2,
    LIST_Y = 4,
    LOW_ROWS = 14, /* with fewer rows there is no title and no blank row */
    WIDE = 66,     /* with so many columns there is a preview */
    LIST_COLUMNS_MOST = 44,
    BETWEEN = 3, /* the list and the preview */
    DOOR_GAP = 3,
    TITLE_X = 4, /* of a row, from the margin on; before it stands its mark */
    TEXT_ROWS = 6,      /* of a preview that has a picture */
    TEXT_ROWS_BELOW = 3, /* of the list, where there is no preview */
    TEXT_ROWS_LOW = 2    /* the same where there are few rows */
};

static struct pen
door_pen(enum home_door door, uint8_t attrs)
{
    return (struct pen){.fg = (uint8_t)(ROLE_LEARN + door), .attrs = attrs};
}

struct areas {
    int doors; /* the row of the doors */
    struct rect list;
    struct rect preview; /* without columns: there is none */
    struct rect text;    /* instead of a preview; without rows: none */
    int keys;            /* the row of the keys */
};

/* Lessons have long titles; everything else that is listed has pictures. */
static struct areas
home_areas(const struct home *h, const struct canvas *c)
{
    bool low = c->rows < LOW_ROWS;
    int top = low ? 1 : LIST_Y, columns = c->columns - 2 * MARGIN;
    int text = low ? TEXT_ROWS_LOW : TEXT_ROWS_BELOW;
    struct areas a = {.doors = low ? 0 : DOORS_Y, .keys = c->rows - 1};

    a.list = (struct rect){MARGIN, top, columns, a.keys - !low - top};
    if (c->columns >= WIDE) {
        bool titles = h->lessons || (h->door == HOME_LEARN &&
                                     h->search == NULL);
        a.list.width = least(titles ? columns / 2 : columns * 2 / 5,
                             most(LIST_COLUMNS_MOST, columns * 2 / 7));
        a.preview = a.list;
        a.preview.x += a.list.width + BETWEEN;
        a.preview.width = columns - a.list.width - BETWEEN;
    } else {
        int indent = low ? 0 : TITLE_X;
        a.text = (struct rect){MARGIN + indent, a.keys - !low - text,
                               columns - indent, text};
        a.list.height -= text + !low;
    }
    return a;
}

static const char *const door_names[HOME_DOORS] = {
    [HOME_LEARN] = N_("Learn"),
    [HOME_WATCH] = N_("Watch"),
    [HOME_REPLAY] = N_("Replay"),
    [HOME_MACHINE] = N_("This machine"),
};

static int
doors_of(const struct home *h)
{
    return h->lessons ? 1 : HOME_DOORS;
}

/* The columns of a door, with those before the next one.  Counts are left out
 * if there is no room for them. */
static int
door_columns(const struct home *h, int door, bool counts)
{
    int name = utf8_columns(_(door_names[door]));

    return counts ? name + 1 + utf8_columns(h->counts[door]) + DOOR_GAP
                  : name + DOOR_GAP - 1;
}

static void
draw_doors(const struct home *h, const struct areas *a, struct canvas *c)
{
    int x = MARGIN, columns = -DOOR_GAP;
    bool counts;

    for (int i = 0; i < doors_of(h); i++)
        columns += door_columns(h, i, true);
    counts = columns <= c->columns - 2 * MARGIN;
    if (h->search != NULL) {
        x += canvas_puts(c, x, a->doors, h->search, strong);
        canvas_put(c, x, a->doors, '_', strong);
        return;
    }
    for (int i = 0; i < doors_of(h); i++) {
        enum home_door door = (enum home_door)i;
        int name = canvas_puts(
            c, x, a->doors, _(door_names[door]),
            door_pen(door, h->door == door ? ATTR_BOLD | ATTR_REVERSE
                                           : ATTR_BOLD));
        canvas_target(c, (struct rect){x, a->doors,
                                       door_columns(h, i, counts), 1},
                      TARGET_DOOR, i, -1);
        if (counts)
            canvas_puts(c, x + name + 1, a->doors, h->counts[i], quiet);
        x += door_columns(h, i, counts);
    }
}

/* Whether the row is found by its description alone. */
static bool
is_described(const struct home *h, int listed)
{
    return h->search != NULL && listed >= h->nnamed;
}

/* The heading of a row.  In a search it is the name of its door, or for an
 * algorithm, whose name needs it, of the collective. */
static const char *
row_heading(const struct home *h, int listed)
{
    const struct home_row *r = &h->rows[h->listed[listed]];

    return is_described(h, listed) ? _("in the descriptions")
           : h->search == NULL || r->door == HOME_WATCH
               ? r->group
               : _(door_names[r->door]);
}

static bool
is_headed(const struct home *h, int listed)
{
    const char *own = row_heading(h, listed);
    const char *above = listed > 0 ? row_heading(h, listed - 1) : NULL;

    return own != NULL && (above == NULL || strcmp(own, above) != 0);
}

static void
draw_listed_row(const struct home *h, int listed, struct canvas *c,
                struct rect area, int y)
{
    const struct home_row *r = &h->rows[h->listed[listed]];
    bool is_chosen = listed == h->chosen;
    int note = utf8_columns(r->note);
    int room = area.width - TITLE_X - (note > 0 ? note + 1 : 0);
    uint32_t mark = r->mark == HOME_DONE     ? glyph(c->glyphs, GLYPH_YES)
                    : r->mark == HOME_READ   ? '~'
                    : r->mark == HOME_BEGUN  ? glyph(c->glyphs, GLYPH_HERE)
                    : r->mark == HOME_BROKEN ? '!'
                                             : ' ';

    canvas_target(c, (struct rect){area.x, y, area.width, 1}, TARGET_ROW,
                  listed, -1);
    if (is_chosen)
        canvas_glyph(c, area.x, y, GLYPH_RIGHT, door_pen(r->door, ATTR_BOLD));
    canvas_put(c, area.x + 2, y, mark,
               r->mark == HOME_BROKEN ? warning
                                      : door_pen(r->door, ATTR_BOLD));
    canvas_puts_within(c, area.x + TITLE_X, y, room,
                       is_described(h, listed) ? r->name : r->title,
                       is_chosen ? door_pen(r->door, ATTR_BOLD | ATTR_REVERSE)
                                 : plain);
    canvas_puts(c, area.x + area.width - note, y, r->note, quiet);
}

/* Headings are lines, too. The chosen row is always in the area. */
static void
draw_list(const struct home *h, const struct areas *a, struct canvas *c)
{
    int lines = 0, chosen = 0, first, y, marks = a->list.x + a->list.width + 1;

    for (int i = 0; i < h->nlisted; i++) {
        lines += 1 + is_headed(h, i);
        chosen = i == h->chosen ? lines - 1 : chosen;
    }
    first = within(chosen - a->list.height / 2, 0, lines - a->list.height);
    if (first > 0)
        canvas_glyph(c, marks, a->list.y, GLYPH_UP, strong);
    if (first + a->list.height < lines)
        canvas_glyph(c, marks, a->list.y + a->list.height - 1, GLYPH_DOWN,
                     strong);
    y = -first;
    for (int i = 0; i < h->nlisted; i++, y++) {
        enum home_door door = h->rows[h->listed[i]].door;
        if (is_headed(h, i) && y >= 0 && y < a->list.height)
            canvas_puts_within(c, a->list.x + 2, a->list.y + y,
                               a->list.width - 2, row_heading(h, i),
                               is_described(h, i) ? quiet : door_pen(door, 0));
        y += is_headed(h, i);
        if (y >= 0 && y < a->list.height)
            draw_listed_row(h, i, c, a->list, a->list.y + y);
    }
    if (h->nlisted == 0)
        prose_draw(c, a->list,
                   h->search != NULL ? _("No match.") : h->empty,
                   quiet, quiet);
}

/* The part of the preview that shows a run: below the name and the text, above
 * the caption. */
static struct rect
picture_of(const struct areas *a)
{
    struct rect r = a->preview;

    r.y += 1 + TEXT_ROWS;
    r.height -= 1 + TEXT_ROWS + 1;
    return r;
}

static bool
shows_picture(const struct home *h, const struct areas *a)
{
    return a->preview.width > 0 && picture_of(a).height > 0 &&
           h->scene != NULL && world_step_complete(h->scene->world, 0);
}

/* Leaves out the paragraphs that do not fit, but cuts off the first. */
static void
draw_text(const struct home_row *r, struct rect area, struct canvas *c)
{
    const char *text = r->text;

    for (bool first = true; *text != '\0'; first = false) {
        size_t length = strcspn(text, "\n");
        OWN(buf) paragraph = {0};
        buf_add(&paragraph, text, length);
        if (first ||
            wrap_rows(buf_text(&paragraph), area.width) <= area.height) {
            int rows = prose_draw(c, area, buf_text(&paragraph), plain, plain);
            area.y += rows;
            area.height -= rows;
        }
        text += length + (text[length] == '\n');
    }
    if (r->enter != NULL && area.height > 0)
        canvas_puts_within(c, area.x, area.y, area.width, r->enter,
                           door_pen(r->door, ATTR_BOLD));
}

/* "4 GPUs (threads), step 2/6" is below the picture.  A recording, whose row
 * names only the file, has "tree all-reduce" above it. */
static void
draw_preview(const struct home *h, const struct areas *a, struct canvas *c)
{
    const struct home_row *r = &h->rows[h->listed[h->chosen]];
    struct rect area = a->preview, picture = picture_of(a);
    OWN(buf) text = {0};

    canvas_puts_within(c, area.x, area.y, area.width, r->name,
                       door_pen(r->door, ATTR_BOLD));
    area.y++;
    area.height--;
    if (shows_picture(h, a)) {
        const struct world *w = h->scene->world;
        area.height = picture.y - area.y;
        view_draw(view_choose(h->scene, picture), h->scene, c, picture);
        if (h->recorded) {
            text_title(w->schedule, &text);
            canvas_puts_within(c, area.x, area.y, area.width, buf_text(&text),
                               plain);
            buf_clear(&text);
            buf_puts(&text, _("recorded: "));
        }
        buf_addf(&text, _("%1$s (%2$s), step %3$d/%4$d"),
                 word_gpus(schedule_members(w->schedule)).text,
                 w->run->backend, scene_step(h->scene), w->nsteps);
        canvas_puts_within(c, area.x, picture.y + picture.height, area.width,
                           buf_text(&text), quiet);
    }
    draw_text(r, area, c);
}

static struct key_line
home_keys(const struct home *h)
{
    const struct home_row *r = h->nlisted > 0 ? &h->rows[h->listed[h->chosen]]
                                              : NULL;

    return (struct key_line){
        .on = h->lessons && h->search == NULL ? ON_MENU : ON_HOME,
        .state = KEY(TABLE) | (h->search != NULL ? KEY(SEARCHING) : 0) |
                 (r != NULL && r->program ? KEY(PROGRAM) : 0) |
                 (r != NULL && r->proves ? KEY(PROVES) : 0)};
}

void
home_draw(const struct home *h, struct canvas *c)
{
    const struct key_line keys = home_keys(h);
    const char *title = _("collective communication, one step at a time");
    struct areas a = home_areas(h, c);

    c->moves = false;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (frame_too_small(c, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST))
        return;
    if (a.doors > 0) {
        int x = MARGIN + canvas_puts(c, MARGIN, 0, "collviz", strong) + 2;
        if (x + utf8_columns(title) + MARGIN <= c->columns)
            canvas_puts(c, x, 0, title, quiet);
    }
    draw_doors(h, &a, c);
    draw_list(h, &a, c);
    if (h->nlisted > 0 && a.preview.width > 0)
        draw_preview(h, &a, c);
    else if (h->nlisted > 0)
        draw_text(&h->rows[h->listed[h->chosen]], a.text, c);
    keys_draw(&keys, c, MARGIN, a.keys);
}

static const struct symbol signs[] = {
    {NULL, GLYPH_YES, N_("a lesson that is passed, a backend that is here")},
    {"~", 0, N_("a lesson that is read, but not passed")},
    {NULL, GLYPH_HERE, N_("a lesson that was begun")},
    {"!", 0, N_("a lesson that cannot be played, a recording cut off")},
    {"3/5", 0, N_("3 of 5 questions right at once, without a hint")},
    {NULL, GLYPH_UP, N_("the list goes on there")},
    {NULL, GLYPH_DOWN, N_("the list goes on there")},
    {NULL, 0, NULL},
};

struct help
home_help(const struct home *h, const struct canvas *c)
{
    struct areas a = home_areas(h, c);
    struct key_line keys = home_keys(h);
    struct help help = {.on = keys.on, .state = keys.state, .signs = signs};

    if (shows_picture(h, &a))
        help.views[help.nviews++] = view_choose(h->scene, picture_of(&a));
    return help;
}
