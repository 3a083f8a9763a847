/* SPDX-License-Identifier: MIT */
/* collviz on a screen, driven by keys, sizes and signals, and checked cell by
 * cell. COLLVIZ is the program. */
#include <sys/stat.h>

#include "tap.h"
#include "terminal.h"
#include "view/keys.h"

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

/* The position of `text` on the screen. */
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

/* The background colour, of 256, under `text`; -1: the default of the
 * terminal. */
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
       "and says what comes next");
    terminal_settle(&t);
    is_int(ground_of(&t, "A0"), 214, "rank 0's data is orange");
    is_int(ground_of(&t, "B0"), 75, "rank 1's is sky blue");
    terminal_type(&t, "\033OC");
    ok(terminal_shows(&t, "GPU 0 sends A2 to GPU 1"),
       "Right puts a step in flight");
    ok(terminal_shows(&t, "GPU 0 sent A2 to GPU 1"), "which lands");
    terminal_type(&t, "l\t");
    ok(terminal_shows(&t, "GPU 1 sent A2+B2 to GPU 2"),
       "Tab describes another rank");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "step 1/4"), "h goes back");
    terminal_type(&t, "\033OF");
    ok(terminal_shows(&t, "Correct"), "End is the end");
    terminal_type(&t, "\033OH");
    ok(terminal_shows(&t, "step 0/4"), "Home is the input");
    go(&t, "3");
    ok(terminal_shows(&t, "step 3/4"), "g goes to a step");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "1 apart"), "v is another view: the stages");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "GPU 0 S"), "the matrix");
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
    terminal_type(&t, "f");
    ok(terminal_shows(&t, "following"), "f follows what a slot holds");
    terminal_type(&t, "\033OB");
    ok(terminal_shows(&t, "following S1"), "Down follows another slot");
    terminal_type(&t, "f?");
    ok(terminal_shows(&t, "change the run"), "? helps");
    terminal_type(&t, "xq");
    ok(WIFEXITED(terminal_wait(&t)), "q quits");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

/* The key a completes and remembers, also from one run to the next. */
static void
test_changes(void)
{
    char *argv[] = {program(), (char *)"--gpus", (char *)"3", NULL};
    struct terminal t;

    terminal_start(&t, 80, 24, argv);
    terminal_shows(&t, "What is a collective?");
    terminal_type(&t, "\t\r");
    ok(terminal_shows(&t, "step 0/4"), "runs have the options given");
    terminal_type(&t, "a--ty\tb\t");
    ok(terminal_shows(&t, "change: --type bfloat16 _"), "Tab completes");
    terminal_type(&t, "tor\t");
    ok(terminal_shows(&t, "torus2d-allreduce  torus3d-allreduce"),
       "or lists what is possible");
    terminal_type(&t, "\027\r");
    ok(terminal_shows(&t, "bfloat16 sum"), "Enter makes the change");
    terminal_type(&t, "qn\033");
    terminal_shows(&t, "another list");
    terminal_type(&t, "/ring-allred\r");
    terminal_shows(&t, "float32 sum");
    terminal_type(&t, "a\033OA");
    ok(terminal_shows(&t, "change: --type bfloat16"), "Up remembers it");
    terminal_done(&t);
}

/* Through each door of the home screen and back. */
static void
test_home(void)
{
    char *argv[] = {program(), NULL};
    struct terminal t;

    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "What is a collective?"), "alone: the home screen");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Enter go on"), "Enter begins a lesson");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "another list"), "and q leads back");
    terminal_type(&t, "\t");
    ok(terminal_shows(&t, "ring-allreduce"), "Tab is the gallery");
    ok(terminal_shows(&t, "4 ranks (threads), step 1/6"), "which moves");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "step 0/6"), "Enter runs it");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "another list"), "Esc leads back");
    terminal_type(&t, "bruck alltoall");
    ok(terminal_shows(&t, "search: bruck alltoall"), "letters search");
    ok(terminal_shows(&t, "bruck-alltoall"), "and find");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "search: bruck alltoallq"), "q is a letter, too");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "another list"), "until Esc");
    terminal_type(&t, "/threads\r");
    ok(terminal_shows(&t, "step 0/6"), "a backend runs a ring");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "search: threads"), "and q is back at the search");
    terminal_resize(&t, 40, 10);
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "Enter go  / search  q quit"), "40x10 is enough");
    terminal_type(&t, "q");
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

