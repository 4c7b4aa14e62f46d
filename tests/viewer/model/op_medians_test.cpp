// What an op takes as a rule, over steps that are alike.
#include "viewer/model/op_medians.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::shared_ptr<const StepView> step(std::uint64_t number, double first_us, double second_us,
                                     const char* second = "Relu") {
  auto view = std::make_shared<StepView>();
  view->step = number;
  for (const auto& [op, us] : {std::pair{"MatMul", first_us}, {second, second_us}}) {
    OpRow row;
    row.op = op;
    row.duration_us = us;
    view->ops.push_back(row);
  }
  view->backward_steps.push_back({.duration_us = 2 * first_us});
  return view;
}

}  // namespace

TEST_CASE("an op takes the median of the steps that ran the same ops") {
  const auto last = step(4, 900, 5);
  const std::vector<std::shared_ptr<const StepView>> steps{step(1, 10, 1), step(2, 12, 3),
                                                           step(3, 5000, 5000, "Tanh"), last};
  const OpMedians medians = op_medians(*last, steps);
  CHECK(medians.steps == 3);
  CHECK(medians.run_us == std::vector<double>{12, 3});
  CHECK(medians.own_us == std::vector<double>{12, 3});
  CHECK(medians.walk_us == std::vector<double>{24});
  CHECK(op_medians(*last, {}).run_us == std::vector<double>{900, 5});
  const std::vector<std::shared_ptr<const StepView>> two{step(2, 100, 1)};
  CHECK(op_medians(*last, two).run_us == std::vector<double>{500, 3});
}

TEST_CASE("a first step, which begins cold, is no part of a median where there are others") {
  const auto first = step(0, 117'000, 30), second = step(1, 6, 2);
  const std::vector<std::shared_ptr<const StepView>> steps{first, second};
  for (const auto& view : steps) {
    CHECK(op_medians(*view, steps).run_us == std::vector<double>{6, 2});
    CHECK(op_medians(*view, steps).steps == 1);
  }
  CHECK(op_medians(*first, {}).run_us == std::vector<double>{117'000, 30});
}
