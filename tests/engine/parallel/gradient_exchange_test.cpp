// Averaged gradients: the same in every rank, those of the whole batch, in as few exchanges as buckets.
#include "engine/parallel/gradient_exchange.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/session.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/parallel/collectives.h"
#include "engine/parallel/group.h"
#include "engine/parallel/replicas.h"
#include "engine/tape/custom_gradient.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/thread_ranks.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

constexpr std::int64_t kRows = 4;  // of each rank

// Two layers whose variables begin alike in every rank.
struct Model {
  Variable w1{stateless_random_normal({3, 5}, {1, 1}), {.name = "w1"}};
  Variable b1{zeros({5}), {.name = "b1"}};
  Variable w2{stateless_random_normal({5, 1}, {1, 2}), {.name = "w2"}};
  Variable unused{zeros({2}), {.name = "unused"}};
  std::vector<Variable> variables{w1, b1, w2, unused};
  std::vector<Traced> sources{w1, b1, w2, unused};

  Tensor loss(const Tensor& x) const { return reduce_mean(square(matmul(tanh(matmul(x, w1) + b1), w2))); }
};

Tensor rows_of(int rank) {
  return stateless_random_normal({kRows, 3}, {2, static_cast<std::uint64_t>(rank)});
}

using Gradients = std::vector<std::vector<double>>;

Gradients values_of(const std::vector<Tensor>& tensors) {
  Gradients values;
  for (const Tensor& tensor : tensors) values.push_back(tensor ? elements(tensor) : std::vector<double>{});
  return values;
}

// What ranks leave: Catch2's checks are for one thread.
struct OfRanks {
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
  std::map<int, Gradients> gradients;
  std::map<int, ExchangeAccount> accounts;
};

// Each rank's averaged gradients of its rows.
OfRanks averaged(int size, const ExchangeOptions& options) {
  OfRanks board;
  run_ranks(size, [&](int rank) {
    const Model model;
    GradientExchange exchange(options);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = model.loss(rows_of(rank));
    }
    const auto gradients = exchange.gradient(tape, loss, model.sources);
    std::lock_guard lock(*board.mutex);
    board.gradients[rank] = values_of(gradients);
    board.accounts[rank] = exchange.account();
  });
  return board;
}

Gradients whole_batch(int size) {
  const Model model;
  std::vector<Tensor> rows;
  for (int rank = 0; rank < size; ++rank) rows.push_back(rows_of(rank));
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = model.loss(concat(rows, 0));
  }
  return values_of(tape.gradient(loss, model.sources));
}

}  // namespace

TEST_CASE("averaged gradients are those of the whole batch, bit for bit alike in every rank") {
  const int size = GENERATE(1, 2, 3);
  const bool overlap = GENERATE(false, true);
  const std::int64_t bucket = GENERATE(0, 40, 1 << 20);
  INFO(size << " ranks, overlap " << overlap << ", buckets of " << bucket);
  OfRanks board = averaged(size, {.bucket_bytes = bucket, .overlap = overlap});
  const Gradients expected = whole_batch(size);
  for (int rank = 0; rank < size; ++rank) {
    CHECK(board.gradients[rank] == board.gradients[0]);
    for (std::size_t s = 0; s < expected.size(); ++s) {
      REQUIRE(board.gradients[rank][s].size() == expected[s].size());
      for (std::size_t i = 0; i < expected[s].size(); ++i)
        CHECK(board.gradients[rank][s][i] == Approx(expected[s][i]).epsilon(1e-5).margin(1e-6));
    }
    // 4 variables of 60, 20, 20 and 8 bytes, from the last to the first: 8 + 20, 20, 60 where 40 go together.
    CHECK(board.accounts[rank].exchanges == (bucket == 0 ? 4u : bucket == 40 ? 3u : 1u));
    CHECK(board.accounts[rank].bytes == 60 + 20 + 20 + 8 + 4 * 4);
  }
}

TEST_CASE("a gradient that only one rank lacks counts as zeros, and one that all lack is None") {
  OfRanks board;
  run_ranks(2, [&](int rank) {
    const Model model;
    GradientExchange exchange;
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(model.w2 * 2.0);
      if (rank == 1) loss = loss + reduce_sum(model.b1 * 6.0);
    }
    const auto gradients = exchange.gradient(tape, loss, model.sources);
    std::lock_guard lock(*board.mutex);
    board.gradients[rank] = values_of(gradients);
  });
  for (const int rank : {0, 1}) {
    CHECK(board.gradients[rank][0].empty());
    CHECK(board.gradients[rank][1] == std::vector<double>(5, 3));
    CHECK(board.gradients[rank][2] == std::vector<double>(5, 2));
    CHECK(board.gradients[rank][3].empty());
  }
}

TEST_CASE("inside a function gradients are averaged by the graph's own exchanges") {
  OfRanks board;
  run_ranks(2, [&](int rank) {
    const Model model;
    GradientExchange exchange({.bucket_bytes = 64});
    Function<std::vector<Tensor>(const Tensor&)> step("step", [&](const Tensor& x) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = model.loss(x);
      }
      return exchange.gradient(tape, loss, {model.w1, model.b1, model.w2});
    });
    std::vector<Tensor> gradients;
    for (int call = 0; call < 3; ++call) gradients = step(rows_of(rank));
    std::lock_guard lock(*board.mutex);
    board.gradients[rank] = values_of(gradients);
  });
  const Gradients expected = whole_batch(2);
  CHECK(board.gradients[0] == board.gradients[1]);
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < expected[s].size(); ++i)
      CHECK(board.gradients[0][s][i] == Approx(expected[s][i]).epsilon(1e-5).margin(1e-6));
  }
}

