// Which group this process is of.
#include "engine/parallel/group.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "engine/parallel/transport.h"

namespace tapescope {
namespace parallel {
namespace {

class Alone final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<StartedExchange> start(const Exchange& exchange) override {
    const auto bytes = static_cast<std::size_t>(exchange.count) * size_of(exchange.dtype);
    if (bytes > 0) std::memcpy(exchange.out, exchange.in, bytes);
    return std::make_unique<Done>();
  }

 private:
  struct Done final : StartedExchange {
    bool done() override { return true; }
    void wait() override {}
  };
};

// Open MPI's mpirun gives the size of the world, other launchers that speak PMIx (srun --mpi=pmix) the rank.
bool launched() {
  if (const char* size = std::getenv("OMPI_COMM_WORLD_SIZE")) return std::strcmp(size, "1") != 0;
  return std::getenv("PMIX_RANK") != nullptr;
}

thread_local Transport* g_of_thread = nullptr;
std::atomic<bool> g_joined_others{false};

std::unique_ptr<Transport> join() {
  if (!launched()) return std::make_unique<Alone>();
  std::unique_ptr<Transport> world = connect_mpi();
  g_joined_others = world->size() > 1;
  return world;
}

}  // namespace

Transport& transport() {
  if (g_of_thread != nullptr) return *g_of_thread;
  // Never destroyed: a thread may exchange while the process ends.
  static Transport& world = *join().release();
  return world;
}

bool exchanges_with_others() { return g_joined_others; }

TransportOfThread::TransportOfThread(Transport& own) : outer_(g_of_thread) { g_of_thread = &own; }
TransportOfThread::~TransportOfThread() { g_of_thread = outer_; }

#ifndef TAPESCOPE_MPI
std::unique_ptr<Transport> connect_mpi() {
  throw Error(ErrorKind::surroundings,
              "a launcher started several processes, and this build of Tapescope has no MPI to let them "
              "exchange gradients; install libopenmpi-dev and build it again");
}
#endif

}  // namespace parallel

int process_rank() { return parallel::transport().rank(); }
int process_count() { return parallel::transport().size(); }

}  // namespace tapescope
