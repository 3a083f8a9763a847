/* SPDX-License-Identifier: MIT */
/* The verb `chart`: curves in the place of the picture, from the points that
 * the script gives. */
#include <stdlib.h>

#include "tutor/tutor.h"

static bool
add_points(const json_t *series, const char *name, struct figure *f,
           struct err *err)
{
    const json_t *points = json_object_get(series, "points");
    size_t i;
    json_t *point;

    json_array_foreach(points, i, point) {
        const json_t *x = json_array_get(point, 0);
        const json_t *y = json_array_get(point, 1);
        if (json_array_size(point) != 2 || !json_is_number(x) ||
            !json_is_number(y))
            return err_set(err, "chart: point %zu of '%s' must be {x, y}, two "
                           "numbers", i + 1, name);
        if (!figure_put(f, json_number_value(x), json_number_value(y), err)) {
            err_prefix(err, "chart");
            return false;
        }
    }
    return i > 0 || err_set(err, "chart: '%s' has no points", name);
}

static bool
add_series(const json_t *series, struct figure *f, struct err *err)
{
    char *name = NULL;
    bool ok = script_text(series, "name", false, &name, err);

    if (ok) {
        series_add(&f->set, name);
        ok = add_points(series, name, f, err);
    } else {
        err_prefix(err, "chart: a series");
    }
    free(name);
    return ok;
}

static bool
add_all_series(const struct request *r, struct figure *f, struct err *err)
{
    const json_t *all = json_object_get(r->with, "series");
    size_t n = json_array_size(all);

    if (n < 1 || n > FIGURE_SERIES_MOST)
        return err_set(err, "chart takes 1 to %d series", FIGURE_SERIES_MOST);
    for (size_t i = 0; i < n; i++)
        if (!add_series(json_array_get(all, i), f, err))
            return false;
    return true;
}

/* Returns NULL on failure, with the reason in *err. */
static struct figure *
figure_of_points(const struct request *r, struct err *err)
{
    char *title = NULL, *x = NULL, *y = NULL;
    struct figure *f = NULL;

    if (!script_text(r->with, "title", false, &title, err) ||
        !script_text(r->with, "x", false, &x, err) ||
        !script_text(r->with, "y", false, &y, err)) {
        err_prefix(err, "chart");
    } else {
        f = figure_new(title, x, y);
        if (!add_all_series(r, f, err)) {
            figure_free(f);
            f = NULL;
        }
    }
    free(title);
    free(x);
    free(y);
    return f;
}

enum tutor_did
tutor_chart(struct tutor *t, const struct request *r, json_t **reply,
            struct err *err)
{
    const char *command =
        json_string_value(json_object_get(r->with, "command"));
    struct figure *f;
    struct buf table = {0};
    bool ok;

    if (command != NULL)
        return tutor_chart_model(t, command, reply, err);
    f = figure_of_points(r, err);
    ok = f != NULL;
    if (ok && !figure_table(f, &table, err))
        ok = err_prefix(err, "chart");
    if (ok)
        tutor_put_table(t, &table, f);
    else
        figure_free(f);
    buf_done(&table);
    *reply = json_true();
    return ok ? DID_REPLY : DID_REFUSE;
}
