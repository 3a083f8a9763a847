/* SPDX-License-Identifier: MIT */
/* All keys of collviz, except text typed in a prompt or as an answer.
 *
 * One table has a row for each request of a screen: the keys that make it, when
 * they do, and the words for it in the help and in the last line of the screen.
 * The screen looks a key up and carries out the request:
 *
 *     switch (keys_request(ON_MENU, 0, key)) {
 *     case DO_QUIT: ...
 *
 * The help explains every key of a screen, and every sign of the views that it
 * shows; on several pages if they do not fit on one.  Its own keys are in the
 * last line.  tests/signs compares its signs with what views draw.
 *
 *     page = 1;                                            at the key ?
 *     help_draw(&h, page, set, &canvas);
 *     page = help_after(&h, page, key, columns, rows);     at each key */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include <stdint.h>

#include "base/terminal.h"
#include "view/view.h"

/* The screens that have keys. */
enum key_screen {
    ON_WATCH = 1 << 0,
    ON_LESSON = 1 << 1, /* but keys may also be part of an answer */
    ON_MENU = 1 << 2,   /* of lessons */
    ON_HOME = 1 << 3,   /* a letter in no row, of ASCII, begins a search */
    ON_RACE = 1 << 4,
    ON_CHART = 1 << 5,
    ON_TEXT = 1 << 6,   /* a text that fills the screen */
    ON_HELP = 1 << 7,   /* of any screen */
    ON_PROMPT = 1 << 8, /* a line that is typed */
};

/* States in which rows apply.  Each has a bit of its own: KEY(PLAYING). */
enum key_state {
    KEY_IS_PLAYING,    /* the run moves by itself */
    KEY_IS_ON_TOP,     /* something that Esc closes */
    KEY_IS_INSPECTING, /* the slots of a rank are shown */
    KEY_IS_AT_SLOT,    /* they are, or one is followed */
    KEY_IS_VISITING,   /* q leads back to a lesson or the home screen */
    KEY_IS_IN_LESSON,  /* the run is one of a lesson */
    KEY_IS_FILE,       /* the run is one of a file */
    KEY_IS_SEARCHING,  /* the home screen shows what was searched for */
    KEY_IS_MODELLED,   /* the chart is of a model: it may be changed */
    KEY_IS_OVER_RANKS, /* it is over the number of ranks, not bytes */
    KEY_IS_PROGRAM,    /* the lesson is about a program */
    KEY_IS_PROVES,     /* the chosen lesson can be proved */
    KEY_IS_PRESENTING, /* a lesson is shown to a class */
    KEY_IS_BEFORE,     /* there is a page before, */
    KEY_IS_MORE,       /* or after */
    /* A lesson shows */
    KEY_IS_TO_TRY,  /* a page that invites to play, */
    KEY_IS_RUN,     /* another one with a run, */
    KEY_IS_TABLE,   /* one that goes with the table of promises, */
    KEY_IS_RESUMED, /* the page where it was left, */
    KEY_IS_REVEALS, /* a question to a class, */
    KEY_IS_ASKED,   /* or one to the learner, */
    KEY_IS_EXAM,    /* in an exam, */
    KEY_IS_HINTS,   /* with more hints, */
    KEY_IS_CHOICE,  /* which is answered by choosing or sorting, */
    KEY_IS_ORDER,   /* by sorting, */
    KEY_IS_HELD,    /* of an item that is held, */
    KEY_IS_NUMBER,  /* by typing a number */
    KEY_IS_LABEL,   /* or letters, */
    KEY_IS_PLACE,   /* of places, changes or rules, */
    KEY_IS_WIRE,    /* or by wiring a step, */
    KEY_IS_TYPES,   /* whose transfers are typed, */
    KEY_IS_UNDOES,  /* where something is wired to take back */
    KEY_STATES
};
#define KEY(state) (UINT64_C(1) << KEY_IS_##state)
_Static_assert(KEY_STATES <= 64, "the states of keys are bits of 64");

/* The requests that keys make.  Each screen carries out some of them. */
enum key_request {
    /* Another step, page, point of a chart, row of a list, line of a text; in a
     * lesson the wheel only turns pages. */
    DO_BACK = 1, DO_NEXT, DO_PAGE_BACK, DO_PAGE_NEXT, DO_FIRST, DO_LAST,
    DO_WHEEL_BACK, DO_WHEEL_NEXT,
    DO_DIGIT, /* of a number: of a lesson, or typed before a key */
    DO_POINT, /* at what was clicked */
    DO_ENTER, /* go there, or go on */
    DO_CLOSE, /* what is on top */
    DO_HELP, DO_QUIT,

