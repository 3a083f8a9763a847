/* SPDX-License-Identifier: MIT */
/* Lessons as they are played: second tries, reviews, notes, what a class sees;
 * and every page of every lesson as a frame, in several sizes and in all
 * languages. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "canvas_text.h"
#include "draw/wrap.h"
#include "lab.h"
#include "lesson/shelf.h"
#include "screen/teach_panel.h"
#include "tap.h"
#include "term/screen.h"
#include "term/svg.h"
#include "tutor/notes.h"
#include "tutor/outline.h"
#include "tutor/reply.h"
#include "tutor/tutor.h"
#include "view/frame.h"
#include "view/view.h"

/* Frames. */

static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};

/* Whether every line of a text is in the frame, in full. */
static bool
has_lines(const char *frame, const char *text, int columns)
{
    struct wrap w = {.text = text, .columns = columns};
    bool all = true;

    while (wrap_next(&w)) {
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)w.length, w.line);
        while (line[0] != '\0' && line[strlen(line) - 1] == ' ')
            line[strlen(line) - 1] = '\0';
        if (strstr(frame, line) == NULL) {
            diag("not shown: '%s' in\n%s", line, frame);
            all = false;
        }
    }
    return all;
}

/* Whether all of the panel is there.  Above a closing text, only the right item
 * must be. */
static bool
shows_all(const struct panel *p, const struct canvas *c, int columns)
{
    struct buf frame = {0};
    bool all;

    canvas_text(c, &frame);
    all = has_lines(buf_text(&frame),
                    p->closing != NULL ? p->closing : p->text, columns);
    for (int i = 0; i < p->nitems; i++)
        if ((p->closing == NULL || i == p->right) &&
            strstr(buf_text(&frame), p->items[i]) == NULL) {
            diag("not shown: '%s' in\n%s", p->items[i], buf_text(&frame));
            all = false;
        }
    buf_done(&frame);
    return all;
}

static bool
frame_is_right(const struct tutor *t, struct teach_panel *panel,
               struct world *none, const int size[2])
{
    struct canvas c = {0};
    struct scene s = {.world = t->shown >= 0 ? tutor_world(t) : none,
                      .target = -1, .view = -1, .panel = &panel->panel,
                      .asked = &panel->panel.asked};
    int columns = panel->panel.full ? 76 : size[0] > 104 ? 100 : size[0] - 4;
    bool right;

    canvas_resize(&c, size[0], size[1]);
    frame_draw(&s, &c);
    right = shows_all(&panel->panel, &c, columns);
    canvas_done(&c);
    return right;
}

static int
wrong_frames(const struct tutor *t, struct world *none, bool class)
{
    struct teach_panel panel = {.class = class, .presents = class};
    struct reply reply = {.quiz = NULL};
    int wrong = 0;

    if (t->state == TUTOR_ASKS)
        reply_begin(&reply, &t->quiz);
    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        wrong += !frame_is_right(t, &panel, none, sizes[i]);
    teach_panel_done(&panel);
    return wrong;
}

static bool
turn(struct tutor *t, struct err *err)
{
    struct pollfd p = {.fd = tutor_fd(t), .events = POLLIN};
    int64_t now = clock_ns(), due = tutor_due(t, now);

    if (t->state == TUTOR_PAGE)
        return tutor_go_on(t, err);
    if (t->state == TUTOR_ASKS)
        return tutor_answer(t, NULL, err);
    poll(&p, 1, due == INT64_MAX ? -1 : due > now);
    return true;
}

/* The places where right choices stood, by the number of choices. */
static int places[QUIZ_ITEMS + 1][QUIZ_ITEMS];

static void
note_place(const struct tutor *t)
{
    const struct quiz *q = &t->quiz;
    size_t last = json_array_size(t->truths);
    json_int_t truth =
        json_integer_value(json_array_get(t->truths, last - 1));

    if (t->state != TUTOR_PAGE || t->page.kind != PAGE_TRUTH ||
        q->kind != QUIZ_CHOICE)
        return;
    for (int i = 0; i < q->nitems; i++)
        places[q->nitems][i] += q->shown[i] == truth;
}

/* Who always takes the same place gains nothing. */
static void
test_spread(void)
{
    int all = 0, at[QUIZ_ITEMS] = {0};

    for (int n = 2; n <= QUIZ_ITEMS; n++)
        for (int i = 0; i < n; i++) {
            at[i] += places[n][i];
            all += places[n][i];
        }
    for (int i = 0; i < 3; i++)
        ok(at[i] * 100 >= all * 20 && at[i] * 100 <= all * 42,
           "%d of %d right choices stand at place %d", at[i], all, i + 1);
}

