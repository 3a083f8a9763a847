/* SPDX-License-Identifier: MIT */
/* The verbs of a lesson's script: tables that are measured, runs that settle,
 * and what is refused. */
#include "tutor_run.h"

/* What one tutor has measured another one shows, and does not measure. */
static void
test_share_measured(void)
{
    const char *lines = "bench 'ring-allreduce -g 2 -b 8 -e 8 -n 1' say 'one'";
    struct options o;
    struct tutor *first = open_lines(lines, &o), *other;

    play_on(first);
    ok(first->table != NULL && first->tables == 1, "a table is measured");
    other = open_lines(lines, &o);
    tutor_share_known(other, first->known);
    play_on(other);
    is_str(other->table, first->table, "and the same one is shown again");
    tutor_close(first);
    tutor_close(other);
}

/* The table grows, and the tutor can be closed before it is whole. */
static void
test_measuring(void)
{
    struct options o;
    struct tutor *t = open_lines("bench 'ring-allreduce reduce -b 8 -e 32 "
                                 "-f 2 -n 1' say 'one'", &o);
    struct err err = {""};
    size_t length = 0;
    int growths = 0;

    while (growths < 5 && tutor_advance(t, clock_ns(), &err)) {
        size_t now = t->table != NULL ? strlen(t->table) : 0;
        growths += now > length;
        length = now;
        turn(t, &err);
    }
    is_int(growths, 5, "a head and four rows, one at a time");
    is_int(t->tables, 0, "it is not whole yet");
    ok(t->state == TUTOR_BUSY, "the script waits");
    tutor_close(t);
}

/* What may take long, or does not fit, is refused before it is measured. */
static void
test_not_measured(void)
{
    static const char *const refused[][2] = {
        {"ring-allreduce -g 2 -b 1M -e 1M -n 1", "81 columns"},
        {"ring-allreduce -g 64 -b 512K -e 512K -n 1 -w 0 -d uint8",
         "no key is heard"},
        {"ring-allreduce -g 8 -b 512K -e 512K -n 500", "no key is heard"},
        {"ring-allreduce -g 8 -b 480K -e 512K -i 4K -n 100",
         "the table may take"},
        {"ring-allreduce tree-allreduce -g 8 -b 496K -e 512K -i 4K -n 100",
         "the table may take"},
        {"ring-allreduce -g 2 -b 8 -e 1M -f 2", "more than 15 lines"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        OWN(buf) lines = {0};
        struct options o;
        struct tutor *t;

        buf_addf(&lines, "local ok, why = pcall(bench, '%s')\n"
                 "say(tostring(why))", refused[i][0]);
        t = open_lines(buf_text(&lines), &o);
        play_on(t);
        ok(strstr(t->page.text, refused[i][1]) != NULL, "refused: %s",
           t->page.text);
        ok(t->table == NULL, "and nothing is shown");
        tutor_close(t);
    }
}

/* A run that settles while somebody watches never waits for what does not come:
 * each step begins at once when the one before has come to rest. */
static void
test_settle_watched(void)
{
    struct options o;
    struct tutor *t = open_lines("local r = run 'ring-allreduce --gpus 3'\n"
                                 "r:settle() say '.'\n", &o);
    int64_t until = clock_ns() + INT64_C(20000000000);
    bool waits = false;
    struct err err;

    t->hurry = false;
    while (t->state != TUTOR_PAGE && !waits && clock_ns() < until) {
        struct pollfd p = {.events = POLLIN};
        int64_t due;
        if (!tutor_advance(t, clock_ns(), &err))
            die("%s", err.text);
        if (t->state == TUTOR_PAGE)
            break;
        t->player.speed = PLAYER_SPEED_MOST;
        p.fd = tutor_fd(t);
        due = tutor_due(t, clock_ns());
        waits = t->settling && t->player.step == 0 && due == INT64_MAX &&
                poll(&p, 1, 1000) == 0;
        if (!waits)
            poll(&p, 1, 1);
    }
    ok(t->state == TUTOR_PAGE, "a run settles before somebody's eyes");
    tutor_close(t);
}

#define DEAD \
    "local r = run 'chain-broadcast --gpus 4 --chunks 1 --pace free " \
    "--delay 1=500 --delay 3=inf'\n" \
    "say(r:settle().verdict)\n"

/* A tutor that settles a chain of 4 GPUs, of which the last one is dead.  Both
 * transfers between the others are known, and no more will come.  From then on
 * the test says what time it is. */
static struct tutor *
open_dead(bool hurry, struct options *o, int64_t *now)
{
    struct tutor *t = open_lines(DEAD, o);
    struct err err;

    t->hurry = hurry;
    do {
        *now = clock_ns();
        turn(t, &err);
        if (!tutor_advance(t, *now, &err))
            die("%s", err.text);
    } while (!t->settling || world_complete_steps(tutor_world(t)) < 2);
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
    struct options o;
    int64_t now;
    struct tutor *t = open_dead(true, &o, &now);

    pass_time(t, &now, 2300 * ms);
    ok(t->settling, "a rank is late for 500 ms, and the machine may be busy");
    ok(tutor_due(t, now + 300 * ms) <= now + 300 * ms,
       "when the time is over, the run has to be looked at");
    pass_time(t, &now, 300 * ms);
    ok(!t->settling, "a dead one takes longer");
    tutor_close(t);
}

/* What comes no farther than before is not awaited again. */
static void
test_settle_again(void)
{
    struct options o;
    int64_t now;
    struct tutor *first = open_dead(true, &o, &now), *other;
    struct err err;

    pass_time(first, &now, INT64_C(3000000000));
    other = open_lines(DEAD, &o);
    tutor_share_known(other, first->known);
    other->hurry = true;
    for (int i = 0; i < 5000 && tutor_advance(other, now, &err) &&
                    other->state != TUTOR_PAGE; i++)
        turn(other, &err); /* and no time passes */
    is_str(other->page.text, "hangs", "it hangs at once");
    is_int(tutor_world(other)->position, 2, "where it hung before");
    tutor_close(first);
    tutor_close(other);
}

/* At a low speed the two steps are drawn for 14.4 s each.  Meanwhile the tutor
 * sleeps, and the third one is awaited no less than otherwise. */
static void
test_settle_slowly(void)
{
    struct options o;
    int64_t now, began;
    struct tutor *t = open_dead(false, &o, &now);

    t->player.speed = -4;
    began = now;
    for (int i = 0; i < 20 && t->settling; i++) {
        int64_t due = tutor_due(t, now);
        pass_time(t, &now, due > now ? due - now : 0);
    }
    ok(!t->settling, "a tutor that sleeps until it is due needs few turns");
    is_int(tutor_world(t)->position, 2, "both steps were drawn");
    ok(now - began >= INT64_C(30500000000),
       "and the next one was awaited");
    tutor_close(t);
}

/* A page that Lua has been refused leaves nothing to the next one. */
static void
test_refused_page(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "run 'ring-allreduce --gpus 3'\n"
        "pcall(play, { 7, try = { 'x' }, notes = 'n' })\n"
        "pcall(say, { 7, follow = { 0, 0 }, notes = 'n' })\n"
        "say 'Fine.'\n", &o);

    play_on(t);
    is_str(t->page.text, "Fine.", "the next page comes");
    ok(t->page.notes == NULL && t->page.ntries == 0 && t->page.trail == NULL,
       "and has nothing of those that were refused");
    tutor_close(t);
}

