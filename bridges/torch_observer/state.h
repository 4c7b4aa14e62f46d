// What the observer knows of PyTorch's threads and tensors.
#pragma once
#include <ATen/record_function.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bridges/torch_observer/lines.h"
#include "bridges/torch_observer/tensors.h"

namespace tapescope_observer {

inline const tapescope_table* table = nullptr;

// The clock of records, without a call where that is the processor's counter.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return table->ticks();
#endif
}
// What Python does.
struct Callbacks {
  // Called before a thread's first op, its first after a question, and wherever a step may begin: the first
  // op of each line before its first question.
  PyObject* begins = nullptr;
  PyObject* names_of_tensors = nullptr;  // what the program calls tensors
  PyObject* name_sources = nullptr;      // what it calls tensors about which no question was asked yet
  PyObject* asked = nullptr;    // a question begins, by its place; returns the number of the training step
  PyObject* updated = nullptr;  // an optimizer's step ended; whether it is enough to have been called once
};
inline Callbacks callbacks;
inline std::atomic<bool> is_on = false;
// PyTorch's number of the hook for ops, another hook hears of backward steps; 0 without one.
inline at::CallbackHandle op_hook = 0, step_hook = 0;

// Backward passes of the program exchange gradients with other processes.
inline std::atomic<bool> exchanges = false;

// Held for a few look-ups, by two threads at once hardly ever: half of what a mutex costs, and each op takes
// it twice.
class ShortLock {
 public:
  void lock() {
    for (int tries = 1; held_.test_and_set(std::memory_order_acquire); ++tries)
      if (tries % 64 == 0) std::this_thread::yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};
inline ShortLock tensors_lock;
inline Tensors& tensors() {
  static Tensors* const all = new Tensors;  // outlives PyTorch's own statics
  return *all;
}

// What an op made, by the number that autograd gave its node.
struct Made {
  std::int64_t number = -1;
  tapescope_tensor output = 0;
  std::uint32_t site = 0;
  std::uint16_t op = 0;
};

// An op by its name.
struct Kind {
  std::string text;
  std::uint16_t name = 0;
  bool of_interest = true;
  bool region = false;  // of compiled code
  bool custom = false;  // a function of Python with its own gradient, or the backward step of one
  int inner = 0;        // ops that were announced in its first call
  bool called = false;
};

// Finds texts without making a string of them.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Where a thread begins its training steps, as tapescope/torch/pace.py. A place is known by the question that
// followed it. After the update that follows its questions, or after a question where none follows, a known
// place begins the next step, or the way to another question of the same step.
class Pace {
 public:
  // Whether an op's place is to be asked for. Its site is known without; after many places in a row that
  // were met before, as in a loop that asks no question, a new site alone may lead to a new place.
  bool looks(std::uint32_t site) {
    if (state_ == State::fresh || state_ == State::seeks) return true;
    if (state_ != State::before_question || questions_asked_ >= kLearned) return false;
    return again_ < kManyAgain || sites_.insert(site).second;
  }

  // An op at a place: the question to which it leads, where a step may begin there; 0 at the thread's first.
  std::optional<std::uint64_t> meets(std::uint64_t place) {
    std::optional<std::uint64_t> question;
    if (state_ == State::fresh) {
      question = 0;
    } else if (state_ == State::seeks) {
      if (const auto known = leads_to_.find(place); known != leads_to_.end()) question = known->second;
    }
    if (question) {
      state_ = State::before_question;
      forget();
    }
    const bool fresh = since_.size() < kMostPlaces && since_.insert(place).second;
    again_ = fresh ? 0 : again_ + 1;
    return question;
  }

  void asked(std::uint64_t question) {
    for (const std::uint64_t place : since_)
      if (leads_to_.size() < kMostPlaces) leads_to_.emplace(place, question);
    forget();
    ++questions_asked_;
    state_ = ++since_update_ > most_ ? State::seeks : State::before_update;
  }

  void updated() {
    if (since_update_ == 0) return;
    most_ = std::max(most_, std::exchange(since_update_, 0));
    forget();
    state_ = State::seeks;
  }

 private:
  enum class State { fresh, before_question, before_update, seeks };
  static constexpr std::size_t kMostPlaces = 1 << 14;
  static constexpr std::uint32_t kLearned = 16;  // questions whose ways are looked at whole
  static constexpr std::uint32_t kManyAgain = 256;

  void forget() {
    since_.clear();
    sites_.clear();
    again_ = 0;
  }

