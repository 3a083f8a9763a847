/* SPDX-License-Identifier: MIT */
/* Plays a script on a screen: collviz is started in a terminal, typed at,
 * looked at and quit.  The scripts are tests/screens/NAME.screen:
 *
 *     run ring-allreduce --gpus 3
 *     shows step 0/4
 *     l<Tab> shows GPU 1 sent A2+B2 to GPU 2  # Tab describes another rank
 *     q ends 1
 *
 * A line is a verb of the table below, with what it is about; keys may stand
 * before verbs that look at the screen.  What follows "  # " says why.  Keys
 * with names are <Enter>, <C-w> and the like; $LAB is the script's folder, in
 * which it runs.  What is left of a run is skipped once something failed.  The
 * lines after "each A // B", up to an empty one, are played for A, which they
 * call $EACH, then for B. */
#include <ctype.h>
#include <sys/file.h>

#include "base/load.h"
#include "tap.h"
#include "terminal.h"

enum { SEATS = 3 };

/* Terminals that a script has at once, each with a name. */
static struct seat {
    char name[20];
    bool open;
    struct terminal t;
    struct buf kept; /* the screen, as it was */
} seats[SEATS], *seat = seats;

static const char *script, *next_line; /* the script's name; where it goes on */
static const char *each = "";          /* what $EACH stands for */
static int number;                     /* of this line */
static bool broken;                    /* this run */

static bool play_line(char *line);

static const struct {
    const char *name, *bytes;
} named_keys[] = {
    {"Enter", "\r"},      {"Tab", "\t"},        {"BackTab", "\033[Z"},
    {"Esc", "\033"},      {"Space", " "},       {"Backspace", "\177"},
    {"Left", "\033OD"},   {"Right", "\033OC"},  {"Up", "\033OA"},
    {"Down", "\033OB"},   {"Home", "\033OH"},   {"End", "\033OF"},
    {"PgUp", "\033[5~"},  {"PgDn", "\033[6~"},
};

/* The keys that the text before `end` stands for. */
static void
keys_of(const char *text, const char *end, struct buf *out)
{
    while (text < end) {
        size_t length = 0, i, count = sizeof named_keys / sizeof *named_keys;
        if (strncmp(text, "<C-", 3) == 0 && text[4] == '>') {
            buf_putc(out, (char)(text[3] & 0x1f));
            text += 5;
            continue;
        }
        for (i = 0; i < count && length == 0; i++) {
            size_t n = strlen(named_keys[i].name);
            if (text[0] == '<' && text[n + 1] == '>' &&
                strncmp(text + 1, named_keys[i].name, n) == 0) {
                buf_puts(out, named_keys[i].bytes);
                length = n + 2;
            }
        }
        if (length == 0)
            buf_putc(out, *text);
        text += length > 0 ? length : 1;
    }
}

static void
type_keys(const char *text, const char *end)
{
    OWN(buf) keys = {0};

    keys_of(text, end, &keys);
    terminal_type(&seat->t, buf_text(&keys));
}

static bool
do_type(char *text)
{
    type_keys(text, text + strlen(text));
    return true;
}

/* The terminal marks the text as pasted; for "bare TEXT" it cannot. */
static bool
do_paste(char *text)
{
    bool bare = strncmp(text, "bare ", 5) == 0;
    OWN(buf) bytes = {0};

    text += bare ? 5 : 0;
    keys_of(text, text + strlen(text), &bytes);
    return terminal_paste(&seat->t, buf_text(&bytes)) == !bare;
}

/* Starts collviz with these words, the first of which may be a size. */
static bool
do_run(char *words)
{
    int columns = 80, rows = 24, end = 0;

    if (sscanf(words, "%dx%d%n", &columns, &rows, &end) != 2)
        end = 0;
    if (seat->open)
        terminal_done(&seat->t);
    seat->open = true;
    broken = false;
    terminal_run(&seat->t, columns, rows, words + end);
    return true;
}

/* Goes to the terminal of this name, which may be a new one, and plays the rest
 * of the line there. */
static bool
do_on(char *text)
{
    char *name = strsep(&text, " ");

    for (struct seat *s = seats; s < seats + SEATS; s++)
        if (s->name[0] == '\0' || strcmp(s->name, name) == 0) {
            snprintf(s->name, sizeof s->name, "%s", name);
            seat = s;
            return text == NULL || play_line(text);
        }
    return false;
}

/* Cuts the first of these texts, between which is " // ", off the others. */
static char *
next_text(char **texts)
{
    char *text = *texts, *end = text != NULL ? strstr(text, " // ") : NULL;

    *texts = end != NULL ? end + 4 : NULL;
    if (end != NULL)
        *end = '\0';
    return text;
}

