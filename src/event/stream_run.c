/* SPDX-License-Identifier: MIT */
#include "event/stream_run.h"

#include <string.h>

#include "base/json.h"
#include "event/stream_names.h"

/* Older recordings have no topology. */
static bool
read_topology(const json_t *o, struct topology *t, struct err *err)
{
    const char *name;
    const json_t *list;

    *t = (struct topology){TOPOLOGY_ANY, {0}};
    if (json_object_get(o, "topology") == NULL)
        return true;
    if (!json_get_string(o, "topology", SCHEDULE_NAME_MAX, &name, err))
        return false;
    if (!topology_find(name, &t->kind))
        return err_set(err, "collviz knows no topology \"%s\"", name);
    if (json_object_get(o, "shape") == NULL)
        return true;
    if (!json_get_array(o, "shape", TOPOLOGY_DIMS, TOPOLOGY_DIMS, &list, err))
        return false;
    for (int d = 0; d < TOPOLOGY_DIMS; d++) {
        int64_t size;
        if (!json_at(list, (size_t)d, 1, SCHEDULE_RANKS_MAX, &size))
            return err_set(err, "\"shape\" has numbers from 1 to %d",
                           SCHEDULE_RANKS_MAX);
        t->dims[d] = (int)size;
    }
    return true;
}

bool
stream_read_spec(const json_t *o, struct schedule_spec *spec, struct err *err)
{
    const char *collective;

    if (!json_get_string(o, "collective", SCHEDULE_NAME_MAX - 1, &collective,
                         err) ||
        !json_get_string(o, "algorithm", SCHEDULE_NAME_MAX - 1,
                         &spec->algorithm, err) ||
        !json_get_int(o, "ranks", 1, SCHEDULE_RANKS_MAX, &spec->nranks,
                      err) ||
        !json_get_int(o, "root", 0, spec->nranks - 1, &spec->root, err) ||
        !json_get_int(o, "pieces", 1, SCHEDULE_SLOTS_MAX, &spec->pieces,
                      err) ||
        !json_get_int(o, "scratch", 0, SCHEDULE_SLOTS_MAX, &spec->scratch,
                      err) ||
        !json_get_boolean(o, "in_place", &spec->in_place, err) ||
        !read_topology(o, &spec->topology, err))
        return false;
    spec->collective = collective_find(collective);
    if (spec->collective == NULL)
        return err_set(err, "collviz knows no collective \"%s\"", collective);
    return schedule_spec_check(spec, err);
}

static bool
read_devices(const json_t *o, struct run_info *run, struct err *err)
{
    const json_t *list;

    if (!json_get_array(o, "devices", 0, RUN_DEVICES_MAX, &list, err))
        return false;
    run->ndevices = (int)json_array_size(list);
    for (int i = 0; i < run->ndevices; i++) {
        const char *name =
            json_string_value(json_array_get(list, (size_t)i));
        if (name == NULL || strlen(name) >= RUN_NAME_MAX)
            return err_set(err, "\"devices\" must be a list of strings of at "
                           "most %d bytes", RUN_NAME_MAX - 1);
        snprintf(run->devices[i], RUN_NAME_MAX, "%s", name);
    }
    return true;
}

/* Reads a list of `count` integers from `least` to `most`. */
static bool
read_integers(const json_t *o, const char *key, int count, int least, int most,
              int *list, struct err *err)
{
    const json_t *array;

    if (!json_get_array(o, key, (size_t)count, (size_t)count, &array, err))
        return false;
    for (int i = 0; i < count; i++) {
        int64_t value;
        if (!json_at(array, (size_t)i, least, most, &value))
            return err_set(err, "\"%s\" must be a list of integers from %d to "
                           "%d", key, least, most);
        list[i] = (int)value;
    }
    return true;
}

/* Older recordings have the first rank of each device, whose ranks were in a
 * row. */
static bool
read_first_ranks(const json_t *o, struct run_info *run, int nranks,
                 struct err *err)
{
    int first[RUN_DEVICES_MAX] = {0};

    if (!read_integers(o, "first_ranks", run->ndevices, 0,
                       SCHEDULE_RANKS_MAX - 1, first, err))
        return false;
    for (int i = 1; i < run->ndevices; i++)
        for (int rank = first[i]; rank < nranks; rank++)
            run->device_of[rank] = (uint8_t)i;
    return true;
}

/* One device has all ranks; several must say which they have. */
static bool
read_rank_devices(const json_t *o, struct run_info *run, int nranks,
                  struct err *err)
{
    int devices[SCHEDULE_RANKS_MAX];

    if (run->ndevices < 2)
        return true;
    if (json_object_get(o, "first_ranks") != NULL &&
        json_object_get(o, "rank_devices") == NULL)
        return read_first_ranks(o, run, nranks, err);
    if (!read_integers(o, "rank_devices", nranks, 0, run->ndevices - 1,
                       devices, err))
        return false;
    for (int rank = 0; rank < nranks; rank++)
        run->device_of[rank] = (uint8_t)devices[rank];
    return true;
}

static bool
read_cores(const json_t *o, struct run_info *run, int nranks, struct err *err)
{
    int cores[SCHEDULE_RANKS_MAX];

    run_forget_cores(run);
    if (json_object_get(o, "cores") == NULL)
        return true;
    if (!read_integers(o, "cores", nranks, -1, INT16_MAX, cores, err))
        return false;
    for (int rank = 0; rank < nranks; rank++)
        run->core_of[rank] = (int16_t)cores[rank];
    return true;
}

/* A text that may be missing: then it is empty. */
static bool
read_text(const json_t *o, const char *key, char text[RUN_NAME_MAX],
          struct err *err)
{
    text[0] = '\0';
    return json_object_get(o, key) == NULL ||
           json_get_text(o, key, text, RUN_NAME_MAX, err);
}

bool
stream_read_info(const json_t *o, struct run_info *run, int nranks,
                 struct err *err)
{
    static const char *const paces[] = {"lockstep", "free"};
    const char *type, *op;
    int pace, place;

    if (!json_get_text(o, "backend", run->backend, sizeof run->backend,
                       err) ||
        !read_devices(o, run, err) ||
        !read_rank_devices(o, run, nranks, err) ||
        !read_cores(o, run, nranks, err) ||
        !json_get_string(o, "type_name", SCHEDULE_NAME_MAX, &type, err) ||
        !json_get_string(o, "op", SCHEDULE_NAME_MAX, &op, err) ||
        !json_get_integer(o, "count", 0, INT64_MAX / 16, &run->count, err) ||
        !JSON_GET_WORD(o, "pace", paces, &pace, err) ||
        !JSON_GET_WORD(o, "place", stream_places, &place, err) ||
        !json_get_int(o, "places", 1, SCHEDULE_RANKS_MAX, &run->nplaces,
                      err) ||
        (json_object_get(o, "clock_ns") != NULL &&
         !json_get_integer(o, "clock_ns", 0, INT64_MAX, &run->clock_ns, err)) ||
        !read_text(o, "mismatch", run->mismatch, err) ||
        !read_text(o, "fault", run->fault, err) ||
        !read_text(o, "delay", run->delay, err) ||
        !read_text(o, "network", run->network, err))
        return false;
    run->free = pace == 1;
    run->place = (enum run_place)place;
    if (!dtype_find(type, &run->type))
        return err_set(err, "collviz knows no type \"%s\"", type);
    if (!redop_find(op, &run->op))
        return err_set(err, "collviz knows no operator \"%s\"", op);
    return redop_check(run->op, run->type, err);
}
