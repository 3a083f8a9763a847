/* SPDX-License-Identifier: MIT */
/* The setting of tests/ptx/launch.c. */
#ifndef TESTS_PTX_LAUNCH_SMALL_H
#define TESTS_PTX_LAUNCH_SMALL_H

/* Blocks of a rank. With 1, chunks are not cut into slices. */
extern int launch_small_blocks;

#endif
