/* SPDX-License-Identifier: MIT */
#include "schedule/network.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/load.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/translate.h"
#include "base/utf8.h"

#define H100_ADD (3 / 3350.0)

static const struct network networks[] = {
    {.name = "nvlink", 600, 1 / 450.0, H100_ADD, .ports = 1},
    {.name = "pcie", 1000, 1 / 64.0, H100_ADD, .ports = 1},
    {.name = "infiniband", 2700, 1 / 50.0, H100_ADD, .ports = 1},
    {.name = "ethernet", 20000, 0.08, H100_ADD, .ports = 1},
    {.name = "dgx-h100", 600, 1 / 450.0, H100_ADD, .ports = 1, .gpus = 8,
     .nics = 8, .between_alpha = 2700, .between_beta = 1 / 50.0},
    {.name = "g5.12xlarge", 1000, 1 / 32.0, 3 / 600.0, .ports = 1, .gpus = 4,
     .nics = 1, .between_alpha = 20000, .between_beta = 0.2},
    {.name = "laptops", 48000, 8, 3 / 100.0, .ports = 1, .gpus = 1, .nics = 1,
     .between_alpha = 48000, .between_beta = 8},
};

enum {
    NETWORKS = sizeof networks / sizeof networks[0],
    FILE_MOST = 4096, /* bytes */
    SHORT = 16,       /* longer than any name of the table */
};

/* The keys from KEY_HOSTS on are for networks with hosts. */
enum key { KEY_NAME, KEY_ALPHA, KEY_BETA, KEY_GAMMA, KEY_PORTS, KEY_LINKS,
           KEY_CORES, KEY_HOSTS, KEY_GPUS, KEY_NICS, KEY_ORDER, KEY_INSIDE,
           KEY_BETWEEN, KEY_BETWEEN_ALPHA, KEY_BETWEEN_BETA, KEYS };
static const struct {
    const char *name;
    enum { A_WORD, A_TIME, A_NUMBER } is;
    size_t field; /* of struct network */
    double most;  /* ns, or a number */
} keys[KEYS] = {
#define FIELD(name) offsetof(struct network, name)
    [KEY_NAME] = {"name", A_WORD, 0, 0},
    [KEY_ALPHA] = {"alpha", A_TIME, FIELD(alpha), 100e9},
    [KEY_BETA] = {"beta", A_TIME, FIELD(beta), 1e6},
    [KEY_GAMMA] = {"gamma", A_TIME, FIELD(gamma), 1e6},
    [KEY_PORTS] = {"ports", A_NUMBER, FIELD(ports), NETWORK_PORTS_MAX},
    [KEY_LINKS] = {"links", A_NUMBER, FIELD(links), NETWORK_PORTS_MAX},
    [KEY_CORES] = {"cores", A_NUMBER, FIELD(cores), NETWORK_CORES_MAX},
    [KEY_HOSTS] = {"hosts", A_NUMBER, FIELD(hosts), NETWORK_HOSTS_MAX},
    [KEY_GPUS] = {"gpus", A_NUMBER, FIELD(gpus), NETWORK_GPUS_MAX},
    [KEY_NICS] = {"nics", A_NUMBER, FIELD(nics), NETWORK_GPUS_MAX},
    [KEY_ORDER] = {"order", A_WORD, 0, 0},
    [KEY_INSIDE] = {"inside", A_WORD, 0, 0},
    [KEY_BETWEEN] = {"between", A_WORD, 0, 0},
    [KEY_BETWEEN_ALPHA] = {"between-alpha", A_TIME, FIELD(between_alpha),
                           100e9},
    [KEY_BETWEEN_BETA] = {"between-beta", A_TIME, FIELD(between_beta), 1e6},
#undef FIELD
};
static const char refused_name[] =
    N_("'%s' is neither a network nor a file; a network of your own is "
       "alpha=2us,beta=0.08ns; %s");
static const char host_example[] = "4x8,inside=nvlink,between=infiniband";

/* A network that is being read, and the keys that it has been given. */
struct reading {
    struct network *n;
    unsigned given; /* 1 << enum key */
    const struct network *known; /* it began as this one of the table */
    bool placed[HOSTS_LISTED_MAX]; /* ranks in its order */
};

const struct network *
network_at(int index)
{
    return index >= 0 && index < NETWORKS ? &networks[index] : NULL;
}

