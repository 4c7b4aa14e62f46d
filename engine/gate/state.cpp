// The thread's state and the records that are not ops.
#include "engine/gate/state.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "engine/core/error_place.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/gate/op_record.h"
#include "engine/gate/printed_reads.h"

namespace tapescope {

constinit thread_local ThreadState* current_state = nullptr;

namespace {

[[maybe_unused]] const bool g_known_to_core = [] {
  tensor_named = [](TensorId id, NameId name) { state().note(TensorNameRecord{.name = name, .tensor = id}); };
  elements_read = note_elements_read;
  error_place = []() -> const Location* { return current_state ? current_state->origin : nullptr; };
  return true;
}();

}  // namespace

ThreadState& make_state() {
  op_table();  // gives every row its id before the first record can name one
  // Owned by the thread; the plain pointer beside it spares the guard on every access.
  static constinit thread_local bool ended = false;
  struct Owned {
    std::unique_ptr<ThreadState> state = std::make_unique<ThreadState>();
    ~Owned() {
      current_state = nullptr;
      ended = true;
    }
  };
  // A static object that outlives the thread's state, a tape say, has its own to the end of the
  // process.
  if (ended) return *(current_state = new ThreadState);
  thread_local const Owned owned;
  current_state = owned.state.get();
  return *owned.state;
}

ThreadState::ThreadState() {
  tapes.reserve(8);
  interceptors.reserve(4);
  writer.on_roll(
      [](void* self, const ChunkRef& chunk) {
        for (TapeListener* tape : static_cast<ThreadState*>(self)->tapes) tape->keep(chunk);
      },
      this);
#if defined(__x86_64__)
  // TensorFlow's kernels flush denormals to zero; doing so once per thread costs nothing per op.
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
}

void ThreadState::activate(TapeListener* tape) {
  tapes.push_back(tape);
  listen.fetch_or(kListenTapes, std::memory_order_relaxed);
}

void ThreadState::deactivate(TapeListener* tape) {
  std::erase(tapes, tape);
  if (tapes.empty()) listen.fetch_and(~std::uint32_t{kListenTapes}, std::memory_order_relaxed);
}

Silence::Silence(std::string_view what) {
  ThreadState& ts = state();
  ts.note(SilenceBeginRecord{.by = intern_name(what)});
  ++ts.silenced;
}

Silence::~Silence() {
  ThreadState& ts = state();
  --ts.silenced;
  ts.note(SilenceEndRecord{});
}

Mute::Mute() {
  constexpr std::uint32_t kRecords = kListenEvents | kListenShadow | kListenFlight;
  cleared_ = state().listen.fetch_and(~kRecords, std::memory_order_relaxed) & kRecords;
}

Mute::~Mute() { state().listen.fetch_or(cleared_, std::memory_order_relaxed); }

namespace {

std::uint64_t with_value(std::uint64_t hash, double value) {
  // Through float: a value that went to the host as a double comes back rounded alike.
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

std::uint16_t mark_of(std::uint64_t hash) { return static_cast<std::uint16_t>(hash >> 40 | 1); }

// That a tensor of this one value has.
std::uint16_t mark_of_value(double value) { return mark_of(with_value(1, value)); }

}  // namespace

std::uint16_t values_mark(const Tensor& tensor) {
  std::uint64_t hash = static_cast<std::uint64_t>(tensor.numel());
  const std::int64_t count = std::min<std::int64_t>(tensor.numel(), 16);
  for (std::int64_t i = 0; i < count; ++i) hash = with_value(hash, element_value(tensor, i));
  return mark_of(hash);
}

void note_created(const Tensor& tensor, const Location& location) {
  ThreadState& ts = state();
  if (ts.in_flight()) ts.flight.made(tensor);
  ts.note(CreateRecord{.mark = values_mark(tensor),
                       .site = intern_site(location, ts.scope),
                       .tensor = tensor.id(),
                       .type = tensor.type().id,
                       .order = tensor.id()});
}

namespace {

void note_read(ThreadState& ts, const Tensor& tensor, std::uint16_t mark, const Location& location) {
  const SiteId site = intern_site(location, ts.scope);
  // What only a tape follows is looked up when it is asked to explain.
  const bool events = (ts.listen.load(std::memory_order_relaxed) & kListenEvents) != 0;
  ts.note(HostReadRecord{
      .mark = mark, .site = site, .tensor = tensor.id(), .printed = events && is_printed(site) ? 1u : 0u});
}

}  // namespace

void note_host_read(const Tensor& tensor, const Location& location) {
  note_read(state(), tensor, values_mark(tensor), location);
}

void note_elements_read(const Tensor& tensor, std::int64_t i, const Location& location) {
  if (i < 0 || tensor.numel() == 1) return note_host_read(tensor, location);
  ThreadState& ts = state();
  if ((ts.listen.load(std::memory_order_relaxed) & (kListenEvents | kListenShadow)) == 0) return;
  // A loop over the elements is one read until a tensor is made of what it read.
  const ThreadState::ElementRead read{tensor.id(), peek_tensor_id(), location.line()};
  if (std::exchange(ts.last_read, read) == read) return;
  note_read(ts, tensor, mark_of_value(element_value(tensor, i)), location);
}

}  // namespace tapescope
