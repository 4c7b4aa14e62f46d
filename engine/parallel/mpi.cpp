// The world of Open MPI. All exchanges are non-blocking ones that are asked for until they are done: MPI
// waits by spinning, which would take the processor from a thread that computes meanwhile. The library is
// opened where a launcher started several processes: all other programs run without it.
#ifdef TAPESCOPE_MPI
#define OMPI_SKIP_MPICXX 1
#include <dlfcn.h>
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

// mpi.h names the library's objects by their addresses, which a linker would have to know.
#define TAPESCOPE_MPI_FUNCTIONS(USE)                                                                    \
  USE(MPI_Error_string) USE(MPI_Initialized) USE(MPI_Init_thread) USE(MPI_Finalized) USE(MPI_Finalize)  \
  USE(MPI_Comm_dup) USE(MPI_Comm_set_errhandler) USE(MPI_Comm_rank) USE(MPI_Comm_size) USE(MPI_Test)    \
  USE(MPI_Iallreduce) USE(MPI_Iallgather) USE(MPI_Ibcast) USE(MPI_Ireduce_scatter_block)
#define TAPESCOPE_MPI_OBJECTS(USE)                                                                      \
  USE(MPI_Comm, ompi_mpi_comm_world) USE(MPI_Errhandler, ompi_mpi_errors_return)                        \
  USE(MPI_Request, ompi_request_null) USE(MPI_Op, ompi_mpi_op_sum) USE(MPI_Datatype, ompi_mpi_float)    \
  USE(MPI_Datatype, ompi_mpi_double) USE(MPI_Datatype, ompi_mpi_int32_t)                                \
  USE(MPI_Datatype, ompi_mpi_int64_t) USE(MPI_Datatype, ompi_mpi_uint16_t)                              \
  USE(MPI_Datatype, ompi_mpi_uint8_t)

struct Library {
#define TAPESCOPE_DECLARE(name) decltype(&::name) name = nullptr;
  TAPESCOPE_MPI_FUNCTIONS(TAPESCOPE_DECLARE)
#undef TAPESCOPE_DECLARE
#define TAPESCOPE_DECLARE(type, name) type name = nullptr;
  TAPESCOPE_MPI_OBJECTS(TAPESCOPE_DECLARE)
#undef TAPESCOPE_DECLARE

  Library() {
    // Releases 2 to 5 have this name and these objects. Its own plugins look for its symbols in the process.
    file_ = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    if (!file_) fail();
#define TAPESCOPE_FIND(name) find(name, #name);
    TAPESCOPE_MPI_FUNCTIONS(TAPESCOPE_FIND)
#undef TAPESCOPE_FIND
#define TAPESCOPE_FIND(type, name) find(name, #name);
    TAPESCOPE_MPI_OBJECTS(TAPESCOPE_FIND)
#undef TAPESCOPE_FIND
  }

 private:
  template <typename T>
  void find(T& target, const char* name) {
    target = reinterpret_cast<T>(dlsym(file_, name));
    if (target == nullptr) fail();
  }
  [[noreturn]] static void fail() {
    const char* why = dlerror();
    throw Error(ErrorKind::surroundings,
                fmt::format("a launcher started several processes, and Open MPI, by which they exchange "
                            "gradients, cannot be used ({}); install openmpi-bin",
                            why ? why : "it lacks a symbol"));
  }

  void* file_ = nullptr;
};

// Lives as long as the process: MPI is left at its end.
const Library& mpi() {
  static const Library& library = *new Library;
  return library;
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  mpi().MPI_Error_string(code, text, &length);
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
    case DType::f32: return mpi().ompi_mpi_float;
    case DType::f64: return mpi().ompi_mpi_double;
    case DType::i32: return mpi().ompi_mpi_int32_t;
    case DType::i64: return mpi().ompi_mpi_int64_t;
    case DType::f16:
    case DType::bf16: return mpi().ompi_mpi_uint16_t;  // moved, never summed
    default: return mpi().ompi_mpi_uint8_t;
  }
}

// At the end of the program. One that failed leaves without a word to the others: they may wait for it in an
// exchange, and its launcher ends them.
void leave_world(int status, void*) {
  int finished = 0;
  mpi().MPI_Finalized(&finished);
  if (finished == 0 && status == 0) mpi().MPI_Finalize();
}

class Mpi final : public Transport {
 public:
  Mpi() {
    int joined = 0;
    mpi().MPI_Initialized(&joined);
    if (joined == 0) {
      int threads = 0;
      if (mpi().MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads) != MPI_SUCCESS ||
          threads < MPI_THREAD_SERIALIZED) {
        throw Error(ErrorKind::surroundings,
                    "MPI could not be started with support for threads; see what it printed above");
      }
      on_exit(leave_world, nullptr);
    }
    // Apart from what the program itself may send.
    mpi().MPI_Comm_dup(mpi().ompi_mpi_comm_world, &world_);
    mpi().MPI_Comm_set_errhandler(world_, mpi().ompi_mpi_errors_return);
    mpi().MPI_Comm_rank(world_, &rank_);
    mpi().MPI_Comm_size(world_, &size_);
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
      const int code = mpi().MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      over_ = done != 0 || code != MPI_SUCCESS;
      check(code, what);
      return over_;
    }
    void wait() override {
      // As MPI does where there are more processes than processors.
      while (!done()) sched_yield();
    }

    MPI_Request request = mpi().ompi_request_null;
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
        code = mpi().MPI_Iallreduce(exchange.in, exchange.out, count, type, mpi().ompi_mpi_op_sum, world_,
                                    request);
        break;
      case Exchange::Kind::all_gather:
        running.what = "all_gather";
        code = mpi().MPI_Iallgather(exchange.in, count, type, exchange.out, count, type, world_, request);
        break;
      case Exchange::Kind::broadcast:
        running.what = "broadcast";
        if (rank_ == exchange.root && count > 0)
          std::memcpy(exchange.out, exchange.in,
                      static_cast<std::size_t>(exchange.count) * size_of(exchange.dtype));
        code = mpi().MPI_Ibcast(exchange.out, count, type, exchange.root, world_, request);
        break;
      case Exchange::Kind::reduce_scatter:
        running.what = "reduce_scatter";
        code = mpi().MPI_Ireduce_scatter_block(exchange.in, exchange.out, count, type, mpi().ompi_mpi_op_sum,
                                               world_, request);
        break;
    }
    check(code, running.what);
  }

  std::mutex mutex_;  // one thread at a time is in MPI
  MPI_Comm world_ = nullptr;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Transport> connect_mpi() { return std::make_unique<Mpi>(); }

}  // namespace tapescope::parallel
#endif
