// What a tape holds: nodes, values, saved tensors, and the map from tensor ids to its own dense ids.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/events/chunk.h"
#include "engine/events/records/tapes.h"
#include "engine/gate/state.h"
#include "engine/tape/chunked.h"
#include "engine/tape/variable.h"

namespace tapescope {

inline constexpr std::uint32_t kNoValue = ~std::uint32_t{0};

// One recorded op. Its outputs have consecutive values and consecutive tensor ids.
struct Node {
  const OpDef* op;
  Location location;
  TensorId output;            // id of output 0
  std::uint32_t first_value;  // value of output 0
  std::uint32_t first_input;  // into inputs
  std::uint32_t first_saved;  // into saved; the saved inputs, then the saved outputs
  std::uint32_t attrs;        // into attrs, or kNoValue
  ScopeId scope;
  std::uint32_t inputs;
  std::uint32_t saved;
  std::uint32_t thread;
  std::uint16_t outputs;
  bool released;  // its saved tensors were given back: it was walked, or nothing can reach it any more
};
static_assert(sizeof(Node) <= 96);

struct NodeInput {
  TensorId id;
  std::uint32_t value;  // kNoValue when the tape does not follow it
  std::uint32_t type;   // id of its type
};

// What the tape follows: an output of a node, or a watched tensor or handle.
struct TapeValue {
  std::uint32_t node;  // that made it; kNoValue for a watched leaf
  std::uint32_t type;
  TensorId id;
  std::uint32_t uses = 0;  // by nodes that are not released
  bool trainable;          // its dtype can have a gradient
  bool dead = false;       // the program holds it no more
};
static_assert(sizeof(TapeValue) == 24);

// Dense ids of tensors by their global id: pages of 1,024 for ids made since the tape began (a thread takes
// ids in blocks), a small hash table for the older ones that were watched.
class ValueMap {
 public:
  explicit ValueMap() { clear(); }
  void clear();
  // Ids below this go to the hash table.
  void begin_at(TensorId base) { base_ = base; }
  std::uint32_t find(const TensorImpl* tensor) const {
    const TensorId id = tensor->id;
    if (id < base_) {
      if (!(std::atomic_ref<const std::uint8_t>(tensor->flags).load(std::memory_order_relaxed) &
            TensorImpl::kWatched)) {
        return kNoValue;
      }
      return find_old(id);
    }
    return find_new(id);
  }
  std::uint32_t find(TensorId id) const { return id < base_ ? find_old(id) : find_new(id); }
  void insert(TensorId id, std::uint32_t value);

 private:
  static constexpr std::uint32_t kPage = 1024;
  struct Slot {
    TensorId id;
    std::uint32_t value;
  };
  std::uint32_t find_new(TensorId id) const {
    const std::uint64_t page = (id - base_) / kPage;
    if (page >= pages_.size() || !pages_[page]) return kNoValue;
    return pages_[page][(id - base_) % kPage];
  }
  std::uint32_t find_old(TensorId id) const;
  void grow();

  TensorId base_ = 0;
  std::vector<std::uint32_t*> pages_;
  std::vector<std::uint32_t*> free_pages_;
  std::vector<std::unique_ptr<std::uint32_t[]>> owned_pages_;
  std::vector<Slot> old_;
  std::uint32_t old_count_ = 0;
};

enum class TapeState : std::uint8_t { fresh, recording, paused, stopped, consumed, broken };

struct CursorArrays;

class TapeStorage final : public TapeListener {
 public:
  // Recycled through a list of the thread, so that a tape a step allocates nothing once warm.
  static TapeStorage* acquire();
  static void release(TapeStorage* storage);
  TapeStorage();
  ~TapeStorage() override;

  TapeAnswer offer(const OpCall& call) override;
  void variable_read(const Tensor& handle, bool trainable, const Location& location) override;
  void keep(const ChunkRef& chunk) override { chunks.push_back(chunk); }
  // A tensor is no more, while this tape is active on the thread.
  void died(TensorId tensor);
  // What a recorded op's row or attributes refer to lives as long as the recording.
  void hold(std::shared_ptr<const void> object) {
    if (held.empty() || held.back() != object) held.push_back(std::move(object));
  }
  // Whether it records now and follows one of these: an op on them would be recorded.
  bool would_record(OpInputs inputs) const;

  // Follows a tensor or handle. False when it was known already.
  bool watch(const Tensor& tensor, WatchKind kind, const Location& location);
  std::uint32_t find(const Tensor& tensor) const { return map_.find(tensor.id()); }
  void clear_recording();
  // Writes a record of this tape, of one of TapeRecord's kinds.
  void note(RecordKind kind, const Location& location);
  std::string_view name() const { return name_; }

  TapeId id = 0;
  TapeState state = TapeState::fresh;
  bool persistent = false;
  bool watch_accessed = true;
  std::string name_;
  Location made_at;
  std::uint32_t thread = 0;  // that entered it
  ThreadState* active_on = nullptr;
  Location consumed_at;      // by which call
  std::uint32_t blocks = 0;  // Recording and Pause objects that refer to it
  bool ownerless = false;    // its tape is gone; the last of them gives it back
  std::uint64_t walked = 0;  // nodes walked by the last gradient()

  Chunked<Node> nodes;
  Chunked<NodeInput> inputs;
  Chunked<TapeValue> values;
  Chunked<Tensor> saved;
  Chunked<Attrs> attrs;
  std::vector<Tensor> watched;      // leaves, kept alive: a watched id never dies
  std::vector<Variable> variables;  // those among them
  std::vector<std::shared_ptr<const void>> held;
  std::vector<ChunkRef> chunks;          // records written while it was active
  std::unique_ptr<CursorArrays> arrays;  // spare ones for the next backward pass

 private:
  // `tensor` was made by that node, or is watched; `type` is that of its gradient.
  void add_value(std::uint32_t node, const Type& type, const Tensor& tensor);
  void connect_earlier_uses(TensorId tensor, std::uint32_t value);
  void record(const OpCall& call, const std::uint32_t* input_values);
  void release_unused(Node& node);

  ValueMap map_;
  std::vector<std::uint32_t> unused_;  // nodes to look at, while some are released
  bool releasing_ = false;
};

}  // namespace tapescope
