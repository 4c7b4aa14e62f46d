// Holding, letting go, and the records of what was held.
#include "engine/gate/flight.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/core/slices.h"
#include "engine/core/type.h"
#include "engine/events/chunk.h"
#include "engine/events/records/gradients.h"
#include "engine/events/session.h"

namespace tapescope {
namespace {

constexpr std::uint64_t kIdsInBlock = 1024;     // as core/tensor.cpp hands them out
constexpr std::size_t kMostLeft = 1 << 16;      // records of tensors that were let go of; 2 MiB
constexpr std::int64_t kLargeTarget = 1 << 16;  // elements: what is larger is no loss
constexpr std::size_t kMostSeen = 4096;
constexpr std::uint64_t kNonFiniteKey = 0;
constexpr std::uint32_t kUnknownElement = 0xffffffffu;

std::size_t bytes_of(const Tensor& tensor) {
  return sizeof(TensorImpl) +
         (tensor.impl()->base ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(tensor.bytes(), 0)));
}

bool has_elements(const TensorImpl* impl) {
  return impl->extension == nullptr && impl->type->dtype != DType::resource && impl->type->numel >= 0 &&
         impl->data != nullptr;
}

std::uint16_t share_of(std::int64_t zeros, std::int64_t count) {
  if (zeros == 0) return 0;
  if (zeros == count) return 65535;
  const double share = 65535 * static_cast<double>(zeros) / static_cast<double>(count);
  return static_cast<std::uint16_t>(std::clamp(share, 1.0, 65534.0));
}

// Of one operand or result of a backward step.
void add_to(ValueMasks& masks, std::size_t index, const Tensor& tensor) {
  if (index >= 16) return;
  const auto bit = static_cast<std::uint16_t>(1u << index);
  if (!tensor) {
    masks.none |= bit;
    return;
  }
  if (!has_elements(tensor.impl()) && !slices_of(tensor.impl())) return;
  const TensorStats stats = tensor_stats(tensor);
  if (stats.nans > 0) masks.nan |= bit;
  if (stats.infinities > 0) masks.infinity |= bit;
  if (stats.count > 0 && stats.zeros == stats.count) masks.zero |= bit;
}

}  // namespace

TensorValuesRecord values_of(const Tensor& tensor) {
  TensorValuesRecord record;
  record.tensor = tensor.id();
  const TensorStats stats = tensor_stats(tensor);
  record.min = stats.min;
  record.max = stats.max;
  record.zeros = share_of(stats.zeros, std::max<std::int64_t>(stats.count, 1));
  if (stats.count == 0) record.flags |= TensorValuesRecord::kEmpty;
  else if (stats.zeros == stats.count) record.flags |= TensorValuesRecord::kZero;
  if (stats.nans + stats.infinities == 0) return record;
  bool first = true;
  for (std::int64_t i = 0; i < stats.count; ++i) {
    const double value = element_value(tensor, i);
    if (std::isfinite(value)) continue;
    if (std::exchange(first, false))
      record.first = static_cast<std::uint32_t>(std::min<std::int64_t>(i, kUnknownElement));
    record.flags |= std::isnan(value) ? TensorValuesRecord::kNan
                    : value > 0       ? TensorValuesRecord::kInfinity
                                      : TensorValuesRecord::kNegativeInfinity;
  }
  return record;
}

void FlightRecorder::ran(std::span<TensorImpl* const> inputs, std::span<const Tensor> outputs) {
  if (first_ == 0 && !outputs.empty()) first_ = outputs[0].id();
  for (TensorImpl* input : inputs) {
    if (!has_elements(input) || of_step(input->id)) continue;
    const std::size_t slot = (reinterpret_cast<std::uintptr_t>(input) >> 6) % inputs_before_.size();
    if (std::exchange(inputs_before_[slot], input) == input) continue;
    shared_.push_back(static_cast<std::uint32_t>(held_.size()));
    hold(Tensor::share(input));
  }
  for (const Tensor& output : outputs) {
    const std::uint64_t block = (output.id() - 1) / kIdsInBlock;
    if (blocks_.empty() || blocks_.back() < block) blocks_.push_back(block);
    if (has_elements(output.impl())) hold(output);
  }
}

