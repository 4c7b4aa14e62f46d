// The stages of a data set hand row numbers to one another; only the iterator touches elements.
#include "engine/data/dataset.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/data/prefetch.h"
#include "engine/gate/state.h"
#include "engine/ops/shape.h"

namespace tapescope {

using Kind = DatasetStage::Kind;

Dataset Dataset::from_tensor_slices(std::vector<Rows> components) {
  if (components.empty() || components.size() > DatasetElement::kMaxComponents) {
    fail(ErrorKind::value, "from_tensor_slices",
         fmt::format("got {} components, expected 1 to {}", components.size(),
                     DatasetElement::kMaxComponents));
  }
  for (const Rows& rows : components) {
    if (rows.count() != components[0].count()) {
      fail(ErrorKind::value, "from_tensor_slices",
           fmt::format("components have {} and {} rows, expected the same first dimension",
                       components[0].count(), rows.count()));
    }
  }
  Dataset dataset;
  dataset.components_ = std::move(components);
  return dataset;
}

Dataset Dataset::with(const DatasetStage& stage) const {
  Dataset dataset = *this;
  dataset.stages_.push_back(stage);
  return dataset;
}

Dataset Dataset::shuffle(std::int64_t buffer_size, std::uint64_t seed) const {
  if (buffer_size < 1) {
    fail(ErrorKind::value, "shuffle",
         fmt::format("got a buffer of {} elements, expected at least one", buffer_size));
  }
  if (batched()) {
    fail(ErrorKind::value, "shuffle",
         "got a batched data set; shuffle before batch(), so that examples and not batches mix");
  }
  return with({Kind::shuffle, buffer_size, false, seed});
}

Dataset Dataset::batch(std::int64_t batch_size, bool drop_remainder) const {
  if (batch_size < 1) {
    fail(ErrorKind::value, "batch", fmt::format("got a batch size of {}, expected at least one", batch_size));
  }
  if (batched()) fail(ErrorKind::value, "batch", "the data set is batched already; call batch() once");
  return with({Kind::batch, batch_size, drop_remainder});
}

Dataset Dataset::repeat(std::int64_t count) const { return with({Kind::repeat, count < 0 ? -1 : count}); }

bool Dataset::batched() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const DatasetStage& s) { return s.kind == Kind::batch; });
}

Dataset Dataset::map(ElementMap function) const {
  Dataset dataset = *this;
  (batched() ? dataset.batch_maps_ : dataset.example_maps_).push_back(std::move(function));
  return dataset;
}

Dataset Dataset::prefetch(std::int64_t depth) const {
  if (depth < 1) {
    fail(ErrorKind::value, "prefetch",
         fmt::format("got a depth of {}, expected at least one element", depth));
  }
  Dataset dataset = *this;
  dataset.prefetch_ = depth;
  return dataset;
}

std::int64_t Dataset::cardinality() const {
  std::int64_t count = components_[0].count();
  for (const DatasetStage& stage : stages_) {
    if (stage.kind == Kind::batch && count > 0) {
      count = stage.flag ? count / stage.count : (count + stage.count - 1) / stage.count;
    } else if (stage.kind == Kind::repeat && count != 0) {
      count = stage.count < 0 || count < 0 ? (stage.count == 0 ? 0 : -1) : count * stage.count;
    }
  }
  return count;
}

[[noreturn]] static void refuse_state(const char* what) {
  fail(ErrorKind::value, "restore_state",
       fmt::format("the state is too {}: it was saved for another data set", what));
}

// Appends the rows of one element at a time.
struct DatasetIterator::Stage {
  std::unique_ptr<Stage> from;
  virtual ~Stage() = default;
  // Begins a pass; the number sets passes apart.
  virtual void begin(std::uint64_t pass) { from->begin(pass); }
  virtual bool next(std::vector<std::uint32_t>& rows) = 0;
  virtual void save(std::vector<std::uint64_t>& state) const { from->save(state); }
  // Takes its numbers from the front of `state`.
  virtual void restore(std::span<const std::uint64_t>& state) { from->restore(state); }

  static std::uint64_t take(std::span<const std::uint64_t>& state) {
    if (state.empty()) refuse_state("short");
    const std::uint64_t value = state.front();
    state = state.subspan(1);
    return value;
  }
};

namespace {

using Stage = DatasetIterator::Stage;
using RowList = std::vector<std::uint32_t>;

// Steele, Lea and Flood's splitmix64: mixes a counter into 64 random bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Slices : Stage {
  explicit Slices(std::int64_t rows) : count(static_cast<std::uint64_t>(rows)) {}
  void begin(std::uint64_t) override { at = 0; }
  bool next(RowList& rows) override {
    if (at >= count) return false;
    rows.push_back(static_cast<std::uint32_t>(at++));
    return true;
  }
  void save(std::vector<std::uint64_t>& state) const override { state.push_back(at); }
  void restore(std::span<const std::uint64_t>& state) override { at = take(state); }
  std::uint64_t count, at = 0;
};

