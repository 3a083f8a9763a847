/* SPDX-License-Identifier: MIT */
#include "view/keys.h"

#include <string.h>

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"

const struct key watch_keys[] = {
    {WATCH_BACK, .codes = {SCREEN_KEY_LEFT, 'h', SCREEN_KEY_WHEEL_UP},
     .names = "Right l, Left h", .help = N_("next step, back"),
     .name = "←", .plain = "h", .word = N_("back")},
    {WATCH_NEXT,
     .codes = {SCREEN_KEY_RIGHT, 'l', ' ', SCREEN_KEY_WHEEL_DOWN},
     .name = "→", .plain = "l", .word = N_("next")},
    {WATCH_FIRST, .codes = {SCREEN_KEY_HOME},
     .names = "Home End g", .help = N_("first, last, go to a step")},
    {WATCH_LAST, .codes = {SCREEN_KEY_END, 'G'}},
    {WATCH_PLAY, .codes = {'p'}, .when = KEY_PAUSED,
     .names = "p, + -", .help = N_("play, pause; faster, slower"),
     .name = "p", .word = N_("play")},
    {WATCH_PLAY, .codes = {'p'}, .when = KEY_PLAYING,
     .name = "p", .word = N_("pause")},
    {WATCH_FASTER, .codes = {'+', '='}, .name = "+-", .spare = true},
    {WATCH_SLOWER, .codes = {'-'}},
    {WATCH_GO_TO, .codes = {'g'},
     .name = "g", .word = N_("go to"), .spare = true},
    {WATCH_VIEW, .codes = {'v'},
     .names = "v V", .help = N_("another view; another one beside it"),
     .name = "v", .word = N_("view")},
    {WATCH_VIEW_BESIDE, .codes = {'V'}},
    {WATCH_NEXT_RANK, .codes = {'\t'},
     .names = "Tab, Shift-Tab",
     .help = N_("another GPU: what it does, in words"),
     .name = "Tab", .word = N_("GPU")},
    {WATCH_PREVIOUS_RANK, .codes = {SCREEN_KEY_BACKTAB}},
    {WATCH_INSPECT, .codes = {SCREEN_KEY_ENTER, 'i'}, .when = KEY_NO_LESSON,
     .names = "Enter i Up Down",
     .help = N_("look into its slots; leave them again"),
     .name = "Enter", .word = N_("look")},
    {WATCH_INSPECT, .codes = {'i'}, .when = KEY_IN_LESSON,
     .names = "i Up Down",
     .help = N_("look into its slots; leave them again"),
     .name = "i", .word = N_("look")},
    {WATCH_PREVIOUS_SLOT, .codes = {SCREEN_KEY_UP}, .when = KEY_AT_SLOT},
    {WATCH_NEXT_SLOT, .codes = {SCREEN_KEY_DOWN}, .when = KEY_AT_SLOT},
    {WATCH_FOLLOW, .codes = {'f'},
     .names = "f Up Down",
     .help = N_("follow what its slot holds through the run"),
     .name = "f", .word = N_("follow"), .spare = true},
    {WATCH_NEXT_WRONG, .codes = {'!'},
     .names = "!", .help = N_("look into the next slot that is wrong")},
    {WATCH_CHANGE, .codes = {'a'},
     .names = "a",
     .help = N_("change the run: GPUs, elements, a slow GPU, ..."),
     .name = "a", .word = N_("change")},
    {WATCH_WRITE, .codes = {'w'},
     .names = "w", .help = N_("write the run, a picture or a film to a file"),
     .name = "w", .word = N_("write"), .spare = true},
    {WATCH_COUNT, .codes = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'},
     .names = "5l 9g 2Tab",
     .help = N_("a number first: how often, which step")},
    {WATCH_POINT, .codes = {SCREEN_KEY_CLICK},
     .names = N_("mouse"),
     .help = N_("click: a GPU, a step, a key; wheel: back, next")},
    {WATCH_HELP, .codes = {'?'}, .name = "?", .word = ""},
    {WATCH_QUIT, .codes = {'q'}, .when = KEY_ALONE,
     .names = "q", .help = N_("quit"),
     .name = "q", .word = ""},
    {WATCH_QUIT, .codes = {SCREEN_KEY_ESCAPE, 'q'},
     .when = KEY_VISITING | KEY_NO_LESSON,
     .names = "Esc q", .help = N_("go back"),
     .name = "Esc"},
    {WATCH_QUIT, .codes = {SCREEN_KEY_ENTER, SCREEN_KEY_ESCAPE, 'q'},
     .when = KEY_VISITING | KEY_IN_LESSON,
     .names = "Enter Esc q", .help = N_("go back to the lesson"),
     .name = "Enter"},
    {0}
};

