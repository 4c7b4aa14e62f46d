// Steps of programs that mark none.
#include "engine/gate/implied_steps.h"

#include <thread>

#include "engine/recording/process_recording.h"
#include "engine/tapescope.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

struct MarkedStep {
  std::uint64_t step;
  bool whole;
  bool operator==(const MarkedStep&) const = default;
};

// Those that ended, as a session sees them; of the last one no end where nothing says that it is over.
std::vector<MarkedStep> steps_of(const std::function<void()>& program) {
  implied_steps::forget_marks();
  Session session;
  session.start();
  program();
  session.stop();
  std::vector<MarkedStep> ended;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (!record.is<StepEndRecord>()) continue;
      const auto& end = record.as<StepEndRecord>();
      ended.push_back({end.step, end.abandoned == 0});
    }
  });
  implied_steps::forget_marks();
  return ended;
}

Tensor slope(const Variable& w, double x) {
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_sum(square(w * x));
  }
  return tape.gradient(loss, w);
}

std::vector<MarkedStep> whole(std::uint64_t count) {
  std::vector<MarkedStep> steps;
  for (std::uint64_t step = 0; step < count; ++step) steps.push_back({step, true});
  return steps;
}

}  // namespace

TEST_CASE("each round of a loop that updates is a step", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  CHECK(steps_of([&] {
          for (int i = 0; i < 4; ++i) w.assign_sub(0.1 * slope(w, 1.0));
        }) == whole(3));
}

TEST_CASE("gradients that are added up before an update are one step", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  SGD optimizer(0.1);
  CHECK(steps_of([&] {
          for (int batch = 0; batch < 3; ++batch) {
            Tensor sum = zeros({2});
            for (int example = 0; example < 5; ++example) sum = sum + slope(w, example);
            optimizer.apply_gradients(std::vector<Tensor>{sum}, std::vector<Variable>{w});
          }
        }) == whole(2));
}

TEST_CASE("a function that holds the tape and the update is a step each time", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  Function train("train", [&] { w.assign_sub(0.1 * slope(w, 1.0)); });
  Function predict("predict", [&] { return w * 2.0; });
  CHECK(steps_of([&] {
          for (int i = 0; i < 4; ++i) {
            train();
            predict();
          }
        }) == whole(3));
}

TEST_CASE("questions without an update, and updates without a question, end no step", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  CHECK(steps_of([&] {
          for (int i = 0; i < 4; ++i) {
            w.assign_add(ones({2}));
            slope(w, 1.0);
          }
        }) == whole(3));
  CHECK(steps_of([&] {
          for (int i = 0; i < 4; ++i) slope(w, 1.0);
        }).empty());
}

TEST_CASE("a program that marks its steps has no others", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  const auto ended = steps_of([&] {
    for (std::uint64_t i = 10; i < 13; ++i) {
      note_step_begin(i, 0);
      for (int k = 0; k < 2; ++k) w.assign_sub(0.1 * slope(w, 1.0));
      note_step_end(i, 0, false);
      w.assign_sub(0.1 * slope(w, 1.0));
    }
  });
  CHECK(ended == std::vector<MarkedStep>{{10, true}, {11, true}, {12, true}});
  // One that begins to mark them later keeps what it asked before as a step.
  CHECK(steps_of([&] {
          slope(w, 1.0);
          note_step_begin(5, 0);
          slope(w, 1.0);
          note_step_end(5, 0, false);
        }) == std::vector<MarkedStep>{{0, true}, {5, true}});
}

TEST_CASE("steps are those of one thread, and of another one when it has ended", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  const auto train = [&] {
    for (int i = 0; i < 3; ++i) w.assign_sub(0.1 * slope(w, 1.0));
  };
  CHECK(steps_of([&] {
          std::thread(train).join();
          std::thread(train).join();
        }) == whole(6));
  CHECK(steps_of([&] {
          slope(w, 1.0);
          std::thread(train).join();
        }).empty());
}

TEST_CASE("a recording holds the last step whole, whose question was answered", "[steps]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  const TemporaryFolder folder;
  implied_steps::forget_marks();
  record::ProcessRecording recording(folder / "unmarked.tape");
  for (int i = 0; i < 3; ++i) w.assign_sub(0.1 * slope(w, 1.0));
  recording.finish();
  std::size_t ended = 0;
  for (const Record& record : read_back(folder / "unmarked.tape").records)
    ended += record.is<StepEndRecord>() && record.as<StepEndRecord>().abandoned == 0;
  CHECK(ended == 3);
}
