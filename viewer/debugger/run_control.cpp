// The runner's thread: training steps, live stops, and the replay that makes every place of a step reachable.
#include "viewer/debugger/run_control.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/gate/state.h"
#include "engine/kernels/thread_pool.h"
#include "engine/parallel/transport.h"
#include "viewer/debugger/breakpoint_text.h"
#include "viewer/debugger/comparison.h"
#include "viewer/debugger/keep_frames.h"
#include "viewer/debugger/running_sample.h"

namespace tapescope {
namespace {
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
}  // namespace

std::string_view name_of(RunMode mode) {
  constexpr std::string_view kNames[] = {"idle", "running", "paused", "finished"};
  return kNames[static_cast<int>(mode)];
}

struct RunControl::Runner {
  struct Order {
    enum class Kind { load, run, stop, step_nodes, step_into, step_training, seek, run_until, keep, quit };
    Kind kind;
    std::int64_t amount = 0;
    Breakpoint breakpoint{};
    RunRequest request{};
    std::vector<std::uint64_t> steps{};  // whose values are kept
    std::shared_ptr<StepVisitor> visitor{};
  };
  // A place to stop at in a step to come.
  struct Appointment {
    std::uint64_t step = 0;
    std::uint64_t cursor = 0;
  };
  enum class Phase { live, replay, silent };

  explicit Runner(bool debugger) {
    if (debugger) {
      gate = std::make_unique<DebugGate>();
      gate->on_park([this](StopReason reason, const Frame& frame, const Breakpoint* hit) {
        return parked(reason, frame, hit);
      });
    }
    thread = std::thread([this] { main(); });
  }

  ~Runner() {
    post({.kind = Order::Kind::quit});
    thread.join();
  }

  // ---- any thread ----
  void post(Order order) {
    {
      std::lock_guard lock(mutex);
      const bool ends = order.kind == Order::Kind::load || order.kind == Order::Kind::stop ||
                        order.kind == Order::Kind::quit;
      if (ends) stopping = true;
      orders.push_back(std::move(order));
      ++given;
      if (stopping && status.mode == RunMode::running && gate) gate->request_abandon();
    }
    wake.notify_all();
  }

  bool at_rest() const { return status.mode != RunMode::running && done == given; }

  // ---- the runner's thread ----
  void main() {
    while (true) {
      std::optional<Order> order;
      {
        std::unique_lock lock(mutex);
        if (status.mode != RunMode::running) wake.wait(lock, [&] { return !orders.empty(); });
        if (!orders.empty()) {
          order = std::move(orders.front());
          orders.pop_front();
        }
      }
      if (order) {
        if (order->kind == Order::Kind::quit) break;
        handle(*order);
      } else {
        advance();
      }
    }
    programs.clear();
  }

  void command_done() {
    {
      std::lock_guard lock(mutex);
      ++done;
      status.commands_done = done;
    }
    changed();
  }

  void set_mode(RunMode mode, std::string error = {}) {
    {
      std::lock_guard lock(mutex);
      status.mode = mode;
      if (mode != RunMode::paused) status.frame = nullptr;
      if (!error.empty()) status.error = std::move(error);
    }
    changed();
  }

  void changed() {
    rest.notify_all();
    if (callback) callback();
  }

  // A command that arrives while no step is under way.
  void handle(Order& order) {
    using Kind = Order::Kind;
    switch (order.kind) {
      case Kind::load: forget(std::move(order.request)); break;
      case Kind::stop: forget(std::nullopt); break;
      case Kind::run: start(); break;
      case Kind::step_into:
      case Kind::step_nodes:
      case Kind::seek: {
        // From rest: run to that place of the first step.
        if (!gate) break;
        appointment =
            Appointment{next_step(), static_cast<std::uint64_t>(std::max<std::int64_t>(order.amount, 0))};
        start();
        break;
      }
      case Kind::step_training:
        if (gate)
          appointment = Appointment{next_step() + static_cast<std::uint64_t>(order.amount), last_cursor};
        start();
        break;
      case Kind::run_until:
        if (gate) gate->breakpoints().add_once(order.breakpoint);
        start();
        break;
      case Kind::keep:
        if (!programs.empty()) keep_frames(*programs[0], order.steps, *order.visitor);
        break;
      case Kind::quit: break;
    }
    command_done();
  }

