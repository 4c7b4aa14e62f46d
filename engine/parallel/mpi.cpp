// The world of Open MPI. All exchanges are non-blocking ones that are asked for until they are done: MPI
// waits by spinning, which would take the processor from a thread that computes meanwhile.
#ifdef TAPESCOPE_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/parallel/transport.h"

namespace tapescope::parallel {
namespace {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  throw Error(ErrorKind::runtime,
              fmt::format("[{}] MPI could not exchange: {}; every process of the job must make the same "
                          "exchanges, of equal shapes, in the same order",
                          what, text_of(code)));
}

MPI_Datatype type_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return MPI_FLOAT;
    case DType::f64: return MPI_DOUBLE;
    case DType::i32: return MPI_INT32_T;
    case DType::i64: return MPI_INT64_T;
    case DType::f16:
    case DType::bf16: return MPI_UINT16_T;  // moved, never summed
    default: return MPI_UINT8_T;
  }
}

// At the end of the program. One that failed leaves without a word to the others: they may wait for it in an
// exchange, and its launcher ends them.
void leave_world(int status, void*) {
  int finished = 0;
  MPI_Finalized(&finished);
  if (finished == 0 && status == 0) MPI_Finalize();
}

class Mpi final : public Transport {
 public:
  Mpi() {
    int joined = 0;
    MPI_Initialized(&joined);
    if (joined == 0) {
      int threads = 0;
      if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads) != MPI_SUCCESS ||
          threads < MPI_THREAD_SERIALIZED) {
        throw Error(ErrorKind::surroundings,
                    "MPI could not be started with support for threads; see what it printed above");
      }
      on_exit(leave_world, nullptr);
    }
    // Apart from what the program itself may send.
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::unique_ptr<StartedExchange> start(const Exchange& exchange) override {
    if (exchange.count > std::numeric_limits<int>::max()) {
      throw Error(ErrorKind::runtime,
                  fmt::format("an exchange of {} elements is more than MPI counts in one; split the tensor",
                              exchange.count));
    }
    auto running = std::make_unique<Running>(*this);
    const std::lock_guard lock(mutex_);
    begin(exchange, *running);
    return running;
  }

 private:
  class Running final : public StartedExchange {
   public:
    explicit Running(Mpi& world) : world_(world) {}
    // MPI writes to what it was given until the exchange is over.
    ~Running() override {
      try {
        wait();
      } catch (...) {  // reported by the call that was waited for
      }
    }
    bool done() override {
      if (over_) return true;
      const std::lock_guard lock(world_.mutex_);
      int done = 0;
      const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      over_ = done != 0 || code != MPI_SUCCESS;
      check(code, what);
      return over_;
    }
    void wait() override {
      // As MPI does where there are more processes than processors.
      while (!done()) sched_yield();
    }

    MPI_Request request = MPI_REQUEST_NULL;
    const char* what = "";

   private:
    Mpi& world_;
    bool over_ = false;
  };

  void begin(const Exchange& exchange, Running& running) {
    const int count = static_cast<int>(exchange.count);
    const MPI_Datatype type = type_of(exchange.dtype);
    MPI_Request* request = &running.request;
    int code = MPI_SUCCESS;
    switch (exchange.kind) {
      case Exchange::Kind::all_reduce:
        running.what = "all_reduce";
        code = MPI_Iallreduce(exchange.in, exchange.out, count, type, MPI_SUM, world_, request);
        break;
      case Exchange::Kind::all_gather:
        running.what = "all_gather";
        code = MPI_Iallgather(exchange.in, count, type, exchange.out, count, type, world_, request);
        break;
      case Exchange::Kind::broadcast:
        running.what = "broadcast";
        if (rank_ == exchange.root && count > 0)
          std::memcpy(exchange.out, exchange.in,
                      static_cast<std::size_t>(exchange.count) * size_of(exchange.dtype));
        code = MPI_Ibcast(exchange.out, count, type, exchange.root, world_, request);
        break;
      case Exchange::Kind::reduce_scatter:
        running.what = "reduce_scatter";
        code = MPI_Ireduce_scatter_block(exchange.in, exchange.out, count, type, MPI_SUM, world_, request);
        break;
    }
    check(code, running.what);
  }

  std::mutex mutex_;  // one thread at a time is in MPI
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Transport> connect_mpi() { return std::make_unique<Mpi>(); }

}  // namespace tapescope::parallel
#endif
