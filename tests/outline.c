/* SPDX-License-Identifier: MIT */
/* What a teacher reads of a lesson: the notes of each page, and the outline of
 * its pages before they are shown. */
#include "tutor/notes.h"
#include "tutor/outline.h"
#include "tutor_run.h"

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

/* The outline of a lesson of these lines, at its end. */
static struct outline *
outline_of(const char *lines, enum glyph_set glyphs)
{
    struct options o;
    struct err err = {""};
    struct outline *outline;

    tutor_close(open_lines(lines, &o));
    outline = outline_open(lines_path(), &o, glyphs, &err);
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

int
main(void)
{
    tutor_begin();
    test_notes();
    test_outline();
    test_outline_in_ascii();
    test_outline_endless();
    lab_remove();
    return done_testing();
}
