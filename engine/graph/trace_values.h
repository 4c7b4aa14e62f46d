// What the values of a traced graph hold in the run that is under way, computed once more from what the run
// was given.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/events/records/values.h"
#include "engine/graph/graph.h"

namespace tapescope {

// What a read of a variable gave.
struct HeldRead {
  NodeIndex node;
  Tensor value;
};

// Nothing is changed: what assigns, prints or runs code of the program is left out, and what depends on it
// has no value. So has a read of a variable that the run has assigned to since, unless its value was held.
// Draws repeat the keys from `random`, the position at the run's beginning; it stands where it stood
// afterwards.
class TraceValues {
 public:
  // Of the nodes before `end`.
  TraceValues(const Graph& traced, NodeIndex end, std::span<const Tensor> parameters,
              std::span<const HeldRead> held, std::uint64_t random);

  // TensorValuesRecord's flags of a value; 0 for one that has none.
  std::uint8_t flags(ValueIndex value) const { return flags_[value]; }
  // A record for each tensor of the trace whose value is known.
  const std::vector<TensorValuesRecord>& records() const { return records_; }

 private:
  void run(const Graph& traced, NodeIndex end, std::span<const Tensor> parameters,
           std::span<const HeldRead> held);
  void look_at(const Graph& traced, ValueIndex value, const Tensor& tensor);

  std::vector<std::uint8_t> flags_;
  std::vector<std::vector<TensorId>> names_;  // by value
  std::vector<TensorValuesRecord> records_;
};

// The last node before `end` that assigns to each variable, by the value of its handle.
std::unordered_map<ValueIndex, NodeIndex> last_assignments(const Graph& graph, NodeIndex end);

}  // namespace tapescope
