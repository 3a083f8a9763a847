/* SPDX-License-Identifier: MIT */
/* Transfers as people type them. */
#include "ring_world.h"
#include "text/notation.h"

enum { MOST = 8 };

/* Whether a line is read as the transfers that `expected` shows. */
static void
check_read(const struct notation *n, const char *typed, const char *expected)
{
    struct transfer list[MOST];
    OWN(buf) text = {0};
    size_t count;
    struct err err = {""};

    if (notation_read(n, typed, list, MOST, &count, &err))
        for (size_t i = 0; i < count; i++) {
            buf_puts(&text, i > 0 ? ", " : "");
            notation_add(n, &list[i], &text);
        }
    else
        buf_puts(&text, err.text);
    is_str(buf_text(&text), expected, "%s", typed);
}

static void
test_spellings(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 0);

    check_read(&n, "0>1 +A1", "0>1 +1");
    check_read(&n, "0>1 =A1", "0>1 =1");
    check_read(&n, "0>1 A1", "0>1 =1");
    check_read(&n, "0>1 +1", "0>1 +1");
    check_read(&n, "0>1 1", "0>1 =1");
    check_read(&n, " 0 > 1  + a 1 ", "0>1 +1");
    check_read(&n, "0>1+1", "0>1 +1");
    check_read(&n, "0->1 +A1", "0>1 +1");
    check_read(&n, "0>1 +1, 1>2 +2", "0>1 +1, 1>2 +2");
    check_read(&n, "0>1 +1;1>2 =B2 3>0 D3", "0>1 +1, 1>2 =2, 3>0 =3");
    check_read(&n, "0>1 =1..3", "0>1 =1..3");
    check_read(&n, "0>1 +A1@0", "0>1 +1@0");
    check_read(&n, "0>1 =2..3@0", "0>1 =2..3@0");
    check_read(&n, "0>1 0 0>1 1 0>1 2 0>1 3 0>1 0 0>1 1 0>1 2 0>1 3",
               "0>1 =0, 0>1 =1, 0>1 =2, 0>1 =3, 0>1 =0, 0>1 =1, 0>1 =2, "
               "0>1 =3");
}

/* What the letters say is compared with the run. */
static void
test_letters(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 3);

    check_read(&n, "0>1 +S0", "0>1 +0");
    check_read(&n, "0>1 +ABCD0", "0>1 +0");
    check_read(&n, "3>0 +B0+C0+D0", "3>0 +0");
    check_read(&n, "3>0 +dbc0", "3>0 +0");
    check_read(&n, "3>0 +DCB 0, 2>0 =BC0", "3>0 +0, 2>0 =0");
    check_read(&n, "3>0 +S0",
               "'3>0 +S0': GPU 3's slot 0 holds B0+C0+D0");
    check_read(&n, "3>0 +B0",
               "'3>0 +B0': GPU 3's slot 0 holds B0+C0+D0");
    check_read(&n, "0>1 +AS0", "'0>1 +AS0': GPU 0's slot 0 holds S0");
    n.position = 0;
    check_read(&n, "2>3 +A0", "'2>3 +A0': GPU 2's slot 0 holds C0");
    n.world = NULL;
    check_read(&n, "2>3 +A0", "2>3 +0");
}

/* Each says what is wrong, where, and what to do. */
static void
test_errors(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 0);

    check_read(&n, "", "type a transfer, such as 0>1 +A1: GPU 0 sends A1 to "
                       "GPU 1, which adds it");
    check_read(&n, " , ;", "type a transfer, such as 0>1 +A1: GPU 0 sends A1 "
                           "to GPU 1, which adds it");
    check_read(&n, "hello", "'h': a transfer is written like 0>1 +A1, with "
                            "GPUs from 0 to 3");
    check_read(&n, "0>1 1 2>4 1", "'2>4': a transfer is written like "
                                  "0>1 +A1, with GPUs from 0 to 3");
    check_read(&n, "99999999999>1 1",
               "'99999999999': a transfer is written like 0>1 +A1, with "
               "GPUs from 0 to 3");
    check_read(&n, "0 1 +1",
               "'0 ': to whom? Write > and a GPU, as in 0>1 +A1");
    check_read(&n, "0>1 +4", "'0>1 +4': which slot? They are 0 to 3, as in "
                             "0>1 +A1");
    check_read(&n, "0>1 +A", "'0>1 +A': which slot? They are 0 to 3, as in "
                             "0>1 +A1");
    check_read(&n, "0>1 ++1", "'0>1 +': which slot? They are 0 to 3, as in "
                              "0>1 +A1");
    check_read(&n, "0>1 +E1", "'0>1 +E': no GPU's data is called E");
    check_read(&n, "0>1 +AA1", "'0>1 +AA': A stands there twice");
    check_read(&n, "0>1 +A1+B2",
               "'0>1 +A1+B2': a slot holds data of one chunk");
    check_read(&n, "0>1 3..1", "'0>1 3..1': the last slot is 3, and the "
                               "first of several stands first");
    check_read(&n, "0>1 0..2@2", "'0>1 0..2@2': the last slot is 3, and the "
                                 "first of several stands first");
    check_read(&n, "0>1 1x", "'0>1 1x': put a blank or a comma before the "
                             "next transfer");
    check_read(&n, "0>1 \x1b[2J", "'0>1 ': which slot? They are 0 to 3, as "
                                  "in 0>1 +A1");
    check_read(&n, "0>1 1\x1b[2J", "'0>1 1\\x1b': put a blank or a comma "
                                   "before the next transfer");
    check_read(&n, "0>1 0 0>1 1 0>1 2 0>1 3 0>1 0 0>1 1 0>1 2 0>1 3 0>1 0",
               "more than 8 transfers in a line: type the others after it");
}

/* A run out of place has its output behind its input. */
static void
test_out_of_place(void)
{
    struct notation n = {.nranks = 2, .first = 4, .nslots = 5};
    struct transfer t;
    struct err err;
    size_t count;
    OWN(buf) text = {0};

    ok(notation_read(&n, "0>1 +2", &t, 1, &count, &err), "it is read");
    is_int(t.src_slot, 6, "slots count from the output");
    is_int(t.dst_slot, 6, "at the receiver, too");
    is_int(t.add_slot, 6, "which adds to it");
    notation_add(&n, &t, &text);
    is_str(buf_text(&text), "0>1 +2", "and so they do when it is written");
}

int
main(void)
{
    test_spellings();
    test_letters();
    test_errors();
    test_out_of_place();
    return done_testing();
}