struct Shuffle : Stage {
  Shuffle(std::int64_t size, std::uint64_t seed)
      : buffer_size(static_cast<std::uint64_t>(size)), seed(seed) {}
  void begin(std::uint64_t number) override {
    pass = number;
    drawn = 0;
    filled = false;
    key = mix(mix(seed) ^ pass);
  }
  bool next(RowList& rows) override {
    if (!filled) fill();
    if (buffer.empty()) return false;
    // The high half of a 64-bit product is uniform in [0, size) up to one part in 2^50.
    const auto wide =
        static_cast<unsigned __int128>(mix(key ^ (drawn * 0x9e3779b97f4a7c15u))) * buffer.size();
    const auto chosen = static_cast<std::size_t>(wide >> 64);
    ++drawn;
    rows.push_back(buffer[chosen]);
    fresh.clear();
    if (from->next(fresh)) {
      buffer[chosen] = fresh[0];
    } else {
      buffer[chosen] = buffer.back();
      buffer.pop_back();
    }
    return true;
  }
  void fill() {
    from->begin(pass);
    buffer.clear();
    while (buffer.size() < buffer_size && from->next(buffer)) {
    }
    filled = true;
  }
  void save(std::vector<std::uint64_t>& state) const override {
    state.push_back(pass);
    state.push_back(drawn);
  }
  // The buffer follows from the draws before: they are made again.
  void restore(std::span<const std::uint64_t>& state) override {
    begin(take(state));
    RowList ignored;
    for (std::uint64_t left = take(state); left > 0; --left) {
      ignored.clear();
      next(ignored);
    }
  }
  std::uint64_t buffer_size, seed, key = 0, pass = 0, drawn = 0;
  bool filled = false;
  RowList buffer, fresh;
};

struct BatchStage : Stage {
  BatchStage(std::int64_t size, bool drop) : size(size), drop_remainder(drop) {}
  bool next(RowList& rows) override {
    const std::size_t before = rows.size();
    for (std::int64_t i = 0; i < size; ++i) {
      if (from->next(rows)) continue;
      if (drop_remainder) rows.resize(before);
      return rows.size() > before;
    }
    return true;
  }
  std::int64_t size;
  bool drop_remainder;
};

struct Repeat : Stage {
  explicit Repeat(std::int64_t times) : times(times) {}
  void begin(std::uint64_t number) override {
    outer = number;
    done = 0;
    if (times != 0) from->begin(inner());
  }
  bool next(RowList& rows) override {
    // An empty data set never has a next one, however often it begins.
    for (int tries = 0; tries < 2; ++tries) {
      if (times >= 0 && done >= static_cast<std::uint64_t>(times)) return false;
      if (from->next(rows)) return true;
      ++done;
      if (times < 0 || done < static_cast<std::uint64_t>(times)) from->begin(inner());
    }
    return false;
  }
  std::uint64_t inner() const { return (outer << 32) + done; }
  void save(std::vector<std::uint64_t>& state) const override {
    state.push_back(outer);
    state.push_back(done);
    from->save(state);
  }
  void restore(std::span<const std::uint64_t>& state) override {
    outer = take(state);
    done = take(state);
    from->restore(state);
  }
  std::int64_t times;
  std::uint64_t outer = 0, done = 0;
};

std::unique_ptr<Stage> make_stage(const DatasetStage& stage) {
  switch (stage.kind) {
    case Kind::shuffle: return std::make_unique<Shuffle>(stage.count, stage.seed);
    case Kind::batch: return std::make_unique<BatchStage>(stage.count, stage.flag);
    case Kind::repeat: return std::make_unique<Repeat>(stage.count);
  }
  return nullptr;
}

}  // namespace

// Makes the elements, on whichever thread asks for them.
struct DatasetIterator::Source {
  explicit Source(const Dataset& from) : dataset(from) {
    last = std::make_unique<Slices>(dataset.components_[0].count());
    for (const DatasetStage& stage : dataset.stages_) {
      std::unique_ptr<Stage> next = make_stage(stage);
      next->from = std::move(last);
      last = std::move(next);
    }
    last->begin(0);
  }

  bool next(DatasetElement& element) {
    rows.clear();
    if (!last->next(rows)) return false;
    if (dataset.example_maps_.empty()) {
      take(rows, element);
    } else {
      stack_mapped(element);
    }
    if (!dataset.batch_maps_.empty()) {
      Silence silence("Dataset.map");
      for (const ElementMap& map : dataset.batch_maps_) element = map(element);
    }
    return true;
  }