  std::uint64_t next_step() const { return programs.empty() || over ? 0 : programs[0]->next_step(); }

  void forget(std::optional<RunRequest> next) {
    programs.clear();
    over = false;
    appointment.reset();
    last_cursor = 1;
    {
      std::lock_guard lock(mutex);
      // A pause that was asked for while this order waited is one of the run that is to come.
      if (gate) gate->cancel_requests(pause_of_order > done + 1);
      stopping = std::any_of(orders.begin(), orders.end(), [](const Order& o) {
        return o.kind == Order::Kind::load || o.kind == Order::Kind::stop || o.kind == Order::Kind::quit;
      });
      status.step = 0;
      status.error.clear();
      if (next) {
        request = std::move(*next);
        ++status.generation;
      }
    }
    if (gate) gate->breakpoints().forget_once();
    set_mode(RunMode::idle);
  }

  void start() {
    try {
      if (programs.empty() || over) {
        make_programs();
        std::lock_guard lock(mutex);
        ++status.generation;
      }
      set_mode(RunMode::running);
    } catch (const std::exception& error) {
      programs.clear();
      set_mode(RunMode::finished, error.what());
      failure = std::current_exception();
    }
  }

  void make_programs() {
    programs.clear();
    if (gate) gate->breakpoints().forget_hits();
    over = false;
    enough = false;
    const SampleInfo& info = find_sample(request.sample);
    SampleOptions options = checked_options(info, request.options);
    kernels::set_threads(options.threads);
    programs.push_back(std::make_unique<RunningSample>(info, options, 0));
    if (!request.compare_with.empty()) {
      options.variant = request.compare_with;
      options = checked_options(info, options);
      programs.push_back(std::make_unique<RunningSample>(info, options, 1));
    }
    comparison = ComparisonResult{};
    std::lock_guard lock(mutex);
    status.steps = options.steps ? static_cast<std::uint64_t>(*options.steps) : programs[0]->default_steps();
    status.step = 0;
    status.error.clear();
  }

  // One training step of every program; interleaved in alternating order, so that noise hits both alike.
  void advance() {
    if (enough.exchange(false) || programs[0]->next_step() >= status.steps) {
      finish();
      return;
    }
    try {
      const std::size_t count = programs.size();
      const bool swapped = programs[0]->next_step() % 2 == 1;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t which = swapped ? count - 1 - i : i;
        if (!run_one(*programs[which], which == 0)) return;
      }
      if (count == 2) compare_step(programs[0]->context(), programs[1]->context(), comparison);
      for (auto& program : programs) program->accept_step(program->context().elapsed_us, request.kept_steps);
      {
        std::lock_guard lock(mutex);
        status.step = programs[0]->next_step();
      }
      changed();
    } catch (const std::exception& error) {
      failure = std::current_exception();
      over = true;
      set_mode(RunMode::finished, error.what());
    }
  }

  void finish() {
    try {
      for (auto& program : programs) program->finish();
    } catch (const std::exception& error) {
      failure = std::current_exception();
      over = true;
      set_mode(RunMode::finished, error.what());
      return;
    }
    over = true;
    set_mode(RunMode::finished);
  }

