// What a step holds at each moment, as texts that were read: bytes of tensors, ops that were recorded,
// buffers that are saved.
#include <functional>

#include <fmt/format.h>

#include "engine/core/pool.h"
#include "engine/ops/ops.h"
#include "engine/tape/custom_gradient.h"
#include "engine/tape/forward.h"
#include "engine/tape/tape.h"
#include "tests/engine/tape/random_run.h"
#include "tests/support/approval.h"

using namespace tapescope;
using namespace tapescope::random_programs;

namespace {

class Held {
 public:
  // Bytes since the last call and, of a tape, what it counts.
  void note(std::string_view when, const GradientTape* tape = nullptr) {
    const std::int64_t now = pool_stats().live_bytes;
    text_ += fmt::format("  {}: {:+}", when, now - before_);
    if (tape) {
      const GradientTape::Counts counts = tape->counts();
      text_ += fmt::format(", {} recorded, {} bytes saved, {} walked", counts.recorded, counts.saved_bytes,
                           counts.backward_nodes);
    }
    text_ += "\n";
    before_ = pool_stats().live_bytes;
  }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::int64_t before_ = pool_stats().live_bytes;
  std::string text_;
};

std::string held_in(const Program& program, bool persistent) {
  std::vector<Tensor> leaves;
  for (const Leaf& leaf : program.leaves) leaves.push_back(make_tensor(leaf.values, leaf.shape, leaf.dtype));
  Held held;
  {
    GradientTape tape({.persistent = persistent});
    std::vector<Traced> sources, targets;
    {
      const auto recording = tape.record();
      for (std::size_t l = 0; l < leaves.size(); ++l) {
        if (!program.leaves[l].watched) continue;
        tape.watch(leaves[l]);
        sources.emplace_back(leaves[l]);
      }
      std::vector<Tensor> values = leaves;
      run_program(program, values);
      for (const int target : program.targets) targets.emplace_back(values[static_cast<std::size_t>(target)]);
      held.note("values", &tape);
    }
    held.note("targets alone", &tape);
    for (int times = persistent ? 2 : 1; times > 0; --times) {
      const std::vector<Tensor> gradients = tape.gradient(std::span<const Traced>(targets), sources);
      held.note("gradients", &tape);
    }
    held.note("gradients gone", &tape);
    targets.clear();
    held.note("targets gone", &tape);
    if (persistent) {
      const auto again = tape.record();
      tape.reset();
      held.note("reset", &tape);
    }
  }
  held.note("end");
  return held.take();
}

}  // namespace

TEST_CASE("what random programs hold at each moment is as approved", "[tape][random]") {
  held_in(random_program(1, 12), true);  // what is made once
  std::string text;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Program program = random_program(seed, 20);
    text += program.text().substr(0, program.text().find('\n')) + "\n";
    for (const bool persistent : {false, true}) text += held_in(program, persistent);
  }
  approve("engine/approved/tape/held.txt", text);
}

TEST_CASE("what derivatives of every kind hold at each moment is as approved", "[tape]") {
  const Tensor x = make_full({50}, 0.5, DType::f32), table = make_full({30, 8}, 0.5, DType::f32);
  const auto chain = [](const Tensor& t) { return exp(sin(square(t)) * t); };
  const std::pair<const char*, std::function<void(Held&)>> ways[] = {
      {"Jacobian",
       [&](Held& held) {
         GradientTape tape({.persistent = true});
         Tensor y;
         {
           const auto recording = tape.record();
           tape.watch(x);
           y = chain(x);
         }
         held.note("recorded", &tape);
         const Tensor jacobian = tape.jacobian(y, x);
         held.note("asked", &tape);
       }},
      {"second derivative",
       [&](Held& held) {
         GradientTape outer;
         Tensor first;
         {
           const auto outside = outer.record();
           outer.watch(x);
           GradientTape inner;
           Tensor y;
           {
             const auto inside = inner.record();
             inner.watch(x);
             y = chain(x);
           }
           first = inner.gradient(y, x);
           held.note("inner", &inner);
         }
         held.note("outer", &outer);
         const Tensor second = outer.gradient(first, x);
         held.note("asked", &outer);
       }},
      {"forward",
       [&](Held& held) {
         ForwardAccumulator forward(x, ones({50}));
         const Tensor y = chain(x);
         held.note("run");
         const Tensor tangent = forward.jvp(y);
         held.note("asked");
       }},
      {"rows of a table",
       [&](Held& held) {
         GradientTape tape;
         Tensor y;
         {
           const auto recording = tape.record();
           tape.watch(table);
           y = square(gather(table, constant({1, 2, 2}, DType::i32)));
         }
         held.note("recorded", &tape);
         const Tensor rows = tape.gradient(y, table);
         held.note("asked", &tape);
       }},
      {"paused",
       [&](Held& held) {
         GradientTape tape;
         Tensor y;
         {
           const auto recording = tape.record();
           tape.watch(x);
           y = sin(x);
           {
             const auto pause = tape.stop_recording();
             y = y + cos(y);
           }
           y = y * stop_gradient(exp(x));
         }
         held.note("recorded", &tape);
         tape.gradient(y, x);
         held.note("asked", &tape);
       }},
      {"error",
       [&](Held& held) {
         GradientTape tape({.persistent = true});
         {
           const auto recording = tape.record();
           tape.watch(x);
           CHECK_THROWS_AS(matmul(chain(x), x), Error);
         }
         held.note("recorded", &tape);
       }},
  };
  std::string text;
  for (const auto& [name, run] : ways) {
    Held once;
    run(once);  // what is made once
    Held held;
    run(held);
    held.note("end");
    text += fmt::format("{}\n{}", name, held.take());
  }
  approve("engine/approved/tape/held_by_derivatives.txt", text);
}