/* While the run shows the answer, the question and what was chosen stay. */
static void
test_in_sight(void)
{
    struct teach_panel panel = {.text = {0}};
    struct tutor t = {.state = TUTOR_BUSY, .revealing = true, .lines = 1};
    struct reply reply;
    json_t *answer, *asked = json_pack("{sss[sss]}", "text", "?", "choices",
                                       "x", "y", "z");
    struct err err;

    quiz_read(&t.quiz, asked, 0, 0, &err);
    json_decref(asked);
    reply_begin(&reply, &t.quiz);
    reply_key(&reply, 'b', &answer, &err);
    teach_panel_fill(&panel, &t, &reply, GLYPHS_FULL);
    is_str(panel.panel.text, "?", "the question stays in sight");
    is_str(panel.panel.items[panel.panel.chosen], "y", "and what was chosen");
    ok(panel.panel.keys[0].name == NULL, "no key answers it");
    t.revealing = false;
    teach_panel_fill(&panel, &t, &reply, GLYPHS_FULL);
    is_str(panel.panel.text, "", "not while something else is at work");
    teach_panel_done(&panel);
    quiz_done(&t.quiz);
}

static void
test_frames(const struct card *card, const char *language)
{
    char *argv[] = {(char *)"collviz", (char *)"learn", NULL};
    struct options o;
    struct err err = {""};
    bool right = options_parse(&o, 2, argv, &err);
    struct tutor *t = tutor_open(card->path, &o, &err);
    struct world *none = world_new();
    int wrong = 0, pages = 0;

    right = right && t != NULL;
    if (right)
        t->hurry = true;
    while (right && (right = tutor_advance(t, clock_ns(), &err)) &&
           t->state != TUTOR_OVER) {
        if (t->state == TUTOR_PAGE || t->state == TUTOR_ASKS) {
            wrong += wrong_frames(t, none, false) + wrong_frames(t, none, true);
            note_place(t);
            pages++;
        }
        right = turn(t, &err);
    }
    if (!ok(right && wrong == 0 && pages > 0, "%s, %s: %d pages fit",
            card->name, language, pages))
        diag("%s", err.text);
    world_free(none);
    tutor_close(t);
    options_done(&o);
}

static void
test_shelf(const struct shelf *shelf)
{
    const struct card *c = NULL;
    int all = 0, at = shelf_index(shelf, "ring-allreduce");
    char *path;
    struct err err;

    ok(shelf->ncards >= 18, "%d lessons", shelf->ncards);
    for (int i = 0; i < shelf->ncards; i++)
        ok(shelf->cards[i].title != NULL, "%s has a card: %s",
           shelf->cards[i].name, shelf->cards[i].trouble.text);
    for (int i = 0; i < shelf->ncards; i++)
        ok(shelf->cards[i].minutes > 0, "%s says how long it takes",
           shelf->cards[i].name);
    is_int(shelf->cards[0].number, 1, "the first lesson comes first");
    if (ok(at >= 0, "the ring is among them"))
        is_int(shelf->cards[at + 1].number, 11, "and why comes after it");
    while ((c = shelf_lecture_next(shelf, c)) != NULL)
        all += c->minutes;
    ok(all > 30 && all <= 45, "a lecture takes %d minutes", all);
    path = shelf_find("../../etc/passwd", &err);
    ok(path == NULL, "a lesson's name is no path");
    free(path);
}

/* A tutor that plays a script. */
static struct tutor *
open_script(const char *script, struct options *o)
{
    char path[300];
    struct err err = {""};
    FILE *file;
    struct tutor *t;

    snprintf(path, sizeof path, "%s/lines.lua", lab);
    file = fopen(path, "w");
    fputs(script, file);
    fclose(file);
    *o = (struct options){.backend = (char *)"auto", .count = -1, .step = -1};
    t = tutor_open(path, o, &err);
    if (t == NULL)
        exit(99);
    t->hurry = true;
    return t;
}

/* A tutor that plays a lesson of these lines. */
static struct tutor *
open_lines(const char *lines, struct options *o)
{
    struct buf script = {0};
    struct tutor *t;

    buf_addf(&script, "lesson { number = 9, title = 't', idea = 'i' }\n%s",
             lines);
    t = open_script(buf_text(&script), o);
    buf_done(&script);
    return t;
}

