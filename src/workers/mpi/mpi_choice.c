/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_native.h"

#include <stdlib.h>

#define PERMISSION "coll_tuned_use_dynamic_rules"

void
mpi_choice_allow(void)
{
    setenv("OMPI_MCA_" PERMISSION, "1", 0);
}

#if CREW_SIMULATED

bool
mpi_choice_known(const char *function, const char *algorithm, struct err *err)
{
    (void)function;
    (void)algorithm;
    return err_set(err, "SimGrid's collectives have no names here");
}

bool
mpi_choice_dup(MPI_Comm comm, const char *function, const char *algorithm,
               MPI_Comm *copy, struct err *err)
{
    (void)comm;
    (void)copy;
    return mpi_choice_known(function, algorithm, err);
}

#else

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/near.h"

enum { NAME_MAX_BYTES = 128, NAMES_MAX = 64 };

/* A function's control variable and the values that it may have. */
struct choice {
    int variable;
    int count;
    int values[NAMES_MAX];
    char names[NAMES_MAX][NAME_MAX_BYTES];
};

/* "MPI_Reduce_scatter": "coll_tuned_reduce_scatter_algorithm". */
static void
variable_name(const char *function, char name[NAME_MAX_BYTES])
{
    snprintf(name, NAME_MAX_BYTES, "coll_tuned_%s_algorithm",
             function + strlen("MPI_"));
    for (char *c = name; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
}

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

static void
read_names(struct choice *c, MPI_T_enum names)
{
    int count, length = 0;

    if (MPI_T_enum_get_info(names, &count, NULL, &length) != MPI_SUCCESS)
        return;
    for (int i = 0; i < count && c->count < NAMES_MAX; i++) {
        length = NAME_MAX_BYTES;
        if (MPI_T_enum_get_item(names, i, &c->values[c->count],
                                c->names[c->count], &length) == MPI_SUCCESS)
            c->count++;
    }
}

/* Finds a function's variable. The tool interface must be open. */
static bool
find(const char *function, struct choice *c, struct err *err)
{
    char name[NAME_MAX_BYTES], library[128];
    MPI_T_enum names = MPI_T_ENUM_NULL, ignored;
    int allowed;

    *c = (struct choice){.count = 0};
    variable_name(function, name);
    c->variable = find_variable(name, &names);
    if (c->variable >= 0 && names != MPI_T_ENUM_NULL)
        read_names(c, names);
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
    struct buf text = {0};

    for (int i = 0; i < c->count; i++) {
        names[i] = c->names[i];
        if (strcmp(c->names[i], algorithm) == 0)
            return i;
    }
    near_among(algorithm, names, &text);
    err_set(err, "%s has no algorithm '%s': %s", function, algorithm,
            buf_text(&text));
    buf_done(&text);
    return -1;
}

static bool
open_tools(struct err *err)
{
    int ignored;

    return MPI_T_init_thread(MPI_THREAD_SINGLE, &ignored) == MPI_SUCCESS ||
           err_set(err, "MPI_T_init_thread failed");
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
mpi_choice_known(const char *function, const char *algorithm, struct err *err)
{
    struct choice c;
    bool ok;

    if (!open_tools(err))
        return false;
    ok = find(function, &c, err) &&
         find_name(&c, function, algorithm, err) >= 0;
    MPI_T_finalize();
    return ok;
}

bool
mpi_choice_dup(MPI_Comm comm, const char *function, const char *algorithm,
               MPI_Comm *copy, struct err *err)
{
    struct choice c;
    int at = -1;
    bool ok;

    if (!open_tools(err))
        return false;
    ok = find(function, &c, err) &&
         (at = find_name(&c, function, algorithm, err)) >= 0 &&
         dup_with(comm, &c, c.values[at], copy, err);
    MPI_T_finalize();
    return ok;
}

#endif
