// The thread that drains the session.
#include "engine/recording/process_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

#include "engine/debug/process_gate.h"
#include "engine/events/clock.h"
#include "engine/events/records/steps.h"
#include "engine/recording/process_facts.h"
#include "engine/recording/recorder.h"

namespace tapescope::record {
namespace {

// The program's own pace matters more than its recording: what a slow disk cannot take is dropped and
// counted.
constexpr FullPolicy kPolicy = FullPolicy::drop;
constexpr auto kPause = std::chrono::milliseconds(4);
// Every second time: a killed program loses its last 8 ms.
constexpr auto kTailInterval = std::chrono::milliseconds(7);
// That a dying program waits for its recording: some 200 times what it takes.
constexpr double kNoteSeconds = 2;

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Cuts a recording that has its end already. Never destroyed.
class LateFaults final : public FatalListener {
 public:
  LateFaults(int file, std::uint64_t size) : file_(file), size_(static_cast<off_t>(size)), owner_(getpid()) {}
  // Async-signal-safe.
  void note(const FatalNote&) noexcept override {
    if (getpid() != owner_) return;
    [[maybe_unused]] const int cut = ftruncate(file_, size_);
  }

 private:
  int file_;
  off_t size_;
  pid_t owner_;
};

}  // namespace

ProcessRecording::ProcessRecording(const std::string& path, const ValueOptions& values)
    : session_({.policy = kPolicy}),
      facts_(facts_that_were_set()),
      writer_(open_sink(path), process_facts()),
      owner_(getpid()) {
  session_.start();
  if (!values.rule.empty()) {
    values_ = std::make_unique<ProgramValues>(values);
    set_process_gate(values_.get());
  }
  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { loop(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  listen_to_fatal(this);
}

ProcessRecording::~ProcessRecording() { finish(); }

void ProcessRecording::finish(const Ending& ending) {
  if (getpid() != owner_ || !thread_.joinable()) return;
  listen_to_fatal(nullptr);
  session_.stop();
  if (values_) values_->finish();
  ending_ = ending;
  writer_.hurry();
  stopping_ = true;
  thread_.join();
}

void ProcessRecording::guard_end() {
  if (getpid() != owner_ || thread_.joinable() || guarded_) return;
  guarded_ = true;
  const std::string path = writer_.file();
  if (path.empty() || end_at_ == 0 || !writer_.failure().empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file >= 0) listen_to_fatal(new LateFaults(file, end_at_));
}

void ProcessRecording::leave_to_parent() {
  listen_to_fatal(nullptr);
  if (values_) set_process_gate(nullptr);
  writer_.leave_to_parent();
}

// Async-signal-safe.
void ProcessRecording::note(const FatalNote& note) noexcept {
  if (getpid() != owner_ || gettid() == writing_thread_.load(std::memory_order_relaxed)) return;
  // A second thread that dies, or abort() after std::terminate, waits for the first note.
  if (note.dies) writer_.hurry();
  const bool first = !note_taken_.exchange(true);
  if (first) {
    note_ = note;
    note_asked_.store(true, std::memory_order_release);
  }
  const double end = seconds_now() + kNoteSeconds;
  while (!note_written_.load(std::memory_order_acquire) && seconds_now() < end) {
    constexpr timespec kMillisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&kMillisecond, nullptr);
  }
  if (first && !note.dies) {
    note_written_.store(false, std::memory_order_relaxed);
    note_taken_.store(false, std::memory_order_release);
  }
}

void ProcessRecording::write_new_facts() {
  ProgramFacts facts = facts_that_were_set();
  if (facts == facts_) return;
  facts_ = std::move(facts);
  writer_.add_facts(facts_);
}

void ProcessRecording::write_ending(const Ending& ending) {
  const Record record = record_of(ending);
  writer_.add(0, std::span(&record, 1));
}

void ProcessRecording::write_note() {
  const Ending ending{.how = note_.how,
                      .code = note_.code,
                      .type = note_.how == ProgramEnd::signal ? signal_name(note_.code) : note_.type,
                      .text = note_.text};
  write_ending(ending);
  if (note_.dies) writer_.finish(reason_of(ending), session_.lost(), session_.lost_stats());
  else writer_.flush();
}

bool ProcessRecording::tap(ProcessTap* tap) {
  std::lock_guard lock(tap_mutex_);
  tap_ = tap;
  return !stopping_;
}

void ProcessRecording::loop() {
  writing_thread_ = gettid();
  flushed_ = saved_ = std::chrono::steady_clock::now();
  while (true) {
    const bool last = stopping_, dying = note_asked_.exchange(false);
    try {
      if (given_up_) pass_over();
      else write(last, dying);
    } catch (const std::exception&) {
      give_up();
    }
    // Who waits is to wait no longer, whatever came of it.
    if (dying || last) note_written_.store(true, std::memory_order_release);
    if (last) return;
    std::this_thread::sleep_for(kPause);
  }
}

void ProcessRecording::write(bool last, bool dying) {
  const std::vector<StatsEntry> statistics = session_.take_stats();
  {
    std::lock_guard lock(tap_mutex_);
    session_.drain([this](std::uint32_t thread, std::span<const Record> records) {
      if (tap_) tap_->add(thread, records);
      writer_.add(thread, records);
    });
    if (tap_) tap_->add_statistics(statistics);
  }
  writer_.add_statistics(statistics);
  if (values_) {
    for (const Bytes& payload : values_->take()) writer_.add_values(payload);
  }
  if (dying) write_note();
  // Here, and not in finish(): what belongs to the main thread alone is gone when that runs.
  if (last) {
    write_new_facts();
    if (const auto step = unfinished_step();
        step && (ending_.how == ProgramEnd::exit || ending_.how == ProgramEnd::quick_exit)) {
      const Record end = StepEndRecord{.step = step->step, .ticks = ticks()};
      writer_.add(step->thread, std::span(&end, 1));
    }
    writer_.flush();
    end_at_ = writer_.bytes();
    write_ending(ending_);
    writer_.finish(reason_of(ending_), session_.lost(), session_.lost_stats());
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ >= kFlushInterval) {
    write_new_facts();
    writer_.flush();
    flushed_ = saved_ = now;
  } else if (now - saved_ >= kTailInterval) {
    writer_.save_tail();
    saved_ = now;
  }
  if (!writer_.failure().empty() && !reported_) report();
}

// Half of what was to be written may be there: nothing follows the last whole chunk.
void ProcessRecording::give_up() {
  given_up_ = true;
  writer_.leave_to_parent();
  if (reported_) return;
  reported_ = true;
  std::fputs(
      "tapescope: cannot go on recording (no memory is left); what was written until then opens, the run "
      "goes on\n",
      stderr);
}

void ProcessRecording::pass_over() {
  session_.take_stats();
  session_.drain([](std::uint32_t, std::span<const Record>) {});
  if (values_) values_->take();
}

void ProcessRecording::report() {
  reported_ = true;
  fmt::print(stderr, "tapescope: {}\n", writer_.failure());
}

}  // namespace tapescope::record
