// Data sets of every order of stages against the same stages over plain lists.
#include <random>

#include <fmt/format.h>

#include "engine/data/dataset.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Batches = std::vector<std::vector<double>>;
constexpr std::size_t kEnough = 60;  // of a data set that never ends

// What each stage makes of the elements before it; shuffles are left out.
Batches expected_of(const Dataset& dataset, std::size_t rows) {
  Batches elements;
  for (std::size_t i = 0; i < rows; ++i) elements.push_back({static_cast<double>(i)});
  for (const DatasetStage& stage : dataset.stages()) {
    Batches next;
    if (stage.kind == DatasetStage::Kind::repeat) {
      const std::size_t times = stage.count < 0 ? 4 * kEnough : static_cast<std::size_t>(stage.count);
      for (std::size_t i = 0; i < times && !elements.empty() && next.size() < 8 * kEnough; ++i)
        next.insert(next.end(), elements.begin(), elements.end());
    } else if (stage.kind == DatasetStage::Kind::batch) {
      for (std::size_t i = 0; i < elements.size(); i += static_cast<std::size_t>(stage.count)) {
        std::vector<double> batch;
        for (std::size_t k = i; k < std::min(elements.size(), i + static_cast<std::size_t>(stage.count)); ++k)
          batch.push_back(elements[k][0]);
        if (!stage.flag || batch.size() == static_cast<std::size_t>(stage.count)) next.push_back(batch);
      }
    } else {
      next = elements;
    }
    elements = std::move(next);
  }
  return elements;
}

Batches taken_from(DatasetIterator& iterator, std::size_t most = kEnough) {
  Batches taken;
  DatasetElement element;
  while (taken.size() < most && iterator.next(element)) taken.push_back(elements(element[0]));
  return taken;
}

}  // namespace

TEST_CASE("dataset: any stages in any order give what lists give, and as many as they say", "[data]") {
  for (const std::size_t rows : {0u, 1u, 5u, 7u}) {
    const Dataset base = Dataset::from_tensor_slices({cast(range(static_cast<double>(rows)), DType::f32)});
    for (int first = -1; first <= 3; ++first)
      for (int batch = 0; batch <= 3; ++batch)
        for (const bool drop : {false, true})
          for (int second = -1; second <= 2; ++second)
            for (const bool ahead : {false, true}) {
              if (ahead && batch != 2) continue;
              INFO(rows << " rows, repeat " << first << ", batch " << batch << (drop ? " whole" : "")
                        << ", repeat " << second << (ahead ? ", ahead" : ""));
              Dataset dataset = base.repeat(first);
              if (batch > 0) dataset = dataset.batch(batch, drop);
              dataset = dataset.repeat(second);
              if (ahead) dataset = dataset.prefetch(2);
              Batches expected = expected_of(dataset, rows);
              const bool endless = rows > 0 && (first < 0 || second < 0) && !expected.empty();
              CHECK(dataset.cardinality() == (endless ? -1 : static_cast<std::int64_t>(expected.size())));
              if (expected.size() > kEnough) expected.resize(kEnough);
              DatasetIterator iterator(dataset);
              CHECK(taken_from(iterator) == expected);
              iterator.start_over();
              CHECK(taken_from(iterator) == expected);
            }
  }
}

TEST_CASE("dataset: a buffer of any size gives each element once, none before it was seen", "[data]") {
  for (std::int64_t size = 1; size <= 9; ++size) {
    const Dataset dataset = Dataset::from_tensor_slices({range(7)}).shuffle(size, 3);
    CHECK(dataset.cardinality() == 7);
    DatasetIterator iterator(dataset);
    bool latest = false, other_order = false;
    for (int pass = 0; pass < 60; ++pass) {
      const Batches taken = taken_from(iterator);
      REQUIRE(taken.size() == 7);
      std::vector<double> sorted;
      for (std::size_t i = 0; i < 7; ++i) {
        const double value = taken[i][0];
        sorted.push_back(value);
        REQUIRE(value < static_cast<double>(i) + static_cast<double>(size));
        latest |= value == static_cast<double>(i) + static_cast<double>(size) - 1;
        other_order |= value != static_cast<double>(i);
      }
      std::sort(sorted.begin(), sorted.end());
      CHECK(sorted == std::vector<double>{0, 1, 2, 3, 4, 5, 6});
      iterator.start_over();
    }
    if (size <= 7) CHECK(latest);  // the buffer is used whole
    CHECK(other_order == (size > 1));
  }
}