/* Rank 2 is slow: the others' blocks land, its own does not. */
static void
test_fault(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", "--fault", "drop:1:2");
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "! C1 from GPU 2 to GPU 0 was dropped on purpose."),
       "a fault made on purpose is shown");
    ok(terminal_shows(&t, "1!"), "and marked where it shows");
    go(&t, "4");
    ok(terminal_shows(&t, "! WRONG: rank 0, chunk 1"), "and the result");
    terminal_type(&t, "q");
    ok(WEXITSTATUS(terminal_wait(&t)) == 1, "is status 1");
    terminal_done(&t);
}

static void
test_delay(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", "--delay", "2=inf");
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "waiting for GPU 2"), "a late rank is waited for");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "next: GPU 0"), "or not any more");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "waiting for GPU 2"), "also on the way to the end");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "next: GPU 0"), "which can be given up");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "the symbols"), "the keys are answered meanwhile");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "Symbols"), "? again explains the symbols");
    terminal_settle(&t);
    ok(!terminal_has(&t, "change the run"), "on a page of their own");
    terminal_type(&t, "xq");
    ok(terminal_wait(&t) >= 0, "q quits");
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
    terminal_resize(&t, 39, 20);
    ok(terminal_shows(&t, "40x10 is needed"),
       "a small screen says what it needs");
    terminal_resize(&t, 40, 10);
    ok(terminal_shows(&t, "which added it"), "40x10 is enough");
    terminal_resize(&t, 120, 40);
    ok(terminal_shows(&t, "GPU 0 sent A2"), "a large screen shows all");
    ok(terminal_shows(&t, "12 16"), "and numbers too");
    terminal_type(&t, "?");
    terminal_shows(&t, "Symbols");
    terminal_resize(&t, 100, 30);
    terminal_settle(&t);
    ok(terminal_has(&t, "next step, back"), "the help stays there");
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
        kill(t.pid, signals[i]);
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

/* "And with 5?" A change that cannot be made is an error, and loses nothing. */
static void
test_change(void)
{
    struct terminal t;

    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    go(&t, "2");
    terminal_shows(&t, "step 2/4");
    terminal_type(&t, "a5 --delay 7=1\r");
    ok(terminal_shows(&t, "there is no rank 7"), "a change is refused");
    ok(terminal_shows(&t, "change: 5 --delay 7=1_"),
       "the text can be corrected");
    ok(terminal_shows(&t, "step 2/4"), "the run is still there");
    terminal_type(&t, "\177\177\177" "2=inf\r");
    ok(terminal_shows(&t, "5 ranks"), "another run, of 5 ranks");
    ok(terminal_shows(&t, "step 0/8"), "begins");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "waiting for GPU 2"), "and rank 2 is late");
    terminal_type(&t, "a2\r");
    ok(terminal_shows(&t, "2 ranks"),
       "fewer ranks drop the delays of the others");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "Correct"), "and run to the end");
    terminal_type(&t, "a--op max --type int32\r");
    ok(terminal_shows(&t, "int32 max"), "another operation and type");
    terminal_type(&t, "a--plain\r");
    ok(terminal_shows(&t, "belongs on the command line"), "not everything");
    terminal_type(&t, "\025" "foo\r");
    ok(terminal_shows(&t, "! "), "no algorithm of that name");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "a change"), "Escape leaves it");
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "and q quits");
    terminal_done(&t);
}

/* A long error is shown in full, above the typed text. */
static void
test_long_error(const char *lang)
{
    struct terminal t;

    start(&t, 80, 24, "3", "--lang", lang);
    terminal_shows(&t, " 0/4");
    terminal_type(&t, "a--type quadruple-precision\r");
    ok(terminal_shows(&t, "! --type 'quadruple-precision': it must be float32"),
       "the beginning of a long error, %s", lang);
    ok(terminal_shows(&t, "   bfloat16, int32, int64 or uint8"), "and its end");
    ok(terminal_shows(&t, " --type quadruple-precision_"),
       "and what was typed");
    terminal_type(&t, "\033");
    terminal_settle(&t);
    ok(!terminal_has(&t, "bfloat16"), "Escape takes all of it away");
    terminal_type(&t, "a--input 1,2/3,4/5,");
    for (int i = 0; i < 200; i++)
        terminal_type(&t, "x");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "xxx' is not a valid float32"),
       "one longer than two rows");
    ok(terminal_has(&t, "! --input: rank 2's"), "is there whole, too");
    terminal_type(&t, "\033q");
    is_int(WEXITSTATUS(terminal_wait(&t)), 1,
           "and it ends as a run that was quit");
    terminal_done(&t);
}

