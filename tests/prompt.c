/* SPDX-License-Identifier: MIT */
/* A line typed at a prompt: what was entered before, and how Tab completes a
 * change of the run. */
#include <string.h>

#include "base/terminal.h"
#include "play/options.h"
#include "tap.h"
#include "term/prompt.h"

static void
type(struct prompt *p, const char *text)
{
    for (; *text != '\0'; text++)
        prompt_key(p, (unsigned char)*text);
}

static void
test_history(void)
{
    struct prompt_history h = {0};
    struct prompt p;

    prompt_open(&p, "change:", &h);
    prompt_key(&p, SCREEN_KEY_UP);
    is_str(p.typed, "", "at first nothing is remembered");
    prompt_remember(&h, "5");
    prompt_remember(&h, "8 --op max");
    prompt_remember(&h, "8 --op max");
    is_int(h.count, 2, "the same line is remembered once");
    prompt_open(&p, "change:", &h);
    type(&p, "dra");
    prompt_key(&p, SCREEN_KEY_UP);
    is_str(p.typed, "8 --op max", "Up is the last line");
    is_str(p.text, "change: 8 --op max", "which is shown");
    prompt_key(&p, SCREEN_KEY_UP);
    prompt_key(&p, SCREEN_KEY_UP);
    is_str(p.typed, "5", "and then the first, where it ends");
    prompt_key(&p, SCREEN_KEY_DOWN);
    is_str(p.typed, "8 --op max", "Down is a newer one");
    prompt_key(&p, SCREEN_KEY_DOWN);
    is_str(p.typed, "dra", "and at last what was being typed");
    prompt_key(&p, SCREEN_KEY_DOWN);
    is_str(p.typed, "dra", "where it ends");
    for (int i = 0; i < 2 * PROMPT_REMEMBERED; i++)
        prompt_remember(&h, i % 2 != 0 ? "odd" : "even");
    is_int(h.count, PROMPT_REMEMBERED, "old lines are forgotten");
    is_str(h.lines[PROMPT_REMEMBERED - 1], "odd", "and not new ones");
}

static void
test_pasted(void)
{
    static const char text[] = "a \xc3\xa9\xc2\x9b[31m\x7f\x1b";
    struct prompt p;

    prompt_open(&p, "change:", NULL);
    for (const char *c = text; *c != '\0'; c++)
        prompt_key(&p, SCREEN_KEY_PASTED + (unsigned char)*c);
    is_str(p.typed, "a \xc3\xa9[31m",
           "a pasted text has no control characters");
}

/* What Tab makes of a text, and the number of words that it may become. */
static void
completes(const char *text, const char *expected, int count)
{
    struct completion c;
    struct prompt p;

    prompt_open(&p, "change:", NULL);
    type(&p, text);
    options_complete(p.typed, &c);
    prompt_complete(&p, c.from, c.words, c.count);
    if (!ok(strcmp(p.typed, expected) == 0 && (int)c.count == count,
            "'%s' becomes '%s'", text, expected))
        diag("'%s', one of %d", p.typed, (int)c.count);
    completion_done(&c);
}

static void
test_completion(void)
{
    completes("torus3", "torus3d-allreduce ", 1);
    completes("5 torus", "5 torus", 2);
    completes("bru", "bruck-all", 2);
    completes("bruck-all", "bruck-all", 2);
    completes("zzz", "zzz", 0);
    completes("--ty", "--type ", 1);
    completes("--gpus 5 --co", "--gpus 5 --count", 2);
    completes("--gpus 5 --roo", "--gpus 5 --root ", 1);
    completes("--plai", "--plai", 0);
    completes("--type fl", "--type float", 3);
    completes("--type b", "--type bfloat16 ", 1);
    completes("--op m", "--op m", 2);
    completes("--pace f", "--pace free ", 1);
    completes("--backend th", "--backend threads ", 1);
    completes("--count ri", "--count ri", 0);
    completes("--out-of-place torus3", "--out-of-place torus3d-allreduce ", 1);
}

static void
test_erase(void)
{
    const int erase_word = 'w' & 0x1f, erase_line = 'u' & 0x1f;
    struct prompt p;

    prompt_open(&p, "change:", NULL);
    type(&p, "8 --op  max  ");
    prompt_key(&p, erase_word);
    is_str(p.typed, "8 --op  ", "Ctrl-W erases the blanks after a word, too");
    prompt_key(&p, erase_word);
    is_str(p.typed, "8 ", "and so on");
    prompt_key(&p, SCREEN_KEY_BACKSPACE);
    is_str(p.typed, "8", "Backspace erases a character");
    prompt_key(&p, erase_line);
    is_str(p.typed, "", "Ctrl-U erases all of it");
}

/* A line is never longer than its room. */
static void
test_length(void)
{
    char word[] = "ring-allreduce";
    char *const words[] = {word};
    struct prompt p;

    prompt_open(&p, "change:", NULL);
    for (int i = 0; i < 2 * PROMPT_MAX; i++)
        prompt_key(&p, 'r');
    is_int((int)strlen(p.typed), PROMPT_MAX - 1, "a line has an end");
    prompt_complete(&p, PROMPT_MAX - 5, words, 1);
    is_int((int)strlen(p.typed), PROMPT_MAX - 1, "also for Tab");
    is_int(p.typed[PROMPT_MAX - 2], 'r', "which then does nothing");
}

int
main(void)
{
    test_history();
    test_pasted();
    test_completion();
    test_erase();
    test_length();
    return done_testing();
}
