/* SPDX-License-Identifier: MIT */
/* collviz on a screen, driven by keys, sizes and signals, and looked at cell
 * by cell. COLLVIZ is the program. */
#include "tap.h"
#include "terminal.h"

static char *
program(void)
{
    char *path = getenv("COLLVIZ");

    return path != NULL ? path : (char *)"src/collviz";
}

static void
start(struct terminal *t, int columns, int rows, const char *ranks,
      const char *more, const char *value)
{
    char *argv[] = {program(), (char *)"ring-allreduce", (char *)"--gpus",
                    (char *)ranks, (char *)more, (char *)value, NULL};

    terminal_start(t, columns, rows, argv);
}

/* Where `text` begins on the screen. */
static bool
find(const struct terminal *t, const char *text, VTermPos *pos)
{
    size_t length = strlen(text), matched;

    for (pos->row = 0; pos->row < t->rows; pos->row++)
        for (pos->col = 0; pos->col + (int)length <= t->columns; pos->col++) {
            for (matched = 0; matched < length; matched++) {
                VTermScreenCell cell;
                VTermPos at = {pos->row, pos->col + (int)matched};
                vterm_screen_get_cell(t->screen, at, &cell);
                if (cell.chars[0] != (unsigned char)text[matched])
                    break;
            }
            if (matched == length)
                return true;
        }
    return false;
}

/* The index among 256 of the ground under `text`; -1: the terminal's own. */
static int
ground_of(const struct terminal *t, const char *text)
{
    VTermScreenCell cell;
    VTermPos pos;

    if (!find(t, text, &pos))
        return -2;
    vterm_screen_get_cell(t->screen, pos, &cell);
    if (VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) ||
        VTERM_COLOR_IS_DEFAULT_FG(&cell.bg))
        return -1;
    return VTERM_COLOR_IS_INDEXED(&cell.bg) ? cell.bg.indexed.idx : -3;
}

static void
go(struct terminal *t, const char *step)
{
    terminal_type(t, "g");
    terminal_type(t, step);
    terminal_type(t, "\r");
}

static void
test_steps(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", NULL, NULL);
    ok(terminal_shows(&t, "step 0/4"), "it begins with the input");
    ok(terminal_shows(&t, "next: GPU 0 sends A2 to GPU 1"),
       "and tells what comes next");
    terminal_settle(&t);
    is_int(ground_of(&t, "A0"), 214, "rank 0's data is orange");
    is_int(ground_of(&t, "B0"), 75, "rank 1's is sky blue");
    terminal_type(&t, "\033OC");
    ok(terminal_shows(&t, "GPU 0 sends A2 to GPU 1"), "Right sets out");
    ok(terminal_shows(&t, "GPU 0 sent A2 to GPU 1"), "and arrives");
    terminal_type(&t, "l\t");
    ok(terminal_shows(&t, "GPU 1 sent A2+B2 to GPU 2"),
       "Tab tells of another rank");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "step 1/4"), "h goes back");
    terminal_type(&t, "\033OF");
    ok(terminal_shows(&t, "Correct"), "End is the end");
    terminal_type(&t, "\033OH");
    ok(terminal_shows(&t, "step 0/4"), "Home is the input");
    go(&t, "3");
    ok(terminal_shows(&t, "step 3/4"), "g goes to a step");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "GPU 0 S"), "v is another view");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "receives and adds"), "the timeline");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "took"), "the log");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "order of addition: "), "Enter looks closer");
    ok(terminal_shows(&t, "changed in step 3 by data from GPU 0"),
       "at one slot");
    terminal_type(&t, "\033OB\033OB");
    ok(terminal_shows(&t, "order of addition: B2+A2"), "Down goes to others");
    terminal_type(&t, "\033OA\r");
    ok(terminal_shows(&t, "took"), "Enter again goes back");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "quit"), "? helps");
    terminal_type(&t, "xq");
    is_int(terminal_wait(&t), 0, "q quits");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static void
test_play(void)
{
    struct terminal t;

    start(&t, 80, 24, "4", NULL, NULL);
    terminal_shows(&t, "step 0/6");
    terminal_type(&t, "+++++p");
    ok(terminal_shows(&t, "Correct"), "it plays through to the end");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "and ends well");
    terminal_done(&t);
}

/* Rank 2 takes its time: the others' blocks land, its own does not. */
static void
test_delay(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", "--delay", "2=inf");
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "waiting for GPU 2"), "a late rank is waited for");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "Symbols"), "the keys are answered meanwhile");
    terminal_type(&t, "xq");
    ok(terminal_wait(&t) >= 0, "one can quit");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static void
test_resize(void)
{
    struct terminal t;
    struct buf before = {0}, after = {0};

    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    go(&t, "1");
    terminal_shows(&t, "GPU 0 sent A2");
    terminal_settle(&t);
    terminal_text(&t, &before);
    terminal_resize(&t, 60, 20);
    ok(terminal_shows(&t, "80x24 is needed"), "a small one says what it needs");
    terminal_resize(&t, 120, 40);
    ok(terminal_shows(&t, "GPU 0 sent A2"), "a large one shows all");
    ok(terminal_shows(&t, "12 16"), "and numbers too");
    terminal_resize(&t, 80, 24);
    terminal_shows(&t, "GPU 0 sent A2");
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "nothing is lost");
    terminal_type(&t, "q");
    terminal_wait(&t);
    buf_done(&before);
    buf_done(&after);
    terminal_done(&t);
}

