// One case of a file of goldens, and the comparison of what was computed with what it expects.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/core/tensor.h"

namespace tapescope::goldens {

using Json = nlohmann::json;
using Tensors = std::vector<Tensor>;

// A tensor as the files write it: {"dtype", "shape", "data"}. Throws what is wrong with it.
Tensor read_tensor(const Json& written);
Tensors read_tensors(const Json& list);

// Collects where results differ from a case, one line a field: its first differing element and how many there
// are.
class Comparison {
 public:
  // `op` decides on tolerances (README.md beside the cases); without `keeps_rows` what is expected as
  // IndexedSlices is compared with all its rows.
  Comparison(std::string_view op, bool keeps_rows);

  // `expected` is a tensor, null, or {"indexed_slices"}.
  void tensor(const std::string& field, const Json& expected, const Tensor& got);
  void tensors(const std::string& field, const Json& expected, std::span<const Tensor> got);
  // The very bits, up to the payload of NaN.
  void bits(const std::string& field, std::span<const Tensor> expected, std::span<const Tensor> got);
  void differs(const std::string& field, const std::string& how) { lines_.push_back(field + ": " + how); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void values(const std::string& field, const Tensor& expected, const Tensor& got);
  bool close(double expected, double got, DType type) const;

  bool keeps_rows_;
  bool series_;  // computed by series or factorization: the wider tolerance
  std::vector<std::string> lines_;
};

}  // namespace tapescope::goldens
