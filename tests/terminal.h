/* SPDX-License-Identifier: MIT */
/* A terminal for tests: a pty with libvterm at its other end, and collviz in
 * it.
 *
 * The program is started by a tiny shell, the leader of the session, so that it
 * can be stopped and continued as in a real one. COLLVIZ is its path. */
#ifndef TESTS_TERMINAL_H
#define TESTS_TERMINAL_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "lab.h"
#include "patience.h"
#include "processes.h"
#include "tap.h"

/* Not every test uses all functions. */
#define TERMINAL_UNUSED __attribute__((unused))

/* The shell writes this after the program has stopped or ended: a control
 * character (ENQ) that no program writes. What comes before it is all that the
 * program wrote. */
enum { TERMINAL_MARK = 5 };

struct terminal {
    VTerm *vt;
    VTermScreen *screen;
    int fd;
    pid_t shell, pid; /* the program's; 0: it has ended */
    int news, orders; /* from and to the shell */
    bool alternate, cursor, mouse;
    bool mute; /* it replies to no question */
    bool asked; /* for its background */
    bool marked; /* TERMINAL_MARK has come */
    int columns, rows;
};

static int
terminal_property(VTermProp prop, VTermValue *value, void *user)
{
    struct terminal *t = user;

    if (prop == VTERM_PROP_ALTSCREEN)
        t->alternate = value->boolean;
    if (prop == VTERM_PROP_CURSORVISIBLE)
        t->cursor = value->boolean;
    if (prop == VTERM_PROP_MOUSE)
        t->mouse = value->number != VTERM_PROP_MOUSE_NONE;
    return 1;
}

/* Runs argv in a process group of its own; writes "P" and its pid, then how it
 * stopped or ended. Any byte that arrives continues it. */
static void
terminal_shell(char *const argv[], int news, int orders)
{
    static const char mark = TERMINAL_MARK;
    pid_t pid = fork();
    int status;
    char order;

    if (pid == 0) {
        setpgid(0, 0);
        while (tcgetpgrp(STDIN_FILENO) != getpgrp())
            usleep(1000);
        for (int i = 1; i < NSIG; i++)
            signal(i, SIG_DFL); /* the parent may ignore it */
        execv(argv[0], argv);
        _exit(127);
    }
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setpgid(pid, pid);
    tcsetpgrp(STDIN_FILENO, pid);
    if (write(news, &pid, sizeof pid) < 0)
        _exit(126);
    while (waitpid(pid, &status, WUNTRACED) == pid) {
        tcsetpgrp(STDIN_FILENO, getpgrp());
        if (write(news, &status, sizeof status) < 0 ||
            write(STDOUT_FILENO, &mark, 1) < 0 ||
            !WIFSTOPPED(status))
            break;
        if (read(orders, &order, 1) != 1)
            break;
        tcsetpgrp(STDIN_FILENO, pid);
        process_signal_group(pid, SIGCONT);
    }
    _exit(0);
}

static char *
terminal_program(void)
{
    char *path = getenv("COLLVIZ");

    return path != NULL ? path : (char *)"src/collviz";
}

/* Makes the lab, in which the test and all that it starts then run, with the
 * usual terminal. Skips all tests if this machine has no pseudo-terminal.
 * Sanitizers write into files: a report scrolls off a screen, and that of a
 * worker is never on it. */
static TERMINAL_UNUSED void
terminal_begin(void)
{
    char *program = realpath(terminal_program(), NULL);
    char options[sizeof lab + 100];
    int ends[2];

    if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) != 0) {
        puts("1..0 # SKIP no pseudo-terminal: is /dev/pts mounted?");
        exit(0);
    }
    close(ends[0]);
    close(ends[1]);
    lab_make();
    if (program == NULL || chdir(lab) != 0)
        exit(99);
    /* Signals that a test sends are no crash for a sanitizer to report. */
    snprintf(options, sizeof options, "log_path=%s/sanitizer:handle_segv=0:"
             "handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0",
             lab);
    setenv("ASAN_OPTIONS", options, 0);
    setenv("TSAN_OPTIONS", options, 0);
    setenv("COLLVIZ", program, 1);
    setenv("LAB", lab, 1);
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
    free(program);
}

/* Returns the test's exit status. */
static TERMINAL_UNUSED int
terminal_end(void)
{
    if (system("cat sanitizer.* 2>/dev/null | grep . >&2") == 0)
        ok(false, "a sanitizer has nothing to report");
    if (chdir("/") != 0)
        return 99;
    lab_remove();
    return done_testing();
}

