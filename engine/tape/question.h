// One question to a tape, by gradient() or jacobian(): when it is allowed, what it records, and what it
// leaves behind.
#pragma once
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "engine/events/records/gradients.h"
#include "engine/tape/cursor.h"
#include "engine/tape/storage.h"
#include "engine/tape/tape.h"

namespace tapescope {

// "tape 'inner'", "the tape made at file.cpp:12", for messages.
std::string called(const TapeStorage& tape);
// What a tape holds. Throws RuntimeError for a tape that was moved from.
TapeStorage& living(TapeStorage* storage, std::string_view op, const Location& location);
// Throws TypeError for a target, source or watched value ("role") that is None.
void check_traced(const Traced& what, std::string_view role, const Location& location);
// The tape's block ends on its thread; nothing where it has ended.
void leave(TapeStorage& tape);

class TapeQuestion {
 public:
  // Records the question, then throws where the tape cannot be asked: RuntimeError when it was never entered
  // or is used up. Everything is borrowed.
  TapeQuestion(TapeStorage& tape, std::string_view op, std::span<const Traced> targets,
               std::span<const Traced> sources, const GradientOptions& options, const Location& location);

  ~TapeQuestion();
  TapeQuestion(const TapeQuestion&) = delete;
  TapeQuestion& operator=(const TapeQuestion&) = delete;

  // Runs `walk`, which walks the tape backwards; then a tape that is not persistent is used up, also where it
  // throws.
  template <class Walk>
  void run(Walk walk) {
    stop_recording();
    try {
      walk();
    } catch (...) {
      end(true);
      throw;
    }
    end(false);
  }
  // Inside `walk`, before the first step of the first of `passes` cursors that walk as many nodes.
  void begin(Cursor& cursor, std::uint64_t passes = 1);
  // What came out for a source, in order; an absent gradient becomes `zeros()` where the options ask for it.
  template <class Zeros>
  void result(std::size_t source, Tensor& gradient, Zeros zeros) {
    ResultKind kind = gradient ? ResultKind::value : ResultKind::none;
    if (!gradient && zero_) {
      gradient = zeros();
      kind = ResultKind::unconnected_zero;
    }
    note_result(source, gradient, kind);
  }

 private:
  // Ops that belong to no step of the walk stand at the line of the question.
  struct AtQuestion {
    explicit AtQuestion(const Location& location) : ts(state()), outer(ts.origin) {
      if (!outer) ts.origin = &location;
    }
    ~AtQuestion() { ts.origin = outer; }
    AtQuestion(const AtQuestion&) = delete;
    AtQuestion& operator=(const AtQuestion&) = delete;
    ThreadState& ts;
    const Location* outer;
  };

  void stop_recording();
  void end(bool raised);
  void note_result(std::size_t source, const Tensor& gradient, ResultKind kind);

  TapeStorage& tape_;
  std::string_view op_;
  std::span<const Traced> sources_;
  const Location& location_;
  AtQuestion at_question_;
  std::uint64_t call_;
  bool zero_, is_traced_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tapescope
