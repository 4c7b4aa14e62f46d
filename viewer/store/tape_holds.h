// Which tapes a program holds, and how many of one place it held at one time: a tape that outlives its step
// keeps all that it saved.
#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/events/records/tapes.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// The line that makes the tape; where that is the standard library's, as of std::make_unique, the line that
// enters it.
SiteId place_of(const TapeEnterRecord& enter);

// The persistent tapes that one line makes.
struct TapesOfLine {
  std::string_view location;
  std::uint64_t made = 0;       // so far
  std::uint64_t most_held = 0;  // at one time, each of another step or round
  std::uint64_t last_step = 0;  // of the tape that made it the most
  std::uint64_t piled_up =
      0;                // rounds that one tape recorded, each asked, since it was made or reset; the most
  bool reused = false;  // an older one was asked after a newer one was entered
};

class TapeHolds {
 public:
  // `step` is the number of the step; in a program that marks none each tape that is entered after a question
  // begins a round.
  void entered(const TapeEnterRecord& enter, std::uint64_t step);
  void asked(TapeId tape);
  void reset(TapeId tape);
  void destroyed(TapeId tape);
  // Tapes of that step and later ones were entered in a run that is forgotten.
  void forget_from(std::uint64_t step);

  std::vector<TapeRow> alive() const;  // by id
  std::vector<TapesOfLine> places() const;

 private:
  struct Held {
    TapeRow row;
    std::uint64_t round = 0;
    std::uint64_t piled_up = 0;
    bool asked = false;  // since it was entered
  };
  struct Place {
    TapesOfLine seen;
    TapeId newest = 0;
    std::map<std::uint64_t, std::uint32_t> held;  // tapes by round
  };
  void let_go(const Held& held);

  std::unordered_map<TapeId, Held> tapes_;
  std::map<std::string_view, Place> places_;
  std::uint64_t rounds_ = 0;
  std::uint64_t step_ = 0;
  bool asked_ = false;
};

}  // namespace tapescope