/* Plays on, until the tutor stops at a question, a page or the end. */
static void
play_on(struct tutor *t)
{
    struct err err = {""};

    while (tutor_advance(t, clock_ns(), &err) && t->state == TUTOR_BUSY)
        turn(t, &err);
    if (err.text[0] != '\0')
        diag("%s", err.text);
}

static void
answer(struct tutor *t, int number, int hints)
{
    struct err err;

    tutor_hinted(t, hints);
    tutor_answer(t, number != 0 ? json_integer(number) : NULL, &err);
    play_on(t);
}

static void
go_on(struct tutor *t)
{
    struct err err;

    tutor_go_on(t, &err);
    play_on(t);
}

static void
are_answers(json_t *answers, const char *want)
{
    char *text = json_dumps(answers, JSON_COMPACT);

    is_str(text, want, "what is kept of it");
    free(text);
    json_decref(answers);
}

#define ASKS(truth, text)                                                      \
    "predict { '" text "', kind = 'number', hints = { 'h' },\n"                \
    "  wrong = { [7] = 'seven is wrong', [5] = 'five is wrong' },\n"           \
    "  answer = function() return " truth " end, why = 'so' }\n"

/* A known mistake is explained, and the question asked once more. */
static void
test_second_try(void)
{
    struct options o;
    struct tutor *t = open_lines(ASKS("8", "?") ASKS("8", "!") ASKS("8", "3")
                                 ASKS("8", "4") ASKS("8", "5"), &o);

    play_on(t);
    ok(t->state == TUTOR_ASKS && t->objection == NULL, "a question");
    answer(t, 7, 0);
    ok(t->state == TUTOR_ASKS, "a known mistake: once more");
    is_str(t->objection, "seven is wrong", "with its line");
    are_answers(tutor_answered(t), "[{\"first\":7,\"last\":null,\"hints\":0}]");
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT, "right at the second try");
    is_str(t->page.text, "Right at the second try: 8\nso", "it says so");
    is_int(t->right, 0, "but the first counts");
    go_on(t);
    ok(t->objection == NULL, "the next question begins anew");
    answer(t, 5, 0);
    answer(t, 7, 0);
    ok(t->page.kind == PAGE_WRONG, "there is no third try");
    is_str(t->page.text, "You said: 7. It is: 8\nso", "the last is compared");
    go_on(t);
    answer(t, 6, 0);
    ok(t->page.kind == PAGE_WRONG, "an unknown mistake: the run answers");
    go_on(t);
    answer(t, 8, 1);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0,
       "right after a hint is right, but does not count");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 1, "right at once counts");
    are_answers(tutor_answered(t),
                "[{\"first\":7,\"last\":8,\"hints\":0},"
                "{\"first\":5,\"last\":7,\"hints\":0},6,"
                "{\"first\":8,\"last\":8,\"hints\":1},8]");
    tutor_close(t);
}

/* Who goes back and answers again is still judged by the first answer. */
static void
test_back_again(void)
{
    struct options o;
    struct tutor *t = open_lines(ASKS("8", "?") ASKS("8", "!"), &o);
    json_t *earlier = json_loads("[6,{\"first\":8,\"last\":8,\"hints\":1}]",
                                 0, NULL);

    tutor_skip(t, 0, earlier);
    play_on(t);
    are_answers(tutor_answered(t), "[6,{\"first\":8,\"last\":8,\"hints\":1}]");
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0, "the first was wrong");
    go_on(t);
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0, "the hint was seen");
    are_answers(tutor_answered(t),
                "[{\"first\":6,\"last\":8,\"hints\":0},"
                "{\"first\":8,\"last\":8,\"hints\":1}]");
    tutor_close(t);

    t = open_lines(ASKS("8", "?") "say '.'\n" ASKS("8", "!"), &o);
    tutor_skip(t, 3, earlier);
    play_on(t);
    ok(t->state == TUTOR_ASKS && t->predicted == 1 && t->right == 0,
       "what was answered is not asked again");
    tutor_close(t);
    json_decref(earlier);
}

/* A hint counts even if the learner goes back before the first answer, and asks
 * for fewer hints when the question comes up again. */
