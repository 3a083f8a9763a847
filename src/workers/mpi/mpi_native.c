/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_world.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "run/kernels.h"
#include "schedule/collective.h"

enum function { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, ALL_GATHER_V, GATHER,
                GATHER_V, REDUCE_SCATTER, SCATTER, ALL_TO_ALL, SEND_RECEIVE,
                SCAN, EXSCAN, FUNCTIONS };

/* Those that take no counts of units have another one that does, below. */
static const struct {
    const char *collective, *name;
    bool has_other;
} functions[FUNCTIONS] = {
    [ALL_REDUCE] = {"allreduce", "MPI_Allreduce"},
    [REDUCE] = {"reduce", "MPI_Reduce"},
    [BROADCAST] = {"broadcast", "MPI_Bcast"},
    [ALL_GATHER] = {"allgather", "MPI_Allgather", true},
    [ALL_GATHER_V] = {"allgather", "MPI_Allgatherv"},
    [GATHER] = {"gather", "MPI_Gather", true},
    [GATHER_V] = {"gather", "MPI_Gatherv"},
    [REDUCE_SCATTER] = {"reduce-scatter", "MPI_Reduce_scatter"},
    [SCATTER] = {"scatter", "MPI_Scatterv"},
    [ALL_TO_ALL] = {"alltoall", "MPI_Alltoallv"},
    [SEND_RECEIVE] = {"sendrecv", "MPI_Sendrecv"},
    [SCAN] = {"scan", "MPI_Scan"},
    [EXSCAN] = {"exscan", "MPI_Exscan"},
};

/* A call on one rank. Units are the N parts of an input or output that is
 * divided among ranks. */
struct call {
    const struct share *s;
    enum function function;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    const void *from, *sent; /* in place MPI takes what it sends, from every
                              * rank or the root, from where the result goes */
    void *to;                /* the same buffer in place */
    bool in_place;
    int count;       /* elements of an input */
    int *units, *at; /* elements of each unit of the input, and where it
                      * begins */
    int *own, *own_at; /* the same of the output */
    unsigned char *output; /* in place: where MPI leaves it ... */
    void *found;           /* ... and where it is read */
    size_t bytes;          /* of it */
};

static int
call_function(const struct call *c)
{
    int n = c->s->nranks, rank = c->s->rank, root = c->s->root;
    bool keeps = c->in_place && rank == root;

    switch (c->function) {
    case ALL_REDUCE:
        return MPI_Allreduce(c->sent, c->to, c->count, c->type, c->op, c->comm);
    case REDUCE:
        return MPI_Reduce(c->sent, c->to, c->count, c->type, c->op, root,
                          c->comm);
    case BROADCAST: /* in one buffer, the output */
        return MPI_Bcast(c->to, c->count, c->type, root, c->comm);
    case ALL_GATHER:
        return MPI_Allgather(c->sent, c->count, c->type, c->to, c->count,
                             c->type, c->comm);
    case ALL_GATHER_V:
        return MPI_Allgatherv(c->sent, c->units[0], c->type, c->to, c->own,
                              c->own_at, c->type, c->comm);
    case GATHER_V:
        return MPI_Gatherv(c->sent, c->units[0], c->type, c->to, c->own,
                           c->own_at, c->type, root, c->comm);
    case GATHER:
        return MPI_Gather(c->sent, c->count, c->type, c->to, c->count, c->type,
                          root, c->comm);
    case REDUCE_SCATTER:
        return MPI_Reduce_scatter(c->sent, c->to, c->units, c->type, c->op,
                                  c->comm);
    case SCATTER:
        return MPI_Scatterv(c->from, c->units, c->at, c->type,
                            keeps ? MPI_IN_PLACE : c->to, c->units[rank],
                            c->type, root, c->comm);
    case ALL_TO_ALL:
        return MPI_Alltoallv(c->from, c->units, c->at, c->type, c->to, c->own,
                             c->own_at, c->type, c->comm);
    case SCAN:
        return MPI_Scan(c->sent, c->to, c->count, c->type, c->op, c->comm);
    case EXSCAN:
        return MPI_Exscan(c->sent, c->to, c->count, c->type, c->op, c->comm);
    default:
        return MPI_Sendrecv(c->from, c->count, c->type, (rank + 1) % n, 0,
                            c->to, c->count, c->type, (rank + n - 1) % n, 0,
                            c->comm, MPI_STATUS_IGNORE);
    }
}

