// The hashes: four lanes, so that a hash costs what reading the elements costs.
#include "engine/parallel/replicas.h"

#include <algorithm>
#include <cstring>

#include "engine/events/records/replicas.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/slices.h"
#include "engine/parallel/group.h"

namespace tapescope {
namespace {

// The odd number nearest to 2^64 over the golden ratio: its products spread over all bits (Knuth, "The Art of
// Computer Programming", volume 3, 6.4).
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGolden;
  return hash ^ hash >> 32;
}

std::uint64_t hash_of_value(const Tensor& tensor) {
  if (!tensor || tensor.dtype() == DType::resource) return 0;
  if (tensor.impl()->extension == nullptr) return hash_of_elements(tensor);
  return is_indexed_slices(tensor) ? hash_of_elements(to_dense(tensor)) : 0;
}

}  // namespace

std::uint64_t hash_of_elements(const Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw());
  const auto count = static_cast<std::size_t>(tensor.bytes());
  std::uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
  std::size_t at = 0;
  for (; at + sizeof words <= count; at += sizeof words) {
    std::memcpy(words, bytes + at, sizeof words);
    for (int lane = 0; lane < 4; ++lane) lanes[lane] = mixed(lanes[lane], words[lane]);
  }
  std::memset(words, 0, sizeof words);
  if (at < count) std::memcpy(words, bytes + at, count - at);
  std::uint64_t hash = count;
  for (int lane = 0; lane < 4; ++lane) hash = mixed(hash, mixed(lanes[lane], words[lane]));
  return std::max<std::uint64_t>(hash, 1);
}

void note_replicas(std::span<const Traced> sources, std::span<const Tensor> gradients) {
  ThreadState& ts = state();
  if (!(ts.listen.load(std::memory_order_relaxed) & kListenEvents) || current_trace() || process_count() == 1)
    return;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Traced& source = sources[i];
    ReplicaRecord record{.index = static_cast<std::uint16_t>(std::min<std::size_t>(i, 0xffff)),
                         .name = intern_name(source.name()),
                         .source = source.tensor().id()};
    record.value = 1;
    record.hash = hash_of_value(source.variable() ? source.variable().peek() : source.tensor());
    ts.note(record);
    record.value = 0;
    record.hash = i < gradients.size() ? hash_of_value(gradients[i]) : 0;
    ts.note(record);
  }
}

}  // namespace tapescope
