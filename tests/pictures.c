/* SPDX-License-Identifier: MIT */
/* Golden pictures of runs.  The titles in tests/albums say what is drawn:
 *
 *     == ring-allreduce 4 step 1 drop 1:2 at 120x40  # struck out in the slot
 *
 * An algorithm and its ranks come first, or "ring", a ring that a test can make
 * slow (ring_world.h); then words of the table below.  80x24 is the usual size,
 * and the first view that suits the usual view. */
#include "album.h"
#include "algorithm_world.h"
#include "model/holdup.h"
#include "schedule/trail.h"
#include "picture.h"
#include "view/panel.h"
#include "view/view.h"

enum { FLIGHTS = 64 };

/* What a title asks for. */
struct shot {
    char algorithm[40];
    int nranks;
    int steps; /* that are known; 0: all */
    int step;
    int slow; /* RING_LOCKSTEP, RING_EVEN or a rank */
    struct fault fault;
    struct scene scene;
    int columns, rows;
    int help; /* a page of it; 0: none */
    double progress; /* of all transfers in flight; 0: none is */
    int landed, waiting;  /* one that has landed, and one that waits, or -1 */
    int follow[3]; /* rank, slot and step of the data that is followed */
    void (*place)(struct world *w); /* where the ranks are */
};

static struct panel lesson = {.text = "How many steps does it take?",
                              .title = "butterfly", .chosen = -1, .right = -1,
                              .keys = {.on = ON_LESSON}};

static bool drawn[LOG + 1][3]; /* alone, by view and size */

static int
view_named(const char *word)
{
    for (int i = 0; view_at(i) != NULL; i++)
        if (strncmp(view_at(i)->name, word, strlen(word)) == 0)
            return i;
    return -1;
}

/* Reads a word, and what belongs to it, from *rest. Returns false if it does
 * not know it. */
static bool
read_word(struct shot *s, const char *word, char **rest)
{
    static const struct {
        const char *name;
        void (*place)(struct world *w);
    } places[] = {{"gpus", ring_world_on_gpus}, {"hosts", ring_world_on_hosts}};
    struct scene *scene = &s->scene;
    const struct {
        const char *name;
        int *number;
    } numbers[] = {
        {"step", &s->step},         {"steps", &s->steps},
        {"slow", &s->slow},         {"landed", &s->landed},
        {"waiting", &s->waiting},   {"rank", &scene->selected},
        {"slot", &scene->slot},     {"help", &s->help},
    };
    char *about;

    if (strcmp(word, "alone") == 0) {
        scene->beside = SCENE_ALONE;
    } else if (strcmp(word, "colourless") == 0) {
        scene->colourless = true;
    } else if (strcmp(word, "ascii") == 0) {
        scene->glyphs = GLYPHS_ASCII;
    } else if (strcmp(word, "even") == 0) {
        s->slow = RING_EVEN;
    } else if (strcmp(word, "held") == 0) {
        scene->awaited_ns = 3 * HOLDUP_NS;
    } else if (strcmp(word, "note") == 0) {
        scene->note = "host cv2 has been silent for 3 s (rank 1)";
    } else if (strcmp(word, "lesson") == 0) {
        around.panel = &lesson;
        scene->taught = true;
    } else if ((about = strsep(rest, " ")) == NULL) {
        return false;
    } else if (strcmp(word, "view") == 0) {
        scene->view = view_named(about);
        return scene->view >= 0;
    } else if (strcmp(word, "at") == 0) {
        return sscanf(about, "%dx%d", &s->columns, &s->rows) == 2;
    } else if (strcmp(word, "flying") == 0) {
        return sscanf(about, "%lf", &s->progress) == 1;
    } else if (strcmp(word, "drop") == 0) {
        s->fault.kind = FAULT_DROP;
        return sscanf(about, "%d:%d", &s->fault.step, &s->fault.src) == 2;
    } else if (strcmp(word, "follow") == 0) {
        return sscanf(about, "%d:%d:%d", &s->follow[0], &s->follow[1],
                      &s->follow[2]) == 3;
    } else if (strcmp(word, "on") == 0) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (strcmp(about, places[i].name) == 0)
                s->place = places[i].place;
        return s->place != NULL;
    } else {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (strcmp(word, numbers[i].name) == 0) {
                *numbers[i].number = atoi(about);
                scene->inspect |= numbers[i].number == &scene->slot;
                return true;
            }
        return false;
    }
    return true;
}