/* *t must stay where it is. */
static void
terminal_start(struct terminal *t, int columns, int rows, char *const argv[])
{
    static VTermScreenCallbacks callbacks = {.settermprop =
                                                 terminal_property};
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)columns};
    int news[2], orders[2];

    *t = (struct terminal){.columns = columns, .rows = rows, .cursor = true};
    if (pipe2(news, O_CLOEXEC) != 0 || pipe2(orders, O_CLOEXEC) != 0)
        exit(99);
    t->shell = forkpty(&t->fd, NULL, NULL, &size);
    if (t->shell == 0) {
        close(news[0]);
        close(orders[1]);
        terminal_shell(argv, news[1], orders[0]);
    }
    close(news[1]);
    close(orders[0]);
    t->news = news[0];
    t->orders = orders[1];
    if (read(t->news, &t->pid, sizeof t->pid) != sizeof t->pid || t->pid <= 0)
        exit(99);
    t->vt = vterm_new(rows, columns);
    vterm_set_utf8(t->vt, 1);
    t->screen = vterm_obtain_screen(t->vt);
    vterm_screen_enable_altscreen(t->screen, 1);
    vterm_screen_set_callbacks(t->screen, &callbacks, t);
    vterm_screen_reset(t->screen, 1);
}

/* Starts collviz with these words, between which are blanks. */
static void
terminal_run(struct terminal *t, int columns, int rows, const char *words)
{
    char copy[500], *argv[20] = {terminal_program()}, *rest = NULL, *word;
    size_t count = 1;

    snprintf(copy, sizeof copy, "%s", words);
    word = strtok_r(copy, " ", &rest);
    for (; word != NULL && count < sizeof argv / sizeof *argv - 1;
         word = strtok_r(NULL, " ", &rest))
        argv[count++] = word;
    terminal_start(t, columns, rows, argv);
}

/* Reads what arrives within `ms`. Returns false at the end of the output. */
static bool
terminal_read(struct terminal *t, int ms)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    char bytes[65536];
    ssize_t n;

    if (poll(&p, 1, ms) <= 0)
        return true;
    n = read(t->fd, bytes, sizeof bytes);
    if (n <= 0)
        return false;
    vterm_input_write(t->vt, bytes, (size_t)n);
    t->marked |= memchr(bytes, TERMINAL_MARK, (size_t)n) != NULL;
    t->asked |= memmem(bytes, (size_t)n, "\033]11;?", 6) != NULL;
    n = (ssize_t)vterm_output_read(t->vt, bytes, sizeof bytes);
    if (n > 0 && !t->mute && write(t->fd, bytes, (size_t)n) < 0)
        return false;
    return true;
}

/* Reads until nothing has arrived for a while. */
static TERMINAL_UNUSED void
terminal_settle(struct terminal *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};

    while (poll(&p, 1, 400) > 0 && terminal_read(t, 0))
        ;
}

/* The screen as text, without the blanks at the ends of lines. */
static const char *
terminal_text(const struct terminal *t, struct buf *out)
{
    buf_clear(out);
    for (int y = 0; y < t->rows; y++) {
        struct buf line = {0};
        size_t used = 0;
        for (int x = 0; x < t->columns; x++) {
            VTermScreenCell cell;
            char bytes[4];
            vterm_screen_get_cell(t->screen, (VTermPos){y, x}, &cell);
            if (cell.chars[0] == (uint32_t)-1)
                continue;
            uint32_t code = cell.chars[0] != 0 ? cell.chars[0] : ' ';
            buf_add(&line, bytes, (size_t)utf8_put(bytes, code));
            if (code != ' ')
                used = line.length;
        }
        buf_add(out, buf_text(&line), used);
        buf_putc(out, '\n');
        buf_done(&line);
    }
    return buf_text(out);
}

/* Waits until `text` is on the screen. Other parts of the screen may be
 * older. */
static bool
terminal_shows(struct terminal *t, const char *text)
{
    int64_t until = hung_at();
    struct buf all = {0};
    bool found = false, open = true;

    while (!found && open && clock_ns() < until) {
        open = terminal_read(t, 20);
        found = strstr(terminal_text(t, &all), text) != NULL;
    }
    if (!found)
        diag("the screen does not show '%s'%s:\n%s", text,
             open ? "" : " before its end", buf_text(&all));
    buf_done(&all);
    return found;
}

