// Where a data set's elements come from: rows of a tensor, or bytes that become numbers as they are taken.
//
// Bytes stay bytes: the 60,000 digits take 47 MB rather than 188, and taking a batch reads a quarter of the
// memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/core/tensor.h"

namespace tapescope TAPESCOPE_PUBLIC {

using SharedBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

class Rows {
 public:
  // Slices along the first dimension. Throws ValueError for a scalar.
  Rows(Tensor tensor);
  // Row i is bytes [i * n, (i + 1) * n), n = row.numel(); byte b becomes the float32 nearest to b / divisor.
  static Rows of_bytes(SharedBytes bytes, const Shape& row, float divisor);
  // Row i is 1 at position bytes[i] and 0 elsewhere, float32 of that depth; ValueError for a byte beyond it.
  static Rows one_hot(SharedBytes bytes, std::int64_t depth);
  // Batches of it are called that.
  Rows named(std::string name) const;

  std::int64_t count() const { return count_; }
  // A new tensor [rows.size(), ...] of those rows; its memory comes from the pool.
  Tensor take(std::span<const std::uint32_t> rows) const;
  Tensor all() const;

 private:
  enum class Kind : std::uint8_t { tensor, bytes, one_hot };
  Rows() = default;
  Tensor new_batch(std::int64_t count) const;
  void write_row(std::uint32_t row, void* to) const;

  Kind kind_ = Kind::tensor;
  Tensor tensor_;
  SharedBytes bytes_;
  float divisor_ = 1;
  void (*divide_)(const std::uint8_t* from, float divisor, float* to, std::int64_t n) = nullptr;
  DType dtype_ = DType::f32;
  Shape row_;
  std::int64_t count_ = 0;
  std::int64_t row_numel_ = 0, row_bytes_ = 0;
  std::string name_;
};

}  // namespace tapescope