/* FUNCTIONS if there is none. */
static enum function
function_of(const char *collective, bool uneven)
{
    enum function f = ALL_REDUCE;

    while (f < FUNCTIONS && strcmp(functions[f].collective, collective) != 0)
        f++;
    return f < FUNCTIONS && uneven && functions[f].has_other ? f + 1 : f;
}

/* MPI has no floats of 16 bits. */
static MPI_Datatype
type_of(enum dtype type)
{
    const MPI_Datatype types[DTYPES] = {
        [DTYPE_FLOAT32] = MPI_FLOAT,   [DTYPE_FLOAT64] = MPI_DOUBLE,
        [DTYPE_INT32] = MPI_INT32_T,   [DTYPE_INT64] = MPI_INT64_T,
        [DTYPE_UINT8] = MPI_UINT8_T,   [DTYPE_FLOAT16] = MPI_DATATYPE_NULL,
        [DTYPE_BFLOAT16] = MPI_DATATYPE_NULL,
    };

    return types[type];
}

/* An average is a sum, and divided at the end. */
static MPI_Op
op_of(enum redop op)
{
    const MPI_Op ops[REDOPS] = {
        [REDOP_SUM] = MPI_SUM,   [REDOP_PROD] = MPI_PROD,
        [REDOP_MIN] = MPI_MIN,   [REDOP_MAX] = MPI_MAX,
        [REDOP_AVG] = MPI_SUM,   [REDOP_LAND] = MPI_LAND,
        [REDOP_LOR] = MPI_LOR,   [REDOP_BAND] = MPI_BAND,
        [REDOP_BOR] = MPI_BOR,   [REDOP_BXOR] = MPI_BXOR,
    };

    return ops[op];
}

const char *
mpi_native_name(const struct schedule *s, const struct input *in,
                struct err *err)
{
    enum function f = function_of(s->collective->name, s->counts != NULL);

    if (f == FUNCTIONS)
        err_set(err, "MPI has no %s of its own", s->collective->title);
    else if (type_of(in->type) == MPI_DATATYPE_NULL)
        err_set(err, "MPI has no type for %s: --native needs another --type",
                dtype_name(in->type));
    else if (in->count > INT_MAX / s->nranks)
        err_set(err, "--native takes at most %d elements for %d ranks, since "
                "MPI counts them in int", INT_MAX / s->nranks, s->nranks);
    else
        return functions[f].name;
    return NULL;
}

static void
describe_call(struct call *c, const struct mpi_world *w, const struct share *s)
{
    size_t n = (size_t)s->nranks;
    int count = (int)s->data.count;
    bool divided = collective_find(s->collective)->output == UNITS_RANKS;

    c->s = s;
    c->comm = w->data;
    c->count = count;
    c->in_place = s->in_place && s->timing.calls > 0;
    c->type = type_of(s->data.type);
    c->op = op_of(s->data.op);
    c->units = mem_new(4 * n, sizeof *c->units);
    c->at = c->units + n;
    c->own = c->at + n;
    c->own_at = c->own + n;
    for (int rank = 0; rank < s->nranks; rank++) {
        c->units[rank] = (int)s->units[rank];
        c->own[rank] = (int)s->units[s->nranks + rank];
        if (rank > 0)
            c->at[rank] = c->at[rank - 1] + c->units[rank - 1];
    }
    /* ours may have more room than it needs */
    for (int i = 0, at = 0, unit = s->output.count / s->nranks;
         divided && i < s->output.count; i++) {
        if (i % unit == 0)
            c->own_at[i / unit] = at;
        at += (int)s->rooms[s->output.first + i];
    }
}

/* In place: one buffer, with the input where MPI expects it.  *output is where
 * MPI leaves the output. */