    /* Requests for a run, also for one in a lesson or a race. */
    DO_PLAY, DO_FASTER, DO_SLOWER, DO_GO_TO,
    DO_VIEW, DO_VIEW_BESIDE, DO_NEXT_RANK, DO_PREVIOUS_RANK,
    DO_INSPECT, DO_NEXT_SLOT, DO_PREVIOUS_SLOT, DO_FOLLOW, DO_NEXT_WRONG,
    DO_CHANGE, DO_WRITE, DO_AGAIN,

    /* Requests in lessons.  A reply is a key that is part of an answer. */
    DO_REPLY, DO_NOTES, DO_TIMER, DO_PROMISES, DO_PROGRAM, DO_MENU,
    DO_REVIEW, DO_PROVE, DO_FORGET,

    /* Requests on the home screen. */
    DO_NEXT_DOOR, DO_PREVIOUS_DOOR, DO_SEARCH,

    /* Requests on a chart.  More and less change what no axis shows. */
    DO_MORE, DO_LESS, DO_NETWORK, DO_OVER, DO_BUSBW, DO_TIME,
    DO_FIXED, /* what cannot be changed */
};

enum {
    KEY_CODES = 11,
    KEY_STEPS = 10, /* that PgUp and PgDn go */
    KEY_ALL = 1 << 20
};

struct key {
    int request;          /* of enum key_request */
    unsigned on;          /* bits of enum key_screen; 0 ends the table */
    int codes[KEY_CODES]; /* characters and enum screen_key; 0 ends them */

    /* How the last line of the screen shows it; a click on it is codes[0].  No
     * text here is translated yet. */
    const char *name;  /* NULL: the key is not shown */
    const char *word;  /* or one of those below; NULL: joined to the next */
    const char *plain; /* the name without arrows; NULL: `name` has none */
    uint64_t shown, hidden; /* only if all of these bits hold, and none of
                             * these */
    int spare; /* those with the highest numbers are left out first */

    uint64_t when, unless; /* all of these bits must hold; none of these may */

    /* A line of the help.  `help` NULL: the line of another row also explains
     * this key.  `names` NULL: it begins with `name`. */
    const char *names, *help;
};
extern const struct key key_table[];

/* Words that depend on the screen: how fast it plays, where q leads, what Enter
 * does. */
extern const char key_speed[], key_back[], key_enter[];

/* Whether a row applies in a state of a screen. */
bool key_applies(const struct key *k, enum key_screen on, uint64_t state);

/* The request that a key makes on a screen in a state, or 0. */
int keys_request(enum key_screen on, uint64_t state, int code);

/* How many steps, points or rows a request goes on, or back if below 0: one,
 * KEY_STEPS, or KEY_ALL, to the last or the first.  0: none. */
int keys_by(int request);

/* The line of keys of a screen. */
struct key_line {
    enum key_screen on;
    uint64_t state;    /* bits of enum key_state */
    int speed;         /* each +1 doubles it */
    const char *back;  /* where q leads, translated; NULL: it ends collviz */
    const char *enter; /* what Enter does; NULL: it is not shown */
};

/* Draws the rows of the table that are shown from x on, in a row of the canvas,
 * as targets.  If there is no room for all, it leaves out spare ones, and then
 * the words.  Returns the column after them. */
int keys_draw(const struct key_line *l, struct canvas *c, int x, int y);

/* Draws a line that is typed, with a cursor, over a row of the canvas: only its
 * end if it is too long, and the keys that end it if there is room. */
void keys_draw_prompt(const char *text, struct canvas *c, int y);

enum { HELP_VIEWS = 16 };

/* The things that a help explains. */
struct help {
    enum key_screen on;
    uint64_t state; /* of the screen: bits of enum key_state */
    const struct symbol *signs; /* of the screen itself; NULL: none */
    const struct view *views[HELP_VIEWS]; /* shown */
    int nviews;
};

/* The lists that explain the signs of a view; some of them may be NULL. */
enum { HELP_LISTS = 2 };
struct help_symbols {
    const struct symbol *lists[HELP_LISTS];
};
struct help_symbols help_symbols(const struct view *view);

/* The page that a key leads to from a page, on a screen of this size; 0: the
 * key closes the help, as all do that turn no page. */
int help_after(const struct help *h, int page, int key, int columns,
               int rows);

/* Draws a page, from 1 on, in a box in the middle of the canvas, and the keys
 * in the last row; the last page if there are not so many, because the screen
 * has grown. */
void help_draw(const struct help *h, int page, struct canvas *c);

#endif