/* What a refused lesson{} has read is not kept: nothing leaks. */
static void
test_refused_lesson(void)
{
    struct options o;
    struct tutor *t = open_script(
        "pcall(lesson, { number = 90, program = 'abc', idea = 'i', title = 7 "
        "})\nlesson { number = 9, program = 'd', idea = 'i', title = 't' }\n"
        "say '.'", &o);

    play_on(t);
    ok(t->number == 9 && strcmp(t->program, "d") == 0 &&
           strcmp(t->title, "t") == 0, "the lesson that was not refused");
    tutor_close(t);
}

/* Some replies to a script are long. */
static void
test_long_reply(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "local o = outputs 'tree-allreduce --gpus 64 --chunks 1024 "
        "--count 4096'\n"
        "say(#o .. ' of ' .. #o[64] .. ' and ' .. "
        "#outputs 'ring-allreduce --gpus 3')", &o);

    play_on(t);
    is_str(t->page.text, "64 of 4096 and 3", "outputs of 2 MiB");
    tutor_close(t);
}

/* A transfer of 2 MB comes in slices. */
static void
test_sliced_transfer(void)
{
    struct options o;
    struct tutor *t = open_lines(
        "local r = run 'ring-allreduce --gpus 2 --count 1000000 --pace free'\n"
        "r:go(r.steps)\nsay('' .. r:transfers(1)[1].bytes)", &o);

    play_on(t);
    is_str(t->page.text, "2000000", "its bytes are those of all slices");
    tutor_close(t);
}

int
main(void)
{
    tutor_begin();
    test_share_measured();
    test_measuring();
    test_not_measured();
    test_settle_watched();
    test_long_reply();
    test_sliced_transfer();
    test_settle_patience();
    test_settle_again();
    test_settle_slowly();
    test_refused_page();
    test_refused_lesson();
    lab_remove();
    return done_testing();
}