static void
test_hint_and_back(void)
{
    struct options o;
    const char *lines = "say '.'\n" ASKS("8", "?") ASKS("8", "!");
    struct tutor *t = open_lines(lines, &o);
    json_t *kept;

    play_on(t);
    go_on(t);
    are_answers(tutor_answered(t), "[]");
    tutor_hinted(t, 1);
    kept = tutor_answered(t);
    are_answers(json_incref(kept), "[{\"hints\":1}]");
    tutor_close(t);

    t = open_lines(lines, &o);
    tutor_skip(t, 0, kept);
    play_on(t);
    are_answers(tutor_answered(t), "[{\"hints\":1}]");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 0, "right, but not without a hint");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 1, "the next question has had none");
    are_answers(tutor_answered(t),
                "[{\"first\":8,\"last\":8,\"hints\":1},8]");
    tutor_close(t);
    json_decref(kept);
}

#define AGAIN(question)                                                        \
    "predict { '" question "', kind = 'number', answer = function() return 1 " \
    "end,\n again = function(round) return { 'round ' .. round, kind = "       \
    "'number',\n answer = function() return 10 * round end } end }\n"

/* A review asks one question, in its own way if it has one, and is over. */
/* What one tutor has measured another one shows, and does not measure. */
static void
test_share_measured(void)
{
    const char *lines = "bench 'ring-allreduce -g 2 -b 8 -e 8 -n 1' say 'one'";
    struct options o;
    struct tutor *first = open_lines(lines, &o), *other;

    play_on(first);
    ok(first->table != NULL && first->tables == 1, "a table is measured");
    other = open_lines(lines, &o);
    tutor_share_measured(other, first->measured);
    play_on(other);
    is_str(other->table, first->table, "and the same one is shown again");
    tutor_close(first);
    tutor_close(other);
}

/* The table grows, and the tutor can be closed before it is whole. */
static void
test_measuring(void)
{
    struct options o;
    struct tutor *t = open_lines("bench 'ring-allreduce reduce -b 8 -e 32 "
                                 "-f 2 -n 1' say 'one'", &o);
    struct err err = {""};
    size_t length = 0;
    int growths = 0;

    while (growths < 5 && tutor_advance(t, clock_ns(), &err)) {
        size_t now = t->table != NULL ? strlen(t->table) : 0;
        growths += now > length;
        length = now;
        turn(t, &err);
    }
    is_int(growths, 5, "a head and four rows, one at a time");
    is_int(t->tables, 0, "it is not whole yet");
    ok(t->state == TUTOR_BUSY, "the script waits");
    tutor_close(t);
}

/* What may take long, or does not fit, is refused before it is measured. */
static void
test_not_measured(void)
{
    static const char *const refused[][2] = {
        {"ring-allreduce -g 2 -b 1M -e 1M -n 1", "81 columns"},
        {"ring-allreduce -g 64 -b 512K -e 512K -n 1 -w 0 -d uint8",
         "no key is heard"},
        {"ring-allreduce -g 8 -b 512K -e 512K -n 500", "no key is heard"},
        {"ring-allreduce -g 8 -b 480K -e 512K -i 4K -n 100",
         "the table may take"},
        {"ring-allreduce -g 2 -b 8 -e 1M -f 2", "more than 15 lines"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct buf lines = {0};
        struct options o;
        struct tutor *t;

        buf_addf(&lines, "local ok, why = pcall(bench, '%s')\n"
                 "say(tostring(why))", refused[i][0]);
        t = open_lines(buf_text(&lines), &o);
        play_on(t);
        ok(strstr(t->page.text, refused[i][1]) != NULL, "refused: %s",
           t->page.text);
        ok(t->table == NULL, "and nothing is shown");
        tutor_close(t);
        buf_done(&lines);
    }
}

/* A lesson that is only read ahead measures the same table with less work, and
 * is refused what a learner is. */
static void
test_measured_ahead(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "local rows = bench 'ring-allreduce -g 2 -b 8 -e 32 -f 2 -n 1'\n"
        "assert(#rows == 3 and rows[1].wrong == nil)\n"
        "assert(not pcall(bench, 'ring-allreduce -g 2 -b 8 -e 8 -n 900000'))\n"
        "say 'one'", &o);

    t->unread = true;
    play_on(t);
    ok(t->state == TUTOR_PAGE, "a lesson is read ahead");
    tutor_close(t);
}

