/* SPDX-License-Identifier: MIT */
/* collviz on a screen, driven by keys and clicks, and checked cell by cell. */
#include <sys/stat.h>

#include "screen_run.h"
#include "view/keys.h"

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
    ok(terminal_shows(&t, "correct"), "End is the end");
    terminal_type(&t, "\033OH");
    ok(terminal_shows(&t, "step 0/4"), "Home is the input");
    go(&t, "3");
    ok(terminal_shows(&t, "step 3/4"), "g goes to a step");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "to the next"), "v is another view: the stages");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "GPU 1 ="), "the matrix");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, " contributions"), "the heat map");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "o─"), "the paths");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "receives from GPU 1"), "the timeline");
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
    terminal_shows(&t, "lists  / search");
    terminal_type(&t, "/ring-allred\r");
    terminal_shows(&t, "float32 sum");
    terminal_type(&t, "a\033OA");
    ok(terminal_shows(&t, "change: --type bfloat16"), "Up remembers it");
    terminal_done(&t);
}

/* Through each door of the home screen and back. */
/* In a run that was begun at home, Esc closes one thing after another. */
static void
test_layers(struct terminal *t)
{
    ok(terminal_shows(t, "Esc home"), "Esc would lead home");
    terminal_type(t, "j");
    ok(terminal_shows(t, "no slot is looked into"), "j finds no slot");
    terminal_type(t, "fi97");
    ok(terminal_shows(t, " 97  ←") && terminal_shows(t, "Esc close"),
       "a number, the slots, data that is followed: Esc closes them");
    terminal_type(t, "\177");
    terminal_settle(t);
    ok(terminal_has(t, " 9  ←") && !terminal_has(t, " 97"),
       "Backspace takes a digit back");
    terminal_type(t, "\033");
    terminal_settle(t);
    ok(!terminal_has(t, " 9  ←") && terminal_has(t, "order of addition"),
       "first the number");
    terminal_type(t, "\033");
    ok(terminal_shows(t, "Enter look") && terminal_has(t, "Esc close"),
       "then the slots");
    terminal_type(t, "\033");
    ok(terminal_shows(t, "Esc home"), "then nothing is followed");
    terminal_type(t, "?");
    ok(terminal_shows(t, "Esc close"), "the help says so, too");
    terminal_type(t, "\033");
    ok(terminal_shows(t, "Esc home"), "and is closed");
}

static void
test_home(void)
{
    char *argv[] = {program(), NULL};
    struct terminal t;

    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "What is a collective?"), "alone: the home screen");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Enter go on"), "Enter begins a lesson");
    ok(terminal_shows(&t, "Esc home") && !terminal_has(&t, "q quit"),
       "whose last line says where Esc leads");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "go back") && !terminal_has(&t, "all lessons"),
       "and so does its help");
    terminal_type(&t, "x");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "lists  / search"), "and q leads back");
    terminal_type(&t, "\t");
    ok(terminal_shows(&t, "ring-allreduce"), "Tab is the gallery");
    ok(terminal_shows(&t, "4 ranks (threads), step 1/6"), "which moves");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "step 0/6"), "Enter runs it");
    test_layers(&t);
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "lists  / search"), "Esc leads back");
    terminal_type(&t, "bruck alltoall");
    ok(terminal_shows(&t, "search: bruck alltoall"), "letters search");
    ok(terminal_shows(&t, "bruck-alltoall"), "and find");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "search: bruck alltoallq"), "q is a letter, too");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "lists  / search"), "until Esc");
    ok(terminal_shows(&t, "ring-allreduce"),
       "which leads back to the list, as nothing was found");
    terminal_type(&t, "what is a collective");
    terminal_shows(&t, "search: what is a collective");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, " 2  Broadcast"),
       "or to that of the row found, the first one of all");
    terminal_type(&t, "/threads\r");
    ok(terminal_shows(&t, "step 0/6"), "a backend runs a ring");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "search: threads"), "and q is back at the search");
    terminal_resize(&t, 40, 10);
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "Enter go  / search  ? help  q quit"),
       "40x10 is enough");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "choose a row"), "? explains the keys");
    terminal_type(&t, "?\033[6~");
    ok(terminal_shows(&t, "end the search"), "on several pages");
    terminal_type(&t, "x");
    ok(terminal_shows(&t, "Enter go  / search"), "which any key closes");
    terminal_type(&t, "/?");
    ok(terminal_shows(&t, "choose a row"), "also in a search");
    terminal_type(&t, "x\033");
    terminal_shows(&t, "Enter go  / search");
    terminal_resize(&t, 39, 10);
    ok(terminal_shows(&t, "39x10 is too small: 40x10 is needed"),
       "less is too small");
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
    ok(terminal_shows(&t, "correct"), "it plays through to the end");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "and ends well");
    terminal_done(&t);
}

