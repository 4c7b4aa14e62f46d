// Wires session, ingest and run control together.
#include "viewer/app/debuggee.h"

namespace tapescope::ui {

Debuggee::Debuggee(std::function<void()> wake) : ingest_(session_) {
  ingest_.on_publish(wake);
  control_.on_change(std::move(wake));
  session_.start();
}

Debuggee::~Debuggee() {
  // A writer blocked by a full buffer needs its reader until its thread has ended.
  control_.stop();
  control_.wait_at_rest(5);
  session_.stop();
}

void Debuggee::load(const RunRequest& request) {
  control_.load(request);
  control_.wait_at_rest(5);
  ingest_.clear();
}

void Debuggee::run() {
  const RunMode mode = control_.status().mode;
  if (mode == RunMode::idle || mode == RunMode::finished) ingest_.clear();
  control_.run();
}

}  // namespace tapescope::ui
