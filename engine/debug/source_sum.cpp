// Adds contributions element by element.
#include "engine/debug/source_sum.h"

#include <cmath>
#include <utility>

#include "engine/core/slices.h"

namespace tapescope {

bool RunningSum::add(const Tensor& part) {
  if (!is_floating(part.dtype())) return false;
  const SlicesExtension* rows = slices_of(part.impl());
  if (rows ? !rows->values.raw() || !rows->indices.raw() : part.raw() == nullptr && part.numel() > 0)
    return false;
  if (count_ == 0) count_ = part.numel();
  if (count_ != part.numel()) return false;  // a program's own gradient may have any shape
  if (rows) {
    add_rows(rows->values, rows->indices);
    return true;
  }
  make_dense();
  for (std::int64_t i = 0; i < count_; ++i) sum_[static_cast<std::size_t>(i)] += element_value(part, i);
  return true;
}

void RunningSum::add_rows(const Tensor& values, const Tensor& indices) {
  if (indices.numel() == 0) return;
  width_ = values.numel() / indices.numel();
  if (width_ == 0) return;
  for (std::int64_t k = 0; k < indices.numel(); ++k) {
    const auto row = static_cast<std::int64_t>(element_value(indices, k));
    if (row < 0 || row >= count_ / width_) continue;
    std::size_t at = static_cast<std::size_t>(row * width_);
    if (!dense_) {
      const auto [place, is_new] = rows_.try_emplace(row, sum_.size());
      if (is_new) sum_.resize(sum_.size() + static_cast<std::size_t>(width_));
      at = place->second;
    }
    for (std::int64_t i = 0; i < width_; ++i)
      sum_[at + static_cast<std::size_t>(i)] += element_value(values, k * width_ + i);
  }
}

void RunningSum::make_dense() {
  if (std::exchange(dense_, true)) return;
  std::vector<double> all(static_cast<std::size_t>(count_));
  for (const auto& [row, at] : rows_) {
    for (std::int64_t i = 0; i < width_; ++i)
      all[static_cast<std::size_t>(row * width_ + i)] = sum_[at + static_cast<std::size_t>(i)];
  }
  rows_.clear();
  sum_ = std::move(all);
}

TensorStats RunningSum::stats() const {
  TensorStats stats;
  stats.count = count_;
  stats.zeros = count_ - static_cast<std::int64_t>(sum_.size());  // of rows that none has added to
  double squares = 0;
  for (const double value : sum_) {
    stats.zeros += value == 0;
    stats.nans += std::isnan(value);
    stats.infinities += std::isinf(value);
    squares += value * value;
  }
  stats.norm = std::sqrt(squares);
  return stats;
}

}  // namespace tapescope