/* Whether slot 1 of a GPU is looked into. */
static bool
looks_into(struct terminal *t, const char *gpu)
{
    char title[40];

    snprintf(title, sizeof title, "%s \342\224\200", gpu);
    terminal_shows(t, "order of addition: ");
    terminal_settle(t);
    return terminal_has(t, title) && terminal_has(t, "\342\226\266    1 ");
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
    ok(terminal_shows(&t, "! WRONG: dropped in step 1"), "and the result");
    terminal_type(&t, "!");
    ok(looks_into(&t, "GPU 0"), "! looks into the first slot that is wrong");
    terminal_type(&t, "!");
    ok(looks_into(&t, "GPU 1"), "and again into the next");
    terminal_type(&t, "\r");
    terminal_shows(&t, "GPU 2 \342\224\200");
    terminal_type(&t, "!");
    ok(looks_into(&t, "GPU 1"), "from outside into the selected one first");
    terminal_type(&t, "!!");
    ok(looks_into(&t, "GPU 0"), "after the last comes the first");
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
    ok(terminal_shows(&t, "GPU 2 holds up"), "a late rank is waited for");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "next: GPU 0"), "or not any more");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "GPU 2 holds up"), "also on the way to the end");
    terminal_type(&t, "h");
    ok(terminal_shows(&t, "next: GPU 0"), "which can be given up");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "? next page"), "the keys are answered meanwhile");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "Symbols"), "? again explains the symbols");
    terminal_settle(&t);
    ok(!terminal_has(&t, "change the run"), "on a page of their own");
    terminal_type(&t, "xq");
    ok(terminal_wait(&t) >= 0, "q quits");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
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
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "\n Tab completes names"), "a hint of two lines");
    terminal_type(&t, "5 --delay 7=1\r");
    ok(terminal_shows(&t, "there is no rank 7"), "a change is refused");
    ok(terminal_shows(&t, "change: 5 --delay 7=1_"),
       "the text can be corrected");
    ok(terminal_shows(&t, "step 2/4"), "the run is still there");
    terminal_type(&t, "\177\177\177" "2=inf\r");
    ok(terminal_shows(&t, "5 GPUs"), "another run, of 5 ranks");
    ok(terminal_shows(&t, "step 0/8"), "begins");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "GPU 2 holds up"), "and rank 2 is late");
    terminal_type(&t, "a2\r");
    ok(terminal_shows(&t, "2 GPUs"),
       "fewer ranks drop the delays of the others");
    terminal_type(&t, "G");
    ok(terminal_shows(&t, "correct"), "and run to the end");
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

/* A long error is shown in full, above the typed text, in two languages. */
static const struct long_error {
    const char *lang, *first, *last, *number, *rank;
} long_errors[] = {
    {"en", "! --type 'quadruple-precision': it must be float32",
     "   bfloat16, int32, int64 or uint8", "xxx' is not a valid float32",
     "! --input: rank 2's"},
    {"zh", "! --type “quadruple-precision”：必须是 float32、float64",
     "   int32、int64 或 uint8", "xxx”不是有效的 float32",
     "! --input：rank 2 的"},
};

