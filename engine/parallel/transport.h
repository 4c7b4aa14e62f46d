// How the processes of a group reach one another: MPI, a group of one, or threads of a test.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/core/dtype.h"

namespace tapescope::parallel {

// One exchange. Every process starts the same ones in the same order.
struct Exchange {
  enum class Kind : std::uint8_t {
    all_reduce,      // out[count] = sum over the processes of in[count]
    all_gather,      // out[size * count] = in[count] of each process, in the order of ranks
    broadcast,       // out[count] = in[count] of the process `root`
    reduce_scatter,  // out[count] = this process's part of the sum of in[size * count]
  } kind;
  const void* in = nullptr;
  void* out = nullptr;  // does not overlap `in`
  std::int64_t count = 0;
  DType dtype = DType::f32;  // no half type where elements are summed, no resource
  int root = 0;
};

// An exchange under way; what it reads and writes must live until it is done.
class StartedExchange {
 public:
  virtual ~StartedExchange() = default;
  // Lets it go on, and says whether `out` is complete. Throws Error (runtime).
  virtual bool done() = 0;
  virtual void wait() = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns at once. Throws Error (runtime).
  virtual std::unique_ptr<StartedExchange> start(const Exchange& exchange) = 0;
  // Returns once it is over; see wait_at_gate().
  void run(const Exchange& exchange);
};

// That of the process, or of the calling thread alone. Throws what process_rank() does.
Transport& transport();

// Whether this process has joined a group of several. Joins none.
bool exchanges_with_others();

// Makes a transport that of the calling thread for a block: tests run several ranks as threads.
class TransportOfThread {
 public:
  explicit TransportOfThread(Transport& own);
  ~TransportOfThread();
  TransportOfThread(const TransportOfThread&) = delete;
  TransportOfThread& operator=(const TransportOfThread&) = delete;

 private:
  Transport* outer_;
};

// The transport of the world that the launcher made. Throws what process_rank() does.
std::unique_ptr<Transport> connect_mpi();

}  // namespace tapescope::parallel