static void
test_counts(void)
{
    struct terminal t;

    start(&t, 80, 24, "5", NULL, NULL);
    terminal_shows(&t, "step 0/8");
    terminal_type(&t, "3l");
    ok(terminal_shows(&t, "step 3/8"), "3l goes three on");
    terminal_type(&t, "2h");
    ok(terminal_shows(&t, "step 1/8"), "2h two back");
    terminal_type(&t, "7g");
    ok(terminal_shows(&t, "step 7/8"), "7g to step 7");
    terminal_type(&t, "3\t");
    ok(terminal_shows(&t, "GPU 3 sent"), "3 Tab selects GPU 3");
    terminal_type(&t, "0g");
    ok(terminal_shows(&t, "step 0/8"), "0g to the input");
    terminal_type(&t, "99999999999l");
    ok(terminal_shows(&t, "step 8/8"), "too many steps are all steps");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

static void
test_mouse(void)
{
    struct terminal t;
    VTermPos pos;

    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_settle(&t);
    find(&t, "GPU 2", &pos);
    terminal_click(&t, pos.col, pos.row + 2, 1);
    ok(terminal_shows(&t, "next: GPU 2 sends"), "a click selects a GPU");
    terminal_click(&t, 40, 12, 5);
    ok(terminal_shows(&t, "GPU 2 sent"), "the wheel goes on");
    terminal_click(&t, 40, 12, 4);
    ok(terminal_shows(&t, "step 0/4"), "and back");
    find(&t, "step 0/4", &pos);
    terminal_click(&t, pos.col - 4, pos.row, 1);
    ok(terminal_shows(&t, "step 4/4"), "a click on the line goes there");
    find(&t, "all-gather", &pos);
    terminal_click(&t, pos.col, pos.row, 1);
    ok(terminal_shows(&t, "step 3/4"), "on a phase's name, to its first step");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "and it ends well");
    ok(terminal_whole(&t), "without a mouse");
    terminal_done(&t);
}

/* Over a slow link keys are answered all the same, and old frames are left
 * out. */
static void
test_slow_link(void)
{
    enum { KEYS = 200, BYTES_A_MS = 20 };
    struct terminal t;
    char bytes[BYTES_A_MS];
    int64_t until;
    size_t taken = 0;
    ssize_t n = 1;
    int status = -1;

    start(&t, 200, 60, "16", NULL, NULL);
    terminal_shows(&t, "step 0/30");
    terminal_type(&t, "+++++p");
    for (int i = 0; i < KEYS; i++)
        terminal_type(&t, "v");
    terminal_type(&t, "q");
    until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
    while (n > 0 && clock_ns() < until) {
        struct pollfd p[] = {{.fd = t.fd, .events = POLLIN},
                             {.fd = t.news, .events = POLLIN}};
        poll(p, 2, 1000);
        if (p[1].revents != 0)
            break;
        n = read(t.fd, bytes, sizeof bytes);
        if (n > 0) {
            vterm_input_write(t.vt, bytes, (size_t)n);
            taken += (size_t)n;
        }
        usleep(1000);
    }
    status = terminal_wait(&t);
    ok(WIFEXITED(status), "all keys over a slow link are answered");
    ok(taken < 150000, "most frames are left out: %zu bytes", taken);
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static const char *
slurp(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "re");
    int c;

    while (file != NULL && (c = getc(file)) != EOF)
        buf_putc(out, (char)c);
    if (file != NULL)
        fclose(file);
    return buf_text(out);
}

/* A recording that begins in the middle, while an earlier step is shown, has
 * everything. */
