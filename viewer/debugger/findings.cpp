// One worker, the newest search only: what a search is of is looked at no more when the program went on.
#include "viewer/debugger/findings.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tapescope {

Findings::Findings(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { main(); }) {}

Findings::~Findings() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
    under_way_.request_stop();
  }
  work_.notify_all();
  thread_.join();
}

Findings::Questions Findings::questions_of(const Snapshot& snapshot) {
  Questions open;
  for (const AlertRow& alert : snapshot.alerts) {
    if (alert.kind != "nonfinite") continue;
    open.nonfinite_step = std::min(alert.step, open.nonfinite_step.value_or(alert.step));
  }
  if (!snapshot.complete) return open;
  for (const GradientRow& row : snapshot.gradients) {
    if (row.status == GradientStatus::zero && row.step == snapshot.complete->step) ++open.zeros;
  }
  if (open.zeros > 0) open.zeros_step = snapshot.complete->step;
  return open;
}

void Findings::search(std::uint64_t generation, const RunRequest& request,
                      const std::shared_ptr<const Snapshot>& snapshot) {
  {
    std::lock_guard lock(mutex_);
    if (generation == generation_ && snapshot->version == version_) return;
    if (generation != generation_) forget_all();
    generation_ = generation;
    version_ = snapshot->version;
    const Questions open = questions_of(*snapshot), before = std::exchange(asked_, open);
    if (open == before) return;
    Task task{request, snapshot, open};
    // What was searched to its end is not searched again; what a search that is given up was after is.
    if (!busy_ && !next_) {
      if (open.nonfinite_step == before.nonfinite_step) task.questions.nonfinite_step.reset();
      if (open.zeros_step == before.zeros_step && open.zeros == before.zeros)
        task.questions.zeros_step.reset();
    }
    if (!task.questions.nonfinite_step && !task.questions.zeros_step) return;
    under_way_.request_stop();
    next_ = std::move(task);
  }
  work_.notify_all();
}

void Findings::know(std::uint64_t last_step, std::optional<NonFiniteOrigin> origin,
                    std::vector<ZeroProof> zeros) {
  std::lock_guard lock(mutex_);
  forget_all();
  origin_ = std::move(origin);
  zeros_step_ = last_step;
  zeros_ = std::move(zeros);
}

void Findings::forget() {
  std::lock_guard lock(mutex_);
  forget_all();
}

void Findings::forget_all() {
  next_.reset();
  under_way_.request_stop();
  generation_ = version_ = 0;
  asked_ = {};
  origin_.reset();
  zeros_step_.reset();
  zeros_.clear();
  ++revision_;
}

bool Findings::caught_up() const {
  std::lock_guard lock(mutex_);
  return !busy_ && !next_;
}

void Findings::main() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return quit_ || next_; });
    if (quit_) return;
    const Task task = std::move(*next_);
    next_.reset();
    under_way_ = task.stop;
    busy_ = true;
    lock.unlock();
    try {
      answer(task);
    } catch (const std::exception&) {
      // What a program cannot do a second time is not found out; the first time told the user.
    }
    lock.lock();
    busy_ = false;
    lock.unlock();
    wake_();
    lock.lock();
  }
}

void Findings::answer(const Task& task) {
  const std::stop_token stop = task.stop.get_token();
  const std::string& variant = task.request.options.variant;
  const Questions& open = task.questions;
  std::optional<NonFiniteOrigin> origin;
  std::vector<ZeroProof> zeros;
  if (open.nonfinite_step) origin = locate_nonfinite(task.request, variant, *task.snapshot, stop);
  if (open.zeros_step && !stop.stop_requested())
    zeros = locate_zeros(task.request, variant, *task.snapshot, stop);
  std::lock_guard lock(mutex_);
  if (stop.stop_requested()) return;
  if (open.nonfinite_step) origin_ = std::move(origin);
  if (open.zeros_step) {
    zeros_step_ = open.zeros_step;
    zeros_ = std::move(zeros);
  }
  ++revision_;
}

std::optional<NonFiniteOrigin> Findings::origin() const {
  std::lock_guard lock(mutex_);
  return origin_;
}

std::vector<ZeroProof> Findings::zeros(const Snapshot& snapshot) const {
  std::lock_guard lock(mutex_);
  return snapshot.complete && zeros_step_ == snapshot.complete->step ? zeros_ : std::vector<ZeroProof>();
}

std::shared_ptr<const Snapshot> Findings::told(const std::shared_ptr<const Snapshot>& snapshot) const {
  std::lock_guard lock(mutex_);
  const bool zeros = !zeros_.empty() && snapshot->complete && zeros_step_ == snapshot->complete->step;
  if (!origin_ && !zeros) return snapshot;
  if (told_of_ == snapshot && told_revision_ == revision_) return told_;
  auto told = std::make_shared<Snapshot>(*snapshot);
  // Another picture than the store's of that version: who draws compares them.
  told->version += revision_ << 32;
  if (zeros) {
    for (const ZeroProof& proof : zeros_) apply_proof(*told->complete, proof, told->gradients);
  }
  if (origin_) {
    apply_origin(*origin_, told->alerts);
    const auto view = told->shown();
    if (view && !told->alerts.empty() && told->alerts.front().node == origin_->node) {
      told->alerts.front().op_index = op_of(*origin_, *view);
    }
  }
  told_of_ = snapshot;
  told_ = std::move(told);
  told_revision_ = revision_;
  return told_;
}

}  // namespace tapescope
