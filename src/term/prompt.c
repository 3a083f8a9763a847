/* SPDX-License-Identifier: MIT */
#include "term/prompt.h"

#include <stdio.h>
#include <string.h>

#include "term/screen.h"

enum { CTRL_U = 'U' & 0x1f, CTRL_W = 'W' & 0x1f };

static void
show(struct prompt *p)
{
    snprintf(p->text, sizeof p->text, "%s %s", p->label, p->typed);
}

void
prompt_open(struct prompt *p, const char *label)
{
    *p = (struct prompt){.open = true, .label = label};
    show(p);
}

/* Erases the last character, which may be several bytes. */
static void
erase_character(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
        ;
    text[length] = '\0';
}

static void
erase_word(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && text[length - 1] != ' ')
        length--;
    text[length] = '\0';
}

static void
add(char *text, int key)
{
    size_t length = strlen(text);

    if (key < ' ' || key > 0xff || key == 0x7f || length + 1 >= PROMPT_MAX)
        return;
    text[length] = (char)key;
    text[length + 1] = '\0';
}

enum prompt_answer
prompt_key(struct prompt *p, int key)
{
    switch (key) {
    case SCREEN_KEY_ENTER:
        return PROMPT_ENTERED;
    case SCREEN_KEY_ESCAPE:
        p->open = false;
        return PROMPT_LEFT;
    case SCREEN_KEY_BACKSPACE:
        erase_character(p->typed);
        break;
    case CTRL_W:
        erase_word(p->typed);
        break;
    case CTRL_U:
        p->typed[0] = '\0';
        break;
    default:
        add(p->typed, key);
        break;
    }
    show(p);
    return PROMPT_GOES_ON;
}
