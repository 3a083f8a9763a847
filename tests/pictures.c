/* SPDX-License-Identifier: MIT */
/* Golden pictures of runs.  The titles in tests/albums say what is drawn:
 *
 *     == ring-allreduce 4 step 1 drop 1:2 at 120x40  # struck out in the slot
 *
 * An algorithm and its ranks come first, or "ring", a ring that a test can make
 * slow (ring_world.h), or "by-hand" with the steps that follow "do"; then words
 * of the tables below.  80x24 is the usual size, and the first view that suits
 * the usual view.  With "says 78", the sentences of as many columns are drawn,
 * that about the step and that about the next one. */
#include "album.h"
#include "algorithm_world.h"
#include "model/holdup.h"
#include "schedule/trail.h"
#include "picture.h"
#include "text/text.h"
#include "text/words.h"
#include "view/frame.h"
#include "view/view.h"

enum { FLIGHTS = 64 };

/* What a title asks for. */
struct shot {
    char algorithm[40];
    int nranks;
    char moves[80]; /* of by-hand: "0>1+0,2>1=3/1>2=0:1" is two steps: in the
                     * first, rank 0's slot 0 is added to rank 1's and rank 2's
                     * slot 3 replaces rank 1's; then slot 1 is written */
    int pieces, scratch;
    enum redop op;
    char delay[40], fault[40], mismatch[40], network[40];
    int steps; /* that are known; 0: all */
    int step;
    int slow; /* RING_LOCKSTEP, RING_EVEN or a rank */
    struct fault drop; /* in step 0: none */
    int stray[2]; /* the step and rank that get another chunk; step 0: none */
    struct scene scene;
    int columns, rows;
    int help; /* a page of it; 0: none */
    double progress; /* of all transfers in flight; 0: none is */
    int landed, waiting;  /* one that has landed, and one that waits, or -1 */
    double landing; /* of all transfers; 0: none is */
    uint64_t lost; /* the ranks that have got nothing in step 1 */
    int awaited_ms;
    bool ended; /* before its end */
    int says; /* the columns of the sentences; 0: a picture */
    bool printed; /* the step as text */
    struct asked_slot asked;
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
        bool *set;
    } flags[] = {{"ended", &s->ended}, {"printed", &s->printed},
                 {"lesson", &scene->taught}};
    const struct {
        const char *name, *format;
        void *to[3];
    } values[] = {
        {"step", "%d", {&s->step}},       {"steps", "%d", {&s->steps}},
        {"slow", "%d", {&s->slow}},       {"landed", "%d", {&s->landed}},
        {"waiting", "%d", {&s->waiting}}, {"rank", "%d", {&scene->selected}},
        {"slot", "%d", {&scene->slot}},   {"help", "%d", {&s->help}},
        {"target", "%d", {&scene->target}}, {"says", "%d", {&s->says}},
        {"pieces", "%d", {&s->pieces}},   {"scratch", "%d", {&s->scratch}},
        {"awaited", "%d", {&s->awaited_ms}},
        {"at", "%dx%d", {&s->columns, &s->rows}},
        {"flying", "%lf", {&s->progress}}, {"landing", "%lf", {&s->landing}},
        {"drop", "%d:%d", {&s->drop.step, &s->drop.src}},
        {"stray", "%d:%d", {&s->stray[0], &s->stray[1]}},
        {"follow", "%d:%d:%d", {&s->follow[0], &s->follow[1], &s->follow[2]}},
        {"asked", "%d:%d", {&s->asked.rank, &s->asked.slot}},
        {"do", "%79s", {s->moves}},       {"delay", "%39s", {s->delay}},
        {"fault", "%39s", {s->fault}},
        {"mismatch", "%39s", {s->mismatch}},
        {"network", "%39s", {s->network}},
    };
    char *about;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].set = true;
    if (strcmp(word, "alone") == 0) {
        scene->beside = SCENE_ALONE;
    } else if (strcmp(word, "colourless") == 0) {
        like.colourless = true;
    } else if (strcmp(word, "ascii") == 0) {
        like.glyphs = GLYPHS_ASCII;
    } else if (strcmp(word, "even") == 0) {
        s->slow = RING_EVEN;
    } else if (strcmp(word, "held") == 0) {
        s->awaited_ms = 3000;
        s->lost = 1 << 2 | 1 << 3;
    } else if (strcmp(word, "note") == 0) {
        scene->note = "host cv2 has been silent for 3 s (rank 1)";
    } else if ((about = strsep(rest, " ")) == NULL) {
        return false;
    } else if (strcmp(word, "view") == 0) {
        scene->view = view_named(about);
        return scene->view >= 0;
    } else if (strcmp(word, "lost") == 0) {
        s->lost |= UINT64_C(1) << atoi(about);
    } else if (strcmp(word, "op") == 0) {
        while (s->op < REDOPS && strcmp(redop_name(s->op), about) != 0)
            s->op++;
        return s->op < REDOPS;
    } else if (strcmp(word, "on") == 0) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (strcmp(about, places[i].name) == 0)
                s->place = places[i].place;
        return s->place != NULL;
    } else {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            if (strcmp(word, values[i].name) == 0) {
                void *const *to = values[i].to;
                scene->inspect |= to[0] == &scene->slot;
                return sscanf(about, values[i].format, to[0], to[1], to[2]) > 0;
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
                       .waiting = -1, .follow = {-1}, .asked = {-1, 0},
                       .drop.kind = FAULT_DROP};
    around = (struct surround){0};
    like = (struct canvas){0};
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

static struct world *
by_hand(const struct shot *s)
{
    struct schedule *p = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = s->algorithm,
        .nranks = s->nranks, .pieces = s->pieces > 0 ? s->pieces : s->nranks,
        .scratch = s->scratch, .in_place = true});

    schedule_step(p, "step");
    for (const char *at = s->moves; *at != '\0';) {
        struct transfer t = {.nslots = 1};
        int length = 0;
        char op;
        if (sscanf(at, "%d>%d%c%d%n", &t.src, &t.dst, &op, &t.src_slot,
                   &length) != 4)
            die("no move: %s", at);
        at += length;
        t.dst_slot = t.src_slot;
        if (*at == ':')
            t.dst_slot = (int)strtol(at + 1, (char **)&at, 10);
        t.add_slot = t.dst_slot;
        t.op = op == '+' ? TRANSFER_REDUCE : TRANSFER_COPY;
        schedule_add(p, t);
        if (*at == '/')
            schedule_step(p, "step");
        at += *at != '\0';
    }
    return world_of(p, s->steps > 0 ? s->steps : p->nsteps, s->slow);
}

