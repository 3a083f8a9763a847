/* SPDX-License-Identifier: MIT */
/* collviz and its terminal: other sizes, stops, crashes, kinds of terminals,
 * backgrounds, and anything at random. */
#include "screen_run.h"

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
    terminal_resize(&t, 39, 20);
    ok(terminal_shows(&t, "40x10 is needed"),
       "a small screen says what it needs");
    terminal_resize(&t, 40, 10);
    ok(terminal_shows(&t, "which added it"), "40x10 is enough");
    terminal_resize(&t, 120, 40);
    ok(terminal_shows(&t, "GPU 0 sent A2"), "a large screen shows all");
    ok(terminal_shows(&t, "12 16"), "and numbers too");
    terminal_type(&t, "?");
    terminal_shows(&t, "Esc close");
    terminal_resize(&t, 100, 30);
    terminal_settle(&t);
    ok(terminal_shows(&t, "next step, back"), "the help stays there");
    terminal_type(&t, "x");
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

/* A crash leaves the terminal whole, too. tests/endings.c has the signals that
 * ask the program to end. */
static void
test_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS,
                                  SIGFPE,  SIGILL,  SIGTRAP};
    struct terminal t;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status;
        start(&t, 80, 24, "3", NULL, NULL);
        terminal_shows(&t, "step 0/4");
        ok(t.alternate && !terminal_whole(&t), "a screen is a screen");
        terminal_type(&t, "l");
        terminal_shows(&t, "sends");
        process_signal(t.pid, signals[i]);
        status = terminal_wait(&t);
        ok(WIFSIGNALED(status) && WTERMSIG(status) == signals[i],
           "%s ends it as it should", strsignal(signals[i]));
        ok(terminal_whole(&t), "and the terminal is whole");
        terminal_done(&t);
    }
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

/* Ctrl-Z throws away what was typed before it, and the program may have seen
 * that there is something to read. */
static void
test_stop_amid_keys(void)
{
    static const char keys[] = "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh";
    struct terminal t;
    int stops = 0;
    bool stopped = true;

    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_settle(&t);
    while (stopped && stops < 100) {
        terminal_type(&t, keys);
        usleep((useconds_t)stops);
        terminal_type(&t, "\032");
        stopped = WIFSTOPPED(terminal_wait(&t));
        stops += stopped;
        terminal_continue(&t);
        while (stopped && !t.alternate && terminal_read(&t, 10))
            ;
    }
    is_int(stops, 100, "Ctrl-Z right after keys stops it");
    terminal_done(&t);
}

/* It may throw away the end of a reply, too. */
static void
test_stop_amid_reply(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", NULL, NULL);
    t.mute = true;
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "\033]11;rgb:00");
    usleep(100000);
    terminal_type(&t, "\032");
    ok(WIFSTOPPED(terminal_wait(&t)) && terminal_whole(&t),
       "Ctrl-Z stops it in the middle of a reply");
    terminal_continue(&t);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "step 1/4"), "keys are keys after it");
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
    ok(terminal_shows(&t, "|0   A0"), "vt100, ASCII");
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

/* Whether a letter or a line has this colour, of 256, on the terminal's own
 * background.  The ends of blocks, which are halves of cells, keep theirs. */
static bool
has_ink(const struct terminal *t, int colour)
{
    VTermScreenCell cell;

    for (int y = 0; y < t->rows; y++)
        for (int x = 0; x < t->columns; x++) {
            vterm_screen_get_cell(t->screen, (VTermPos){y, x}, &cell);
            if (cell.chars[0] != 0x258c && cell.chars[0] != 0x2590 &&
                VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) &&
                VTERM_COLOR_IS_INDEXED(&cell.fg) &&
                cell.fg.indexed.idx == colour)
                return true;
        }
    return false;
}

/* The terminal says at any time that its background is light; then yellow
 * letters get darker. */
static void
test_background(void)
{
    enum { YELLOW = 227, DARK_YELLOW = 100 };
    struct terminal t;

    start(&t, 80, 24, "4", NULL, NULL);
    terminal_shows(&t, "step 0/6");
    terminal_type(&t, "1g");
    terminal_shows(&t, "step 1/6");
    terminal_settle(&t);
    ok(has_ink(&t, YELLOW) && !has_ink(&t, DARK_YELLOW), "yellow on dark");
    terminal_type(&t, "\033]11;rgb:ffff/ff");
    usleep(200000);
    terminal_type(&t, "ff/ffff\033\\");
    terminal_settle(&t);
    ok(!has_ink(&t, YELLOW) && has_ink(&t, DARK_YELLOW), "darker on light");
    ok(terminal_shows(&t, "step 1/6"), "a reply in two parts is no key");
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "but q is");
    terminal_done(&t);
}

/* Over a slow link a reply comes when the program is about to end: it waits for
 * it, so that the shell does not read it. */
