// How the processes of a group reach one another: MPI, a group of one, or threads of a test.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/core/dtype.h"

namespace tapescope::parallel {

// One exchange. Every process makes the same calls in the same order.
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

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns when `out` is complete. One thread at a time. While `hurry` is false another thread computes
  // meanwhile, and waiting leaves the processor to it. Throws Error (runtime).
  virtual void run(const Exchange& exchange, const std::atomic<bool>& hurry) = 0;
};

// The transport of the world that the launcher made. Throws what process_rank() does.
std::unique_ptr<Transport> connect_mpi();

}  // namespace tapescope::parallel