static void
test_tutor_review(void)
{
    struct options o;
    const char *lines = "say '.'\n" ASKS("8", "?") "say ','\n" AGAIN("!")
                        "say '-'\n";
    struct tutor *t = open_lines(lines, &o);

    tutor_review(t, 1, 2);
    play_on(t);
    ok(t->state == TUTOR_ASKS, "it begins with the question");
    is_str(t->quiz.text, "round 2", "asked for this round");
    answer(t, 20, 0);
    ok(t->page.kind == PAGE_RIGHT, "and answered by it");
    is_int(json_integer_value(json_array_get(t->missed, 1)), 0,
           "it is not missed");
    go_on(t);
    ok(t->state == TUTOR_OVER, "then it is over");
    tutor_close(t);

    t = open_lines(lines, &o);
    tutor_review(t, 0, 3);
    play_on(t);
    is_str(t->quiz.text, "?", "a question that has no other way");
    answer(t, 7, 0);
    answer(t, 8, 0);
    is_int((int)json_array_size(t->missed), 1, "is missed again");
    tutor_close(t);

    t = open_lines(lines, &o);
    tutor_review(t, 2, 1);
    play_on(t);
    ok(t->state == TUTOR_OVER, "a question that is not there");
    tutor_close(t);

    t = open_lines(lines, &o);
    play_on(t);
    go_on(t);
    answer(t, 8, 0);
    go_on(t);
    go_on(t);
    is_str(t->quiz.text, "!", "in the lesson it is asked as it is");
    answer(t, 2, 0);
    is_int(json_integer_value(json_array_get(t->missed, 0)), 1,
           "the second was missed");
    tutor_close(t);
}

static void
have_notes(struct tutor *t, const char *want)
{
    struct buf notes = {0};

    notes_add(t, GLYPHS_FULL, &notes);
    is_str(buf_text(&notes), want, "the notes of page %d", t->pages);
    buf_done(&notes);
}

/* No page is without notes: the lesson has something to say about each. */
static void
test_notes(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "say 'One.'\n"
        "say { 'Two.', notes = 'Wait.' }\n"
        "local r = run 'ring-allreduce --gpus 3'\n"
        "r:step()\n"
        "say 'Three.'\n"
        "predict { '?', choices = { 'x', 'y' }, hints = { 'h' },\n"
        "  wrong = { x = 'not x' }, notes = 'Listen.', why = 'so',\n"
        "  answer = function() return 'y' end }\n"
        "play { 'Go.', try = '--root 1' }\n"
        "remember { 'a', 'b', 'c', notes = 'Ask.' }\n"
        "used { mpi = 'MPI_Bcast', notes = 'Where?' }\n", &o);
    const char *run = "on the screen: collviz ring-allreduce --gpus 3, "
                      "step 1 of 4";
    char want[400];
    bool x_first;

    play_on(t);
    have_notes(t, "i");
    go_on(t);
    have_notes(t, "Wait.");
    go_on(t);
    snprintf(want, sizeof want, "GPU 0 sent A2 to GPU 1, which added it to B2. "
             "Every GPU sent a chunk to the next and added what it "
             "received.\n%s", run);
    have_notes(t, want);
    go_on(t);
    x_first = t->quiz.shown[0] == 1;
    snprintf(want, sizeof want,
             "%s\nListen.\nwhy: so\n%c) not x\nhint: h\n%s",
             x_first ? "a) x   b) y ✓" : "a) y ✓   b) x",
             x_first ? 'a' : 'b', run);
    have_notes(t, want);
    answer(t, 0, 0);
    snprintf(want, sizeof want, "%c) not x\n%s",
             t->quiz.shown[0] == 1 ? 'a' : 'b', run);
    have_notes(t, want);
    go_on(t);
    snprintf(want, sizeof want, "to type at the key a: --root 1\n%s", run);
    have_notes(t, want);
    go_on(t);
    snprintf(want, sizeof want, "Ask.\n%s", run);
    have_notes(t, want);
    go_on(t);
    snprintf(want, sizeof want, "Where?\n%s", run);
    have_notes(t, want);
    tutor_close(t);
}

/* A page that Lua has been refused leaves nothing to the next one. */
static void
test_refused_page(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "run 'ring-allreduce --gpus 3'\n"
        "pcall(play, { 7, try = { 'x' }, notes = 'n' })\n"
        "pcall(say, { 7, follow = { 0, 0 }, notes = 'n' })\n"
        "say 'Fine.'\n", &o);

    play_on(t);
    is_str(t->page.text, "Fine.", "the next page comes");
    ok(t->page.notes == NULL && t->page.ntries == 0 && t->page.trail == NULL,
       "and has nothing of those that were refused");
    tutor_close(t);
}

