// Recording: what a tape does with each op it is offered.
#include "engine/tape/storage.h"

#include <algorithm>
#include <memory>

#include "engine/core/tensor_death.h"
#include "engine/ops/tensor_list.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/cursor.h"

namespace tapescope {

void ValueMap::clear() {
  for (std::uint32_t* page : pages_) {
    if (page) free_pages_.push_back(page);
  }
  pages_.clear();
  std::fill(old_.begin(), old_.end(), Slot{0, kNoValue});
  old_count_ = 0;
}

std::uint32_t ValueMap::find_old(TensorId id) const {
  if (old_.empty()) return kNoValue;
  const std::size_t mask = old_.size() - 1;
  for (std::size_t i = (id * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask) {
    if (old_[i].id == id) return old_[i].value;
    if (old_[i].id == 0) return kNoValue;
  }
}

void ValueMap::grow() {
  std::vector<Slot> before(std::max<std::size_t>(64, old_.size() * 2), Slot{0, kNoValue});
  before.swap(old_);
  old_count_ = 0;
  for (const Slot& slot : before) {
    if (slot.id != 0) insert(slot.id, slot.value);
  }
}

void ValueMap::insert(TensorId id, std::uint32_t value) {
  if (id < base_) {
    // Half full at most, so that probes stay short.
    if ((old_count_ + 1) * 2 > old_.size()) grow();
    const std::size_t mask = old_.size() - 1;
    std::size_t i = (id * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (old_[i].id != 0 && old_[i].id != id) i = (i + 1) & mask;
    if (old_[i].id == 0) ++old_count_;
    old_[i] = {id, value};
    return;
  }
  const std::uint64_t page = (id - base_) / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1, nullptr);
  if (!pages_[page]) {
    if (free_pages_.empty()) {
      owned_pages_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(kPage));
      free_pages_.push_back(owned_pages_.back().get());
    }
    pages_[page] = free_pages_.back();
    free_pages_.pop_back();
    std::memset(pages_[page], 0xff, kPage * sizeof(std::uint32_t));
  }
  pages_[page][(id - base_) % kPage] = value;
}

namespace {

// More than a deep nesting of tapes is not worth keeping.
constexpr std::size_t kMaxSpare = 16;
// Null once the thread's variables are destroyed: static destructors run later, and they may use tapes.
std::vector<std::unique_ptr<TapeStorage>>* spare() {
  constinit thread_local bool ended = false;
  thread_local struct List {
    ~List() { ended = true; }
    std::vector<std::unique_ptr<TapeStorage>> storages;
  } list;
  return ended ? nullptr : &list.storages;
}

}  // namespace

namespace {

[[maybe_unused]] const bool g_told = [] {
  // Linked wherever a tape is.
  tensor_died = [](TensorId tensor) {
    ThreadState* ts = current_state;
    if (!ts) return;  // the thread is ending
    // Tapes are the only listeners there are.
    for (TapeListener* listener : ts->tapes) static_cast<TapeStorage*>(listener)->died(tensor);
  };
  return true;
}();

}  // namespace

TapeStorage::TapeStorage() = default;
TapeStorage::~TapeStorage() = default;

TapeStorage* TapeStorage::acquire() {
  static std::atomic<TapeId> next{1};
  auto* list = spare();
  TapeStorage* storage = nullptr;
  if (!list || list->empty()) {
    if (list) list->reserve(kMaxSpare);
    storage = new TapeStorage;
  } else {
    storage = list->back().release();
    list->pop_back();
  }
  storage->id = next.fetch_add(1, std::memory_order_relaxed);
  storage->state = TapeState::fresh;
  storage->walked = 0;
  return storage;
}

void TapeStorage::release(TapeStorage* storage) {
  if (storage->blocks != 0) {
    storage->ownerless = true;
    return;
  }
  storage->ownerless = false;
  storage->clear_recording();
  storage->chunks.clear();
  auto* list = spare();
  // What a recording made room for that grew very large is given back whole.
  constexpr std::uint32_t kKeepNodes = 1u << 16;
  if (list && list->size() < kMaxSpare && storage->nodes.room() <= kKeepNodes) {
    list->emplace_back(storage);
  } else {
    delete storage;
  }
}

void TapeStorage::clear_recording() {
  map_.clear();  // first: what dies below is followed no more
  nodes.clear();
  inputs.clear();
  values.clear();
  saved.clear();
  attrs.clear();
  watched.clear();
  variables.clear();
  held.clear();
  map_.begin_at(peek_tensor_id());
}

void TapeStorage::note(RecordKind kind, const Location& location) {
  ThreadState& ts = tapescope::state();
  ts.note(TapeRecord{.kind = kind, .tape = id, .site = intern_site(location, ts.scope)});
}

void TapeStorage::add_value(std::uint32_t node, const Type& type, const Tensor& tensor) {
  map_.insert(tensor.id(), values.size());
  values.emplace(
      TapeValue{.node = node, .type = type.id, .id = tensor.id(), .trainable = is_trainable(tensor.dtype())});
}

bool TapeStorage::watch(const Tensor& tensor, WatchKind kind, const Location& location) {
  ThreadState& ts = tapescope::state();
  const bool known = find(tensor) != kNoValue;
  if (known && kind == WatchKind::by_hand) kind = WatchKind::known;
  if (!known && kind != WatchKind::refused_dtype && kind != WatchKind::ignored) {
    std::atomic_ref<std::uint8_t>(tensor.impl()->flags)
        .fetch_or(TensorImpl::kWatched, std::memory_order_relaxed);
    // A list's cotangent is a list; a variable's is one of its value.
    const bool handle = tensor.dtype() == DType::resource && !is_list(tensor.type());
    const Type* type = handle ? handle_of(tensor.impl())->value_type : &tensor.type();
    const std::uint32_t value = values.size();
    add_value(kNoValue, *type, tensor);
    watched.push_back(tensor);
    if (kind == WatchKind::by_hand) connect_earlier_uses(tensor.id(), value);
  }
  ts.note(
      WatchRecord{.how = kind, .tape = id, .watched = tensor.id(), .site = intern_site(location, ts.scope)});
  return !known;
}

// An op that was recorded because of another input gives a tensor that is watched later its gradient too, as
// in TensorFlow: a tape knows inputs by their ids.
void TapeStorage::connect_earlier_uses(TensorId tensor, std::uint32_t value) {
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (node.released) continue;
    for (std::uint32_t i = 0; i < node.inputs; ++i) {
      NodeInput& input = inputs[node.first_input + i];
      if (input.id != tensor || input.value != kNoValue) continue;
      input.value = value;
      ++values[value].uses;
    }
  }
}