  // Runs the next step of a program to its end; false when the run was stopped inside it.
  bool run_one(RunningSample& program, bool debugged) {
    debugged = debugged && gate;
    if (!debugged) {
      program.checkpoint();
      const auto begin = Clock::now();
      program.run_step();
      program.context().elapsed_us = microseconds_since(begin);
      return true;
    }
    // Only the steps of the program that is debugged stop: not its making, nor its last evaluation.
    gate->bind();
    struct Unbind {
      DebugGate& gate;
      ~Unbind() { gate.unbind(); }
    } unbind{*gate};
    program.checkpoint();
    const std::uint64_t step = program.next_step();
    phase = Phase::live;
    stop.reset();
    const bool due = appointment && appointment->step == step;
    gate->obey_breakpoints(!appointment);
    gate->begin_step(due ? std::max<std::uint64_t>(appointment->cursor, 1) : DebugGate::kNever);
    TapePlace place = due ? appointment->cursor : 0;
    try {
      const auto begin = Clock::now();
      program.run_step();
      program.context().elapsed_us = microseconds_since(begin);
      if (!due) return true;
      // The step has fewer nodes than the place that was asked for: stand at its end.
      place = gate->cursor();
      stop = Stop{StopReason::target, place, {}};
    } catch (const StepAbandoned&) {
      if (!stop) return false;
      if (!(due && appointment->cursor == 0)) place = stop->place;
    }
    appointment.reset();
    return debug_step(program, step, place);
  }

  // To the start of a step, without a stop on the way; false when the run was ended meanwhile.
  bool go_to(RunningSample& program, std::uint64_t step) {
    phase = Phase::silent;
    gate->obey_breakpoints(false);
    gate->begin_step(DebugGate::kNever);
    try {
      program.go_to(step);
    } catch (const StepAbandoned&) {
      return false;
    }
    gate->begin_step(DebugGate::kNever);
    return true;
  }

  // False when the run was ended meanwhile.
  bool run_whole(RunningSample& program) {
    try {
      program.run_step();
    } catch (const StepAbandoned&) {
      return false;
    }
    return true;
  }

  // The step is run whole once more, so that everything about it is known, then again to the place it
  // stopped at, and from there on as the user says.
  bool debug_step(RunningSample& program, std::uint64_t step, TapePlace place) {
    // What is shown is not to be the cold start of kernels that ran for the first time.
    if (step == 0) {
      const Mute mute;
      if (!go_to(program, step) || !run_whole(program)) return false;
    }
    if (!go_to(program, step) || !run_whole(program)) return false;
    cursor_count = gate->cursor();
    forward_count = gate->forward_nodes();
    paused_step = step;
    while (true) {
      returning = keep_first.has_value();
      if (const auto asked = std::exchange(keep_first, {}))
        keep_frames(program, asked->steps, *asked->visitor);
      if (!go_to(program, step)) return false;
      Mute mute;
      phase = Phase::replay;
      wanted.reset();
      TapePlace target = std::min(place, TapePlace(cursor_count));
      const bool at_begin = target == TapePlace();
      if (at_begin) {
        Frame empty;
        const DebugGate::Move move = parked(StopReason::target, empty, nullptr);
        if (move.kind == DebugGate::Move::Kind::abandon) {
          if (!wanted) return false;
          place = *wanted;
          continue;
        }
        target = move.target;
      }
      gate->begin_step(target);
      if (at_begin) gate->overlook_here();
      try {
        const auto begin = Clock::now();
        program.run_step();
        program.context().elapsed_us = microseconds_since(begin);
        return true;
      } catch (const StepAbandoned&) {
        if (!wanted) return false;
        place = *wanted;
      }
    }
  }

