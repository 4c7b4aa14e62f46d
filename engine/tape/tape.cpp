// GradientTape's state machine and questions.
#include "engine/tape/tape.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/events/limit.h"
#include "engine/gate/apply.h"
#include "engine/gate/implied_steps.h"
#include "engine/gate/symbol.h"
#include "engine/ops/ops.h"
#include "engine/ops/tensor_list.h"
#include "engine/program.h"
#include "engine/tape/cursor.h"
#include "engine/tape/journal.h"
#include "engine/tape/question.h"
#include "engine/tape/storage.h"

namespace tapescope {

std::string Traced::name() const {
  if (variable_) return std::string(variable_.name());
  if (!tensor_) return "None";
  const std::string_view given = tensor_.name();
  return given.empty() ? fmt::format("tensor:{}", tensor_.id()) : std::string(given);
}

NameId Traced::given_name() const {
  return intern_name(variable_ ? variable_.name() : tensor_ ? tensor_.name() : std::string_view());
}

namespace {

// The tensors whose memory a saved one keeps: of a list, those of its elements.
void add_owners(const Tensor& saved, std::vector<const TensorImpl*>& owners) {
  const TensorImpl* impl = saved.impl();
  if (!impl) return;
  if (!is_list(saved.type()) || is_symbol(saved)) {
    owners.push_back(impl->base ? impl->base : impl);
    return;
  }
  for (const Tensor& element : list_elements(impl)) add_owners(element, owners);
}

}  // namespace

GradientTape::GradientTape(TapeOptions options, Location location)
    : storage_(TapeStorage::acquire(), TapeStorage::release) {
  storage_->persistent = options.persistent;
  storage_->watch_accessed = options.watch_accessed_variables;
  storage_->name_ = std::move(options.name);
  storage_->made_at = location;
}

namespace {

// TensorFlow reports only the first five.
constexpr std::uint32_t kWatchWarnings = 5;

// A block whose tape is gone gives back what the tape held.
void end_block(TapeStorage* storage) {
  if (--storage->blocks == 0 && storage->ownerless) TapeStorage::release(storage);
}

// A thread that ends leaves the blocks it is in: their tapes may be used on by others.
struct EndOfThread {
  ~EndOfThread() {
    implied_steps::thread_ends(state());
    for (TapeListener* listener : state().tapes) {
      if (auto* tape = dynamic_cast<TapeStorage*>(listener)) {
        tape->active_on = nullptr;
        tape->state = TapeState::stopped;
      }
    }
  }
};

}  // namespace

GradientTape::~GradientTape() {
  if (!storage_) return;
  if (storage_->active_on) {
    leave(*storage_);
    storage_->state = TapeState::stopped;
  }
  if (storage_->state != TapeState::fresh) storage_->note(TapeRecord::kDestroyed, storage_->made_at);
}

GradientTape::GradientTape(GradientTape&&) noexcept = default;
GradientTape& GradientTape::operator=(GradientTape&& other) noexcept {
  if (this == &other) return *this;
  const GradientTape before(std::move(*this));  // closes what this object held
  storage_ = std::move(other.storage_);
  return *this;
}

bool GradientTape::persistent() const { return living(storage_.get(), "persistent", Location()).persistent; }
TapeId GradientTape::id() const { return living(storage_.get(), "id", Location()).id; }

void GradientTape::enter(Location location) {
  TapeStorage& tape = living(storage_.get(), "GradientTape", location);
  if (tape.state == TapeState::recording || tape.state == TapeState::paused) {
    fail(ErrorKind::value, "GradientTape",
         fmt::format("{} is still recording and was entered again; leave its block first", called(tape)),
         &location);
  }
  const bool again = tape.state == TapeState::stopped;
  if (tape.state == TapeState::fresh || tape.state == TapeState::consumed ||
      tape.state == TapeState::broken) {
    tape.clear_recording();
    tape.chunks.clear();
  }
  ThreadState& ts = state();
  if (ts.tapes.empty()) {
    implied_steps::tape_opens(ts);
    if (ts.in_flight()) ts.flight.tape_entered();
  }
  tape.state = TapeState::recording;
  tape.active_on = &ts;
  static thread_local const EndOfThread end_of_thread;
  tape.thread = ts.writer.thread();
  ts.activate(&tape);
  if (tape.chunks.empty() || tape.chunks.back().get() != ts.writer.current().get()) {
    tape.chunks.push_back(ts.writer.current());
  }
  ts.note(TapeEnterRecord{
      .flags = static_cast<std::uint8_t>((tape.persistent ? TapeEnterRecord::kPersistent : 0) |
                                         (tape.watch_accessed ? TapeEnterRecord::kWatchesAccessed : 0) |
                                         (again ? TapeEnterRecord::kAgain : 0)),
      .tape = tape.id,
      .site = intern_site(location, ts.scope),
      .made = intern_site(tape.made_at, ts.scope)});
  ts.mark_time();
}

void GradientTape::exit(Location location) {
  TapeStorage& tape = living(storage_.get(), "GradientTape", location);
  if (!tape.active_on) return;  // gradient() inside the block has stopped it already
  leave(tape);
  tape.state = TapeState::stopped;
  tape.note(TapeRecord::kExit, location);
}

GradientTape::Recording GradientTape::record(Location location) {
  enter(location);
  ++storage_->blocks;
  return Recording(storage_.get());
}

void GradientTape::Recording::end() {
  if (storage_->active_on) {
    leave(*storage_);
    storage_->state = TapeState::stopped;
    storage_->note(TapeRecord::kExit, storage_->made_at);
  }
  end_block(storage_);
}

GradientTape::Pause GradientTape::stop_recording(Location location) {
  TapeStorage& tape = living(storage_.get(), "stop_recording", location);
  if (tape.state == TapeState::fresh || tape.state == TapeState::consumed ||
      tape.state == TapeState::broken) {
    fail(ErrorKind::runtime, "stop_recording",
         fmt::format("{} has recorded nothing that could be paused; enter it first", called(tape)),
         &location);
  }
  if (tape.state != TapeState::recording) {
    fail(ErrorKind::value, "stop_recording",
         fmt::format("{} is not recording; call it inside the tape's block, once", called(tape)), &location);
  }
  tape.state = TapeState::paused;
  tape.note(TapeRecord::kPause, location);
  ++tape.blocks;
  return Pause(storage_.get());
}

void GradientTape::Pause::end() {
  if (storage_->state == TapeState::paused) {
    storage_->state = TapeState::recording;
    storage_->note(TapeRecord::kResume, storage_->made_at);
  }
  end_block(storage_);
}

void GradientTape::reset(Location location) {
  TapeStorage& tape = living(storage_.get(), "reset", location);
  if (tape.state != TapeState::recording) {
    fail(ErrorKind::value, "reset",
         fmt::format("{} is not recording; reset() is for the inside of its block", called(tape)), &location);
  }
  tape.clear_recording();
  tape.note(TapeRecord::kReset, location);
}

void GradientTape::watch(const Traced& what, Location location) {
  TapeStorage& tape = living(storage_.get(), "watch", location);
  if (tape.state == TapeState::fresh || tape.state == TapeState::consumed ||
      tape.state == TapeState::broken) {
    fail(ErrorKind::attribute, "watch",
         fmt::format("{} is not open, so it cannot watch '{}'; call watch() inside its block", called(tape),
                     what.name()),
         &location);
  }
  check_traced(what, "watched value", location);
  if (!is_floating(what.type().dtype)) {
    tape.watch(what.tensor(), WatchKind::refused_dtype, location);
    static constinit Limit warnings(kWatchWarnings);
    if (warnings.allows()) {
      note_message(fmt::format("watch: '{}' is {}; only floating types have gradients, so it is not followed",
                               what.name(), name_of(what.type().dtype)),
                   1, location);
    }
    return;
  }
  // Without any active tape on the thread a watch is ignored, as in TensorFlow.
  if (state().tapes.empty() || (tape.state == TapeState::paused && state().tapes.size() == 1)) {
    tape.watch(what.tensor(), WatchKind::ignored, location);
    return;
  }
  if (tape.watch(what.tensor(), WatchKind::by_hand, location) && what.variable()) {
    tape.variables.push_back(what.variable());
  }
}

void GradientTape::watch(std::initializer_list<Traced> what, Location location) {
  for (const Traced& item : what) watch(item, location);
}

std::vector<Variable> GradientTape::watched_variables() const {
  const TapeStorage& tape = living(storage_.get(), "watched_variables", Location());
  std::vector<Variable> found = tape.variables;
  for (const Tensor& leaf : tape.watched) {
    if (leaf.dtype() != DType::resource) continue;
    if (Variable variable = Variable::of_handle(leaf)) found.push_back(std::move(variable));
  }
  std::sort(found.begin(), found.end(),
            [](const Variable& a, const Variable& b) { return a.creation_index() < b.creation_index(); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

GradientTape::Counts GradientTape::counts() const {
  const TapeStorage& tape = living(storage_.get(), "counts", Location());
  Counts counts;
  counts.recorded = tape.nodes.size();
  counts.backward_nodes = tape.walked;
  std::vector<const TensorImpl*> owners;
  for (std::uint32_t i = 0; i < tape.saved.size(); ++i) add_owners(tape.saved[i], owners);
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  for (const TensorImpl* owner : owners) counts.saved_bytes += static_cast<std::uint64_t>(owner->type->bytes);
  return counts;
}

Tensor GradientTape::gradient(const Traced& target, const Traced& source, const GradientOptions& options,
                              Location location) {
  return std::move(gradient(std::span(&target, 1), std::span(&source, 1), options, location)[0]);
}

std::vector<Tensor> GradientTape::gradient(const Traced& target, std::span<const Traced> sources,
                                           const GradientOptions& options, Location location) {
  return gradient(std::span(&target, 1), sources, options, location);
}

std::vector<Tensor> GradientTape::gradient(const Traced& target, std::initializer_list<Traced> sources,
                                           const GradientOptions& options, Location location) {
  return gradient(std::span(&target, 1), std::span(sources.begin(), sources.size()), options, location);
}

std::vector<Tensor> GradientTape::gradient(std::span<const Traced> targets, std::span<const Traced> sources,
                                           const GradientOptions& options, Location location) {
  TapeStorage& tape = living(storage_.get(), "gradient", location);
  TapeQuestion question(tape, "gradient", targets, sources, options, location);
  for (const Tensor& given : options.output_gradients) {
    if (!given) {
      fail(ErrorKind::value, "gradient",
           "an entry of output_gradients is None; give a tensor for each target, or leave the whole option "
           "out",
           &location);
    }
  }
  std::vector<Tensor> gradients;
  question.run([&] {
    Cursor cursor(tape, targets, sources, options);
    question.begin(cursor);
    while (cursor.step()) {
    }
    gradients = cursor.results();
  });
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Type& type = sources[s].type();
    question.result(s, gradients[s], [&] { return make_full(type.shape, 0, type.dtype); });
  }
  return gradients;
}

Explanation GradientTape::explain(const Traced& target, const Traced& source) const {
  return explain_from_tape(living(storage_.get(), "explain", Location()), target, source);
}

std::vector<double> host_values(const Tensor& x, Location location) {
  check_has_elements(x, "host_values", location);
  note_host_read(x, location);
  return element_values(x);
}

double item(const Tensor& x, Location location) {
  if (!x || x.numel() != 1) {
    fail(ErrorKind::value, "item",
         fmt::format("expected a tensor of one element, got {}", x ? x.type().text() : "None"), &location);
  }
  check_has_elements(x, "item", location);
  note_host_read(x, location);
  return element_value(x, 0);
}

}  // namespace tapescope
