/* SPDX-License-Identifier: MIT */
/* collviz and its terminal, where it takes more than a script (tests/screen.c):
 * stops, replies, backgrounds, a slow link, every key, and anything at
 * random. */
#include "stories.h"
#include "tap.h"
#include "terminal.h"
#include "view/keys.h"

/* Ctrl-Z throws away what was typed before it, and the program may have seen
 * that there is something to read. */
static void
test_stop_amid_keys(void)
{
    static const char keys[] = "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh";
    OWN(terminal) t;
    int stops = 0;
    bool stopped = true;

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 3");
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
    OWN(terminal) t;

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 4");
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
}

/* Over a slow link a reply comes when the program is about to end: it waits for
 * it, so that the shell does not read it. */
static void
test_late_reply(void)
{
    OWN(terminal) t;

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 3");
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

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 3");
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

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 3");
    t.mute = true;
    terminal_type(&t, "q");
    ok(WIFEXITED(terminal_wait(&t)), "a terminal that never replies is left");
}

/* What is typed after the last reply is for the shell. */
static void
test_typed_ahead(void)
{
    char command[600];
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", command, NULL};
    OWN(terminal) t;

    snprintf(command, sizeof command,
             "'%s' ring-allreduce --gpus 3; read -r line; echo \"read $line\"",
             terminal_program());
    terminal_start(&t, 80, 24, argv);
    t.mute = true;
    while (!t.asked && terminal_read(&t, 100))
        ;
    terminal_type(&t, "q\033]11;rgb:0/0/0\033\\\033[?62;22cls -l\n");
    terminal_wait(&t);
    ok(terminal_shows(&t, "read ls -l"), "what is typed ahead is not lost");
}

/* Stops the program and continues it. It must run again before the next
 * SIGTSTP, which SIGCONT would discard. */