// Whether this thread made it since the step began.
bool FlightRecorder::of_step(TensorId id) {
  const std::uint64_t block = (id - 1) / kIdsInBlock;
  if (id < first_ || blocks_.empty() || block > blocks_.back()) return false;
  return block == blocks_.back() || std::binary_search(blocks_.begin(), blocks_.end(), block);
}

void FlightRecorder::hold(const Tensor& tensor) {
  if (tensor.impl()->base) shared_.push_back(static_cast<std::uint32_t>(held_.size()));
  bytes_ += bytes_of(tensor);
  held_.push_back(tensor);
  if (bytes_ > flight_budget()) [[unlikely]]
    evict();
}

void FlightRecorder::walked(TensorId output, std::span<const Tensor> cotangents,
                            std::span<const Tensor> gradients) {
  walked_.push_back(
      {output, static_cast<std::uint32_t>(cotangents.size()), static_cast<std::uint32_t>(gradients.size())});
  step_tensors_.insert(step_tensors_.end(), cotangents.begin(), cotangents.end());
  step_tensors_.insert(step_tensors_.end(), gradients.begin(), gradients.end());
}

void FlightRecorder::leave_record(const Tensor& tensor) {
  if (left_.size() == kMostLeft) left_.erase(left_.begin(), left_.begin() + kMostLeft / 2);
  left_.push_back(values_of(tensor));
}

void FlightRecorder::let_go(const TensorImpl* owner) {
  // After an answer with nothing wrong nothing asks for what the step's variables held: updates cost no pass
  // over them.
  const bool wanted = !asked_ || nonfinite_ || zero_;
  const void* known = nullptr;  // the elements that the last record is of
  std::int64_t count = 0;
  std::erase_if(shared_, [&](std::uint32_t index) {
    Tensor& tensor = held_[index];
    if (!tensor) return true;
    if (tensor.impl() != owner && tensor.impl()->base != owner) return false;
    const bool again = tensor.raw() == known && tensor.numel() == count && left_.size() < kMostLeft;
    if (wanted && again) {
      left_.push_back(left_.back());
      left_.back().tensor = tensor.id();
    } else if (wanted) {
      leave_record(tensor);
      known = tensor.raw();
      count = tensor.numel();
    }
    bytes_ -= bytes_of(tensor);
    tensor = Tensor();
    return true;
  });
  for (Tensor& tensor : step_tensors_) {
    if (tensor && (tensor.impl() == owner || tensor.impl()->base == owner)) tensor = Tensor();
  }
  inputs_before_.fill(nullptr);
}

// The oldest that are larger than most go first, then the oldest, until a quarter is free.
void FlightRecorder::evict() {
  const std::size_t wanted = flight_budget() / 4 * 3;
  const std::size_t large = held_.empty() ? 0 : bytes_ / held_.size();
  for (const std::size_t least : {large, std::size_t{0}}) {
    for (Tensor& tensor : held_) {
      if (bytes_ <= wanted) break;
      if (!tensor || bytes_of(tensor) < least) continue;
      leave_record(tensor);
      bytes_ -= bytes_of(tensor);
      tensor = Tensor();
    }
  }
  // What is left moves together.
  std::size_t to = 0, update = 0;
  for (std::size_t from = 0; from < held_.size(); ++from) {
    if (from == before_update_) update = to;
    if (held_[from]) held_[to++] = std::move(held_[from]);
  }
  before_update_ = before_update_ >= held_.size() ? to : update;
  held_.resize(to);
  shared_.clear();
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    // Inputs from before the step may be a variable's value.
    if (held_[i].impl()->base || !of_step(held_[i].id())) shared_.push_back(i);
  }
  inputs_before_.fill(nullptr);
}

