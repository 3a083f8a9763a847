/* SPDX-License-Identifier: MIT */
#include "term/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#undef columns /* term.h has macros for capabilities */
#undef lines

#include "base/clock.h"
#include "base/install.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "term/background.h"

enum { LEAVE_MAX = 512, PATIENCE_MS = 1000 };

/* What curses makes of the beginning and the end of a text that is pasted. */
enum { PASTE_BEGINS = 0xf000, PASTE_ENDS };
enum depth { DEPTH_NONE, DEPTH_8, DEPTH_256, DEPTH_DIRECT };

struct screen {
    SCREEN *curses;
    struct screen_facts facts;
    enum depth depth;
    struct background_reply reply; /* while it arrives */
    bool asked;   /* for the background, without a reply so far */
    int64_t asked_ns; /* when the questions were sent */
    bool awaited; /* the last reply has not come */
    bool changed; /* all must be drawn again */
    bool pasting; /* a pasted text is arriving, */
    bool pasted;  /* of which something was taken, */
    bool broken;  /* and a line ended since */
    bool blocked; /* the terminal accepted no output */
    int ahead; /* a key read in advance; ERR: none */
    struct canvas shown;
    int serve_fd; /* as in screen_follow() */
};

/* The bytes that restore the terminal.  They are static, so that handlers and
 * the callback of tputs() find them; there is only one terminal. */
static struct {
    char leave[LEAVE_MAX];
    size_t length;
    struct termios modes;
} saved;

