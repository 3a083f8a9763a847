/* SPDX-License-Identifier: MIT */
/* The tutor inside, which only files of this room see; and the verbs of a
 * lesson: what the tutor does for a request of its script.  Each has a row in
 * the table of one of three files, and what these share is here. */
#ifndef TUTOR_VERBS_H
#define TUTOR_VERBS_H

#include "lesson/attempt.h"
#include "tutor/tutor.h"

struct tutor {
    struct tutor_seen seen; /* what others see */
    struct options options; /* of every run */
    char *folder;           /* of the lesson */
    struct script *script;
    const char *path; /* borrowed */
    int hastened; /* how often the learner has pressed a key to hasten what
                   * moves since the last page */
    int requests; /* number of the script's requests so far */

    struct ahead { /* the look ahead */
        struct tutor *tutor; /* NULL: it has failed, or there is none yet */
        int page; /* of the question that has or had one */
    } ahead;
};

/* A request, read, and the reply to it.  A part that its verb does not read is
 * 0, NULL or -1. */
struct said {
    json_t *with; /* all of it */
    int line;     /* of the script */
    const char *command;
    int run;             /* the number of the run */
    struct job *job;     /* of that run */
    struct world *world; /* of that run */
    int rank;
    int slot; /* the script counts from the start of the output */
    json_t *reply; /* set by the verb; NULL stands for null */
};

/* The part that a request must have.  Each needs those before it, too. */
enum says {
    SAYS_ANY,
    SAYS_RUN,
    SAYS_RANK,
    SAYS_SLOT,
    MAY_SAY_SLOT /* not there: -1, which stands for all slots */
};

/* A verb tells something about a run, or does something.  act() returns false
 * to refuse the request, with the reason in *err, which Lua raises in the
 * script's line.  Otherwise the reply is sent at once, unless there is a page,
 * a question, or something that a run or a measurement has to do first. */
struct verb {
    const char *name;
    enum says says;
    json_t *(*tell)(const struct said *s); /* if act is NULL */
    bool (*act)(struct tutor *t, struct said *s, struct err *err);
};

/* The verbs of pages and questions; of runs; of tables and charts in the place
 * of the run.  Each table ends with the name NULL. */
extern const struct verb page_verbs[], run_verbs[], table_verbs[];

/* Whether steps take no time, because nobody watches. */
bool tutor_unwatched(const struct tutor *t);

/* Whether what the script does now is not shown in the lecture. */
bool tutor_omits(const struct tutor *t);

/* Waits until a run has yielded an item, which takes a moment. Returns false if
 * the run failed or a signal asks to end (base/signals.h). */
bool tutor_await(struct session *s, struct err *err);

/* Refuses more ranks than a lesson runs. */
bool tutor_may_run(int ranks, struct err *err);

/* Builds a run that nobody sees, and goes to its end.  `verb` is what the
 * script called, for errors.  The run may be one that is kept as `asked`, and
 * the caller puts it back (tutor/kept.h); with NULL, a slot of which a world
 * keeps only a part is an error, and the caller frees it.  Returns NULL on
 * failure, with the reason in *err. */
struct job *tutor_finish_job(struct tutor *t, const char *verb,
                             const char *name, const struct options *o,
                             const char *asked, struct err *err);

/* Starts a run that has been built, and waits for its input.  Takes over `job`;
 * NULL: it could not be built.  Returns NULL on failure. */
struct job *tutor_start_job(struct tutor *t, struct job *job,
                            struct err *err);

/* The verdict about an answer, for the page with the truth. */
struct verdict {
    struct attempt attempt;
    const json_t *truth;
    bool answered, right, at_once; /* the last answer; the first was right */
};

/* Appends "Right: 4" and its like; for kinds that have no verdict of their
 * own. */
bool tutor_add_verdict(struct tutor *t, const struct verdict *v,
                       struct buf *out, struct err *err);

/* Puts the run of a schedule, which it takes over, on the screen as it is after
 * step `from`, in the place of the last one for this question, and lets it go
 * on from there, unless `still`. */
bool tutor_put_schedule(struct tutor *t, struct schedule *s, int from,
                        bool still, struct err *err);

/* Lets a run that has not gone yet go to the end of a step. */
bool tutor_run_to(struct session *run, int step, struct err *err);

/* The look ahead: begins it, or ends it; lets it play on, and returns the right
 * answer to the present question once it is known (one that fails is given up);
 * waits for that, says whether an answer is wrong, and appends why. */
void ahead_begin(struct tutor *t);
void ahead_end(struct tutor *t);
const json_t *ahead_go_on(struct tutor *t, int64_t now);
bool ahead_objects(struct tutor *t, const json_t *given, struct buf *out);

/* `bench`: one part of the measurement; the file descriptor to wait for before
 * the next part, or -1; its end, finished or not. */
bool tutor_bench_on(struct tutor *t, struct err *err);
int tutor_bench_fd(const struct tutor *t);
void tutor_bench_stop(struct tutor *t);

#endif
