// One thread that sleeps between questions.
#include "viewer/window/live_list.h"

#include <algorithm>
#include <chrono>

#include "engine/core/error.h"
#include "viewer/debugger/ssh_host.h"

namespace tapescope::ui {
namespace {

constexpr std::chrono::seconds kBetween{1};

bool same(const live::Listener& x, const live::Listener& y) {
  return x.pid == y.pid && x.greeting.name == y.greeting.name && x.greeting.attached == y.greeting.attached &&
         x.greeting.rank == y.greeting.rank && x.greeting.framework == y.greeting.framework;
}

std::vector<live::Listener> listening_here() {
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

LiveList::Host LiveList::host() const {
  std::lock_guard lock(mutex_);
  return host_;
}

void LiveList::ask(const std::string& address) {
  const std::string whole = address.starts_with("ssh://") ? address : "ssh://" + address;
  {
    std::lock_guard lock(mutex_);
    if (host_.asked) return;  // one at a time
    host_ = {.address = whole, .asked = true};
  }
  ++changes_;
  asking_ = std::jthread([this, whole] {
    Host answer{.address = whole};
    try {
      answer.programs = SshHost(read_ssh_address(whole)).listeners();
      std::erase_if(answer.programs, [](const live::Listener& program) { return !program.problem.empty(); });
    } catch (const Error& error) {
      answer.problem = error.what();
    }
    {
      std::lock_guard lock(mutex_);
      host_ = std::move(answer);
    }
    ++changes_;
    wake_();
  });
}

void LiveList::run() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    changed_.wait(lock, [&] { return wanted_ || over_; });
    if (over_) return;
    lock.unlock();
    std::vector<live::Listener> now = listening_here();
    lock.lock();
    const bool other = !std::ranges::equal(now, found_, same);
    found_ = std::move(now);
    if (other) ++changes_;
    if (other && !over_) wake_();
    changed_.wait_for(lock, kBetween, [&] { return over_; });
  }
}

}  // namespace tapescope::ui
