// The ways a case is run. Each must give the same values: what surrounds a program never changes its
// gradients.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tape/tape.h"
#include "tests/tools/goldens/case.h"

namespace tapescope::goldens {

// What a case differentiates. It may be called several times.
using Function = std::function<Tensors(std::span<const Tensor>)>;

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;
  // Whether cases of this op can be run this way at all.
  virtual bool takes(std::string_view op) const { return !op.empty(); }
  // Runs a case in the driver's surroundings.
  virtual void around(const std::function<void()>& body) { body(); }
  // Whether outputs and gradients have the very bits of those of eager execution.
  virtual bool bit_exact() const { return false; }
  // A tensor that the case starts from was made.
  virtual void given(const Tensor&) {}
  // Calls a function of tensors the driver's way; the result is on every tape that records.
  virtual Tensors call(const Function& function, std::span<const Tensor> inputs) { return function(inputs); }
  // Asks a tape the driver's way; `seeds` are the output gradients, ones where there are none.
  virtual Tensors gradient(GradientTape& tape, std::span<const Traced> targets,
                           std::span<const Traced> sources, const Tensors& seeds) {
    return tape.gradient(targets, sources, {.output_gradients = seeds});
  }
  // Whether gradients that are kept as rows (IndexedSlices) stay so.
  virtual bool keeps_rows() const { return true; }
  // What is to be reported once every case ran; empty when there is nothing.
  virtual std::string remark() const { return {}; }
};

// Every driver, in the order they run; a new one is one entry.
std::vector<std::unique_ptr<Driver>> all_drivers();

}  // namespace tapescope::goldens
