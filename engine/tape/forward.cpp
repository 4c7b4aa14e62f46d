// What an accumulator holds and hears, and which listeners see what it computes.
#include "engine/tape/forward.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "engine/events/limit.h"
#include "engine/gate/state.h"
#include "engine/ops/slices.h"
#include "engine/ops/tensor_list.h"
#include "engine/program.h"
#include "engine/tape/push_forward.h"
#include "engine/tape/set_aside.h"

namespace tapescope {
namespace {

constexpr std::size_t kForgetAt = 256;  // below this many tangents there is nothing worth looking for

// While an accumulator's own ops run, only listeners outside of it are there.
class OnlyOutside {
 public:
  OnlyOutside(ThreadState& ts, const ForwardListener* self, const std::vector<TapeListener*>& outside_tapes,
              const Location& at)
      : ts_(ts), all_(ts), origin_(ts.origin) {
    for (TapeListener* tape : all_.tapes()) {
      if (std::find(outside_tapes.begin(), outside_tapes.end(), tape) != outside_tapes.end())
        ts.tapes.push_back(tape);
    }
    for (ForwardListener* accumulator : all_.accumulators()) {
      if (accumulator == self) break;
      ts.accumulators.push_back(accumulator);
    }
    if (!ts.origin) ts.origin = &at;
  }
  ~OnlyOutside() { ts_.origin = origin_; }
  OnlyOutside(const OnlyOutside&) = delete;
  OnlyOutside& operator=(const OnlyOutside&) = delete;

 private:
  ThreadState& ts_;
  const ListenersSetAside all_;
  const Location* origin_;
};

}  // namespace

// The accumulator as the gate knows it.
class ForwardAccumulator::Listener final : public ForwardListener {
 public:
  ~Listener() { exit(); }

  // False where the primal has a tangent already.
  bool watch(const Tensor& primal, const Tensor& tangent) {
    return moving_.emplace(primal.id(), Moving{primal, tangent, true}).second;
  }
  bool entered() const { return active_on_ != nullptr; }
  void enter();
  void exit();
  const Tensor* find(TensorId id) const {
    const auto found = moving_.find(id);
    return found == moving_.end() ? nullptr : &found->second.tangent;
  }
  std::size_t size() const { return moving_.size(); }
  void executed(const OpCall& call) override;

 private:
  struct EndOfThread;
  struct Moving {
    Tensor primal;  // held to find what can no longer be used
    Tensor tangent;
    bool given;
  };

  void add(const Tensor& primal, Tensor tangent);
  void forget_unused();

  std::unordered_map<TensorId, Moving> moving_;
  std::size_t forget_at_ = kForgetAt;  // entries at which unused ones are looked for
  ThreadState* active_on_ = nullptr;
  std::vector<TapeListener*> outside_tapes_;
};

// A thread that ends leaves the blocks it is in.
struct ForwardAccumulator::Listener::EndOfThread {
  ThreadState& ts = state();  // made before this, so that it ends after it
  ~EndOfThread() {
    for (ForwardListener* listener : ts.accumulators) {
      static_cast<Listener*>(listener)->active_on_ = nullptr;  // the only kind there is
    }
  }
};

void ForwardAccumulator::Listener::enter() {
  ThreadState& ts = state();
  outside_tapes_ = ts.tapes;
  ts.accumulators.push_back(this);
  ts.listen.fetch_or(kListenForward, std::memory_order_relaxed);
  active_on_ = &ts;
  static thread_local const EndOfThread end_of_thread;
}

void ForwardAccumulator::Listener::exit() {
  if (!active_on_) return;
  std::erase(active_on_->accumulators, static_cast<ForwardListener*>(this));
  if (active_on_->accumulators.empty())
    active_on_->listen.fetch_and(~std::uint32_t{kListenForward}, std::memory_order_relaxed);
  active_on_ = nullptr;
}

void ForwardAccumulator::Listener::add(const Tensor& primal, Tensor tangent) {
  if (moving_.size() >= forget_at_) forget_unused();
  moving_.emplace(primal.id(), Moving{primal, std::move(tangent), false});
}

// Forward mode keeps no history: a tensor that only this accumulator still holds will be in no op any more.
void ForwardAccumulator::Listener::forget_unused() {
  std::erase_if(moving_, [](const auto& entry) {
    return !entry.second.given && entry.second.primal.impl()->references.load(std::memory_order_relaxed) == 1;
  });
  forget_at_ = std::max(kForgetAt, 2 * moving_.size());
}

void ForwardAccumulator::Listener::executed(const OpCall& call) {
  ThreadState& ts = state();
  if (ts.silenced) return;
  constexpr std::size_t kInline = 4;
  Tensor here[kInline];
  std::vector<Tensor> more(call.inputs.size() > kInline ? call.inputs.size() : 0);
  const std::span<Tensor> tangents =
      more.empty() ? std::span<Tensor>(here).first(call.inputs.size()) : std::span<Tensor>(more);
  bool any = false;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor* tangent = find(call.inputs[i]->id);
    if (!tangent) continue;
    const TensorImpl& input = *call.inputs[i];
    const bool handle = input.type->dtype == DType::resource && !is_list(*input.type);
    if (!handle && &tangent->type() != input.type) {
      fail(ErrorKind::invalid_argument, "ForwardAccumulator",
           fmt::format("the tangent of input {} of {} is {}, expected {} as the primal", i, call.op.name,
                       tangent->type().text(), input.type->text()),
           &call.location);
    }
    tangents[i] = *tangent;
    any = true;
  }
  if (!any) return;
  std::vector<Tensor> results(call.outputs.size());
  {
    const OnlyOutside outside(ts, this, outside_tapes_, call.location);
    push_forward(call, tangents, results);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Type& type = call.outputs[k].type();
    if (results[k] && (is_floating(type.dtype) || is_list(type))) add(call.outputs[k], std::move(results[k]));
  }
}

