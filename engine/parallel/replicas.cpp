// One record for a source's value and one for its gradient.
#include "engine/parallel/replicas.h"

#include <algorithm>

#include "engine/events/records/replicas.h"
#include "engine/events/replica_hash.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/slices.h"
#include "engine/parallel/group.h"

namespace tapescope {
namespace {

std::uint64_t hash_of_value(const Tensor& tensor) {
  if (!tensor || tensor.dtype() == DType::resource) return 0;
  if (tensor.impl()->extension == nullptr) return hash_of_elements(tensor);
  return is_indexed_slices(tensor) ? hash_of_elements(to_dense(tensor)) : 0;
}

}  // namespace

std::uint64_t hash_of_elements(const Tensor& tensor) {
  return replica_hash(tensor.raw(), static_cast<std::size_t>(tensor.bytes()));
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
