// SPDX-License-Identifier: MIT
// A peer of make bench-peers: Gloo's collectives over TCP on this machine, as
// bench_peers.c commands through the board (peers.h), whose file is the
// argument.  mpirun starts the processes, and says in their environment which
// rank each is; they find each other through a folder beside the board.
//
// Gloo's all-to-all has no form in place.  Its reduce-scatter always works in
// place: what is out of place is copied first.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

extern "C" {
#include "base/clock.h"
#include "peers.h"
}

namespace {

using Floats = std::vector<float>;

class Peer {
public:
    Peer(std::shared_ptr<gloo::Context> c, peer_board *b)
        : context(std::move(c)), board(b), rank(context->rank),
          n(context->size) {}

    void obey();

private:
    std::shared_ptr<gloo::Context> context;
    peer_board *board;
    int rank, n;
    peer_cell cell{};
    Floats first, second; // the second one is empty if the call is in place
    float *in = nullptr, *out = nullptr;

    void prepare();
    void call();
    void reduce_scatter();
    void measure();
};

void
Peer::prepare()
{
    cell = board->cell;
    if (cell.collective == PEER_ALLTOALL && cell.in_place)
        board->cannot = true;
    first.assign(static_cast<size_t>(cell.count), 0);
    second.assign(cell.in_place ? 0 : first.size(), 0);
    in = first.data();
    out = cell.in_place ? in : second.data();
}

void
Peer::reduce_scatter()
{
    std::vector<int> counts(static_cast<size_t>(n),
                            static_cast<int>(cell.count / n));

    if (out != in)
        std::memcpy(out, in, first.size() * sizeof(float));
    gloo::ReduceScatterHalvingDoubling<float>(
        context, {out}, static_cast<int>(cell.count), counts).run();
}

// Every option object makes Gloo's buffers anew, as its users' calls do.
void
Peer::call()
{
    size_t count = first.size(), unit = count / static_cast<size_t>(n);

    switch (cell.collective) {
    case PEER_ALLREDUCE: {
        gloo::AllreduceOptions o(context);
        if (out != in)
            o.setInput(in, count);
        o.setOutput(out, count);
        o.setReduceFunction([](void *c, const void *a, const void *b,
                               size_t k) { gloo::sum<float>(c, a, b, k); });
        gloo::allreduce(o);
        break;
    }
    case PEER_ALLGATHER: {
        gloo::AllgatherOptions o(context);
        if (out != in)
            o.setInput(in, unit);
        o.setOutput(out, count);
        gloo::allgather(o);
        break;
    }
    case PEER_BROADCAST: {
        gloo::BroadcastOptions o(context);
        if (out != in && rank == 0)
            o.setInput(in, count);
        o.setOutput(out, count);
        o.setRoot(0);
        gloo::broadcast(o);
        break;
    }
    case PEER_ALLTOALL: {
        gloo::AlltoallOptions o(context);
        o.setInput(in, count);
        o.setOutput(out, count);
        gloo::alltoall(o);
        break;
    }
    default:
        reduce_scatter();
    }
}

void
Peer::measure()
{
    gloo::BarrierOptions barrier(context);
    gloo::AllreduceOptions slowest(context);
    std::vector<double> us(1);
    int64_t begin;

    call();
    gloo::barrier(barrier);
    begin = clock_ns();
    for (int i = 0; i < board->calls; i++)
        call();
    us[0] = static_cast<double>(clock_ns() - begin) / 1e3 / board->calls;
    slowest.setOutput(us.data(), us.size());
    slowest.setReduceFunction([](void *c, const void *a, const void *b,
                                 size_t k) { gloo::max<double>(c, a, b, k); });
    gloo::allreduce(slowest);
    if (rank == 0)
        board->us = us[0];
}

void
Peer::obey()
{
    switch (board->order) {
    case PEER_PREPARE:
        prepare();
        break;
    case PEER_CHECK:
        peer_write_input(&cell, n, rank, in);
        call();
        if (!peer_is_right(&cell, n, rank, out))
            __atomic_fetch_add(&board->wrong, 1, __ATOMIC_RELAXED);
        break;
    case PEER_TIME:
        measure();
        break;
    default:
        first = second = Floats();
    }
}

// Returns the value of the first of these variables that is set.
int
from_environment(const char *open_mpi, const char *mpich)
{
    const char *text = std::getenv(open_mpi);

    if (text == nullptr)
        text = std::getenv(mpich);
    if (text == nullptr)
        throw std::runtime_error("it is to be started by mpirun");
    return std::atoi(text);
}

std::shared_ptr<gloo::Context>
connect(const std::string &folder)
{
    mkdir(folder.c_str(), 0700); // the first rank makes it
    auto store = gloo::rendezvous::FileStore(folder);
    auto context = std::make_shared<gloo::rendezvous::Context>(
        from_environment("OMPI_COMM_WORLD_RANK", "PMI_RANK"),
        from_environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"));
    gloo::transport::tcp::attr here("localhost");
    auto device = gloo::transport::tcp::CreateDevice(here);

    context->connectFullMesh(store, device);
    return context;
}

void
serve(const char *path)
{
    peer_board *board = peer_open(path);
    uint32_t heard = 0;

    if (board == nullptr)
        throw std::runtime_error(std::string("cannot map ") + path);
    Peer peer(connect(std::string(path) + ".gloo"), board);

    if (from_environment("OMPI_COMM_WORLD_RANK", "PMI_RANK") == 0)
        std::strcpy(board->variants, "default ");
    while (peer_next(board, &heard))
        peer.obey();
}

} // namespace

int
main(int argc, char *argv[])
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: mpirun peer_gloo BOARD\n");
        return 2;
    }
    try {
        serve(argv[1]);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "peer_gloo: %s\n", e.what());
        return 1;
    }
    return 0;
}
