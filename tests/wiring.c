/* SPDX-License-Identifier: MIT */
/* Schedules that a learner wires: what a step may not do, the same step by
 * keys, by clicks and typed, the run of each step, the par.  tests/exercises.c
 * has each task, wired in two ways and in three wrong ones. */
#include "screen/answer.h"
#include "term/screen.h"
#include "text/notation.h"
#include "tutor_run.h"

#define PAR "\"par\":{\"steps\":9}"

/* Reads the question, a JSON object without its text and kind. */
static struct question
question(const char *members)
{
    OWN(buf) text = {0};
    struct question q = {0};
    struct err err = {.text = ""};
    json_t *with;

    buf_addf(&text, "{\"text\":\"?\",\"kind\":\"wiring\",\"predicts\":true,%s}",
             members);
    with = json_loads(buf_text(&text), 0, NULL);
    if (!question_read(&q, with, 0, 0, &err))
        diag("%s: %s", members, err.text);
    json_decref(with);
    return q;
}

static void
check_refused(const char *members, const char *before, const char *typed,
              const char *why)
{
    struct question q = question(members);
    OWNS(schedule) *s = wiring_new(&q.wiring);
    struct notation n = {.nranks = s->nranks, .nslots = s->nslots};
    struct transfer step[WIRING_TRANSFERS];
    struct err err = {.text = ""};
    size_t count;
    bool added;

    if (before != NULL)
        added = notation_read(&n, before, step, WIRING_TRANSFERS, &count,
                              &err) &&
                wiring_add(&q.wiring, s, false, step, count, &err);
    added = notation_read(&n, typed, step, WIRING_TRANSFERS, &count, &err) &&
            wiring_add(&q.wiring, s, false, step, count, &err);
    ok(!added, "%s is refused", typed);
    is_str(err.text, why, "and it is said why");
    question_done(&q);
}

static void
test_refusals(void)
{
    const char *any = "\"of\":\"all-reduce\",\"ranks\":4," PAR;
    const char *gather = "\"of\":\"all-gather\",\"ranks\":4," PAR;

    check_refused(any, NULL, "0>0 +0",
                  "GPU 0 would send to itself: choose another GPU");
    check_refused(any, NULL, "0>1 +0, 0>2 +0",
                  "GPU 0 sends to GPU 1 already in this step, and has no port "
                  "left: leave GPU 2 for the next step");
    check_refused(any, NULL, "0>1 +0, 2>1 +0",
                  "GPU 1 receives from GPU 0 already in this step, and has no "
                  "port left: leave GPU 2 for the next step");
    check_refused(any, NULL, "0>1 +0, 0>1 +0",
                  "this step writes GPU 1's slot 0 already: take that back "
                  "(u), or wait for the next step");
    check_refused(gather, NULL, "0>1 1", "GPU 0's slot 1 is empty: there is "
                                         "nothing to send");
    check_refused(gather, "0>2 0", "2>3 1", "GPU 2's slot 1 is empty: there is "
                                            "nothing to send");
    check_refused(gather, "0>1 0", "1>2 0..1, 0>3 +0",
                  "all-gather adds nothing: replace, with =");
    check_refused("\"of\":\"reduce-scatter\",\"ranks\":3,\"links\":"
                  "\"line\"," PAR, NULL, "0>2 +2",
                  "there is no link from GPU 0 to GPU 2: it is a line");
    check_refused("\"of\":\"all-reduce\",\"ranks\":4,\"links\":\"star\","
                  "\"root\":1," PAR, "0>1 +0", "2>3 +0",
                  "there is no link from GPU 2 to GPU 3: it is a star around "
                  "GPU 1");
    check_refused("\"of\":\"reduce\",\"ranks\":3,\"links\":"
                  "\"one-way ring\"," PAR, NULL, "1>0 +0",
                  "there is no link from GPU 1 to GPU 0: it is a ring one way");
}

/* Keys. */

static const char all_reduce[] =
    "predict { 'Wire it.', kind = 'wiring', of = 'all-reduce', ranks = 3,\n"
    "  chunks = 3, par = { steps = 4, chunks = 4 }, hints = { 'h' },\n"
    "  answer = function() return { '0>1 +2,1>2 +0,2>0 +1',\n"
    "    '0>1 +1,1>2 +2,2>0 +0', '0>1 =0,1>2 =1,2>0 =2',\n"
    "    '0>1 =2,1>2 =0,2>0 =1' } end, why = 'so' }\n say 'end'";