static void
test_late_reply(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", NULL, NULL);
    t.mute = true;
    terminal_type(&t, "q");
    for (int64_t until = clock_ns() + 300000000; clock_ns() < until;)
        terminal_read(&t, 10);
    terminal_type(&t, "\033]11;rgb:ffff/ffff/ffff\033\\");
    usleep(100000);
    terminal_type(&t, "\033[?62;22c");
    ok(WIFEXITED(terminal_wait(&t)) && terminal_whole(&t),
       "it ends after the last reply");
    ok(!terminal_has(&t, "rgb") && !terminal_has(&t, "62"),
       "and the shell reads none");
    terminal_done(&t);

    start(&t, 80, 24, "3", NULL, NULL);
    t.mute = true;
    terminal_shows(&t, "step 0/4");
    ok(t.asked, "the terminal is asked when the screen opens");
    terminal_type(&t, "\033[?62");
    usleep(100000);
    terminal_type(&t, ";22c");
    terminal_settle(&t);
    ok(terminal_shows(&t, "step 0/4") && !terminal_has(&t, "Keys"),
       "a reply is no key, either");
    terminal_type(&t, "\033]l");
    ok(terminal_shows(&t, "step 1/4"), "a key that looks like one is a key");
    terminal_done(&t);

    start(&t, 80, 24, "3", NULL, NULL);
    t.mute = true;
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "a terminal that never replies is left");
    terminal_done(&t);
}

/* What is typed after the last reply is for the shell. */
static void
test_typed_ahead(void)
{
    char command[600];
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", command, NULL};
    struct terminal t;

    snprintf(command, sizeof command,
             "'%s' ring-allreduce --gpus 3; read -r line; echo \"read $line\"",
             program());
    terminal_start(&t, 80, 24, argv);
    t.mute = true;
    while (!t.asked && terminal_read(&t, 100))
        ;
    terminal_type(&t, "q\033]11;rgb:0/0/0\033\\\033[?62;22cls -l\n");
    terminal_wait(&t);
    ok(terminal_shows(&t, "read ls -l"), "what is typed ahead is not lost");
    terminal_done(&t);
}

/* Stops the program and continues it. It must run again before the next
 * SIGTSTP, which SIGCONT would discard. */
static bool
stop(struct terminal *t)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
    bool good;

    process_signal(t->pid, SIGTSTP);
    good = WIFSTOPPED(terminal_wait(t)) && terminal_whole(t);
    terminal_continue(t);
    while (!t->alternate && clock_ns() < until)
        terminal_read(t, 10);
    return good && t->alternate;
}

/* Does one random thing. Returns false if the terminal then is not as it should
 * be. */
static bool
act(struct terminal *t, unsigned *seed)
{
    static const char *const keys[] = {
        "l", "h", " ", "p", "+", "-", "v", "\t", "?", "g7\r", "g\033", "G",
        "\033OC", "\033OD", "\033OH", "\033OF", "\033[Z", "x", "\xff\xfe",
        "g99999999999\r", "\r", "\033[200~", "=", "\177", "3", "0", "9g",
        "12\t", "a5\r", "a3 --delay 1=20\r", "a--pace free\r", "a--op nor\r",
        "a\xe7\x8e\xaf\177\033", "\033", "w/dev/null\r", "w/no/such\r\033",
        "\033[A", "\033[B", "\025", "a1\r", "a16 --type int32\r"};

    switch (rand_r(seed) % 24) {
    case 0:
        terminal_resize(t, 20 + rand_r(seed) % 180, 5 + rand_r(seed) % 60);
        break;
    case 1:
        process_signal(t->pid, SIGWINCH);
        break;
    case 2:
    case 3:
        terminal_click(t, rand_r(seed) % t->columns, rand_r(seed) % t->rows,
                       rand_r(seed) % 2 == 0 ? 1 : 4 + rand_r(seed) % 2);
        break;
    case 4:
        return stop(t);
    default:
        terminal_type(t, keys[(size_t)rand_r(seed) %
                              (sizeof keys / sizeof keys[0])]);
        break;
    }
    return true;
}

/* Keys, clicks, sizes, stops, changes of the run and bytes that are not keys,
 * one after the other; then the screen must be what a full redraw gives. */
static void
test_random(unsigned seed, const char *ranks)
{
    enum { ACTS = 1000 };
    struct terminal t;
    struct buf before = {0}, after = {0};
    int status, bad = 0;

    start(&t, 80, 24, ranks, NULL, NULL);
    terminal_shows(&t, "step 0/");
    for (int i = 0; i < ACTS; i++) {
        bad += !act(&t, &seed);
        terminal_read(&t, rand_r(&seed) % 5);
    }
    is_int(bad, 0, "whenever it stops, the terminal is whole");
    terminal_resize(&t, 80, 24);
    terminal_settle(&t);
    terminal_type(&t, "\033");
    terminal_settle(&t);
    terminal_type(&t, "xa4 --pace lockstep --op sum\r");
    ok(terminal_shows(&t, "step 0/6"), "alive after %d random acts", ACTS);
    terminal_settle(&t);
    terminal_text(&t, &before);
    process_signal(t.pid, SIGCONT); /* redraws everything */
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "no garbage is left");
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
    terminal_or_skip();
    screen_begin();
    test_resize();
    test_crashes();
    test_stop();
    test_stop_amid_keys();
    test_stop_amid_reply();
    test_terminals();
    test_background();
    test_late_reply();
    test_typed_ahead();
    test_random(1, "5");
    test_random(2, "5");
    test_random(3, "100"); /* a map and a lens */
    lab_remove();
    return done_testing();
}