static void
test_long_error(const struct long_error *error)
{
    const char *lang = error->lang;
    struct terminal t;

    start(&t, 80, 24, "3", "--lang", lang);
    terminal_shows(&t, " 0/4");
    terminal_type(&t, "a--type quadruple-precision\r");
    ok(terminal_shows(&t, error->first),
       "the beginning of a long error, %s", lang);
    ok(terminal_shows(&t, error->last), "and its end");
    ok(terminal_shows(&t, " --type quadruple-precision_"),
       "and what was typed");
    terminal_type(&t, "\033");
    terminal_settle(&t);
    ok(!terminal_has(&t, "int64"), "Escape takes all of it away");
    terminal_type(&t, "a--input 1,2/3,4/5,");
    for (int i = 0; i < 200; i++)
        terminal_type(&t, "x");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, error->number), "one longer than two rows");
    ok(terminal_shows(&t, error->rank), "is there whole, too");
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
    terminal_type(&t, "0G");
    ok(terminal_shows(&t, "step 0/8"), "0G to the input, too");
    terminal_type(&t, "5G");
    ok(terminal_shows(&t, "step 5/8"), "5G to step 5");
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
    terminal_click(&t, pos.col, pos.row + 2, 1);
    ok(terminal_shows(&t, "following C1 of GPU 2"), "then one of its slots");
    terminal_click(&t, pos.col, pos.row + 2, 1);
    terminal_click(&t, 40, 12, 5);
    ok(terminal_shows(&t, "GPU 2 sent"), "the wheel goes on");
    terminal_click(&t, 40, 12, 4);
    ok(terminal_shows(&t, "step 0/4"), "and back");
    find(&t, "step 0/4", &pos);
    terminal_click(&t, pos.col - 4, pos.row, 1);
    ok(terminal_shows(&t, "step 4/4"), "a click on the line goes there");
    terminal_shows(&t, "correct"); /* a run that is quit before fails */
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
    int64_t until, begin;
    size_t taken = 0, most;
    ssize_t n = 1;
    int status = -1;

    start(&t, 200, 60, "16", NULL, NULL);
    terminal_shows(&t, "step 0/30");
    terminal_type(&t, "+++++p");
    for (int i = 0; i < KEYS; i++)
        terminal_type(&t, "v");
    terminal_type(&t, "q");
    begin = clock_ns();
    until = begin + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
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
    /* Ten frames a second of 15 KB at most, and those of the beginning. */
    most = 60000 + (size_t)((clock_ns() - begin) / 100000000) * 15000;
    status = terminal_wait(&t);
    ok(WIFEXITED(status), "all keys over a slow link are answered");
    ok(taken < most, "most frames are left out: %zu bytes of %zu", taken, most);
    ok(terminal_whole(&t), "and the terminal is whole");
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
    ok(terminal_shows(&t, "! mismatch 2=root:1"),
       "the title names what was changed on purpose");
    terminal_settle(&t);
    ok(find(&t, "change", &at), "a key in the last line");
    terminal_click(&t, at.col + 2, at.row, 1);
    ok(terminal_shows(&t, "change: _"), "clicked, is typed");
    terminal_type(&t, "\033");
    terminal_shows(&t, "change  ?");
    terminal_settle(&t);
    terminal_resize(&t, 60, 15);
    ok(terminal_shows(&t, "? help  q quit"), "60x15 has a line of keys");
    terminal_settle(&t);
    find(&t, "step  p", &at);
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
    ok(terminal_shows(&t, "correct"), "meanwhile all steps have come");
    terminal_type(&t, "q");
    terminal_wait(&t);
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
    ok(terminal_shows(&t, "all-reduce of float32 on 4 ranks") &&
           terminal_shows(&t, "ring  ") && terminal_shows(&t, "tree  "),
       "two algorithms race");
    ok(terminal_shows(&t, "modelled: 4 GPUs on ") &&
           terminal_shows(&t, "us modelled") && terminal_shows(&t, "here: "),
       "on a network's clock, with what was measured beside it");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "race again; to the end"), "? explains the keys");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "Symbols"), "and the symbols of both views");
    terminal_type(&t, "?");
    terminal_shows(&t, "again");
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

/* What a race's end says, and whose clock it is on. */
static void
race_ends(const char *against, const char *network, const char *expected,
          bool modelled)
{
    char *argv[] = {program(), (char *)"compare", (char *)"ring-allreduce",
                    (char *)against, (char *)"--gpus", (char *)"8",
                    (char *)"--count", (char *)"10000", (char *)"--network",
                    (char *)network, NULL};
    struct terminal t;

    terminal_start(&t, 80, 24, argv);
    terminal_shows(&t, "speed");
    terminal_type(&t, "\033OF");
    ok(terminal_shows(&t, expected) &&
           terminal_has(&t, "modelled") == modelled,
       "ring against %s on %s: %s", against, network, expected);
    terminal_type(&t, "q");
    terminal_done(&t);
}

