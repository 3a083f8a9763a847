/* SPDX-License-Identifier: MIT */
/* Which ranks are linked, in a small example of every topology, compared with
 * lists written by hand. */
#include "schedule/topology.h"

#include "tap.h"

/* The ranks that each rank is linked to: "1 02 1" for three in a row. */
static const struct {
    struct topology topology;
    int nranks, root;
    const char *links;
} known[] = {
    {{TOPOLOGY_ANY, {0}, 0}, 4, 0, "123 023 013 012"},
    {{TOPOLOGY_RING, {0}, 0}, 5, 0, "14 02 13 24 03"},
    {{TOPOLOGY_RING, {0}, 0}, 2, 0, "1 0"},
    {{TOPOLOGY_STAR, {0}, 0}, 4, 1, "1 023 1 1"},
    {{TOPOLOGY_BINOMIAL, {0}, 0}, 6, 0, "124 0 03 2 05 4"},
    {{TOPOLOGY_BINOMIAL, {0}, 0}, 4, 2, "12 0 03 2"},
    {{TOPOLOGY_TREE, {0}, 0}, 4, 0, "2 2 013 2"},
    {{TOPOLOGY_TREES, {0}, 0}, 4, 0, "12 023 013 12"},
    {{TOPOLOGY_TORUS, {2, 4, 1}, 0}, 8, 0, "134 025 136 027 057 146 257 346"},
    {{TOPOLOGY_TORUS, {1, 3, 3}, 0}, 9, 0,
     "1236 0247 0158 0456 1357 2348 0378 1468 2567"},
    {{TOPOLOGY_MESH, {2, 4, 1}, 0}, 8, 0, "14 025 136 27 05 146 257 36"},
    {{TOPOLOGY_MESH, {1, 3, 3}, 0}, 9, 0, "13 024 15 046 1357 248 37 468 57"},
    {{TOPOLOGY_MESH, {3, 1, 1}, 0}, 3, 0, "1 02 1"},
    {{TOPOLOGY_CUBE, {0}, 0}, 6, 0, "124 035 03 12 05 14"},
    {{TOPOLOGY_NODES, {2, 3, 1}, 0}, 6, 0, "123 024 015 045 135 234"},
    {{TOPOLOGY_STAR, {0}, 1}, 4, 1, "3 3 3 012"},
    {{TOPOLOGY_NODES, {2, 2, 1}, 1}, 5, 0, "124 034 034 124 0123"},
    {{TOPOLOGY_NODES, {2, 2, 1}, 2}, 6, 0, "124 034 035 125 01 23"},
};

static void
links_of(const struct topology *t, int nranks, int root, char text[128])
{
    size_t length = 0;

    for (int a = 0; a < nranks; a++) {
        if (a > 0)
            text[length++] = ' ';
        for (int b = 0; b < nranks; b++)
            if (a != b && topology_links(t, nranks, root, a, b))
                text[length++] = (char)('0' + b);
    }
    text[length] = '\0';
}

static void
test_links(void)
{
    char text[128];

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct topology *t = &known[i].topology;
        links_of(t, known[i].nranks, known[i].root, text);
        is_str(text, known[i].links, "links of a %s of %d ranks, root %d",
               topology_name(t->kind), known[i].nranks, known[i].root);
        ok(topology_fits(t, known[i].nranks), "whose shape fits");
        ok(topology_links(t, known[i].nranks, 0, 1, 1),
           "a rank always reaches itself");
    }
}

static void
test_sizes(void)
{
    const struct topology torus = {TOPOLOGY_TORUS, {2, 3, 1}, 0},
                          empty = {TOPOLOGY_TORUS, {0, 3, 1}, 0},
                          ring = {TOPOLOGY_RING, {5, 1, 1}, 0},
                          switched = {TOPOLOGY_RING, {0}, 1},
                          nodes = {TOPOLOGY_NODES, {2, 2, 1}, 3};

    ok(topology_fits(&torus, 6), "2 x 3 ranks are 6");
    ok(!topology_fits(&torus, 7), "and not 7");
    ok(!topology_fits(&empty, 0), "every size is at least 1");
    ok(!topology_fits(&ring, 5), "a ring has no sizes");
    ok(!topology_fits(&switched, 5), "and no switch");
    ok(!topology_fits(&nodes, 7), "two nodes have one switch or two");
}

static void
test_names(void)
{
    enum topology_kind kind;

    for (int k = 0; k < TOPOLOGY_KINDS; k++)
        ok(topology_find(topology_name((enum topology_kind)k), &kind) &&
               (int)kind == k,
           "'%s' is found by its name", topology_name((enum topology_kind)k));
    ok(!topology_find("moebius", &kind), "an unknown name is not");
}

int
main(void)
{
    test_links();
    test_sizes();
    test_names();
    return done_testing();
}
