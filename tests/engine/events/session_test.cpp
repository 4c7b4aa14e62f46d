// Sessions: nothing is lost silently, whatever the policy, and starting or stopping races with no writer.
#include "engine/events/session.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "engine/events/threads.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

void write_scalars(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) note_scalar("n", static_cast<double>(i), i);
}

struct Seen {
  std::uint64_t scalars = 0, lost = 0, expected = 0;
  bool in_order = true;
  void take(std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<LostRecord>()) {
        const std::uint64_t dropped = record.as<LostRecord>().records;
        lost += dropped;
        expected += dropped;
      }
      if (!record.is<ScalarRecord>()) continue;
      ++scalars;
      const std::uint64_t step = record.as<ScalarRecord>().step;
      in_order = in_order && step >= expected;
      expected = step + 1;
    }
  }
};

}  // namespace

TEST_CASE("a session sees what a thread writes, in order", "[events]") {
  Session session;
  session.start();
  write_scalars(5000);
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars == 5000);
  CHECK(seen.in_order);
  CHECK(session.lost() == 0);
}

TEST_CASE("a drain ends though the program writes faster than it is read", "[events]") {
  Session session({.policy = FullPolicy::drop});
  session.start();
  write_scalars(10);
  std::size_t parts = 0;
  session.drain([&](std::uint32_t, std::span<const Record>) {
    if (++parts < 100) write_scalars(5000);
  });
  CHECK(parts == 1);
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars == 5000);
}

TEST_CASE("steps of several threads are read in the order in which they began", "[events][threads]") {
  Session session;
  session.start();
  write_scalars(1);  // this thread is the first that the session knows
  const auto steps = [](std::uint64_t from) {
    for (std::uint64_t step = from; step < from + 3; ++step) {
      note_step_begin(step);
      write_scalars(1);
      note_step_end(step);
    }
  };
  std::thread([&] { steps(0); }).join();
  steps(3);
  std::thread([&] { steps(6); }).join();
  std::vector<std::uint64_t> begun;
  std::size_t scalars = 0;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<StepBeginRecord>()) begun.push_back(record.as<StepBeginRecord>().step);
      scalars += record.is<ScalarRecord>();
    }
  });
  CHECK(begun == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(scalars == 10);
}

TEST_CASE("what a reader that fell behind needed goes back to the system when it caught up", "[events]") {
  const auto resident = [] {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t size = 0, pages = 0;
    statm >> size >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  };
  Session session;
  session.start();
  std::uint64_t read = 0;
  const auto drain = [&] {
    session.drain([&](std::uint32_t, std::span<const Record> records) { read += records.size(); });
  };
  write_scalars(5000);
  drain();
  const std::uint64_t before = resident();
  constexpr std::uint64_t kMany = 400'000;  // 12 MiB, less than a thread may be ahead
  write_scalars(kMany);
  const std::uint64_t behind = resident();
  for (int i = 0; i < 3; ++i) drain();
  CHECK(read >= kMany);
  // As the program goes on and is read in time.
  for (int i = 0; i < 600; ++i) {
    write_scalars(EventChunk::kRecords);
    drain();
  }
  CHECK(session.lost() == 0);
  CHECK(behind > before + (8u << 20));
  CHECK(resident() < before + (3u << 20));
}

TEST_CASE("what was written before a session began is not in it", "[events]") {
  write_scalars(10);
  Session session;
  session.start();
  write_scalars(3);
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars == 3);
}

TEST_CASE("a second session is refused while one listens", "[events]") {
  Session first, second;
  first.start();
  CHECK_THROWS_AS(second.start(), Error);
  first.stop();
  second.start();
  CHECK(Session::active() == &second);
}

