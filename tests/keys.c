/* SPDX-License-Identifier: MIT */
/* The tables of keys: no key has two meanings, and each is explained in the
 * help and in the manual page.  The line of keys: what it leaves out where it
 * lacks room, and where it can be clicked.  What the help of a screen explains
 * in which state.  tests/screen_terminal.c types them. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "canvas_text.h"
#include "tap.h"
#include "view/keys.h"

static const struct {
    const char *name;
    enum key_screen on;
    const char *from, *to; /* where the manual page lists them */
} screens[] = {
    {"watching", ON_WATCH, ".Ss Keys", ".Sh LESSONS"},
    {"a lesson", ON_LESSON, "Keys in a lesson:", "Keys in the menu:"},
    {"the menu", ON_MENU, "Keys in the menu:", "Keys in a text"},
    {"a text", ON_TEXT, "Keys in a text", ".Fl -check"},
    {"the home screen", ON_HOME, ".Ss The home screen", ".Ss Keys"},
    {"a race", ON_RACE, ".It Cm compare", ".It Cm chart"},
    {"a chart", ON_CHART, ".It Cm chart", ".It Cm replay"},
};
enum { SCREENS = sizeof screens / sizeof screens[0] };

/* The first row of a screen from a row on, NULL: from the first on; NULL: there
 * is none. */
static const struct key *
row(enum key_screen on, const struct key *k)
{
    for (k = k != NULL ? k : key_table; k->on != 0; k++)
        if (k->on & on)
            return k;
    return NULL;
}

/* As people call a key. */
static const char *
name_of(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {SCREEN_KEY_ESCAPE, "Esc"},       {SCREEN_KEY_LEFT, "Left"},
        {SCREEN_KEY_RIGHT, "Right"},      {SCREEN_KEY_UP, "Up"},
        {SCREEN_KEY_DOWN, "Down"},        {SCREEN_KEY_HOME, "Home"},
        {SCREEN_KEY_END, "End"},          {SCREEN_KEY_ENTER, "Enter"},
        {SCREEN_KEY_BACKTAB, "Shift-Tab"}, {SCREEN_KEY_CLICK, "mouse"},
        {SCREEN_KEY_BACKSPACE, "Backspace"},
        {SCREEN_KEY_PAGE_UP, "PgUp"},      {SCREEN_KEY_PAGE_DOWN, "PgDn"},
        {SCREEN_KEY_WHEEL_UP, "mouse"},   {SCREEN_KEY_WHEEL_DOWN, "mouse"},
        {'\t', "Tab"},                    {' ', "Space"},
    };
    static char character[2];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    if (code >= '0' && code <= '9')
        return "number";
    character[0] = (char)code;
    return character;
}

/* Whether `name` is a word of `text`. Only single letters differ by case. */
static bool
has_word(const char *text, const char *name)
{
    size_t length = strlen(name);
    bool found = false;

    while (!found && *(text += strspn(text, " ,;\n")) != '\0') {
        size_t word = strcspn(text, " ,;\n");
        found = word == length && (word > 1 ? strncasecmp(text, name, word)
                                            : *text != *name) == 0;
        text += word;
    }
    return found;
}

/* The states that hold whenever these do. */
static uint64_t
with_implied(uint64_t state)
{
    if (state & (KEY(ORDER) | KEY(HELD)))
        state |= KEY(ORDER) | KEY(CHOICE);
    if (state & KEY(TYPES))
        state |= KEY(WIRE);
    if (state & (KEY(CHOICE) | KEY(NUMBER) | KEY(LABEL) | KEY(WIRE)))
        state |= KEY(ASKED);
    return state;
}

/* Whether there is a state in which both rows apply. */
static bool
may_meet(const struct key *a, const struct key *b)
{
    uint64_t state = with_implied(a->when | b->when);
    enum key_screen any = ~0u;

    return key_applies(a, any, state) && key_applies(b, any, state);
}

static bool
shares_code(const struct key *a, const struct key *b)
{
    for (int i = 0; i < KEY_CODES && a->codes[i] != 0; i++)
        for (int j = 0; j < KEY_CODES && b->codes[j] != 0; j++)
            if (a->codes[i] == b->codes[j])
                return true;
    return false;
}

