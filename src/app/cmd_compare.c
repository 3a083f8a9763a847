/* SPDX-License-Identifier: MIT */
/* collviz compare ALGORITHM ALGORITHM...: a race on the screen, or a table. */
#include <inttypes.h>
#include <string.h>

#include "app/command.h"
#include "base/bounds.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/compare.h"
#include "screen/race.h"
#include "screen/watch.h"
#include "text/text.h"
#include "text/word.h"

enum { NAME_COLUMNS = 26, COLUMN = 13, CHUNKS_COLUMNS = 8 };

static int64_t
bytes_of(const struct entrant *e, int64_t elements)
{
    return elements * (int64_t)dtype_size(e->plan->run.input.type);
}

/* Whether the table has a column for the number of chunks. */
static bool
has_chunks(const struct comparison *c)
{
    bool has = false;

    for (int i = 0; i < c->nentrants; i++)
        has |= c->entrants[i].plan->chunks > 0;
    return has;
}

static void
print_heading(const struct comparison *c)
{
    const char *const columns[] = {_("steps"), _("busiest rank"),
                                   c->network.gpus > 0 ? _("busiest NIC")
                                                       : _("busiest link"),
                                   _("measured"), _("modelled")};
    OWN(buf) title = {0};

    compare_title(c, false, &title);
    print("%s\n%*s", buf_text(&title), NAME_COLUMNS, "");
    if (has_chunks(c))
        print_right(_("chunks"), CHUNKS_COLUMNS);
    for (int i = 0; i < 5; i++)
        print_right(columns[i], i == 0 ? 8 : COLUMN);
    print("\n");
}

static void
print_entrant(const struct comparison *c, const struct entrant *e)
{
    print("%-*s ", NAME_COLUMNS - 1, e->plan->name);
    if (e->plan->chunks > 0)
        print("%*d", CHUNKS_COLUMNS, e->plan->chunks);
    else if (has_chunks(c))
        print("%*s", CHUNKS_COLUMNS, "-");
    print("%*d", 8, e->counts.steps);
    print_right(word_bytes(bytes_of(e, e->counts.most_sent)).text, COLUMN);
    print_right(word_bytes(bytes_of(e, c->network.gpus > 0
                                           ? e->busiest_nic
                                           : e->counts.busiest_link)).text,
                COLUMN);
    print_right(word_ns(whole(e->measured_ns), false).text, COLUMN);
    print_right(word_ns(whole(e->modelled_ns), false).text, COLUMN);
    print("%s\n", e->right ? "" : _("  WRONG"));
}

static void
print_winners(const struct comparison *c)
{
    for (int i = 0; i < c->winners.n; i++) {
        const struct reign *r = &c->winners.all[i];
        const char *name = c->entrants[r->series].plan->name;
        if (i == 0)
            print(_("by the model the fastest is %s"), name);
        else
            print(_(", from %1$s a rank on %2$s"),
                  word_bytes(whole(r->from)).text, name);
    }
    print("%s\n", c->winners.more ? _(", then others") : "");
}

/* No world is known here that could be asked: the runs were plain ones. */
static void
print_network(const struct comparison *c)
{
    int n = schedule_members(c->entrants[0].plan->seen);
    OWN(buf) network = {0}, figures = {0};
    bool fitted = !c->modelled;

    utf8_add(&network, fitted ? _("this machine's cores") : c->network.name);
    network_figures(&c->network, &figures);
    print(ngettext("modelled: %1$d GPU on %2$s (%3$s);\n",
                   "modelled: %1$d GPUs on %2$s (%3$s);\n", (unsigned long)n),
          n, buf_text(&network), buf_text(&figures));
    if (fitted)
        print(_("  fitted here and now on rings of %1$s to %2$s a rank\n"),
              word_bytes(c->fitted_from).text, word_bytes(c->fitted_to).text);
    else
        print("%s", _("  measured: here and now, on this machine's cores\n"));
}

static void
print_comparison(const struct comparison *c)
{
    print_heading(c);
    for (int i = 0; i < c->nentrants; i++)
        print_entrant(c, &c->entrants[i]);
    print_winners(c);
    print_network(c);
}