  void take(std::span<const std::uint32_t> from, DatasetElement& element) const {
    for (std::size_t i = 0; i < dataset.components_.size(); ++i)
      element.parts[i] = dataset.components_[i].take(from);
  }

  // Maps each example, without a batch dimension, then puts them together.
  void stack_mapped(DatasetElement& element) const {
    Silence silence("Dataset.map");
    std::vector<Tensor> parts[DatasetElement::kMaxComponents];
    for (const std::uint32_t& row : rows) {
      DatasetElement example;
      take(std::span(&row, 1), example);
      for (std::size_t i = 0; i < dataset.components_.size(); ++i)
        example.parts[i] = squeeze(example.parts[i], 0);
      for (const ElementMap& map : dataset.example_maps_) example = map(example);
      for (std::size_t i = 0; i < dataset.components_.size(); ++i) parts[i].push_back(example.parts[i]);
    }
    for (std::size_t i = 0; i < dataset.components_.size(); ++i) element.parts[i] = stack(parts[i], 0);
  }

  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> saved{pass};
    last->save(saved);
    return saved;
  }

  Dataset dataset;
  std::unique_ptr<Stage> last;
  RowList rows;
  std::uint64_t pass = 0;
};

// What was made ahead, and where the program has come to.
struct DatasetIterator::Ahead {
  struct Made {
    DatasetElement element;
    std::vector<std::uint64_t> after;  // the source's state once it had made this one
  };
  std::vector<std::uint64_t> reached;
  std::optional<Prefetcher<Made>> worker;
};

Dataset::Iterator Dataset::begin(Location location) const {
  const std::uint64_t pass = passes_->fetch_add(1, std::memory_order_relaxed);
  return {std::shared_ptr<DatasetIterator>(new DatasetIterator(*this, pass)), location};
}

DatasetIterator::DatasetIterator(const Dataset& dataset) : DatasetIterator(dataset, 0) {}

DatasetIterator::DatasetIterator(const Dataset& dataset, std::uint64_t pass)
    : source_(std::make_unique<Source>(dataset)) {
  if (pass != 0) source_->last->begin(source_->pass = pass);
  if (dataset.prefetch_ == 0) return;
  ahead_ = std::make_unique<Ahead>();
  ahead_->reached = source_->state();
}

DatasetIterator::~DatasetIterator() = default;
DatasetIterator::DatasetIterator(DatasetIterator&& other) noexcept = default;

bool DatasetIterator::next(DatasetElement& batch, Location location) {
  Source& source = *source_;
  if (ahead_) {
    if (!ahead_->worker) {
      ahead_->worker.emplace(
          [&source]() -> std::optional<Ahead::Made> {
            Ahead::Made made;
            if (!source.next(made.element)) return std::nullopt;
            made.after = source.state();
            return made;
          },
          static_cast<std::size_t>(source.dataset.prefetch_));
    }
    std::optional<Ahead::Made> made = ahead_->worker->next();
    if (!made) return false;
    ahead_->reached = std::move(made->after);
    // Tensors of this thread over the elements: ids order what was made. What a map made has ops behind it,
    // and one more shows where it comes from.
    const bool mapped = !source.dataset.example_maps_.empty() || !source.dataset.batch_maps_.empty();
    for (Tensor& part : made->element.parts) {
      if (!part) continue;
      Tensor own;
      if (mapped) {
        Silence silence("Dataset.prefetch");
        own = identity({part, location});
      } else {
        own = Tensor(new_view(part.impl(), part.impl()->type, part.impl()->data));
      }
      own.impl()->name = part.impl()->name;
      part = std::move(own);
    }
    batch = std::move(made->element);
  } else if (!source.next(batch)) {
    return false;
  }
  for (std::size_t i = 0; i < source.dataset.components_.size(); ++i) note_created(batch.parts[i], location);
  state().mark_time();
  return true;
}

void DatasetIterator::start_over() {
  if (ahead_) ahead_->worker.reset();
  source_->last->begin(++source_->pass);
  if (ahead_) ahead_->reached = source_->state();
}

std::vector<std::uint64_t> DatasetIterator::save_state() const {
  return ahead_ ? ahead_->reached : source_->state();
}

void DatasetIterator::restore_state(std::span<const std::uint64_t> state) {
  if (ahead_) ahead_->worker.reset();
  const std::span<const std::uint64_t> given = state;
  source_->pass = Stage::take(state);
  source_->last->restore(state);
  if (!state.empty()) refuse_state("long");
  if (ahead_) ahead_->reached.assign(given.begin(), given.end());
}

}  // namespace tapescope
