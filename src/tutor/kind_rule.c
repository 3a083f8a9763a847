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

#include "base/mem.h"
#include "base/translate.h"
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

bool
rule_script(const struct wiring *w, const char *rule, struct buf *out,
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

void
rule_add_form(const struct wiring *w, struct buf *out)
{
    OWN(buf) tries = {0};

    for (int i = 0; i < w->ntries; i++)
        buf_addf(&tries, "%s%d", i > 0 ? ", " : "", w->tries[i]);
    buf_addf(out, _("Of GPU r in step k, like this: k=1..n-1: chunk k to r+k, "
                    "add\n; begins another part. Tried for N = %s."),
             buf_text(&tries));
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
                   rule_script(&q->wiring, json_string_value(v), &script, err)
               ? json_deep_copy(v)
               : NULL;
}

static bool
rule_right(const struct question *q, const json_t *given, const json_t *truth)
{
    (void)truth;
    return tutor_proves_rule(&q->wiring, json_string_value(given));
}

static bool
rule_check_truth(const struct question *q, const json_t *said,
                 struct err *err)
{
    return !question_fits(q, said) || rule_right(q, said, said) ||
           err_set(err, "the proof refutes this rule");
}

const struct question_kind kind_rule = {
    .name = "rule", .typed = true, .signs = true, .proved = true,
    .read = rule_read, .form = rule_form, .right = rule_right,
    .check_truth = rule_check_truth,
};
