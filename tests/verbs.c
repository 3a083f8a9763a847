/* SPDX-License-Identifier: MIT */
/* The verbs of a lesson's script: tables that are measured, runs that settle,
 * and what is refused. */
#include "patience.h"
#include "tutor_run.h"

/* What one tutor has measured another one shows, and does not measure. */
static void
test_share_measured(void)
{
    const char *lines = "bench 'ring-allreduce -g 2 -b 8 -e 8 -n 1' say 'one'";
    struct tutor *first = open_lines(lines), *other;

    play_on(first);
    ok(seen(first)->picture.table != NULL && seen(first)->picture.tables == 1,
       "a table is measured");
    other = open_how(lines, &(struct tutor_how){
        .unwatched = true, .known = seen(first)->how.known});
    play_on(other);
    is_str(seen(other)->picture.table, seen(first)->picture.table,
           "and the same one is shown again");
    tutor_close(first);
    tutor_close(other);
}

/* The table grows, and the tutor can be closed before it is whole. */
static void
test_measuring(void)
{
    OWNS(tutor) *t = open_lines("bench 'ring-allreduce reduce -b 8 -e 32 "
                                 "-f 2 -n 1' say 'one'");
    struct err err = {.text = ""};
    size_t length = 0;
    int growths = 0;

    while (growths < 5 && tutor_advance(t, clock_ns(), &err)) {
        const char *table = seen(t)->picture.table;
        size_t now = table != NULL ? strlen(table) : 0;
        growths += now > length;
        length = now;
        turn(t, &err);
    }
    is_int(growths, 5, "a head and four rows, one at a time");
    is_int(seen(t)->picture.tables, 0, "it is not whole yet");
    ok(seen(t)->state == TUTOR_BUSY, "the script waits");
}

/* A run that settles while somebody watches never waits for what does not come:
 * each step begins at once when the one before has come to rest. */
static void
test_settle_watched(void)
{
    OWNS(tutor) *t = open_how("local r = run 'ring-allreduce --gpus 3'\n"
                              "r:settle() say '.'\n", &(struct tutor_how){0});
    int64_t until = hung_at();
    bool waits = false;
    struct err err;

    while (seen(t)->state != TUTOR_PAGE && !waits && clock_ns() < until) {
        struct pollfd p = {.events = POLLIN};
        int64_t due;
        if (!tutor_advance(t, clock_ns(), &err))
            die("%s", err.text);
        if (seen(t)->state == TUTOR_PAGE)
            break;
        tutor_player(t)->speed = PLAYER_SPEED_MOST;
        p.fd = tutor_fd(t);
        due = tutor_due(t, clock_ns());
        waits = seen(t)->picture.settling &&
                seen(t)->picture.player.step == 0 &&
                due == INT64_MAX && poll(&p, 1, 1000) == 0;
        if (!waits)
            poll(&p, 1, 1);
    }
    ok(seen(t)->state == TUTOR_PAGE, "a run settles before somebody's eyes");
}

#define DEAD \
    "local r = run 'chain-broadcast --gpus 4 --chunks 1 --pace free " \
    "--delay 1=500 --delay 3=inf'\n" \
    "say(r:settle().verdict)\n"

/* A tutor that settles a chain of 4 GPUs, of which the last one is dead.  Both
 * transfers between the others are known, and no more will come.  From then on
 * the test says what time it is. */
static struct tutor *
open_dead(bool unwatched, int64_t *now)
{
    struct tutor *t = open_how(DEAD, &(struct tutor_how){
        .unwatched = unwatched});
    struct err err;

    do {
        *now = clock_ns();
        turn(t, &err);
        if (!tutor_advance(t, *now, &err))
            die("%s", err.text);
    } while (!seen(t)->picture.settling ||
             world_complete_steps(tutor_world(t)) < 2);
    return t;
}

static void
pass_time(struct tutor *t, int64_t *now, int64_t ns)
{
    struct err err;

    *now += ns;
    if (!tutor_advance(t, *now, &err))
        die("%s", err.text);
}

/* Nothing happens for as long as the longest delay lasts, and then it is clear
 * that nothing ever will. */
static void
test_settle_patience(void)
{
    const int64_t ms = 1000000;
    int64_t now;
    OWNS(tutor) *t = open_dead(true, &now);

    pass_time(t, &now, 2300 * ms);
    ok(seen(t)->picture.settling,
       "a rank is late for 500 ms, and the machine may be busy");
    ok(tutor_due(t, now + 300 * ms) <= now + 300 * ms,
       "when the time is over, the run has to be looked at");
    pass_time(t, &now, 300 * ms);
    ok(!seen(t)->picture.settling, "a dead one takes longer");
}

