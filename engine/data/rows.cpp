// Taking rows.
#include "engine/data/rows.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/data/byte_loops.h"
#include "engine/kernels/map.h"

namespace tapescope {

Rows::Rows(Tensor tensor) : tensor_(std::move(tensor)) {
  if (!tensor_ || tensor_.rank() == 0) {
    fail(ErrorKind::value, "Dataset",
         "cannot slice a scalar or None, expected tensors with a first dimension to slice along");
  }
  dtype_ = tensor_.dtype();
  row_ = Shape(tensor_.shape().dims().subspan(1));
  count_ = tensor_.dim(0);
  row_numel_ = row_.numel();
  row_bytes_ = row_numel_ * static_cast<std::int64_t>(size_of(dtype_));
  name_ = tensor_.name();
}

Rows Rows::of_bytes(SharedBytes bytes, const Shape& row, float divisor) {
  Rows rows;
  rows.kind_ = Kind::bytes;
  rows.row_ = row;
  rows.row_numel_ = row.numel();
  rows.row_bytes_ = rows.row_numel_ * static_cast<std::int64_t>(sizeof(float));
  rows.count_ = rows.row_numel_ > 0 ? static_cast<std::int64_t>(bytes->size()) / rows.row_numel_ : 0;
  rows.divisor_ = divisor;
  rows.divide_ = kernels::uses_avx2() ? bytes::divide_avx2 : bytes::divide_baseline;
  rows.bytes_ = std::move(bytes);
  return rows;
}

Rows Rows::one_hot(SharedBytes bytes, std::int64_t depth) {
  for (std::uint8_t b : *bytes) {
    if (b >= depth) {
      fail(ErrorKind::value, "one_hot",
           fmt::format("got the label {}, expected labels from 0 to {}", b, depth - 1));
    }
  }
  Rows rows;
  rows.kind_ = Kind::one_hot;
  rows.row_ = {depth};
  rows.row_numel_ = depth;
  rows.row_bytes_ = depth * static_cast<std::int64_t>(sizeof(float));
  rows.count_ = static_cast<std::int64_t>(bytes->size());
  rows.bytes_ = std::move(bytes);
  return rows;
}

Rows Rows::named(std::string name) const {
  Rows rows = *this;
  rows.name_ = std::move(name);
  return rows;
}

Tensor Rows::new_batch(std::int64_t count) const {
  Shape shape;
  shape.push_back(count);
  for (std::int64_t size : row_.dims()) shape.push_back(size);
  Tensor batch(new_tensor(intern_type(dtype_, shape)));
  return name_.empty() ? batch : std::move(batch).named(name_);
}

void Rows::write_row(std::uint32_t row, void* to) const {
  switch (kind_) {
    case Kind::tensor:
      std::memcpy(to, static_cast<const char*>(tensor_.raw()) + row * row_bytes_,
                  static_cast<std::size_t>(row_bytes_));
      return;
    case Kind::bytes:
      divide_(bytes_->data() + row * row_numel_, divisor_, static_cast<float*>(to), row_numel_);
      return;
    case Kind::one_hot:
      std::memset(to, 0, static_cast<std::size_t>(row_bytes_));
      static_cast<float*>(to)[(*bytes_)[row]] = 1;
      return;
  }
}

Tensor Rows::take(std::span<const std::uint32_t> rows) const {
  Tensor batch = new_batch(static_cast<std::int64_t>(rows.size()));
  auto* to = static_cast<char*>(batch.impl()->data);
  for (std::uint32_t row : rows) {
    write_row(row, to);
    to += row_bytes_;
  }
  return batch;
}

Tensor Rows::all() const {
  if (kind_ == Kind::tensor) return tensor_;
  Tensor batch = new_batch(count_);
  auto* to = static_cast<char*>(batch.impl()->data);
  for (std::int64_t row = 0; row < count_; ++row)
    write_row(static_cast<std::uint32_t>(row), to + row * row_bytes_);
  return batch;
}

}  // namespace tapescope
