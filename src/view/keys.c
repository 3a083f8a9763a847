/* SPDX-License-Identifier: MIT */
#include "view/keys.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"

/* The keys that are no characters, as they are called in the table below. */
enum {
    ESC = SCREEN_KEY_ESCAPE, ENTER = SCREEN_KEY_ENTER,
    BACKSPACE = SCREEN_KEY_BACKSPACE, BACKTAB = SCREEN_KEY_BACKTAB,
    LEFT = SCREEN_KEY_LEFT, RIGHT = SCREEN_KEY_RIGHT,
    UP = SCREEN_KEY_UP, DOWN = SCREEN_KEY_DOWN,
    HOME = SCREEN_KEY_HOME, END = SCREEN_KEY_END,
    PAGE_UP = SCREEN_KEY_PAGE_UP, PAGE_DOWN = SCREEN_KEY_PAGE_DOWN,
    WHEEL_UP = SCREEN_KEY_WHEEL_UP, WHEEL_DOWN = SCREEN_KEY_WHEEL_DOWN,
    CLICK = SCREEN_KEY_CLICK,
};

const char key_speed[] = N_("speed"), key_back[] = N_("quit"),
           key_enter[] = "";

/* The keys, in the order in which the last line and the help name them. */
const struct key key_table[] = {
    /* Steps of a run, points of a chart. */
    {DO_BACK, ON_WATCH | ON_RACE | ON_CHART, {LEFT, 'h', BACKSPACE, WHEEL_UP},
     "←", .plain = "h "},
    {DO_NEXT, ON_WATCH, {RIGHT, 'l', ' ', WHEEL_DOWN},
     "→", N_("step"), .plain = "l",
     .names = "Right l, Left h", .help = N_("next step, back")},
    {DO_NEXT, ON_RACE, {RIGHT, 'l', ' ', WHEEL_DOWN},
     "→", N_("step"), .plain = "l", .names = "Right l, Left h",
     .help = N_("to the end of the next step in any run; back")},
    {DO_NEXT, ON_CHART, {RIGHT, 'l', ' ', WHEEL_DOWN},
     "→", N_("point"), .plain = "l",
     .names = "Right l, Left h", .help = N_("read the next point; back")},

    /* Rows of a list, lines of a text. */
    {DO_BACK, ON_MENU | ON_TEXT, {UP, 'k', WHEEL_UP}, "↑", .plain = "k "},
    {DO_NEXT, ON_MENU, {DOWN, 'j', '\t', WHEEL_DOWN},
     "↓", N_("choose"), .plain = "j",
     .names = "Up k, Down j", .help = N_("choose a lesson")},
    {DO_NEXT, ON_TEXT, {DOWN, 'j', WHEEL_DOWN}, "↓", N_("line"), .plain = "j"},
    {DO_BACK, ON_HOME, {UP, WHEEL_UP}, "↑", .plain = "Up "},
    {DO_NEXT, ON_HOME, {DOWN, WHEEL_DOWN},
     "↓", N_("choose"), .plain = "Down", .spare = 2,
     .names = "Up Down", .help = N_("choose a row")},

    /* Many of them. */
    {DO_PAGE_BACK, ON_WATCH | ON_RACE, {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten steps back, ten on")},
    {DO_PAGE_BACK, ON_CHART | ON_MENU | ON_HOME, {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten back, ten on")},
    {DO_PAGE_NEXT, ON_WATCH | ON_RACE | ON_CHART | ON_MENU | ON_HOME,
     .codes = {PAGE_DOWN}},
    {DO_PAGE_NEXT, ON_TEXT, .codes = {' ', PAGE_DOWN},
     "Space", N_("next page")},
    {DO_PAGE_BACK, ON_TEXT, .codes = {'b', PAGE_UP, BACKSPACE},
     "b", N_("page before")},
    {DO_FIRST, ON_WATCH, {HOME},
     .names = "Home End g", .help = N_("first, last, go to a step")},
    {DO_FIRST, ON_CHART | ON_MENU | ON_HOME, {HOME},
     .names = "Home End", .help = N_("the first, the last")},
    {DO_FIRST, ON_TEXT, .codes = {HOME, 'g'}, "Home", N_("first")},
    {DO_LAST, ON_WATCH | ON_RACE | ON_CHART, .codes = {END, 'G'}},
    {DO_LAST, ON_MENU | ON_HOME, .codes = {END}},
    {DO_LAST, ON_TEXT, .codes = {END, 'G'}, "End", N_("last")},

    /* The clock. */
    {DO_PLAY, ON_WATCH | ON_RACE, {'p'}, "p", N_("play"),
     .unless = KEY(PLAYING),
     .names = "p, + -", .help = N_("play, pause; faster, slower")},
    {DO_PLAY, ON_WATCH | ON_RACE, {'p'}, "p", N_("pause"),
     .when = KEY(PLAYING)},
    {DO_FASTER, ON_WATCH | ON_RACE, .codes = {'+', '='}, "+"},
    {DO_SLOWER, ON_WATCH | ON_RACE, {'-'}, "-", key_speed, .spare = 6},
    {DO_FIRST, ON_RACE, {HOME}, "Home", N_("again"), .spare = 2,
     .names = "Home End", .help = N_("race again; to the end")},

    /* Watching a run. */
    {DO_GO_TO, ON_WATCH, {'g'}, "g", N_("go to"), .spare = 9},
    {DO_VIEW, ON_WATCH, {'v'}, "v", N_("view"), .spare = 5,
     .names = "v V", .help = N_("another view; another one beside it")},
    {DO_VIEW_BESIDE, ON_WATCH, .codes = {'V'}},
    {DO_NEXT_RANK, ON_WATCH, {'\t'}, "Tab", N_("GPU"), .spare = 4,
     .names = "Tab, Shift-Tab",
     .help = N_("another GPU: what it does, in words")},
    {DO_PREVIOUS_RANK, ON_WATCH, .codes = {BACKTAB}},
    {DO_INSPECT, ON_WATCH, {ENTER, 'i'}, "Enter", N_("look"), .spare = 2,
     .unless = KEY(IN_LESSON), .hidden = KEY(INSPECTING),
     .names = "Enter i", .help = N_("look into its slots; leave them again")},
    {DO_INSPECT, ON_WATCH, {'i'}, "i", N_("look"), .spare = 2,
     .when = KEY(IN_LESSON), .hidden = KEY(INSPECTING),
     .help = N_("look into its slots; leave them again")},
    {DO_PREVIOUS_SLOT, ON_WATCH, {UP, 'k'}, "↑", .plain = "k ",
     .shown = KEY(AT_SLOT)},
    {DO_NEXT_SLOT, ON_WATCH, {DOWN, 'j'}, "↓", N_("slot"), .plain = "j",
     .shown = KEY(AT_SLOT), .spare = 1,
     .names = "Up k, Down j", .help = N_("another slot of it")},
    {DO_FOLLOW, ON_WATCH, {'f'}, "f", N_("follow"), .spare = 7,
     .help = N_("follow what its slot holds through the run")},
    {DO_NEXT_WRONG, ON_WATCH, {'!'},
     .names = "!", .help = N_("look into the next slot that is wrong")},
    {DO_CHANGE, ON_WATCH, {'a'}, "a", N_("change"), .spare = 3,
     .help = N_("change the run: GPUs, elements, a slow GPU, ...")},
    {DO_AGAIN, ON_WATCH, {'r'}, "r", N_("again"), .spare = 2,
     .when = KEY(FILE), .help = N_("run the file again, as it is now")},
    {DO_WRITE, ON_WATCH, {'w'}, "w", N_("write"), .spare = 8,
     .help = N_("write the run, a picture or a film to a file")},
    {DO_DIGIT, ON_WATCH, {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'},
     .names = "5l 9g 2Tab",
     .help = N_("a number first: how often, which step")},
    {DO_POINT, ON_WATCH, {CLICK}, .names = N_("mouse"),
     .help = N_("click: a GPU, a slot, a step, a key; wheel: back, next")},

    /* A chart. */
    {DO_MORE, ON_CHART, {'+', '=', UP, 'k'}, "+", .when = KEY(MODELLED)},
    {DO_LESS, ON_CHART, {'-', DOWN, 'j'}, "-", N_("GPUs"), .spare = 1,
     .when = KEY(MODELLED), .unless = KEY(OVER_RANKS),
     .names = "+ - Up Down", .help = N_("more or fewer GPUs")},
    {DO_LESS, ON_CHART, {'-', DOWN, 'j'}, "-", N_("size"), .spare = 1,
     .when = KEY(MODELLED) | KEY(OVER_RANKS),
     .names = "+ - Up Down", .help = N_("more or fewer bytes")},
    {DO_NETWORK, ON_CHART, {'\t'}, "Tab", N_("network"), .spare = 2,
     .when = KEY(MODELLED), .help = N_("another network")},
    {DO_OVER, ON_CHART, {'n'}, "n", N_("over GPUs"), .spare = 3,
     .when = KEY(MODELLED), .unless = KEY(OVER_RANKS),
     .help = N_("draw it over the number of GPUs")},
    {DO_OVER, ON_CHART, {'n'}, "n", N_("over size"), .spare = 3,
     .when = KEY(MODELLED) | KEY(OVER_RANKS),
     .help = N_("draw it over the size of the data")},
    {DO_FIXED, ON_CHART, {'+', '=', '-', 'j', 'k', UP, DOWN, 'n', '\t'},
     .unless = KEY(MODELLED)},
    {DO_BUSBW, ON_CHART, {'b'}, "b", N_("busbw"), .spare = 4,
     .help = N_("draw the bus bandwidth")},
    {DO_TIME, ON_CHART, {'t'}, "t", N_("time"), .spare = 4,
     .help = N_("draw the time")},
    {DO_WRITE, ON_CHART, {'w'}, "w", N_("write"), .spare = 5,
     .help = N_("write the chart to a file")},
    {DO_POINT, ON_CHART, {CLICK},
     .names = N_("mouse"), .help = N_("click: a point, a key")},

    /* A lesson. */
    {DO_REPLY, ON_LESSON, {UP, LEFT, 'k', BACKTAB}, "↑", .plain = "",
     .when = KEY(CHOICE), .names = "Tab Space",
     .help = N_("in a question: choose; take along, put down")},
    {DO_REPLY, ON_LESSON, {DOWN, RIGHT, 'j', '\t'},
     "↓", N_("choose"), .plain = "Tab", .when = KEY(CHOICE)},
    {DO_REPLY, ON_LESSON, {' '}, N_("space"), N_("take along"),
     .when = KEY(ORDER), .unless = KEY(HELD)},
    {DO_REPLY, ON_LESSON, {' '}, N_("space"), N_("put down"),
     .when = KEY(ORDER) | KEY(HELD)},
    {DO_REPLY, ON_LESSON, {0}, "0-9", N_("type"), .when = KEY(NUMBER)},
    {DO_REPLY, ON_LESSON, {0}, "A-Z 0-9 +", N_("type"), .when = KEY(LABEL),
     .unless = KEY(PLACE)},
    {DO_REPLY, ON_LESSON, {0}, "A-Z 0-9 > + = - Space", N_("type"),
     .when = KEY(LABEL) | KEY(PLACE)},
    {DO_REPLY, ON_LESSON, {0}, "0>1 =0", N_("type"),
     .when = KEY(WIRE) | KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {ESC}, "Esc", N_("cancel"),
     .when = KEY(WIRE) | KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {LEFT, BACKTAB}, "←", .plain = "",
     .when = KEY(WIRE), .unless = KEY(TYPES), .names = "Left Right Up Down",
     .help = N_("wiring: the GPU that sends, and which slot")},
    {DO_REPLY, ON_LESSON, {RIGHT, '\t'}, "→", .plain = "",
     .when = KEY(WIRE), .unless = KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {UP}, "↑", .plain = "",
     .when = KEY(WIRE), .unless = KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {DOWN}, "↓", N_("slot"), .plain = "arrows",
     .when = KEY(WIRE), .unless = KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {0}, "0-9", N_("to whom"),
     .when = KEY(WIRE), .unless = KEY(TYPES), .names = "0-9 + =",
     .help = N_("to whom; whether it adds to the slot or replaces it")},
    {DO_REPLY, ON_LESSON, {'+'}, "+", .when = KEY(WIRE), .unless = KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {'='}, "=", N_("add, replace"), .spare = 2,
     .when = KEY(WIRE), .unless = KEY(TYPES)},
    {DO_REPLY, ON_LESSON, {'t'}, "t", N_("type"),
     .when = KEY(WIRE), .unless = KEY(TYPES),
     .help = N_("type transfers, such as 0>1 =0 or 0>1 +A1")},
    {DO_REPLY, ON_LESSON, {'u', BACKSPACE}, "u", N_("undo"), .spare = 1,
     .shown = KEY(UNDOES), .when = KEY(WIRE), .unless = KEY(TYPES),
     .help = N_("take a transfer back, then a step")},
    {DO_ENTER, ON_LESSON, {ENTER}, "Enter", key_enter,
     .names = "Enter Right l", .help = N_("go on; Enter: try it")},
    {DO_NEXT, ON_LESSON, {RIGHT, 'l', ' ', 'j', PAGE_DOWN},
     "→", N_("go on"), .plain = "l", .shown = KEY(TO_TRY),
     .unless = KEY(ASKED)},
    {DO_HELP, ON_LESSON, {'?'}, "?", N_("hint"), .shown = KEY(HINTS),
     .help = N_("this help; in a question, a hint")},
    {DO_TIMER, ON_LESSON, {'t'}, "t", N_("timer"), .spare = 1,
     .shown = KEY(REVEALS), .when = KEY(PRESENTING), .unless = KEY(WIRE),
     .help = N_("time to think: 30 seconds, and 30 more")},
    {DO_NOTES, ON_LESSON, {'n'}, "n", N_("notes"), .spare = 1,
     .when = KEY(PRESENTING),
     .help = N_("show the speaker's notes, hide them")},
    {DO_BACK, ON_LESSON, {LEFT, 'h', 'k', PAGE_UP, BACKSPACE},
     "←", N_("back"), .plain = "h", .spare = 4,
     .when = KEY(BEFORE), .unless = KEY(ASKED),
     .names = "Left h", .help = N_("the page before")},
    {DO_BACK, ON_LESSON, {BACKSPACE, PAGE_UP}, "Backspace", N_("back"),
     .spare = 4, .when = KEY(BEFORE) | KEY(CHOICE), .unless = KEY(WIRE)},
    {DO_BACK, ON_LESSON, {LEFT, PAGE_UP},
     "←", N_("back"), .plain = "Left", .spare = 4,
     .when = KEY(BEFORE) | KEY(ASKED), .unless = KEY(CHOICE) | KEY(WIRE)},
    {DO_BACK, ON_LESSON, {PAGE_UP}, "PgUp", N_("back"),
     .spare = 4, .when = KEY(BEFORE) | KEY(WIRE)},
    {DO_FIRST, ON_LESSON, {HOME}, "Home", N_("first page"), .spare = 3,
     .shown = KEY(RESUMED), .help = N_("first page")},
    {DO_NEXT_RANK, ON_LESSON, {'\t'},
     .unless = KEY(CHOICE) | KEY(WIRE), .names = "Tab",
     .help = N_("another GPU")},
    {DO_VIEW, ON_LESSON, {'v'}, .names = "v", .help = N_("another view")},
    {DO_PLAY, ON_LESSON, {'>'}, ">", N_("explore"), .spare = 3,
     .unless = KEY(EXAM), .shown = KEY(RUN),
     .help = N_("explore a run like the one shown")},
    {DO_CHANGE, ON_LESSON, {'a'}, .names = "a",
     .help = N_("where the page says Now you: change the run")},
    {DO_WHEEL_BACK, ON_LESSON, .codes = {WHEEL_UP}},
    {DO_WHEEL_NEXT, ON_LESSON, .codes = {WHEEL_DOWN}},

    /* Lists. */
    {DO_DIGIT, ON_MENU, {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'},
     .names = "0-9", .help = N_("the lesson with this number")},
    {DO_POINT, ON_MENU, {CLICK}, .names = N_("mouse"),
     .help = N_("click: a lesson, once more: start it; wheel: up, down")},
    {DO_ENTER, ON_MENU, {ENTER, RIGHT, ' '}, "Enter", N_("start"),
     .help = N_("start the lesson, or continue it")},
    {DO_SEARCH, ON_MENU, {'/'}, "/", N_("search"), .spare = 4,
     .help = N_("search the lessons")},
    {DO_REVIEW, ON_MENU, {'v'}, "v", N_("review"),
     .help = N_("ask again what was missed and is due")},
    {DO_PROVE, ON_MENU, {'t'}, "t", N_("prove it"), .shown = KEY(PROVES),
     .help = N_("a lesson that was read: its questions, to pass it")},
    {DO_FORGET, ON_MENU, {'r'}, "r", N_("forget"), .spare = 3,
     .help = N_("forget what was done in the lesson")},
    {DO_PROMISES, ON_LESSON | ON_MENU, {'p'}, "p", N_("table"), .spare = 2,
     .shown = KEY(TABLE), .unless = KEY(ASKED) | KEY(EXAM),
     .help = N_("what each collective promises")},
    {DO_PROGRAM, ON_LESSON, {'s'}, "s", N_("source"), .spare = 2,
     .unless = KEY(EXAM), .shown = KEY(PROGRAM),
     .help = N_("the whole program; not where letters are typed")},
    {DO_PROGRAM, ON_MENU, {'s'}, "s", N_("source"), .spare = 2,
     .shown = KEY(PROGRAM),
     .help = N_("the whole program that the lesson is about")},
    {DO_ENTER, ON_HOME, {ENTER}, "Enter", N_("go"),
     .help = N_("go there; q leads back")},
    {DO_PREVIOUS_DOOR, ON_HOME, {LEFT, BACKTAB}, "←", .plain = "",
     .unless = KEY(SEARCHING),
     .names = "Left, Right Tab", .help = N_("another list")},
    {DO_NEXT_DOOR, ON_HOME, {RIGHT, '\t'}, "→", N_("lists"), .plain = "Tab",
     .spare = 1, .unless = KEY(SEARCHING)},
    {DO_POINT, ON_HOME, {CLICK}, .names = N_("mouse"),
     .help = N_("click: a list, a row, once more: go there; wheel: up, down")},
    {DO_SEARCH, ON_HOME, {'/'}, "/", N_("search"), .unless = KEY(SEARCHING),
     .help = N_("search all lists, as typing does")},
    {DO_SEARCH, ON_HOME, {ESC}, "Esc", N_("all"), .when = KEY(SEARCHING),
     .help = N_("end the search")},
    {DO_POINT, ON_LESSON, {CLICK}, .names = N_("mouse"),
     .help = N_("click: a GPU, a key; wheel: back, next")},

    /* Help, and the ways out. */
    {DO_HELP, ON_WATCH | ON_MENU | ON_HOME | ON_RACE | ON_CHART, {'?'},
     "?", N_("help"), .help = N_("this help")},
    {DO_HELP, ON_HELP, {'?', ' '}, "?", N_("next page"), .shown = KEY(MORE)},
    {DO_PAGE_NEXT, ON_HELP,
     .codes = {PAGE_DOWN, DOWN, 'j', RIGHT, 'l', WHEEL_DOWN}},
    {DO_PAGE_BACK, ON_HELP,
     .codes = {PAGE_UP, UP, 'k', LEFT, 'h', BACKSPACE, WHEEL_UP}},
    {DO_CLOSE, ON_HELP, .codes = {ESC}, "Esc", N_("close")},
    {DO_CLOSE, ON_WATCH, {ESC}, "Esc", N_("close"), .when = KEY(ON_TOP),
     .help = N_("close what is open: a number, the slots, what is followed")},
    {DO_QUIT, ON_WATCH, {ESC, 'q'}, "Esc", key_back, .when = KEY(VISITING),
     .unless = KEY(ON_TOP), .names = "Esc q", .help = N_("go back")},
    {DO_QUIT, ON_WATCH, {'q'}, "q", key_back,
     .when = KEY(VISITING) | KEY(ON_TOP)},
    {DO_QUIT, ON_WATCH, {ENTER}, .when = KEY(IN_LESSON),
     .names = "Enter", .help = N_("go back to the lesson")},
    {DO_QUIT, ON_WATCH, {'q'}, "q", key_back, .unless = KEY(VISITING),
     .help = N_("quit")},
    {DO_QUIT, ON_LESSON, {ESC, 'q'}, "Esc", N_("end the exam"),
     .when = KEY(EXAM), .unless = KEY(TYPES), .names = "Esc q",
     .help = N_("end the exam, if pressed twice")},
    {DO_MENU, ON_LESSON, {ESC, 'm'}, "Esc", N_("lessons"), .spare = 1,
     .unless = KEY(VISITING) | KEY(EXAM) | KEY(TYPES),
     .names = "Esc m", .help = N_("all lessons")},
    {DO_QUIT, ON_LESSON, {'q'}, "q", key_back, .spare = 5,
     .unless = KEY(VISITING) | KEY(LABEL) | KEY(NUMBER) | KEY(EXAM) |
               KEY(TYPES),
     .help = N_("quit")},
    {DO_QUIT, ON_LESSON, {ESC, 'q', 'm'}, "Esc", key_back,
     .when = KEY(VISITING), .unless = KEY(EXAM) | KEY(TYPES),
     .names = "Esc q m", .help = N_("go back")},
    {DO_QUIT, ON_HOME, {'q'}, "q", key_back, .unless = KEY(SEARCHING),
     .help = N_("quit")},
    {DO_QUIT, ON_MENU | ON_RACE | ON_CHART, {ESC, 'q'}, "Esc", key_back,
     .names = "Esc q", .help = N_("quit")},
    {DO_CLOSE, ON_TEXT, .codes = {ESC, 'q', ENTER}, "Esc", N_("go back")},
    {DO_ENTER, ON_PROMPT, .codes = {ENTER}, "Enter", ""},
    {DO_CLOSE, ON_PROMPT, .codes = {ESC}, "Esc", N_("cancel")},
    {0}
};

bool
key_applies(const struct key *k, enum key_screen on, uint64_t state)
{
    return (k->on & on) != 0 && (k->when & ~state) == 0 &&
           (k->unless & state) == 0;
}

int
keys_request(enum key_screen on, uint64_t state, int code)
{
    for (const struct key *k = key_table; k->on != 0; k++)
        for (int i = 0; i < KEY_CODES && k->codes[i] != 0; i++)
            if (k->codes[i] == code && key_applies(k, on, state))
                return k->request;
    return 0;
}

int
keys_by(int request)
{
    static const int by[] = {
        [DO_BACK] = -1, [DO_PAGE_BACK] = -KEY_STEPS, [DO_FIRST] = -KEY_ALL,
        [DO_NEXT] = 1,  [DO_PAGE_NEXT] = KEY_STEPS,  [DO_LAST] = KEY_ALL,
    };

    return request <= DO_LAST ? by[request] : 0;
}

enum { GAP = 2, SPARE_MOST = 9, WORD_MAX = 16 };

static bool
is_shown(const struct key_line *l, const struct key *k, int spare)
{
    /* A key that is joined to the next is left out with it.  The speed shows if
     * it is not the usual one. */
    const struct key *named = k + (k->word == NULL);
    bool needed = named->word == key_speed && l->speed != 0;

    return k->name != NULL && key_applies(k, l->on, l->state) &&
           (k->shown & ~l->state) == 0 && (k->hidden & l->state) == 0 &&
           (k->word != key_enter || l->enter != NULL) &&
           (needed || named->spare <= spare);
}

/* Draws the needed keys, and the spare ones with at most the number `spare`. */
static int
put_keys(const struct key_line *l, int spare, bool words, struct canvas *c,
         int x, int y)
{
    char speed[WORD_MAX];

    for (const struct key *k = key_table; k->on != 0; k++) {
        const char *name = k->name, *word = k->word;
        int columns;
        if (!is_shown(l, k, spare))
            continue;
        if (c->glyphs != GLYPHS_FULL && k->plain != NULL)
            name = k->plain;
        name = name[0] != '\0' ? _(name) : "";
        word = word == key_enter ? l->enter : word;
        if (!words || word == NULL || word[0] == '\0') {
            word = ""; /* for which gettext() has the catalogue's header */
        } else if (word == key_speed && l->speed != 0) {
            snprintf(speed, WORD_MAX, l->speed > 0 ? "x%-4d" : "x1/%-2d",
                     1 << abs(l->speed)); /* the next keys must not move */
            word = speed;
        } else {
            word = word == key_back && l->back != NULL ? l->back : _(word);
        }
        columns = utf8_columns(name) + (word[0] != '\0') + utf8_columns(word);
        canvas_puts(c, x, y, name, strong);
        canvas_puts(c, x + utf8_columns(name) + 1, y, word, quiet);
        canvas_target(c, (struct rect){x, y, columns, 1}, TARGET_KEY,
                      k->codes[0], -1);
        x += columns + (k->word != NULL ? GAP : 0);
    }
    return x;
}

/* The columns that it takes, measured outside the canvas. */
static int
measure_keys(const struct key_line *l, int spare, struct canvas *c, int y)
{
    return put_keys(l, spare, true, c, c->columns, y) - c->columns;
}

int
keys_draw(const struct key_line *l, struct canvas *c, int x, int y)
{
    int spare = SPARE_MOST, room = c->columns - 1 + GAP - x;

    while (spare > 0 && measure_keys(l, spare, c, y) > room)
        spare--;
    return put_keys(l, spare, measure_keys(l, spare, c, y) <= room, c, x, y);
}

void
keys_draw_prompt(const char *text, struct canvas *c, int y)
{
    const struct key_line ends = {.on = ON_PROMPT};
    int width = measure_keys(&ends, 0, c, y), x = 1;

    while (*text != '\0' && utf8_columns(text) > c->columns - 3)
        utf8_next(&text);
    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    x += canvas_puts(c, x, y, text, strong);
    canvas_put(c, x, y, '_', strong);
    if (x + GAP + width <= c->columns)
        keys_draw(&ends, c, c->columns + 1 - width, y);
}

/* The help. */

enum { BORDER = 3, BETWEEN = 2 };

/* The signs that all views have. */
static const struct symbol trouble_symbols[] = {
    {NULL, GLYPH_LOST, N_("what was dropped, where it should have arrived")},
    {NULL, GLYPH_CLOCK, N_("holds the others up, and for how long")},
    {NULL, GLYPH_LEFT, N_("waits for that GPU")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

struct help_symbols
help_symbols(const struct view *view)
{
    return (struct help_symbols){
        {view->symbols != NULL ? view->symbols : painter_symbols,
         view != &view_slots ? trouble_symbols : NULL}};
}

enum { LINES_MOST = 256 };

/* The lines of the help: keys, then symbols, all translated. */
struct lines {
    struct symbol all[LINES_MOST];
    int keys, count;
};

/* A line that several views have is there once. */
static void
add_help_line(struct lines *l, const char *text, enum glyph g,
              const char *meaning)
{
    for (int i = 0; i < l->count; i++) {
        const struct symbol *s = &l->all[i];
        bool same = text != NULL && s->text != NULL
                        ? strcmp(text, s->text) == 0
                        : text == s->text && g == s->glyph;
        if (same && strcmp(meaning, s->meaning) == 0)
            return;
    }
    assert(l->count < LINES_MOST);
    l->all[l->count++] = (struct symbol){text, g, meaning};
}

static void
add_symbols(struct lines *l, const struct symbol *s)
{
    for (; s != NULL && s->meaning != NULL; s++)
        add_help_line(l, s->text, s->glyph, _(s->meaning));
}

/* The help also explains the states that the screen can be in at other times,
 * but none in which it never is. */
static struct lines
lines_of(const struct help *h)
{
    const uint64_t lasting = KEY(VISITING) | KEY(IN_LESSON) | KEY(MODELLED) |
                             KEY(OVER_RANKS) | KEY(PRESENTING) | KEY(FILE) |
                             KEY(EXAM);
    struct lines l = {.count = 0};

    for (const struct key *k = key_table; k->on != 0; k++)
        if ((k->on & h->on) != 0 && k->help != NULL &&
            (k->when & lasting & ~h->state) == 0 &&
            (k->unless & lasting & h->state) == 0)
            add_help_line(&l, _(k->names != NULL ? k->names : k->name), 0,
                          _(k->help));
    l.keys = l.count;
    add_symbols(&l, h->signs);
    for (int i = 0; i < h->nviews; i++)
        for (int j = 0; j < HELP_LISTS; j++)
            add_symbols(&l, help_symbols(h->views[i]).lists[j]);
    return l;
}

/* A page: its lines, and the columns of names and of meanings, which are
 * wrapped if there are too few. */
struct page {
    int from, to; /* lines */
    int left, right;
    int rows; /* without headings and frame */
};

/* Measures a page.  Returns whether its lines fit between the frame's two rows,
 * above the line of keys. */
static bool
measure_page(struct page *p, const struct lines *l, int columns, int rows)
{
    int room;

    p->left = p->right = utf8_columns(_("Symbols"));
    for (int i = p->from; i < p->to; i++) {
        const char *name = l->all[i].text;
        p->left = most(p->left, name != NULL ? utf8_columns(name) : 1);
        p->right = most(p->right, utf8_columns(l->all[i].meaning));
    }
    room = most(1, columns - 2 * BORDER - p->left - BETWEEN);
    p->right = least(p->right, room);
    p->rows = 0;
    for (int i = p->from; i < p->to; i++)
        p->rows += wrap_rows(l->all[i].meaning, p->right);
    return p->rows + 3 <= rows;
}

/* A page of the help, or its last one; *pages is their number.  All lines are
 * on a page if they fit; else the keys are on the first ones, the symbols on
 * the last. */
static struct page
page_of(const struct lines *l, int number, int columns, int rows, int *pages)
{
    struct page found = {0};

    *pages = 0;
    for (struct page p = {0}; p.to < l->count;) {
        p = (struct page){.from = p.to, .to = l->count};
        if (!measure_page(&p, l, columns, rows) && p.from < l->keys)
            p.to = l->keys;
        while (!measure_page(&p, l, columns, rows) && p.to > p.from + 1)
            p.to--;
        if (++*pages <= number)
            found = p;
    }
    return found;
}

int
help_after(const struct help *h, int page, int key, int columns, int rows)
{
    struct lines l = lines_of(h);
    int pages;

    page_of(&l, 1, columns, rows, &pages);
    page = page < pages ? page : pages; /* the screen may have grown */
    switch (keys_request(ON_HELP, 0, key)) {
    case DO_HELP:
        return page < pages ? page + 1 : 0;
    case DO_PAGE_NEXT:
        return page < pages ? page + 1 : page;
    case DO_PAGE_BACK:
        return page > 1 ? page - 1 : 1;
    default:
        return 0;
    }
}

void
help_draw(const struct help *h, int page, struct canvas *c)
{
    struct lines l = lines_of(h);
    int pages;
    struct page p = page_of(&l, page, c->columns, c->rows, &pages);
    int heads = (p.from == 0) + (p.from <= l.keys && p.to > l.keys);
    bool headings = p.rows + heads + 3 <= c->rows;
    int width = p.left + BETWEEN + p.right + 2 * BORDER;
    int height = p.rows + heads * headings + 2;
    struct rect box = {most(0, c->columns - width) / 2,
                       most(0, c->rows - 1 - height) / 2, width, height};
    int x = box.x + BORDER, y = box.y + 1;
    const struct key_line line = {.on = ON_HELP,
                                  .state = p.to < l.count ? KEY(MORE) : 0};

    canvas_clear(c, box);
    glyph_frame(c, box, false, plain);
    for (int i = p.from; i < p.to; i++) {
        const struct symbol *s = &l.all[i];
        struct wrap w = {.text = s->meaning, .columns = p.right};
        if (headings && (i == 0 || i == l.keys))
            canvas_puts(c, x, y++, i == 0 ? _("Keys") : _("Symbols"), strong);
        if (s->text != NULL)
            canvas_puts(c, x, y, s->text, strong);
        else
            canvas_glyph(c, x, y, s->glyph, strong);
        while (wrap_next(&w))
            wrap_put(&w, c, x + p.left + BETWEEN, y++, plain);
    }
    canvas_clear(c, (struct rect){0, c->rows - 1, c->columns, 1});
    keys_draw(&line, c, 1, c->rows - 1);
}
