// What has arrived where a program stands belongs to a source, not to a name.
#include "viewer/debugger/arrived.h"

#include <algorithm>
#include <optional>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "viewer/debugger/comparison.h"

using namespace tapescope;

namespace {

// Two variables of one name; the gradient of the one made second is a hundred times that of the first.
struct Namesakes {
  Variable first{constant({1.0, 2.0}), {.name = "w"}}, second{constant({3.0, 4.0}), {.name = "w"}};

  std::vector<Tensor> step() const {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(first * 10.0) + reduce_sum(second * 1000.0);
    }
    return tape.gradient(loss, {second, first});
  }
};

const GradientRow* row_of(const Snapshot& snapshot, TensorId id) {
  for (const GradientRow& row : snapshot.gradients) {
    if (row.source_id == id) return &row;
  }
  return nullptr;
}

Frame last_frame(const Namesakes& program) {
  DebugGate gate;
  Frame last;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    last = frame;
    return DebugGate::Move{DebugGate::Move::Kind::go_on, frame.cursor + 1};
  });
  gate.bind();
  gate.begin_step(1);
  program.step();
  gate.unbind();
  return last;
}

}  // namespace

TEST_CASE("variables of one name have rows, names and figures apart", "[arrived]") {
  std::optional<Namesakes> made;
  const auto snapshot =
      test::snapshot_after([&] { made.emplace(); }, [&](std::uint64_t) { made->step(); }, 3);
  const Namesakes& program = *made;
  REQUIRE(snapshot->gradients.size() == 2);
  const GradientRow *first = row_of(*snapshot, program.first.id()),
                    *second = row_of(*snapshot, program.second.id());
  REQUIRE(first);
  REQUIRE(second);
  // The one made first keeps its plain name, in whatever order they are asked for.
  CHECK((first->source == "w" && first->name == "w"));
  CHECK((second->source == "w#2" && second->name == "w"));
  CHECK(second->norm == Approx(100 * first->norm));
  CHECK((first->norms.size() == 3 && second->norms.size() == 3));
  REQUIRE(snapshot->complete);
  std::vector<std::string> read;
  for (const OpRow& op : snapshot->complete->ops) {
    if (op.op == "ReadVariableOp" && op.direction == Direction::forward) read.emplace_back(op.tensor_name);
  }
  std::sort(read.begin(), read.end());  // operands are made in any order
  CHECK(read == std::vector<std::string>{"w", "w#2"});
}

TEST_CASE("at a stop each variable of one name has what has arrived at it", "[arrived]") {
  const Namesakes program;
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { program.step(); });
  const Frame frame = last_frame(program);
  const std::vector<Arrived> all = arrived_at_sources(frame);
  REQUIRE(all.size() == 2);
  const StepView* const view = snapshot->complete.get();
  for (const Variable& variable : {program.first, program.second}) {
    const GradientRow* const row = row_of(*snapshot, variable.id());
    REQUIRE(row);
    const Arrived* const arrived = arrived_at(all, frame, *row, view);
    REQUIRE(arrived);
    CHECK(arrived->sum.norm == Approx(row->norm));
  }
  // A step that is replayed makes its tensors again: the place in the call stands for the source.
  Frame replayed = frame;
  for (FrameTensor& item : replayed.accumulated) item.source += 1000000;
  const std::vector<Arrived> anew = arrived_at_sources(replayed);
  for (const GradientRow& row : snapshot->gradients) {
    const Arrived* const arrived = arrived_at(anew, replayed, row, view);
    REQUIRE(arrived);
    CHECK(arrived->sum.norm == Approx(row.norm));
  }
  // An older recording has names alone.
  for (FrameTensor& item : replayed.accumulated) item.source = 0, item.source_index = 0;
  CHECK(arrived_at(arrived_at_sources(replayed), replayed, snapshot->gradients[0], view));
}

TEST_CASE("values of one name are joined by the variable they are of", "[arrived]") {
  const Namesakes program;
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { program.step(); });
  StepContext context;
  const std::vector<Tensor> gradients = program.step();
  context.report_gradients({program.second, program.first}, gradients);
  for (const GradientRow& row : snapshot->gradients) {
    const SampleOutput* const output = output_of(context.gradients, row);
    REQUIRE(output);
    CHECK(element(output->value, 0) == (row.source == "w" ? 10 : 1000));
  }
  // Without ids, as in a recording, distinct names do it.
  std::vector<SampleOutput> recorded = {{"w#2", gradients[0]}, {"w", gradients[1]}};
  for (const GradientRow& row : snapshot->gradients) {
    REQUIRE(output_of(recorded, row));
    CHECK(element(output_of(recorded, row)->value, 0) == (row.source == "w" ? 10 : 1000));
  }
  // A comparison pairs the first with the first.
  const Namesakes again;
  StepContext other;
  other.report_gradients({again.first, again.second}, std::vector<Tensor>{gradients[1], gradients[0]});
  ComparisonResult same;
  compare_step(context, other, same);
  CHECK(same.same_gradients);
}
