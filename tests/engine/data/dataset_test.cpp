// Data sets: what order elements come in, and that an iterator can be put back.
#include "engine/data/dataset.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "engine/data/byte_loops.h"
#include "engine/events/clock.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/kernels/map.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/shape.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Dataset numbers(std::int64_t count) {
  return Dataset::from_tensor_slices({range(0, static_cast<double>(count))});
}

// Every element of `steps` calls, -1 between batches.
std::vector<double> run(DatasetIterator& iterator, int steps) {
  std::vector<double> all;
  DatasetElement element_;
  for (int i = 0; i < steps && iterator.next(element_); ++i) {
    for (double value : elements(element_[0])) all.push_back(value);
    all.push_back(-1);
  }
  return all;
}
std::vector<double> run(const Dataset& dataset, int steps) {
  DatasetIterator iterator(dataset);
  return run(iterator, steps);
}

}  // namespace

TEST_CASE("dataset: batches keep the remainder unless it is to be dropped") {
  CHECK(run(numbers(5).batch(2), 9) == std::vector<double>{0, 1, -1, 2, 3, -1, 4, -1});
  CHECK(run(numbers(5).batch(2, true), 9) == std::vector<double>{0, 1, -1, 2, 3, -1});
  CHECK(numbers(5).batch(2).cardinality() == 3);
  CHECK(numbers(5).batch(2, true).cardinality() == 2);
}

TEST_CASE("dataset: repeat before a batch mixes passes, after it does not") {
  CHECK(run(numbers(3).repeat(2).batch(2), 9) == std::vector<double>{0, 1, -1, 2, 0, -1, 1, 2, -1});
  CHECK(run(numbers(3).batch(2).repeat(2), 9) == std::vector<double>{0, 1, -1, 2, -1, 0, 1, -1, 2, -1});
  CHECK(numbers(3).batch(2).repeat(2).cardinality() == 4);
  CHECK(numbers(3).repeat().batch(2).cardinality() == -1);
  CHECK(run(numbers(3).repeat(0), 9).empty());
}

TEST_CASE(
    "dataset: a shuffle gives every element once, another order each pass, the same for the same seed") {
  const Dataset shuffled = numbers(50).shuffle(50, 7).batch(50);
  DatasetIterator iterator(shuffled);
  std::vector<double> first = run(iterator, 1);
  iterator.start_over();
  std::vector<double> second = run(iterator, 1);
  CHECK(first != second);
  CHECK(first == run(shuffled, 1));
  CHECK(first != run(numbers(50).shuffle(50, 8).batch(50), 1));
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  CHECK(first == second);
  CHECK(std::set<double>(first.begin(), first.end()).size() == 51);
}

TEST_CASE("dataset: a small buffer can only draw from what it has seen") {
  const std::vector<double> order = run(numbers(1000).shuffle(10, 3).batch(1000), 1);
  for (std::size_t i = 0; i < 1000; ++i) CHECK(order[i] < static_cast<double>(i) + 10);
}

TEST_CASE("dataset: a complete shuffle puts every element everywhere equally often") {
  // 4 elements, 24 orders, 6,000 passes: 250 each; 5 standard deviations are 78.
  DatasetIterator iterator(numbers(4).shuffle(4, 11).batch(4));
  std::map<std::vector<double>, int> seen;
  for (int i = 0; i < 6000; ++i) {
    ++seen[run(iterator, 1)];
    iterator.start_over();
  }
  CHECK(seen.size() == 24);
  for (const auto& [order, count] : seen) CHECK(std::abs(count - 250) < 78);
}

TEST_CASE("dataset: an iterator put back goes on as before, from any place") {
  const std::vector<Dataset> all = {
      numbers(23).shuffle(7, 5).batch(4).repeat(),
      numbers(23).shuffle(7, 5).repeat().batch(4),
      numbers(23).repeat(3).shuffle(7, 5).batch(4).repeat(),
      numbers(23).batch(4),
  };
  for (const Dataset& dataset : all) {
    DatasetIterator iterator(dataset);
    for (int place = 0; place < 20; ++place) {
      const std::vector<std::uint64_t> state = iterator.save_state();
      const std::vector<double> expected = run(iterator, 9);
      DatasetIterator other(dataset);
      other.restore_state(state);
      CHECK(run(other, 9) == expected);
      iterator.restore_state(state);
      DatasetElement skipped;
      iterator.next(skipped);
    }
  }
  DatasetIterator iterator(numbers(5).batch(2));
  CHECK_THROWS_AS(iterator.restore_state(std::vector<std::uint64_t>{}), Error);
  CHECK_THROWS_AS(iterator.restore_state(std::vector<std::uint64_t>{0, 1, 2}), Error);
}