static void
test_one_meaning(const char *name, enum key_screen on)
{
    int twice = 0;

    for (const struct key *a = row(on, NULL); a != NULL; a = row(on, a + 1))
        for (const struct key *b = row(on, a + 1); b != NULL;
             b = row(on, b + 1))
            if (a->request != b->request && shares_code(a, b) &&
                may_meet(a, b)) {
                diag("%s has the meanings %d and %d", name_of(a->codes[0]),
                     a->request, b->request);
                twice++;
            }
    is_int(twice, 0, "%s: no key has two meanings", name);
}

/* Whether a request is named in the help, or only in the last line of a screen
 * that has no help. */
static bool
is_explained(enum key_screen on, const struct key *of)
{
    bool helps = false;

    for (const struct key *k = row(on, NULL); k != NULL; k = row(on, k + 1)) {
        helps |= k->help != NULL;
        if (k->request == of->request && k->help != NULL)
            return true;
        for (int i = 0; i < KEY_CODES && of->codes[i] != 0; i++)
            if (k->names != NULL &&
                has_word(k->names, name_of(of->codes[i])))
                return true;
    }
    return !helps && of->name != NULL;
}

static void
test_explained(const char *name, enum key_screen on)
{
    int missing = 0;

    for (const struct key *k = row(on, NULL); k != NULL; k = row(on, k + 1))
        if (!is_explained(on, k)) {
            diag("%s is explained nowhere", name_of(k->codes[0]));
            missing++;
        }
    is_int(missing, 0, "%s: every request is in the help", name);
}

/* Whether a line of the help names only keys that the table has. */
static void
test_answered(const char *name, enum key_screen on)
{
    int idle = 0;

    for (const struct key *k = row(on, NULL); k != NULL; k = row(on, k + 1))
        for (const char *p = k->names; p != NULL && *p != '\0';) {
            OWN(buf) word = {0};
            bool known = false;
            buf_add(&word, p, strcspn(p, " ,"));
            p += strcspn(p, " ,");
            p += strspn(p, " ,");
            for (const struct key *o = row(on, NULL); o != NULL;
                 o = row(on, o + 1))
                for (int i = 0; i < KEY_CODES && o->codes[i] != 0; i++)
                    known |= strcmp(buf_text(&word), name_of(o->codes[i])) == 0;
            known |= word.length > 1 && buf_text(&word)[0] <= '9'; /* 5l */
            if (!known)
                diag("the help names %s", buf_text(&word));
            idle += !known;
        }
    is_int(idle, 0, "%s: the help names no key that does nothing", name);
}

static void
read_manual(struct buf *text)
{
    const char *srcdir = getenv("srcdir");
    OWN(buf) path = {0};
    char some[4096];
    FILE *file;

    buf_addf(&path, "%s/assets/man/collviz.1", srcdir != NULL ? srcdir : ".");
    file = fopen(buf_text(&path), "re");
    for (size_t n; file != NULL && (n = fread(some, 1, sizeof some, file)) > 0;)
        buf_add(text, some, n);
    if (file != NULL)
        fclose(file);
}

/* The .It lines from one place of the manual page to another, without \&. */
static void
listed_keys(const char *manual, const char *from, const char *to,
            struct buf *out)
{
    const char *p = strstr(manual, from),
               *end = p != NULL ? strstr(p, to) : NULL;

    while (end != NULL && (p = strstr(p, "\n.It ")) != NULL && p < end) {
        p += strlen("\n.It ");
        p += strncmp(p, "\\&", 2) == 0 ? 2 : 0;
        buf_add(out, p, strcspn(p, "\n") + 1);
    }
}

static void
test_manual(int i, const char *manual)
{
    OWN(buf) listed = {0};
    int missing = 0;

    listed_keys(manual, screens[i].from, screens[i].to, &listed);
    for (const struct key *k = row(screens[i].on, NULL); k != NULL;
         k = row(screens[i].on, k + 1))
        for (int j = 0; j < KEY_CODES && k->codes[j] != 0; j++)
            if (!has_word(buf_text(&listed), name_of(k->codes[j]))) {
                diag("the manual page lacks %s", name_of(k->codes[j]));
                missing++;
            }
    is_int(missing, 0, "%s: the manual page has every key",
           screens[i].name);
}

