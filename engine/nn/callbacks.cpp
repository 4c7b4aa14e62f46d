// Early stopping, a schedule, and the progress line.
#include "engine/nn/callbacks.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace tapescope {
namespace {

// Often enough to look alive, seldom enough to cost nothing.
constexpr double kSecondsBetweenLines = 0.1;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void EarlyStopping::train_begin() {
  waited_ = 0;
  any_ = stop_ = false;
}

void EarlyStopping::epoch_end(std::int64_t, const Logs& logs) {
  const auto found = logs.find(monitor_);
  if (found == logs.end()) {
    fail(ErrorKind::value, "EarlyStopping",
         fmt::format("there is no result '{}'; give validation data or monitor another", monitor_));
  }
  if (!any_ || found->second < best_ - min_delta_) {
    best_ = found->second;
    any_ = true;
    waited_ = 0;
    return;
  }
  stop_ = ++waited_ >= std::max<std::int64_t>(patience_, 1);
}

void ExponentialSchedule::epoch_begin(std::int64_t epoch) {
  const double rate = initial_ * std::pow(decay_, static_cast<double>(epoch));
  optimizer_.learning_rate().assign(make_full(Shape{}, rate, DType::f32));
}

ProgressLine::ProgressLine(std::int64_t epochs, std::int64_t batches)
    : terminal_(isatty(STDERR_FILENO) == 1), epochs_(epochs), batches_(batches) {}

void ProgressLine::epoch_begin(std::int64_t epoch) { epoch_ = epoch; }

std::string ProgressLine::text(std::int64_t batch, const Logs& logs) const {
  std::string line = fmt::format("Epoch {}/{}  {}/{}", epoch_ + 1, epochs_, batch, batches_);
  for (const auto& [name, value] : logs) line += fmt::format("  {}: {:.4f}", name, value);
  return line;
}

void ProgressLine::batch_end(std::int64_t batch, const Logs& logs) {
  if (!terminal_ || seconds_now() - shown_at_ < kSecondsBetweenLines) return;
  shown_at_ = seconds_now();
  std::fprintf(stderr, "\r%s\x1b[K", text(batch + 1, logs).c_str());
}

void ProgressLine::epoch_end(std::int64_t, const Logs& logs) {
  if (terminal_) std::fprintf(stderr, "\r%s\x1b[K\n", text(batches_, logs).c_str());
}

}  // namespace tapescope
