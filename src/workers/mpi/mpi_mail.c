/* SPDX-License-Identifier: MIT */
/* Letters with MPI, on a communicator of their own.  Nothing here waits
 * but mail_wait().
 *
 * When simulated, a letter's bytes do not cross the network: all ranks are
 * threads of one process, and only its address travels.  So the letters do not
 * disturb the messages that are being timed. */
#include "workers/mpi/mpi_world.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
    HEAD_TAG = 2,
    BODY_TAG = 3,
    LETTER_PIECE = 16 << 20, /* bytes: each that comes is a sign of life */
};

struct head {
    int64_t kind, length;
    unsigned char *bytes; /* only if simulated */
};

/* A message on its way out, and memory that is freed when it has left, and all
 * other pieces of the same letter. */
struct outgoing {
    MPI_Request request;
    bool goes_on; /* the next one is a further piece of the same letter */
    void *memory;
};

/* What is being received from one rank: first a head, then the body in
 * pieces. */
struct incoming {
    struct head head;
    unsigned char *bytes;
    int64_t received; /* of the body, so far */
    int64_t heard_ns; /* when anything came last */
};

struct mail {
    const struct mpi_world *w;
    struct outgoing *out;
    size_t nout, out_capacity;
    int nsenders; /* 0 .. nsenders - 1 write to us */
    struct incoming *in;
    MPI_Request *requests; /* what each sender sends next */
    int ready; /* the sender whose message mail_wait() saw come; -1: none */
};

static bool
post_recv(struct mail *m, int from, void *to, int64_t length, int tag,
          struct err *err)
{
    return mpi_ok(MPI_Irecv(to, (int)length, MPI_BYTE, from, tag, m->w->control,
                            &m->requests[from]),
                  "MPI_Irecv", err);
}

static bool
expect_head(struct mail *m, int from, struct err *err)
{
    m->in[from].bytes = NULL;
    m->in[from].received = 0;
    return post_recv(m, from, &m->in[from].head, sizeof(struct head), HEAD_TAG,
                     err);
}

static int64_t
piece_length(int64_t left)
{
    int64_t most = LETTER_PIECE < MPI_PIECE_BYTES ? LETTER_PIECE
                                                  : MPI_PIECE_BYTES;

    return left < most ? left : most;
}

struct mail *
mail_new(const struct mpi_world *w, struct err *err)
{
    struct mail *m = mem_new(1, sizeof *m);

    m->w = w;
    m->ready = -1;
    m->nsenders = w->crew.rank == 0 ? w->crew.size : 1;
    m->in = mem_new((size_t)m->nsenders, sizeof *m->in);
    m->requests = mem_new((size_t)m->nsenders, sizeof *m->requests);
    for (int from = 0; from < m->nsenders; from++) {
        m->requests[from] = MPI_REQUEST_NULL;
        m->in[from].heard_ns = clock_ns();
    }
    for (int from = 0; from < m->nsenders; from++)
        if (!expect_head(m, from, err)) {
            mail_free(m);
            return NULL;
        }
    return m;
}

void
mail_free(struct mail *m)
{
    if (m == NULL)
        return;
    assert(m->nout == 0);
    for (int from = 0; from < m->nsenders; from++)
        if (m->requests[from] != MPI_REQUEST_NULL) {
            MPI_Cancel(&m->requests[from]);
            MPI_Wait(&m->requests[from], MPI_STATUS_IGNORE);
        }
    free(m->out);
    free(m->in);
    free(m->requests);
    free(m);
}

static bool
send_message(struct mail *m, int to, int tag, void *from, int64_t length,
             bool goes_on, void *memory, struct err *err)
{
    struct outgoing out = {.goes_on = goes_on, .memory = memory};

    if (!mpi_ok(MPI_Isend(from, (int)length, MPI_BYTE, to, tag, m->w->control,
                          &out.request),
                "MPI_Isend", err))
        return false;
    m->out = mem_grow(m->out, m->nout, &m->out_capacity, sizeof *m->out);
    m->out[m->nout++] = out;
    return true;
}

bool
mail_post(struct mail *m, int to, enum letter_kind kind, void *bytes,
          size_t length, struct err *err)
{
    struct head *head = mem_new(1, sizeof *head);
    int64_t left = CREW_SIMULATED ? 0 : (int64_t)length;
    unsigned char *at = bytes;

    assert(length > 0 || bytes == NULL);
    *head = (struct head){kind, (int64_t)length, bytes};
    if (!send_message(m, to, HEAD_TAG, head, sizeof *head, false, head,
                      err))
        return false;
    while (left > 0) {
        int64_t n = piece_length(left);
        left -= n;
        if (!send_message(m, to, BODY_TAG, at, n, left > 0,
                          left > 0 ? NULL : bytes, err))
            return false;
        at += n;
    }
    return true;
}

/* Goes on with what `from` sends, one message of which has come. Fills in the
 * letter if that was its last. */
static bool
receive_piece(struct mail *m, int from, struct letter *letter, struct err *err)
{
    struct incoming *in = &m->in[from];
    int64_t at = in->received;

    in->heard_ns = clock_ns();
    if (in->bytes == NULL && in->head.length > 0)
        in->bytes = CREW_SIMULATED ? in->head.bytes
                                  : mem_new((size_t)in->head.length, 1);
    if (!CREW_SIMULATED && at < in->head.length) {
        in->received += piece_length(in->head.length - at);
        return post_recv(m, from, in->bytes + at, in->received - at, BODY_TAG,
                         err);
    }
    *letter = (struct letter){(enum letter_kind)in->head.kind, from, in->bytes,
                              (size_t)in->head.length};
    return expect_head(m, from, err);
}

/* Frees what has been sent.  A letter's last piece, which has the memory of all
 * of them, may leave before the others. */
static bool
free_sent(struct mail *m, struct err *err)
{
    bool wait = false; /* an earlier piece of the same letter is still here */
    size_t left = 0;

    for (size_t i = 0; i < m->nout; i++) {
        struct outgoing *out = &m->out[i];
        int sent = 0;

        if (!wait && !mpi_ok(MPI_Test(&out->request, &sent, MPI_STATUS_IGNORE),
                             "MPI_Test", err))
            return false;
        wait = !sent && out->goes_on;
        if (sent)
            free(out->memory);
        else
            m->out[left++] = *out;
    }
    m->nout = left;
    return true;
}

bool
mail_sent(struct mail *m, bool *all, struct err *err)
{
    if (!free_sent(m, err))
        return false;
    *all = m->nout == 0;
    return true;
}

bool
mail_take(struct mail *m, struct letter *letter, struct err *err)
{
    int from = m->ready, come = from >= 0;

    *letter = (struct letter){LETTER_NONE, 0, NULL, 0};
    m->ready = -1;
    if (!free_sent(m, err))
        return false;
    while (letter->kind == LETTER_NONE) {
        if (!come && !CREW_SIMULATED &&
            !mpi_ok(MPI_Testany(m->nsenders, m->requests, &from, &come,
                                MPI_STATUS_IGNORE),
                    "MPI_Testany", err))
            return false;
        if (!come || from < 0) /* MPI_UNDEFINED: nothing is expected */
            return true;
        come = false;
        if (!receive_piece(m, from, letter, err))
            return false;
    }
    return true;
}

int64_t
mail_heard_ns(const struct mail *m, int from)
{
    return m->in[from].heard_ns;
}

bool
mail_wait(struct mail *m, struct err *err)
{
    return mpi_ok(MPI_Waitany(m->nsenders, m->requests, &m->ready,
                              MPI_STATUS_IGNORE),
                  "MPI_Waitany", err);
}