const struct key lesson_keys[] = {
    {LESSON_ENTER, .codes = {SCREEN_KEY_ENTER},
     .names = "Enter Right l", .help = N_("go on; Enter: try it")},
    {LESSON_ON, .codes = {SCREEN_KEY_RIGHT, 'l', ' '}},
    {LESSON_BACK, .codes = {SCREEN_KEY_LEFT, 'h', SCREEN_KEY_BACKSPACE},
     .names = "Left h", .help = N_("the page before")},
    {LESSON_FIRST, .codes = {SCREEN_KEY_HOME},
     .names = "Home", .help = N_("first page")},
    {LESSON_NEXT_RANK, .codes = {'\t'},
     .names = "Tab", .help = N_("another GPU")},
    {LESSON_VIEW, .codes = {'v'},
     .names = "v", .help = N_("another view")},
    {LESSON_PLAY, .codes = {SCREEN_KEY_ESCAPE},
     .names = "Esc", .help = N_("play by yourself")},
    {LESSON_TRY, .codes = {'a'},
     .names = "a", .help = N_("where the page says Now you: change the run")},
    {LESSON_NOTES, .codes = {'n'}, .when = KEY_PRESENTING,
     .names = "n", .help = N_("show the speaker's notes, hide them")},
    {LESSON_TIMER, .codes = {'t'}, .when = KEY_PRESENTING,
     .names = "t", .help = N_("time to think: 30 seconds, and 30 more")},
    {LESSON_PROMISES, .codes = {'p'},
     .names = "p", .help = N_("what each collective promises")},
    {LESSON_PROGRAM, .codes = {'s'}, .when = KEY_PROGRAM,
     .names = "s",
     .help = N_("the whole program; not where letters are typed")},
    {LESSON_MENU, .codes = {'m'}, .when = KEY_ALONE,
     .names = "m", .help = N_("all lessons")},
    {LESSON_POINT, .codes = {SCREEN_KEY_CLICK},
     .names = N_("mouse"),
     .help = N_("click: a GPU, a key; wheel: back, next")},
    {LESSON_WHEEL_BACK, .codes = {SCREEN_KEY_WHEEL_UP}},
    {LESSON_WHEEL_ON, .codes = {SCREEN_KEY_WHEEL_DOWN}},
    {LESSON_HELP, .codes = {'?'},
     .names = "?", .help = N_("this help; in a question, a hint")},
    {LESSON_QUIT, .codes = {'q'}, .when = KEY_ALONE,
     .names = "q", .help = N_("quit")},
    {LESSON_QUIT, .codes = {'q', 'm'}, .when = KEY_VISITING,
     .names = "q m", .help = N_("go back")},
    {0}
};

const struct key follow_keys[] = {
    {FOLLOW_QUIT, .codes = {'q', SCREEN_KEY_ESCAPE},
     .names = "q Esc", .help = N_("quit")},
    {0}
};

const struct key menu_keys[] = {
    {MENU_UP, .codes = {SCREEN_KEY_UP, 'k', SCREEN_KEY_WHEEL_UP},
     .names = "Up k, Down j", .help = N_("choose a lesson"),
     .name = "↑↓", .plain = "k j", .word = N_("choose")},
    {MENU_DOWN, .codes = {SCREEN_KEY_DOWN, 'j', '\t', SCREEN_KEY_WHEEL_DOWN}},
    {MENU_FIRST, .codes = {SCREEN_KEY_HOME},
     .names = "Home End", .help = N_("the first lesson, the last")},
    {MENU_LAST, .codes = {SCREEN_KEY_END}},
    {MENU_POINT, .codes = {SCREEN_KEY_CLICK},
     .names = N_("mouse"),
     .help = N_("click: a lesson, a key; wheel: up, down")},
    {MENU_START, .codes = {SCREEN_KEY_ENTER, SCREEN_KEY_RIGHT, ' '},
     .names = "Enter", .help = N_("start the lesson, or continue it"),
     .name = "Enter", .word = N_("start")},
    {MENU_REVIEW, .codes = {'v'},
     .names = "v", .help = N_("ask again what was missed and is due"),
     .name = "v", .word = N_("review")},
    {MENU_FORGET, .codes = {'r'},
     .names = "r", .help = N_("forget what was done in the lesson"),
     .name = "r", .word = N_("forget"), .spare = true},
    {MENU_PROMISES, .codes = {'p'},
     .names = "p", .help = N_("what each collective promises"),
     .name = "p", .word = N_("table")},
    {MENU_PROGRAM, .codes = {'s'}, .when = KEY_PROGRAM,
     .names = "s", .help = N_("the whole program that the lesson is about"),
     .name = "s", .word = N_("source")},
    {MENU_PROGRAM, .codes = {'s'}},
    {MENU_HELP, .codes = {'?'}, .name = "?", .word = N_("help")},
    {MENU_QUIT, .codes = {'q'},
     .names = "q", .help = N_("quit"),
     .name = "q", .word = N_("quit")},
    {0}
};

