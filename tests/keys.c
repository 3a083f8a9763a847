/* SPDX-License-Identifier: MIT */
/* The tables of keys: no key has two meanings, and each is explained in the
 * help or named in the last line, and in the manual page.  tests/screen.c types
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "tap.h"
#include "view/keys.h"

static const struct {
    const char *name;
    const struct key *keys;
    const char *from, *to; /* where the manual page lists them */
} tables[] = {
    {"watching", watch_keys, ".Ss Keys", ".Sh LESSONS"},
    {"a lesson", lesson_keys, "Keys in a lesson:", "Keys of the notes:"},
    {"notes", follow_keys, "Keys of the notes:", "Keys in the menu:"},
    {"the menu", menu_keys, "Keys in the menu:", "Keys in a text"},
    {"a text", sheet_keys, "Keys in a text", ".Fl -check"},
    {"the home screen", home_keys, ".Ss The home screen", ".Ss Keys"},
    {"a race", race_keys, ".It Cm compare", ".It Cm chart"},
    {"a chart", chart_keys, ".It Cm chart", ".It Cm replay"},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

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

/* Every state of a screen. */
static void
test_one_meaning(const char *name, const struct key *keys)
{
    static const unsigned moving[] = {KEY_PLAYING, KEY_PAUSED},
                          looking[] = {0, KEY_AT_SLOT},
                          leaving[] = {KEY_ALONE | KEY_NO_LESSON,
                                       KEY_VISITING | KEY_NO_LESSON,
                                       KEY_VISITING | KEY_IN_LESSON,
                                       KEY_ALONE | KEY_PRESENTING},
                          listing[] = {KEY_BROWSING, KEY_SEARCHING},
                          charting[] = {KEY_OVER_BYTES, KEY_OVER_RANKS};
    int twice = 0;

    for (int state = 0; state < 64; state++)
        for (const struct key *k = keys; k->request != 0; k++)
            for (int i = 0; i < KEY_CODES && k->codes[i] != 0; i++) {
                unsigned now = moving[state & 1] | looking[state >> 1 & 1] |
                               leaving[state >> 2 & 3] |
                               listing[state >> 4 & 1] | KEY_MODELLED |
                               KEY_PROGRAM |
                               charting[state >> 5];
                int found = key_applies(k, now)
                                ? keys_request(keys, now, k->codes[i])
                                : k->request;
                if (found != k->request) {
                    diag("%s is taken twice", name_of(k->codes[i]));
                    twice++;
                }
            }
    is_int(twice, 0, "%s: no key has two meanings", name);
}

/* Whether a key of the row is named in the help, or in the last line of the
 * screen. */
static bool
is_explained(const struct key *keys, const struct key *row)
{
    if (row->help != NULL || row->name != NULL)
        return true;
    for (int i = 0; i < KEY_CODES && row->codes[i] != 0; i++)
        for (const struct key *k = keys; k->request != 0; k++)
            if (k->names != NULL &&
                has_word(k->names, name_of(row->codes[i])))
                return true;
    return false;
}

static void
test_explained(const char *name, const struct key *keys)
{
    int missing = 0;

    for (const struct key *k = keys; k->request != 0; k++)
        if (!is_explained(keys, k)) {
            diag("%s is explained nowhere", name_of(k->codes[0]));
            missing++;
        }
    is_int(missing, 0, "%s: every request is in the help", name);
}

/* Whether a line of the help names only keys that the table has. */
static void
test_answered(const char *name, const struct key *keys)
{
    int idle = 0;

    for (const struct key *k = keys; k->request != 0; k++)
        for (const char *p = k->names; p != NULL && *p != '\0';) {
            struct buf word = {0};
            bool known = false;
            buf_add(&word, p, strcspn(p, " ,"));
            p += strcspn(p, " ,");
            p += strspn(p, " ,");
            for (const struct key *o = keys; o->request != 0; o++)
                for (int i = 0; i < KEY_CODES && o->codes[i] != 0; i++)
                    known |= strcmp(buf_text(&word), name_of(o->codes[i])) == 0;
            known |= word.length > 1 && buf_text(&word)[0] <= '9'; /* 5l */
            if (!known)
                diag("the help names %s", buf_text(&word));
            idle += !known;
            buf_done(&word);
        }
    is_int(idle, 0, "%s: the help names no key that does nothing", name);
}

static void
read_manual(struct buf *text)
{
    const char *srcdir = getenv("srcdir");
    struct buf path = {0};
    char some[4096];
    FILE *file;

    buf_addf(&path, "%s/assets/man/collviz.1", srcdir != NULL ? srcdir : ".");
    file = fopen(buf_text(&path), "re");
    for (size_t n; file != NULL && (n = fread(some, 1, sizeof some, file)) > 0;)
        buf_add(text, some, n);
    if (file != NULL)
        fclose(file);
    buf_done(&path);
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
test_manual(int table, const char *manual)
{
    struct buf listed = {0};
    int missing = 0;

    listed_keys(manual, tables[table].from, tables[table].to, &listed);
    for (const struct key *k = tables[table].keys; k->request != 0; k++)
        for (int i = 0; i < KEY_CODES && k->codes[i] != 0; i++)
            if (!has_word(buf_text(&listed), name_of(k->codes[i]))) {
                diag("the manual page lacks %s", name_of(k->codes[i]));
                missing++;
            }
    is_int(missing, 0, "%s: the manual page has every key",
           tables[table].name);
    buf_done(&listed);
}

/* Every key that a screen names in its last line can be clicked there, on its
 * name and on its word, and nothing else can. */
static void
test_clicks(const char *name, const struct key *keys, unsigned state)
{
    struct canvas c = {0};
    int missing = 0, elsewhere = 0;

    canvas_resize(&c, 120, 3);
    keys_draw(keys, state, GLYPHS_FULL, &c, 2, 2);
    for (const struct key *k = keys; k->request != 0; k++) {
        bool found = k->name == NULL || k->word == NULL ||
                     !key_applies(k, state);
        for (int x = 0; x < c.columns; x++) {
            int code = keys_at(&c, (struct point){x, 2});
            found |= code != 0 && keys_request(keys, state, code) ==
                                      k->request;
            elsewhere += keys_at(&c, (struct point){x, 1}) != 0;
        }
        if (!found)
            diag("%s: '%s' cannot be clicked", name, k->name);
        missing += !found;
    }
    is_int(missing, 0, "%s: every key can be clicked", name);
    is_int(elsewhere, 0, "only in the last row");
    is_int(keys_at(&c, (struct point){0, 2}), 0, "not before the first");
    is_int(keys_at(&c, (struct point){119, 2}), 0, "and not after the last");
    canvas_done(&c);
}

/* Where a click is on a key makes the difference. */
static void
test_click_halves(void)
{
    struct canvas c = {0};

    canvas_resize(&c, 40, 1);
    key_put(&c, 0, 0, "+-", "speed");
    key_put(&c, 12, 0, "Enter", "take it");
    is_int(keys_at(&c, (struct point){0, 0}), '+', "the first half");
    is_int(keys_at(&c, (struct point){1, 0}), '-', "the second half");
    is_int(keys_at(&c, (struct point){12, 0}), SCREEN_KEY_ENTER, "a name");
    is_int(keys_at(&c, (struct point){24, 0}), SCREEN_KEY_ENTER,
           "the last letter of its word");
    is_int(keys_at(&c, (struct point){30, 0}), 0, "a place without a key");
    canvas_clear(&c, (struct rect){0, 0, 40, 1});
    canvas_puts(&c, 0, 0, "change: 5 --op q", (struct pen){.attrs = ATTR_BOLD});
    is_int(keys_at(&c, (struct point){8, 0}), 0, "a prompt is no key");
    canvas_done(&c);
}

int
main(void)
{
    struct buf manual = {0};

    read_manual(&manual);
    for (int i = 0; i < TABLES; i++) {
        test_one_meaning(tables[i].name, tables[i].keys);
        test_explained(tables[i].name, tables[i].keys);
        test_answered(tables[i].name, tables[i].keys);
        test_manual(i, buf_text(&manual));
    }
    buf_done(&manual);
    test_clicks("watching", watch_keys, KEY_PAUSED | KEY_ALONE);
    test_clicks("the menu", menu_keys, 0);
    test_clicks("the home screen", home_keys, KEY_BROWSING);
    test_clicks("a search", home_keys, KEY_SEARCHING);
    test_clicks("a race", race_keys, KEY_PLAYING);
    test_click_halves();
    return done_testing();
}
