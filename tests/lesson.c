/* SPDX-License-Identifier: MIT */
/* What the screen shows of lessons: questions, answers, charts; the end of one,
 * and the shelf.  crossing.c draws every page of each. */
#include <stdlib.h>

#include "base/bounds.h"
#include "canvas_text.h"
#include "lesson/shelf.h"
#include "patience.h"
#include "script/script.h"
#include "screen/lesson_panel.h"
#include "screen/text_pages.h"
#include "tap.h"
#include "term/svg.h"
#include "screen/answer.h"
#include "tutor_run.h"
#include "view/frame.h"

static const int size[] = {80, 24};

static void
draw(const struct panel *panel, const struct world *world, struct canvas *c)
{
    struct scene s = {.world = world, .target = -1, .view = -1,
                      .taught = true, .asked = &panel->asked};

    canvas_resize(c, size[0], size[1]);
    frame_draw(&s, &(struct surround){.panel = panel}, c);
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
        all += c->lecture;
    is_int(all, 45, "minutes of the lecture");
    path = shelf_find("../../etc/passwd", &err);
    ok(path == NULL, "a lesson's name is no path");
    free(path);
}

/* One worker for two scripts. */
static void
test_change(const char *next)
{
    static const char first[] =
        "utf8.char = nil; kept = {}\n"
        "for i = 1, 2 do kept[i] = string.rep('x', 20 << 20) end\n"
        "lesson { number = 1, title = 'first', idea = 'i' }";
    int64_t until = hung_at();
    struct request r = {.verb = ""};
    struct err err;
    struct script *s = script_open("first.lua", first, NULL, &err);
    enum script_got got = script_await(s, until, &r, &err);
    FILE *file = fopen(next, "w");

    fputs("text = utf8.char(65) .. #string.rep('y', 20 << 20)\n"
          "lesson { number = 2, title = text, idea = 'i' }\n"
          "error('said')", file);
    fclose(file);
    ok(got == SCRIPT_REQUEST && script_change(s, next, &err),
       "a script that waits gives its process to another one");
    ok(!script_change(s, next, &err), "one that does not wait keeps it");
    got = script_await(s, until, &r, &err);
    ok(got == SCRIPT_REQUEST && strcmp(r.verb, "lesson") == 0,
       "which begins: %s", got == SCRIPT_FAILED ? err.text : r.verb);
    ok(got == SCRIPT_REQUEST &&
           strcmp(json_string_value(json_object_get(r.with, "title")),
                  "A20971520") == 0,
       "with nothing of the first, and all of the memory");
    script_reply(s, NULL, &err);
    ok(script_await(s, until, &r, &err) == SCRIPT_FAILED &&
           strcmp(err.text, "next.lua:3: said") == 0,
       "its errors name it: %s", err.text);
    script_close(s);
}

static void
test_behind(void)
{
    const int64_t minute = 60000000000;
    struct lecture l = {.began_ns = minute, .minutes = 45, .before = 4,
                        .here = 8};

    is_int(lecture_behind(&l, 0, 5 * minute), 0, "in time");
    is_int(lecture_behind(&l, 0.5, 11 * minute), 2, "two minutes behind");
    is_int(lecture_behind(&l, 1, 11 * minute), -2, "two ahead");
}

/* An exam shows no answer, so the choice of those who know none promises
 * none. */
static void
test_unknown_in_exam(const char *kind)
{
    OWN(lesson_panel) panel = {.text = {0}};
    struct tutor_seen t = {.state = TUTOR_ASKS, .picture.shown = -1, .lines = 1,
                           .how.examines = true, .question.nrows = 3};
    json_auto_t *asked = json_pack("{ss ss s[ss]}", "text", "?", "kind", kind,
                                   "choices", "x", "y");
    struct answer said;
    struct err err;

    question_read(&t.question, asked, 3, 3, &err);
    answer_begin(&said, &t, NULL);
    lesson_panel_fill(&panel, &t, &said, GLYPHS_FULL);
    is_str(panel.panel.items[panel.panel.nitems - 1], "I don't know",
           "a %s in an exam", kind);
    question_done(&t.question);
}

