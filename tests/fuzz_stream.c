/* SPDX-License-Identifier: MIT */
/* libFuzzer's input as a recording: through the stream and the world. */
#include <stdio.h>

#include "event/stream.h"
#include "model/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file;
    struct stream_reader *r;
    struct stream_writer w = {0};
    struct world *world;
    struct buf out = {0};
    struct item item;
    struct err err;

    if (size == 0)
        return 0;
    file = fmemopen((void *)data, size, "r");
    if (file == NULL)
        return 0;
    r = stream_reader_new(file, NULL, "fuzz");
    world = world_new();
    while (stream_read(r, &item, &err) == STREAM_ITEM &&
           world_add(world, &item, &err))
        stream_write(&w, &item, &out);
    if (world->schedule != NULL) {
        world_seek(world, world->nsteps);
        world_label(world, world_row(world, 0, 0), true, &out);
        world_seek(world, 0);
    }
    world_free(world);
    buf_done(&out);
    stream_reader_free(r);
    fclose(file);
    return 0;
}
