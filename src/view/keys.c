/* SPDX-License-Identifier: MIT */
#include "view/keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/translate.h"
#include "base/utf8.h"

/* The keys that are no characters, as they are called in the tables below. */
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

const char key_speed[] = N_("speed"), key_back[] = N_("quit");

const struct key watch_keys[] = {
    {WATCH_BACK, .codes = {LEFT, 'h', BACKSPACE, WHEEL_UP},
     .names = "Right l, Left h", .help = N_("next step, back"),
     .name = "←", .plain = "h "},
    {WATCH_NEXT, .codes = {RIGHT, 'l', ' ', WHEEL_DOWN},
     .name = "→", .plain = "l", .word = N_("step")},
    {WATCH_BACK_PAGE, .codes = {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten steps back, ten on")},
    {WATCH_NEXT_PAGE, .codes = {PAGE_DOWN}},
    {WATCH_FIRST, .codes = {HOME},
     .names = "Home End g", .help = N_("first, last, go to a step")},
    {WATCH_LAST, .codes = {END, 'G'}},
    {WATCH_PLAY, .codes = {'p'}, .unless = KEY_PLAYING,
     .names = "p, + -", .help = N_("play, pause; faster, slower"),
     .name = "p", .word = N_("play")},
    {WATCH_PLAY, .codes = {'p'}, .when = KEY_PLAYING,
     .name = "p", .word = N_("pause")},
    {WATCH_FASTER, .codes = {'+', '='}, .name = "+"},
    {WATCH_SLOWER, .codes = {'-'}, .name = "-", .word = key_speed, .spare = 6},
    {WATCH_GO_TO, .codes = {'g'},
     .name = "g", .word = N_("go to"), .spare = 9},
    {WATCH_VIEW, .codes = {'v'},
     .names = "v V", .help = N_("another view; another one beside it"),
     .name = "v", .word = N_("view"), .spare = 5},
    {WATCH_VIEW_BESIDE, .codes = {'V'}},
    {WATCH_NEXT_RANK, .codes = {'\t'},
     .names = "Tab, Shift-Tab",
     .help = N_("another GPU: what it does, in words"),
     .name = "Tab", .word = N_("GPU"), .spare = 4},
    {WATCH_PREVIOUS_RANK, .codes = {BACKTAB}},
    {WATCH_INSPECT, .codes = {ENTER, 'i'},
     .unless = KEY_IN_LESSON | KEY_INSPECTING,
     .names = "Enter i", .help = N_("look into its slots; leave them again"),
     .name = "Enter", .word = N_("look"), .spare = 2},
    {WATCH_INSPECT, .codes = {ENTER, 'i'}, .when = KEY_INSPECTING,
     .unless = KEY_IN_LESSON},
    {WATCH_INSPECT, .codes = {'i'}, .when = KEY_IN_LESSON,
     .unless = KEY_INSPECTING,
     .help = N_("look into its slots; leave them again"),
     .name = "i", .word = N_("look"), .spare = 2},
    {WATCH_INSPECT, .codes = {'i'}, .when = KEY_IN_LESSON | KEY_INSPECTING},
    {WATCH_PREVIOUS_SLOT, .codes = {UP, 'k'}, .when = KEY_AT_SLOT,
     .name = "↑", .plain = "k "},
    {WATCH_NEXT_SLOT, .codes = {DOWN, 'j'}, .when = KEY_AT_SLOT,
     .name = "↓", .plain = "j", .word = N_("slot"), .spare = 1},
    {WATCH_PREVIOUS_SLOT, .codes = {UP, 'k'}, .unless = KEY_AT_SLOT,
     .names = "Up k, Down j", .help = N_("another slot of it")},
    {WATCH_NEXT_SLOT, .codes = {DOWN, 'j'}, .unless = KEY_AT_SLOT},
    {WATCH_FOLLOW, .codes = {'f'},
     .help = N_("follow what its slot holds through the run"),
     .name = "f", .word = N_("follow"), .spare = 7},
    {WATCH_NEXT_WRONG, .codes = {'!'},
     .names = "!", .help = N_("look into the next slot that is wrong")},
    {WATCH_CHANGE, .codes = {'a'},
     .help = N_("change the run: GPUs, elements, a slow GPU, ..."),
     .name = "a", .word = N_("change"), .spare = 3},
    {WATCH_WRITE, .codes = {'w'},
     .help = N_("write the run, a picture or a film to a file"),
     .name = "w", .word = N_("write"), .spare = 8},
    {WATCH_COUNT, .codes = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'},
     .names = "5l 9g 2Tab",
     .help = N_("a number first: how often, which step")},
    {WATCH_POINT, .codes = {CLICK},
     .names = N_("mouse"),
     .help = N_("click: a GPU, a slot, a step, a key; wheel: back, next")},
    {WATCH_HELP, .codes = {'?'}, .help = N_("this help"),
     .name = "?", .word = N_("help")},
    {WATCH_CLOSE, .codes = {ESC}, .when = KEY_ON_TOP,
     .help = N_("close what is open: a number, the slots, what is followed"),
     .name = "Esc", .word = N_("close")},
    {WATCH_QUIT, .codes = {ESC, 'q'}, .when = KEY_VISITING,
     .unless = KEY_ON_TOP, .names = "Esc q", .help = N_("go back"),
     .name = "Esc", .word = key_back},
    {WATCH_QUIT, .codes = {'q'}, .when = KEY_VISITING | KEY_ON_TOP,
     .name = "q", .word = key_back},
    {WATCH_QUIT, .codes = {ENTER}, .when = KEY_IN_LESSON,
     .names = "Enter", .help = N_("go back to the lesson")},
    {WATCH_QUIT, .codes = {'q'}, .unless = KEY_VISITING, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key lesson_keys[] = {
    {LESSON_REPLY, .codes = {LEFT, UP, 'k', BACKTAB}, .when = KEY_CHOICE,
     .unless = KEY_ORDER, .names = "Tab Space",
     .help = N_("in a question: choose; take along, put down"),
     .name = "←", .plain = ""},
    {LESSON_REPLY, .codes = {RIGHT, DOWN, 'j', '\t'}, .when = KEY_CHOICE,
     .unless = KEY_ORDER, .name = "→", .plain = "Tab", .word = N_("choose")},
    {LESSON_REPLY, .codes = {UP, LEFT, 'k', BACKTAB}, .when = KEY_ORDER,
     .name = "↑", .plain = ""},
    {LESSON_REPLY, .codes = {DOWN, RIGHT, 'j', '\t'}, .when = KEY_ORDER,
     .name = "↓", .plain = "Tab", .word = N_("choose")},
    {LESSON_REPLY, .codes = {' '}, .when = KEY_ORDER, .unless = KEY_HELD,
     .name = N_("space"), .word = N_("take along")},
    {LESSON_REPLY, .codes = {' '}, .when = KEY_ORDER | KEY_HELD,
     .name = N_("space"), .word = N_("put down")},
    {LESSON_REPLY, .when = KEY_NUMBER, .name = "0-9", .word = N_("type")},
    {LESSON_REPLY, .when = KEY_LABEL, .name = "A-Z 0-9 +", .word = N_("type")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_TO_TRY,
     .name = "Enter", .word = N_("try it")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_GOES_ON,
     .name = "Enter", .word = N_("go on")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_LAST, .unless = KEY_VISITING,
     .name = "Enter", .word = N_("all lessons")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_PREDICTS,
     .name = "Enter", .word = N_("show the answer")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_ASKED, .unless = KEY_BLANK,
     .name = "Enter", .word = N_("answer")},
    {LESSON_ENTER, .codes = {ENTER}, .when = KEY_BLANK,
     .name = "Enter", .word = N_("I don't know: show me")},
    {LESSON_ENTER, .codes = {ENTER},
     .names = "Enter Right l", .help = N_("go on; Enter: try it")},
    {LESSON_ON, .codes = {RIGHT}, .when = KEY_TO_TRY, .unless = KEY_ASKED,
     .name = "→", .plain = "l", .word = N_("go on")},
    {LESSON_ON, .codes = {RIGHT, 'l', ' ', 'j', PAGE_DOWN},
     .unless = KEY_ASKED},
    {LESSON_HELP, .codes = {'?'}, .when = KEY_HINTS,
     .name = "?", .word = N_("hint")},
    {LESSON_HELP, .codes = {'?'},
     .names = "?", .help = N_("this help; in a question, a hint")},
    {LESSON_TIMER, .codes = {'t'}, .when = KEY_REVEALS,
     .name = "t", .word = N_("timer"), .spare = 1},
    {LESSON_TIMER, .codes = {'t'}, .when = KEY_PRESENTING,
     .names = "t", .help = N_("time to think: 30 seconds, and 30 more")},
    {LESSON_NOTES, .codes = {'n'}, .when = KEY_PRESENTING,
     .help = N_("show the speaker's notes, hide them"),
     .name = "n", .word = N_("notes"), .spare = 1},
    {LESSON_BACK, .codes = {LEFT, 'h', 'k', PAGE_UP, BACKSPACE},
     .when = KEY_BEFORE, .unless = KEY_ASKED,
     .names = "Left h", .help = N_("the page before"),
     .name = "←", .plain = "h", .word = N_("back"), .spare = 4},
    {LESSON_BACK, .codes = {BACKSPACE, PAGE_UP},
     .when = KEY_BEFORE | KEY_CHOICE,
     .name = "Backspace", .word = N_("back"), .spare = 4},
    {LESSON_BACK, .codes = {LEFT, PAGE_UP}, .when = KEY_BEFORE | KEY_ASKED,
     .unless = KEY_CHOICE,
     .name = "←", .plain = "Left", .word = N_("back"), .spare = 4},
    {LESSON_FIRST, .codes = {HOME}, .when = KEY_RESUMED,
     .name = "Home", .word = N_("first page"), .spare = 3},
    {LESSON_FIRST, .codes = {HOME}, .names = "Home", .help = N_("first page")},
    {LESSON_NEXT_RANK, .codes = {'\t'}, .unless = KEY_CHOICE,
     .names = "Tab", .help = N_("another GPU")},
    {LESSON_VIEW, .codes = {'v'}, .names = "v", .help = N_("another view")},
    {LESSON_PLAY, .codes = {'>'}, .when = KEY_RUN, .unless = KEY_TO_TRY,
     .name = ">", .word = N_("explore"), .spare = 3},
    {LESSON_PLAY, .codes = {'>'},
     .names = ">", .help = N_("explore a run like the one shown")},
    {LESSON_TRY, .codes = {'a'},
     .names = "a", .help = N_("where the page says Now you: change the run")},
    {LESSON_PROMISES, .codes = {'p'}, .when = KEY_REMEMBER,
     .name = "p", .word = N_("table"), .spare = 2},
    {LESSON_PROMISES, .codes = {'p'},
     .names = "p", .help = N_("what each collective promises")},
    {LESSON_PROGRAM, .codes = {'s'}, .when = KEY_PROGRAM,
     .name = "s", .word = N_("source"), .spare = 2},
    {LESSON_PROGRAM, .codes = {'s'},
     .names = "s",
     .help = N_("the whole program; not where letters are typed")},
    {LESSON_POINT, .codes = {CLICK},
     .names = N_("mouse"),
     .help = N_("click: a GPU, a key; wheel: back, next")},
    {LESSON_WHEEL_BACK, .codes = {WHEEL_UP}},
    {LESSON_WHEEL_ON, .codes = {WHEEL_DOWN}},
    {LESSON_MENU, .codes = {ESC, 'm'}, .unless = KEY_VISITING,
     .names = "Esc m", .help = N_("all lessons"),
     .name = "Esc", .word = N_("lessons"), .spare = 1},
    {LESSON_QUIT, .codes = {'q'}, .unless = KEY_VISITING | KEY_LABEL,
     .help = N_("quit"), .name = "q", .word = key_back, .spare = 5},
    {LESSON_QUIT, .codes = {ESC, 'q', 'm'}, .when = KEY_VISITING,
     .names = "Esc q m", .help = N_("go back"),
     .name = "Esc", .word = key_back},
    {0}
};

const struct key follow_keys[] = {
    {FOLLOW_QUIT, .codes = {'q', ESC}, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key menu_keys[] = {
    {MENU_UP, .codes = {UP, 'k', WHEEL_UP},
     .names = "Up k, Down j", .help = N_("choose a lesson"),
     .name = "↑", .plain = "k "},
    {MENU_DOWN, .codes = {DOWN, 'j', '\t', WHEEL_DOWN},
     .name = "↓", .plain = "j", .word = N_("choose")},
    {MENU_PAGE_UP, .codes = {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten lessons up, ten down")},
    {MENU_PAGE_DOWN, .codes = {PAGE_DOWN}},
    {MENU_FIRST, .codes = {HOME},
     .names = "Home End", .help = N_("the first lesson, the last")},
    {MENU_LAST, .codes = {END}},
    {MENU_NUMBER, .codes = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'},
     .names = "0-9", .help = N_("the lesson with this number")},
    {MENU_POINT, .codes = {CLICK},
     .names = N_("mouse"),
     .help = N_("click: a lesson, a key; wheel: up, down")},
    {MENU_START, .codes = {ENTER, RIGHT, ' '},
     .names = "Enter", .help = N_("start the lesson, or continue it"),
     .name = "Enter", .word = N_("start")},
    {MENU_REVIEW, .codes = {'v'},
     .names = "v", .help = N_("ask again what was missed and is due"),
     .name = "v", .word = N_("review")},
    {MENU_FORGET, .codes = {'r'},
     .names = "r", .help = N_("forget what was done in the lesson"),
     .name = "r", .word = N_("forget"), .spare = 1},
    {MENU_PROMISES, .codes = {'p'},
     .names = "p", .help = N_("what each collective promises"),
     .name = "p", .word = N_("table")},
    {MENU_PROGRAM, .codes = {'s'}, .when = KEY_PROGRAM,
     .names = "s", .help = N_("the whole program that the lesson is about"),
     .name = "s", .word = N_("source")},
    {MENU_PROGRAM, .codes = {'s'}},
    {MENU_HELP, .codes = {'?'}, .help = N_("this help"),
     .name = "?", .word = N_("help")},
    {MENU_QUIT, .codes = {'q'}, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key sheet_keys[] = {
    {SHEET_UP, .codes = {UP, 'k', WHEEL_UP}, .name = "↑", .plain = "k "},
    {SHEET_DOWN, .codes = {DOWN, 'j', WHEEL_DOWN},
     .name = "↓", .plain = "j", .word = N_("line")},
    {SHEET_PAGE_DOWN, .codes = {' ', PAGE_DOWN},
     .name = "Space", .word = N_("next page")},
    {SHEET_PAGE_UP, .codes = {'b', PAGE_UP, BACKSPACE},
     .name = "b", .word = N_("page before")},
    {SHEET_FIRST, .codes = {HOME, 'g'}, .name = "Home", .word = N_("first")},
    {SHEET_LAST, .codes = {END, 'G'}, .name = "End", .word = N_("last")},
    {SHEET_BACK, .codes = {ESC, 'q', ENTER},
     .name = "Esc", .word = N_("go back")},
    {0}
};

const struct key home_keys[] = {
    {HOME_UP, .codes = {UP, WHEEL_UP},
     .names = "Up Down", .help = N_("choose a row"),
     .name = "↑", .plain = "Up "},
    {HOME_DOWN, .codes = {DOWN, WHEEL_DOWN},
     .name = "↓", .plain = "Down", .word = N_("choose"), .spare = 2},
    {HOME_PAGE_UP, .codes = {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten rows up, ten down")},
    {HOME_PAGE_DOWN, .codes = {PAGE_DOWN}},
    {HOME_FIRST, .codes = {HOME},
     .names = "Home End", .help = N_("the first row, the last")},
    {HOME_LAST, .codes = {END}},
    {HOME_GO, .codes = {ENTER},
     .names = "Enter", .help = N_("go there; q leads back"),
     .name = "Enter", .word = N_("go")},
    {HOME_PREVIOUS_DOOR, .codes = {LEFT, BACKTAB}, .unless = KEY_SEARCHING,
     .names = "Left, Right Tab", .help = N_("another list"),
     .name = "←", .plain = ""},
    {HOME_NEXT_DOOR, .codes = {RIGHT, '\t'}, .unless = KEY_SEARCHING,
     .name = "→", .plain = "Tab", .word = N_("lists"), .spare = 1},
    {HOME_POINT, .codes = {CLICK},
     .names = N_("mouse"),
     .help = N_("click: a list, a row, once more: go there; wheel: up, down")},
    {HOME_SEARCH, .codes = {'/'}, .unless = KEY_SEARCHING,
     .help = N_("search all lists, as typing does"),
     .name = "/", .word = N_("search")},
    {HOME_SEARCH, .codes = {ESC}, .when = KEY_SEARCHING,
     .help = N_("end the search"), .name = "Esc", .word = N_("all")},
    {HOME_HELP, .codes = {'?'}, .help = N_("this help"),
     .name = "?", .word = N_("help")},
    {HOME_QUIT, .codes = {'q'}, .unless = KEY_SEARCHING, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key race_keys[] = {
    {RACE_BACK, .codes = {LEFT, 'h', BACKSPACE, WHEEL_UP},
     .names = "Right l, Left h",
     .help = N_("to where the next step ends in any run; back"),
     .name = "←", .plain = "h "},
    {RACE_NEXT, .codes = {RIGHT, 'l', ' ', WHEEL_DOWN},
     .name = "→", .plain = "l", .word = N_("step")},
    {RACE_BACK_PAGE, .codes = {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten steps back, ten on")},
    {RACE_NEXT_PAGE, .codes = {PAGE_DOWN}},
    {RACE_PLAY, .codes = {'p'}, .unless = KEY_PLAYING,
     .names = "p, + -", .help = N_("play, pause; faster, slower"),
     .name = "p", .word = N_("play")},
    {RACE_PLAY, .codes = {'p'}, .when = KEY_PLAYING,
     .name = "p", .word = N_("pause")},
    {RACE_FASTER, .codes = {'+', '='}, .name = "+"},
    {RACE_SLOWER, .codes = {'-'}, .name = "-", .word = key_speed, .spare = 1},
    {RACE_AGAIN, .codes = {HOME},
     .names = "Home End", .help = N_("race again; to the end"),
     .name = "Home", .word = N_("again"), .spare = 2},
    {RACE_END, .codes = {END, 'G'}},
    {RACE_HELP, .codes = {'?'}, .help = N_("this help"),
     .name = "?", .word = N_("help")},
    {RACE_QUIT, .codes = {'q'}, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key chart_keys[] = {
    {CHART_LEFT, .codes = {LEFT, 'h', BACKSPACE, WHEEL_UP},
     .names = "Right l, Left h", .help = N_("read the next point; back"),
     .name = "←", .plain = "h "},
    {CHART_RIGHT, .codes = {RIGHT, 'l', ' ', WHEEL_DOWN},
     .name = "→", .plain = "l", .word = N_("point")},
    {CHART_LEFT_PAGE, .codes = {PAGE_UP},
     .names = "PgUp PgDn", .help = N_("ten points back, ten on")},
    {CHART_RIGHT_PAGE, .codes = {PAGE_DOWN}},
    {CHART_FIRST, .codes = {HOME},
     .names = "Home End", .help = N_("the first point, the last")},
    {CHART_LAST, .codes = {END, 'G'}},
    {CHART_MORE, .codes = {'+', '=', UP, 'k'}, .when = KEY_MODELLED,
     .name = "+"},
    {CHART_LESS, .codes = {'-', DOWN, 'j'}, .when = KEY_MODELLED,
     .unless = KEY_OVER_RANKS,
     .names = "+ - Up Down", .help = N_("more or fewer GPUs"),
     .name = "-", .word = N_("GPUs"), .spare = 1},
    {CHART_LESS, .codes = {'-', DOWN, 'j'},
     .when = KEY_MODELLED | KEY_OVER_RANKS,
     .names = "+ - Up Down", .help = N_("more or fewer bytes"),
     .name = "-", .word = N_("size"), .spare = 1},
    {CHART_NETWORK, .codes = {'\t'}, .when = KEY_MODELLED,
     .help = N_("another network"),
     .name = "Tab", .word = N_("network"), .spare = 2},
    {CHART_OVER, .codes = {'n'}, .when = KEY_MODELLED,
     .unless = KEY_OVER_RANKS, .help = N_("draw it over the number of GPUs"),
     .name = "n", .word = N_("over GPUs"), .spare = 3},
    {CHART_OVER, .codes = {'n'}, .when = KEY_MODELLED | KEY_OVER_RANKS,
     .help = N_("draw it over the size of the data"),
     .name = "n", .word = N_("over size"), .spare = 3},
    {CHART_FIXED, .codes = {'+', '=', '-', 'j', 'k', UP, DOWN, 'n', '\t'},
     .unless = KEY_MODELLED},
    {CHART_BUSBW, .codes = {'b'}, .help = N_("draw the bus bandwidth"),
     .name = "b", .word = N_("busbw"), .spare = 4},
    {CHART_TIME, .codes = {'t'}, .help = N_("draw the time"),
     .name = "t", .word = N_("time"), .spare = 4},
    {CHART_WRITE, .codes = {'w'}, .help = N_("write the chart to a file"),
     .name = "w", .word = N_("write"), .spare = 5},
    {CHART_POINT, .codes = {CLICK},
     .names = N_("mouse"), .help = N_("click: a point, a key")},
    {CHART_HELP, .codes = {'?'}, .help = N_("this help"),
     .name = "?", .word = N_("help")},
    {CHART_QUIT, .codes = {'q'}, .help = N_("quit"),
     .name = "q", .word = key_back},
    {0}
};

const struct key help_keys[] = {
    {HELP_MORE, .codes = {'?', ' '}, .when = KEY_MORE,
     .name = "?", .word = N_("next page")},
    {HELP_MORE, .codes = {'?', ' '}},
    {HELP_ON, .codes = {PAGE_DOWN, DOWN, 'j', RIGHT, 'l', WHEEL_DOWN}},
    {HELP_BACK, .codes = {PAGE_UP, UP, 'k', LEFT, 'h', BACKSPACE, WHEEL_UP}},
    {HELP_CLOSE, .codes = {ESC}, .name = "Esc", .word = N_("close")},
    {0}
};

const struct key prompt_keys[] = {
    {1, .codes = {ENTER}, .name = "Enter", .word = ""},
    {1, .codes = {ESC}, .name = "Esc", .word = N_("cancel")},
    {0}
};

bool
key_applies(const struct key *k, unsigned state)
{
    return (k->when & ~state) == 0 && (k->unless & state) == 0;
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

enum { GAP = 2, SPARE_MOST = 9, WORD_MAX = 16 };

static const char *
name_of(const struct key_line *l, const struct key *k)
{
    const char *name = l->glyphs != GLYPHS_FULL && k->plain != NULL
                           ? k->plain : k->name;

    return name[0] != '\0' ? _(name) : "";
}

/* The result may point into `speed`.  Does not pass "" to gettext(), which
 * would return the catalogue's header. */
static const char *
word_of(const struct key_line *l, const struct key *k, char speed[WORD_MAX])
{
    if (k->word == key_speed && l->speed != 0) {
        snprintf(speed, WORD_MAX, l->speed > 0 ? "x%-4d" : "x1/%-2d",
                 1 << abs(l->speed)); /* the keys after it must not move */
        return speed;
    }
    if (k->word == key_back && l->back != NULL)
        return l->back;
    return k->word != NULL && k->word[0] != '\0' ? _(k->word) : "";
}

/* A key that is joined to the next is left out with it.  Where the speed is not
 * the usual one, it shows. */
static int
spare_of(const struct key_line *l, const struct key *k)
{
    k += k->word == NULL;
    return k->word == key_speed && l->speed != 0 ? 0 : k->spare;
}

/* Draws what is needed, and with `spare` what has at most that number; without
 * a canvas, measures it. */
static int
put(const struct key_line *l, int spare, bool words, struct canvas *c, int x,
    int y)
{
    char speed[WORD_MAX];

    for (const struct key *k = l->keys; k->request != 0; k++) {
        const char *name, *word;
        int columns;
        if (k->name == NULL || spare_of(l, k) > spare ||
            !key_applies(k, l->state))
            continue;
        name = name_of(l, k);
        word = words ? word_of(l, k, speed) : "";
        columns = utf8_columns(name) + (word[0] != '\0') + utf8_columns(word);
        if (c != NULL) {
            canvas_puts(c, x, y, name, (struct pen){.attrs = ATTR_BOLD});
            canvas_puts(c, x + utf8_columns(name) + 1, y, word,
                        (struct pen){.fg = ROLE_QUIET});
            canvas_button(c, (struct rect){x, y, columns, 1}, k->codes[0]);
        }
        x += columns + (k->word != NULL ? GAP : 0);
    }
    return x;
}

int
keys_draw(const struct key_line *l, struct canvas *c, int x, int y)
{
    int spare = SPARE_MOST, end = c->columns - 1 + GAP;

    while (spare > 0 && put(l, spare, true, NULL, x, y) > end)
        spare--;
    return put(l, spare, put(l, spare, true, NULL, x, y) <= end, c, x, y);
}

void
keys_draw_prompt(const char *text, enum glyph_set set, struct canvas *c,
                 int y)
{
    const struct key_line ends = {.keys = prompt_keys, .glyphs = set};
    const struct pen bold = {.attrs = ATTR_BOLD};
    int width = put(&ends, 0, true, NULL, 0, y), x = 1;

    while (utf8_columns(text) > c->columns - 3)
        utf8_next(&text);
    canvas_clear(c, (struct rect){0, y, c->columns, 1});
    x += canvas_puts(c, x, y, text, bold);
    canvas_put(c, x, y, '_', bold);
    if (x + GAP + width <= c->columns)
        keys_draw(&ends, c, c->columns + 1 - width, y);
}
