/* SPDX-License-Identifier: MIT */
/* A rule: an algorithm for any number of GPUs, in one line that a learner
 * types.
 *
 *     k=1..n-1: chunk r-k to r+1, add; k=n..2n-2: chunk r-k to r+1, replace
 *     k=1..log2(n): if r < 2^(k-1): chunk 0 to r+2^(k-1)
 *
 * In step k, each GPU r sends its slot of that number to that GPU, which adds
 * it or replaces its own.  Numbers are modulo n, the number of GPUs, or of
 * slots; log2 rounds up.  Parts follow one another.  Without k=, k goes from 1
 * to n-1; without add or replace, a collective that reduces adds. */
#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/translate.h"
#include "play/author.h"
#include "text/sum.h"
#include "tutor/verbs.h"

enum { WORD = 8, DEPTH = 20 };

struct reader {
    const char *begin, *at;
    struct err *err;
};

static void
skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

/* The word or the sign at hand; "": the end. */
static const char *
peek_word(struct reader *r, char word[WORD])
{
    static const char *const signs[] = {"..", "<=", ">=", "==", "~=", "!="};
    size_t n = 0;

    skip_blanks(r);
    if (isalpha((unsigned char)*r->at)) {
        while (isalnum((unsigned char)r->at[n]))
            n++;
    } else if (isdigit((unsigned char)*r->at)) {
        n = strspn(r->at, "0123456789");
    } else if (*r->at != '\0') {
        n = 1;
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            if (strncmp(r->at, signs[i], 2) == 0)
                n = 2;
    }
    word[0] = '\0';
    strncat(word, r->at, n < WORD - 1 ? n : WORD - 1);
    for (char *c = word; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return word;
}

static void
skip_word(struct reader *r, const char *word)
{
    r->at += strlen(word);
}

/* Takes a word or a sign, if it comes next. */
static bool
accept_word(struct reader *r, const char *expected)
{
    char word[WORD];

    if (strcmp(peek_word(r, word), expected) != 0)
        return false;
    skip_word(r, word);
    return true;
}

/* Reports what should follow the part that has been read. */
static bool
report_lack(struct reader *r, const char *what)
{
    return err_set(r->err, "after '%.*s': %s comes next, as in "
                   "k=1..n-1: chunk k to r+k, add", (int)(r->at - r->begin),
                   r->begin, what);
}

static bool
expect_word(struct reader *r, const char *word)
{
    return accept_word(r, word) || report_lack(r, word);
}

static bool
is_name(const char *word)
{
    return strcmp(word, "k") == 0 || strcmp(word, "r") == 0 ||
           strcmp(word, "n") == 0 || strcmp(word, "log2") == 0;
}

/* Copies a formula up to a word that cannot belong to it.  Blanks around each
 * word keep two from becoming a comment.  A name or a bracket after a number is
 * a product. */
static bool
copy_formula(struct reader *r, bool compares, struct buf *out)
{
    char word[WORD];
    int depth = 0;
    bool any = false, number = false;

    buf_puts(out, "(");
    for (;; any = true) {
        const char *w = peek_word(r, word);
        bool digit = isdigit((unsigned char)w[0]), name = is_name(w);
        bool sign = strlen(w) == 1 && strchr("+-*/%^()", w[0]) != NULL;
        bool compare = compares &&
                       (strcmp(w, "and") == 0 || strcmp(w, "or") == 0 ||
                        strcmp(w, "not") == 0 ||
                        (w[0] != '\0' && strchr("<>=~!", w[0]) != NULL));
        if (!digit && !name && !sign && !compare)
            break;
        depth += (w[0] == '(') - (w[0] == ')');
        if (depth < 0 || depth > DEPTH || strlen(w) == WORD - 1)
            break;
        if (number && (name || w[0] == '('))
            buf_puts(out, " *");
        buf_addf(out, " %s", strcmp(w, "/") == 0    ? "//"
                             : strcmp(w, "=") == 0  ? "=="
                             : strcmp(w, "!=") == 0 ? "~="
                                                    : w);
        number = digit;
        skip_word(r, w);
    }
    buf_puts(out, " )");
    if (!any)
        return report_lack(r, _("a formula, such as r+k"));
    return depth == 0 || report_lack(r, depth > 0 ? _("a )") : _("no )"));
}

/* "k=1..n-1: if r < n/2: chunk r-k to r+1, add" */
static bool
read_part(struct reader *r, const struct wiring *w, struct buf *out)
{
    bool adds = w->collective->reduces;
    OWN(buf) steps = {0}, when = {0}, chunk = {0}, to = {0};

    if (accept_word(r, "k")) {
        if (!expect_word(r, "=") || !copy_formula(r, false, &steps))
            return false;
        buf_puts(&steps, ", ");
        if (!expect_word(r, "..") || !copy_formula(r, false, &steps) ||
            !expect_word(r, ":"))
            return false;
    } else {
        buf_puts(&steps, "1, n - 1");
    }
    if (!accept_word(r, "if"))
        buf_puts(&when, "true");
    else if (!copy_formula(r, true, &when) || !expect_word(r, ":"))
        return false;
    if (!expect_word(r, "chunk") || !copy_formula(r, false, &chunk) ||
        !expect_word(r, "to"))
        return false;
    accept_word(r, "gpu");
    if (!copy_formula(r, false, &to))
        return false;
    accept_word(r, ",");
    if (accept_word(r, "add"))
        adds = true;
    else if (accept_word(r, "replace"))
        adds = false;
    buf_addf(out,
             "for k = %s do\n"
             "  local first = true\n"
             "  for r = 0, n - 1 do\n"
             "    if %s then\n"
             "      if first then step \"wiring\" first = false end\n"
             "      %s { from = r, to = %s %% n, chunk = %s %% slots }\n"
             "    end\n"
             "  end\n"
             "end\n", buf_text(&steps), buf_text(&when),
             adds ? "add" : "copy", buf_text(&to), buf_text(&chunk));
    return true;
}

/* Appends a rule as an algorithm script (play/author.h).  Returns false, with
 * the reason in *err, if it cannot be read.  The values of its formulas are
 * judged when the script runs. */
static bool
write_script(const struct wiring *w, const char *rule, struct buf *out,
             struct err *err)
{
    struct reader r = {rule, rule, err};
    struct schedule *s;
    char word[WORD];

    if (strlen(rule) > RULE_BYTES)
        return err_set(err, "a rule has at most %d characters", RULE_BYTES);
    s = wiring_new(w);
    buf_addf(out, "algorithm { collective = \"%s\", title = \"rule\", "
             "chunks = %d }\n"
             "local slots = %d\n"
             "local function log2(x)\n  local k = 0\n"
             "  while 2 ^ k < x do k = k + 1 end\n  return k\nend\n",
             w->collective->name, w->pieces, s->nslots);
    schedule_free(s);
    do
        if (!read_part(&r, w, out))
            return false;
    while (accept_word(&r, ";") && peek_word(&r, word)[0] != '\0');
    return peek_word(&r, word)[0] == '\0' ||
           report_lack(&r, _("add, replace, or ;"));
}

/* The kind of question. */

static bool
rule_read(struct question *q, const json_t *with, struct err *err)
{
    return wiring_read(&q->wiring, with, true, err);
}

static json_t *
rule_form(const struct question *q, const json_t *v, struct err *err)
{
    OWN(buf) script = {0};

    return json_is_string(v) &&
                   write_script(&q->wiring, json_string_value(v), &script, err)
               ? json_deep_copy(v)
               : NULL;
}

/* The schedule that a rule makes for one number of GPUs. */
struct trial {
    struct schedule *s; /* as far as it may be; NULL: it cannot be built */
    bool right;
    struct transfer bad; /* that may not be; dst -1: all may */
    struct err why;
};

/* The trial ends at the first step that breaks the task's rules, with the
 * reason that a learner who wires that step would get. */
static struct trial
try_rule(const struct wiring *w, const char *rule)
{
    struct coll_options o = {.nranks = w->nranks, .root = w->root,
                             .in_place = true};
    struct trial t = {.bad.dst = -1};
    OWN(buf) source = {0};
    struct schedule *all = NULL;
    struct check_counts counts;
    bool ok = true;

    if (write_script(w, rule, &source, &t.why))
        all = author_build("rule", buf_text(&source), &o, &t.why);
    if (all == NULL)
        return t;
    t.s = wiring_new(w);
    for (int step = 1; ok && step <= all->nsteps; step++) {
        size_t count;
        const struct transfer *list = schedule_transfers(all, step, &count);
        ok = wiring_add(w, t.s, false, list, count, &t.why);
        if (!ok) {
            struct schedule *before = schedule_copy(t.s, step - 1);
            if (t.s->nsteps == step)
                t.bad = list[t.s->steps[step - 1].count];
            schedule_free(t.s);
            t.s = before;
            err_prefix(&t.why, "step %d", step);
        }
    }
    t.right = ok && schedule_check(t.s, t.s->nchunks, &counts, &t.why);
    schedule_free(all);
    return t;
}

/* Puts what the ranks have in the beginning on the screen, unless the pages of
 * a lesson show something. */
static bool
rule_show(struct tutor *t, struct err *err)
{
    const struct wiring *all = &t->seen.question.wiring;
    struct wiring one = wiring_for(all, all->tries[0]);

    t->seen.question.wired = -1;
    return (t->seen.picture.shown >= 0 && t->seen.how.round == 0) ||
           tutor_put_schedule(t, wiring_new(&one), 0, true, err);
}

/* Tries a rule with all numbers of GPUs of its task, up to the first for which
 * it is wrong.  Returns the last trial, and in *one its task; appends the
 * numbers of those that are right. */
static struct trial
try_all(const struct wiring *w, const char *rule, struct wiring *one,
        struct buf *proved)
{
    struct trial trial = {.right = true};

    for (int i = 0; trial.right && i < w->ntries; i++) {
        schedule_free(trial.s);
        *one = wiring_for(w, w->tries[i]);
        trial = try_rule(one, rule);
        if (trial.right)
            buf_addf(proved, "%sN=%d", i > 0 ? ", " : "", w->tries[i]);
    }
    return trial;
}

static bool
rule_right(const struct question *q, const json_t *given, const json_t *truth)
{
    OWN(buf) proved = {0};
    struct wiring one;
    struct trial trial =
        try_all(&q->wiring, json_string_value(given), &one, &proved);

    (void)truth;
    schedule_free(trial.s);
    return trial.right;
}

/* Puts the picture of a trial that failed on the screen, and says what is
 * wrong in it. */
static void
show_failed(struct tutor *t, const struct wiring *w, struct trial *trial,
            struct buf *out)
{
    struct err ignored;
    const struct world *world;
    int rank = trial->bad.src, slot = trial->bad.src_slot, step;

    buf_clear(out);
    buf_addf(out, "N=%d: ", w->nranks);
    if (trial->s == NULL ||
        !tutor_put_schedule(t, trial->s, 0, true, &ignored)) {
        buf_puts(out, trial->why.text);
        return;
    }
    world = tutor_world(t);
    step = world->nsteps;
    tutor_run_to(&t->seen.picture.runs[t->seen.question.wired]->session, step,
                 &ignored);
    if (trial->bad.dst >= 0) {
        buf_puts(out, trial->why.text);
    } else {
        struct flaw flaw = flaw_find(world);
        flaw_name(world, &flaw, out);
        step = flaw.step;
        rank = flaw.rank;
        slot = flaw.slot;
    }
    player_go(&t->seen.picture.player, step);
    t->seen.question.rank = rank;
    t->seen.question.slot = slot - schedule_outputs(world->schedule).first;
}

/* Tries a rule, and puts a run on the screen: of the first number of GPUs for
 * which it is wrong, and else of the last.  Appends what is wrong, "N=8: GPU 6
 * slot 2 has F twice", or the numbers, "N=3, N=5". */
static bool
show_rule(struct tutor *t, const json_t *rule, struct buf *out)
{
    struct wiring one;
    struct trial trial = try_all(&t->seen.question.wiring,
                                 json_string_value(rule), &one, out);
    struct err ignored;

    t->seen.question.rank = t->seen.question.slot = -1;
    if (!trial.right)
        show_failed(t, &one, &trial, out);
    else if (tutor_put_schedule(t, trial.s, 0, false, &ignored) &&
             !tutor_unwatched(t))
        player_play(&t->seen.picture.player, clock_ns());
    return trial.right;
}

static bool
rule_check_truth(const struct question *q, const json_t *said,
                 struct err *err)
{
    return !question_fits(q, said) || rule_right(q, said, said) ||
           err_set(err, "the proof refutes this rule");
}

/* A rule that is wrong is shown at work. */
static bool
rule_objects(struct tutor *t, const json_t *given, struct buf *out)
{
    return !show_rule(t, given, out);
}

/* The verdict says what the rule of the learner or of the lesson proved. */
static bool
rule_verdict(struct tutor *t, const struct verdict *v, struct buf *out,
             struct err *err)
{
    OWN(buf) said = {0};

    if (!tutor_add_verdict(t, v, out, err))
        return false;
    if (show_rule(t, v->answered ? v->attempt.last : v->truth, &said))
        buf_addf(out, _("\nProved for %s."), buf_text(&said));
    else
        buf_addf(out, "\n%s", buf_text(&said));
    return true;
}

static void
rule_explain(const struct question *q, struct buf *out)
{
    const struct wiring *w = &q->wiring;
    OWN(buf) tries = {0};

    for (int i = 0; i < w->ntries; i++)
        buf_addf(&tries, "%s%d", i > 0 ? ", " : "", w->tries[i]);
    buf_addf(out, _("Of GPU r in step k, like this: k=1..n-1: chunk k to r+k, "
                    "add\n; begins another part. Tried for N = %s."),
             buf_text(&tries));
}

const struct question_kind kind_rule = {
    .name = "rule", .proved = true,
    .samples = "[\"chunk 0 to r\"]",
    .read = rule_read, .form = rule_form, .right = rule_right,
    .check_truth = rule_check_truth, .show = rule_show,
    .objects = rule_objects, .verdict = rule_verdict,
    .explain = rule_explain,
};
