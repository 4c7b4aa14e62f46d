// Data sets: slices of tensors, shuffled, batched and repeated as tf.data does it.
//
//   Dataset train = Dataset::from_tensor_slices({x_train, y_train}).shuffle(10000, seed).batch(64).repeat();
//   DatasetIterator batches(train);
//   while (batches.next(batch)) ...
//
// map() changes elements by a function, prefetch() makes them ahead on a thread. An iterator's state is a few
// integers: the order is a function of the seed, so it can be run through again.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/names.h"
#include "engine/core/public.h"
#include "engine/data/rows.h"

namespace tapescope TAPESCOPE_PUBLIC {

// One element: a tensor for each component.
struct DatasetElement {
  static constexpr int kMaxComponents = 4;
  std::array<Tensor, kMaxComponents> parts;
  const Tensor& operator[](int i) const { return parts[static_cast<std::size_t>(i)]; }
};

// A pure function of an element: it may be called again for the same one, and on another thread.
using ElementMap = std::function<DatasetElement(const DatasetElement&)>;

struct DatasetStage {
  enum class Kind : std::uint8_t { shuffle, batch, repeat } kind;
  std::int64_t count;      // buffer, batch size, times (-1: for ever)
  bool flag = false;       // batch: drop the remainder
  std::uint64_t seed = 0;  // shuffle
};

class Dataset {
 public:
  // Element i is row i of each. Throws ValueError for none, more than four, or unequal counts.
  static Dataset from_tensor_slices(std::vector<Rows> components);
  // Each pass in another order: a buffer of that many elements from which a random one is taken and replaced
  // by the next. Complete only if the buffer holds all. One seed gives one sequence of orders. Comes before
  // batch(): ValueError otherwise.
  Dataset shuffle(std::int64_t buffer_size, std::uint64_t seed = 0) const;
  // Without drop_remainder the last batch of a pass may be smaller. Throws ValueError on a batched data set.
  Dataset batch(std::int64_t batch_size, bool drop_remainder = false) const;
  // Again and again, or `count` times.
  Dataset repeat(std::int64_t count = -1) const;

  // Each element changed by `function`, which keeps the number of components: single examples before batch(),
  // batches after. No tape records what it does.
  Dataset map(ElementMap function) const;
  // Up to `depth` elements are made ahead on a thread of the iterator's own. Throws ValueError for a depth
  // below 1.
  Dataset prefetch(std::int64_t depth) const;

  // `for (const DatasetElement& batch : dataset)` runs through it once; each time is another pass, which
  // shuffles again.
  class Iterator;
  Iterator begin(Location location = Location::current()) const;
  std::default_sentinel_t end() const { return {}; }

  // Elements of one run through; -1 when it never ends.
  std::int64_t cardinality() const;
  const std::vector<Rows>& components() const { return components_; }
  const std::vector<DatasetStage>& stages() const { return stages_; }

 private:
  friend class DatasetIterator;
  Dataset with(const DatasetStage& stage) const;
  bool batched() const;
  std::vector<Rows> components_;
  std::vector<DatasetStage> stages_;
  // Shuffling and repeating only choose elements, so that maps can wait until the elements are made.
  std::vector<ElementMap> example_maps_, batch_maps_;
  std::int64_t prefetch_ = 0;
  std::shared_ptr<std::atomic<std::uint64_t>> passes_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

// One run through a data set. The tensors it gives are new ones that no tape watches.
class DatasetIterator {
 public:
  explicit DatasetIterator(const Dataset& dataset);
  ~DatasetIterator();
  DatasetIterator(DatasetIterator&&) noexcept;

  // False at the end. Allocates nothing but the tensors, from the pool.
  bool next(DatasetElement& batch, Location location = Location::current());
  // Starts another pass and shuffles again.
  void start_over();

  std::vector<std::uint64_t> save_state() const;
  // Takes what save_state() gave for the same data set. Runs through at most one pass of each shuffle again.
  void restore_state(std::span<const std::uint64_t> state);

  struct Stage;
  struct Source;

 private:
  friend class Dataset;
  DatasetIterator(const Dataset& dataset, std::uint64_t pass);
  struct Ahead;
  std::unique_ptr<Source> source_;
  std::unique_ptr<Ahead> ahead_;
};

// Of a loop over a data set. The element is replaced by the next one; tensors taken from it stay.
class Dataset::Iterator {
 public:
  using value_type = DatasetElement;
  using difference_type = std::ptrdiff_t;

  Iterator(std::shared_ptr<DatasetIterator> from, const Location& location)
      : from_(std::move(from)), location_(location) {
    ++*this;
  }
  const DatasetElement& operator*() const { return element_; }
  const DatasetElement* operator->() const { return &element_; }
  Iterator& operator++() {
    ended_ = !from_->next(element_, location_);
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return ended_; }

 private:
  std::shared_ptr<DatasetIterator> from_;
  DatasetElement element_;
  Location location_;
  bool ended_ = false;
};

}  // namespace tapescope