/* Waits for each of these texts. */
static bool
do_shows(char *texts)
{
    bool good = true;

    for (char *text; good && (text = next_text(&texts)) != NULL;)
        good = terminal_shows(&seat->t, text);
    return good;
}

/* None of these is there now: what would have come with a text that shows. */
static bool
do_lacks(char *texts)
{
    bool good = true;

    for (char *text; good && (text = next_text(&texts)) != NULL;)
        good = !terminal_has(&seat->t, text);
    return good;
}

/* It soon is no longer there. */
static bool
do_loses(char *text)
{
    int64_t until = hung_at();

    while (terminal_has(&seat->t, text) && clock_ns() < until &&
           terminal_read(&seat->t, 20))
        ;
    return !terminal_has(&seat->t, text);
}

static bool
do_settles(char *text)
{
    (void)text;
    terminal_settle(&seat->t);
    return true;
}

/* Of two texts the first is in a row above the second. */
static bool
do_stacks(char *texts)
{
    OWN(buf) all = {0};
    const char *first = next_text(&texts), *high, *low;
    bool above = terminal_shows(&seat->t, first) &&
                 terminal_shows(&seat->t, texts);

    terminal_settle(&seat->t); /* a frame comes in parts */
    high = strstr(terminal_text(&seat->t, &all), first);
    low = strstr(buf_text(&all), texts);
    above = above && high != NULL && low != NULL && high < low &&
            memchr(high, '\n', (size_t)(low - high)) != NULL;
    return above;
}

/* Whether the choice with this text is chosen, whatever its letter is. */
static bool
has_chosen(struct terminal *t, const char *text)
{
    char chosen[100];
    bool has = false;

    for (int i = 0; i < 14 && !has; i++) {
        snprintf(chosen, sizeof chosen, "▶ %c) %s%c", 'a' + i / 2, text,
                 i % 2 == 0 ? ' ' : '\n');
        has = terminal_has(t, chosen);
    }
    return has;
}

/* Types Tab until the choice with this text is chosen, and waits for what each
 * one does: another Tab too many would choose the next. */
static bool
do_pick(char *text)
{
    struct terminal *t = &seat->t;
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    OWN(buf) before = {0}, now = {0};

    for (int i = 0; i < 10 && !has_chosen(t, text); i++) {
        int64_t soon = clock_ns() + 1000000000;
        terminal_text(t, &before);
        terminal_type(t, "\t");
        do
            terminal_read(t, 20);
        while (clock_ns() < soon &&
               strcmp(terminal_text(t, &now), buf_text(&before)) == 0);
        while (poll(&p, 1, 80) > 0 && terminal_read(t, 0))
            ;
    }
    return has_chosen(t, text);
}

/* Goes through a lesson: Enter is enough, but for choosing, where Tab does.
 * While blocks move no key is offered, and one that is typed then may arrive on
 * the next page, unseen. */
static bool
do_goes_on_to(char *text)
{
    struct terminal *t = &seat->t;
    int64_t until = hung_at();
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    OWN(buf) before = {0}, now = {0};

    while (!terminal_has(t, text) && clock_ns() < until) {
        terminal_text(t, &before);
        terminal_type(t, terminal_has(t, " choose") ? "\t\r" : "\r");
        while (clock_ns() < until && terminal_read(t, 20) &&
               strcmp(terminal_text(t, &now), buf_text(&before)) == 0)
            ;
        while (poll(&p, 1, 80) > 0 && terminal_read(t, 0))
            ;
        while (!terminal_has(t, "Enter ") && clock_ns() < until &&
               terminal_read(t, 20))
            ;
    }
    return terminal_shows(t, text);
}

/* The number of a signal by its name, as KILL; 0: none has it. */
static int
signal_named(const char *name, size_t length)
{
    for (int i = 1; i < NSIG; i++) {
        const char *known = sigabbrev_np(i);
        if (known != NULL && strlen(known) == length &&
            memcmp(known, name, length) == 0)
            return i;
    }
    return 0;
}

/* Ends, by itself with a status, with any if none is said, or by a signal;
 * "within 4" seconds. The terminal is whole then, unless it was killed. */
static bool
do_ends(char *text)
{
    const char *within = strstr(text, "within ");
    int sent = signal_named(text, strcspn(text, " "));
    int64_t typed = clock_ns(), took;
    int status = terminal_wait(&seat->t);
    bool good = status >= 0 &&
                terminal_whole(&seat->t) == (sent != SIGKILL);

    took = clock_ns() - typed;
    if (within != NULL)
        good = good && took < atoi(within + 7) * INT64_C(1000000000);
    if (sent != 0)
        good = good && WIFSIGNALED(status) && WTERMSIG(status) == sent;
    else
        good = good && WIFEXITED(status) &&
               (!isdigit(*text) || WEXITSTATUS(status) == atoi(text));
    if (!good)
        diag("status %#x, after %.1f s", (unsigned)status, (double)took / 1e9);
    return good;
}