TEST_CASE("dataset: components stay together and are named") {
  const Tensor x = reshape(range(0, 12, 1, DType::f32), {6, 2});
  DatasetIterator iterator(
      Dataset::from_tensor_slices({Rows(x).named("x"), range(0, 6)}).shuffle(6, 1).batch(4));
  DatasetElement batch;
  REQUIRE(iterator.next(batch));
  CHECK(batch[0].shape() == Shape{4, 2});
  CHECK(batch[0].name() == "x");
  for (std::int64_t i = 0; i < 4; ++i) CHECK(element(batch[0], 2 * i) == 2 * element(batch[1], i));
}

TEST_CASE("dataset: bytes become numbers and labels vectors as they are taken") {
  const auto bytes =
      std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{0, 51, 255, 3});
  const Tensor images = Rows::of_bytes(bytes, {2}, 255).take(std::vector<std::uint32_t>{1, 0});
  CHECK(elements(images) ==
        std::vector<double>{1, static_cast<float>(3 / 255.0), 0, static_cast<float>(51 / 255.0)});
  const auto labels = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{2, 0});
  CHECK(elements(Rows::one_hot(labels, 3).all()) == std::vector<double>{0, 0, 1, 1, 0, 0});
  CHECK_THROWS_AS(Rows::one_hot(labels, 2), Error);
}

TEST_CASE("dataset: every byte becomes the nearest float32, on both instruction sets") {
  std::vector<std::uint8_t> pixels(259);  // vectors and a rest
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
  for (const bytes::DivideLoop loop : {bytes::divide_baseline, bytes::divide_avx2}) {
    if (loop == bytes::divide_avx2 && !kernels::uses_avx2()) continue;
    std::vector<float> numbers(pixels.size());
    loop(pixels.data(), 255, numbers.data(), static_cast<std::int64_t>(pixels.size()));
    for (std::size_t i = 0; i < pixels.size(); ++i)
      CHECK(numbers[i] == static_cast<float>(pixels[i] / 255.0));
  }
}

TEST_CASE("dataset: what cannot work is refused") {
  CHECK_THROWS_AS(Dataset::from_tensor_slices({}), Error);
  CHECK_THROWS_AS(Dataset::from_tensor_slices({range(0, 3), range(0, 4)}), Error);
  CHECK_THROWS_AS(Dataset::from_tensor_slices({constant(1.0)}), Error);
  CHECK_THROWS_AS(numbers(3).batch(0), Error);
  CHECK_THROWS_AS(numbers(3).batch(2).batch(2), Error);
  CHECK_THROWS_AS(numbers(3).batch(2).shuffle(3, 1), Error);
  CHECK_THROWS_AS(numbers(3).shuffle(0, 1), Error);
}

TEST_CASE("dataset: map changes examples before a batch and batches after it, and no tape sees it") {
  const ElementMap half = [](const DatasetElement& e) {
    DatasetElement out = e;
    out.parts[0] = e[0] * 0.5;
    return out;
  };
  const Dataset floats = Dataset::from_tensor_slices({range(0, 5, 1, DType::f32)});
  const std::vector<double> halves{0, 0.5, -1, 1, 1.5, -1, 2, -1};
  CHECK(run(floats.map(half).batch(2), 9) == halves);
  CHECK(run(floats.batch(2).map(half), 9) == halves);
  std::vector<int> ranks;
  const auto rank = [&](const DatasetElement& e) {
    ranks.push_back(e[0].rank());
    return e;
  };
  run(floats.map(rank).batch(5).map(rank), 1);
  CHECK(ranks == std::vector<int>{0, 0, 0, 0, 0, 1});
  Variable w(constant(2.0), {.name = "w"});
  GradientTape tape;
  auto recording = tape.record();
  run(floats.batch(2).map([&](const DatasetElement& e) {
    DatasetElement out = e;
    out.parts[0] = e[0] * w;
    return out;
  }),
      3);
  CHECK(tape.counts().recorded == 0);
}

