/* SPDX-License-Identifier: MIT */
#include "schedule/label.h"

#include <string.h>

const char *
label_rank(int rank, char text[LABEL_RANK_MAX])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRTUVWXYZ";
    char reversed[LABEL_RANK_MAX];
    int length = 0;

    do {
        reversed[length++] = letters[rank % LABEL_LETTERS];
        rank = rank / LABEL_LETTERS - 1;
    } while (rank >= 0);
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return text;
}
