// Threads of a framework's program record through the C interface at once: what they share is one table.
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "bridges/native/tapescope_c.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "engine/events/session.h"
#include "tests/support/catch.h"
#include "viewer/store/ingest.h"

using namespace tapescope;

namespace {

constexpr int kThreads = 4, kRounds = 60;

std::uint32_t name_of(const std::string& text) { return tapescope_name(text.data(), text.size()); }

// What all threads use.
struct Program {
  std::uint32_t vector = 0, line = 0;
  std::uint16_t multiply = 0;
  tapescope_tensor weight = 0;

  Program() {
    const std::int64_t two = 2;
    vector = tapescope_type("float32", 1, &two);
    line = tapescope_site("train.py", "fit", 12, 0, 0);
    multiply = tapescope_op_name("Mul", 3);
    tapescope_op_rule(multiply, 0);
    weight = tapescope_handle_made(-1, tapescope_type("resource", 0, nullptr), line);
    tapescope_variable(weight, name_of("weight"), 1, vector);
  }
};

// One step of a thread: a product, the question for its gradient, and what hooks found out about it.
// Returns how many times something was not as it had to be.
int train(const Program& program, int thread, int round) {
  const auto step = static_cast<std::uint64_t>(round * kThreads + thread);
  const std::int64_t identity = 1'000'000 * (thread + 1) + 10 * round;
  const std::array<float, 2> elements = {1, 2};
  const tapescope_values values{.element = 'f', .data = elements.data(), .count = elements.size()};
  int wrong = 0;
  tapescope_step_begin(step);
  const std::uint32_t tape = tapescope_tape_made(0, 1);
  tapescope_tape_enter(tape, 0, 0, program.line);
  tapescope_variable_read(program.weight, 1, program.line);
  const tapescope_tensor read = tapescope_tensor_made(identity, program.vector);
  const tapescope_tensor input =
      tapescope_created(identity + 1, program.vector, program.line, tapescope_mark(&values), 0);
  tapescope_watch(tape, read, program.vector, program.line);
  const std::array inputs = {read, input};
  const std::array types = {program.vector, program.vector};
  const std::int64_t output = identity + 2;
  const std::uint64_t begin = tapescope_ticks();
  const tapescope_op_call call{.op = program.multiply,
                               .site = program.line,
                               .begin = begin,
                               .end = tapescope_ticks(),
                               .inputs = inputs.size(),
                               .outputs = 1,
                               .input = inputs.data(),
                               .input_type = types.data(),
                               .identity = &output,
                               .output_type = types.data()};
  const tapescope_tensor product = tapescope_op(&call);
  std::uint32_t type = 0;
  wrong += tapescope_known(output, &type) != product || type != program.vector;
  wrong += !tapescope_followed(product, program.vector) || tapescope_active_tapes() != 1;
  tapescope_tape_exit(tape, program.line);
  const std::uint32_t name = name_of("input of thread " + std::to_string(thread));
  const std::uint64_t ask = tapescope_ask(tape, 0, 0, 1, 1, program.line);
  tapescope_target(product, name);
  tapescope_source(0, read, name);
  tapescope_backward_begin(tape, ask);
  tapescope_backward_step(tape, product, 0);
  const tapescope_seen seen{.forward_output = product, .values = 1, .given = 1};
  tapescope_step_result(&seen);
  tapescope_backward_end(tape, ask, 0);
  const tapescope_tensor gradient = tapescope_tensor_made(identity + 3, program.vector);
  tapescope_gradient_values(gradient, program.vector, read, name, &values);
  tapescope_result(0, read, name, TAPESCOPE_VALUE, gradient);
  tapescope_assign(program.weight, product, program.line);
  const tapescope_found found{
      .about = TAPESCOPE_ADVICE, .subject = name, .site = program.line, .message = name};
  tapescope_finding(&found);
  tapescope_finding_figures(1.5, 2, 3);
  tapescope_finding_step(program.multiply, name, program.line);
  tapescope_replica(0, name, read, 0, tapescope_hash(elements.data(), sizeof elements));
  wrong += tapescope_graph_wait(nullptr, 0, program.line) != 0;
  tapescope_tape_consumed(tape, program.line);
  tapescope_tape_destroyed(tape);
  tapescope_step_end(step, 0);
  return wrong;
}

struct Counted {
  std::map<RecordKind, int> kinds;
  int of(RecordKind kind) const {
    const auto found = kinds.find(kind);
    return found == kinds.end() ? 0 : found->second;
  }
};

// All threads of the program, while `meanwhile` runs here. Returns what went wrong in them.
template <class Meanwhile>
int run(const Program& program, Meanwhile&& meanwhile) {
  std::atomic<int> wrong{0}, running{kThreads};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) wrong += train(program, thread, round);
      --running;
    });
  }
  do meanwhile();  // once at least: on a busy machine they may have ended
  while (running > 0);
  threads.clear();
  return wrong;
}

}  // namespace

TEST_CASE("threads that record ops, questions and findings at once lose none", "[bridge][threads]") {
  Session session;
  session.start();
  const Program program;
  Counted counted;
  const auto drain = [&] {
    session.drain([&](std::uint32_t, std::span<const Record> records) {
      for (const Record& record : records) ++counted.kinds[record.kind];
    });
    session.take_stats();
  };
  CHECK(run(program, drain) == 0);
  session.stop();
  drain();
  constexpr int kAll = kThreads * kRounds;
  CHECK(counted.of(OpRecord::kKind) == kAll);
  CHECK(counted.of(GradientAskRecord::kKind) == kAll);
  CHECK(counted.of(ResultRecord::kKind) == kAll);
  CHECK(counted.of(FindingRecord::kKind) == kAll);
  CHECK(counted.of(FindingFiguresRecord::kKind) == kAll);
  CHECK(counted.of(FindingStepRecord::kKind) == kAll);
  CHECK(counted.of(ReplicaRecord::kKind) == kAll);
  CHECK(counted.of(GraphWaitRecord::kKind) == kAll);
  CHECK(counted.of(AssignRecord::kKind) == kAll);
  CHECK(counted.of(LostRecord::kKind) == 0);
}

TEST_CASE("what several threads record is shown while they run, each finding once", "[bridge][threads]") {
  Session session;
  session.start();
  const Program program;
  Ingest ingest(session);
  std::uint64_t version = 0;
  bool whole = true;
  const int wrong = run(program, [&] {
    const auto snapshot = ingest.store(0).snapshot();
    whole = whole && snapshot->version >= version;
    version = snapshot->version;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  CHECK(wrong == 0);
  CHECK(whole);
  ingest.flush();
  const auto last = ingest.store(0).snapshot();
  CHECK(last->lost_events == 0);
  CHECK_FALSE(last->gradients.empty());
  CHECK(last->advice.size() == kThreads);
}

TEST_CASE("sessions that begin and end while threads record leave the next one whole", "[bridge][threads]") {
  const Program program;
  int sessions = 0;
  // What no session hears is not followed: that is not wrong here.
  run(program, [&] {
    Session session;
    session.start();
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    session.stop();
    session.drain([](std::uint32_t, std::span<const Record>) {});
    ++sessions;
  });
  CHECK(sessions > 0);
  Session session;
  session.start();
  CHECK(run(program, [] { std::this_thread::yield(); }) == 0);
  session.stop();
  int ops = 0;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) ops += record.is<OpRecord>();
  });
  CHECK(ops == kThreads * kRounds);
}