/* Every key that a screen names in its last line can be clicked there, on its
 * name and on its word, and nothing else can. */
static void
test_clicks(const char *name, enum key_screen on, uint64_t state)
{
    const struct key_line line = {.on = on, .state = state, .enter = "go on"};
    OWN(canvas) c = {0};
    int missing = 0, elsewhere = 0;

    canvas_resize(&c, 130, 3);
    keys_draw(&line, &c, 2, 2);
    for (const struct key *k = row(on, NULL); k != NULL; k = row(on, k + 1)) {
        bool found = k->name == NULL || !key_applies(k, on, state) ||
                     (k->shown & ~state) != 0;
        for (int x = 0; x < c.columns; x++) {
            found |= key_at(&c, x, 2) == k->codes[0];
            elsewhere += key_at(&c, x, 1) != 0;
        }
        if (!found)
            diag("%s: '%s' cannot be clicked", name, k->name);
        missing += !found;
    }
    is_int(missing, 0, "%s: every key can be clicked", name);
    is_int(elsewhere, 0, "only in the last row");
    is_int(key_at(&c, 0, 2), 0, "not before the first");
    is_int(key_at(&c, 129, 2), 0, "not after the last");
}

/* Where a click is on a key makes the difference. */
static void
test_click_halves(void)
{
    const struct key_line line = {.on = ON_RACE};
    OWN(canvas) c = {0};

    canvas_resize(&c, 60, 1);
    is_int(keys_draw(&line, &c, 0, 0), 57, "the column after the keys");
    is_int(key_at(&c, 17, 0), '+', "the first half");
    is_int(key_at(&c, 18, 0), '-', "the second half");
    is_int(key_at(&c, 25, 0), 0, "between two keys");
    is_int(key_at(&c, 27, 0), SCREEN_KEY_HOME, "a name");
    is_int(key_at(&c, 36, 0), SCREEN_KEY_HOME,
           "the last letter of its word");
    is_int(key_at(&c, 37, 0), 0, "a place without a key");
    keys_draw_prompt("change: 5 --op q", &c, 0);
    is_int(key_at(&c, 10, 0), 0, "a prompt is no key");
    is_int(key_at(&c, 58, 0), SCREEN_KEY_ESCAPE,
           "but what cancels it is one");
}

/* The line of keys of a run, on a screen with so many columns. */
static void
is_line(int columns, uint64_t state, const char *back, const char *shown)
{
    const struct key_line line = {.on = ON_WATCH, .state = state,
                                  .back = back};
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    canvas_resize(&c, columns, 1);
    keys_draw(&line, &c, 1, 0);
    canvas_text(&c, &text);
    is_str(buf_text(&text), shown, "the keys on %d columns", columns);
}

static void
test_room(void)
{
    uint64_t open = KEY(ON_TOP) | KEY(AT_SLOT) | KEY(INSPECTING);

    is_line(120, 0, NULL,
            " ←→ step  p play  +- speed  g go to  v view  Tab GPU  Enter look"
            "  f follow  a change  w write  ? help  q quit\n");
    is_line(80, 0, NULL,
            " ←→ step  p play  v view  Tab GPU  Enter look  a change  ? help"
            "  q quit\n");
    is_line(60, 0, NULL,
            " ←→ step  p play  Enter look  a change  ? help  q quit\n");
    is_line(40, 0, NULL, " ←→ step  p play  ? help  q quit\n");
    is_line(24, 0, NULL, " ←→  p  ?  q\n");
    is_line(60, KEY(ON_TOP) | KEY(AT_SLOT), NULL,
            " ←→ step  p play  ↑↓ slot  ? help  Esc close  q quit\n");
    is_line(80, KEY(VISITING), "home",
            " ←→ step  p play  v view  Tab GPU  Enter look  a change  ? help"
            "  Esc home\n");
    is_line(80, KEY(VISITING) | open, "home",
            " ←→ step  p play  v view  Tab GPU  ↑↓ slot  a change  ? help"
            "  Esc close  q home\n");
}