const char *
network_here(void)
{
    /* made by the driver of NVSwitches */
    return access("/proc/driver/nvidia-nvswitch", F_OK) == 0 ? "nvlink"
                                                             : "pcie";
}

static const struct network *
find_network(const char *name)
{
    for (int i = 0; i < NETWORKS; i++)
        if (strcmp(networks[i].name, name) == 0)
            return &networks[i];
    return NULL;
}

/* Says which names are near; `hosts`: those of networks with hosts, too. */
static bool
refuse_name(const char *name, bool hosts, const char *format, struct err *err)
{
    const char *names[NETWORKS + 1] = {NULL};
    OWN(buf) others = {0};

    for (int i = 0, n = 0; i < NETWORKS; i++)
        if (hosts || networks[i].gpus == 0)
            names[n++] = networks[i].name;
    near_among(name, names, &others);
    return err_set(err, format, name, buf_text(&others));
}

/* Reads "0.08ns".  Digits come first: strtod() would take "inf" and "0x1". */
static bool
set_time(enum key key, const char *text, double *ns, struct err *err)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};
    const char *name = keys[key].name;
    size_t digits = strspn(text, "0123456789."), i = 0;
    char *unit;

    *ns = strtod(text, &unit) / 1e3;
    for (; units[i] != NULL && strcmp(units[i], unit) != 0; i++)
        *ns *= 1e3;
    if (digits == 0 || unit != text + digits || units[i] == NULL)
        return err_set(err, "%s=%s must be a time, as in %s=0.5ns (ps, ns, us, "
                       "ms, s)", name, text, name);
    return *ns <= keys[key].most ||
           err_set(err, "%s=%s must be at most %g s", name, text,
                   keys[key].most / 1e9);
}

static bool
set_number(enum key key, const char *text, int *number, struct err *err)
{
    *number = utf8_is_number(text) && strlen(text) < 6 ? atoi(text) : 0;
    return (*number >= 1 && *number <= (int)keys[key].most) ||
           err_set(err, "%s=%s must be a whole number from 1 to %d",
                   keys[key].name, text, (int)keys[key].most);
}

static bool
set_name(struct network *n, const char *name, struct err *err)
{
    if (name[0] == '\0' || strlen(name) >= sizeof n->name)
        return err_set(err, "the network's name must have 1 to %zu bytes; give "
                       "it one with name=...", sizeof n->name - 1);
    snprintf(n->name, sizeof n->name, "%s", name);
    return true;
}

/* Takes the figures of a network of the table, except those that are given. */
static bool
set_level(struct reading *r, enum key key, const char *value, struct err *err)
{
    const struct network *known = find_network(value);
    struct network *n = r->n;
    bool inside = key == KEY_INSIDE;

    if (known == NULL || known->gpus > 0)
        return refuse_name(value, false, inside ? N_("inside=%s: %s")
                                                : N_("between=%s: %s"), err);
    if (!(r->given & 1u << (inside ? KEY_ALPHA : KEY_BETWEEN_ALPHA)))
        *(inside ? &n->alpha : &n->between_alpha) = known->alpha;
    if (!(r->given & 1u << (inside ? KEY_BETA : KEY_BETWEEN_BETA)))
        *(inside ? &n->beta : &n->between_beta) = known->beta;
    if (inside && !(r->given & 1u << KEY_GAMMA))
        n->gamma = known->gamma;
    return true;
}

/* Places the ranks of a list after those that have a place. */
static bool
set_order(struct reading *r, char *list, struct err *err)
{
    struct network *n = r->n;
    char *word;

    n->cyclic = strcmp(list, "cyclic") == 0;
    if (n->cyclic || strcmp(list, "block") == 0)
        return true;
    while ((word = strsep(&list, ",")) != NULL) {
        int rank = utf8_is_number(word) && strlen(word) < 6 ? atoi(word) : -1;
        if (rank < 0 || rank >= HOSTS_LISTED_MAX)
            return err_set(err, "order=%s: ranks are placed in the order "
                           "block, cyclic or one like 0,4,1,5, of ranks up to "
                           "%d", word, HOSTS_LISTED_MAX - 1);
        if (r->placed[rank])
            return err_set(err, "order has rank %d twice", rank);
        r->placed[rank] = true;
        n->places[rank] = n->listed++;
    }
    return true;
}

