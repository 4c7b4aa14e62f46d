// The shapes that a loop's variables may have while a function is traced.
#pragma once
#include <span>
#include <vector>

#include "engine/graph/flow.h"

namespace tapescope {

class LoopShapes {
 public:
  // Throws ValueError for another number of invariants than of variables and for one that does not allow the
  // shape with which its variable enters the loop.
  LoopShapes(const WhileLoopOptions& options, std::span<const Tensor> loop_vars, const Location& location);

  // Whether a round keeps all shapes. Throws ValueError, naming the variable and its shapes, where it may not
  // change one.
  bool keeps(std::span<const Tensor> before, std::span<const Tensor> after) const;
  // Throws ValueError for a round of which only a call will know whether it runs, though it changes a shape.
  [[noreturn]] void refuse_unknown_round(std::span<const Tensor> before, std::span<const Tensor> after) const;
  // Throws ValueError for a loop with more such rounds than a graph should hold.
  void check_rounds(std::int64_t rounds) const;

 private:
  std::string variable(std::size_t v) const;

  std::vector<TensorSpec> invariants_;
  std::vector<NameId> names_;
  Location location_;
};

}  // namespace tapescope