TEST_CASE("overwrite keeps the newest and counts the rest", "[events]") {
  Session session({.policy = FullPolicy::overwrite, .max_chunks = 2});
  session.start();
  write_scalars(20'000);
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars > 0);
  CHECK(seen.lost > 0);
  CHECK(seen.scalars + session.lost() == 20'000);
  CHECK(seen.expected == 20'000);  // the last one written is there
}

TEST_CASE("drop keeps the oldest and counts the rest", "[events]") {
  Session session({.policy = FullPolicy::drop, .max_chunks = 2});
  session.start();
  write_scalars(20'000);
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars > 0);
  write_scalars(4000);  // the chunk that was dropped while it filled is counted when the next one begins
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(session.lost() > 0);
  CHECK(seen.lost == session.lost());
  write_scalars(20'000);
  session.stop();  // or when the session ends
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars + seen.lost == 44'000);
}

TEST_CASE("block loses nothing while a reader reads", "[events][threads]") {
  Session session({.policy = FullPolicy::block, .max_chunks = 2});
  session.start();
  std::atomic<bool> done{false};
  Seen seen;
  std::thread writer([&] {
    write_scalars(200'000);
    done = true;
  });
  while (!done.load()) {
    session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  }
  writer.join();
  session.drain([&](std::uint32_t, std::span<const Record> records) { seen.take(records); });
  CHECK(seen.scalars == 200'000);
  CHECK(seen.in_order);
  CHECK(session.lost() == 0);
}

TEST_CASE("a blocked writer goes on when the session ends", "[events][threads]") {
  Session session({.policy = FullPolicy::block, .max_chunks = 1});
  session.start();
  std::thread writer([] { write_scalars(50'000); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  session.stop();
  writer.join();
  SUCCEED();
}

TEST_CASE("sessions come and go while threads compute", "[events][threads]") {
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i) {
    workers.emplace_back([&] {
      const Tensor x = constant(1.5);
      while (!stop.load(std::memory_order_relaxed)) {
        const Tensor y = x * x + x;
      }
    });
  }
  std::uint64_t ops = 0;
  for (int round = 0; round < 50; ++round) {
    Session session({.policy = FullPolicy::drop, .max_chunks = 4});
    session.start();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    session.drain([&](std::uint32_t, std::span<const Record> records) {
      for (const Record& record : records) ops += record.is<OpRecord>();
    });
    session.stop();
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  CHECK(ops > 0);
}

TEST_CASE("statistics beyond the budget are counted, not kept", "[events]") {
  Session session({.stats_budget = 2});
  session.start();
  for (int i = 0; i < 5; ++i) Session::offer_stats({});
  session.stop();
  CHECK(session.take_stats().size() == 2);
  CHECK(session.lost_stats() == 3);
  // No session listens: who offers late may come after the end of the last one.
  CHECK_FALSE(wants_stats(0));
  Session::offer_stats({});
  CHECK(session.take_stats().empty());
}

TEST_CASE("an op's record holds its place, operands and answers", "[events]") {
  const Tensor x = constant(2.0).named("x");
  Session session;
  session.start();
  const Tensor y = x * x;
  std::vector<Record> records;
  session.drain([&](std::uint32_t, std::span<const Record> seen) {
    records.insert(records.end(), seen.begin(), seen.end());
  });
  // What it reads was made before, and is of a type that no other record says.
  REQUIRE(records.size() == 3);
  REQUIRE(records[0].is<EarlierTensorRecord>());
  REQUIRE(records[1].is<OpRecord>());
  REQUIRE(records[2].is<OperandsRecord>());
  CHECK(records[0].as<EarlierTensorRecord>().tensor == x.id());
  CHECK(records[0].as<EarlierTensorRecord>().type == x.type().id);
  const auto op = records[1].as<OpRecord>();
  const auto operands = records[2].as<OperandsRecord>();
  CHECK(op_name_text(op.name) == "Mul");
  CHECK(op.output == y.id());
  CHECK(site_with_id(op.site).file == "session_test.cpp");
  CHECK(operands.inputs == 2);
  CHECK(operands.input[0] == x.id());
  CHECK(operands.input[1] == x.id());
}