/* The cursor, what the keys change, and a file. */
static void
test_chart(void)
{
    char *argv[] = {program(), (char *)"chart", (char *)"ring-allreduce",
                    (char *)"butterfly-allreduce", (char *)"--network",
                    (char *)"alpha=20us,beta=0.08ns", NULL};
    struct terminal t;
    struct stat about;
    int status;

    unlink("chart-test.svg");
    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "all-reduce on 8 GPUs") &&
           terminal_shows(&t, "at 1 MiB") &&
           terminal_shows(&t, "modelled, not measured"),
       "a chart says what it is of");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "at 2 MiB"), "the cursor reads the next size");
    terminal_type(&t, "hh");
    ok(terminal_shows(&t, "at 512 KiB"), "and the one before");
    terminal_type(&t, "b");
    ok(terminal_shows(&t, "bus bandwidth"), "b: the bandwidth");
    terminal_type(&t, "t");
    ok(terminal_shows(&t, "time of a call"), "t: the time");
    terminal_type(&t, "+");
    ok(terminal_shows(&t, "all-reduce on 16 GPUs"), "+: twice the GPUs");
    terminal_type(&t, "--");
    ok(terminal_shows(&t, "all-reduce on 4 GPUs"), "-: half of them");
    terminal_type(&t, "------");
    ok(terminal_shows(&t, "all-reduce on 2 GPUs"), "but no fewer than two");
    terminal_type(&t, "\t");
    ok(terminal_shows(&t, "nvlink"), "Tab: a network of the table");
    terminal_type(&t, "\t\t\t\t");
    ok(terminal_shows(&t, "measured: alpha=20us"),
       "after all of them that of the command line");
    terminal_type(&t, "n");
    ok(terminal_shows(&t, "all-reduce of 512 KiB") &&
           terminal_shows(&t, "at 2 GPUs"),
       "n: over the GPUs");
    terminal_type(&t, "\033OF");
    ok(terminal_shows(&t, "at 98304 GPUs"), "End: the most of them");
    terminal_type(&t, "+");
    ok(terminal_shows(&t, "all-reduce of 1 MiB") &&
           terminal_shows(&t, "at 98304 GPUs"),
       "+: twice the size");
    terminal_resize(&t, 130, 40);
    ok(terminal_shows(&t, "at 98304 GPUs"), "in another size");
    terminal_type(&t, "wno/such/folder/x.svg\r");
    ok(terminal_shows(&t, "cannot write no/such/folder/x.svg"),
       "a file that cannot be written is reported");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "w write"), "Esc leaves the prompt");
    terminal_type(&t, "wchart-test.svg\r");
    ok(terminal_shows(&t, "written to chart-test.svg") &&
           stat("chart-test.svg", &about) == 0 && about.st_size > 1000,
       "w: an SVG");
    terminal_type(&t, "wchart-test.svg\r");
    ok(terminal_shows(&t, "chart-test.svg exists: Enter again replaces it"),
       "a file is not replaced unasked");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "written to chart-test.svg"), "but if asked twice");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "many times as slow as the fastest"),
       "? explains the chart");
    terminal_type(&t, "q");
    unlink("chart-test.svg");
    terminal_type(&t, "q");
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0 && terminal_whole(&t),
       "and q leaves in good order");
    terminal_done(&t);
}

/* A table of OSU: times alone, so there is no bus bandwidth, and no model that
 * could be changed. */
static void
test_measured_chart(void)
{
    static const char table[] = "# OSU MPI Allreduce Latency Test v7.0\n"
                                "# Size       Avg Latency(us)\n"
                                "4                       1.50\n"
                                "16                      1.75\n";
    char *argv[] = {program(), (char *)"bench", (char *)"--read",
                    (char *)"chart-test.txt", NULL};
    FILE *file = fopen("chart-test.txt", "w");
    struct terminal t;
    int status;

    ok(file != NULL && fputs(table, file) >= 0 && fclose(file) == 0,
       "a table");
    terminal_start(&t, 80, 24, argv);
    ok(terminal_shows(&t, "read from chart-test.txt") &&
           terminal_shows(&t, "at 16 B") && terminal_shows(&t, "1.75 us"),
       "what was measured is a chart, too");
    terminal_type(&t, "\t+-nh");
    ok(terminal_shows(&t, "at 4 B") && terminal_shows(&t, "1.50 us"),
       "there is no other network, but a cursor");
    terminal_type(&t, "b");
    ok(terminal_shows(&t, "bandwidth") && terminal_shows(&t, "2.67 MB/s"),
       "b: without a bus bandwidth the plain one");
    terminal_type(&t, "q");
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0 && terminal_whole(&t),
       "and q leaves in good order");
    terminal_done(&t);
    unlink("chart-test.txt");
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
    case SCREEN_KEY_PAGE_UP:
        return "\033[5~";
    case SCREEN_KEY_PAGE_DOWN:
        return "\033[6~";
    case SCREEN_KEY_BACKSPACE:
        return "\177";
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
    if (k->when & (KEY_AT_SLOT | KEY_INSPECTING | KEY_ON_TOP)) {
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
                        !(k->when & (KEY_VISITING | KEY_IN_LESSON));
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
    terminal_or_skip();
    screen_begin();
    test_steps();
    test_home();
    test_changes();
    test_play();
    test_delay();
    test_fault();
    test_change();
    test_long_error(&long_errors[0]);
    test_long_error(&long_errors[1]);
    test_counts();
    test_click_keys();
    test_past();
    test_mouse();
    test_slow_link();
    test_race();
    race_ends("ring-allreduce", "nvlink", "place 1, level", true);
    race_ends("naive-allreduce", "none", "place 1", false);
    test_chart();
    test_measured_chart();
    test_every_key();
    lab_remove();
    return done_testing();
}