/* Whether the terminal accepts output now or within a second. */
static bool
takes_output(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int got;

    while ((got = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
        ;
    return got > 0;
}

/* Does not wait for a terminal that accepts no output: the rest of the bytes is
 * dropped.  Safe in a signal handler.  Writes one byte at a time, so that no
 * write waits for room. */
static void
restore_terminal(void *state)
{
    size_t done = 0;

    (void)state;
    if (!takes_output())
        tcflush(STDOUT_FILENO, TCOFLUSH);
    while (done < saved.length && takes_output() &&
           write(STDOUT_FILENO, saved.leave + done, 1) == 1)
        done++;
    tcsetattr(STDOUT_FILENO, TCSANOW, &saved.modes);
}

static struct undo undo = {.act = restore_terminal};

static void
disarm_restore(void)
{
    signals_release_terminal();
    signals_remove_undo(&undo);
}

static int
add_leaving(int c)
{
    if (saved.length < LEAVE_MAX)
        saved.leave[saved.length++] = (char)c;
    return c;
}

/* A capability of the terminal; NULL: it does not have it. */
static char *
terminal_capability(const char *name)
{
    char *text = tigetstr((char *)name);

    return text == (char *)-1 ? NULL : text;
}

/* Has the terminal mark a text that is pasted, or not, by terminfo's BE and BD.
 * Descriptions that lack these get xterm's sequences, as they do for the mouse:
 * a terminal that does not know them ignores them, and its pastes are keys. */
static void
mark_pastes(bool on, int (*put)(int))
{
    const char *text = terminal_capability(on ? "BE" : "BD");

    if (text == NULL && terminal_capability("kmous") != NULL)
        text = on ? "\033[?2004h" : "\033[?2004l";
    if (text != NULL)
        tputs(text, 1, put);
}

/* Keeps the bytes that restore the terminal: no mouse, no marks around what is
 * pasted, normal attributes and colours, the normal keypad, the main screen,
 * the cursor.  Like curses, ends mouse reports by terminfo's XM if there is
 * one, else by the sequence that all terminals with kmous understand. */
static void
keep_strings(void)
{
    static const char *const names[] = {"sgr0", "op", "rmkx", "rmcup",
                                        "cnorm"}; /* see leave_screen() */
    char *mode = terminal_capability("XM"), *text;

    saved.length = 0;
    if (terminal_capability("kmous") != NULL && mode != NULL)
        tputs(tiparm(mode, 0), 1, add_leaving);
    else if (terminal_capability("kmous") != NULL)
        tputs("\033[?1000l", 1, add_leaving);
    mark_pastes(false, add_leaving);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((text = terminal_capability(names[i])) != NULL)
            tputs(text, 1, add_leaving);
    if (terminal_capability("rmcup") == NULL)
        tputs("\r\n", 1, add_leaving);
}

/* A terminal that the system does not know may be among those that we bring
 * along. The environment says so to curses, because newterm() looks again. */
static bool
find_terminal(void)
{
    char folder[PATH_MAX];
    int status;

    return setupterm(NULL, STDOUT_FILENO, &status) == OK ||
           (install_folder(INSTALL_TERMINALS, 1, folder) &&
            access(folder, R_OK | X_OK) == 0 &&
            setenv("TERMINFO_DIRS", folder, 0) == 0 &&
            setupterm(NULL, STDOUT_FILENO, &status) == OK);
}

/* If this returns true, the caller deletes cur_term. */
static bool
check_terminal(struct err *err)
{
    const char *name = getenv("TERM");

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, "no screen: %s is not a terminal",
                       isatty(STDIN_FILENO) ? _("standard output")
                                            : _("standard input"));
    name = name != NULL ? name : "";
    if (!find_terminal())
        return err_set(err, "no screen: TERM=%s is not known here", name);
    if (terminal_capability("cup") == NULL) {
        del_curterm(cur_term);
        return err_set(err, "no screen: TERM=%s cannot move its cursor", name);
    }
    return true;
}

bool
screen_can(struct err *err)
{
    if (!check_terminal(err))
        return false;
    del_curterm(cur_term);
    return true;
}

static enum depth
start_colours(void)
{
    const char *no_color = getenv("NO_COLOR");

    if (!has_colors() || (no_color != NULL && no_color[0] != '\0') ||
        start_color() != OK)
        return DEPTH_NONE;
    use_default_colors();
    if (COLORS >= 1 << 24)
        return DEPTH_DIRECT;
    return COLORS >= 256 ? DEPTH_256 : DEPTH_8;
}

/* Makes Ctrl-S an ordinary key: if it stopped the terminal, no frame could be
 * finished, and no key would work, not even q.
 *
 * Lets no read wait for a key: curses polls before it reads, but Ctrl-Z throws
 * away what was typed before it, maybe between the two. */
static void
set_modes(void)
{
    struct termios modes;

    if (tcgetattr(STDOUT_FILENO, &modes) != 0)
        return;
    modes.c_iflag &= ~(tcflag_t)IXON;
    modes.c_cc[VMIN] = 0;
    tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
    def_prog_mode(); /* curses restores these modes after a stop */
}

bool
screen_open(struct screen **out, struct err *err)
{
    struct screen *s;
    const char *name = getenv("TERM");

    if (!check_terminal(err))
        return false;
    keep_strings();
    del_curterm(cur_term);
    if (tcgetattr(STDOUT_FILENO, &saved.modes) != 0)
        return err_set(err, "the terminal's modes: %s", strerror(errno));
    signals_add_undo(&undo);
    signals_catch_terminal(); /* until disarm_restore() */
    s = mem_new(1, sizeof *s);
    s->curses = newterm(NULL, stdout, stdin);
    if (s->curses == NULL) {
        disarm_restore();
        free(s);
        return err_set(err, "no screen: curses refuses TERM=%s",
                       name != NULL ? name : "");
    }
    s->ahead = ERR;
    s->depth = start_colours();
    s->facts = (struct screen_facts){
        .columns = COLS, .rows = LINES,
        .console = name != NULL && strcmp(name, "linux") == 0,
        .colourless = s->depth == DEPTH_NONE,
        .ground = background_expected()};
    cbreak();
    noecho();
    nonl();
    set_modes();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0); /* report a press at once, as a click */
    define_key("\033[200~", PASTE_BEGINS);
    define_key("\033[201~", PASTE_ENDS);
    mark_pastes(true, putchar);
    fflush(stdout); /* curses does not, it has a buffer of its own */
    /* Terminals with few colours may not know such a question. */
    s->asked = s->awaited = s->depth >= DEPTH_256;
    s->asked_ns = clock_ns();
    if (s->asked) {
        putp(background_query);
        fflush(stdout);
    }
    *out = s;
    return true;
}