TEST_CASE("dataset: what a map made keeps its name when it is made ahead, and its ops lead to it") {
  const Variable scale(constant(2.0), {.name = "scale"});
  const ElementMap scaled = [&](const DatasetElement& e) {
    return DatasetElement{{(e[0] * scale).named("scaled")}};
  };
  DatasetIterator iterator(
      Dataset::from_tensor_slices({constant({1.0, 2.0})}).batch(2).map(scaled).prefetch(1));
  DatasetElement batch;
  REQUIRE(iterator.next(batch));
  CHECK(batch[0].name() == "scaled");
  GradientTape tape;
  Tensor sum;
  {
    auto recording = tape.record();
    sum = reduce_sum(batch[0]);
  }
  CHECK_FALSE(tape.gradient(sum, scale));
  CHECK(name_of(tape.explain(sum, scale).reason) == "other_thread");
}

TEST_CASE("dataset: the time in which an element is made is none of the op's that uses it") {
  for (const bool ahead : {false, true}) {
    std::atomic<Ticks> made = 0;
    const ElementMap doubled = [&](const DatasetElement& e) {
      DatasetElement element{{e[0] * 2.0}};
      made = ticks();
      return element;
    };
    const Dataset dataset = Dataset::from_tensor_slices({constant({1.0, 2.0})}).batch(2).map(doubled);
    DatasetIterator iterator(ahead ? dataset.prefetch(1) : dataset);
    Session session;
    session.start();
    DatasetElement batch;
    REQUIRE(iterator.next(batch));
    const Ticks end = made;
    square(batch[0]);
    session.stop();
    int squares = 0;
    session.drain([&](std::uint32_t, std::span<const Record> records) {
      for (const Record& record : records) {
        if (!record.is<OpRecord>() || op_name_text(record.as<OpRecord>().name) != "Square") continue;
        ++squares;
        CHECK(record.as<OpRecord>().ticks - record.as<OpRecord>().duration >= end);
      }
    });
    CHECK(squares == 1);
  }
}

TEST_CASE("dataset: prefetch gives the same elements in the same order, and can be put back") {
  const Dataset plain = numbers(20).shuffle(7, 5).batch(3).repeat(2), ahead = plain.prefetch(4);
  CHECK(run(ahead, 99) == run(plain, 99));
  DatasetIterator iterator(ahead), other(ahead);
  run(iterator, 4);
  const std::vector<std::uint64_t> state = iterator.save_state();
  const std::vector<double> rest = run(iterator, 99);
  iterator.restore_state(state);
  CHECK(run(iterator, 99) == rest);
  other.restore_state(state);
  CHECK(run(other, 99) == rest);
  iterator.start_over();
  DatasetIterator over(plain);
  over.start_over();
  CHECK(run(iterator, 99) == run(over, 99));
  DatasetIterator moved(std::move(other));
  moved.restore_state(state);
  CHECK(run(moved, 2).size() > 0);  // and is dropped in the middle
  CHECK_THROWS_AS(numbers(3).prefetch(0), Error);
}

TEST_CASE("dataset: what a map throws on the other thread comes out of next()") {
  const Dataset dataset = numbers(6).batch(2).map([](const DatasetElement& e) {
    if (element(e[0], 0) == 2) throw Error(ErrorKind::value, "two");
    return e;
  });
  DatasetIterator iterator(dataset.prefetch(3));
  DatasetElement element_;
  CHECK(iterator.next(element_));
  CHECK_THROWS_WITH(iterator.next(element_), "two");
}

TEST_CASE("dataset: a loop over it takes every element, and each loop is another pass") {
  const Dataset shuffled = numbers(40).shuffle(40).batch(8);
  std::vector<std::vector<double>> passes;
  for (int pass = 0; pass < 2; ++pass) {
    passes.emplace_back();
    for (const DatasetElement& batch : shuffled) {
      for (double value : elements(batch[0])) passes.back().push_back(value);
    }
  }
  DatasetIterator iterator(shuffled);
  for (const std::vector<double>& pass : passes) {
    std::vector<double> same = run(iterator, 9);
    std::erase(same, -1.0);
    CHECK(pass == same);
    CHECK(std::set<double>(pass.begin(), pass.end()).size() == 40);
    iterator.start_over();
  }
  CHECK(passes[0] != passes[1]);
  for ([[maybe_unused]] const auto& none : numbers(3).repeat(0)) FAIL("nothing to take");
}
