/* SPDX-License-Identifier: MIT */
/* What the fakes of NCCL and MPI need of the fake of CUDA. */
#ifndef FAKE_STREAM_H
#define FAKE_STREAM_H

#include <stdbool.h>

/* Whether an address lies in some GPU's own memory. */
bool fake_is_on_gpu(const void *address);

/* Puts something into a stream, after what is there: it is over once more()
 * returns false. */
void fake_stream_wait(void *stream, bool (*more)(void));

/* Waits until the stream is empty. */
void fake_stream_join(void *stream);

#endif