/* While the run shows the answer, the question and what was chosen stay. */
static void
test_in_sight(void)
{
    struct lesson_panel panel = {.text = {0}};
    struct tutor_seen t = {.state = TUTOR_BUSY, .revealing = true, .lines = 1};
    struct answer said;
    json_t *given, *asked = json_pack("{sss[sss]}", "text", "?", "choices",
                                      "x", "y", "z");
    struct err err;

    question_read(&t.question, asked, 0, 0, &err);
    json_decref(asked);
    answer_begin(&said, &t, NULL);
    answer_key(&said, 'b', &given, &err);
    lesson_panel_fill(&panel, &t, &said, GLYPHS_FULL);
    is_str(panel.panel.text, "?", "the question stays in sight");
    is_str(panel.panel.items[panel.panel.chosen], "y", "and what was chosen");
    ok(panel.panel.keys.enter == NULL &&
           (panel.panel.keys.state & KEY(REVEALS)) == 0,
       "no key answers it");
    t.revealing = false;
    lesson_panel_fill(&panel, &t, &said, GLYPHS_FULL);
    is_str(panel.panel.text, "", "not while something else is at work");
    lesson_panel_done(&panel);
    question_done(&t.question);
}

/* The question stays beside its answer, whatever that was. */
static void
test_beside(void)
{
    OWN(lesson_panel) panel = {.text = {0}};
    struct answer said = {.question = NULL};
    OWNS(tutor) *t = open_lines(ASKS("8", "First?") ASKS("8", "Second?"));

    play_on(t);
    answer(t, 8, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_str(panel.panel.above, "First?", "beside what is right");
    go_on(t);
    answer(t, 0, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_str(panel.panel.above, "Second?", "and beside what was not known");
}

/* The end of a lesson that teaches a skill says where it is practised. */
static void
check_end(const char *lesson, bool class, const char *text)
{
    OWN(lesson_panel) panel = {.class = class};
    struct tutor_seen t = {.state = TUTOR_OVER,
                           .card = {.number = 20, .title = "T"}, .lines = 1};

    lesson_panel_end(&panel, &t, lesson, NULL);
    is_str(panel.panel.text, text, "the end of %s", lesson);
}

static void
test_end(void)
{
    check_end("what-goes-wrong", false, "This was lesson 20: T\n"
              "Practise it: collviz repair, collviz diagnose");
    check_end("choose", false, "This was lesson 20: T\n"
              "Practise it: collviz choose");
    check_end("ring-allreduce", true, "This was lesson 20: T");
    check_end("scatter", false, "This was lesson 20: T");
}

/* A class sees the question, its choices, the right one and why. */
static void
test_class(void)
{
    OWN(lesson_panel) panel = {.class = true, .presents = true};
    struct answer said = {.question = NULL};
    OWNS(tutor) *t = open_lines(
        "predict { 'Which?', choices = { 'x', 'y', 'z' }, why = 'so',\n"
        "  answer = function() return 'z' end }\n" ASKS("8", "?")
        "predict { 'Which?', choices = { 'x', 'y', 'z' },\n"
        "  answer = function() return 'z' end }\n");

    play_on(t);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_int(panel.panel.nitems, 3, "the choices, and no other");
    is_int(panel.panel.letter, 'a', "with letters");
    ok(panel.panel.chosen < 0 && panel.panel.right < 0, "none is marked");
    answer(t, 0, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_str(panel.panel.items[panel.panel.right], "z", "the right one is");
    is_str(panel.panel.above, "Which?", "the question is still there");
    is_str(panel.panel.closing, "so", "and why");
    go_on(t);
    answer(t, 0, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    ok(panel.panel.nitems == 0 && panel.panel.right < 0, "no choices");
    is_str(panel.panel.text, "It is: 8\nso", "then it is said");
    go_on(t);
    answer(t, 0, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_int(panel.panel.nitems, 3, "choices once more");
    ok(panel.panel.closing == NULL, "of which the lesson does not say why");
}

/* With the answer both are marked, what was said last and what is right. */
static void
test_answered(void)
{
    OWN(lesson_panel) panel = {.text = {0}};
    struct answer said = {.question = NULL};
    OWNS(tutor) *t = open_lines(
        "predict { 'Which?', choices = { 'x', 'y', 'z' },\n"
        "  answer = function() return 'z' end }\n");

    play_on(t);
    answer(t, 1, 0);
    answer(t, 2, 0);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_str(panel.panel.items[panel.panel.right], "z",
           "the right one is marked");
    is_str(panel.panel.items[most(panel.panel.refused, 0)], "y",
           "and the wrong one");
}

/* Draws a panel of three choices on 80x24, whose question has `rows` rows;
 * *frame: its text. */
static void
draw_list(struct panel *p, int rows, struct canvas *c, struct buf *frame)
{
    static const char *const texts[] = {"Which?", "Which?\nOr",
                                        "Which?\nOr\n?"};
    OWNS(world) *none = world_new();

    p->text = texts[rows - 1];
    p->title = "";
    p->full = false;
    p->table = "";
    p->letter = 'a';
    c->accent = ROLE_LEARN;
    draw(p, none, c);
    buf_clear(frame);
    canvas_text(c, frame);
}

/* How the first letter of a text in a frame is drawn. */
static struct pen
pen_of(const struct canvas *c, const char *text)
{
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x + (int)strlen(text) < c->columns; x++) {
            int i = 0;
            while (text[i] != '\0' &&
                   canvas_at(c, x + i, y)->code == (unsigned char)text[i])
                i++;
            if (text[i] == '\0')
                return canvas_at(c, x, y)->pen;
        }
    return (struct pen){.bg = UINT8_MAX};
}

/* The role of the ground on which a text stands in a frame. */
static int
ground_of(const struct canvas *c, const char *text)
{
    return pen_of(c, text).bg;
}

static int
attrs_of(const struct canvas *c, const char *text)
{
    return pen_of(c, text).attrs;
}

/* Choices are a list.  Which is chosen, wrong and right is seen by its ground,
 * and without colours by its sign. */
static void
test_list(void)
{
    struct panel p = {.items = {"red", "greenish", "blue", "I don't know"},
                      .nitems = 4, .chosen = 1, .refused = 2, .right = -1,
                      .asked.rank = -1};
    OWN(buf) frame = {0};
    OWN(canvas) c = {0};

    draw_list(&p, 1, &c, &frame);
    ok(strstr(buf_text(&frame), "      a) red\n    \u25b6 b) greenish\n"
              "    \u2717 c) blue\n      d) I don't know\n") != NULL,
       "a row for each choice");
    is_int(attrs_of(&c, "greenish"), ATTR_BOLD | ATTR_REVERSE,
           "the chosen one is reversed: the accent looks like a right one");
    is_int(ground_of(&c, "blue"), ROLE_WARNING, "a wrong one is red");
    is_int(ground_of(&c, "red"), ROLE_TEXT, "another one is plain");
    p.reason = "\u2717 It is not";
    draw_list(&p, 1, &c, &frame);
    ok(strstr(buf_text(&frame),
              "c) blue             \u2717 It is not\n") != NULL,
       "why it is wrong stands beside it");
    draw_list(&p, 2, &c, &frame);
    ok(strstr(buf_text(&frame), "      a) red          d) I don't know\n"
              "    \u25b6 b) greenish\n"
              "    \u2717 c) blue         \u2717 It is not\n") != NULL,
       "with fewer rows there are two columns, and it is below the second");
    p.items[3] = "I have to look at this for a while, which I cannot";
    draw_list(&p, 1, &c, &frame);
    ok(strstr(buf_text(&frame), "which I cannot\n  \u2717 It is not\n") != NULL,
       "or, if there is no room, below the list");
    p = (struct panel){.items = {"red", "greenish", "blue"}, .nitems = 3,
                       .chosen = -1, .refused = 0, .right = 1, .closing = "So.",
                       .asked.rank = -1};
    draw_list(&p, 1, &c, &frame);
    is_int(ground_of(&c, "greenish"), ROLE_CORRECT, "the right one is green");
    ok(strstr(buf_text(&frame), "\u2713 b) greenish") != NULL &&
           strstr(buf_text(&frame), "\u2717 a) red") != NULL, "and has a sign");
}

/* Votes stand beside the choices; a bar is shorter than that of the most. */
static void
test_vote_bars(void)
{
    struct panel p = {.items = {"red", "blue", "lilac", "none"}, .nitems = 4,
                      .chosen = -1, .refused = -1, .right = -1, .voters = 1000,
                      .votes = {399, 400, 0, -1}, .asked.rank = -1};
    int full[3], y = 0;
    OWN(buf) frame = {0};
    OWN(canvas) c = {0};

    draw_list(&p, 3, &c, &frame);
    while (y < c.rows && canvas_at(&c, 6, y)->code != 'a')
        y++;
    for (int i = 0; i < 3; i++) {
        full[i] = 0;
        for (int x = 0; x < c.columns; x++)
            full[i] += canvas_at(&c, x, y + i)->code == U'\u2588';
    }
    ok(full[0] > 9 && full[0] < full[1],
       "399 of 1000 are fewer than 400: %d %d", full[0], full[1]);
    is_int(full[2], 0, "none is no bar");
    ok(strstr(buf_text(&frame), " 399\n") != NULL &&
           strstr(buf_text(&frame), "   0\n") != NULL,
       "how many stands behind it, in rows of their own");
    ok(strstr(buf_text(&frame), "none\n") != NULL,
       "what browsers cannot choose has no votes");
}

/* The result of an exam: signs and bars have colours, letters have none, and a
 * wide screen has the text in its middle. */
static void
test_result_page(void)
{
    static const struct text_page page = {
        .title = "exam", .result = true,
        .text = "wire  ██┄┄  1 of 2\n 1 ✗  wire: 2 x 3?\n"
                "      ▶ not ✗so, no✗ \n"};
    OWN(canvas) c = {.glyphs = GLYPHS_FULL, .accent = ROLE_LEARN};

    canvas_resize(&c, 80, 24);
    text_pages_draw(&page, &c);
    is_int(canvas_at(&c, 7, 2)->pen.fg, ROLE_LEARN, "what was right");
    is_int(canvas_at(&c, 8, 2)->pen.fg, ROLE_LEARN, "to its end");
    is_int(canvas_at(&c, 9, 2)->pen.fg, ROLE_QUIET, "and what was not");
    is_int(canvas_at(&c, 4, 3)->pen.fg, ROLE_WARNING, "a wrong answer");
    is_int(canvas_at(&c, 7, 4)->pen.fg, ROLE_LEARN, "the true one");
    is_int(canvas_at(&c, 13, 4)->pen.fg, ROLE_TEXT, "no sign begins a word");
    is_int(canvas_at(&c, 20, 4)->pen.fg, ROLE_TEXT, "or ends one");
    canvas_resize(&c, 200, 60);
    text_pages_draw(&page, &c);
    is_int((int)canvas_at(&c, 50, 2)->code, 'w', "in the middle");
}

/* Notes on the class's screen do not hide a hint that it asks for, nor what is
 * wrong with its first try: they come below. */
static void
test_aside_above_notes(void)
{
    OWN(lesson_panel) panel = {.presents = true, .noted = true};
    OWNS(tutor) *t = open_lines(ASKS("8", "?"));
    struct answer said = {.question = NULL};

    play_on(t);
    answer_begin(&said, seen(t), t);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    is_str(panel.panel.aside, "why: so\n5: five is wrong\n7: seven is wrong\n"
           "hint: h", "the notes alone");
    said.hints = 1;
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    ok(strncmp(panel.panel.aside, "h\nwhy: so\n", 10) == 0, "below a hint: %s",
       panel.panel.aside);
    answer(t, 7, 0);
    answer_begin(&said, seen(t), t);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    ok(strstr(panel.panel.reason, " seven is wrong") != NULL &&
           strncmp(panel.panel.aside, "why: so\n", 8) == 0,
       "below an objection: %s", panel.panel.aside);
    answer(t, 8, 0);
    panel.noted = false;
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    ok(panel.panel.aside == NULL, "a page has none");
}

/* The screen as it is drawn now, as text. */
static void
draw_now(const struct tutor *t, struct buf *frame)
{
    OWN(lesson_panel) panel = {.text = {0}};
    struct answer said = {.question = NULL};
    OWN(canvas) c = {0};

    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    draw(&panel.panel, tutor_world(t), &c);
    buf_clear(frame);
    canvas_text(&c, frame);
}

/* A chart is shown in the place of the picture, until a run is shown again. */
static void
test_chart(void)
{
    OWNS(tutor) *t = open_lines(
        "local r = run 'ring-allreduce --gpus 3'\n"
        "local function of(y) return { title = 'Loss of all', x = 'step', "
        "y = 'loss', series = { { name = 'one', points = { { 0, 7 }, { 9, y } "
        "} } } } end\nchart(of(3)) chart(of(5)) say '.'\n"
        "compare 'ring-allreduce tree-allreduce --gpus 2' say ';'\n"
        "chart(of(4)) r:show() say ','\n");
    OWN(buf) frame = {0};

    play_on(t);
    draw_now(t, &frame);
    ok(strstr(buf_text(&frame), "Loss of all") != NULL &&
           strstr(buf_text(&frame), "● one") != NULL &&
           strstr(buf_text(&frame), "GPU 0") == NULL,
       "a chart instead of the picture");
    is_int(seen(t)->picture.tables, 2, "each chart is a table of a transcript");
    ok(strstr(seen(t)->picture.table, "        9          5") != NULL,
       "its last row: %s", seen(t)->picture.table);
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
}

/* The lines of a drawing are quiet, and others where a terminal has none. */
static void
test_drawing(void)
{
    OWNS(tutor) *t = open_lines("drawing { '╭─ a ╮', '│ █░┷ │' } say '.'\n");
    OWN(lesson_panel) panel = {.text = {0}};
    struct answer said = {.question = NULL};
    OWN(canvas) c = {.glyphs = GLYPHS_ASCII};
    OWN(buf) frame = {0};
    int y = 0;

    play_on(t);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_ASCII);
    draw(&panel.panel, tutor_world(t), &c);
    canvas_text(&c, &frame);
    ok(strstr(buf_text(&frame), "+- a +\n") != NULL &&
           strstr(buf_text(&frame), "| #.+ |\n") != NULL, "in ASCII");
    draw_now(t, &frame);
    ok(strstr(buf_text(&frame), "╭─ a ╮\n") != NULL, "and as it is");
    while (y < c.rows && canvas_at(&c, 36, y)->code != '|')
        y++;
    for (int x = 30; x < 50; x++) {
        const struct cell *cell = canvas_at(&c, x, y);
        if (cell->code == '|' || cell->code == '#')
            is_int(cell->pen.fg == ROLE_QUIET, cell->code == '|',
                   "lines are quiet, blocks are not");
    }
}

/* Whatever algorithm the learner chooses, the lesson on training is right. */
static void
test_training(int choice, const char *algorithm)
{
    static const int truths[] = {4, 1, 4, 2, 1, 8};
    struct options o = {.backend = (char *)"auto", .count = -1, .step = -1};
    struct err err = {.text = ""};
    char *path = shelf_find("ddp", &err);
    struct tutor *t = path != NULL ? tutor_open(path, &o, &unseen, &err) : NULL;

    if (!ok(t != NULL, "the lesson on training: %s", err.text))
        return;
    play_on(t);
    while (seen(t)->state == TUTOR_PAGE || seen(t)->state == TUTOR_ASKS) {
        if (seen(t)->state == TUTOR_PAGE)
            go_on(t);
        else if (!seen(t)->question.predicts)
            answer(t, choice, 0);
        else if (seen(t)->record.predicted < 6)
            answer(t, truths[seen(t)->record.predicted], 0);
        else
            break;
    }
    ok(seen(t)->state == TUTOR_OVER && seen(t)->record.right == 6,
       "it has %d right answers", seen(t)->record.right);
    is_str(seen(t)->picture.nruns > 0 ? seen(t)->picture.runs[0]->plan->name
                                      : "",
           algorithm, "the gradients go through what was chosen");
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

/* Writes a lesson's first question as an SVG, for the README. */
static int
draw_question(const char *lesson)
{
    struct options o = {.backend = (char *)"auto", .count = -1, .step = -1};
    struct err err = {.text = ""};
    char *path = shelf_find(lesson, &err);
    struct tutor *t = path != NULL ? tutor_open(path, &o, &unseen, &err) : NULL;
    struct lesson_panel panel = {.text = {0}};
    struct canvas c = {0};
    struct svg svg = {0};
    struct answer said;
    struct buf out = {0};
    bool right = t != NULL;

    while (right && (right = tutor_advance(t, clock_ns(), &err)) &&
           seen(t)->state != TUTOR_ASKS)
        right = turn(t, &err);
    if (!right) {
        diag("%s", err.text);
        return 1;
    }
    answer_begin(&said, seen(t), t);
    lesson_panel_fill(&panel, seen(t), &said, GLYPHS_FULL);
    draw(&panel.panel, tutor_world(t), &c);
    svg_add(&svg, &c, 0);
    svg_write(&svg, seen(t)->card.title, 0, &out);
    fputs(buf_text(&out), stdout);
    buf_done(&out);
    svg_done(&svg);
    canvas_done(&c);
    lesson_panel_done(&panel);
    tutor_close(t);
    free(path);
    return 0;
}

int
main(int argc, char **argv)
{
    struct shelf shelf;
    char next[64];

    tutor_begin();
    if (argc == 3 && strcmp(argv[1], "--picture") == 0) {
        int status = draw_question(argv[2]);
        lab_remove();
        return status;
    }
    test_behind();
    test_in_sight();
    test_unknown_in_exam("choice");
    test_unknown_in_exam("rank");
    test_unknown_in_exam("line");
    test_beside();
    test_end();
    test_class();
    test_answered();
    test_list();
    test_vote_bars();
    test_aside_above_notes();
    test_result_page();
    test_chart();
    test_drawing();
    test_trainings();
    shelf_read(&shelf);
    test_shelf(&shelf);
    snprintf(next, sizeof next, "%s/next.lua", lab);
    test_change(next);
    shelf_done(&shelf);
    lab_remove();
    return done_testing();
}