static bool
set_value(struct reading *r, enum key key, char *value, struct err *err)
{
    void *field = (char *)r->n + keys[key].field;

    if (r->given & 1u << key)
        return err_set(err, "%s is given twice", keys[key].name);
    r->given |= 1u << key;
    if (keys[key].is == A_TIME)
        return set_time(key, value, field, err);
    if (keys[key].is == A_NUMBER)
        return set_number(key, value, field, err);
    if (key == KEY_NAME)
        return set_name(r->n, value, err);
    if (key != KEY_ORDER)
        return set_level(r, key, value, err);
    return set_order(r, value, err);
}

/* Cuts blanks off both ends. */
static char *
trim_blanks(char *line)
{
    char *begin = line + strspn(line, " \t\r");
    size_t length = strlen(begin);

    while (length > 0 && strchr(" \t\r", begin[length - 1]) != NULL)
        begin[--length] = '\0';
    return begin;
}

/* Whether a text begins with a shape, as in "4x8,...". */
static bool
is_shape(const char *text)
{
    static const char digits[] = "0123456789";
    size_t hosts = strspn(text, digits), gpus;

    if (hosts == 0 || text[hosts] != 'x')
        return false;
    gpus = strspn(text + hosts + 1, digits);
    text += hosts + 1 + gpus;
    return gpus > 0 && (*text == '\0' || *text == ',');
}

/* A name of the table, which comes first, a shape, or a key and its value. */
static bool
read_item(struct reading *r, char *item, struct err *err)
{
    char *equals = strchr(item, '=');
    const struct network *known = equals == NULL ? find_network(item) : NULL;
    const char *names[KEYS + 1] = {NULL};
    OWN(buf) others = {0};

    if (equals != NULL) {
        *equals = '\0';
        item = trim_blanks(item);
        for (int key = 0; key < KEYS; key++) {
            names[key] = keys[key].name;
            if (strcmp(keys[key].name, item) == 0)
                return set_value(r, (enum key)key, trim_blanks(equals + 1),
                                 err);
        }
        near_among(item, names, &others);
        return err_set(err, "a network has no '%s': %s", item,
                       buf_text(&others));
    }
    if (is_shape(item)) {
        char *gpus = strchr(item, 'x');
        *gpus++ = '\0';
        return set_value(r, KEY_HOSTS, item, err) &&
               set_value(r, KEY_GPUS, gpus, err);
    }
    if (r->n->listed > 0 && utf8_is_number(item))
        return set_order(r, item, err);
    if (*item == '\0' && (r->known != NULL || r->given != 0))
        return err_set(err, "a comma with nothing after it");
    if (known == NULL)
        return refuse_name(item, true, refused_name, err);
    if (r->known != NULL || r->given != 0)
        return err_set(err, "'%s' must come first: what follows changes it",
                       item);
    *r->n = *known;
    r->known = known;
    return true;
}

/* Whether alpha and beta are given from this key on, or by `level`. */
static bool
has_figures(const struct reading *r, enum key alpha, enum key level)
{
    return r->given & 1u << level || (r->given >> alpha & 3) == 3;
}

/* An order has all ranks up to its last one. */
static bool
finish_order(const struct reading *r, struct err *err)
{
    if (r->n->cyclic && r->n->hosts == 0)
        return err_set(err, "order=cyclic needs the number of hosts, as in "
                       "hosts=4");
    for (int rank = 0; rank < r->n->listed; rank++)
        if (!r->placed[rank])
            return err_set(err, "order has %d rank%s, but not rank %d",
                           r->n->listed, err_plural(r->n->listed), rank);
    return true;
}

static bool
finish_hosts(const struct reading *r, struct err *err)
{
    struct network *n = r->n;

    if (n->gpus == 0)
        return err_set(err, "gpus=..., of a host, is missing, as in %s",
                       host_example);
    if (r->known == NULL && !has_figures(r, KEY_ALPHA, KEY_INSIDE))
        return err_set(err, "inside=... is missing, as in %s", host_example);
    if ((r->known == NULL || r->known->gpus == 0) &&
        !has_figures(r, KEY_BETWEEN_ALPHA, KEY_BETWEEN))
        return err_set(err, "between=... is missing, as in %s", host_example);
    if (n->between_alpha <= 0 && n->between_beta <= 0)
        return err_set(err, "between-alpha and between-beta are both 0: a "
                       "message must take some time");
    if (n->cores > 0 || n->links > 0)
        return err_set(err, "a network with hosts has no %s",
                       keys[n->cores > 0 ? KEY_CORES : KEY_LINKS].name);
    if (r->given & 1u << KEY_NICS && n->nics > n->gpus)
        return err_set(err, "nics=%d: %d GPU%s of a host can use at most as "
                       "many", n->nics, n->gpus, err_plural(n->gpus));
    if (n->nics == 0 || n->nics > n->gpus)
        n->nics = n->gpus;
    return finish_order(r, err);
}