  // The gate has parked this thread inside a step.
  DebugGate::Move parked(StopReason reason, const Frame& frame, const Breakpoint* hit) {
    using Kind = DebugGate::Move::Kind;
    if (phase == Phase::silent) return {};
    std::string condition = hit ? stop_text(*hit, frame) : std::string();
    if (phase == Phase::live) {
      stop = Stop{reason, gate->place(), std::move(condition)};
      return {Kind::abandon, 0};
    }
    // What is met between two nodes has the place of the node before it, where the user stands already.
    gate->overlook_here();
    std::exchange(returning, false) ? command_done() : publish(reason, frame, std::move(condition));
    while (true) {
      Order order{};
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return !orders.empty(); });
        const Order::Kind next = orders.front().kind;
        // What ends the run is handled where no step is under way, and whole: it stays in the queue.
        if (next == Order::Kind::load || next == Order::Kind::stop || next == Order::Kind::quit) {
          status.mode = RunMode::running;
          return {Kind::abandon, 0};
        }
        order = std::move(orders.front());
        orders.pop_front();
      }
      const std::uint64_t here = frame.cursor;
      switch (order.kind) {
        case Order::Kind::run: return leave(DebugGate::kNever, true);
        case Order::Kind::run_until:
          gate->breakpoints().add_once(order.breakpoint);
          return leave(DebugGate::kNever, true);
        case Order::Kind::step_training:
          appointment = Appointment{paused_step + static_cast<std::uint64_t>(order.amount), here};
          return leave(DebugGate::kNever, false);
        case Order::Kind::keep:
          keep_first = std::move(order);
          wanted = TapePlace(here, frame.inner);
          return {Kind::abandon, 0};
        case Order::Kind::step_into:
          moving = true;
          gate->obey_breakpoints(false);
          return {Kind::go_on, {here, frame.inner + 1}};
        case Order::Kind::step_nodes:
        case Order::Kind::seek: {
          // Inside a node the way back is first to where the node began.
          const std::int64_t back = order.amount < 0 && frame.inner > 0 ? 1 : 0;
          const std::int64_t asked = order.kind == Order::Kind::seek
                                         ? order.amount
                                         : static_cast<std::int64_t>(here) + order.amount + back;
          const auto to = static_cast<std::uint64_t>(
              std::clamp<std::int64_t>(asked, 0, static_cast<std::int64_t>(cursor_count)));
          if (TapePlace(to) == TapePlace(here, frame.inner)) {
            command_done();
            break;
          }
          moving = true;
          if (to > here) {
            gate->obey_breakpoints(false);
            return {Kind::go_on, to};
          }
          wanted = to;
          return {Kind::abandon, 0};
        }
        default: command_done();
      }
    }
  }

  DebugGate::Move leave(TapePlace target, bool obey) {
    gate->obey_breakpoints(obey);
    last_cursor = gate->cursor();
    set_mode(RunMode::running);
    command_done();
    return {DebugGate::Move::Kind::go_on, target};
  }

  void publish(StopReason reason, const Frame& frame, std::string condition) {
    auto view = std::make_shared<FrameView>();
    view->reason = stop && !moving ? stop->reason : reason;
    view->breakpoint = condition.empty() && stop && !moving ? stop->breakpoint : std::move(condition);
    view->frame = frame;
    view->arrived = arrived_at_sources(frame);
    view->hash = frame.hash();
    view->step = paused_step;
    view->cursor = frame.cursor;
    view->cursor_count = cursor_count;
    view->forward_count = forward_count;
    if (!programs.empty()) view->values = programs[0]->values();
    const bool answered = std::exchange(moving, false);
    {
      std::lock_guard lock(mutex);
      status.mode = RunMode::paused;
      status.frame = std::move(view);
      if (answered) {
        ++done;
        status.commands_done = done;
      }
    }
    changed();
  }
  struct Stop {
    StopReason reason;
    TapePlace place;
    std::string breakpoint;
  };

  std::thread thread;
  std::unique_ptr<DebugGate> gate;
  std::function<void()> callback;
  mutable std::mutex mutex;
  mutable std::condition_variable rest;
  std::condition_variable wake;
  std::deque<Order> orders;
  std::uint64_t given = 0, done = 0, pause_of_order = 0;  // the last: given when a pause was asked for
  bool stopping = false;
  std::atomic<bool> enough{false};
  RunStatus status;

  RunRequest request;  // what follows is the runner's thread's alone
  std::vector<std::unique_ptr<RunningSample>> programs;
  ComparisonResult comparison;
  std::exception_ptr failure;
  Phase phase = Phase::live;
  std::optional<Stop> stop;
  std::optional<Appointment> appointment;
  std::optional<TapePlace> wanted;
  std::uint64_t cursor_count = 0, forward_count = 0, paused_step = 0, last_cursor = 1;
  std::optional<Order> keep_first;  // before it stands again at the place it was asked at
  // It ended; it is on its way to another place; to the one it stood at, which needs no report.
  bool over = false, moving = false, returning = false;
};

