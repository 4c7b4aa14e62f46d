// What the exchanges compute, and that their gradients are those of the sum of all ranks' losses.
#include "engine/parallel/collectives.h"

#include <map>
#include <mutex>

#include "engine/ops/ops.h"
#include "engine/parallel/group.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/near.h"
#include "tests/support/thread_ranks.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// Catch2's checks are for one thread: ranks leave what they have here.
struct Board {
  std::mutex mutex;
  std::map<int, std::vector<double>> values;
  void put(int rank, const Tensor& tensor) {
    std::lock_guard lock(mutex);
    values[rank] = elements(tensor);
  }
};

// Different in each rank and element.
Tensor input_of(int rank, const Shape& shape, DType dtype = DType::f64) {
  return cast(stateless_random_uniform(shape, {7, static_cast<std::uint64_t>(rank)}, 0.5, 1.5, DType::f64),
              dtype);
}

using Exchanged = Tensor (*)(const Tensor&);

// The sum over all ranks of sum(sin(y) * rank-dependent weights): each rank's part.
Tensor loss_of(const Tensor& y, int rank) { return reduce_sum(sin(y)) * (1.0 + rank); }

// d(sum of all losses) / d(x of `rank`) by central differences.
std::vector<double> numeric(Exchanged f, int size, int rank, const Shape& shape) {
  std::vector<double> slopes;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    double total[2];
    for (const int side : {0, 1}) {
      Board board;
      run_ranks(size, [&](int r) {
        Tensor x = input_of(r, shape);
        if (r == rank) {
          std::vector<double> moved = elements(x);
          moved[static_cast<std::size_t>(i)] += side == 0 ? 1e-6 : -1e-6;
          x = make_tensor(moved, shape, DType::f64);
        }
        board.put(r, loss_of(f(x), r));
      });
      total[side] = 0;
      for (const auto& [r, loss] : board.values) total[side] += loss[0];
    }
    slopes.push_back((total[0] - total[1]) / 2e-6);
  }
  return slopes;
}

void check_gradients(Exchanged f, const Shape& shape) {
  constexpr int kSize = 3;
  Board board;
  run_ranks(kSize, [&](int rank) {
    const Tensor x = input_of(rank, shape);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(x);
      loss = loss_of(f(x), rank);
    }
    board.put(rank, tape.gradient(loss, x));
  });
  for (int rank = 0; rank < kSize; ++rank) {
    INFO("rank " << rank);
    const std::vector<double> expected = numeric(f, kSize, rank, shape);
    REQUIRE(board.values[rank].size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(board.values[rank][i] == Approx(expected[i]).epsilon(1e-6).margin(1e-8));
  }
}

}  // namespace

TEST_CASE("a program that no launcher started is a group of one process") {
  CHECK(process_rank() == 0);
  CHECK(process_count() == 1);
  const Tensor x = constant({1.0, 2.0});
  CHECK(elements(all_reduce(x)) == elements(x));
  CHECK(elements(all_reduce(x, ReduceOp::mean)) == elements(x));
  CHECK(elements(all_gather(x)) == elements(x));
  CHECK(elements(reduce_scatter(x)) == elements(x));
  CHECK(elements(broadcast(x)) == elements(x));
}

TEST_CASE("exchanges give every rank what they promise, of each dtype") {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64}) {
    INFO(name_of(dtype));
    std::mutex mutex;
    int right = 0;
    run_ranks(3, [&](int rank) {
      const Tensor x = make_tensor(std::vector{1.0 * rank, 2.0, 4.0 + rank}, {3}, dtype);
      const bool all =
          elements(all_reduce(x)) == std::vector<double>{3, 6, 15} &&
          elements(all_gather(x)) == std::vector<double>{0, 2, 4, 1, 2, 5, 2, 2, 6} &&
          elements(reduce_scatter(x)) ==
              std::vector{std::vector<double>{3, 6, 15}[static_cast<std::size_t>(rank)]} &&
          elements(broadcast(x, 1)) == std::vector<double>{1, 2, 5} &&
          (is_integer(dtype) || elements(all_reduce(x, ReduceOp::mean)) == std::vector<double>{1, 2, 5}) &&
          all_gather(x).dtype() == dtype && reduce_scatter(x).dtype() == dtype;
      std::lock_guard lock(mutex);
      right += all;
    });
    CHECK(right == 3);
  }
}

