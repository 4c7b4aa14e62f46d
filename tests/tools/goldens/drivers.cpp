// eager, traced as a function, compiled, batched, nested in another tape's recording, stepped through by the
// debugger, with events on.
#include "engine/debug/gate.h"
#include "engine/events/session.h"
#include "engine/graph/function.h"
#include "engine/kernels/compiled_tiles.h"
#include "engine/tape/tape.h"
#include "tests/tools/goldens/batched.h"
#include "tests/tools/goldens/driver.h"

namespace tapescope::goldens {
namespace {

class Eager final : public Driver {
 public:
  std::string_view name() const override { return "eager"; }
};

// What the case differentiates is one call of a function, and so are its gradients.
class TracedFunction : public Driver {
 public:
  std::string_view name() const override { return "traced"; }
  // Its result's shape depends on values, which a trace does not have.
  bool takes(std::string_view op) const override { return op != "boolean_mask"; }
  // No pass may re-associate.
  bool bit_exact() const override { return true; }
  Tensors call(const Function& function, std::span<const Tensor> inputs) override {
    const auto body = [&](std::vector<Value>& given) {
      Tensors tensors;
      for (const Value& value : given) tensors.push_back(value.tensor());
      std::vector<Value> results;
      for (const Tensor& result : function(tensors)) results.emplace_back(result);
      return Value::list(std::move(results));
    };
    FunctionCore traced("case", body, {.optimize = {.reassociating = false, .compiled = compiled()}}, 0,
                        Location::current());
    const Value results = traced.call({inputs.begin(), inputs.end()}, Location::current());
    Tensors outputs;
    for (const Value& result : results.items()) outputs.push_back(result.tensor());
    return outputs;
  }

 protected:
  virtual bool compiled() const { return false; }
};

// Elementwise chains are machine code, where LLVM is installed.
class CompiledFunction final : public TracedFunction {
 public:
  std::string_view name() const override { return "compiled"; }
  void around(const std::function<void()>& body) override {
    kernels::CompiledTiles::compile_at_once(true);
    struct Off {
      ~Off() { kernels::CompiledTiles::compile_at_once(false); }
    } off;
    body();
  }

 protected:
  bool compiled() const override { return true; }
};

// Everything, the backward passes too, is recorded by another tape that keeps it.
class Nested final : public Driver {
 public:
  std::string_view name() const override { return "nested"; }
  void around(const std::function<void()>& body) override {
    GradientTape tape({.persistent = true});
    const auto recording = tape.record();
    outer_ = &tape;
    struct Leave {
      GradientTape*& outer;
      ~Leave() { outer = nullptr; }
    } leave{outer_};
    body();
  }
  void given(const Tensor& tensor) override {
    if (is_floating(tensor.dtype())) outer_->watch(tensor);
  }

 private:
  GradientTape* outer_ = nullptr;
};

// Parks at every node of every tape, forward and backward, and looks at the frame.
class Stepping final : public Driver {
 public:
  std::string_view name() const override { return "stepping"; }
  void around(const std::function<void()>& body) override {
    DebugGate gate;
    gate.on_park([](StopReason, const Frame& frame, const Breakpoint*) {
      frame.hash();
      return DebugGate::Move{DebugGate::Move::Kind::go_on, frame.cursor + 1};
    });
    gate.bind();
    struct Unbind {
      DebugGate& gate;
      ~Unbind() { gate.unbind(); }
    } unbind{gate};
    gate.begin_step(1);
    body();
  }
};

class Events final : public Driver {
 public:
  std::string_view name() const override { return "events"; }
  void around(const std::function<void()>& body) override {
    // No reader runs while a case does, so that nothing may wait for a reader.
    Session session({.policy = FullPolicy::overwrite});
    session.start();
    struct Stop {
      Session& session;
      ~Stop() { session.stop(); }
    } stop{session};
    body();
  }
};

}  // namespace

std::vector<std::unique_ptr<Driver>> all_drivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(std::make_unique<Eager>());
  drivers.push_back(std::make_unique<TracedFunction>());
  drivers.push_back(std::make_unique<CompiledFunction>());
  drivers.push_back(batched_driver());
  drivers.push_back(batched_gradients_driver());
  drivers.push_back(std::make_unique<Nested>());
  drivers.push_back(std::make_unique<Stepping>());
  drivers.push_back(std::make_unique<Events>());
  return drivers;
}

}  // namespace tapescope::goldens