const struct key sheet_keys[] = {
    {SHEET_UP, .codes = {SCREEN_KEY_UP, 'k', SCREEN_KEY_WHEEL_UP},
     .names = "Up k, Down j",
     .name = "↑↓", .plain = "k j", .word = N_("line")},
    {SHEET_DOWN, .codes = {SCREEN_KEY_DOWN, 'j', SCREEN_KEY_WHEEL_DOWN}},
    {SHEET_PAGE_DOWN, .codes = {' ', SCREEN_KEY_PAGE_DOWN},
     .name = "Space", .word = N_("next page")},
    {SHEET_PAGE_UP, .codes = {'b', SCREEN_KEY_PAGE_UP},
     .name = "b", .word = N_("page before")},
    {SHEET_FIRST, .codes = {SCREEN_KEY_HOME, 'g'},
     .name = "Home", .word = N_("first line")},
    {SHEET_LAST, .codes = {SCREEN_KEY_END, 'G'},
     .name = "End", .word = N_("last")},
    {SHEET_BACK, .codes = {SCREEN_KEY_ESCAPE, 'q', SCREEN_KEY_ENTER},
     .name = "Esc", .word = N_("go back")},
    {0}
};

const struct key home_keys[] = {
    {HOME_UP, .codes = {SCREEN_KEY_UP, SCREEN_KEY_WHEEL_UP},
     .names = "Up Down", .help = N_("choose a row"),
     .name = "↑↓", .plain = "Up Down", .word = N_("choose"),
     .spare = true},
    {HOME_DOWN, .codes = {SCREEN_KEY_DOWN, SCREEN_KEY_WHEEL_DOWN}},
    {HOME_FIRST, .codes = {SCREEN_KEY_HOME},
     .names = "Home End", .help = N_("the first row, the last")},
    {HOME_LAST, .codes = {SCREEN_KEY_END}},
    {HOME_GO, .codes = {SCREEN_KEY_ENTER},
     .names = "Enter", .help = N_("go there; q leads back"),
     .name = "Enter", .word = N_("go")},
    {HOME_NEXT_DOOR, .codes = {SCREEN_KEY_RIGHT, '\t'}, .when = KEY_BROWSING,
     .names = "Left, Right Tab", .help = N_("another list"),
     .name = "←→", .plain = "Tab", .word = N_("lists"),
     .spare = true},
    {HOME_PREVIOUS_DOOR, .codes = {SCREEN_KEY_LEFT, SCREEN_KEY_BACKTAB},
     .when = KEY_BROWSING},
    {HOME_POINT, .codes = {SCREEN_KEY_CLICK},
     .names = N_("mouse"),
     .help = N_("click: a list, a row, once more: go there; wheel: up, down")},
    {HOME_SEARCH, .codes = {'/'}, .when = KEY_BROWSING,
     .names = "/", .help = N_("search all lists, as typing does"),
     .name = "/", .word = N_("search")},
    {HOME_SEARCH, .codes = {SCREEN_KEY_ESCAPE}, .when = KEY_SEARCHING,
     .names = "Esc", .help = N_("end the search"),
     .name = "Esc", .word = N_("all")},
    {HOME_HELP, .codes = {'?'}, .name = "?", .word = N_("help")},
    {HOME_QUIT, .codes = {'q'}, .when = KEY_BROWSING,
     .names = "q", .help = N_("quit"),
     .name = "q", .word = N_("quit")},
    {0}
};