/* A row applies in its own state and in no other one. */
static void
test_states(void)
{
    int wrong = 0;

    for (int a = 0; a < KEY_STATES; a++) {
        const struct key in = {.on = ON_MENU, .when = UINT64_C(1) << a};
        const struct key out = {.on = ON_MENU, .unless = UINT64_C(1) << a};
        for (int b = 0; b < KEY_STATES; b++) {
            const struct key_line line = {.state = UINT64_C(1) << b};
            wrong += key_applies(&in, ON_MENU, line.state) != (a == b);
            wrong += key_applies(&out, ON_MENU, line.state) == (a == b);
        }
    }
    is_int(wrong, 0, "each of %d states is one of its own", KEY_STATES);
}

/* Whether the help of a screen in a state has these lines, each before a '|',
 * and none of the others. */
static void
check_help(const char *name, enum key_screen on, uint64_t state,
           const char *has, const char *lacks)
{
    const struct help h = {.on = on, .state = state};
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    canvas_resize(&c, 120, 60);
    help_draw(&h, 1, &c);
    canvas_text(&c, &text);
    for (int lacking = 0; lacking < 2; lacking++)
        for (const char *p = lacking ? lacks : has; *p != '\0';) {
            size_t length = strcspn(p, "|");
            OWN(buf) line = {0};
            buf_add(&line, p, length);
            p += length + (p[length] == '|');
            ok((strstr(buf_text(&text), buf_text(&line)) == NULL) == lacking,
               "the help of %s %s: %s", name, lacking ? "lacks" : "has",
               buf_text(&line));
        }
}

#define CHOOSING "Tab Space  "
#define WIRING "wiring: the GPU|take a transfer back|0-9 + =  |such as 0>1 =0"
#define LEAVING "all lessons|  quit|explore a run|what each collective promises"

/* The help has what can be at another time, and not what never is. */
static void
test_help(void)
{
    check_help("a lesson", ON_LESSON, KEY(RUN),
               CHOOSING "|" WIRING "|" LEAVING, "end the exam|notes|timer");
    check_help("a question with rows", ON_LESSON,
               KEY(ASKED) | KEY(CHOICE),
               CHOOSING "|" WIRING "|" LEAVING, "end the exam");
    check_help("a wiring", ON_LESSON, KEY(ASKED) | KEY(WIRE) | KEY(TYPES),
               CHOOSING "|" WIRING "|" LEAVING, "end the exam");
    check_help("an exam", ON_LESSON, KEY(EXAM) | KEY(ASKED) | KEY(NUMBER),
               CHOOSING "|" WIRING "|end the exam, if pressed twice", LEAVING);
    check_help("a class", ON_LESSON, KEY(PRESENTING) | KEY(REVEALS),
               "the speaker's notes|time to think", "end the exam");
    check_help("a visited lesson", ON_LESSON, KEY(VISITING), "go back",
               "all lessons|end the exam");
    check_help("a run", ON_WATCH, 0, "  quit", "run the file again|go back");
    check_help("a run of a file", ON_WATCH, KEY(FILE), "run the file again",
               "go back");
    check_help("a chart over sizes", ON_CHART, KEY(MODELLED),
               "more or fewer GPUs", "more or fewer bytes");
    check_help("a chart over ranks", ON_CHART, KEY(MODELLED) | KEY(OVER_RANKS),
               "more or fewer bytes", "more or fewer GPUs");
}

int
main(void)
{
    struct buf manual = {0};

    read_manual(&manual);
    for (int i = 0; i < SCREENS; i++) {
        test_one_meaning(screens[i].name, screens[i].on);
        test_explained(screens[i].name, screens[i].on);
        test_answered(screens[i].name, screens[i].on);
        test_manual(i, buf_text(&manual));
    }
    buf_done(&manual);
    test_clicks("watching", ON_WATCH, 0);
    test_clicks("the menu", ON_MENU, 0);
    test_clicks("the home screen", ON_HOME, 0);
    test_clicks("a search", ON_HOME, KEY(SEARCHING));
    test_clicks("a race", ON_RACE, KEY(PLAYING));
    test_clicks("a question", ON_LESSON,
                KEY(ASKED) | KEY(CHOICE) | KEY(ORDER) | KEY(HINTS) | KEY(RUN));
    test_click_halves();
    test_room();
    test_states();
    test_help();
    return done_testing();
}
