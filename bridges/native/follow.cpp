// The recording rules.
#include "bridges/native/follow.h"

#include <algorithm>

#include "bridges/native/types.h"

namespace tapescope::bridge {

void ThreadTapes::leave(TapeId tape) {
  std::erase_if(active_, [&](const auto& one) { return one->id == tape; });
}

TapeAnswer ThreadTapes::answer(const FollowedTape& tape, std::span<const FollowedInput> inputs,
                               bool silent) const {
  if (silent) return TapeAnswer::silenced;
  if (tape.paused) return TapeAnswer::paused;
  TapeAnswer answer = TapeAnswer::no_watched_input;
  for (const FollowedInput& input : inputs) {
    if (!tape.followed.contains(input.id)) continue;
    if (!input.type || is_trainable_type(*input.type)) return TapeAnswer::recorded;
    answer = TapeAnswer::not_floating;
  }
  return answer;
}

std::uint32_t ThreadTapes::offer(std::span<const FollowedInput> inputs, TensorId first, std::size_t count,
                                 const Offer& how) {
  std::uint32_t answers = 0;
  const bool silent = silenced_ > 0 && !how.through_silence;
  int position = 0;
  for (const auto& tape : active_) {
    if (tape->in_graph == how.in_graph) {
      const TapeAnswer given = how.followable ? answer(*tape, inputs, silent) : TapeAnswer::no_watched_input;
      if (given == TapeAnswer::recorded) {
        for (std::size_t i = 0; i < count; ++i) tape->followed.insert(first + i);
      }
      if (position < kMaxAnswers) answers |= static_cast<std::uint32_t>(given) << (4 * position);
    }
    ++position;
  }
  return answers;
}

std::vector<TapeId> ThreadTapes::read(TensorId handle) {
  std::vector<TapeId> fresh;
  if (silenced_ > 0) return fresh;
  for (const auto& tape : active_) {
    if (!tape->watches_accessed || tape->paused) continue;
    if (tape->followed.insert(handle).second) fresh.push_back(tape->id);
  }
  return fresh;
}

bool ThreadTapes::hears() const {
  return silenced_ == 0 &&
         std::any_of(active_.begin(), active_.end(), [](const auto& tape) { return !tape->paused; });
}

bool ThreadTapes::follows(TensorId id) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const auto& tape) { return tape->followed.contains(id); });
}

}  // namespace tapescope::bridge