/* Whether `text` is on the screen now: for what must not be there.  The rest of
 * a frame may come after the text that terminal_shows() has found. */
static TERMINAL_UNUSED bool
terminal_has(const struct terminal *t, const char *text)
{
    struct buf all = {0};
    bool has = strstr(terminal_text(t, &all), text) != NULL;

    buf_done(&all);
    return has;
}

/* The position of `text` on the screen. */
static TERMINAL_UNUSED bool
terminal_find(const struct terminal *t, const char *text, VTermPos *pos)
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

static TERMINAL_UNUSED void
terminal_type(struct terminal *t, const char *keys)
{
    if (write(t->fd, keys, strlen(keys)) < 0)
        diag("typing: %s", strerror(errno));
}

/* Presses and releases a button; 4 and 5 are the wheel's. Does nothing if the
 * program did not ask for a mouse. */
static TERMINAL_UNUSED void
terminal_click(struct terminal *t, int x, int y, int button)
{
    char bytes[256];
    size_t n;

    vterm_mouse_move(t->vt, y, x, VTERM_MOD_NONE);
    vterm_mouse_button(t->vt, button, true, VTERM_MOD_NONE);
    vterm_mouse_button(t->vt, button, false, VTERM_MOD_NONE);
    n = vterm_output_read(t->vt, bytes, sizeof bytes);
    if (write(t->fd, bytes, n) < 0)
        diag("clicking: %s", strerror(errno));
}

static TERMINAL_UNUSED void
terminal_resize(struct terminal *t, int columns, int rows)
{
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)columns};

    t->columns = columns;
    t->rows = rows;
    vterm_set_size(t->vt, rows, columns);
    ioctl(t->fd, TIOCSWINSZ, &size);
}

/* Waits until the program stops or ends. Returns its status, as waitpid() does,
 * or -1 if it does neither in time. */
static int
terminal_wait(struct terminal *t)
{
    int64_t until = hung_at();
    struct pollfd p = {.fd = t->news, .events = POLLIN};
    int status = -1;

    while (clock_ns() < until) {
        terminal_read(t, 10);
        if (poll(&p, 1, 0) > 0) {
            if (read(t->news, &status, sizeof status) != sizeof status)
                return -1;
            if (!WIFSTOPPED(status))
                t->pid = 0;
            break;
        }
    }
    while (t->fd >= 0 && !t->marked && clock_ns() < until &&
           terminal_read(t, 10))
        ;
    t->marked = false;
    return status;
}

/* Pastes a text, between the marks that the program may have asked for. Returns
 * whether it did. */
static bool
terminal_paste(const struct terminal *t, const char *text)
{
    char mark[16];
    size_t n;

    vterm_keyboard_start_paste(t->vt);
    n = vterm_output_read(t->vt, mark, sizeof mark);
    if (*text != '\0' && (write(t->fd, mark, n) < 0 ||
                          write(t->fd, text, strlen(text)) < 0))
        diag("pasting: %s", strerror(errno));
    vterm_keyboard_end_paste(t->vt);
    n = vterm_output_read(t->vt, mark, sizeof mark);
    if (*text != '\0' && write(t->fd, mark, n) < 0)
        diag("pasting: %s", strerror(errno));
    return n > 0;
}

/* Whether the terminal is as a shell expects it: lines, echo, signals; the
 * normal screen, a cursor, no mouse, no marks around what is pasted. */
static TERMINAL_UNUSED bool
terminal_whole(const struct terminal *t)
{
    struct termios modes;
    tcflag_t want = ICANON | ECHO | ISIG;

    return tcgetattr(t->fd, &modes) == 0 &&
           (modes.c_lflag & want) == want && modes.c_oflag & OPOST &&
           modes.c_iflag & ICRNL && !t->alternate && t->cursor &&
           !t->mouse && !terminal_paste(t, "");
}

static TERMINAL_UNUSED void
terminal_continue(struct terminal *t)
{
    if (write(t->orders, "", 1) < 0)
        diag("continuing: %s", strerror(errno));
}

/* Closes the terminal, as a user closes a window. */
static TERMINAL_UNUSED void
terminal_hang_up(struct terminal *t)
{
    close(t->fd);
    t->fd = -1;
}

static void
terminal_done(struct terminal *t)
{
    if (t->pid > 0)
        process_signal(t->pid, SIGKILL);
    if (t->fd >= 0)
        close(t->fd);
    close(t->news);
    close(t->orders);
    waitpid(t->shell, NULL, 0);
    vterm_free(t->vt);
}

#endif
