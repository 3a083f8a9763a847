/* SPDX-License-Identifier: MIT */
/* How tests/ptx/launch.c cuts runs. */
#ifndef TESTS_PTX_LAUNCH_SMALL_H
#define TESTS_PTX_LAUNCH_SMALL_H

/* Blocks of a rank; 1: whole chunks, too. */
extern int launch_small_blocks;

#endif