/* A learner at the keys. */
struct learner {
    struct tutor *t;
    const struct tutor_seen *seen; /* of it */
    struct answer r;
    struct err why; /* the last refusal */
};

/* The transfers of the step that is being wired. */
static size_t
drafted(struct learner *l)
{
    struct scene s = {.world = tutor_world(l->t)};

    answer_face(&l->r)->scene(&l->r, &s);
    return s.nflights;
}

static void
press(struct learner *l, int key)
{
    json_t *given;
    struct err err;

    if (answer_key(&l->r, key, &given, &l->why) == ANSWER_GIVEN) {
        tutor_answer(l->t, given, &err);
        play_on(l->t);
    }
}

/* Types characters; "\n" is Enter, < > ^ v the arrows, unless `typed`. */
static void
keys(struct learner *l, const char *keys)
{
    for (; *keys != '\0'; keys++)
        press(l, *keys == '\n'   ? SCREEN_KEY_ENTER
                 : *keys == '<'  ? SCREEN_KEY_LEFT
                 : *keys == '}'  ? SCREEN_KEY_RIGHT
                 : *keys == '^'  ? SCREEN_KEY_UP
                 : *keys == 'v'  ? SCREEN_KEY_DOWN
                 : *keys == '\b' ? SCREEN_KEY_BACKSPACE
                                 : *keys);
}

static void
point(struct learner *l, int rank, int slot)
{
    answer_click(&l->r, rank, slot, &l->why);
}

static struct learner
begin(const char *lines)
{
    struct learner l = {.t = open_lines(lines)};

    l.seen = seen(l.t);
    play_on(l.t);
    answer_begin(&l.r, l.seen, l.t);
    return l;
}

static void
is_wired(const struct learner *l, const char *expected, const char *how)
{
    json_t *answer = wiring_answer(tutor_world(l->t)->schedule);
    char *text = json_dumps(answer, JSON_COMPACT);

    is_str(text, expected, "%s", how);
    free(text);
    json_decref(answer);
}

#define FIRST "[\"0>1 +2, 1>2 +0, 2>0 +1\"]"

/* Three ways, one schedule. */
static void
test_ways(void)
{
    struct learner l = begin(all_reduce);

    keys(&l, "^1}v2}v0\n");
    is_wired(&l, FIRST, "by keys");
    keys(&l, "u");
    is_wired(&l, "[]", "u takes the step back");
    keys(&l, "t0>1 +A2 1>2 +0, 2>0 +C1\n\n");
    is_wired(&l, FIRST, "typed");
    keys(&l, "u");
    keys(&l, "0>1 +2, 1>2 +0, 2>0 +1\n\n");
    is_wired(&l, FIRST, "typed without a key before it");
    keys(&l, "\b2>1 =B0\n\n");
    is_wired(&l, "[]", "letters that the sender does not hold");
    is_str(l.why.text, "'2>1 =B0': no slot of GPU 2 holds that; its slot 0 "
                       "holds C0", "are refused");
    l.r.typing = false;
    point(&l, 0, 2);
    point(&l, 1, -1);
    point(&l, 1, 0);
    point(&l, 2, 0);
    point(&l, 2, 1);
    point(&l, 0, 2);
    keys(&l, "\n");
    is_wired(&l, FIRST, "by clicks");
    tutor_close(l.t);
}