  State state_ = State::fresh;
  std::uint32_t questions_asked_ = 0;
  std::uint32_t since_update_ = 0;  // questions
  std::uint32_t most_ = 0;          // of these between two; 0 before the first update
  std::uint32_t again_ = 0;           // places in a row that were met before
  std::unordered_set<std::uint64_t> since_;
  std::unordered_set<std::uint32_t> sites_;  // met since there were many
  std::unordered_map<std::uint64_t, std::uint64_t> leads_to_;
};

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

struct Thread {
  static constexpr std::size_t kNodes = 1 << 15;  // of a training step; a power of two

  Thread()
      : lines(*table),
        types(*table),
        attention(table->attention()),
        id(at::RecordFunction::currentThreadId()),
        made(kNodes) {}

  // Whether what the thread runs is recorded.
  bool heard() const { return muted == 0 && (listen() & TAPESCOPE_HEARD) != 0 && *attention.muted == 0; }
  // Whether a viewer may stop it now.
  bool may_stop() const { return (listen() & TAPESCOPE_MAY_STOP) != 0 && table->at_gate() != 0; }

  Lines lines;
  Types types;
  tapescope_attention attention;
  std::uint64_t id;
  std::vector<Made> made;
  std::unordered_map<std::string, Kind, TextHash, std::equal_to<>> kinds;
  struct Recent {
    const char* text = nullptr;
    Kind* kind = nullptr;
  } recent[128];               // by the address of the text
  Kind* kind = nullptr;        // of the op under way
  const void* walk = nullptr;  // the engine's part of a backward step under way
  const void* open = nullptr;  // the op under way: what it calls is its inside
  bool inner_off = false;      // PyTorch does not announce its inside
  bool unannounced = false;    // nor any op, as a backward pass is under way
  bool paused = false;
  std::uint32_t tape = 0;          // that takes what runs on the thread; 0 before its first op
  std::atomic<bool> fresh = true;  // a recording began
  Pace pace;
  std::optional<std::pair<WeakTensor, double>> scaled;  // what a GradScaler made of a loss, and the loss
  int muted = 0;
  std::uint32_t site = 0;   // of the op under way; of a backward step that of its forward op
  std::int64_t number = 0;  // the next of autograd's, as the op began
  std::uint64_t begin = 0;
  std::uint64_t ended = 0;  // the last op
  bool exchanging = false;  // the backward pass under way began an exchange
  std::vector<tapescope_tensor> inputs;
  std::vector<std::uint32_t> input_types, output_types;
  std::vector<const at::TensorBase*> outputs;
  // While a viewer may stop the thread: the op's inputs, and the hooks of backward steps under way.
  bool stops = false;
  std::vector<at::Tensor> held;
  std::vector<std::pair<const void*, std::uintptr_t>> hooks;  // by the engine's part
  // While it may stop inside of a custom function: the op inside, its inputs, and what forward() returned.
  bool inside = false, hears = false;
  int depth = 0;  // of Python's calls
  const void* inner = nullptr;
  tapescope_tensor inner_of = 0;  // the forward op's output, where its backward step is under way
  std::vector<at::Tensor> inner_held, returned;

 private:
  std::uint32_t listen() const { return __atomic_load_n(attention.listen, __ATOMIC_RELAXED); }
};

inline std::mutex threads_lock;
inline std::vector<Thread*>& threads() {
  static auto* const all = new std::vector<Thread*>;
  return *all;
}

inline Thread& this_thread() {
  static thread_local Thread* thread = nullptr;
  if (!thread) {
    thread = new Thread;  // kept: another thread's backward pass asks for what this one made
    std::lock_guard lock(threads_lock);
    threads().push_back(thread);
  }
  return *thread;
}

// A tensor without values, or one that stands for others, belongs to a compiler at work.
inline bool is_plain(const at::TensorBase& tensor) {
  return tensor.defined() && !tensor.key_set().has(c10::DispatchKey::Python) && !tensor.is_meta();
}

// The forward op that made a node of autograd's; its output is 0 where that was not seen.
inline Made made_by(const Thread& thread, std::int64_t number, std::uint64_t forward_thread) {
  if (number < 0) return {};
  const auto place = static_cast<std::size_t>(number) % Thread::kNodes;
  Made made;
  if (forward_thread == thread.id || forward_thread == 0) {
    made = thread.made[place];
  } else {
    std::lock_guard lock(threads_lock);
    for (const Thread* const other : threads())
      if (other->id == forward_thread) made = other->made[place];
  }
  return made.number == number ? made : Made();
}

inline Operand known_as(Thread& thread, const at::TensorBase& tensor) {
  std::lock_guard lock(tensors_lock);
  const Tensors::Slot* const slot = tensors().find(tensor.unsafeGetTensorImpl());
  return slot ? slot->known : Operand{0, thread.types.of(tensor)};
}

}  // namespace tapescope_observer