static bool
do_stops(char *text)
{
    (void)text;
    return WIFSTOPPED(terminal_wait(&seat->t)) && terminal_whole(&seat->t);
}

/* As the shell's fg. */
static bool
do_continues(char *text)
{
    terminal_continue(&seat->t);
    return terminal_shows(&seat->t, text) && seat->t.alternate;
}

/* To the program, or to its only child: "KILL", "TERM worker". */
static bool
do_signal(char *text)
{
    size_t length = strcspn(text, " ");
    pid_t child = 0, pid = seat->t.pid;

    if (text[length] != '\0' &&
        process_descendants(seat->t.pid, &child, 1, 0) != 1)
        return false;
    process_signal(text[length] != '\0' ? child : pid,
                   signal_named(text, length));
    return true;
}

/* A button at so many columns and rows from a text: "1 0,2 GPU 2". */
static bool
do_click(char *text)
{
    int button, dx, dy, end;
    VTermPos at;

    if (sscanf(text, "%d %d,%d %n", &button, &dx, &dy, &end) != 3 ||
        !terminal_find(&seat->t, text + end, &at))
        return false;
    terminal_click(&seat->t, at.col + dx, at.row + dy, button);
    return true;
}

static bool
do_size(char *text)
{
    int columns, rows;

    if (sscanf(text, "%dx%d", &columns, &rows) != 2)
        return false;
    terminal_resize(&seat->t, columns, rows);
    return true;
}

/* The background of a text, of 256 colours; -1: the terminal's own. */
static bool
do_ground(char *text)
{
    VTermScreenCell cell;
    VTermPos at;
    int colour = -2;

    if (!terminal_find(&seat->t, strchr(text, ' ') + 1, &at))
        return false;
    vterm_screen_get_cell(seat->t.screen, at, &cell);
    if (VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) ||
        VTERM_COLOR_IS_DEFAULT_FG(&cell.bg))
        colour = -1;
    else if (VTERM_COLOR_IS_INDEXED(&cell.bg))
        colour = cell.bg.indexed.idx;
    if (colour != atoi(text))
        diag("colour %d", colour);
    return colour == atoi(text);
}

static bool
do_bold(char *text)
{
    VTermScreenCell cell;
    VTermPos at;

    if (!terminal_find(&seat->t, text, &at))
        return false;
    vterm_screen_get_cell(seat->t.screen, at, &cell);
    return cell.attrs.bold;
}

static bool
do_keep(char *text)
{
    (void)text;
    terminal_settle(&seat->t);
    terminal_text(&seat->t, &seat->kept);
    return true;
}

/* The screen is what it was when it was kept. */
static bool
do_same(char *text)
{
    OWN(buf) now = {0};
    bool same;

    (void)text;
    terminal_settle(&seat->t);
    same = strcmp(terminal_text(&seat->t, &now), buf_text(&seat->kept)) == 0;
    if (!same)
        diag("%s\nwas\n%s", buf_text(&now), buf_text(&seat->kept));
    return same;
}

/* The terminal replies to no question. */
static bool
do_mute(char *text)
{
    (void)text;
    seat->t.mute = true;
    return true;
}

/* So many ms, whatever comes. */
static bool
do_wait(char *text)
{
    int64_t until = clock_ns() + atoi(text) * INT64_C(1000000);

    while (clock_ns() < until)
        terminal_read(&seat->t, 10);
    return true;
}

/* A variable of the runs that follow; without a value there is none. */
static bool
do_env(char *text)
{
    char *name = strsep(&text, "=");

    return (*text != '\0' ? setenv(name, text, 1) : unsetenv(name)) == 0;
}

static bool
do_sh(char *text)
{
    return system(text) == 0;
}

/* The rest of the script needs what this command finds. */
static bool
do_needs(char *text)
{
    if (system(text) != 0) {
        skip("%s: %s", script, text);
        next_line += strlen(next_line);
    }
    return true;
}

/* Another program has locked this file until the script ends. */
static bool
do_locked(char *text)
{
    int file = open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    return file >= 0 && flock(file, LOCK_EX) == 0;
}

/* A line of the script, with $LAB and $EACH replaced. */
static bool
read_line(struct buf *line)
{
    const char *end = strchr(next_line, '\n');

    buf_clear(line);
    if (end == NULL)
        return false;
    while (next_line < end)
        if (strncmp(next_line, "$LAB", 4) == 0) {
            buf_puts(line, lab);
            next_line += 4;
        } else if (strncmp(next_line, "$EACH", 5) == 0) {
            buf_puts(line, each);
            next_line += 5;
        } else {
            buf_putc(line, *next_line++);
        }
    next_line++;
    return true;
}