static void
test_record(void)
{
    static char path[] = "screen-test.jsonl";
    char keys[64];
    struct terminal t;
    struct buf text = {0}, again = {0};
    char *argv[] = {program(), (char *)"replay", path, NULL};

    unlink(path);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    go(&t, "2");
    terminal_shows(&t, "step 2/4");
    terminal_type(&t, "w/no/such/place.jsonl\r");
    ok(terminal_shows(&t, "! cannot write"),
       "a folder that does not exist is an error");
    snprintf(keys, sizeof keys, "\025%s\r", path);
    terminal_type(&t, keys);
    ok(terminal_shows(&t, "being written"), "a recording is begun");
    terminal_type(&t, "wother.jsonl\r");
    ok(terminal_shows(&t, "is being written already"), "one at a time");
    terminal_type(&t, "\033G");
    terminal_shows(&t, "Correct");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    slurp(path, &text);
    ok(strncmp(buf_text(&text), "{\"type\":\"run\"", 13) == 0 &&
           strstr(buf_text(&text), "\"complete\":true") != NULL,
       "it has the beginning and the end");

    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "step 0/4"), "and is replayed");
    ok(terminal_has(&t, "collviz replay  ring"), "and says so in its title");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "Correct"), "to the end");
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "can not be changed"), "a recording stays as it is");
    unlink(path);
    terminal_type(&t, "w");
    terminal_type(&t, path);
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "written to"), "and can be written again");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    is_int((int)strlen(slurp(path, &again)), (int)text.length,
           "with as much in it, step by step");
    buf_done(&again);
    unlink(path);
    buf_done(&text);
}

/* w writes only what it knows, to regular files, and asks before it replaces
 * one. */
static void
test_write_refused(void)
{
    static const char path[] = "screen-test.svg", pipe[] = "screen-test.cast";
    struct terminal t;
    struct buf text = {0};
    FILE *file = fopen(path, "we");

    fputs("precious", file);
    fclose(file);
    unlink(pipe);
    mkfifo(pipe, 0600);
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "wscreen-test.png\r");
    ok(terminal_shows(&t, "! screen-test.png: the name of a file must end in "
                          ".jsonl, .svg"),
       "an ending that w does not know is refused, with those that it knows");
    ok(access("screen-test.png", F_OK) != 0, "and nothing is written");
    terminal_type(&t, "\025screen-test.cast\r");
    ok(terminal_shows(&t, "not a regular file"),
       "a pipe is refused, which would wait for a reader");
    terminal_type(&t, "\025screen-test.svg\r");
    ok(terminal_shows(&t, "Enter again replaces it"),
       "a file that exists is not replaced without a question");
    terminal_type(&t, "\033");
    terminal_shows(&t, "back");
    terminal_type(&t, "wscreen-test.svg\r");
    ok(terminal_shows(&t, "Enter again replaces it"),
       "which is asked again the next time");
    is_str(slurp(path, &text), "precious", "the file is what it was");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "written to screen-test.svg"), "Enter replaces it");
    buf_clear(&text);
    ok(strstr(slurp(path, &text), "<svg") != NULL, "by the picture");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    unlink(path);
    unlink(pipe);
    buf_done(&text);
}

/* w writes what is on the screen, or a film; the name says which. */
static void
test_publish(void)
{
    static const char picture[] = "screen-test.svg", film[] =
        "screen-test.cast";
    struct terminal t;
    struct buf svg = {0}, cast = {0};

    unlink(picture);
    unlink(film);
    unlink("screen-test.gif");
    start(&t, 80, 24, "3", NULL, NULL);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "vvG");
    terminal_shows(&t, "Correct");
    go(&t, "2");
    terminal_shows(&t, "step 2/4");
    terminal_type(&t, "wscreen-test.svg\r");
    ok(terminal_shows(&t, "written to screen-test.svg"), "w writes a picture");
    terminal_type(&t, "wscreen-test.cast\r");
    ok(terminal_shows(&t, "written to screen-test.cast"), "or a film");
    ok(terminal_shows(&t, "step 2/4"), "and the screen stays as it was");
    terminal_type(&t, "wscreen-test.gif\r");
    ok(terminal_shows(&t, "screen-test.gif"), "or as a GIF, if there are any");
    terminal_type(&t, "\033w/no/such/place.svg\r");
    ok(terminal_shows(&t, "! cannot write /no/such/place.svg"),
       "a folder that does not exist is an error");
    terminal_type(&t, "\033q");
    terminal_wait(&t);
    terminal_done(&t);
    slurp(picture, &svg);
    ok(strstr(buf_text(&svg), ">step 2/4<") != NULL &&
           strstr(buf_text(&svg), "Correct") == NULL,
       "the picture has the step that was shown");
    ok(strstr(buf_text(&svg), "\xe2\x95\xad") == NULL,
       "in the view that was shown, which has no frames");
    ok(strstr(buf_text(&svg), ">back<") == NULL &&
           strstr(buf_text(&svg), "written") == NULL,
       "without keys and messages");
    slurp(film, &cast);
    ok(strstr(buf_text(&cast), "step 0/4") != NULL &&
           strstr(buf_text(&cast), "Correct") != NULL,
       "the film has the whole run");
    unlink(picture);
    unlink(film);
    unlink("screen-test.gif");
    buf_done(&svg);
    buf_done(&cast);
}