ForwardAccumulator::ForwardAccumulator(const Traced& primal, const Tensor& tangent, Location location)
    : ForwardAccumulator(std::span(&primal, 1), std::span(&tangent, 1), location) {}

ForwardAccumulator::ForwardAccumulator(std::span<const Traced> primals, std::span<const Tensor> tangents,
                                       Location location)
    : listener_(std::make_unique<Listener>()) {
  if (primals.size() != tangents.size()) {
    fail(ErrorKind::value, "ForwardAccumulator",
         fmt::format("expected one tangent for each primal, got {} primals and {} tangents", primals.size(),
                     tangents.size()),
         &location);
  }
  for (std::size_t i = 0; i < primals.size(); ++i) watch(primals[i], tangents[i], location);
}

ForwardAccumulator::~ForwardAccumulator() = default;

void ForwardAccumulator::watch(const Traced& primal, const Tensor& tangent, Location location) {
  if (!primal.tensor() || !tangent) {
    fail(ErrorKind::value, "ForwardAccumulator",
         fmt::format("the {} is None, expected a tensor{}", primal.tensor() ? "tangent" : "primal",
                     primal.tensor() ? "" : " or a variable"),
         &location);
  }
  if (!is_floating(primal.type().dtype)) {
    constexpr std::uint32_t kWarnings = 5;  // as many as TensorFlow gives
    static constinit Limit warnings(kWarnings);
    if (warnings.allows()) {
      note_message(
          fmt::format(
              "ForwardAccumulator: '{}' is {}; only floating types have tangents, so it is not followed",
              primal.name(), name_of(primal.type().dtype)),
          1, location);
    }
    return;
  }
  if (!listener_->watch(primal.tensor(), tangent)) {
    fail(ErrorKind::value, "ForwardAccumulator",
         fmt::format("'{}' is a primal already; give each primal once, with the sum of its tangents",
                     primal.name()),
         &location);
  }
}

ForwardAccumulator::Recording ForwardAccumulator::record(Location location) {
  enter(location);
  return Recording(*this);
}

void ForwardAccumulator::enter(Location location) {
  if (listener_->entered()) {
    fail(ErrorKind::value, "ForwardAccumulator",
         "it is recording already and was entered again; leave its block first", &location);
  }
  listener_->enter();
}

void ForwardAccumulator::exit() { listener_->exit(); }

std::size_t ForwardAccumulator::tangents() const { return listener_->size(); }

Tensor ForwardAccumulator::jvp(const Traced& target, Unconnected unconnected) const {
  if (target.tensor()) {
    if (const Tensor* tangent = listener_->find(target.tensor().id())) return *tangent;
    if (is_indexed_slices(target.tensor())) {
      fail(ErrorKind::value, "ForwardAccumulator",
           "the target is kept as rows (IndexedSlices), which no accumulator follows; give to_dense() of it, "
           "computed inside the accumulator's block");
    }
    if (unconnected == Unconnected::zero) return make_full(target.type().shape, 0, target.type().dtype);
  }
  return Tensor();
}

}  // namespace tapescope
