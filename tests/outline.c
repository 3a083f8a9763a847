/* SPDX-License-Identifier: MIT */
/* What a teacher reads of a lesson: the notes of each page, and with which line
 * the next one begins. */
#include "tutor/notes.h"
#include "tutor_run.h"

static void
have_notes(struct tutor *t, const char *want)
{
    OWN(buf) notes = {0};

    notes_add(seen(t), GLYPHS_FULL, &notes);
    is_str(buf_text(&notes), want, "the notes of page %d", seen(t)->pages);
}

/* No page is without notes: the lesson has something to say about each. */
static void
test_notes(void)
{
    OWNS(tutor) *t = open_lines(
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
        "used { mpi = 'MPI_Bcast', notes = 'Where?' }\n");
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
    x_first = seen(t)->question.shown[0] == 1;
    snprintf(want, sizeof want,
             "%s\nListen.\nwhy: so\n%c) not x\nhint: h\n%s",
             x_first ? "a) x   b) y ✓" : "a) y ✓   b) x",
             x_first ? 'a' : 'b', run);
    have_notes(t, want);
    answer(t, 0, 0);
    snprintf(want, sizeof want, "%c) not x\n%s",
             seen(t)->question.shown[0] == 1 ? 'a' : 'b', run);
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
}

/* A terminal without other characters gets none. */
static void
test_notes_in_ascii(void)
{
    OWNS(tutor) *t = open_lines(
        "predict { '?', choices = { 'x', 'y' }, wrong = { x = 'No.' },\n"
        "          answer = function() return 'y' end }\n");
    OWN(buf) full = {0}, ascii = {0};

    play_on(t);
    notes_add(seen(t), GLYPHS_FULL, &full);
    notes_add(seen(t), GLYPHS_ASCII, &ascii);
    ok(strstr(buf_text(&full), "y \342\234\223") != NULL,
       "the notes mark the right choice");
    ok(strstr(buf_text(&ascii), "y +") != NULL, "in ASCII with a sign of it");
}

/* What the learner wires is no command that could be typed. */
static void
test_notes_of_wiring(void)
{
    const struct transfer sends[] = {{.dst = 1, .nslots = 1}};
    OWNS(tutor) *t = open_lines(
        "predict { 'Wire it.', kind = 'wiring', of = 'broadcast', ranks = 2,\n"
        "  par = { steps = 1 }, hints = { 'h' }, notes = 'Wait.',\n"
        "  answer = function() return { '0>1 =0' } end }\n"
        "predict { 'Rule?', kind = 'rule', of = 'broadcast',\n"
        "  ranks = { 2, 3 },\n"
        "  answer = function()\n"
        "    return 'k=1..n-1: if r=0: chunk 0 to k' end }\n");
    struct err err = {.text = ""};

    play_on(t);
    have_notes(t, "Wait.\nhint: h\n"
               "on the screen: what was wired, step 0 of 0");
    ok(tutor_wire(t, sends, 1, &err) && tutor_wire_run(t, &err),
       "a step is wired%s", err.text);
    play_on(t);
    while (tutor_world(t)->position < 1 && tutor_advance(t, clock_ns(), &err))
        tutor_wait(t, &err);
    have_notes(t, "Wait.\nhint: h\n"
               "on the screen: what was wired, step 1 of 1");
    answer(t, 0, 0);
    have_notes(t, "GPU 0 sent A0 to GPU 1.\n"
               "on the screen: what was wired, step 1 of 1");
    go_on(t);
    answer(t, 0, 0);
    have_notes(t, "GPU 0 sent A0 to GPU 2.\n"
               "on the screen: what was wired, step 2 of 2");
}

/* A command is told with its options but without a long input. */
static void
test_notes_of_input(void)
{
    OWNS(tutor) *t = open_lines(
        "local list = ('1/'):rep(63) .. '1'\n"
        "run('ring-allreduce --input ' .. list .. ' --op max')\n"
        "say { '1', notes = 'n' }\n"
        "run('ring-allreduce --op max --input=' .. list)\n"
        "say { '2', notes = 'n' }\n"
        "run('ring-allreduce --input 1/2/3')\n"
        "say { '3', notes = 'n' }\n");

    play_on(t);
    have_notes(t, "n\non the screen: collviz ring-allreduce --input ... "
               "--op max, step 0 of 126");
    go_on(t);
    have_notes(t, "n\non the screen: collviz ring-allreduce --op max "
               "--input=..., step 0 of 126");
    go_on(t);
    have_notes(t, "n\non the screen: collviz ring-allreduce --input 1/2/3, "
               "step 0 of 4");
}

/* The outline of a lesson of these lines, at its end. */
static struct outline
outline_of(const char *lines)
{
    struct options options = {.backend = (char *)"auto", .count = -1,
                              .step = -1};
    struct outline o;

    tutor_close(open_lines(lines));
    outline_init(&o, lines_path(), &options);
    while (o.tutor != NULL) {
        struct pollfd p = {.fd = tutor_fd(o.tutor), .events = POLLIN};
        poll(&p, 1, tutor_due(o.tutor, clock_ns()) == INT64_MAX ? 10 : 0);
        outline_advance(&o, clock_ns());
    }
    return o;
}

/* The pages of a lesson are known before they are shown. */
static void
test_outline(void)
{
    struct outline o = outline_of("say 'One.\\nand more'\n" ASKS("8", "?")
                                  "say(('long '):rep(780))");
    const char *last;

    ok(json_array_size(o.pages) == 4, "all pages");
    ok(outline_has(&o, 1, "One."), "the first line of a page");
    ok(outline_has(&o, 2, "?"), "of a question");
    ok(outline_has(&o, 3, "It is: 8"), "of its answer");
    last = json_string_value(json_array_get(o.pages, 3));
    is_int((int)strlen(last), 83, "a first line is cut");
    ok(strcmp(last + 80, "...") == 0, "and says so");
    ok(!outline_has(&o, 1, "Two."), "another page is not known");
    ok(!outline_has(&o, 0, "") && !outline_has(&o, -1, "") &&
           !outline_has(&o, 5, ""), "nor one before the first or after the "
       "last");
    outline_done(&o);
    ok(!outline_has(&o, 1, "One."), "nor any without an outline");
}

/* What comes after these lines is not known, but the page before is. */
static void
ends_at(const char *what, const char *line)
{
    OWN(buf) lines = {0};
    OWN(outline) o;

    buf_addf(&lines, "say 'One.'\n%s\nsay 'Two.'", line);
    o = outline_of(buf_text(&lines));
    ok(json_array_size(o.pages) == 1 && outline_has(&o, 1, "One."),
       "the outline ends where a lesson %s", what);
}

/* Read ahead, a lesson that never ends takes no more than so much memory. */
static void
test_outline_ends(void)
{
    struct options options = {.backend = (char *)"auto"};
    OWN(outline) o = outline_of("while true do say '.' end");

    ok(json_array_size(o.pages) == 1000, "pages are kept up to a limit");
    outline_done(&o);
    ends_at("fails", "error('no more')");
    ends_at("measures", "bench 'ring-allreduce -g 2 -b 8 -e 8 -n 1'");
    outline_init(&o, "/none.lua", &options);
    while (o.tutor != NULL)
        outline_advance(&o, clock_ns());
    ok(json_array_size(o.pages) == 0,
       "a lesson that is not there has no pages");
}

int
main(void)
{
    tutor_begin();
    test_notes();
    test_notes_in_ascii();
    test_notes_of_wiring();
    test_notes_of_input();
    test_outline();
    test_outline_ends();
    lab_remove();
    return done_testing();
}
