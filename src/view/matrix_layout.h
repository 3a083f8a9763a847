/* SPDX-License-Identifier: MIT */
/* Where the cells of the view matrix are; arithmetic only.
 *
 *              0      1           the slots' numbers
 *     GPU 0    2▂▂+   S██›        a row for each rank: fills, and marks
 *
 *     GPU 0   +AB     ABCD  ›     with more room: blocks, two rows high, and
 *              ██     ████        the values below them
 *              3 6    10 20
 *
 * If there are more ranks or slots than cells on the screen, a cell stands for
 * several slots: then the matrix is a map, and below it a lens shows a part of
 * it with a cell for each slot. */
#ifndef VIEW_MATRIX_LAYOUT_H
#define VIEW_MATRIX_LAYOUT_H

#include "draw/block.h"

struct matrix {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect window; /* x, width: the slots shown; y, height: the ranks */
    struct rect area;   /* of the cells */
    int label_width;
    int text_width; /* in a cell, before its fill */
    int cell_width, cell_height;     /* from one cell to the next */
    int ranks_a_row, slots_a_column; /* more than 1 in a map */

    /* In a cell: */
    int change_x, sends_x; /* of marks; x counts from the content */
    int width, height; /* of the content */
    bool values;       /* the row below the content shows its values */
    bool blocks;       /* the contents are blocks, else fills */
    enum block_form form;
    int pad;
};

/* The matrix of all slots. Its cell_width is 0 if the area is too small. */
struct matrix matrix_arrange(const struct scene *s, struct canvas *c,
                             struct rect area);
bool matrix_is_map(const struct matrix *m);

/* The matrix of the slots in the lens below a map. */
struct matrix matrix_arrange_lens(const struct scene *s, struct canvas *c,
                                  struct rect area);

/* The rows of the lens: a rule, the slots' numbers, and an odd number of ranks,
 * or all if there are fewer. */
struct rect matrix_lens_area(const struct scene *s, struct rect area);

/* The slot in the middle of the lens: the one that the selected rank sends in
 * the scene's step, else the one that it receives. */
int matrix_lens_slot(const struct scene *s);

/* Whether a slot is in the window. */
bool matrix_shows(const struct matrix *m, int rank, int slot);

/* The upper left corner of a slot's content. */
struct point matrix_cell(const struct matrix *m, int rank, int slot);

#endif
