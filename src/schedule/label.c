/* SPDX-License-Identifier: MIT */
#include "schedule/label.h"

#include <limits.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRTUVWXYZ";
enum { BASE = sizeof letters - 1 };

const char *
label_rank(int rank, char text[LABEL_RANK_MAX])
{
    char reversed[LABEL_RANK_MAX];
    int length = 0;

    do {
        reversed[length++] = letters[rank % BASE];
        rank = rank / BASE - 1;
    } while (rank >= 0);
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return text;
}

int
label_read(const char *text, size_t length)
{
    int rank = -1;

    for (size_t i = 0; i < length; i++) {
        const char *letter = memchr(letters, text[i], BASE);
        if (letter == NULL || rank > INT_MAX / BASE - 2)
            return -1;
        rank = (rank + 1) * BASE + (int)(letter - letters);
    }
    return rank;
}