/* `called` is the name of a network that is not given one. */
static bool
finish_network(const struct reading *r, const char *called, struct err *err)
{
    if ((r->n->gpus > 0 || r->given >> KEY_HOSTS != 0) &&
        !finish_hosts(r, err))
        return false;
    for (int key = KEY_ALPHA; key <= KEY_BETA; key++)
        if (r->known == NULL &&
            !(r->given & (1u << key | 1u << KEY_INSIDE)))
            return err_set(err, "%s is missing, as in alpha=2us,beta=0.08ns",
                           keys[key].name);
    if (r->n->alpha <= 0 && r->n->beta <= 0)
        return err_set(err, "alpha and beta are both 0: a message must take "
                       "some time");
    return (r->given & 1u << KEY_NAME) || set_name(r->n, called, err);
}

static bool
read_network_lines(struct reading *r, char *text, struct err *err)
{
    char *line;

    for (int number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        line[strcspn(line, "#")] = '\0';
        line = trim_blanks(line);
        if (*line != '\0' && !read_item(r, line, err))
            return err_prefix(err, "line %d", number);
    }
    return true;
}

/* The network is called "lab" if the file is /home/ann/lab.txt. */
static bool
read_network_file(struct reading *r, const char *path, struct err *err)
{
    OWN_MEMORY char *name = mem_string(load_name(path));
    char *dot = strrchr(name, '.');
    OWN(buf) text = {0};
    bool ok;

    if (strchr(path, '/') == NULL && access(path, F_OK) != 0 && errno == ENOENT)
        return refuse_name(path, true, refused_name, err);
    if (dot != NULL && dot != name)
        *dot = '\0';
    ok = load(path, FILE_MOST, &text, err);
    if (ok)
        ok = ((strlen(buf_text(&text)) == text.length ||
               err_set(err, "it is not a text")) &&
              (text.length == 0 || read_network_lines(r, text.data, err)) &&
              finish_network(r, name, err)) ||
             err_prefix(err, "%s", path);
    return ok;
}

/* By default the network is called what is typed, without an order: that is the
 * run's. */
static bool
read_network_items(struct reading *r, const char *text, struct err *err)
{
    OWN_MEMORY char *copy = mem_string(text);
    OWN(buf) called = {0};
    char *rest = copy, *item;

    while ((item = strsep(&rest, ",")) != NULL) {
        unsigned ordered = r->given & 1u << KEY_ORDER;
        int listed = r->n->listed, length = (int)strlen(item);
        if (!read_item(r, item, err))
            return false;
        if ((r->given & 1u << KEY_ORDER) == ordered && r->n->listed == listed)
            buf_addf(&called, "%s%.*s", called.length > 0 ? "," : "", length,
                     text + (item - copy));
    }
    return finish_network(r, buf_text(&called), err);
}

bool
network_is_file(const char *text)
{
    char first[SHORT];

    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
    return strchr(text, '=') == NULL && find_network(first) == NULL &&
           !is_shape(text);
}

bool
network_parse(const char *text, struct network *n, struct err *err)
{
    struct reading r = {.n = n};

    *n = (struct network){.ports = 1};
    return (network_is_file(text) ? read_network_file(&r, text, err)
                                  : read_network_items(&r, text, err)) ||
           err_prefix(err, "--network");
}

bool
network_order(struct network *n, const char *order, struct err *err)
{
    struct reading r = {.n = n};
    OWN_MEMORY char *copy = mem_string(order);

    n->listed = 0;
    return ((n->gpus > 0 ||
             err_set(err, "it is for a --network with hosts, as in %s",
                     host_example)) &&
            set_order(&r, copy, err) && finish_order(&r, err)) ||
           err_prefix(err, "--order");
}

