/* SPDX-License-Identifier: MIT */
#include "term/prompt.h"

#include <stdio.h>
#include <string.h>

#include "term/screen.h"

enum { CTRL_U = 'U' & 0x1f, CTRL_W = 'W' & 0x1f };

static void
compose_prompt(struct prompt *p)
{
    snprintf(p->text, sizeof p->text, "%s %s", p->label, p->typed);
}

void
prompt_open(struct prompt *p, const char *label,
            const struct prompt_history *history)
{
    *p = (struct prompt){.open = true, .label = label, .history = history,
                         .recalled = history != NULL ? history->count : 0};
    compose_prompt(p);
}

/* Goes to an older line, or with `by` 1 to a newer one; after the newest comes
 * the draft again. */
static void
recall_line(struct prompt *p, int by)
{
    int count = p->history != NULL ? p->history->count : 0;
    int at = p->recalled + by;

    if (at < 0 || at > count)
        return;
    if (p->recalled == count)
        memcpy(p->draft, p->typed, sizeof p->draft);
    memcpy(p->typed, at < count ? p->history->lines[at] : p->draft,
           sizeof p->typed);
    p->recalled = at;
}

enum prompt_answer
prompt_key(struct prompt *p, int key)
{
    char *text = p->typed;
    size_t length = strlen(text);

    switch (key) {
    case SCREEN_KEY_ENTER:
        return PROMPT_ENTERED;
    case SCREEN_KEY_ESCAPE:
        p->open = false;
        return PROMPT_LEFT;
    case SCREEN_KEY_BACKSPACE:
        while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
            ; /* a character may be several bytes */
        text[length] = '\0';
        break;
    case CTRL_W:
        while (length > 0 && text[length - 1] == ' ')
            length--;
        while (length > 0 && text[length - 1] != ' ')
            length--;
        text[length] = '\0';
        break;
    case CTRL_U:
        text[0] = '\0';
        break;
    case SCREEN_KEY_UP:
        recall_line(p, -1);
        break;
    case SCREEN_KEY_DOWN:
        recall_line(p, 1);
        break;
    default:
        key -= key >= SCREEN_KEY_PASTED ? SCREEN_KEY_PASTED : 0;
        if (key >= 0x80 && key < 0xa0 && length > 0 &&
            text[length - 1] == '\xc2') /* a control character of Unicode */
            text[length - 1] = '\0';
        else if (key >= ' ' && key <= 0xff && key != 0x7f &&
                 length + 1 < PROMPT_MAX) {
            text[length] = (char)key;
            text[length + 1] = '\0';
        }
    }
    compose_prompt(p);
    return PROMPT_GOES_ON;
}

bool
prompt_edits(int key)
{
    return key == SCREEN_KEY_BACKSPACE || key == CTRL_W || key == CTRL_U;
}

void
prompt_remember(struct prompt_history *h, const char *line)
{
    if (h->count > 0 && strcmp(h->lines[h->count - 1], line) == 0)
        return;
    if (h->count == PROMPT_REMEMBERED)
        memmove(h->lines[0], h->lines[1],
                (size_t)--h->count * sizeof h->lines[0]);
    snprintf(h->lines[h->count++], PROMPT_MAX, "%s", line);
}

void
prompt_complete(struct prompt *p, size_t from, char *const *words,
                size_t nwords)
{
    size_t same = nwords > 0 ? strlen(words[0]) : 0;

    for (size_t i = 1; i < nwords; i++)
        for (size_t k = 0; k < same; k++)
            if (words[i][k] != words[0][k])
                same = k;
    if (nwords == 0 || from + same + 2 > PROMPT_MAX)
        return;
    memcpy(p->typed + from, words[0], same);
    if (nwords == 1)
        p->typed[from + same++] = ' ';
    p->typed[from + same] = '\0';
    compose_prompt(p);
}