/* The outline of a lesson of these lines, at its end. */
static struct outline *
outline_of(const char *lines, enum glyph_set glyphs)
{
    struct options o;
    struct err err = {""};
    struct outline *outline;
    char path[300];

    tutor_close(open_lines(lines, &o));
    snprintf(path, sizeof path, "%s/lines.lua", lab);
    outline = outline_open(path, &o, glyphs, &err);
    while (!outline->over) {
        struct pollfd p = {.fd = outline_fd(outline), .events = POLLIN};
        outline_advance(outline, clock_ns());
        poll(&p, 1, outline_due(outline, clock_ns()) == INT64_MAX ? 10 : 0);
    }
    return outline;
}

/* A terminal without other characters gets none. */
static void
test_outline_in_ascii(void)
{
    static const char lines[] =
        "local r = run 'ring-allreduce --gpus 3'\n"
        "predict { '?', choices = { 'x', 'y' }, wrong = { x = 'No.' },\n"
        "          answer = function() return 'y' end }\n";
    struct outline *full = outline_of(lines, GLYPHS_FULL);
    struct outline *plain = outline_of(lines, GLYPHS_ASCII);
    bool all = true;

    ok(strstr(full->pages[0].notes, "y \342\234\223") != NULL,
       "the notes mark the right choice");
    for (const char *c = plain->pages[0].notes; *c != '\0'; c++)
        all &= (signed char)*c > 0;
    ok(all, "in ASCII with a sign of it: %s", plain->pages[0].notes);
    outline_close(full);
    outline_close(plain);
}

/* The pages of a lesson are known before they are shown. */
static void
test_outline(void)
{
    struct outline *outline = outline_of("say 'One.\\nand more'\n"
                                         ASKS("8", "?") "error('no more')\n",
                                         GLYPHS_FULL);

    is_int((int)outline->count, 3, "its pages");
    is_str(outline->pages[0].first, "One.", "the first line of a page");
    is_str(outline->pages[1].first, "?", "of a question");
    is_str(outline->pages[2].first, "It is: 8", "and of its answer");
    ok(strstr(outline->pages[1].notes, "7: seven is wrong") != NULL,
       "their notes");
    is_str(outline->title, "t", "its title");
    ok(strstr(outline->trouble.text, "no more") != NULL,
       "and why it ends too soon: %s", outline->trouble.text);
    outline_close(outline);
}

/* Read ahead, a lesson that never ends takes no more than so much memory. */
static void
test_outline_endless(void)
{
    struct outline *outline =
        outline_of("while true do say '.' end", GLYPHS_FULL);

    is_int((int)outline->count, 1001, "pages are kept up to a limit");
    ok(strstr(outline->trouble.text, "more than 1000 pages") != NULL,
       "then it has failed: %s", outline->trouble.text);
    outline_close(outline);
    outline = outline_of("local s = ('long '):rep(780)\n"
                         "while true do say { s, notes = s } end", GLYPHS_FULL);
    ok(outline->count < 300 &&
           strstr(outline->trouble.text, "longer than 1024 KiB") != NULL,
       "so are notes: %s", outline->trouble.text);
    is_int((int)strlen(outline->pages[0].first), 80, "a first line is cut");
    outline_close(outline);
}

/* What a refused lesson{} has read is not kept: nothing leaks. */
static void
test_refused_lesson(void)
{
    struct options o;
    struct tutor *t = open_script(
        "pcall(lesson, { number = 90, program = 'abc', idea = 'i', title = 7 "
        "})\nlesson { number = 9, program = 'd', idea = 'i', title = 't' }\n"
        "say '.'", &o);

    play_on(t);
    ok(t->number == 9 && strcmp(t->program, "d") == 0 &&
           strcmp(t->title, "t") == 0, "the lesson that was not refused");
    tutor_close(t);
}

/* A class sees the question, its choices, the right one and why. */
static void
test_class(void)
{
    struct teach_panel panel = {.class = true, .presents = true};
    struct reply reply = {.quiz = NULL};
    struct options o;
    struct tutor *t = open_lines(
        "predict { 'Which?', choices = { 'x', 'y', 'z' }, why = 'so',\n"
        "  answer = function() return 'z' end }\n" ASKS("8", "?"), &o);

    play_on(t);
    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    is_int(panel.panel.nitems, 3, "the choices, and no other");
    is_int(panel.panel.letter, 'a', "with letters");
    ok(panel.panel.chosen < 0 && panel.panel.right < 0, "none is marked");
    answer(t, 0, 0);
    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    is_str(panel.panel.items[panel.panel.right], "z", "the right one is");
    is_str(panel.panel.text, "Which?", "the question is still there");
    is_str(panel.panel.closing, "so", "and why");
    go_on(t);
    answer(t, 0, 0);
    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    ok(panel.panel.nitems == 0 && panel.panel.right < 0, "no choices");
    is_str(panel.panel.closing, "It is: 8\nso", "then it is said");
    teach_panel_done(&panel);
    tutor_close(t);
}

