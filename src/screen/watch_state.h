/* SPDX-License-Identifier: MIT */
/* What the parts of watching share: the session that is watched, the player
 * that steps through it, and what is selected and shown.
 *
 *     watch.c         the loop: waits for keys, time and the run
 *     watch_keys.c    carries out a key
 *     watch_slots.c   the selected slot, and the data that is followed
 *     watch_prompt.c  questions at the bottom of the screen, and the answers
 *     watch_write.c   writes the run, a picture or a film to a file */
#ifndef SCREEN_WATCH_STATE_H
#define SCREEN_WATCH_STATE_H

#include "draw/layout.h"
#include "play/player.h"
#include "screen/stage.h"
#include "screen/watch.h"
#include "view/frame.h"

struct watch {
    const struct watch_source *source;
    struct session *session;
    struct stage stage;
    struct player player;
    struct prompt prompt;
    struct prompt_history remembered, *changes; /* typed at the key `a` */
    const struct question *question; /* what the prompt asks */
    char replaced[PROMPT_MAX]; /* the file that Enter again replaces */
    struct err notice; /* "": none */
    bool alarm;        /* the notice is an error */
    char typed[6]; /* the digits of a number before a key */
    int count;     /* that number, once the key is typed; -1: none */
    int selected, slot, view, beside; /* as in a scene */
    struct trail *trail; /* NULL: nothing is followed */
    bool inspect;
    unsigned tried;  /* bit i: the way back's try i is done */
    struct buf task; /* the next one, as it is shown */
    int help; /* its page; 0: none */
    bool quit;
};

/* Prepares the player for a session. */
void watch_begin(struct watch *w, struct session *session);

/* What is on the screen, with pointers into *w. */
struct scene watch_scene(const struct watch *w);
struct surround watch_around(const struct watch *w);

/* Draws it and shows it. */
void watch_draw(struct watch *w);

/* Sets what the lesson asks for next.  A change that was typed, and made, may
 * have been it. */
void watch_set_task(struct watch *w);
void watch_note_change(struct watch *w, const char *typed);

/* Shows a notice until the next key; "": none. */
void watch_notify(struct watch *w, bool alarm, const char *text);

/* Sets *l to the layout of the screen. Returns false if no picture is shown. */
bool watch_layout(const struct watch *w, struct layout *l);

#endif
