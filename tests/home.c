/* SPDX-License-Identifier: MIT */
/* The home screen: pictures of it, what a click on it hits, what its lists have
 * and a search finds, and its notice.  tests/screens/home.screen goes through
 * its doors. */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "album.h"
#include "bring_worker.h"
#include "lab.h"
#include "picture.h"
#include "play/plan.h"
#include "ring_world.h"
#include "screen/home_list.h"
#include "screen/window.h"
#include "tap.h"
#include "view/home.h"

static const struct home_row rows[] = {
    {HOME_LEARN, "day 1", HOME_DONE, " 1  What is a collective?",
     "What is a collective?", "3 min", "All ranks call it.",
     .enter = "Enter: start here"},
    {HOME_LEARN, "day 2", HOME_BEGUN, " 2  Broadcast", "Broadcast", "",
     "One has it, all get it.", .enter = "Enter goes on at page 3.",
     .program = true},
    {HOME_WATCH, "all-reduce", HOME_NEW, "ring", "ring-allreduce", "",
     "chunks travel round the ring twice\n2(N-1) steps\n"
     "a paragraph that has no room is left out: this one takes more than its "
     "share of rows on the smallest screen that has a preview, with words and "
     "words and words and words and words and words, and is not seen there, "
     "not even in part\nfor large data", .enter = NULL},
    {HOME_WATCH, "all-reduce", HOME_NEW, "tree", "tree-allreduce", "", "",
     .enter = NULL},
    {HOME_WATCH, "broadcast", HOME_NEW, "chain", "chain-broadcast", "", "",
     .enter = NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int all[ROWS] = {0, 1, 2, 3, 4};

static struct home
home_of(enum home_door door)
{
    return (struct home){
        .rows = rows,
        .listed = door == HOME_LEARN ? all : all + 2,
        .nlisted = door == HOME_LEARN ? 2 : door == HOME_WATCH ? 3 : 0,
        .door = door,
        .counts = {"1/2", "3", "0", "1/1"},
        .empty = "nothing here",
    };
}

static struct album album;

static void
check_home(const struct home *h, int columns, int rows_of, const char *title)
{
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    canvas_resize(&c, columns, rows_of);
    home_draw(h, &c);
    canvas_text(&c, &text);
    album_check(&album, title, buf_text(&text));
}

static void
check_notice(void)
{
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    canvas_resize(&c, 40, 5);
    frame_notice("the lesson has an error, and to say which one takes two rows",
                 true, &c, (struct rect){1, 0, 38, 4});
    canvas_text(&c, &text);
    album_check(&album, "a notice", buf_text(&text));
}

static void
test_pictures(void)
{
    OWNS(world) *w = ring_world(3, 4);
    struct scene s = {.world = w, .view = -1};
    struct home h = home_of(HOME_LEARN);

    album_open(&album, "home");
    world_seek(w, 1);
    h.chosen = 1;
    check_home(&h, 80, 24, "lessons");
    check_home(&h, 60, 16, "without a preview");
    h = home_of(HOME_WATCH);
    h.scene = &s;
    check_home(&h, 80, 24, "a run beside the list");
    check_home(&h, 120, 40, "with more room");
    check_home(&h, 40, 10, "on the smallest screen");
    h.recorded = true;
    h.chosen = 1; /* its text is empty, as a recording's is */
    check_home(&h, 80, 24, "a recording says that it is one");
    h = home_of(HOME_REPLAY);
    check_home(&h, 80, 24, "an empty list says why");
    h = home_of(HOME_LEARN);
    h.search = "search: r";
    h.nlisted = ROWS;
    h.nnamed = ROWS - 1;
    h.chosen = 4;
    check_home(&h, 80, 24, "a search has headings");
    check_notice();
    album_close(&album);
}

/* The mark beside the first row of the list, and the one beside its last. */
static int
marks_at(int chosen)
{
    static int many[40];
    struct home h = home_of(HOME_LEARN);
    OWN(canvas) c = {.glyphs = GLYPHS_ASCII};
    int above, below;

    for (int i = 0; i < 40; i++)
        many[i] = i % 2;
    h.listed = many;
    h.nlisted = 40;
    h.chosen = chosen;
    canvas_resize(&c, 80, 24);
    home_draw(&h, &c);
    above = (int)canvas_at(&c, 2 + 38 + 1, 4)->code;
    below = (int)canvas_at(&c, 2 + 38 + 1, 21)->code;
    return above * 256 + below;
}

static void
test_marks(void)
{
    is_int(marks_at(0), ' ' * 256 + 'v', "the list goes on below");
    is_int(marks_at(20), '^' * 256 + 'v', "and above");
    is_int(marks_at(39), '^' * 256 + ' ', "and not below its end");
}

/* What is of a door has its accent, and the screens' own accent is none. */
static void
test_accents(void)
{
    int accents = 0;

    for (int door = 0; door < HOME_DOORS; door++) {
        struct home h = home_of((enum home_door)door);
        OWN(canvas) c = {0};
        canvas_resize(&c, 80, 24);
        home_draw(&h, &c);
        for (int x = 0; x < 80; x++) {
            struct pen p = canvas_at(&c, x, 2)->pen;
            if ((p.attrs & ATTR_REVERSE) != 0)
                accents |= 1 << (p.fg - ROLE_LEARN);
        }
    }
    is_int(accents, 15, "each open door has its accent");
}

/* However small the screen is, drawing stays inside. */
static void
test_sizes(void)
{
    struct home h = home_of(HOME_WATCH);
    OWN(canvas) c = {.glyphs = GLYPHS_ASCII};
    int drawn = 0;

    for (int columns = 1; columns < 90; columns++)
        for (int y = 1; y < 30; y++) {
            canvas_resize(&c, columns, y);
            home_draw(&h, &c);
            drawn++;
        }
    is_int(drawn, 89 * 29, "every size can be drawn");
}

static void
test_clicks(void)
{
    struct home h = home_of(HOME_WATCH);
    OWN(canvas) c = {0};
    struct target at;

    canvas_resize(&c, 80, 24);
    home_draw(&h, &c);
    at = canvas_target_at(&c, (struct point){3, 2});
    ok(at.kind == TARGET_DOOR && at.number == HOME_LEARN,
       "a click on the first door");
    at = canvas_target_at(&c, (struct point){46, 2});
    ok(at.kind == TARGET_DOOR && at.number == HOME_MACHINE, "and on the last");
    at = canvas_target_at(&c, (struct point){10, 4});
    is_int(at.kind, TARGET_NONE, "a heading is no row");
    at = canvas_target_at(&c, (struct point){10, 6});
    ok(at.kind == TARGET_ROW && at.number == 1, "a row below a heading");
    at = canvas_target_at(&c, (struct point){10, 8});
    ok(at.kind == TARGET_ROW && at.number == 2, "and below two");
    at = canvas_target_at(&c, (struct point){50, 6});
    is_int(at.kind, TARGET_NONE, "the preview is no row");
}

/* A notice may be a page of a lesson: one that is too long ends with a whole
 * character. */
static void
test_notice(void)
{
    struct window window = {.help = 0};
    OWN(buf) text = {0};
    const char *shown;

    for (int i = 0; i < 300; i++)
        buf_puts(&text, "数");
    window_notify(&window, false, "%s", buf_text(&text));
    shown = window_notice(&window);
    ok(strlen(shown) > 500 &&
           strcmp(shown + strlen(shown) - strlen("数"), "数") == 0,
       "a notice is cut at a whole character");
}

#define RUN_LINE "{\"type\":\"run\",\"version\":1,\"collective\":"           \
                 "\"allreduce\",\"algorithm\":\"tree\"}\n"

/* Only regular files that begin with a run, the newest first. */
static void
make_recordings(void)
{
    static const struct {
        const char *name;
        int days;
        const char *text;
    } files[] = {
        {"old.jsonl", 3, RUN_LINE "{\"type\":\"end\",\"lines\":2}\n"},
        {"new.jsonl", 0, RUN_LINE "{\"type\":\"end\",\"lines\":2}\n"},
        {"cut.jsonl", 4, RUN_LINE "{\"type\":\"tran"},
        {"train.jsonl", 0, "{\"text\":\"a data set\"}\n"},
        {"table.jsonl", 0, "{\"type\":\"compared\",\"collective\":"
                           "\"allreduce\",\"algorithm\":\"ring\"}\n"},
        {"noise.jsonl", 0, "\x7f""ELF"},
        {"empty.jsonl", 0, ""},
        {"notes.txt", 0, RUN_LINE},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct utimbuf times = {time(NULL) - files[i].days * 86400L - 5,
                                time(NULL) - files[i].days * 86400L - 5};
        FILE *file = fopen(files[i].name, "we");
        if (file == NULL || fputs(files[i].text, file) == EOF ||
            fclose(file) != 0 ||
            utime(files[i].name, &times) != 0)
            exit(99);
    }
    if (mkdir("folder.jsonl", 0700) != 0)
        exit(99);
}

/* How a search finds an entry: by names, by its description, or not. */
enum found { NOT, BY_NAME, DESCRIBED };

static enum found
search(const struct home_list *l, const char *text, const char *name)
{
    int *found = mem_new((size_t)l->count, sizeof *found), n, named;
    enum found how = NOT;

    home_list_find(l, HOME_LEARN, text, found, &n, &named);
    for (int i = 0; i < n; i++)
        if (strcmp(l->rows[found[i]].key, name) == 0)
            how = i < named ? BY_NAME : DESCRIBED;
    free(found);
    return how;
}

static void
test_list(void)
{
    static const struct {
        const char *text, *name;
        enum found how;
        const char *what;
    } searches[] = {
        {"tree", "new.jsonl", DESCRIBED, "what is recorded"},
        {"RING allre", "ring-allreduce", BY_NAME, "every word, in any case"},
        {"ring allre", "ring-allgather", NOT, "and not only one of them"},
        {"all-reduce tree", "double-tree-allreduce", BY_NAME,
         "as people write it"},
        {"3d-torus", "torus3d-allreduce", BY_NAME, "by an alias"},
        {"ring scatter-reduce", "ring-reduce-scatter", BY_NAME,
         "by an alias of the collective"},
        {"zzz", "ring-allreduce", NOT, "nothing else"},
        {"LINKS busy", "ring-allreduce", DESCRIBED,
         "words of its description come after names"},
        {"inks", "ring-allreduce", NOT, "if they begin so"},
        {"ring links", "ring-allreduce", DESCRIBED, "words of both count"},
    };
    struct home_list l = {0};
    struct err err;
    int *found, n, named, algorithms = 0, at;

    make_recordings();
    home_list_read(&l, NULL, false, &err);
    while (coll_at(algorithms) != NULL)
        algorithms++;
    found = mem_new((size_t)l.count, sizeof *found);
    home_list_find(&l, HOME_WATCH, NULL, found, &n, &named);
    is_int(n, algorithms, "the gallery has every algorithm");
    home_list_find(&l, HOME_REPLAY, NULL, found, &n, &named);
    is_int(n, 3, "recordings are files that begin with a run");
    is_str(l.rows[found[0]].key, "new.jsonl", "the newest is first");
    is_str(l.rows[found[1]].note, "3 d ago", "with its age");
    ok(l.rows[found[2]].mark == HOME_BROKEN && !l.rows[found[2]].opens,
       "one that was cut off is marked");
    is_str(l.counts[HOME_REPLAY], "2", "and not counted");
    at = home_list_row(&l, HOME_MACHINE, "threads");
    ok(at >= 0 && l.rows[at].opens, "threads are always there");
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        is_int(search(&l, searches[i].text, searches[i].name), searches[i].how,
               "'%s': %s", searches[i].text, searches[i].what);
    unlink("new.jsonl");
    home_list_read(&l, NULL, false, &err);
    home_list_find(&l, HOME_REPLAY, NULL, found, &n, &named);
    is_int(n, 2, "recordings are read again");
    is_str(l.rows[found[0]].key, "old.jsonl", "without the old ones");
    ok(home_list_row(&l, HOME_MACHINE, "threads") >= 0,
       "and the rows after them are kept");
    free(found);
    home_list_done(&l);
}

/* Whatever is chosen at home, a run can be shown beside it, but for the user's
 * own recordings. */
static void
test_previews(void)
{
    OWN(shelf) shelf = {0};
    struct home_list l = {0};
    struct err err;
    int lessons = 0, tasks = 0, others = 0;

    shelf_read(&shelf);
    home_list_read(&l, &shelf, false, &err);
    for (const struct home_row *r = l.rows; r < l.rows + l.count; r++) {
        struct plan *plan = NULL;
        if (r->door == HOME_REPLAY)
            continue;
        if (r->picture != NULL)
            plan = home_list_plan(r, &err);
        if (plan == NULL)
            ok(false, "%s: %s", r->key,
               r->picture != NULL ? err.text : "it has no picture");
        if (plan != NULL)
            (*(r->card != NULL           ? &lessons
               : r->door == HOME_LEARN   ? &tasks
                                         : &others))++;
        plan_free(plan);
    }
    is_int(lessons, shelf.ncards, "each lesson has a picture");
    is_int(tasks, 5, "so have four exercises and the exam");
    ok(others > 50, "and algorithms and backends");
    home_list_done(&l);
}

int
main(void)
{
    test_pictures();
    test_sizes();
    test_clicks();
    test_marks();
    test_accents();
    test_notice();
    bring_worker();
    lab_make();
    if (chdir(lab) != 0)
        return 99;
    test_list();
    test_previews();
    if (chdir("/") != 0)
        return 99;
    lab_remove();
    return done_testing();
}
