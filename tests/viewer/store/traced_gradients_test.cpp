// Gradients asked inside traced functions have rows in every step that calls the function; explanations come
// with the trace.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

const GradientRow* row_of(const Snapshot& snapshot, std::string_view source) {
  const auto found = std::find_if(snapshot.gradients.begin(), snapshot.gradients.end(),
                                  [&](const auto& row) { return row.source == source; });
  return found == snapshot.gradients.end() ? nullptr : &*found;
}

// w has a gradient, temperature lies beyond stop_gradient, unused is never read.
struct Model {
  Variable w{constant({1.0, 2.0}), {.name = "w"}};
  Variable temperature{constant(2.0), {.name = "temperature"}};
  Variable unused{constant(1.0), {.name = "unused"}};

  std::vector<Tensor> train(const Tensor& x) const {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(x * w / stop_gradient(temperature));
    }
    return tape.gradient(loss, {w, temperature, unused});
  }
};

}  // namespace

TEST_CASE("a traced step has the gradient rows of an eager one, in its first step and in later ones",
          "[store]") {
  const Model model;
  const auto eager = test::snapshot_of([&](std::uint64_t) { model.train(ones({2})); });
  for (const std::uint64_t steps : {1, 5}) {
    INFO(steps << " steps");
    Function step("step", [&](const Tensor& x) { return model.train(x)[0]; });
    const auto traced = test::snapshot_of([&](std::uint64_t) { step(ones({2})); }, steps);
    REQUIRE(traced->gradients.size() == 3);
    for (const char* source : {"w", "temperature", "unused"}) {
      INFO(source);
      const GradientRow *expected = row_of(*eager, source), *row = row_of(*traced, source);
      REQUIRE(expected);
      REQUIRE(row);
      CHECK(row->status == expected->status);
      CHECK(row->reason == expected->reason);
      CHECK(row->fix == expected->fix);
      CHECK(row->target == "Sum");  // where no source is at hand, without the line of an eager one
      CHECK(expected->target.starts_with("Sum at traced_gradients_test.cpp:"));
      CHECK(row->asked_at == expected->asked_at);
      CHECK(row->step == steps - 1);
    }
  }
}

TEST_CASE("a gradient inside a function has its norm each step, whether it is returned or kept", "[store]") {
  const Model model;
  Function returns("returns", [&](const Tensor& x) { return model.train(x)[0]; });
  const auto snapshot =
      test::snapshot_of([&](std::uint64_t n) { returns(ones({2}) * static_cast<double>(n + 1)); }, 3);
  const GradientRow* row = row_of(*snapshot, "w");
  REQUIRE(row);
  REQUIRE(row->has_stats);
  CHECK(row->norm == Approx(std::sqrt(2.0) * 3 / 2));
  CHECK(row->norms.size() == 3);
  CHECK(row->status == GradientStatus::value);

  Function keeps("keeps", [&](const Tensor& x) { return reduce_sum(model.train(x)[0]); });
  const auto kept = test::snapshot_of([&](std::uint64_t) { keeps(ones({2})); }, 3);
  REQUIRE(row_of(*kept, "w"));
  CHECK(row_of(*kept, "w")->norms.size() == 3);
  CHECK(row_of(*kept, "w")->status == GradientStatus::value);
}

TEST_CASE("a gradient of zeros and one that is not finite are seen through the function", "[store]") {
  const Model model;
  Function step("step", [&](const Tensor& x) { return model.train(x)[0]; });
  const auto zero = test::snapshot_of([&](std::uint64_t n) { step(ones({2}) * (n == 0 ? 1.0 : 0.0)); }, 2);
  CHECK(row_of(*zero, "w")->status == GradientStatus::zero);
  CHECK_FALSE(row_of(*zero, "w")->reason.empty());
  Function other("other", [&](const Tensor& x) { return model.train(x)[0]; });
  const auto nan = test::snapshot_of([&](std::uint64_t) { other(log(zeros({2}))); }, 2);
  CHECK(row_of(*nan, "w")->status == GradientStatus::nonfinite);
}

TEST_CASE("a zero that a function keeps to itself has its op, in the step that showed it and in later ones",
          "[store]") {
  const Variable w(constant({0.5, 0.5}), {.name = "w"});
  for (const std::uint64_t steps : {3, 6}) {
    INFO(steps << " steps");
    Function step("step", [&](const Tensor& x) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(square(relu(x * w)));
      }
      w.assign_sub(0.01 * tape.gradient(loss, w));
      return loss;
    });
    const auto snapshot =
        test::snapshot_of([&](std::uint64_t n) { step(ones({2}) * (n < 2 ? 1.0 : -1.0)); }, steps);
    const GradientRow* row = row_of(*snapshot, "w");
    REQUIRE(row);
    CHECK(row->status == GradientStatus::zero);
    CHECK(row->reason == "dead_relu");
    CHECK(row->location.find("traced_gradients_test.cpp") != row->location.npos);
    CHECK(row->edge.op == "Relu");
  }
}

TEST_CASE("questions belong to the trace they were asked in, also where functions call functions",
          "[store]") {
  const Model model;
  const Variable v(constant({3.0, 4.0}), {.name = "v"});
  // Both are traced in step 0; then one, the other, and none of them is called.
  for (const std::uint64_t steps : {2, 3, 4}) {
    Function inner("inner", [&](const Tensor& x) { return model.train(x)[0]; });
    Function outer("outer", [&](const Tensor& x) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(x * v);
      }
      return inner(x) + tape.gradient(loss, v);
    });
    const Function<Tensor(const Tensor&)>* const functions[] = {&outer, &inner, &outer};
    const auto snapshot = test::snapshot_of(
        [&](std::uint64_t n) {
          if (n < 3) (*functions[n])(ones({2}));
        },
        steps);
    INFO(steps << " steps");
    CHECK(snapshot->gradients.size() == (steps == 2 ? 3 : steps == 3 ? 4 : 0));
    CHECK((row_of(*snapshot, "v") != nullptr) == (steps == 3));
  }
}

TEST_CASE("a traced call that bakes a value in is explained in later steps too", "[store]") {
  Variable scale;
  std::optional<Function<Tensor(const Tensor&)>> scaled;
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t) {
        if (!scale) scale = Variable(constant(2.0), {.name = "scale"});
        const double factor = host_values(scale.value())[0];
        if (!scaled) scaled.emplace("scaled", [factor](const Tensor& x) { return x * factor; });
        GradientTape tape;
        Tensor y;
        {
          auto recording = tape.record();
          y = (*scaled)(ones({2}));
        }
        CHECK_FALSE(tape.gradient(y, scale));
      },
      4);
  REQUIRE(snapshot->gradients.size() == 1);
  CHECK(snapshot->gradients[0].reason == "traced_constant");
}