static bool
read_title(struct shot *s, const char *title)
{
    char words[300], *rest = words, *word;

    *s = (struct shot){.slow = RING_LOCKSTEP, .scene = {.view = -1},
                       .columns = 80, .rows = 24, .landed = -1,
                       .waiting = -1, .follow = {-1}};
    around = (struct surround){0};
    snprintf(words, sizeof words, "%.*s", (int)strcspn(title, "#"), title);
    snprintf(s->algorithm, sizeof s->algorithm, "%s", strsep(&rest, " "));
    s->nranks = rest != NULL ? atoi(strsep(&rest, " ")) : 0;
    while (rest != NULL && *(word = strsep(&rest, " ")) != '\0')
        if (!read_word(s, word, &rest)) {
            diag("'%s' in '%s'", word, title);
            return false;
        }
    return s->nranks > 0;
}

/* Draws what a title asks for. */
static void
draw(struct shot *s, struct buf *out)
{
    struct flight flights[FLIGHTS];
    struct scene *scene = &s->scene;
    struct trail *trail = NULL;
    struct world *w;
    int all = 2 * (s->nranks - 1);

    if (strcmp(s->algorithm, "ring") == 0)
        w = ring_world_paced(s->nranks, s->steps > 0 ? s->steps : all, s->slow);
    else
        w = faulty_world(s->algorithm, s->nranks, s->fault);
    world_seek(w, s->step);
    scene->world = w;
    if (s->place != NULL)
        s->place(w);
    if (scene->awaited_ns > 0) {
        ring_world_lose(w, 1, 2);
        ring_world_lose(w, 1, 3);
    }
    if (s->progress > 0)
        fly(scene, flights, s->progress);
    if (s->landed >= 0)
        flights[s->landed].progress = 1;
    if (s->waiting >= 0)
        flights[s->waiting].event = NULL;
    if (s->follow[0] >= 0)
        scene->trail = trail = trail_new(w->schedule, s->follow[0],
                                         s->follow[1], s->follow[2]);
    if (s->help > 0)
        help_picture(scene, s->help, (struct point){s->columns, s->rows}, out);
    else
        picture(scene, s->columns, s->rows, out);
    trail_free(trail);
    world_free(w);
}

/* Draws all pictures of a file. */
static void
check_album(const char *name)
{
    struct buf title = {0}, text = {0};
    struct album a;
    struct shot s;

    album_open(&a, name);
    for (const char *p = buf_text(&a.old); (p = strstr(p, "\n== ")); p++) {
        buf_clear(&title);
        buf_add(&title, p + 4, strcspn(p + 4, "\n"));
        buf_clear(&text);
        if (read_title(&s, buf_text(&title)))
            draw(&s, &text);
        album_check(&a, buf_text(&title), buf_text(&text));
        for (int size = 0; size < 3; size++)
            if (s.scene.view >= 0 && s.scene.beside == SCENE_ALONE &&
                s.columns == (int[]){80, 120, 200}[size])
                drawn[s.scene.view][size] = true;
    }
    buf_done(&title);
    buf_done(&text);
    album_close(&a);
}

int
main(void)
{
    static const char *const names[] = {"faults", "rings", "sizes", "stages",
                                        "tables", "topologies"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_album(names[i]);
    for (int i = 0; view_at(i) != NULL; i++)
        ok(i <= LOG && drawn[i][0] && drawn[i][1] && drawn[i][2],
           "%s at each size", view_at(i)->name);
    return done_testing();
}