/* Each key that cannot do what it says. */
static void
test_slips(void)
{
    struct learner l = begin(all_reduce);

    keys(&l, "0");
    is_str(l.why.text, "GPU 0 would send to itself: choose another GPU",
           "to itself");
    keys(&l, "7");
    is_str(l.why.text, "there is no GPU 7", "to nobody");
    keys(&l, "12");
    is_int((long long)drafted(&l), 1, "a second GPU is refused");
    keys(&l, "2>");
    is_int((long long)drafted(&l), 1,
           "a refused digit that becomes the sender takes nothing back");
    keys(&l, "\b\b\n");
    keys(&l, "uu");
    is_str(l.why.text, "there is no step to take back", "nothing is left");
    keys(&l, "t0>1\n");
    ok(l.r.typing, "what is refused stays to be corrected");
    keys(&l, "\b\b\b\b\b\n");
    ok(!l.r.typing, "an empty line ends it");
    keys(&l, "1=v1\n");
    is_wired(&l, "[\"0>1 +0, 0>1 =1\"]", "= and + hold from then on");
    keys(&l, "ut1>2 +1, 2>0 +2\nu\n");
    is_wired(&l, "[\"1>2 +1\"]", "the last transfer is taken back first");
    keys(&l, "zQ%~(\x7f" "\x1");
    is_int((long long)drafted(&l), 0, "other keys add nothing");
    for (int i = 0; i < 3000; i++)
        press(&l, (i * 7919) % 300);
    ok(l.seen->question.wired >= 0, "keys that mean nothing do no harm");
    tutor_close(l.t);
}

/* What a set of transfers leads to, step by step: bit r of sets[rank][slot] is
 * rank r's contribution. */
static void
apply(unsigned sets[4][4], const struct schedule *s, int step)
{
    unsigned before[4][4];
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memcpy(before, sets, sizeof before);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            unsigned from = before[t[i].src][t[i].src_slot + k];
            unsigned *to = &sets[t[i].dst][t[i].dst_slot + k];
            *to = t[i].op == TRANSFER_REDUCE ? *to | from : from;
        }
}

/* After each step the ranks really hold that. */
static void
is_held(const struct learner *l, unsigned sets[4][4])
{
    const struct world *w = tutor_world(l->t);
    bool same = true;

    for (int rank = 0; rank < 3; rank++)
        for (int slot = 0; slot < 3; slot++) {
            const struct ledger_entry *e =
                (const struct ledger_entry *)world_row(w, rank, slot);
            for (int from = 0; from < 3; from++)
                same = same && (e[from].times > 0) ==
                                   (sets[rank][slot] >> from & 1);
        }
    ok(same, "after step %d the ranks hold what the step says", w->position);
}

static void
test_run(void)
{
    static const char *const steps[] = {
        "t0>1 +2,1>2 +0,2>0 +1\n\n", "t0>1 +1,1>2 +2,2>0 +0\n\n",
        "t0>1 =0,1>2 =1,2>0 =2\n\n", "t0>1 =2,1>2 =0,2>0 =1\n\n"};
    struct learner l = begin(all_reduce);
    unsigned sets[4][4] = {{0}};

    for (int rank = 0; rank < 3; rank++)
        for (int slot = 0; slot < 3; slot++)
            sets[rank][slot] = 1u << rank;
    for (int k = 1; k <= 4; k++) {
        keys(&l, steps[k - 1]);
        is_int(tutor_world(l.t)->position, k, "the run is at step %d", k);
        apply(sets, tutor_world(l.t)->schedule, k);
        is_held(&l, sets);
        ok(l.seen->question.keeps == (k == 4),
           "the promise is kept after the last step");
    }
    is_int(l.seen->question.cost.steps, 4, "so many steps");
    is_int(l.seen->question.cost.most_sent, 4, "so many chunks");
    while (!tutor_world(l.t)->has_result &&
           tutor_advance(l.t, clock_ns(), &l.why))
        tutor_wait(l.t, &l.why);
    ok(tutor_world(l.t)->result.correct, "and the ranks' sums are right");
    keys(&l, "\n");
    is_int(l.seen->page.kind, PAGE_RIGHT, "Enter hands it in");
    ok(strncmp(l.seen->page.text, "Right: 4 steps, 4 chunks a GPU; none better "
               "is known.", 53) == 0, "the figures beside the par: %s",
       l.seen->page.text);
    is_int(l.seen->record.right, 1, "it counts");
    tutor_close(l.t);
}

/* One that is given up is shown; one that is above the par is no miss in
 * silence. */
