// One thread that sleeps between questions.
#include "viewer/window/live_list.h"

#include <algorithm>
#include <chrono>

#include "engine/core/error.h"

namespace tapescope::ui {
namespace {

constexpr std::chrono::seconds kBetween{1};

bool same(const live::Listener& x, const live::Listener& y) {
  return x.pid == y.pid && x.greeting.name == y.greeting.name && x.greeting.attached == y.greeting.attached &&
         x.greeting.rank == y.greeting.rank;
}

std::vector<live::Listener> ask() {
  std::vector<live::Listener> found;
  try {
    found = live::listeners();
  } catch (const Error&) {
    // A folder that is not the user's: `attach` and `list --live` say so.
  }
  std::erase_if(found, [](const live::Listener& program) { return !program.problem.empty(); });
  return found;
}

}  // namespace

LiveList::~LiveList() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::vector<live::Listener> LiveList::programs() {
  std::lock_guard lock(mutex_);
  if (!wanted_) {
    wanted_ = true;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
  }
  return found_;
}

void LiveList::rest() {
  std::lock_guard lock(mutex_);
  wanted_ = false;
}

void LiveList::run() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    changed_.wait(lock, [&] { return wanted_ || over_; });
    if (over_) return;
    lock.unlock();
    std::vector<live::Listener> now = ask();
    lock.lock();
    const bool other = !std::ranges::equal(now, found_, same);
    found_ = std::move(now);
    if (other && !over_) wake_();
    changed_.wait_for(lock, kBetween, [&] { return over_; });
  }
}

}  // namespace tapescope::ui