void TapeStorage::variable_read(const Tensor& handle, bool trainable, const Location& location) {
  if (state != TapeState::recording || !watch_accessed || !trainable) return;
  if (find(handle) == kNoValue) watch(handle, WatchKind::by_read, location);
}

bool TapeStorage::would_record(OpInputs inputs) const {
  if (state != TapeState::recording) return false;
  return std::any_of(inputs.begin(), inputs.end(), [&](const TensorImpl* input) {
    return is_trainable(input->type->dtype) && map_.find(input) != kNoValue;
  });
}

TapeAnswer TapeStorage::offer(const OpCall& call) {
  if (state != TapeState::recording) return TapeAnswer::paused;
  constexpr std::size_t kInline = 8;
  std::uint32_t here[kInline];
  std::vector<std::uint32_t> more;
  std::uint32_t* found = here;
  if (call.inputs.size() > kInline) [[unlikely]] {
    more.resize(call.inputs.size());
    found = more.data();
  }
  bool any = false, floating = false;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    found[i] = map_.find(call.inputs[i]);
    if (found[i] == kNoValue) continue;
    any = true;
    floating |= is_trainable(call.inputs[i]->type->dtype);
  }
  if (!any) return TapeAnswer::no_watched_input;
  if (!floating) return TapeAnswer::not_floating;
  record(call, found);
  return TapeAnswer::recorded;
}

void TapeStorage::record(const OpCall& call, const std::uint32_t* input_values) {
  const std::uint32_t index = nodes.size();
  const ThreadState& ts = *active_on;
  Node& node = nodes.emplace(Node{.op = &call.op,
                                  .location = call.location,
                                  .output = call.outputs.empty() ? 0 : call.outputs[0].id(),
                                  .first_value = values.size(),
                                  .first_input = inputs.size(),
                                  .first_saved = saved.size(),
                                  .attrs = kNoValue,
                                  .scope = ts.scope,
                                  .inputs = static_cast<std::uint32_t>(call.inputs.size()),
                                  .saved = 0,
                                  .thread = ts.writer.thread(),
                                  .outputs = static_cast<std::uint16_t>(call.outputs.size()),
                                  .released = false});
  if (&call.attrs != &kNoAttrs) {
    node.attrs = attrs.size();
    attrs.emplace(call.attrs);
  }
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorImpl* input = call.inputs[i];
    inputs.emplace(NodeInput{input->id, input_values[i], input->type->id});
    if (input_values[i] != kNoValue) ++values[input_values[i]].uses;
  }
  for (const Tensor& output : call.outputs) {
    add_value(index, output.type(), output);
    output.impl()->flags |= kTellDeath;  // nothing else refers to it yet
  }
  // Inputs and outputs beyond the last bit are saved when the last bit's is.
  const std::uint32_t saves = call.op.saves;
  if (saves != 0) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (saves >> std::min<std::size_t>(i, 15) & 1) saved.emplace(Tensor::share(call.inputs[i]));
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (saves >> (16 + std::min<std::size_t>(i, 15)) & 1) saved.emplace(call.outputs[i]);
    }
  }
  node.saved = saved.size() - node.first_saved;
}

}  // namespace tapescope