bool
network_holds(const struct network *n, int nranks, struct err *err)
{
    if (nranks < n->listed)
        return err_set(err, "the order on hosts (--order, or order=... of "
                       "--network) has %d ranks, the run %d", n->listed,
                       nranks);
    return n->gpus == 0 || n->hosts == 0 || nranks <= n->hosts * n->gpus ||
           err_set(err, "--network: its hosts have %d GPU%s in all, too few "
                   "for %d ranks", n->hosts * n->gpus,
                   err_plural(n->hosts * n->gpus), nranks);
}

struct hosts
network_hosts(const struct network *n)
{
    struct hosts h = {n->gpus, n->cyclic ? n->hosts : 0, n->listed, {0}};

    memcpy(h.places, n->places, sizeof h.places);
    return h;
}

int
network_host_count(const struct network *n, int nranks)
{
    return n->cyclic && nranks > n->hosts ? n->hosts
           : n->cyclic                    ? nranks
           : n->gpus > 0                  ? (nranks - 1) / n->gpus + 1
                                          : 1;
}

int
network_place(const struct network *n, int rank)
{
    return rank < n->listed ? n->places[rank]
           : n->cyclic      ? rank % n->hosts * n->gpus + rank / n->hosts
                            : rank;
}

int
network_nic(const struct network *n, int rank)
{
    int place = network_place(n, rank);

    return place / n->gpus * n->nics + place % n->gpus * n->nics / n->gpus;
}

void
network_add_name(const struct network *n, struct buf *out)
{
    struct hosts hosts = network_hosts(n);

    buf_puts(out, n->name);
    hosts_order(&hosts, out);
}

void
network_figures(const struct network *n, struct buf *out)
{
    struct hosts hosts = network_hosts(n);

    if (n->gpus > 0 && n->hosts > 0)
        buf_addf(out, "%dx%d,", n->hosts, n->gpus);
    else if (n->gpus > 0)
        buf_addf(out, "gpus=%d,", n->gpus);
    buf_addf(out, "alpha=%.4gus,beta=%.4gns,gamma=%.4gps", n->alpha / 1e3,
             n->beta, n->gamma * 1e3);
    if (n->ports != 1)
        buf_addf(out, ",ports=%d", n->ports);
    if (n->links > 0)
        buf_addf(out, ",links=%d", n->links);
    if (n->cores > 0)
        buf_addf(out, ",cores=%d", n->cores);
    if (n->gpus > 0)
        buf_addf(out, ",between-alpha=%.4gus,between-beta=%.4gns,nics=%d",
                 n->between_alpha / 1e3, n->between_beta, n->nics);
    hosts_order(&hosts, out);
}

enum { TERMS = 3, ROUNDS = 100000 };

/* Moves one term after the other to where the sum of squares is least, which
 * leads to the least of all since the sum is convex (Gauss-Seidel on the normal
 * equations, without what is negative).  Terms are scaled to a similar size:
 * that takes fewer rounds. */
void
network_fit(struct network *network, const struct network_fit_point *points,
            size_t n)
{
    double a[TERMS][TERMS] = {{0}}, b[TERMS] = {0}, x[TERMS] = {0};
    double scale[TERMS] = {0};

    for (size_t i = 0; i < n; i++) {
        scale[0] = fmax(scale[0], points[i].messages / points[i].ns);
        scale[1] = fmax(scale[1], points[i].bytes / points[i].ns);
        scale[2] = fmax(scale[2], points[i].added / points[i].ns);
    }
    for (size_t i = 0; i < n; i++) {
        double row[TERMS] = {points[i].messages, points[i].bytes,
                             points[i].added};
        for (int j = 0; j < TERMS; j++)
            row[j] = scale[j] > 0 ? row[j] / points[i].ns / scale[j] : 0;
        for (int j = 0; j < TERMS; j++) {
            b[j] += row[j];
            for (int k = 0; k < TERMS; k++)
                a[j][k] += row[j] * row[k];
        }
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int j = 0; j < TERMS; j++) {
            double rest = b[j];
            for (int k = 0; k < TERMS; k++)
                rest -= k == j ? 0 : a[j][k] * x[k];
            x[j] = a[j][j] > 0 ? fmax(rest / a[j][j], 0) : 0;
        }
    network->alpha = scale[0] > 0 ? x[0] / scale[0] : 0;
    network->beta = scale[1] > 0 ? x[1] / scale[1] : 0;
    network->gamma = scale[2] > 0 ? x[2] / scale[2] : 0;
}