TEST_CASE("several tensors travel in one exchange and come back in their shapes") {
  Board board;
  const int exchanges = run_ranks(2, [&](int rank) {
    const std::vector<Tensor> sums =
        all_reduce(std::vector{constant({1.0, 2.0}), constant({{3.0}, {4.0 + rank}}), constant(5.0)});
    if (sums[0].shape() != Shape{2} || sums[1].shape() != Shape{2, 1} || sums[2].shape() != Shape{})
      throw Error(ErrorKind::value, "a sum has another shape than its terms");
    board.put(rank, concat(std::vector{sums[0], reshape(sums[1], {2}), reshape(sums[2], {1})}, 0));
  });
  CHECK(exchanges == 1);
  CHECK(board.values[0] == std::vector<double>{2, 4, 6, 9, 10});
  CHECK(board.values[1] == board.values[0]);
}

TEST_CASE("the gradient of an exchange is that of all ranks' losses together") {
  SECTION("all_reduce") {
    check_gradients([](const Tensor& x) { return all_reduce(square(x)); }, {2, 2});
  }
  SECTION("the mean") {
    check_gradients([](const Tensor& x) { return all_reduce(square(x), ReduceOp::mean); }, {3});
  }
  SECTION("all_gather") {
    check_gradients([](const Tensor& x) { return all_gather(square(x)); }, {2, 2});
  }
  SECTION("reduce_scatter") {
    check_gradients([](const Tensor& x) { return reduce_scatter(square(x)); }, {3, 2});
  }
  SECTION("broadcast") {
    check_gradients([](const Tensor& x) { return broadcast(square(x), 1); }, {2});
  }
}

TEST_CASE("an exchange has a second gradient") {
  Board board;
  run_ranks(2, [&](int rank) {
    const Tensor x = constant(2.0 + rank, {}, DType::f64);
    GradientTape outer;
    Tensor first;
    {
      auto recording = outer.record();
      outer.watch(x);
      GradientTape inner;
      Tensor y;
      {
        auto inside = inner.record();
        inner.watch(x);
        y = all_reduce(x * x * x);
      }
      first = inner.gradient(y, x);
    }
    board.put(rank, outer.gradient(first, x));
  });
  // Each rank's y counts: d/dx of 2 * 3 x^2, taken of the own first gradient alone by each rank.
  CHECK(board.values[0][0] == Approx(2 * 6 * 2));
  CHECK(board.values[1][0] == Approx(2 * 6 * 3));
}

TEST_CASE("what cannot be exchanged is refused with the op's name and the remedy") {
  const auto refusal = [](auto call) { return error_of([&] { static_cast<void>(call()); }); };
  CHECK(refusal([] { return all_gather(constant(1.0)); }).find("at least one dimension") !=
        std::string::npos);
  CHECK(refusal([] { return all_reduce(constant(true)); }).find("cast it") != std::string::npos);
  CHECK(refusal([] {
          return all_reduce(constant({1, 2}), ReduceOp::mean);
        }).find("average int32") != std::string::npos);
  CHECK(refusal([] { return broadcast(constant(1.0), 3); }).find("root is 3") != std::string::npos);
  CHECK(refusal([] {
          return all_reduce(std::vector{constant(1.0), constant(1)});
        }).find("one dtype") != std::string::npos);
  std::string text;
  run_ranks(2, [&](int rank) {
    const std::string own = refusal([] { return reduce_scatter(constant({1.0, 2.0, 3.0})); });
    if (rank == 0) text = own;
  });
  CHECK(text.find("2 processes can share") != std::string::npos);
}
