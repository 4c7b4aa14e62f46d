// Stops the program for the viewer that is attached, and moves it on as the viewer says.
//
// A program that is not ours cannot be run again, so the way back leads through the places it was stepped
// over since it was stopped: their frames are kept, by reference, until the step ends.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/debug/gate.h"
#include "engine/debug/process_gate.h"
#include "engine/live/message.h"

namespace tapescope::live {

// Never destroyed: a thread of the program may be inside of it at any time.
class Pilot final : public ProcessGate {
 public:
  // `changed` is called on the program's thread when there is another standing to send; it must not call the
  // pilot.
  explicit Pilot(std::function<void()> changed);
  ~Pilot() override;
  Pilot(const Pilot&) = delete;
  Pilot& operator=(const Pilot&) = delete;

  // --- the listening thread
  void attach();
  // The program goes on, wherever it stands, and is not stopped any more.
  void detach();
  void pause();
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void give(Request request);
  // From now on `changed` is not called, nor is it under way: what it refers to may go.
  void part();
  Standing standing() const;
  // Grows with each change of the standing.
  std::uint64_t changes() const;
  // Of the breakpoints that were set, and what grows with each change of theirs.
  std::vector<Hits> hits() const;
  std::uint64_t hit_changes() const { return gate_.breakpoints().changes(); }

  // --- the program's thread
  // How many viewers have left. Any thread.
  std::uint64_t left() const;
  // What a viewer asks for from now on waits for stand(), which is to come. Returns left(). Any thread.
  std::uint64_t expect_stand();
  // Before it has begun: stands until a viewer has attached and lets it go on, or more than `before` have
  // left, which may be quicker than this thread. Returns false where the thread was interrupted while no
  // viewer had.
  bool stand(std::uint64_t before);
  DebugGate& gate() override { return gate_; }
  void step_begins(std::uint64_t step) override;
  void step_ends(std::uint64_t step) override;

 private:
  using Next = DebugGate::Move;
  using Lock = std::unique_lock<std::mutex>;

  // A stop in a step to come.
  struct Appointment {
    std::uint64_t step = 0;
    std::uint64_t cursor = 0;
  };

  void arm(bool on);  // threads look at the gate only while a viewer is attached
  Next parked(StopReason reason, const Frame& frame, const Breakpoint* hit);
  Next obey(Lock& lock);
  template <class Ready>
  bool await(Lock& lock, Ready ready);
  std::optional<Next> carry_out(const Request& request);
  std::optional<Next> go_to(std::uint64_t node);
  void run_on(bool obey_breakpoints);
  Next leave(bool obey_breakpoints);
  void keep(const Frame& frame);
  void show(std::size_t place, StopReason reason, const Breakpoint* hit);
  void done();
  void report();

  DebugGate gate_;
  bool armed_ = true;              // of the listening thread
  ProcessGate* before_ = nullptr;  // likewise: whose gate the program obeys while no viewer is attached
  mutable std::mutex mutex_;       // guards what follows
  std::function<void()> changed_;
  std::condition_variable wake_;
  bool attached_ = false;
  bool will_stand_ = false;
  std::uint64_t era_ = 0;  // grows with each viewer that leaves
  bool halt_ = false;      // stop on the way to the goal
  std::deque<Request> requests_;
  Standing standing_;
  std::uint64_t changes_ = 0;
  std::deque<Frame> kept_;  // places of the step that were stopped at or stepped over, in order
  std::size_t kept_bytes_ = 0;
  std::size_t shown_ = 0;          // of them
  std::optional<TapePlace> goal_;  // on the way there
  std::optional<Appointment> appointment_;
  bool into_next_ = false;  // stop at the first place of the step to come, those inside of nodes included
  std::uint64_t last_count_ = 0, last_forward_ = 0;  // nodes of the step before
};

}  // namespace tapescope::live
