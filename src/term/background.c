/* SPDX-License-Identifier: MIT */
#include "term/background.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BELL = 7, ESCAPE = 0x1b };

const char background_query[] = "\033]11;?\033\\\033[c";

/* White and the bright versions of the eight colours are light, except for dark
 * grey. */
enum ground
background_expected(void)
{
    const char *colours = getenv("COLORFGBG");
    const char *last = colours != NULL ? strrchr(colours, ';') : NULL;
    int number = last != NULL && last[1] != '\0' ? atoi(last + 1) : 0;

    return number == 7 || (number >= 9 && number <= 15) ? GROUND_LIGHT
                                                        : GROUND_DARK;
}

void
background_begin(struct background_reply *r, bool last)
{
    *r = (struct background_reply){.open = true, .last = last};
}

/* A part of one to four hexadecimal digits, as 0 to 1. */
static double
scale_hex(unsigned value, int digits)
{
    return value / (double)((1u << 4 * digits) - 1);
}

/* Returns false if the text is not a colour of the background. */
static bool
parse_background(const char *text, enum ground *ground)
{
    unsigned r, g, b;
    int at[3];
    double light;

    if (sscanf(text, "11;rgb:%4x%n/%4x%n/%4x%n", &r, &at[0], &g, &at[1], &b,
               &at[2]) != 3 || text[at[2]] != '\0' || strchr(text, ' ') != NULL)
        return false;
    light = 0.299 * scale_hex(r, at[0] - 7) +
            0.587 * scale_hex(g, at[1] - at[0] - 1) +
            0.114 * scale_hex(b, at[2] - at[1] - 1);
    *ground = light > 0.5 ? GROUND_LIGHT : GROUND_DARK;
    return true;
}

static enum background_got
end_reply(struct background_reply *r, enum background_got got)
{
    r->open = false;
    return got;
}

enum background_got
background_take(struct background_reply *r, int c, enum ground *ground)
{
    static const char begin[] = "11;";
    bool after_escape = r->length > 0 && r->text[r->length - 1] == ESCAPE;

    if (r->last ? (c < '0' || c > '9') && c != ';' && c != 'c'
                : r->length < (int)strlen(begin) && c != begin[r->length])
        return end_reply(r, BACKGROUND_KEYS);
    if (r->last && c == 'c')
        return end_reply(r, BACKGROUND_OVER);
    if (c == BELL || after_escape) {
        r->text[r->length - after_escape] = '\0';
        return end_reply(r, (c == BELL || c == '\\') &&
                                    parse_background(r->text, ground)
                                ? BACKGROUND_KNOWN
                                : BACKGROUND_OVER);
    }
    if (c < 0 || c > 0x7f || r->length + 1 >= (int)sizeof r->text)
        return end_reply(r, BACKGROUND_OVER);
    r->text[r->length++] = (char)c;
    return BACKGROUND_MORE;
}