/* Plays the lines that follow, up to an empty one, for each of these. */
static bool
do_each(char *texts)
{
    const char *block = next_line;
    OWN(buf) line = {0};

    for (char *text; (text = next_text(&texts)) != NULL;) {
        each = text;
        next_line = block;
        while (read_line(&line) && line.length > 0)
            play_line(line.data);
    }
    return true;
}

/* Writes a file: the lines that follow, up to "EOF". */
static bool
do_file(char *text)
{
    FILE *file = fopen(text, "we");
    OWN(buf) line = {0};

    while (file != NULL && read_line(&line) &&
           strcmp(buf_text(&line), "EOF") != 0)
        fprintf(file, "%s\n", buf_text(&line));
    return file != NULL && fclose(file) == 0;
}

enum { CHECKS = 1, AFTER_KEYS = 2, ALWAYS = 4 }; /* also if it is broken */

static const struct verb {
    const char *name;
    bool (*act)(char *text);
    int flags;
} verbs[] = {
    {"run", do_run, ALWAYS},
    {"on", do_on, ALWAYS},
    {"type", do_type, 0},
    {"paste", do_paste, CHECKS | AFTER_KEYS},
    {"shows", do_shows, CHECKS | AFTER_KEYS},
    {"lacks", do_lacks, CHECKS | AFTER_KEYS},
    {"loses", do_loses, CHECKS | AFTER_KEYS},
    {"settles", do_settles, AFTER_KEYS},
    {"stacks", do_stacks, CHECKS},
    {"pick", do_pick, CHECKS},
    {"goes on to", do_goes_on_to, CHECKS},
    {"ends", do_ends, CHECKS | AFTER_KEYS},
    {"stops", do_stops, CHECKS | AFTER_KEYS},
    {"continues", do_continues, CHECKS},
    {"signal", do_signal, 0},
    {"click", do_click, 0},
    {"size", do_size, 0},
    {"ground", do_ground, CHECKS},
    {"bold", do_bold, CHECKS},
    {"keep", do_keep, 0},
    {"same", do_same, CHECKS},
    {"mute", do_mute, 0},
    {"wait", do_wait, 0},
    {"env", do_env, ALWAYS},
    {"sh", do_sh, CHECKS | ALWAYS},
    {"needs", do_needs, ALWAYS},
    {"locked", do_locked, ALWAYS},
    {"file", do_file, ALWAYS},
    {"each", do_each, ALWAYS},
};

/* Finds the verb of a line: at its begin, or the first one after keys. Sets
 * where the keys end and what is after the verb. */
static const struct verb *
verb_in(char *line, char **keys_end, char **text)
{
    for (char *p = line; *p != '\0'; p++) {
        if (p != line && p[-1] != ' ')
            continue;
        for (const struct verb *v = verbs;
             v < verbs + sizeof verbs / sizeof *verbs; v++) {
            size_t length = strlen(v->name);
            if (strncmp(p, v->name, length) == 0 &&
                (p[length] == ' ' || p[length] == '\0') &&
                (p == line || v->flags & AFTER_KEYS)) {
                *keys_end = p;
                *text = p + length + (p[length] == ' ');
                return v;
            }
        }
    }
    return NULL;
}

/* Returns false if there is no such line, or what it does has failed, which was
 * said. */
static bool
play_line(char *line)
{
    char *text, *keys_end, *why = strstr(line, "  # ");
    const struct verb *v;
    char name[300];

    snprintf(name, sizeof name, "%s", why != NULL ? why + 4 : line);
    if (why != NULL)
        *why = '\0';
    v = verb_in(line, &keys_end, &text);
    if (v == NULL) {
        broken = !ok(false, "%s:%d: no verb in '%s'", script, number, line);
    } else if (!broken || v->flags & ALWAYS) {
        bool good;
        if (keys_end > line)
            type_keys(line, keys_end - 1);
        good = v->act(text);
        if (v->flags & CHECKS || (!good && v->act != do_on))
            broken |= !ok(good, "%s:%d: %s", script, number, name);
    }
    return !broken;
}

int
main(int argc, char **argv)
{
    struct buf all = {0}, line = {0};
    const char *here;
    struct err err;

    if (argc != 2 || !load(argv[1], 1 << 20, &all, &err)) {
        fprintf(stderr, "usage: screen SCRIPT, one of tests/screens\n");
        return 2;
    }
    terminal_begin();
    script = basename(argv[1]);
    number = 1;
    next_line = here = buf_text(&all);
    while (read_line(&line)) {
        if (line.length > 0 && line.data[0] != '#')
            play_line(line.data);
        for (; here < next_line; here++)
            number += *here == '\n';
    }
    for (seat = seats; seat < seats + SEATS; seat++) {
        if (seat->open)
            terminal_done(&seat->t);
        buf_done(&seat->kept);
    }
    buf_done(&all);
    buf_done(&line);
    return terminal_end();
}
