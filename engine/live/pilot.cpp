// Parking, the places kept, and the commands that move between them.
#include "engine/live/pilot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/recording/frame_codec.h"

namespace tapescope::live {
namespace {

// What is kept for the way back; older places go first.
constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kMostKeptBytes = 256u << 20;

// Tensors that frames share are counted in each: less is kept than could be, never more.
std::size_t bytes_of(const Frame& frame) {
  std::size_t bytes = sizeof frame;
  for (const auto* list :
       {&frame.inputs, &frame.outputs, &frame.cotangents_in, &frame.cotangents_out, &frame.accumulated}) {
    for (const FrameTensor& item : *list)
      bytes += sizeof item + (item.value ? static_cast<std::size_t>(item.value.bytes()) : 0);
  }
  return bytes;
}

TapePlace place_of(const Frame& frame) { return {frame.cursor, frame.inner}; }

// How often a thread that waits is asked whether it was interrupted.
constexpr auto kAskInterval = std::chrono::milliseconds(50);

// The thread is at the gate: made before the lock is taken, gone after it is released.
class Away {
 public:
  Away() {
    if (waiter_) waiter_->leave();
  }
  ~Away() {
    if (waiter_) waiter_->come_back();
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;

 private:
  GateWaiter* const waiter_ = gate_waiter();
};

Bytes packed(const Frame& frame) {
  record::FramePacker packer;
  record::ByteWriter out;
  packer.add(frame);
  packer.write(out);
  return out.bytes();
}

}  // namespace

Pilot::Pilot(std::function<void()> changed) : changed_(std::move(changed)) {
  arm(false);
  gate_.breakpoints().set({});  // detach() takes no memory for that then
  gate_.on_park([this](StopReason reason, const Frame& frame, const Breakpoint* hit) {
    return parked(reason, frame, hit);
  });
}

Pilot::~Pilot() { arm(true); }  // as the gate believes that it is

void Pilot::arm(bool on) {
  if (std::exchange(armed_, on) != on) count_armed_gates(on ? 1 : -1);
}

void Pilot::attach() {
  {
    Lock lock(mutex_);
    attached_ = true;
    standing_ = {};
    ++changes_;
  }
  gate_.cancel_requests();
  before_ = set_process_gate(this);
  arm(true);
  wake_.notify_all();
}

// Takes no memory: it runs where none is left.
void Pilot::detach() {
  arm(false);
  set_process_gate(before_);
  gate_.breakpoints().set({});
  gate_.breakpoints().forget_once();
  gate_.cancel_requests();
  Lock lock(mutex_);
  attached_ = false;
  ++era_;
  requests_.clear();
  kept_.clear();
  kept_bytes_ = 0;
  goal_.reset();
  appointment_.reset();
  into_next_ = false;
  halt_ = false;
  wake_.notify_all();
}

void Pilot::pause() {
  Lock lock(mutex_);
  if (goal_) halt_ = true;
  else if (!standing_.paused && !will_stand_) gate_.request_pause();
}

void Pilot::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  gate_.breakpoints().set(std::move(breakpoints));
}

std::vector<Hits> Pilot::hits() const {
  std::vector<Hits> hits;
  for (const Breakpoint& breakpoint : gate_.breakpoints().get())
    hits.push_back({breakpoint.id, breakpoint.hits});
  return hits;
}

void Pilot::give(Request request) {
  Lock lock(mutex_);
  if (!standing_.paused && !will_stand_) {
    // It runs already; whatever else is asked for begins where it can be stopped.
    if (request.kind == Request::Kind::run) {
      done();
      return;
    }
    gate_.request_pause();
  }
  requests_.push_back(std::move(request));
  wake_.notify_all();
}

Standing Pilot::standing() const {
  Lock lock(mutex_);
  return standing_;
}

std::uint64_t Pilot::changes() const {
  Lock lock(mutex_);
  return changes_;
}

void Pilot::done() {
  ++standing_.requests_done;
  ++changes_;
}

void Pilot::part() {
  Lock lock(mutex_);
  changed_ = nullptr;
}

// Under the lock, so that part() returns only when no thread is in `changed_`.
void Pilot::report() {
  if (changed_) changed_();
}

// ---- the program's thread ----

std::uint64_t Pilot::left() const {
  Lock lock(mutex_);
  return era_;
}

std::uint64_t Pilot::expect_stand() {
  Lock lock(mutex_);
  will_stand_ = true;
  return era_;
}

bool Pilot::stand(std::uint64_t before) {
  const Away away;
  Lock lock(mutex_);
  const bool came = await(lock, [&] { return attached_ || era_ > before; });
  will_stand_ = false;
  if (!came || !attached_) return came;
  keep(Frame());
  show(0, StopReason::pause, nullptr);
  gate_.begin_step(obey(lock).target);
  return true;
}

void Pilot::step_begins(std::uint64_t step) {
  Lock lock(mutex_);
  if (!attached_) return;
  kept_.clear();
  kept_bytes_ = 0;
  standing_.step = step;
  standing_.at_end = false;
  gate_.obey_breakpoints(true);
  // A program without ends of steps may begin a step on the way to a place of the one before.
  if (goal_) goal_ = goal_->inner > 0 ? TapePlace(0, 1) : TapePlace(1);
  if (std::exchange(into_next_, false)) {
    gate_.obey_breakpoints(false);
    goal_ = TapePlace(0, 1);
  }
  if (appointment_) {
    gate_.obey_breakpoints(false);
    if (step >= appointment_->step) {
      goal_ = TapePlace(std::max<std::uint64_t>(appointment_->cursor, 1));
      appointment_.reset();
    }
  }
  gate_.begin_step(goal_.value_or(DebugGate::kNever));
}

void Pilot::step_ends(std::uint64_t) {
  const Away away;
  Lock lock(mutex_);
  if (!attached_) return;
  last_count_ = gate_.cursor();
  last_forward_ = gate_.forward_nodes();
  if (goal_) {
    // The step has fewer nodes than the place that was asked for: stand at its end.
    standing_.at_end = true;
    goal_.reset();
    halt_ = false;
    if (kept_.empty()) {
      Frame frame;
      frame.cursor = gate_.cursor();
      keep(frame);
    }
    show(kept_.size() - 1, StopReason::target, nullptr);
    obey(lock);
  }
  // What runs before the next step begins is no step's node.
  gate_.begin_step(DebugGate::kNever);
}

Pilot::Next Pilot::parked(StopReason reason, const Frame& frame, const Breakpoint* hit) {
  const Away away;
  Lock lock(mutex_);
  // A goal of a viewer that is gone is none.
  if (!attached_ || (reason == StopReason::target && !goal_)) return {};
  keep(frame);
  if (reason == StopReason::target && place_of(frame) < *goal_ && !halt_) {
    return {Next::Kind::go_on, goal_->node > frame.cursor ? TapePlace(frame.cursor + 1) : *goal_};
  }
  goal_.reset();
  appointment_.reset();
  into_next_ = false;
  halt_ = false;
  show(kept_.size() - 1, reason, hit);
  return obey(lock);
}

// A place that is stopped at twice, as before a backward pass, keeps the frame that names its op.
void Pilot::keep(const Frame& frame) {
  if (!kept_.empty() && place_of(kept_.back()) == place_of(frame)) {
    if (frame.op == 0) return;
    kept_bytes_ -= bytes_of(kept_.back());
    kept_.pop_back();
  }
  kept_bytes_ += bytes_of(frame);
  kept_.push_back(frame);
  while (kept_.size() > 1 && (kept_.size() > kMostKept || kept_bytes_ > kMostKeptBytes)) {
    kept_bytes_ -= bytes_of(kept_.front());
    kept_.pop_front();
  }
}

void Pilot::show(std::size_t place, StopReason reason, const Breakpoint* hit) {
  const Frame& frame = kept_[place];
  shown_ = place;
  const bool moved = standing_.paused;
  standing_.paused = true;
  standing_.reason = reason;
  standing_.hit.reset();
  if (hit) standing_.hit = *hit;
  standing_.cursor = frame.cursor;
  const std::uint64_t reached = gate_.cursor(), forward = gate_.forward_nodes();
  standing_.cursor_count = standing_.at_end ? reached : std::max(last_count_, reached);
  standing_.forward_count =
      reached > forward || standing_.at_end ? forward : std::max(last_forward_, forward);
  standing_.frame = packed(frame);
  ++changes_;
  if (moved) done();
}

// Waits until `ready`, or false: the thread was interrupted.
template <class Ready>
bool Pilot::await(Lock& lock, Ready ready) {
  GateWaiter* const waiter = gate_waiter();
  if (!waiter) {
    wake_.wait(lock, ready);
    return true;
  }
  while (!wake_.wait_for(lock, kAskInterval, ready)) {
    lock.unlock();
    const bool interrupted = waiter->interrupted();
    lock.lock();
    if (interrupted) return ready();
  }
  return true;
}

// Stands and carries out what the viewer asks for, until that leads on.
Pilot::Next Pilot::obey(Lock& lock) {
  const std::uint64_t era = era_;
  while (true) {
    report();
    // One that attaches right after another left finds a program that runs.
    const bool interrupted = !await(lock, [&] { return era_ != era || !requests_.empty(); });
    if (era_ != era) return {};
    if (interrupted) {
      run_on(true);
      ++changes_;
      report();
      return {};
    }
    const Request request = std::move(requests_.front());
    requests_.pop_front();
    standing_.notice.clear();
    if (const std::optional<Next> next = carry_out(request)) {
      report();
      return *next;
    }
  }
}

// Nothing where the program stays where it is.
std::optional<Pilot::Next> Pilot::carry_out(const Request& request) {
  using Kind = Request::Kind;
  const TapePlace here = place_of(kept_[shown_]);
  const auto moved = [&](std::int64_t by) {
    const std::uint64_t most = static_cast<std::uint64_t>(1) << 62;
    if (by >= 0) return std::min(here.node, most) + std::min(static_cast<std::uint64_t>(by), most);
    // Inside a node the way back is first to where the node began.
    const std::uint64_t back = static_cast<std::uint64_t>(-(by + 1)) + (here.inner > 0 ? 0 : 1);
    return here.node - std::min(here.node, back);
  };
  switch (request.kind) {
    case Kind::run: return leave(true);
    case Kind::run_until: {
      gate_.breakpoints().add_once(request.breakpoint);
      return leave(true);
    }
    case Kind::step_training:
      appointment_ = Appointment{
          standing_.step + static_cast<std::uint64_t>(std::max<std::int64_t>(request.amount, 1)), here.node};
      return leave(false);
    case Kind::step_into:
      if (shown_ + 1 < kept_.size()) {
        show(shown_ + 1, StopReason::target, nullptr);
        return std::nullopt;
      }
      // What comes next is inside of the step to come: in a loop of Keras' the call that is the step.
      if (standing_.at_end) {
        into_next_ = true;
        return leave(true);
      }
      gate_.obey_breakpoints(false);
      goal_ = TapePlace(here.node, here.inner + 1);
      return Next{Next::Kind::go_on, *goal_};
    case Kind::step_nodes: return go_to(moved(request.amount));
    case Kind::seek: return go_to(static_cast<std::uint64_t>(std::max<std::int64_t>(request.amount, 0)));
  }
  return std::nullopt;
}

// Among the places kept as far as they reach, then on with the program, one node at a time so that each is
// kept.
std::optional<Pilot::Next> Pilot::go_to(std::uint64_t node) {
  const TapePlace wanted(node);
  if (wanted <= place_of(kept_.back()) || standing_.at_end) {
    std::size_t place = 0;
    while (place + 1 < kept_.size() && place_of(kept_[place + 1]) <= wanted) ++place;
    if (wanted < place_of(kept_.front())) {
      standing_.notice =
          "there is no way back from here: this program cannot be run again, and its values are kept from "
          "where it was "
          "stopped in this step";
    }
    show(place, StopReason::target, nullptr);
    return std::nullopt;
  }
  gate_.obey_breakpoints(false);
  goal_ = wanted;
  return Next{Next::Kind::go_on, place_of(kept_.back()).node + 1};
}

void Pilot::run_on(bool obey_breakpoints) {
  gate_.obey_breakpoints(obey_breakpoints);
  standing_.paused = false;
  standing_.at_end = false;
  standing_.frame.clear();
}

Pilot::Next Pilot::leave(bool obey_breakpoints) {
  run_on(obey_breakpoints);
  done();
  // What was asked for meanwhile is what give() would make of it now.
  for (; !requests_.empty() && requests_.front().kind == Request::Kind::run; requests_.pop_front()) done();
  if (!requests_.empty()) gate_.request_pause();
  return {};
}

}  // namespace tapescope::live