void FlightRecorder::asked() {
  walked_.clear();
  step_tensors_.clear();
  nonfinite_ = zero_ = false;
}

void FlightRecorder::target(const Tensor& target) {
  if (!has_elements(target.impl()) || !is_floating(target.dtype()) || target.numel() > kLargeTarget) return;
  const TensorStats stats = tensor_stats(target);
  nonfinite_ |= stats.nans + stats.infinities > 0;
}

void FlightRecorder::answer(const TensorStats& gradient, std::uint64_t key) {
  nonfinite_ |= gradient.nans + gradient.infinities > 0;
  if (gradient.count == 0 || gradient.zeros != gradient.count) return;
  zero_key_ = zero_ ? zero_key_ * 31 + key : key;
  zero_ = true;
}

// Whether what is wrong is worth its records: the first times, then at each power of two.
bool FlightRecorder::due() {
  if (seen_.size() > kMostSeen) seen_.clear();
  bool wanted = false;
  const auto count = [&](std::uint64_t key) {
    const std::uint32_t times = ++seen_[key];
    wanted |= times <= 2 || std::has_single_bit(times);
  };
  if (nonfinite_) count(kNonFiniteKey);
  if (zero_) count(2 * zero_key_ + 1);
  return wanted;
}

void FlightRecorder::answered(EventWriter& writer) {
  if ((nonfinite_ || zero_) && due()) write(writer);
  question_over();
}

bool FlightRecorder::is_first(std::uint64_t call) {
  if (!nonfinite_ && !zero_) return false;
  if (seen_.size() > kMostSeen) seen_.clear();
  // Even keys: answered() counts zeros by odd ones.
  const std::uint64_t nonfinite = (call + 1) << 32, zero = nonfinite | (zero_key_ << 1 & 0xffffffffu);
  if (seen_.contains(nonfinite)) return false;
  return seen_[nonfinite_ ? nonfinite : zero]++ == 0;
}

void FlightRecorder::question_over() {
  walked_.clear();
  step_tensors_.clear();
  before_update_ = held_.size();
  asked_ = true;
  ++questions_;
}

void FlightRecorder::write(EventWriter& writer) const {
  auto tensors = std::span(step_tensors_);
  for (const Walked& step : walked_) {
    StepResultRecord record;
    record.output = step.output;
    record.given = static_cast<std::uint16_t>(std::min(step.cotangents, 65535u));
    record.values = static_cast<std::uint16_t>(std::min(step.gradients, 65535u));
    for (std::size_t i = 0; i < step.cotangents; ++i) add_to(record.cotangents, i, tensors[i]);
    tensors = tensors.subspan(step.cotangents);
    for (std::size_t i = 0; i < step.gradients; ++i) add_to(record.results, i, tensors[i]);
    tensors = tensors.subspan(step.gradients);
    writer.write(record);
  }
  write_held(writer);
}

void FlightRecorder::write_held(EventWriter& writer) const {
  for (const TensorValuesRecord& record : left_) writer.write(record);
  for (const Tensor& tensor : held_) {
    if (tensor) writer.write(values_of(tensor));
  }
}

void FlightRecorder::tape_entered() {
  if (!in_step_ && asked_) end_step();
}

void FlightRecorder::step_ends() {
  in_step_ = false;
  if (asked_) end_step();
}

// What came after the last question is the update, in which the next step's trouble may have begun.
void FlightRecorder::end_step() {
  asked_ = false;
  left_.clear();
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(before_update_));
  before_update_ = 0;
  bytes_ = 0;
  shared_.clear();
  first_ = peek_tensor_id();
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    if (!held_[i]) continue;
    bytes_ += bytes_of(held_[i]);
    shared_.push_back(i);
    first_ = std::min(first_, held_[i].id());
  }
  std::erase_if(blocks_, [&](std::uint64_t block) { return block < (first_ - 1) / kIdsInBlock; });
  inputs_before_.fill(nullptr);
}

void FlightRecorder::release() { *this = FlightRecorder(); }

}  // namespace tapescope