const struct key race_keys[] = {
    {RACE_BACK, .codes = {SCREEN_KEY_LEFT, 'h'},
     .names = "Right l, Left h",
     .help = N_("to where the next step ends in any run; back"),
     .name = "←", .plain = "h", .word = N_("back")},
    {RACE_NEXT, .codes = {SCREEN_KEY_RIGHT, 'l'},
     .name = "→", .plain = "l", .word = N_("next")},
    {RACE_PLAY, .codes = {'p', ' '}, .when = KEY_PAUSED,
     .names = "p, + -", .help = N_("play, pause; faster, slower"),
     .name = "p", .word = N_("play")},
    {RACE_PLAY, .codes = {'p', ' '}, .when = KEY_PLAYING,
     .name = "p", .word = N_("pause")},
    {RACE_AGAIN, .codes = {SCREEN_KEY_HOME},
     .names = "Home End", .help = N_("race again; to the end"),
     .name = "Home", .word = N_("again")},
    {RACE_END, .codes = {SCREEN_KEY_END}},
    {RACE_FASTER, .codes = {'+', '='},
     .name = "+-", .word = N_("speed")},
    {RACE_SLOWER, .codes = {'-'}},
    {RACE_HELP, .codes = {'?'}, .name = "?", .word = N_("help")},
    {RACE_QUIT, .codes = {'q'},
     .names = "q", .help = N_("quit"),
     .name = "q", .word = N_("quit")},
    {0}
};

const struct key chart_keys[] = {
    {CHART_LEFT, .codes = {SCREEN_KEY_LEFT, 'h', SCREEN_KEY_WHEEL_UP},
     .names = "Right l, Left h", .help = N_("read the next point; back"),
     .name = "←→", .plain = "h l", .word = N_("read")},
    {CHART_RIGHT, .codes = {SCREEN_KEY_RIGHT, 'l', SCREEN_KEY_WHEEL_DOWN}},
    {CHART_FIRST, .codes = {SCREEN_KEY_HOME},
     .names = "Home End", .help = N_("the first point, the last")},
    {CHART_LAST, .codes = {SCREEN_KEY_END}},
    {CHART_POINT, .codes = {SCREEN_KEY_CLICK},
     .names = N_("mouse"), .help = N_("click: a point, a key")},
    {CHART_MORE, .codes = {SCREEN_KEY_UP, '+', '='},
     .when = KEY_MODELLED | KEY_OVER_BYTES,
     .name = "+-", .word = N_("GPUs")},
    {CHART_MORE, .codes = {SCREEN_KEY_UP, '+', '='},
     .when = KEY_MODELLED | KEY_OVER_RANKS,
     .name = "+-", .word = N_("size")},
    {CHART_LESS, .codes = {SCREEN_KEY_DOWN, '-'}, .when = KEY_MODELLED,
     .names = "+ - Up Down", .help = N_("more or fewer GPUs, or bytes")},
    {CHART_NETWORK, .codes = {'\t'}, .when = KEY_MODELLED,
     .name = "Tab", .word = N_("network")},
    {CHART_OVER, .codes = {'n'}, .when = KEY_MODELLED | KEY_OVER_BYTES,
     .name = "n", .word = N_("over GPUs")},
    {CHART_OVER, .codes = {'n'}, .when = KEY_MODELLED | KEY_OVER_RANKS,
     .name = "n", .word = N_("over size")},
    {CHART_BUSBW, .codes = {'b'}, .name = "b", .word = N_("busbw")},
    {CHART_TIME, .codes = {'t'}, .name = "t", .word = N_("time")},
    {CHART_WRITE, .codes = {'w'}, .name = "w", .word = N_("write")},
    {CHART_HELP, .codes = {'?'}, .name = "?", .word = N_("help")},
    {CHART_QUIT, .codes = {'q'}, .name = "q", .word = N_("quit")},
    {0}
};

unsigned
keys_state(const struct scene *s)
{
    return (s->playing ? KEY_PLAYING : KEY_PAUSED) |
           (s->inspect || s->trail != NULL ? KEY_AT_SLOT : 0) |
           (s->in_lesson ? KEY_IN_LESSON : KEY_NO_LESSON) |
           (s->presents ? KEY_PRESENTING : 0) |
           (s->back != NULL ? KEY_VISITING : KEY_ALONE);
}

bool
key_applies(const struct key *k, unsigned state)
{
    return (k->when & state) == k->when;
}

int
keys_request(const struct key *table, unsigned state, int code)
{
    for (const struct key *k = table; k->request != 0; k++)
        for (int i = 0; i < KEY_CODES && k->codes[i] != 0; i++)
            if (k->codes[i] == code && key_applies(k, state))
                return k->request;
    return 0;
}

const char *
key_name(const struct key *k, enum glyph_set set)
{
    return set != GLYPHS_FULL && k->plain != NULL ? k->plain : k->name;
}

/* Does not pass "" to gettext(), which would return the catalogue's header. */
const char *
key_word(const struct key *k)
{
    return k->word[0] != '\0' ? _(k->word) : "";
}

int
key_columns(const char *name, const char *word)
{
    return utf8_columns(name) + (word[0] != '\0') + utf8_columns(word) +
           KEY_GAP;
}