TEST_CASE("an exchange runs while the backward pass goes on, and is recorded apart from it") {
  Session session;
  session.start();
  ThreadWorld world(2);
  std::atomic<int> met{0};
  run_ranks(world, [&](int) {
    const Variable early(constant(1.0), {.name = "early"}), late(constant(2.0), {.name = "late"});
    // Its gradient waits for the exchange of the other one's.
    const CustomGradient waits = custom_gradient("waits", [&](std::span<const Tensor> x) {
      return WithGradient{.outputs = {x[0] * 1.0}, .gradient = [&](std::span<const Tensor> dy) {
                            for (int tries = 0; tries < 20'000 && world.count() == 0; ++tries)
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            met += world.count() > 0;
                            return std::vector{dy[0] * 1.0};
                          }};
    });
    GradientExchange exchange({.bucket_bytes = 0});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = early * waits(tanh(late * 3.0));
    }
    exchange.gradient(tape, loss, {late, early});
  });
  session.stop();
  CHECK(met == 2);
  std::set<std::uint32_t> exchanging, waiting;
  int exchanges = 0, waited = 0;
  const OpNameId reduce = find_op("CollectiveReduceV2")->id, wait = intern_op_name("CollectiveWait");
  session.drain([&](std::uint32_t thread, std::span<const Record> records) {
    for (const Record& record : records) {
      if (!record.is<OpRecord>()) continue;
      const auto op = record.as<OpRecord>();
      if (op.name == reduce) exchanging.insert(thread), exchanges += op.duration > 0;
      if (op.name == wait) waiting.insert(thread), ++waited;
    }
  });
  CHECK(exchanges == 2 * 2);
  CHECK(waited == 2 * 2);
  CHECK(exchanging.size() == 2);
  for (const std::uint32_t thread : waiting) CHECK_FALSE(exchanging.contains(thread));
}

TEST_CASE("an error in a rank's backward pass leaves nothing that waits") {
  std::mutex mutex;
  int failed = 0;
  run_ranks(2, [&](int) {
    const Model model;
    GradientExchange exchange({.bucket_bytes = 0});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = model.loss(rows_of(0));
    }
    const std::string first = error_of([&] { exchange.gradient(tape, loss, {model.w1, Tensor()}); });
    const auto after = error_of([&] { exchange.gradient(tape, loss, model.sources); });
    std::lock_guard lock(mutex);
    failed += !first.empty() && after.empty();
  });
  CHECK(failed == 2);
}

TEST_CASE("hashes of what ranks hold are recorded, and differ where the values do") {
  Session session;
  session.start();
  run_ranks(2, [&](int rank) {
    const Variable same(ones({40}), {.name = "same"}), other(constant(1.0 + rank), {.name = "other"});
    GradientExchange exchange;
    for (int step = 0; step < 2; ++step) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(same * 2.0) + other;
      }
      exchange.gradient(tape, loss, {same, other});
    }
  });
  session.stop();
  std::map<std::pair<std::string, int>, std::vector<std::uint64_t>> hashes;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (!record.is<ReplicaRecord>()) continue;
      const auto replica = record.as<ReplicaRecord>();
      hashes[{std::string(name_text(replica.name)), replica.value}].push_back(replica.hash);
    }
  });
  REQUIRE(hashes.size() == 4);
  for (auto& [key, of] : hashes) {
    INFO(key.first << " " << key.second);
    REQUIRE(of.size() == 4);
    std::sort(of.begin(), of.end());
    const bool differ = key.first == "other" && key.second == 1;
    CHECK((of.front() == of.back()) != differ);
    CHECK(of.front() != 0);
  }
}

TEST_CASE("a hash changes with any bit, and with the number of elements") {
  const Tensor zeros_of_5 = zeros({5});
  CHECK(hash_of_elements(zeros_of_5) == hash_of_elements(zeros({5})));
  CHECK(hash_of_elements(zeros_of_5) != hash_of_elements(zeros({6})));
  for (const std::int64_t size : {1, 7, 8, 9, 33}) {
    std::vector<double> values(static_cast<std::size_t>(size), 1.0);
    const std::uint64_t before = hash_of_elements(make_tensor(values, {size}, DType::f32));
    for (double& value : values) {
      value = std::nextafter(1.0f, 2.0f);
      CHECK(hash_of_elements(make_tensor(values, {size}, DType::f32)) != before);
      value = 1;
    }
  }
}

TEST_CASE("variables are given the values that they have in one rank") {
  std::mutex mutex;
  int right = 0;
  run_ranks(3, [&](int rank) {
    const std::vector<Variable> variables{Variable(constant({1.0 * rank, 2.0})), Variable(constant(rank))};
    broadcast_values(variables, 2);
    std::lock_guard lock(mutex);
    right += elements(variables[0].peek()) == std::vector<double>{2, 2} &&
             elements(variables[1].peek()) == std::vector<double>{2};
  });
  CHECK(right == 3);
}
