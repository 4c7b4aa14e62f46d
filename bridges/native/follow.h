// What the tapes of a framework follow, replayed from the ops alone: the framework's own sets cannot be read.
//
// A tape follows what it watches and the outputs of every op that it recorded; it records an op
// when it follows an input of a floating type while nothing pauses or silences it (tensorflow-semantics.md,
// 1).
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bridges/native/flat_table.h"
#include "engine/events/records/ops.h"

namespace tapescope::bridge {

struct FollowedInput {
  TensorId id = 0;
  const std::uint32_t* type = nullptr;  // looked at where a tape follows the input; null: gradients pass
};

struct FollowedTape {
  TapeId id = 0;
  bool persistent = false;
  bool watches_accessed = true;
  bool paused = false;
  bool in_graph = false;  // entered while a function was traced: ops that run are not its own
  using Followed = FlatTable<bool, InRuns>;
  Followed followed;  // by tensor
};

// The tapes that are active on one thread, in the order they became so.
class ThreadTapes {
 public:
  void enter(std::shared_ptr<FollowedTape> tape) { active_.push_back(std::move(tape)); }
  void leave(TapeId tape);
  bool empty() const { return active_.empty(); }
  std::span<const std::shared_ptr<FollowedTape>> active() const { return active_; }

  void silence() { ++silenced_; }
  void unsilence() { silenced_ -= silenced_ > 0; }
  bool silenced() const { return silenced_ > 0; }
  // Whether any tape records at all.
  bool hears() const;

  // The answers of all tapes to an op, four bits a tape; those that record it follow `count` tensors from
  // `first` on.
  struct Offer {
    bool in_graph = false;         // it did not run: it became part of a graph
    bool followable = true;        // gradients may pass the op
    bool through_silence = false;  // tapes record it although they are silenced
  };
  std::uint32_t offer(std::span<const FollowedInput> inputs, TensorId first, std::size_t count,
                      const Offer& how);
  // Tapes that now follow a variable that is read, and did not before.
  std::vector<TapeId> read(TensorId handle);
  bool follows(TensorId id) const;

 private:
  TapeAnswer answer(const FollowedTape& tape, std::span<const FollowedInput> inputs, bool silent) const;

  std::vector<std::shared_ptr<FollowedTape>> active_;
  std::uint32_t silenced_ = 0;
};

}  // namespace tapescope::bridge
