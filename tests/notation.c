/* SPDX-License-Identifier: MIT */
/* Transfers, places and changes as people type them. */
#include "ring_world.h"
#include "text/notation.h"

enum { MOST = 8 };

/* Whether each line is read as the transfers that stand after it; or what is
 * said of it: what is wrong, where, and what to do. */
static void
check_read(const struct notation *n, const char *const lines[][2])
{
    for (; (*lines)[0] != NULL; lines++) {
        struct transfer list[MOST];
        OWN(buf) text = {0};
        size_t count;
        struct err err = {.text = ""};
        if (notation_read(n, (*lines)[0], list, MOST, &count, &err))
            notation_add_list(n, list, count, &text);
        else
            buf_puts(&text, err.text);
        is_str(buf_text(&text), (*lines)[1], "%s", (*lines)[0]);
    }
}

static void
test_spellings(void)
{
    static const char *const lines[][2] = {
        {"0>1 +A1", "0>1 +1"},
        {"0>1 =A1", "0>1 =1"},
        {"0>1 A1", "0>1 =1"},
        {"0>1 +1", "0>1 +1"},
        {"0>1 1", "0>1 =1"},
        {" 0 > 1  + a 1 ", "0>1 +1"},
        {"0>1+1", "0>1 +1"},
        {"0->1 +A1", "0>1 +1"},
        {"0>1 +1;1>2 =B2 3>0 D3", "0>1 +1, 1>2 =2, 3>0 =3"},
        {"0>1 =1..3", "0>1 =1..3"},
        {"0>1 +A1@0", "0>1 +1@0"},
        {"0>1 =2..3@0", "0>1 =2..3@0"},
        {"0>1 0 0>1 1 0>1 2 0>1 3 0>1 0 0>1 1 0>1 2 0>1 3",
         "0>1 =0, 0>1 =1, 0>1 =2, 0>1 =3, 0>1 =0, 0>1 =1, 0>1 =2, 0>1 =3"},
        {NULL, NULL}};
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 0);

    check_read(&n, lines);
}

/* Letters say what is sent, and the run where that is. */
static void
test_letters(void)
{
    static const char *const summed[][2] = {
        {"0>1 +S0", "0>1 +0"},
        {"0>1 +ABCD0", "0>1 +0"},
        {"3>0 +B0+C0+D0", "3>0 +0"},
        {"3>0 +dbc0", "3>0 +0"},
        {"3>0 +DCB 0, 2>0 =BC0", "3>0 +0, 2>0 =0"},
        {"3>0 +S0", "'3>0 +S0': no slot of GPU 3 holds that; its slot 0 "
                    "holds B0+C0+D0"},
        {"3>0 +B0", "'3>0 +B0': no slot of GPU 3 holds that; its slot 0 "
                    "holds B0+C0+D0"},
        {"0>1 +AS0", "'0>1 +AS0': no slot of GPU 0 holds that; its slot 0 "
                     "holds S0"},
        {NULL, NULL}};
    static const char *const first[][2] = {
        {"2>3 +A0", "'2>3 +A0': no slot of GPU 2 holds that; its slot 0 "
                    "holds C0"},
        {NULL, NULL}};
    static const char *const unknown[][2] = {
        {"2>3 +A0", "'2>3 +A0': type the number of its slot, without letters"},
        {"2>3 =S0", "'2>3 =S0': type the number of its slot, without letters"},
        {"2>3 +0", "2>3 +0"},
        {NULL, NULL}};
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 3);

    check_read(&n, summed);
    n.position = 0;
    check_read(&n, first);
    n.world = NULL;
    check_read(&n, unknown);
}

/* In an all-gather each GPU has a chunk 0, and the slots have other numbers. */
static void
test_gathered(void)
{
    static const char *const lines[][2] = {
        {"0>1 =D0", "0>1 =3"},
        {"3>0 =D0", "3>0 =3"},
        {"0>1 =3", "0>1 =3"},
        {"0>1 =A0", "0>1 =0"},
        {"0>1 =D0@2", "0>1 =3@2"},
        {"0>1 =B0", "'0>1 =B0': no slot of GPU 0 holds that; its slot 0 "
                    "holds A0"},
        {"3>0 =A0", "'3>0 =A0': no slot of GPU 3 holds that; its slot 0 "
                    "holds nothing"},
        {"0>1 =D0..1", "'0>1 =D0..1': the last slot is 3, and the first of "
                       "several stands first"},
        {NULL, NULL}};
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allgather"), .algorithm = "ring",
        .nranks = 4, .pieces = 1, .in_place = true});
    OWNS(world) *w;
    struct notation n;

    schedule_step(s, "");
    for (int rank = 0; rank < 4; rank++)
        copy_chunk(s, rank, (rank + 1) % 4, rank);
    w = world_of(s, 1, RING_LOCKSTEP);
    n = notation_of(w, 1);
    check_read(&n, lines);
}

static void
test_errors(void)
{
    static const char *const lines[][2] = {
        {"", "type a transfer, such as 0>1 +A0: sender > receiver, + adds or "
             "= replaces, a slot"},
        {" , ;", "type a transfer, such as 0>1 +A0: sender > receiver, + adds "
                 "or = replaces, a slot"},
        {"hello", "'h': a transfer is written like 0>1 +A0, with GPUs from 0 "
                  "to 3"},
        {"0>1 1 2>4 1", "'2>4': a transfer is written like 0>1 +A0, with GPUs "
                        "from 0 to 3"},
        {"99999999999>1 1", "'99999999999': a transfer is written like "
                            "0>1 +A0, with GPUs from 0 to 3"},
        {"0 1 +1", "'0 ': to whom? Write > and a GPU, as in 0>1 +A0"},
        {"0>1 +4", "'0>1 +4': which slot? They are 0 to 3, as in 0>1 +A0"},
        {"0>1 +A", "'0>1 +A': which slot? They are 0 to 3, as in 0>1 +A0"},
        {"0>1 ++1", "'0>1 +': which slot? They are 0 to 3, as in 0>1 +A0"},
        {"0>1 +E1", "'0>1 +E': no GPU's data is called E"},
        {"0>1 +AA1", "'0>1 +AA': A stands there twice"},
        {"0>1 +A1+B2", "'0>1 +A1+B2': a slot holds data of one chunk"},
        {"0>1 3..1", "'0>1 3..1': the last slot is 3, and the first of "
                     "several stands first"},
        {"0>1 0..2@2", "'0>1 0..2@2': the last slot is 3, and the first of "
                       "several stands first"},
        {"0>1 1x", "'0>1 1x': put a blank or a comma before the next "
                   "transfer"},
        {"0>1 \x1b[2J", "'0>1 ': which slot? They are 0 to 3, as in 0>1 +A0"},
        {"0>1 1\x1b[2J", "'0>1 1\\x1b': put a blank or a comma before the "
                         "next transfer"},
        {"0>1 0 0>1 1 0>1 2 0>1 3 0>1 0 0>1 1 0>1 2 0>1 3 0>1 0",
         "more than 8 transfers in a line: type the others after it"},
        {NULL, NULL}};
    static const char *const other[][2] = {
        {"0>1 +4", "'0>1 +4': which slot? They are 0 to 3, as in 3>2 =D2"},
        {NULL, NULL}};
    OWNS(world) *w = ring_world(4, 6);
    struct notation n = notation_of(w, 0);

    check_read(&n, lines);
    n.example = (struct transfer){.src = 3, .dst = 2, .src_slot = 2,
                                  .dst_slot = 2, .nslots = 1};
    check_read(&n, other);
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
    test_gathered();
    test_errors();
    test_out_of_place();
    return done_testing();
}