/* Whether a character has this colour, of 256, on the terminal's own
 * background. */
static bool
has_ink(const struct terminal *t, int colour)
{
    VTermScreenCell cell;

    for (int y = 0; y < t->rows; y++)
        for (int x = 0; x < t->columns; x++) {
            vterm_screen_get_cell(t->screen, (VTermPos){y, x}, &cell);
            if (VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) &&
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
    ok(terminal_has(&t, "step 1/6"), "a reply in two parts is no key");
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "but q is");
    terminal_done(&t);
}

/* The keys in the last line, clicked. */
static void
test_click_keys(void)
{
    char *argv[] = {program(), (char *)"broadcast", (char *)"--mismatch",
                    (char *)"2=root:1", NULL};
    struct terminal t;
    VTermPos at;

    terminal_start(&t, 80, 24, argv);
    terminal_shows(&t, "step 0/2");
    ok(terminal_has(&t, "! mismatch 2=root:1"),
       "the title names what was changed on purpose");
    terminal_settle(&t);
    ok(find(&t, "change", &at), "a key in the last line");
    terminal_click(&t, at.col + 2, at.row, 1);
    ok(terminal_shows(&t, "change: _"), "clicked, is typed");
    terminal_type(&t, "\033");
    terminal_shows(&t, "change  ?");
    terminal_settle(&t);
    find(&t, "next", &at);
    terminal_click(&t, at.col, at.row, 1);
    ok(terminal_shows(&t, "step 1/2"), "also one with an arrow");
    terminal_done(&t);
}

/* A run goes on while the user looks at earlier steps. */
static void
test_past(void)
{
    struct terminal t;
    char *argv[] = {program(), (char *)"ring-allreduce", (char *)"--gpus",
                    (char *)"3", (char *)"--pace", (char *)"free",
                    (char *)"--delay", (char *)"1=150", NULL};

    terminal_start(&t, 80, 24, argv);
    terminal_shows(&t, "step 0/4");
    terminal_type(&t, "1g");
    ok(terminal_shows(&t, "step 1/4"), "step 1 while the run goes on");
    usleep(900 * 1000);
    terminal_type(&t, "0g");
    ok(terminal_shows(&t, "step 0/4"), "the same step stays shown");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "Correct"), "meanwhile all steps have come");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* Stops the program and continues it. It must run again before the next
 * SIGTSTP, which SIGCONT would discard. */
static bool
stop(struct terminal *t)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
    bool good;

    kill(t->pid, SIGTSTP);
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
        kill(t->pid, SIGWINCH);
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
    kill(t.pid, SIGCONT); /* redraws everything */
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "no garbage is left");
    terminal_type(&t, "q");
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && terminal_whole(&t), "and quits in good order");
    buf_done(&before);
    buf_done(&after);
    terminal_done(&t);
}

/* The names of the algorithms that race, then the end of the race; a resize and
 * keys in between. */
static void
test_race(void)
{
    char *argv[] = {program(), (char *)"compare", (char *)"ring-allreduce",
                    (char *)"tree-allreduce", (char *)"--gpus", (char *)"4",
                    NULL};
    struct terminal t;
    int status;

    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "ring-allreduce") &&
           terminal_shows(&t, "tree-allreduce"),
       "two algorithms race");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "play"), "a step ahead stops the clock");
    terminal_resize(&t, 120, 40);
    ok(terminal_shows(&t, "each second shows"), "in another size, too");
    terminal_type(&t, "+-hhll  ");
    terminal_type(&t, "\033OF");
    ok(terminal_shows(&t, "place 1") && terminal_shows(&t, "place 2"),
       "End shows who came first");
    terminal_type(&t, "q");
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0 && terminal_whole(&t),
       "and q leaves in good order");
    terminal_done(&t);
}

