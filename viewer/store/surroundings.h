// What a program made outside of the step at hand: variables, named tensors, tensors that came from the host
// or from ops.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/events/records/callers.h"
#include "engine/events/records/record.h"

namespace tapescope {

// Written by the ingest thread, read where a step's view is made; any thread.
class Surroundings {
 public:
  struct Known {
    NameId name = 0;
    std::uint32_t type = 0;  // of a variable: of its value
    SiteId site = 0;
    bool has_type = false;
    bool variable = false;
    bool trainable = true;
  };

  // Takes what the record holds; ignores other kinds.
  void learn(const Record& record);
  std::optional<Known> find(TensorId tensor) const;
  // The lines that led to an op of that line whose output, or the tensor made next, is `at`: the innermost
  // first; empty where it is not known.
  std::vector<SiteId> callers(std::string_view file, std::uint32_t line, TensorId at) const;
  bool knows_callers() const { return knows_callers_; }
  void clear();

  // Ticks of the first event of the run; 0 until known.
  std::uint64_t first_ticks() const;
  void set_first_ticks(std::uint64_t ticks);
  // What the first step is called: Snapshot::step_base. clear() leaves it.
  std::uint64_t step_base() const { return step_base_; }
  bool set_step_base(std::uint64_t base) { return step_base_.exchange(base) != base; }  // whether it is new

 private:
  struct Called {
    TensorId since = 0;
    std::vector<SiteId> callers;
  };
  void learn_callers(const CallersRecord& record);
  void learn_tensor(TensorId tensor, std::uint32_t type, SiteId site);

  static constexpr std::size_t kMaxTensors = 65536;  // plain tensors; the oldest are forgotten beyond
  mutable std::shared_mutex mutex_;
  std::unordered_map<TensorId, Known> known_;
  std::deque<TensorId> tensors_;                                            // plain ones, oldest first
  static constexpr std::size_t kMaxCalls = 512;                             // of a line, the last ones
  std::map<std::pair<NameId, std::uint32_t>, std::vector<Called>> called_;  // by file and line
  std::atomic<bool> knows_callers_{false};
  std::uint64_t first_ticks_ = 0;
  std::atomic<std::uint64_t> step_base_{0};
};

}  // namespace tapescope