static void
print_json_model(const struct comparison *c)
{
    const struct network *n = &c->network;
    OWN(buf) name = {0}, network = {0};

    print("{\"type\":\"model\",");
    if (c->modelled) {
        network_add_name(n, &network);
        json_add_string(&name, buf_text(&network));
        print("\"network\":%s,", buf_text(&name));
        buf_clear(&name);
    }
    print("\"alpha_ns\":%.6g,\"beta_ns_per_byte\":%.6g,"
          "\"gamma_ns_per_byte\":%.6g,\"ports\":%d", n->alpha, n->beta,
          n->gamma, n->ports);
    if (n->links > 0)
        print(",\"links\":%d", n->links);
    if (n->cores > 0)
        print(",\"cores\":%d", n->cores);
    if (n->gpus > 0)
        print(",\"gpus_per_host\":%d,\"nics_per_host\":%d,"
              "\"between_alpha_ns\":%.6g,\"between_beta_ns_per_byte\":%.6g",
              n->gpus, n->nics, n->between_alpha, n->between_beta);
    if (!c->modelled)
        print(",\"from_bytes\":%" PRId64 ",\"to_bytes\":%" PRId64,
              c->fitted_from, c->fitted_to);
    print("}\n");
    for (int i = 0; i < c->winners.n; i++) {
        const struct reign *r = &c->winners.all[i];
        json_add_string(&name,
                        c->entrants[r->series].plan->seen->algorithm);
        print("{\"type\":\"fastest\",\"algorithm\":%s,\"from_bytes\":"
              "%.0f%s}\n", buf_text(&name), r->from,
              c->winners.more && i == c->winners.n - 1 ? ",\"more\":true"
                                                       : "");
        buf_clear(&name);
    }
}

static void
print_compare_json(const struct comparison *c)
{
    for (int i = 0; i < c->nentrants; i++) {
        const struct entrant *e = &c->entrants[i];
        const struct schedule *s = e->plan->seen;
        OWN(buf) name = {0};
        json_add_string(&name, s->algorithm);
        print("{\"type\":\"compared\",\"collective\":\"%s\",\"algorithm\":"
              "%s,\"ranks\":%d,\"type_name\":\"%s\",\"count\":%" PRId64
              ",\"correct\":%s,\"steps\":%d,\"busiest_rank_bytes\":%" PRId64
              ",\"busiest_link_bytes\":%" PRId64
              ",\"busiest_rank_reduced_bytes\":%" PRId64
              ",\"reduced_bytes\":%" PRId64
              ",\"measured_ns\":%.0f",
              s->collective->name, buf_text(&name), schedule_members(s),
              dtype_name(e->plan->run.input.type), e->plan->run.input.count,
              e->right ? "true" : "false", e->counts.steps,
              bytes_of(e, e->counts.most_sent),
              bytes_of(e, e->counts.busiest_link),
              bytes_of(e, e->counts.most_reduced),
              bytes_of(e, e->counts.reduced),
              e->measured_ns);
        if (c->network.gpus > 0)
            print(",\"busiest_nic_bytes\":%" PRId64,
                  bytes_of(e, e->busiest_nic));
        print(",\"modelled_ns\":%.0f", e->modelled_ns);
        if (e->plan->chunks > 0)
            print(",\"chunks\":%d", e->plan->chunks);
        print("}\n");
    }
    print_json_model(c);
}

int
cmd_compare(const struct options *o, struct err *err)
{
    bool races = !o->json && !o->plain && watch_can();
    struct comparison c;
    OWN(options) mine = {0};
    bool ok, right = true;

    /* Two cores are no cluster: a race without --network has the clock of the
     * default network. */
    options_copy(&mine, o);
    if (races && !options_given(o, FOR_COMPARE, "network"))
        mine.network = build_network(&mine);
    ok = compare(&c, &mine, err) && (!races || race(&c, o->ascii, err));
    if (ok && o->json)
        print_compare_json(&c);
    else if (ok && !races)
        print_comparison(&c);
    for (int i = 0; i < c.nentrants; i++)
        right = right && c.entrants[i].right;
    compare_done(&c);
    return ok && !right ? command_wrong(err) : command_status(ok, err);
}