static unsigned char *
make_buffer(const struct call *c, const void *input, unsigned char **output)
{
    const struct share *s = c->s;
    size_t element = dtype_size(s->data.type);
    size_t bytes = (size_t)c->count * element;
    size_t room = share_output_bytes(s), first = 0;
    bool collects = c->function == ALL_GATHER ||
                    (c->function == GATHER && s->rank == s->root);
    bool keeps = c->function == SCATTER && s->rank == s->root;
    unsigned char *buffer;

    if (collects)
        first = (size_t)s->rank * bytes;
    buffer = mem_new(room > first + bytes ? room : first + bytes, 1);
    memcpy(buffer + first, input, bytes);
    *output = buffer + (keeps ? (size_t)c->at[s->rank] * element : 0);
    return buffer;
}

/* A broadcast's root has the input in its output beforehand. */
static bool
mpi_native_restore(void *with, struct err *err)
{
    const struct call *c = with;

    (void)err;
    if (c->function == BROADCAST && c->s->rank == c->s->root && !c->in_place)
        memcpy(c->to, c->from,
               (size_t)c->count * dtype_size(c->s->data.type));
    return true;
}

static bool
mpi_native_run(void *with, struct err *err)
{
    const struct call *c = with;

    return mpi_ok(call_function(c), functions[c->function].name, err);
}

static bool
mpi_native_fetch(void *with, struct err *err)
{
    const struct call *c = with;

    (void)err;
    if (c->in_place)
        memcpy(c->found, c->output, c->bytes);
    return true;
}

bool
crew_compare(struct crew *crew, const struct message_rank *r,
             const char *algorithm, struct crew_native *found,
             struct err *err)
{
    const struct mpi_world *w = crew->with;
    const struct share *s = r->share;
    size_t bytes = share_output_bytes(s);
    unsigned char *buffer = NULL;
    void *input = input_copy(&s->data, s->rank);
    struct call c = {.function = function_of(s->collective, s->uneven),
                     .found = found + 1, .bytes = bytes};
    const char *name = functions[c.function].name;
    bool ok;

    snprintf(found->name, sizeof found->name, "%s", name);
    snprintf(found->inside, sizeof found->inside, "%s%s", algorithm,
             !mpi_world_has_gpus(w)  ? ""
             : algorithm[0] != '\0' ? ", host memory"
                                    : "host memory");
    describe_call(&c, w, s);
    c.from = input;
    c.to = found + 1;
    if (c.in_place)
        c.from = c.to = buffer = make_buffer(&c, input, &c.output);
    c.sent = c.in_place && (s->rank == s->root || (c.function != REDUCE &&
                                                   c.function != GATHER))
                 ? MPI_IN_PLACE
                 : c.from;
    ok = (algorithm[0] == '\0' ||
          mpi_choice_dup(w->data, name, algorithm, &c.comm, err)) &&
         crew_rounds(crew,
                     &(struct native_calls){&c, mpi_native_restore,
                                            mpi_native_run, NULL,
                                            mpi_native_fetch},
                     &s->timing, &found->times, err);
    if (s->data.op == REDOP_AVG)
        kernels_for(s->data.type, REDOP_AVG)
            .divide(found + 1, (int64_t)(bytes / dtype_size(s->data.type)),
                    s->nranks);
    free(input);
    free(buffer);
    free(c.units);
    if (c.comm != w->data)
        MPI_Comm_free(&c.comm);
    return ok;
}

#define PERMISSION "coll_tuned_use_dynamic_rules"

void
mpi_choice_allow(void)
{
    setenv("OMPI_MCA_" PERMISSION, "1", 0);
}

#if CREW_SIMULATED

bool
mpi_choice_dup(MPI_Comm comm, const char *function, const char *algorithm,
               MPI_Comm *copy, struct err *err)
{
    (void)comm, (void)function, (void)algorithm, (void)copy;
    return err_set(err, "SimGrid's collectives have no names here");
}

#else

enum { NAME_MAX_BYTES = 128, NAMES_MAX = 64 };

/* A function's control variable and the values that it may have. */
struct choice {
    int variable;
    int count;
    int values[NAMES_MAX];
    char names[NAMES_MAX][NAME_MAX_BYTES];
};

