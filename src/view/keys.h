/* SPDX-License-Identifier: MIT */
/* All keys of collviz, except text typed in a prompt or as an answer.
 *
 * Each screen has a table, with one row for each request: the keys that make
 * it, and the words for it in the help and in the last line of the screen.
 * The screen looks a key up and carries out the request:
 *
 *     switch (keys_request(home_keys, 0, key)) {
 *     case HOME_QUIT: ...
 */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include "base/glyph_set.h"
#include "base/screen_key.h"
#include "draw/canvas.h"

/* States in which rows apply. */
enum key_when {
    KEY_PLAYING = 1 << 0,    /* the run moves by itself */
    KEY_ON_TOP = 1 << 1,     /* something that Esc closes */
    KEY_INSPECTING = 1 << 2, /* the slots of a rank are shown */
    KEY_AT_SLOT = 1 << 3,    /* they are, or one is followed */
    KEY_VISITING = 1 << 4,   /* q leads back to a lesson or the home screen */
    KEY_IN_LESSON = 1 << 5,  /* the run is one of a lesson */
    KEY_SEARCHING = 1 << 6,  /* the home screen shows what was searched for */
    KEY_MODELLED = 1 << 7,   /* the chart is of a model: it may be changed */
    KEY_OVER_RANKS = 1 << 8, /* it is over the number of ranks, not bytes */
    KEY_PROGRAM = 1 << 9,    /* the lesson is about a program */
    KEY_PRESENTING = 1 << 10, /* a lesson is shown to a class */
    KEY_BEFORE = 1 << 11,     /* there is a page before, */
    KEY_MORE = 1 << 28,       /* or after */

    /* Of a lesson: what Enter does, */
    KEY_GOES_ON = 1 << 12,
    KEY_TO_TRY = 1 << 13,   /* the page invites to play */
    KEY_LAST = 1 << 14,     /* no lesson follows */
    KEY_PREDICTS = 1 << 15, /* the run gives the answer to a class */
    KEY_ASKED = 1 << 16,    /* a question to the learner */
    KEY_BLANK = 1 << 17,    /* to which nothing is typed yet */
    /* what is shown, */
    KEY_REMEMBER = 1 << 18, /* the page to remember */
    KEY_RESUMED = 1 << 19,  /* the page where the lesson was left */
    KEY_RUN = 1 << 20,      /* a run */
    KEY_REVEALS = 1 << 21,  /* a question to a class */
    KEY_HINTS = 1 << 22,    /* it has more hints */
    /* and how a question is answered. */
    KEY_CHOICE = 1 << 23, /* by choosing or putting in order */
    KEY_ORDER = 1 << 24,  /* the latter */
    KEY_HELD = 1 << 25,   /* and an item is held */
    KEY_NUMBER = 1 << 26, /* a number is typed */
    KEY_LABEL = 1 << 27,  /* letters are */
};

enum { KEY_CODES = 11, KEY_STEPS = 10 /* that PgUp and PgDn go */ };

struct key {
    int request;          /* of the screen's enum; 0 ends a table */
    int codes[KEY_CODES]; /* characters and enum screen_key; 0 ends them */
    unsigned when, unless; /* all of these bits must hold; none of these may */

    /* A line of the help.  `help` NULL: the line of another row also explains
     * this key.  `names` NULL: it begins with `name`.  Not yet translated, as
     * all texts here. */
    const char *names, *help;

    /* In the last line of the screen, where a click on it is codes[0]. */
    const char *name;  /* NULL: the key is not shown */
    const char *plain; /* the name without arrows; NULL: `name` has none */
    const char *word;  /* or one of the two below; NULL: joined to the next */
    int spare;         /* those with the highest numbers are left out first */
};

/* Words that depend on the screen: how fast it plays, where q leads. */
extern const char key_speed[], key_back[];

/* Watching a run. */
enum watch_request {
    WATCH_BACK = 1,
    WATCH_NEXT,
    WATCH_PLAY,
    WATCH_FASTER,
    WATCH_SLOWER,
    WATCH_FIRST,
    WATCH_LAST,
    WATCH_GO_TO,
    WATCH_VIEW,
    WATCH_VIEW_BESIDE,
    WATCH_NEXT_RANK,
    WATCH_PREVIOUS_RANK,
    WATCH_INSPECT,
    WATCH_NEXT_SLOT,
    WATCH_PREVIOUS_SLOT,
    WATCH_FOLLOW,
    WATCH_NEXT_WRONG,
    WATCH_CHANGE,
    WATCH_WRITE,
    WATCH_COUNT, /* a digit of a number that is typed before a key */
    WATCH_POINT,
    WATCH_HELP,
    WATCH_BACK_PAGE,
    WATCH_NEXT_PAGE,
    WATCH_CLOSE, /* what is on top */
    WATCH_QUIT
};
extern const struct key watch_keys[];

