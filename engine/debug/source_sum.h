// The gradient of a source as its contributions arrive: summed beside the tape, so that no op of it is
// recorded.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/events/stats.h"

namespace tapescope {

class RunningSum {
 public:
  // Adds a contribution in double precision. Rows of a gather are kept as rows until a dense one comes.
  // False for what has no elements of numbers (a batch, a symbol, a list).
  bool add(const Tensor& part);
  // Norm, zeros, NaN and infinite elements and their count.
  TensorStats stats() const;

 private:
  void add_rows(const Tensor& values, const Tensor& indices);
  void make_dense();

  std::int64_t count_ = 0, width_ = 1;                  // elements of the whole, of a row
  bool dense_ = false;                                  // else only the rows below are there
  std::unordered_map<std::int64_t, std::size_t> rows_;  // by index: where in sum_ the row begins
  std::vector<double> sum_;
};

// A source that the node executed last has added to, or was the last one that could.
struct SourceSum {
  std::string name;  // of the source
  TensorId source = 0;
  TensorStats before, now;  // the sum without what the node added, and with it
  bool whole = false;       // nothing more comes
};

}  // namespace tapescope
