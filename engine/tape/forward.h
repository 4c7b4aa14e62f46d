// ForwardAccumulator: directional derivatives, computed along with the ops of a block.
//
//   ForwardAccumulator accumulator(x, v);
//   Tensor y;
//   {
//     auto recording = accumulator.record();
//     y = f(x);
//   }
//   Tensor dy = accumulator.jvp(y);  // J v
//
// Behaviour is TensorFlow 2's (tf.autodiff.ForwardAccumulator). An accumulator sees the ops of the thread
// that entered it, and pushes tangents with ops that only the tapes and accumulators outside of it see:
// nested ones give higher derivatives, and one around a tape's gradient() gives Hessian-vector products. One
// pass gives one column of a Jacobian.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "engine/core/public.h"
#include "engine/tape/tape.h"

namespace tapescope TAPESCOPE_PUBLIC {

class ForwardAccumulator {
 public:
  // Throws ValueError for a primal given twice and for unequal counts. A primal that is not floating has no
  // tangent.
  ForwardAccumulator(const Traced& primal, const Tensor& tangent, Location location = Location::current());
  ForwardAccumulator(std::span<const Traced> primals, std::span<const Tensor> tangents,
                     Location location = Location::current());
  ~ForwardAccumulator();
  ForwardAccumulator(const ForwardAccumulator&) = delete;
  ForwardAccumulator& operator=(const ForwardAccumulator&) = delete;

  // Moves `primal`, a tensor or variable, along `tangent`, of its shape and dtype; a mismatch throws
  // InvalidArgument when an op first takes the primal. ValueError when it has a tangent already.
  void watch(const Traced& primal, const Tensor& tangent, Location location = Location::current());

  // The `with` block. Throws ValueError when it has been entered already and not left.
  class Recording {
   public:
    explicit Recording(ForwardAccumulator& accumulator) : accumulator_(&accumulator) {}
    Recording(Recording&& other) noexcept : accumulator_(std::exchange(other.accumulator_, nullptr)) {}
    Recording& operator=(Recording&& other) noexcept {
      if (accumulator_ && this != &other) accumulator_->exit();
      accumulator_ = std::exchange(other.accumulator_, nullptr);
      return *this;
    }
    ~Recording() {
      if (accumulator_) accumulator_->exit();
    }

   private:
    ForwardAccumulator* accumulator_;
  };
  [[nodiscard]] Recording record(Location location = Location::current());
  void enter(Location location = Location::current());
  void exit();

  // The tangent of `target`, a lookup: as often as wanted, inside the block and after it. None, or zeros,
  // where it does not depend on a primal.
  Tensor jvp(const Traced& target, Unconnected unconnected = Unconnected::none) const;

  // How many tensors it holds a tangent of: about those that the program still holds.
  std::size_t tangents() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace tapescope