/* Returns a key if it was no reply, else ERR.  curses returns all keys that
 * were taken for one once more, but the Escape. */
static int
take_reply(struct screen *s, int code)
{
    const struct background_reply *r = &s->reply;
    enum ground ground = s->facts.ground;
    enum background_got got = background_take(&s->reply, code, &ground);

    if (got == BACKGROUND_KEYS) {
        ungetch(code);
        for (int i = r->length; i > 0; i--)
            ungetch((unsigned char)r->text[i - 1]);
        if (r->last)
            ungetch('?');
        ungetch(r->last ? '[' : ']');
        return SCREEN_KEY_ESCAPE;
    }
    if (got == BACKGROUND_OVER && r->last)
        s->awaited = false;
    if (got == BACKGROUND_KNOWN) {
        s->asked = false;
        s->changed = ground != s->facts.ground;
        s->facts.ground = ground;
        if (s->changed)
            canvas_resize(&s->shown, 0, 0);
    }
    return ERR;
}

/* Begins a reply of the terminal if the Escape that was just read does. */
static bool
begins_reply(struct screen *s)
{
    int next = getch(), third = next == '[' && s->awaited ? getch() : ERR;

    if (next == ']' || third == '?') {
        background_begin(&s->reply, third == '?');
        return true;
    }
    if (third != ERR)
        ungetch(third);
    if (next != ERR)
        ungetch(next);
    return false;
}

/* Returns what a code is in a pasted text, else ERR: its lines are one, with a
 * blank between them, and it has no control characters. */
static int
take_pasted(struct screen *s, int code)
{
    if (code == '\r' || code == '\n' || code == '\t')
        s->broken = s->pasted;
    if (code < ' ' || code > 0xff || code == 0x7f)
        return ERR;
    if (s->broken) {
        ungetch(code);
        code = ' ';
    }
    s->pasted = true;
    s->broken = false;
    return SCREEN_KEY_PASTED + code;
}

/* Takes one code from curses; *key is ERR if it is no key: a part of a reply,
 * or a new size, which SIGWINCH reports already.  Returns false if there is
 * none. */
static bool
take_code(struct screen *s, int *key)
{
    int code = getch();

    *key = ERR;
    if (code == ERR)
        return false;
    if (code == KEY_RESIZE)
        return true;
    if (code == PASTE_BEGINS || code == PASTE_ENDS) {
        s->pasting = code == PASTE_BEGINS;
        s->pasted = s->broken = false;
    } else if (s->pasting)
        *key = take_pasted(s, code);
    else if (s->reply.open)
        *key = take_reply(s, code);
    else if (!(code == SCREEN_KEY_ESCAPE && (s->asked || s->awaited) &&
               begins_reply(s)))
        *key = code;
    return true;
}

/* A reply that comes after the screen is closed would be read by the shell.  A
 * terminal that has been silent for a second does not reply.  Keys that come
 * before the last reply have to be read as well, and are lost; those after it
 * stay for the shell. */
static void
await_replies(struct screen *s)
{
    const int64_t until = s->asked_ns + 1000000000;
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    int64_t left;
    int lost;

    while (s->awaited && (left = until - clock_ns()) > 0 &&
           poll(&p, 1, (int)(left / 1000000) + 1) > 0 &&
           p.revents == POLLIN)
        while (s->awaited && take_code(s, &lost))
            ;
}

/* Shows the cursor again after the main screen is back.  Some terminals
 * (libvterm does) save the cursor's visibility with the screen, and curses
 * saved it when it was hidden. */
static void
leave_screen(void)
{
    mark_pastes(false, putchar);
    endwin();
    if (cursor_normal != NULL)
        putp(cursor_normal);
    fflush(stdout);
}