/* An author who calls the right answer wrong is told by the run. */
static void
test_wrong_line(void)
{
    struct options o;
    struct err err = {""};
    struct tutor *t = open_lines(ASKS("7", "?"), &o);

    play_on(t);
    tutor_answer(t, NULL, &err);
    while (tutor_advance(t, clock_ns(), &err) && t->state == TUTOR_BUSY)
        turn(t, &err);
    ok(strstr(err.text, "lines.lua:2: the run says 7, but wrong has a line") !=
           NULL, "refused: %s", err.text);
    tutor_close(t);
}

/* The screen as it is drawn now, as text. */
static void
draw_now(const struct tutor *t, struct buf *frame)
{
    struct teach_panel panel = {.text = {0}};
    struct reply reply = {.quiz = NULL};
    struct canvas c = {0};

    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    canvas_resize(&c, sizes[0][0], sizes[0][1]);
    frame_draw(&(struct scene){.world = tutor_world(t), .target = -1,
                               .view = -1, .panel = &panel.panel,
                               .asked = &panel.panel.asked}, &c);
    buf_clear(frame);
    canvas_text(&c, frame);
    canvas_done(&c);
    teach_panel_done(&panel);
}

/* A chart is shown in the place of the picture, until a run is shown again. */
static void
test_chart(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "local r = run 'ring-allreduce --gpus 3'\n"
        "local function of(y) return { title = 'Loss of all', x = 'step', "
        "y = 'loss', series = { { name = 'one', points = { { 0, 7 }, { 9, y } "
        "} } } } end\nchart(of(3)) chart(of(5)) say '.'\n"
        "compare 'ring-allreduce tree-allreduce --gpus 2' say ';'\n"
        "chart(of(4)) r:show() say ','\n", &o);
    struct buf frame = {0};

    play_on(t);
    draw_now(t, &frame);
    ok(strstr(buf_text(&frame), "Loss of all") != NULL &&
           strstr(buf_text(&frame), "● one") != NULL &&
           strstr(buf_text(&frame), "GPU 0") == NULL,
       "a chart instead of the picture");
    is_int(t->tables, 2, "each chart is a table of a transcript");
    ok(strstr(t->table, "        9          5") != NULL, "its last row: %s",
       t->table);
    go_on(t);
    draw_now(t, &frame);
    ok(strstr(buf_text(&frame), "Loss of all") == NULL &&
           strstr(buf_text(&frame), "ring-allreduce") != NULL,
       "a comparison takes its place");
    go_on(t);
    draw_now(t, &frame);
    ok(strstr(buf_text(&frame), "Loss of all") == NULL &&
           strstr(buf_text(&frame), "GPU 0") != NULL,
       "and so does a run");
    buf_done(&frame);
    tutor_close(t);
}

/* A run that settles while somebody watches never waits for what does not come:
 * each step begins at once when the one before has come to rest. */
static void
test_settle_watched(void)
{
    struct options o;
    struct tutor *t = open_lines("local r = run 'ring-allreduce --gpus 3'\n"
                                 "r:settle() say '.'\n", &o);
    int64_t until = clock_ns() + INT64_C(20000000000);
    bool waits = false;
    struct err err;

    t->hurry = false;
    while (t->state != TUTOR_PAGE && !waits && clock_ns() < until) {
        struct pollfd p = {.events = POLLIN};
        int64_t due;
        if (!tutor_advance(t, clock_ns(), &err))
            die("%s", err.text);
        if (t->state == TUTOR_PAGE)
            break;
        t->player.speed = PLAYER_SPEED_MOST;
        p.fd = tutor_fd(t);
        due = tutor_due(t, clock_ns());
        waits = t->settling && t->player.step == 0 && due == INT64_MAX &&
                poll(&p, 1, 1000) == 0;
        if (!waits)
            poll(&p, 1, 1);
    }
    ok(t->state == TUTOR_PAGE, "a run settles before somebody's eyes");
    tutor_close(t);
}

