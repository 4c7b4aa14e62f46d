// The stages of a data set hand row numbers to one another; only the iterator touches elements.
#include "engine/nn/dataset.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/ops/state.h"

namespace tapescope {

using Kind = DatasetStage::Kind;

Dataset Dataset::from_tensor_slices(std::vector<Rows> components) {
  if (components.empty() || components.size() > DatasetElement::kMaxComponents) {
    fail(ErrorKind::value, "from_tensor_slices",
         fmt::format("got {} components, expected 1 to {}", components.size(), DatasetElement::kMaxComponents));
  }
  for (const Rows& rows : components) {
    if (rows.count() != components[0].count()) {
      fail(ErrorKind::value, "from_tensor_slices",
           fmt::format("components have {} and {} rows, expected the same first dimension", components[0].count(),
                       rows.count()));
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
    fail(ErrorKind::value, "shuffle", fmt::format("got a buffer of {} elements, expected at least one", buffer_size));
  }
  for (const DatasetStage& stage : stages_) {
    if (stage.kind == Kind::batch) {
      fail(ErrorKind::value, "shuffle",
           "got a batched data set; shuffle before batch(), so that examples and not batches mix");
    }
  }
  return with({Kind::shuffle, buffer_size, false, seed});
}

Dataset Dataset::batch(std::int64_t batch_size, bool drop_remainder) const {
  if (batch_size < 1) {
    fail(ErrorKind::value, "batch", fmt::format("got a batch size of {}, expected at least one", batch_size));
  }
  for (const DatasetStage& stage : stages_) {
    if (stage.kind != Kind::batch) continue;
    fail(ErrorKind::value, "batch", "the data set is batched already; call batch() once");
  }
  return with({Kind::batch, batch_size, drop_remainder});
}

Dataset Dataset::repeat(std::int64_t count) const { return with({Kind::repeat, count < 0 ? -1 : count}); }

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
  Shuffle(std::int64_t size, std::uint64_t seed) : buffer_size(static_cast<std::uint64_t>(size)), seed(seed) {}
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
    const auto wide = static_cast<unsigned __int128>(mix(key ^ (drawn * 0x9e3779b97f4a7c15u))) * buffer.size();
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

DatasetIterator::DatasetIterator(const Dataset& dataset) : components_(dataset.components()) {
  last_ = std::make_unique<Slices>(components_[0].count());
  for (const DatasetStage& stage : dataset.stages()) {
    std::unique_ptr<Stage> next = make_stage(stage);
    next->from = std::move(last_);
    last_ = std::move(next);
  }
  last_->begin(0);
}

DatasetIterator::~DatasetIterator() = default;
DatasetIterator::DatasetIterator(DatasetIterator&&) noexcept = default;

bool DatasetIterator::next(DatasetElement& batch, Location location) {
  rows_.clear();
  if (!last_->next(rows_)) return false;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    batch.parts[i] = components_[i].take(rows_);
    note_created(batch.parts[i], location);
  }
  state().mark_time();
  return true;
}

void DatasetIterator::start_over() { last_->begin(++pass_); }

std::vector<std::uint64_t> DatasetIterator::save_state() const {
  std::vector<std::uint64_t> state{pass_};
  last_->save(state);
  return state;
}

void DatasetIterator::restore_state(std::span<const std::uint64_t> state) {
  pass_ = Stage::take(state);
  last_->restore(state);
  if (!state.empty()) refuse_state("long");
}

}  // namespace tapescope
