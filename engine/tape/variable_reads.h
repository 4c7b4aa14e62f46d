// Which trainable variables a piece of program reads.
#pragma once
#include <vector>

#include "engine/tape/variable.h"

namespace tapescope {

// Collects them, each once, in order of first reading, on this thread while it lives; whether tapes record or
// not.
class VariableReads {
 public:
  VariableReads();
  ~VariableReads();
  VariableReads(const VariableReads&) = delete;
  VariableReads& operator=(const VariableReads&) = delete;
  const std::vector<Variable>& variables() const { return variables_; }

  // Notifies every collector of the thread.
  static void note(const Variable& variable);

 private:
  std::vector<Variable> variables_;
  VariableReads* outer_;
};

}  // namespace tapescope
