// Which trainable variables a piece of program reads.
#pragma once
#include <vector>

#include "engine/tape/variable.h"

namespace tapescope {

// Collects them, each once, in order of first reading, on this thread while it lives; whether tapes record or
// not.
class VariableReads {
 public:
  // Where they are kept `apart`, collectors around this one are not notified of them.
  enum class Notify { all, apart };
  explicit VariableReads(Notify notify = Notify::all);
  ~VariableReads();
  VariableReads(const VariableReads&) = delete;
  VariableReads& operator=(const VariableReads&) = delete;
  const std::vector<Variable>& variables() const { return variables_; }

  // Notifies the collectors of the thread.
  static void note(const Variable& variable);

 private:
  std::vector<Variable> variables_;
  Notify notify_;
  VariableReads* outer_;
};

}  // namespace tapescope