static void
test_ends(void)
{
    struct learner l = begin(all_reduce);
    json_t *answers;

    keys(&l, "\n");
    is_int(l.seen->state, TUTOR_ASKS, "Enter asks whether to give up");
    keys(&l, "1u\n");
    is_int(l.seen->state, TUTOR_ASKS, "again after another key");
    keys(&l, "\n");
    is_int(l.seen->page.kind, PAGE_TRUTH, "twice gives up");
    is_int(tutor_world(l.t)->nsteps, 4, "and one way is run");
    ok(strncmp(l.seen->page.text, "One way, in 4 steps", 19) == 0,
       "and told: %s", l.seen->page.text);
    tutor_close(l.t);

    l = begin(all_reduce);
    keys(&l, "t0>1 +2,1>2 +0,2>0 +1\n\nt0>1 +1,1>2 +2,2>0 +0\n\n"
             "t0>1 =0,1>2 =1,2>0 =2\n\nt0>1 =2,1>2 =0,2>0 =1\n");
    ok(l.seen->question.drafted, "the last step of that way is still a draft");
    tutor_answer(l.t, NULL, &l.why);
    play_on(l.t);
    ok(l.seen->page.kind == PAGE_TRUTH && !l.seen->question.drafted &&
           l.seen->question.keeps, "given up, it is run");
    tutor_close(l.t);

    l = begin(all_reduce);
    keys(&l, "t0>1 +0..2\n\nt1>2 +0..2\n\nt2>0 =0..2\n\nt0>1 =0..2\n\n");
    ok(l.seen->question.keeps, "another way");
    keys(&l, "\n");
    is_int(l.seen->page.kind, PAGE_WRONG, "above par");
    ok(strncmp(l.seen->page.text, "It works, in 4 steps, 6 chunks a GPU; the "
               "best known takes 4 steps, 4 chunks a GPU.", 83) == 0, "%s",
       l.seen->page.text);
    answers = tutor_answered(l.t);
    tutor_close(l.t);

    l.t = open_after(all_reduce, 1, answers); /* resumed after the answer */
    l.seen = seen(l.t);
    play_on(l.t);
    is_int(l.seen->page.kind, PAGE_WRONG, "what was wired is kept");
    is_int(tutor_world(l.t)->nsteps, 4, "and is run again");
    json_decref(answers);
    tutor_close(l.t);
}

/* Who does better than the par is told so, and has it right. */
static void
test_beaten(void)
{
    struct learner l = begin("predict { 'All want A0.', kind = 'wiring',\n"
                             "  of = 'broadcast', ranks = 3, ports = 2,\n"
                             "  par = { steps = 2 }, answer = function()\n"
                             "    return { '0>1 0', '1>2 0' } end }\n"
                             "say 'end'");

    keys(&l, "12\n\n");
    is_int(l.seen->page.kind, PAGE_RIGHT, "one step less than the par");
    ok(strncmp(l.seen->page.text,
               "Better than the best known! 1 step; ours takes "
               "2 steps.", 55) == 0, "is said to be better: %s",
       l.seen->page.text);
    tutor_close(l.t);
}

/* Rules. */

static const char ring_rule[] =
    "predict { 'The rule?', kind = 'rule', of = 'all-reduce',\n"
    "  ranks = { 3, 5, 8 }, chunks = 'n', links = 'ring', answer = function()\n"
    "  return 'k=1..n-1: chunk r-k to r+1, add; '\n"
    "    ..'k=n..2n-2: chunk r-k to r+1, replace' end, why = 'so' } say 'end'";

static void
state_rule(struct tutor *t, const char *rule)
{
    struct err err = {.text = ""};
    json_t *answer = question_parse(&seen(t)->question, rule, &err);

    if (!ok(answer != NULL, "%s: %s", rule, err.text))
        return;
    tutor_answer(t, answer, &err);
    play_on(t);
}

/* A rule that is right is proved, however it is written. */
static void
test_right_rules(void)
{
    static const char *const right[] = {
        "k=1..n-1: chunk r-k to r+1, add; k=n..2n-2: chunk r-k to r+1, "
        "replace",
        "chunk r - k to GPU r + 1 ; K = 1..n - 1 : chunk (r+1)-k to r+1 "
        "replace",
        "k=0..n-2: chunk r+k+1 to r-1, add; k=0..n-2: chunk r+k to r-1, "
        "replace",
        "k=1..n-1: chunk 2(r+k)-r-3k to r+1, add; k=n..2(n-1): chunk r-k to "
        "r+1, replace"};

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        OWNS(tutor) *t = open_lines(ring_rule);
        play_on(t);
        state_rule(t, right[i]);
        is_int(seen(t)->page.kind, PAGE_RIGHT, "is right");
        ok(strstr(seen(t)->page.text, "\nProved for N=3, N=5, N=8.\n") != NULL,
           "%s", seen(t)->page.text);
        ok(strstr(seen(t)->page.text, right[i]) != NULL,
           "as the learner wrote it");
        is_int(tutor_world(t)->schedule->nranks, 8, "the last N is run");
        is_int(seen(t)->record.right, 1, "it counts");
    }
}