/* What comes no farther than before is not awaited again. */
static void
test_settle_again(void)
{
    int64_t now;
    struct tutor *first = open_dead(true, &now), *other;
    struct err err;

    pass_time(first, &now, INT64_C(3000000000));
    other = open_how(DEAD, &(struct tutor_how){
        .unwatched = true, .known = seen(first)->how.known});
    for (int i = 0; i < 5000 && tutor_advance(other, now, &err) &&
                    seen(other)->state != TUTOR_PAGE; i++)
        turn(other, &err); /* and no time passes */
    is_str(seen(other)->page.text, "hangs", "it hangs at once");
    is_int(tutor_world(other)->position, 2, "where it hung before");
    tutor_close(first);
    tutor_close(other);
}

/* At a low speed the two steps are drawn for 14.4 s each.  Meanwhile the tutor
 * sleeps, and the third one is awaited no less than otherwise. */
static void
test_settle_slowly(void)
{
    int64_t now, began;
    OWNS(tutor) *t = open_dead(false, &now);

    tutor_player(t)->speed = -4;
    began = now;
    for (int i = 0; i < 20 && seen(t)->picture.settling; i++) {
        int64_t due = tutor_due(t, now);
        pass_time(t, &now, due > now ? due - now : 0);
    }
    ok(!seen(t)->picture.settling,
       "a tutor that sleeps until it is due needs few turns");
    is_int(tutor_world(t)->position, 2, "both steps were drawn");
    ok(now - began >= INT64_C(30500000000),
       "and the next one was awaited");
}

/* A page that Lua has been refused leaves nothing to the next one. */
static void
test_refused_page(void)
{
    OWNS(tutor) *t = open_lines(
        "run 'ring-allreduce --gpus 3'\n"
        "pcall(play, { 7, try = { 'x' }, notes = 'n' })\n"
        "pcall(say, { 7, follow = { 0, 0 }, notes = 'n' })\n"
        "say 'Fine.'\n");

    play_on(t);
    is_str(seen(t)->page.text, "Fine.", "the next page comes");
    ok(seen(t)->page.notes == NULL && seen(t)->page.ntries == 0 &&
           seen(t)->page.trail == NULL,
       "and has nothing of those that were refused");
}

/* What a refused lesson{} has read is not kept: nothing leaks. */
static void
test_refused_lesson(void)
{
    OWNS(tutor) *t = open_script(
        "pcall(lesson, { number = 90, program = 'abc', idea = 'i', title = 7 "
        "})\nlocal shown = pcall(lesson, { number = 8, idea = 'i', "
        "title = 't', picture = 'rnig-allreduce' })\n"
        "lesson { number = shown and 8 or 9, program = 'd', idea = 'i', "
        "title = 't' }\nsay '.'", &unseen);

    play_on(t);
    ok(seen(t)->card.number == 9 && strcmp(seen(t)->card.program, "d") == 0 &&
           strcmp(seen(t)->card.title, "t") == 0,
       "the lesson that was not refused");
}

/* A run that has ended is shown again, without ranks, from its first step on,
 * to one player at a time; one that stopped half way is made anew. */
static void
test_kept_runs(void)
{
    static const char lines[] =
        "local r = run 'ring-allreduce --gpus 3'\n"
        "local s = run 'ring-allreduce --gpus 4'\n"
        "local before = r:holds(0, 1) r:finish() s:step()\n"
        "local t = compare 'chain-broadcast flat-broadcast --gpus 3'\n"
        "say(('%s %s %d %d'):format(before, r:holds(0, 1), t[1].sent, "
        "t[2].sent))";
    struct kept_runs kept = {.count = 0};
    const struct tutor_how how = {.unwatched = true, .kept = &kept};
    struct tutor *t[3];
    const struct job *made = NULL;

    for (int i = 0; i < 3; i++) {
        t[i] = open_how(lines, &how);
        play_on(t[i]);
        is_str(seen(t[i])->page.text, "A1 S1 24 48",
               "what the runs hold and sent");
        if (i == 0) {
            made = seen(t[0])->picture.runs[0];
            tutor_close(t[0]);
        }
        is_int((int)kept.count, i == 0 ? 3 : 2, "runs are kept");
        if (i == 1)
            ok(seen(t[1])->picture.runs[0] == made && made->session.run == NULL,
               "a run that has ended is shown again, and has no ranks");
    }
    ok(seen(t[2])->picture.runs[0] != seen(t[1])->picture.runs[0],
       "two players have a run each");
    tutor_close(t[1]);
    tutor_close(t[2]);
    kept_done(&kept);
}

int
main(void)
{
    tutor_begin();
    test_share_measured();
    test_kept_runs();
    test_measuring();
    test_settle_watched();
    test_settle_patience();
    test_settle_again();
    test_settle_slowly();
    test_refused_page();
    test_refused_lesson();
    lab_remove();
    return done_testing();
}