/* The index of the variable with this name; -1 if there is none.  `names` are
 * those of its values. */
static int
find_variable(const char *name, MPI_T_enum *names)
{
    int count = 0;

    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int length = NAME_MAX_BYTES, ignored;
        char text[NAME_MAX_BYTES];
        MPI_Datatype type;
        if (MPI_T_cvar_get_info(i, text, &length, &ignored, &type, names, NULL,
                                NULL, &ignored, &ignored) == MPI_SUCCESS &&
            strcmp(text, name) == 0)
            return i;
    }
    return -1;
}

/* Reads a variable, or writes it first; it must be an int or shorter. */
static bool
use_variable(int index, const int *write, int *value)
{
    MPI_T_cvar_handle handle;
    int count;
    bool ok;

    *value = 0;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    ok = count == 1 &&
         (write == NULL || MPI_T_cvar_write(handle, write) == MPI_SUCCESS) &&
         MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return ok;
}

/* Finds a function's variable. The tool interface must be open. */
static bool
find_choice(const char *function, struct choice *c, struct err *err)
{
    char name[NAME_MAX_BYTES], library[128];
    MPI_T_enum names = MPI_T_ENUM_NULL, ignored;
    int allowed, count, length = 0;

    *c = (struct choice){.count = 0};
    snprintf(name, sizeof name, "coll_tuned_%s_algorithm",
             function + strlen("MPI_")); /* "coll_tuned_allreduce_..." */
    for (char *at = name; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    c->variable = find_variable(name, &names);
    if (c->variable < 0 || names == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(names, &count, NULL, &length) != MPI_SUCCESS)
        count = 0;
    for (int i = 0; i < count && c->count < NAMES_MAX; i++) {
        length = NAME_MAX_BYTES;
        if (MPI_T_enum_get_item(names, i, &c->values[c->count],
                                c->names[c->count], &length) == MPI_SUCCESS)
            c->count++;
    }
    mpi_world_library(library, sizeof library);
    if (c->count == 0)
        return err_set(err, "%s gives no choice of an algorithm for %s: leave "
                       "out --native-algorithm", library, function);
    return (use_variable(find_variable(PERMISSION, &ignored), NULL, &allowed) &&
            allowed != 0) ||
           err_set(err, "%s does not allow --native-algorithm, since its "
                   "parameter " PERMISSION " is off", library);
}

/* The index of an algorithm's name; -1, with the reason, if there is none. */
static int
find_name(const struct choice *c, const char *function, const char *algorithm,
          struct err *err)
{
    const char *names[NAMES_MAX + 1] = {NULL};
    OWN(buf) text = {0};

    for (int i = 0; i < c->count; i++) {
        names[i] = c->names[i];
        if (strcmp(c->names[i], algorithm) == 0)
            return i;
    }
    near_among(algorithm, names, &text);
    err_set(err, "%s has no algorithm '%s': %s", function, algorithm,
            buf_text(&text));
    return -1;
}

/* Makes the copy while the variable has the value, then puts the old value
 * back. */
static bool
dup_with(MPI_Comm comm, const struct choice *c, int value, MPI_Comm *copy,
         struct err *err)
{
    int old, now;
    bool ok;

    if (!use_variable(c->variable, NULL, &old) ||
        !use_variable(c->variable, &value, &now) || now != value)
        return err_set(err, "MPI refuses --native-algorithm");
    ok = mpi_ok(MPI_Comm_dup(comm, copy), "MPI_Comm_dup", err);
    use_variable(c->variable, &old, &now);
    return ok;
}

bool
mpi_choice_dup(MPI_Comm comm, const char *function, const char *algorithm,
               MPI_Comm *copy, struct err *err)
{
    struct choice c;
    int at = -1, ignored;
    bool ok;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &ignored) != MPI_SUCCESS)
        return err_set(err, "MPI_T_init_thread failed");
    ok = find_choice(function, &c, err) &&
         (at = find_name(&c, function, algorithm, err)) >= 0 &&
         (copy == NULL || dup_with(comm, &c, c.values[at], copy, err));
    MPI_T_finalize();
    return ok;
}

#endif