static void
check_wrong(const char *rule, const char *why, int nranks, int position,
            int rank, int slot)
{
    OWNS(tutor) *t = open_lines(ring_rule);
    struct err err;

    play_on(t);
    state_rule(t, rule);
    is_str(seen(t)->question.objection, why, "%s", rule);
    is_int(seen(t)->state, TUTOR_ASKS, "there is a second try");
    while (tutor_world(t)->position != position &&
           tutor_advance(t, clock_ns(), &err) && tutor_due(t, 0) < INT64_MAX)
        tutor_wait(t, &err);
    is_int(tutor_world(t)->schedule->nranks, nranks, "the picture has that N");
    is_int(tutor_world(t)->position, position, "at that step");
    is_int(seen(t)->question.rank, rank, "and lights that GPU's");
    is_int(seen(t)->question.slot, slot, "slot");
    state_rule(t, rule);
    is_int(seen(t)->page.kind, PAGE_WRONG, "wrong again");
    ok(strstr(seen(t)->page.text, why) != NULL, "it is said once more: %s",
       seen(t)->page.text);
}

static void
test_wrong_rules(void)
{
    check_wrong("chunk r-k to r+1, add",
                "N=3: GPU 0 slot 1 ends as A1+C1: B1 is missing", 3, 2, 0, 1);
    check_wrong("k=1..2n-2: chunk r-k to r+1, add",
                "N=3: GPU 0 slot 2 has A twice", 3, 3, 0, 2);
    check_wrong("k=1..2: chunk r-k to r+1, add; k=3..4: chunk r-k to r+1, "
                "replace",
                "N=5: GPU 0 slot 0 ends as B0+C0+D0: A0 is missing", 5, 4, 0,
                0);
    check_wrong("chunk k to r", "N=3: step 1: GPU 0 would send to itself: "
                "choose another GPU", 3, 0, 0, 1);
    check_wrong("k=1..n-1: chunk r-k to r+1; k=n..2n-2: chunk r-k to r+1+n/5, "
                "replace", "N=5: step 5: there is no link from GPU 0 to GPU 2: "
                "it is a ring both ways", 5, 4, 0, 0);
}

/* A rule has so many characters, and brackets in brackets, and no more. */
static void
check_limit(const char *rule, bool good, const char *what)
{
    OWNS(tutor) *t = open_lines(ring_rule);
    json_auto_t *answer = NULL;
    struct err err;

    play_on(t);
    answer = question_parse(&seen(t)->question, rule, &err);
    is_int(answer != NULL, good, "%s: %s", what, rule);
}

static void
test_rule_limits(void)
{
    enum { BRACKETS_MOST = 20 };
    OWN(buf) rule = {0};

    check_limit("chunk 123456 to r+1", true, "a number");
    check_limit("chunk 12345678 to r+1", false, "a longer one");

    for (int more = 0; more < 2; more++) {
        int n = BRACKETS_MOST + more;
        buf_clear(&rule);
        buf_puts(&rule, "chunk ");
        for (int i = 0; i < 2 * n; i++)
            buf_puts(&rule, i < n ? "(" : i == n ? "r)" : ")");
        buf_puts(&rule, " to r+1");
        check_limit(buf_text(&rule), more == 0, "brackets");
        buf_clear(&rule);
        buf_puts(&rule, "chunk 0 to r+1");
        while (rule.length < (size_t)RULE_BYTES + (size_t)more)
            buf_putc(&rule, ' ');
        check_limit(buf_text(&rule), more == 0, "length");
    }
}

int
main(void)
{
    tutor_begin();
    test_refusals();
    test_ways();
    test_slips();
    test_run();
    test_ends();
    test_beaten();
    test_right_rules();
    test_wrong_rules();
    test_rule_limits();
    lab_remove();
    return done_testing();
}
