// A block of the pool that a kernel needs while it runs.
#pragma once
#include <cstdint>

#include "engine/core/pool.h"

namespace tapescope::kernels {

class Scratch {
 public:
  explicit Scratch(std::int64_t bytes)
      : block_(pool_acquire(static_cast<std::size_t>(bytes < 1 ? 1 : bytes))) {}
  ~Scratch() { pool_release(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(block_.memory);
  }

 private:
  PoolBlock block_;
};

}  // namespace tapescope::kernels