static bool
stop(struct terminal *t)
{
    int64_t until = hung_at();
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
test_random(const void *words)
{
    enum { ACTS = 1000 };
    OWN(terminal) t;
    OWN(buf) before = {0}, after = {0};
    unsigned seed = (unsigned)stories_begun;
    int status, bad = 0;

    terminal_run(&t, 80, 24, words);
    terminal_shows(&t, "step 0/");
    for (int i = 0; i < ACTS; i++) {
        bad += !act(&t, &seed);
        terminal_read(&t, rand_r(&seed) % 5);
    }
    is_int(bad, 0, "whenever it stops, the terminal is whole");
    terminal_resize(&t, 80, 24);
    terminal_settle(&t);
    terminal_type(&t, "\033[201~"); /* the end of a paste, if one is open */
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
}

static void
test_size(void)
{
    OWN(terminal) t;

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 4");
    terminal_shows(&t, "step 0/6");
    terminal_resize(&t, 120, 40);
    ok(terminal_shows(&t, "bytes sent over each link"),
       "a terminal that grows shows more");
    terminal_type(&t, "q");
    terminal_wait(&t);
}

/* Over a slow link keys are answered all the same, and old frames are left
 * out. */
static void
test_slow_link(void)
{
    enum { KEYS = 200, BYTES_A_MS = 20 };
    OWN(terminal) t;
    char bytes[BYTES_A_MS];
    int64_t until, begin;
    size_t taken = 0, most;
    ssize_t n = 1;
    int status = -1;

    terminal_run(&t, 200, 60, "ring-allreduce --gpus 16");
    terminal_shows(&t, "step 0/30");
    terminal_type(&t, "+++++p");
    for (int i = 0; i < KEYS; i++)
        terminal_type(&t, "v");
    terminal_type(&t, "q");
    begin = clock_ns();
    until = hung_at();
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
}

/* What a terminal sends for keys that are no characters. */
static const struct {
    int code;
    const char *bytes;
} sent[] = {
    {SCREEN_KEY_LEFT, "\033OD"},       {SCREEN_KEY_RIGHT, "\033OC"},
    {SCREEN_KEY_UP, "\033OA"},         {SCREEN_KEY_DOWN, "\033OB"},
    {SCREEN_KEY_HOME, "\033OH"},       {SCREEN_KEY_END, "\033OF"},
    {SCREEN_KEY_PAGE_UP, "\033[5~"},   {SCREEN_KEY_PAGE_DOWN, "\033[6~"},
    {SCREEN_KEY_BACKSPACE, "\177"},    {SCREEN_KEY_BACKTAB, "\033[Z"},
    {SCREEN_KEY_ENTER, "\r"},
};

static void
press(struct terminal *t, int code)
{
    bool clicks = code == SCREEN_KEY_CLICK, up = code == SCREEN_KEY_WHEEL_UP;
    char character[2] = {(char)code};
    const char *bytes = character;
    VTermPos at = {0};

    if (clicks || up || code == SCREEN_KEY_WHEEL_DOWN) {
        terminal_find(t, "GPU 0 --", &at);
        terminal_click(t, at.col, at.row, clicks ? 1 : up ? 4 : 5);
        return;
    }
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        if (sent[i].code == code)
            bytes = sent[i].bytes;
    terminal_type(t, bytes);
}

/* Brings the screen, after step 2 with GPU 1 selected, to a state in which the
 * key applies. */
static void
prepare(struct terminal *t, uint64_t state)
{
    terminal_type(t, "2g");
    terminal_shows(t, "step 2/4");
    terminal_type(t, "\t");
    terminal_shows(t, "GPU 1 sent");
    if (state & (KEY(AT_SLOT) | KEY(INSPECTING) | KEY(ON_TOP))) {
        terminal_type(t, "\r\033OB");
        terminal_shows(t, ">    1");
    }
    if (state & KEY(PLAYING)) {
        terminal_type(t, "-----p");
        terminal_shows(t, "p pause");
    }
    terminal_settle(t);
}

/* Whether the screen soon differs from `before`, or the program quits. */
static bool
changes(struct terminal *t, const struct buf *before, bool quits)
{
    int64_t until = hung_at();
    struct buf now = {0};
    bool same = true, open = true;

    while (same && clock_ns() < until && (open = terminal_read(t, 20)))
        same = strcmp(terminal_text(t, &now), buf_text(before)) == 0;
    buf_done(&now);
    return clock_ns() < until &&
           (quits ? WIFEXITED(terminal_wait(t)) : open && t->alternate);
}

/* A key in a run of its own. */
static void
try_key(int code, uint64_t state, bool quits)
{
    OWN(terminal) t;
    OWN(buf) before = {0};

    terminal_run(&t, 80, 24, "ring-allreduce --gpus 3 --ascii");
    terminal_shows(&t, "step 0/4");
    prepare(&t, state);
    terminal_text(&t, &before);
    press(&t, code);
    ok(changes(&t, &before, quits), "key %x does something", code);
}

/* A row of the table whose keys tests/keys.c finds in the help, also where the
 * last line names it. */
static void
test_key(const void *row)
{
    const struct key *k = row;

    for (int i = 0; i < KEY_CODES && k->codes[i] != 0; i++) {
        try_key(k->codes[i], k->when, k->request == DO_QUIT);
        if (k->shown != 0)
            try_key(k->codes[i], k->when | k->shown, false);
    }
}

int
main(void)
{
    terminal_begin();
    test_stop_amid_keys();
    test_background();
    test_late_reply();
    test_typed_ahead();
    test_size();
    test_slow_link();
    story(test_random, "ring-allreduce --gpus 5");
    story(test_random, "ring-allreduce --gpus 5");
    story(test_random, "ring-allreduce --gpus 100"); /* a map and a lens */
    for (const struct key *k = key_table; k->on != 0; k++)
        if (k->on & ON_WATCH &&
            !(k->when & (KEY(VISITING) | KEY(IN_LESSON) | KEY(FILE))))
            story(test_key, k);
    stories_end();
    return terminal_end();
}