/* In a lesson, where no answer is expected. */
enum lesson_request {
    LESSON_ENTER = 1,
    LESSON_REPLY, /* the key is part of an answer */
    LESSON_ON,
    LESSON_BACK,
    LESSON_WHEEL_ON, /* the wheel only turns pages */
    LESSON_WHEEL_BACK,
    LESSON_FIRST,
    LESSON_NEXT_RANK,
    LESSON_VIEW,
    LESSON_PLAY,
    LESSON_TRY, /* to play, and to change the run at once */
    LESSON_NOTES,
    LESSON_TIMER,
    LESSON_PROMISES,
    LESSON_PROGRAM,
    LESSON_MENU,
    LESSON_POINT,
    LESSON_HELP,
    LESSON_QUIT
};
extern const struct key lesson_keys[];

/* Beside a lesson that is presented elsewhere. */
enum follow_request { FOLLOW_QUIT = 1 };
extern const struct key follow_keys[];

/* In a text that fills the screen.  It has no help: all its keys are named in
 * its last line.  Neither have the two below. */
enum sheet_request {
    SHEET_UP = 1,
    SHEET_DOWN,
    SHEET_PAGE_UP,
    SHEET_PAGE_DOWN,
    SHEET_FIRST,
    SHEET_LAST,
    SHEET_BACK
};
extern const struct key sheet_keys[];

/* On the home screen, where a character that is in no row begins a search, and
 * in the menu of lessons. */
enum home_request {
    HOME_UP = 1,
    HOME_DOWN,
    HOME_FIRST,
    HOME_LAST,
    HOME_PAGE_UP,
    HOME_PAGE_DOWN,
    HOME_NEXT_DOOR,
    HOME_PREVIOUS_DOOR,
    HOME_POINT,
    HOME_GO,
    HOME_SEARCH,
    HOME_NUMBER, /* a digit of a lesson's number; this and the next: menu */
    HOME_REVIEW,
    HOME_FORGET,
    HOME_PROMISES,
    HOME_PROGRAM,
    HOME_HELP,
    HOME_QUIT
};
extern const struct key home_keys[], menu_keys[];

/* In a race. */
enum race_request {
    RACE_BACK = 1,
    RACE_NEXT,
    RACE_PLAY,
    RACE_AGAIN,
    RACE_END,
    RACE_BACK_PAGE,
    RACE_NEXT_PAGE,
    RACE_FASTER,
    RACE_SLOWER,
    RACE_HELP,
    RACE_QUIT
};
extern const struct key race_keys[];

/* In a chart. */
enum chart_request {
    CHART_LEFT = 1,
    CHART_RIGHT,
    CHART_FIRST,
    CHART_LAST,
    CHART_LEFT_PAGE,
    CHART_RIGHT_PAGE,
    CHART_POINT,
    CHART_MORE, /* of what the axis does not show: GPUs or bytes */
    CHART_LESS,
    CHART_FIXED, /* nothing can be changed */
    CHART_NETWORK,
    CHART_OVER,
    CHART_BUSBW,
    CHART_TIME,
    CHART_WRITE,
    CHART_HELP,
    CHART_QUIT
};
extern const struct key chart_keys[];

/* In the help of any screen, and in a line that is typed. */
enum help_request { HELP_MORE = 1, HELP_ON, HELP_BACK, HELP_CLOSE };
extern const struct key help_keys[], prompt_keys[];

/* Whether a row applies in a state. */
bool key_applies(const struct key *k, unsigned state);

/* The request that a key makes in a state, or 0. */
int keys_request(const struct key *table, unsigned state, int code);

/* The line of keys of a screen. */
struct key_line {
    const struct key *keys;
    unsigned state;
    enum glyph_set glyphs;
    int speed;        /* each +1 doubles it */
    const char *back; /* where q leads, translated; NULL: it ends collviz */
};

/* Draws the rows of the table that are shown from x on, in a row of the canvas,
 * as buttons.  Without room for all of them it leaves out spare ones, and then
 * the words.  Returns the column after them. */
int keys_draw(const struct key_line *l, struct canvas *c, int x, int y);

/* Draws a line that is typed, with a cursor, over a row of the canvas: only its
 * end if it is too long, and the keys that end it if there is room. */
void keys_draw_prompt(const char *text, enum glyph_set set, struct canvas *c,
                      int y);

#endif