/* Whatever algorithm the learner chooses, the lesson on training is right. */
static void
test_training(int choice, const char *algorithm)
{
    static const int truths[] = {4, 1, 4, 2, 1};
    struct options o = {.backend = (char *)"auto", .count = -1, .step = -1};
    struct err err = {""};
    char *path = shelf_find("ddp", &err);
    struct tutor *t = path != NULL ? tutor_open(path, &o, &err) : NULL;

    if (!ok(t != NULL, "the lesson on training: %s", err.text))
        return;
    t->hurry = true;
    play_on(t);
    while (t->state == TUTOR_PAGE || t->state == TUTOR_ASKS) {
        if (t->state == TUTOR_PAGE)
            go_on(t);
        else if (!t->quiz.predicts)
            answer(t, choice, 0);
        else if (t->predicted < 5)
            answer(t, truths[t->predicted], 0);
        else
            break;
    }
    ok(t->state == TUTOR_OVER && t->right == 5, "it has %d right answers",
       t->right);
    is_str(t->nruns > 0 ? t->runs[0]->name : "", algorithm,
           "the gradients go through what was chosen");
    tutor_close(t);
    free(path);
}

static void
test_trainings(void)
{
    static const char *const algorithms[] = {
        "ring-allreduce", "tree-allreduce", "butterfly-allreduce",
        "naive-allreduce"};

    for (int i = 0; i < 4; i++)
        test_training(i + 1, algorithms[i]);
}

/* Workers are looked for beside the program, here beside this test. */
static void
bring_worker(void)
{
    char exe[300], path[400];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[length > 0 ? length : 0] = '\0';
    if (strrchr(exe, '/') != NULL)
        *strrchr(exe, '/') = '\0';
    snprintf(path, sizeof path, "%s/collviz-lesson", exe);
    if (symlink("../src/collviz-lesson", path) != 0 && errno != EEXIST)
        diag("%s: %s", path, strerror(errno));
}

/* Writes a lesson's first question as an SVG, for the README. */
static int
draw_question(const char *lesson)
{
    struct options o = {.backend = (char *)"auto", .count = -1, .step = -1};
    struct err err = {""};
    char *path = shelf_find(lesson, &err);
    struct tutor *t = path != NULL ? tutor_open(path, &o, &err) : NULL;
    struct teach_panel panel = {.text = {0}};
    struct canvas c = {0};
    struct svg svg = {0};
    struct reply reply;
    struct buf out = {0};
    bool right = t != NULL;

    if (right)
        t->hurry = true;
    while (right && (right = tutor_advance(t, clock_ns(), &err)) &&
           t->state != TUTOR_ASKS)
        right = turn(t, &err);
    if (!right) {
        diag("%s", err.text);
        return 1;
    }
    reply_begin(&reply, &t->quiz);
    teach_panel_fill(&panel, t, &reply, GLYPHS_FULL);
    canvas_resize(&c, sizes[0][0], sizes[0][1]);
    frame_draw(&(struct scene){.world = tutor_world(t), .target = -1,
                               .view = -1, .panel = &panel.panel,
                               .asked = &panel.panel.asked}, &c);
    svg_add(&svg, &c, 0);
    svg_write(&svg, t->title, 0, &out);
    fputs(buf_text(&out), stdout);
    buf_done(&out);
    svg_done(&svg);
    canvas_done(&c);
    teach_panel_done(&panel);
    tutor_close(t);
    free(path);
    return 0;
}

int
main(int argc, char **argv)
{
    struct shelf shelf;
    struct err err;

    bring_worker();
    language_init("en", &err);
    if (argc == 3 && strcmp(argv[1], "--picture") == 0)
        return draw_question(argv[2]);
    lab_make();
    test_in_sight();
    test_second_try();
    test_back_again();
    test_hint_and_back();
    test_share_measured();
    test_measuring();
    test_not_measured();
    test_measured_ahead();
    test_tutor_review();
    test_wrong_line();
    test_chart();
    test_settle_watched();
    test_trainings();
    test_notes();
    test_refused_page();
    test_outline();
    test_outline_in_ascii();
    test_outline_endless();
    test_refused_lesson();
    test_refused_lesson();
    test_class();
    for (int i = 0; language_at(i) != NULL; i++) {
        language_init(language_at(i), &err);
        shelf_read(&shelf);
        if (i == 0)
            test_shelf(&shelf);
        for (int k = 0; k < shelf.ncards; k++)
            test_frames(&shelf.cards[k], language_at(i));
        shelf_done(&shelf);
    }
    test_spread();
    lab_remove();
    return done_testing();
}