/* What a terminal sends for a key; NULL: the mouse's. */
static const char *
sent_for(int code)
{
    static char character[2];

    switch (code) {
    case SCREEN_KEY_LEFT:
        return "\033OD";
    case SCREEN_KEY_RIGHT:
        return "\033OC";
    case SCREEN_KEY_UP:
        return "\033OA";
    case SCREEN_KEY_DOWN:
        return "\033OB";
    case SCREEN_KEY_HOME:
        return "\033OH";
    case SCREEN_KEY_END:
        return "\033OF";
    case SCREEN_KEY_BACKTAB:
        return "\033[Z";
    case SCREEN_KEY_ENTER:
        return "\r";
    case SCREEN_KEY_CLICK:
    case SCREEN_KEY_WHEEL_UP:
    case SCREEN_KEY_WHEEL_DOWN:
        return NULL;
    default:
        character[0] = (char)code;
        return character;
    }
}

static void
press(struct terminal *t, int code)
{
    VTermPos at = {0};

    if (sent_for(code) != NULL) {
        terminal_type(t, sent_for(code));
        return;
    }
    find(t, "GPU 0 --", &at);
    terminal_click(t, at.col, at.row,
                   code == SCREEN_KEY_CLICK      ? 1
                   : code == SCREEN_KEY_WHEEL_UP ? 4
                                                 : 5);
}

/* Brings the screen, after step 2 with GPU 1 selected, to a state in which the
 * key applies. */
static void
prepare(struct terminal *t, const struct key *k)
{
    go(t, "2");
    terminal_shows(t, "step 2/4");
    terminal_type(t, "\t");
    terminal_shows(t, "GPU 1 sent");
    if (k->when & KEY_AT_SLOT) {
        terminal_type(t, "\r\033OB");
        terminal_shows(t, "slot 1");
    }
    if (k->when & KEY_PLAYING) {
        terminal_type(t, "-----p");
        terminal_shows(t, "p pause");
    }
    terminal_settle(t);
}

/* Whether the screen soon differs from `before`, or the program quits. */
static bool
changes(struct terminal *t, const struct buf *before, bool quits)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
    struct buf now = {0};
    bool same = true, open = true;

    while (same && clock_ns() < until && (open = terminal_read(t, 20)))
        same = strcmp(terminal_text(t, &now), buf_text(before)) == 0;
    buf_done(&now);
    return clock_ns() < until &&
           (quits ? WIFEXITED(terminal_wait(t)) : open && t->alternate);
}

/* Every key of the table that tests/keys.c finds in the help, each in a run of
 * its own.  tests/learn.c visits from a lesson. */
static void
test_every_key(void)
{
    struct terminal t;
    struct buf before = {0};

    for (const struct key *k = watch_keys; k->request != 0; k++)
        for (int i = 0; i < KEY_CODES && k->codes[i] != 0 &&
                        !(k->when & KEY_VISITING);
             i++) {
            start(&t, 80, 24, "3", "--ascii", NULL);
            terminal_shows(&t, "step 0/4");
            prepare(&t, k);
            terminal_text(&t, &before);
            press(&t, k->codes[i]);
            ok(changes(&t, &before, k->request == WATCH_QUIT),
               "key %x does something", k->codes[i]);
            terminal_done(&t);
        }
    buf_done(&before);
}

int
main(void)
{
    char state[] = "/tmp/collviz-screen-XXXXXX", command[64];

    terminal_or_skip();
    if (mkdtemp(state) == NULL)
        return 99;
    setenv("XDG_STATE_HOME", state, 1);
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
    test_steps();
    test_home();
    test_changes();
    test_play();
    test_delay();
    test_fault();
    test_resize();
    test_crashes();
    test_stop();
    test_terminals();
    test_change();
    test_long_error("en");
    test_long_error("zh");
    test_counts();
    test_record();
    test_publish();
    test_write_refused();
    test_background();
    test_click_keys();
    test_past();
    test_mouse();
    test_slow_link();
    test_race();
    test_every_key();
    test_random(1, "5");
    test_random(2, "5");
    test_random(3, "100"); /* a map and a lens */
    snprintf(command, sizeof command, "rm -r %s", state);
    if (system(command) != 0)
        diag("%s is left", state);
    return done_testing();
}