static void
test_endings(void)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                  SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    struct terminal t;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status;
        start(&t, 80, 24, "3", NULL, NULL);
        terminal_shows(&t, "step 0/4");
        ok(t.alternate && !terminal_whole(&t), "a screen is a screen");
        terminal_type(&t, "l");
        terminal_shows(&t, "sends");
        kill(t.pid, signals[i]);
        status = terminal_wait(&t);
        ok(WIFSIGNALED(status) && WTERMSIG(status) == signals[i],
           "%s ends it as it should", strsignal(signals[i]));
        ok(terminal_whole(&t), "and the terminal is whole");
        terminal_done(&t);
    }
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "\003");
    ok(WIFSIGNALED(terminal_wait(&t)), "so does Ctrl-C");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static void
test_stop(void)
{
    struct terminal t;
    struct buf before = {0}, after = {0};

    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_settle(&t);
    terminal_text(&t, &before);
    for (int i = 0; i < 2; i++) {
        terminal_type(&t, "\032");
        ok(WIFSTOPPED(terminal_wait(&t)), "Ctrl-Z stops it");
        ok(terminal_whole(&t), "and the terminal is whole");
        terminal_continue(&t);
        ok(terminal_shows(&t, "step 0/4"), "fg brings it back");
    }
    ok(t.alternate, "on its own screen");
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "as it was");
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "and it can be quit");
    buf_done(&before);
    buf_done(&after);
    terminal_done(&t);
}

static void
test_terminals(void)
{
    struct terminal t;
    VTermScreenCell cell;
    VTermPos pos;

    setenv("NO_COLOR", "1", 1);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    go(&t, "1");
    terminal_shows(&t, "GPU 0 sent A2");
    terminal_settle(&t);
    is_int(ground_of(&t, "A0"), -1, "NO_COLOR: no colour");
    ok(find(&t, "C1", &pos), "all letters");
    terminal_done(&t);
    unsetenv("NO_COLOR");

    setenv("TERM", "xterm", 1);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_settle(&t);
    is_int(ground_of(&t, "A0"), 3, "eight colours: orange is yellow");
    terminal_done(&t);

    setenv("TERM", "vt100", 1);
    start(&t, 80, 24, "3", "--ascii", NULL);
    ok(terminal_shows(&t, "[ A0 ]"), "vt100, ASCII");
    terminal_settle(&t);
    find(&t, "GPU 0", &pos);
    vterm_screen_get_cell(t.screen, pos, &cell);
    ok(cell.attrs.bold, "the selected rank is bold");
    terminal_done(&t);

    setenv("TERM", "dumb", 1);
    start(&t, 80, 24, "3", NULL, NULL);
    ok(terminal_shows(&t, "GPU0 [S0 | S1 | S2]"), "TERM=dumb: plain text");
    is_int(terminal_wait(&t), 0, "to the end");
    terminal_done(&t);
    setenv("TERM", "xterm-256color", 1);
}

/* Keys, sizes, stops and bytes that are no keys, one after the other; then the
 * screen must be the one that a full redraw gives. */
static void
test_random(unsigned seed)
{
    static const char *const keys[] = {
        "l", "h", " ", "p", "+", "-", "v", "\t", "?", "g7\r", "g\033", "G",
        "\033OC", "\033OD", "\033OH", "\033OF", "\033[Z", "x", "\xff\xfe",
        "g99999999999\r", "\r", "\033[200~", "=", "\177"};
    struct terminal t;
    struct buf before = {0}, after = {0};
    int status;

    start(&t, 80, 24, "5", NULL, NULL);
    terminal_shows(&t, "step 0/8");
    for (int i = 0; i < 300; i++) {
        int what = rand_r(&seed) % 20;
        if (what == 0)
            terminal_resize(&t, 20 + rand_r(&seed) % 180,
                            5 + rand_r(&seed) % 60);
        else if (what == 1)
            kill(t.pid, SIGWINCH);
        else
            terminal_type(&t, keys[(size_t)rand_r(&seed) %
                                   (sizeof keys / sizeof keys[0])]);
        terminal_read(&t, rand_r(&seed) % 5);
    }
    terminal_resize(&t, 80, 24);
    terminal_type(&t, "\r");
    terminal_settle(&t);
    go(&t, "0");
    ok(terminal_shows(&t, "step 0/8"), "alive after 300 random acts");
    terminal_settle(&t);
    terminal_text(&t, &before);
    kill(t.pid, SIGCONT); /* draws all anew */
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "no garbage");
    terminal_type(&t, "q");
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && terminal_whole(&t), "and quits in good order");
    buf_done(&before);
    buf_done(&after);
    terminal_done(&t);
}

int
main(void)
{
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
    test_steps();
    test_play();
    test_delay();
    test_resize();
    test_endings();
    test_stop();
    test_terminals();
    test_random(1);
    test_random(2);
    return done_testing();
}
