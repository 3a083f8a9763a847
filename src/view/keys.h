/* SPDX-License-Identifier: MIT */
/* All keys of collviz, except text typed in a prompt or as an answer.
 *
 * Each screen has a table, with one row for each request: the keys that make
 * it, and the words for it in the help and in the last line of the screen.
 * The screen looks a key up and carries out the request:
 *
 *     switch (keys_request(menu_keys, 0, key)) {
 *     case MENU_QUIT: ...
 */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include "base/glyph_set.h"
#include "base/screen_key.h"
#include "draw/canvas.h"
#include "model/scene.h"

/* States in which a row applies. */
enum key_when {
    KEY_PLAYING = 1, /* the run moves by itself */
    KEY_PAUSED = 2,
    KEY_AT_SLOT = 4,    /* the slots of a rank are shown, or one is followed */
    KEY_ALONE = 8,      /* q ends collviz */
    KEY_VISITING = 16,  /* q leads back to a lesson or to the home screen */
    KEY_BROWSING = 32,  /* the home screen shows the list of a door */
    KEY_SEARCHING = 64, /* it shows what was searched for */
    KEY_MODELLED = 128, /* the chart is of a model, which may be changed */
    KEY_OVER_BYTES = 256, /* it is over the size of the data, */
    KEY_OVER_RANKS = 512, /* or over the number of ranks */
    KEY_IN_LESSON = 1024, /* the run is one of a lesson */
    KEY_NO_LESSON = 2048,
    KEY_PRESENTING = 4096, /* a lesson is shown to a class */
    KEY_PROGRAM = 8192    /* the lesson is about a program */
};

enum { KEY_CODES = 10 };

struct key {
    int request;          /* of the screen's enum; 0 ends a table */
    int codes[KEY_CODES]; /* characters and enum screen_key; 0 ends them */
    unsigned when;        /* the bits that must hold; 0: it always applies */

    /* A line of the help.  NULL: the line of another row also explains this
     * key.  Both are not translated yet. */
    const char *names, *help;

    /* In the last line of the screen. */
    const char *name;  /* NULL: the key is not shown */
    const char *plain; /* the name without arrows; NULL: `name` has none */
    const char *word;  /* NULL: it depends on the scene */
    bool spare;        /* left out if there is no room */
};

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
    WATCH_QUIT
};
extern const struct key watch_keys[];

/* In a lesson, where no answer is expected. */
enum lesson_request {
    LESSON_ENTER = 1,
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

/* In the menu of lessons. */
enum menu_request {
    MENU_UP = 1,
    MENU_DOWN,
    MENU_FIRST,
    MENU_LAST,
    MENU_NUMBER, /* a digit of a lesson's number */
    MENU_POINT,
    MENU_START,
    MENU_REVIEW,
    MENU_FORGET,
    MENU_PROMISES,
    MENU_PROGRAM,
    MENU_HELP,
    MENU_QUIT
};
extern const struct key menu_keys[];

/* In a text that fills the screen.  It has no help: all its keys are named in
 * its last line. */
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

/* On the home screen.  A character that is in no row begins a search. */
enum home_request {
    HOME_UP = 1,
    HOME_DOWN,
    HOME_FIRST,
    HOME_LAST,
    HOME_NEXT_DOOR,
    HOME_PREVIOUS_DOOR,
    HOME_POINT,
    HOME_GO,
    HOME_SEARCH,
    HOME_HELP,
    HOME_QUIT
};
extern const struct key home_keys[];

/* In a race. */
enum race_request {
    RACE_BACK = 1,
    RACE_NEXT,
    RACE_PLAY,
    RACE_AGAIN,
    RACE_END,
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
    CHART_POINT,
    CHART_MORE, /* of what the axis does not show: GPUs or bytes */
    CHART_LESS,
    CHART_NETWORK,
    CHART_OVER,
    CHART_BUSBW,
    CHART_TIME,
    CHART_WRITE,
    CHART_HELP,
    CHART_QUIT
};
extern const struct key chart_keys[];

/* The state of a scene: bits of enum key_when. */
unsigned keys_state(const struct scene *s);

/* Whether a row applies in a state. */
bool key_applies(const struct key *k, unsigned state);

/* The request that a key makes in a state, or 0. */
int keys_request(const struct key *table, unsigned state, int code);

/* The name and the word of a row in the last line, translated. */
const char *key_name(const struct key *k, enum glyph_set set);
const char *key_word(const struct key *k);

/* The width of a key and its word in the last line, with the gap after them.
 * key_put() also draws them. */
enum { KEY_GAP = 2 };
int key_columns(const char *name, const char *word);
int key_put(struct canvas *c, int x, int y, const char *name,
            const char *word);

/* Draws the rows of a table that have a name and a word, from x on, and returns
 * the column after them.  Leaves out the spare ones if not all have room, and
 * then the words. */
int keys_draw(const struct key *table, unsigned state, enum glyph_set set,
              struct canvas *c, int x, int y);

/* The key that is shown at a point in the last row of a screen, by its name or
 * its word; of a name like "+-" the half that is there.  0: none.  It looks at
 * what was drawn, where only names are bold. */
int keys_at(const struct canvas *c, struct point at);

#endif
