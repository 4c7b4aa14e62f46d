// The steps of a program that marks none: a round ends where, after a question to a tape and what follows of
// updates, an outermost tape is entered again, or a function is called whose graph holds its gradient.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "viewer/store/step_data.h"

namespace tapescope {

// Counts the rounds of a thread as its records come.
class RoundCounter {
 public:
  // Whether the record begins a round: the first after the last question's.
  bool begins(const Record& record);

 private:
  std::uint32_t open_tapes_ = 0;
  std::uint32_t walks_ = 0;  // backward passes that are open
  bool asked_ = false, asked_in_graph_ = false;
};

// Operands of a step that the one before had as well and did not make, and those that its lines made alike;
// by id.
std::vector<TensorId> lasting_operands(std::span<const Record> before, std::span<const Record> now);

struct LastRounds {
  // The last round of each place, in the order of the places' first rounds.
  std::vector<std::shared_ptr<const StepView>> last;
  // The round before, where the last one of the place is the thread's last, too: what a loop does ahead of
  // its tape stands at the end of the round before.
  std::vector<std::shared_ptr<const StepView>> before;
};

// `all` is what a program without steps has recorded so far. Rounds that a tape spans, from where it was
// entered to its last question, are one, and so are those of one place between two updates of variables.
// Linear in the records.
LastRounds last_rounds(const StepData& all);

}  // namespace tapescope