int
key_put(struct canvas *c, int x, int y, const char *name, const char *word)
{
    canvas_puts(c, x, y, name, (struct pen){.attrs = ATTR_BOLD});
    canvas_puts(c, x + utf8_columns(name) + 1, y, word,
                (struct pen){.fg = ROLE_QUIET});
    return key_columns(name, word);
}

static bool
is_drawn(const struct key *k, unsigned state)
{
    return k->name != NULL && k->word != NULL && key_applies(k, state);
}

/* What of a table is drawn in the last line. */
enum detail { NAMES, WITH_WORDS, WITH_SPARE };

static const char *
word_in(const struct key *k, enum detail detail)
{
    return detail == NAMES ? "" : key_word(k);
}

static int
columns_of_all(const struct key *table, unsigned state, enum glyph_set set,
               enum detail detail)
{
    int columns = 0;

    for (const struct key *k = table; k->request != 0; k++)
        if (is_drawn(k, state) && (detail == WITH_SPARE || !k->spare))
            columns += key_columns(key_name(k, set), word_in(k, detail));
    return columns;
}

int
keys_draw(const struct key *table, unsigned state, enum glyph_set set,
          struct canvas *c, int x, int y)
{
    enum detail detail = WITH_SPARE;

    while (detail > NAMES && x + columns_of_all(table, state, set, detail) -
                                     KEY_GAP > c->columns)
        detail--;
    for (const struct key *k = table; k->request != 0; k++)
        if (is_drawn(k, state) && (detail == WITH_SPARE || !k->spare))
            x += key_put(c, x, y, key_name(k, set), word_in(k, detail));
    return x;
}

/* The keys that a name in the last line stands for; a name of one ASCII
 * character is that key. */
static int
code_of_name(const char *name, bool second_half)
{
    static const struct {
        const char *name;
        int codes[2]; /* of its halves */
    } names[] = {
        {"Enter", {SCREEN_KEY_ENTER, SCREEN_KEY_ENTER}},
        {"Esc", {SCREEN_KEY_ESCAPE, SCREEN_KEY_ESCAPE}},
        {"Tab", {'\t', '\t'}},
        {"Home", {SCREEN_KEY_HOME, SCREEN_KEY_HOME}},
        {"End", {SCREEN_KEY_END, SCREEN_KEY_END}},
        {N_("space"), {' ', ' '}},
        {"Space", {' ', ' '}},
        {"←", {SCREEN_KEY_LEFT, SCREEN_KEY_LEFT}},
        {"→", {SCREEN_KEY_RIGHT, SCREEN_KEY_RIGHT}},
        {"←→", {SCREEN_KEY_LEFT, SCREEN_KEY_RIGHT}},
        {"↑↓", {SCREEN_KEY_UP, SCREEN_KEY_DOWN}},
        {"Up Down", {SCREEN_KEY_UP, SCREEN_KEY_DOWN}},
        {"k j", {'k', 'j'}},
        {"h l", {'h', 'l'}},
        {"+-", {'+', '-'}},
    };

    if (strlen(name) == 1)
        return name[0];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(_(names[i].name), name) == 0)
            return names[i].codes[second_half];
    return 0;
}

static bool
is_bold(const struct canvas *c, int x, int y)
{
    const struct cell *cell = canvas_at(c, x, y);

    return cell != NULL && (cell->pen.attrs & ATTR_BOLD) != 0;
}

static bool
is_gap(const struct canvas *c, int x, int y)
{
    for (int i = 0; i < KEY_GAP; i++) {
        const struct cell *cell = canvas_at(c, x - i, y);
        if (cell != NULL && (cell->code != ' ' || is_bold(c, x - i, y)))
            return false;
    }
    return true;
}

int
keys_at(const struct canvas *c, struct point at)
{
    struct buf name = {0};
    int x = at.x, first, code;

    if (at.y != c->rows - 1)
        return 0;
    while (!is_bold(c, x, at.y))
        if (is_gap(c, x--, at.y))
            return 0;
    for (first = x; is_bold(c, first - 1, at.y);)
        first--;
    while (is_bold(c, x + 1, at.y))
        x++;
    for (int i = first; i <= x; i++) {
        char bytes[4];
        uint32_t cell = canvas_at(c, i, at.y)->code;
        if (cell != 0)
            buf_add(&name, bytes, (size_t)utf8_put(bytes, cell));
    }
    code = code_of_name(buf_text(&name), 2 * (at.x - first) > x - first);
    buf_done(&name);
    return code;
}