void
screen_close(struct screen *s)
{
    if (s == NULL)
        return;
    await_replies(s);
    if (takes_output())
        leave_screen();
    else
        restore_terminal(NULL); /* curses would wait for the terminal */
    disarm_restore();
    delscreen(s->curses);
    canvas_done(&s->shown);
    free(s);
}

const struct screen_facts *
screen_facts(const struct screen *s)
{
    return &s->facts;
}

static int
colour_number(const struct screen *s, const struct colour *c)
{
    const int numbers[] = {[DEPTH_NONE] = -1, [DEPTH_8] = c->ansi,
                           [DEPTH_256] = c->x256, [DEPTH_DIRECT] = c->rgb};

    return numbers[s->depth];
}

/* If there is no colour, bold text on a ground (a block that has just changed)
 * is shown reversed.  If there is no grey, quiet lines are dim. */
static attr_t
pen_attributes(const struct screen *s, struct pen pen)
{
    attr_t a = 0;

    if (pen.attrs & ATTR_BOLD)
        a |= A_BOLD;
    if (pen.attrs & ATTR_REVERSE)
        a |= A_REVERSE;
    if (pen.attrs & ATTR_UNDERLINE)
        a |= A_UNDERLINE;
    if (s->depth == DEPTH_NONE && pen.attrs & ATTR_BOLD &&
        pen.bg != ROLE_TEXT)
        a |= A_REVERSE;
    if (s->depth <= DEPTH_8 && pen.fg == ROLE_QUIET)
        a |= A_DIM;
    if (s->depth == DEPTH_8 && palette_colour(pen.bg)->ansi_underlined)
        a |= A_UNDERLINE;
    return a;
}

static void
put_cell(const struct screen *s, int x, int y, const struct cell *cell)
{
    struct pen pen = cell->pen;
    int fg = colour_number(s, pen_colour(pen, s->facts.ground));
    int bg = colour_number(s, palette_colour(pen.bg));
    int pair = fg < 0 && bg < 0 ? 0 : alloc_pair(fg, bg);
    wchar_t text[2] = {(wchar_t)cell->code, L'\0'};
    cchar_t c;

    if (pair < 0)
        pair = 0;
    setcchar(&c, text, pen_attributes(s, cell->pen), (short)pair, &pair);
    mvadd_wch(y, x, &c);
}

/* curses waits until all output is written.  It would wait for old frames over
 * a slow link, so no frame begins before the terminal has accepted the last. */
bool
screen_draw(struct screen *s, const struct canvas *canvas)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    struct canvas *shown = &s->shown;
    bool all = shown->columns != canvas->columns ||
               shown->rows != canvas->rows;
    size_t cells = (size_t)canvas->columns * (size_t)canvas->rows;

    s->blocked = poll(&p, 1, 0) == 0;
    if (s->blocked)
        return false;
    if (all) {
        canvas_resize(shown, canvas->columns, canvas->rows);
        erase();
    }
    for (size_t i = 0; i < cells; i++) {
        const struct cell *cell = &canvas->cells[i];
        if (cell->code != 0 && (all || !cell_same(cell, &shown->cells[i])))
            put_cell(s, (int)i % canvas->columns, (int)i / canvas->columns,
                     cell);
        shown->cells[i] = *cell;
    }
    refresh();
    return true;
}

static void
answer_signal(struct screen *s, int sig)
{
    struct winsize size;

    if (sig == SIGTSTP) {
        await_replies(s);
        s->reply.open = false;
        /* Ctrl-Z has thrown away the input before it: maybe the end of a reply
         * whose Escape curses has read, and would give us as a key. */
        s->ahead = ERR;
        if (s->awaited)
            flushinp();
        s->pasting = false;
        leave_screen();
        signals_stop();
    }
    mark_pastes(true, putchar); /* a shell may have ended that */
    fflush(stdout);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
        size.ws_row > 0)
        resizeterm(size.ws_row, size.ws_col);
    s->facts.columns = COLS;
    s->facts.rows = LINES;
    clearok(curscr, TRUE);
    canvas_resize(&s->shown, 0, 0);
}