RunControl::RunControl(bool debugger) : runner_(std::make_unique<Runner>(debugger)) {}
RunControl::~RunControl() = default;

void RunControl::load(const RunRequest& request) {
  const SampleInfo& info = find_sample(request.sample);
  request_ = request;
  request_.options = checked_options(info, request.options);
  if (!request.compare_with.empty()) {
    SampleOptions other = request_.options;
    other.variant = request.compare_with;
    checked_options(info, other);
  }
  Runner::Order order{.kind = Runner::Order::Kind::load};
  order.request = request_;
  runner_->post(std::move(order));
}

void RunControl::run() { runner_->post({.kind = Runner::Order::Kind::run}); }
void RunControl::stop() { runner_->post({.kind = Runner::Order::Kind::stop}); }

void RunControl::finish_early() {
  std::lock_guard lock(runner_->mutex);
  if (runner_->status.mode == RunMode::running) runner_->enough = true;
}

void RunControl::pause() {
  // Only what runs, or is about to, can be paused: else the next run would begin paused.
  std::lock_guard lock(runner_->mutex);
  if (runner_->gate && (runner_->status.mode == RunMode::running || runner_->done != runner_->given)) {
    runner_->gate->request_pause();
    runner_->pause_of_order = runner_->given;
  }
}

void RunControl::step_into() { runner_->post({.kind = Runner::Order::Kind::step_into, .amount = 1}); }

void RunControl::step_nodes(std::int64_t nodes) {
  runner_->post({.kind = Runner::Order::Kind::step_nodes, .amount = nodes});
}

void RunControl::step_training(std::uint64_t steps) {
  runner_->post({.kind = Runner::Order::Kind::step_training, .amount = static_cast<std::int64_t>(steps)});
}

void RunControl::seek(std::uint64_t cursor) {
  runner_->post({.kind = Runner::Order::Kind::seek, .amount = static_cast<std::int64_t>(cursor)});
}

void RunControl::run_until(Breakpoint breakpoint) {
  runner_->post({.kind = Runner::Order::Kind::run_until, .breakpoint = std::move(breakpoint)});
}

void RunControl::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  if (runner_->gate) runner_->gate->breakpoints().set(std::move(breakpoints));
}

std::vector<Breakpoint> RunControl::breakpoints() const {
  return runner_->gate ? runner_->gate->breakpoints().get() : std::vector<Breakpoint>{};
}

void RunControl::keep_values(std::vector<std::uint64_t> steps, record::ValueKeeper& keeper) {
  visit(std::move(steps), into_keeper(keeper));
}

void RunControl::visit(std::vector<std::uint64_t> steps, std::shared_ptr<StepVisitor> visitor) {
  // Run again from different checkpoints, processes would wait for exchanges that others do not make.
  if (parallel::exchanges_with_others()) return;
  runner_->post(
      {.kind = Runner::Order::Kind::keep, .steps = std::move(steps), .visitor = std::move(visitor)});
}

RunStatus RunControl::status() const {
  std::lock_guard lock(runner_->mutex);
  return runner_->status;
}

bool RunControl::wait_at_rest(double seconds) const {
  std::unique_lock lock(runner_->mutex);
  return runner_->rest.wait_for(lock, std::chrono::duration<double>(seconds),
                                [&] { return runner_->at_rest(); });
}

void RunControl::on_change(std::function<void()> callback) { runner_->callback = std::move(callback); }

const ProgramResult& RunControl::result(int program) const {
  static const ProgramResult kNothing;
  const auto index = static_cast<std::size_t>(program);
  return index < runner_->programs.size() ? runner_->programs[index]->result : kNothing;
}

const ComparisonResult& RunControl::comparison() const { return runner_->comparison; }

std::exception_ptr RunControl::failure() const { return runner_->failure; }

}  // namespace tapescope