static struct world *
world_for(const struct shot *s)
{
    static const struct fault none;
    int all = 2 * (s->nranks - 1);
    struct world *w =
        s->moves[0] != '\0' ? by_hand(s)
        : strcmp(s->algorithm, "ring") == 0
            ? ring_world_paced(s->nranks, s->steps > 0 ? s->steps : all,
                               s->slow)
            : faulty_world(s->algorithm, s->nranks,
                           s->drop.step > 0 ? s->drop : none);
    struct run_info *run = &w->own_run;
    char delays[sizeof s->delay];
    struct err err;

    if (s->stray[0] > 0)
        ring_world_stray(w, s->stray[0], s->stray[1]);
    world_seek(w, s->step);
    if (s->place != NULL)
        s->place(w);
    for (int rank = 0; rank < 64; rank++)
        if (s->lost >> rank & 1)
            ring_world_lose(w, 1, rank);
    run->op = s->op;
    w->has_end |= s->ended;
    snprintf(delays, sizeof delays, "%s", s->delay);
    for (char *p = delays; (p = strchr(p, ',')) != NULL;)
        *p = ' ';
    if (!purpose_read(&run->purpose, s->mismatch, s->fault, delays,
                      w->schedule->nranks, &err))
        abort();
    strcpy(run->network, s->network);
    if (s->network[0] != '\0') {
        w->result.wall_ns = 123456;
        w->result.here_ns = 4567;
    }
    return w;
}

static void
add_sentences(const struct scene *scene, int columns, struct buf *out)
{
    static const char *const tones[] = {"", "correct: ", "wrong: ",
                                        "hangs: "};
    OWN(buf) next = {0};
    enum words_tone tone = words_next(scene, columns, &next);

    words_now(scene, columns, out);
    buf_addf(out, "\n%s%s\n", tones[tone], buf_text(&next));
}

/* Draws what a title asks for. */
static void
draw(struct shot *s, struct buf *out)
{
    struct flight flights[FLIGHTS];
    struct scene *scene = &s->scene;
    OWNS(trail) *trail = NULL;
    OWNS(world) *w = world_for(s);

    scene->world = w;
    scene->awaited_ns = s->awaited_ms * INT64_C(1000000);
    if (scene->taught)
        around.panel = &lesson;
    if (s->asked.rank >= 0)
        scene->asked = &s->asked;
    if (s->progress > 0 || s->landing > 0)
        fly(scene, flights, s->landing > 0 ? 1 : s->progress);
    for (size_t i = 0; s->landing > 0 && i < scene->nflights; i++)
        flights[i].landing = s->landing;
    if (s->landed >= 0)
        flights[s->landed].progress = 1;
    if (s->waiting >= 0)
        flights[s->waiting].event = NULL;
    if (s->follow[0] >= 0)
        scene->trail = trail = trail_new(w->schedule, s->follow[0],
                                         s->follow[1], s->follow[2]);
    if (s->says > 0)
        add_sentences(scene, s->says, out);
    else if (s->printed)
        text_step(w, s->step, false, out);
    else if (s->help > 0)
        help_picture(scene, s->help, (struct point){s->columns, s->rows}, out);
    else
        picture(scene, s->columns, s->rows, out);
}

/* Draws all pictures of a file. */
static void
check_album(const char *name)
{
    struct buf title = {0}, text = {0};
    struct album a;
    struct shot s;

    with_pens = strcmp(name, "colours") == 0;
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
    static const char *const names[] = {"colours", "faults", "rings",
                                        "sizes", "stages", "tables",
                                        "topologies", "words"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_album(names[i]);
    for (int i = 0; view_at(i) != NULL; i++)
        ok(i <= LOG && drawn[i][0] && drawn[i][1] && drawn[i][2],
           "%s at each size", view_at(i)->name);
    return done_testing();
}