static int
mouse_key(struct screen *s)
{
    MEVENT event;

    if (getmouse(&event) != OK)
        return SCREEN_KEY_UNKNOWN;
    s->facts.pointed = (struct point){event.x, event.y};
    return event.bstate & BUTTON1_PRESSED   ? SCREEN_KEY_CLICK
           : event.bstate & BUTTON4_PRESSED ? SCREEN_KEY_WHEEL_UP
           : event.bstate & BUTTON5_PRESSED ? SCREEN_KEY_WHEEL_DOWN
                                            : SCREEN_KEY_UNKNOWN;
}

static int
key_of(struct screen *s, int code)
{
    static const struct {
        int code, key;
    } keys[] = {
        {KEY_LEFT, SCREEN_KEY_LEFT},
        {KEY_RIGHT, SCREEN_KEY_RIGHT},
        {KEY_UP, SCREEN_KEY_UP},
        {KEY_DOWN, SCREEN_KEY_DOWN},
        {KEY_HOME, SCREEN_KEY_HOME},
        {KEY_END, SCREEN_KEY_END},
        {KEY_PPAGE, SCREEN_KEY_PAGE_UP},
        {KEY_NPAGE, SCREEN_KEY_PAGE_DOWN},
        {KEY_ENTER, SCREEN_KEY_ENTER},
        {'\r', SCREEN_KEY_ENTER},
        {'\n', SCREEN_KEY_ENTER},
        {KEY_BACKSPACE, SCREEN_KEY_BACKSPACE},
        {'\b', SCREEN_KEY_BACKSPACE},
        {0x7f, SCREEN_KEY_BACKSPACE},
        {KEY_BTAB, SCREEN_KEY_BACKTAB},
    };

    if (code == KEY_MOUSE)
        return mouse_key(s);
    if (code >= SCREEN_KEY_PASTED)
        return code;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].code == code)
            return keys[i].key;
    return code < KEY_MIN ? code : SCREEN_KEY_UNKNOWN;
}

bool
screen_has_key(struct screen *s)
{
    while (s->ahead == ERR && take_code(s, &s->ahead))
        ;
    return s->ahead != ERR;
}

void
screen_follow(struct screen *s, struct serve *serve, int fd)
{
    s->facts.serve = serve;
    s->serve_fd = fd;
}

enum screen_event
screen_wait(struct screen *s, int other_fd, int timeout_ms, int *key)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = signals_terminal_fd(), .events = POLLIN},
            {.fd = STDIN_FILENO, .events = POLLIN},
            {.fd = other_fd, .events = POLLIN},
            {.fd = s->blocked ? STDOUT_FILENO : -1, .events = POLLOUT},
            {.fd = signals_fd(), .events = POLLIN},
            {.fd = s->facts.serve != NULL ? s->serve_fd : -1,
             .events = POLLIN},
        };
        bool has_key = screen_has_key(s); /* curses may have read it before */
        int sig = signals_terminal_next(), ready;
        uint64_t news;

        if (signals_ending() != 0)
            return SCREEN_SIGNAL;
        if (sig != 0) {
            answer_signal(s, sig);
            return SCREEN_RESIZED;
        }
        if (has_key) {
            *key = key_of(s, s->ahead);
            s->ahead = ERR;
            return SCREEN_KEY;
        }
        if (s->changed) {
            s->changed = false;
            return SCREEN_RESIZED;
        }
        ready = poll(fds, sizeof fds / sizeof fds[0], timeout_ms);
        if (ready == 0)
            return SCREEN_TIMEOUT;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0 || fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)) {
            signals_note(SIGHUP); /* the terminal is gone */
            return SCREEN_SIGNAL;
        }
        if (fds[0].revents != 0 || fds[1].revents != 0 || fds[4].revents != 0)
            continue;
        if (fds[3].revents != 0) {
            s->blocked = false;
            return SCREEN_READY;
        }
        if (fds[2].revents != 0 || (fds[5].revents != 0 &&
                                    read(s->serve_fd, &news, sizeof news) > 0))
            return SCREEN_OTHER;
    }
}
