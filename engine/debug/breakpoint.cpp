// Conditions, and who counts them.
#include "engine/debug/breakpoint.h"

#include <algorithm>
#include <utility>

namespace tapescope {
namespace {

using Kind = Breakpoint::Kind;

bool asks_for_gradients(Kind kind) {
  return kind == Kind::norm_above || kind == Kind::norm_below || kind == Kind::zeros_above;
}

bool holds(const Breakpoint& breakpoint, const TensorStats& stats) {
  switch (breakpoint.kind) {
    case Kind::nonfinite: return stats.nans + stats.infinities > 0;
    case Kind::norm_above: return stats.norm > breakpoint.limit;
    case Kind::norm_below: return stats.norm < breakpoint.limit;
    case Kind::zeros_above:
      return stats.count > 0 &&
             static_cast<double>(stats.zeros) >= breakpoint.limit * static_cast<double>(stats.count);
    default: return false;
  }
}

// What is small or mostly zero may grow yet: that is asked of whole sums. The others are met once, where the
// sum comes to be so.
bool holds(const Breakpoint& breakpoint, const SourceSum& sum) {
  if (breakpoint.kind == Kind::norm_below || breakpoint.kind == Kind::zeros_above)
    return sum.whole && holds(breakpoint, sum.now);
  return !holds(breakpoint, sum.before) && holds(breakpoint, sum.now);
}

// What is looked at where the thread has arrived: worked out once for all breakpoints, when one asks.
class Arrival {
 public:
  Arrival(const GatePoint& point, const FrameSource& source, SourceNames& names, std::uint64_t place)
      : point_(point), source_(source), names_(names), place_(place) {}

  bool meets(const Breakpoint& breakpoint) {
    switch (breakpoint.kind) {
      case Kind::op:
        return op_name_text(point_.op) == breakpoint.text &&
               (breakpoint.place == 0 || (breakpoint.place == place_ && !point_.inside));
      case Kind::line: return location_text(site_with_id(point_.site)) == breakpoint.text;
      case Kind::name: return names(breakpoint.text);
      case Kind::nonfinite:
      case Kind::norm_above:
      case Kind::norm_below:
      case Kind::zeros_above: return values_meet(breakpoint);
      default: return false;
    }
  }

 private:
  const Frame& frame() {
    if (!frame_) {
      frame_.emplace();
      frame_->backward = point_.backward;
      source_.describe(*frame_);
    }
    return *frame_;
  }

  bool names(const std::string& name) {
    for (const auto* list : {&frame().inputs, &frame().outputs, &frame().cotangents_out}) {
      for (const FrameTensor& item : *list) {
        if (item.name == name) return true;
      }
    }
    return false;
  }

  // Of the values that the node made, or the gradients that it passes on.
  const std::vector<TensorStats>& stats() {
    if (!stats_) {
      stats_.emplace();
      for (const FrameTensor& item : point_.backward ? frame().cotangents_out : frame().outputs) {
        if (item.value && is_floating(item.value.dtype())) stats_->push_back(tensor_stats(item.value));
      }
    }
    return *stats_;
  }

  const std::vector<SourceSum>& sums() {
    if (!sums_) source_.sums(sums_.emplace());
    return *sums_;
  }

  bool values_meet(const Breakpoint& breakpoint) {
    const bool of_gradients = asks_for_gradients(breakpoint.kind);
    if (!breakpoint.source.empty()) {
      if (!point_.backward) return false;
      source_.sources(names_);
      return std::any_of(sums().begin(), sums().end(), [&](const SourceSum& sum) {
        return names_.text(sum.name, sum.source) == breakpoint.source && holds(breakpoint, sum);
      });
    }
    if (!breakpoint.op.empty() && op_name_text(point_.op) != breakpoint.op) return false;
    // Norms are those of gradients, as everywhere on screen.
    if (of_gradients && !point_.backward) return false;
    if (std::any_of(stats().begin(), stats().end(),
                    [&](const TensorStats& stats) { return holds(breakpoint, stats); }))
      return true;
    const bool of_norms = breakpoint.kind == Kind::norm_above || breakpoint.kind == Kind::norm_below;
    return of_norms && breakpoint.op.empty() &&
           std::any_of(sums().begin(), sums().end(),
                       [&](const SourceSum& sum) { return holds(breakpoint, sum); });
  }

  const GatePoint& point_;
  const FrameSource& source_;
  SourceNames& names_;
  std::uint64_t place_;
  std::optional<Frame> frame_;
  std::optional<std::vector<TensorStats>> stats_;
  std::optional<std::vector<SourceSum>> sums_;
};

}  // namespace

bool Breakpoint::means_same(const Breakpoint& other) const {
  return kind == other.kind && text == other.text && limit == other.limit && source == other.source &&
         op == other.op && place == other.place && from_hit == other.from_hit;
}

void number(std::vector<Breakpoint>& breakpoints) {
  std::uint32_t last = 0;
  for (const Breakpoint& breakpoint : breakpoints) last = std::max(last, breakpoint.id);
  for (Breakpoint& breakpoint : breakpoints) {
    if (breakpoint.id == 0) breakpoint.id = ++last;
  }
}

void Breakpoints::changed() {
  const auto& list = *list_;
  armed_.store(once_ || std::any_of(list.begin(), list.end(), [](const Breakpoint& b) { return b.enabled; }),
               std::memory_order_relaxed);
  changes_.fetch_add(1, std::memory_order_release);
}

void Breakpoints::set(std::vector<Breakpoint> breakpoints) {
  // One for all, so that to forget them takes no memory. Never destroyed: threads outlive main.
  static const auto& none = *new std::shared_ptr<const List>(std::make_shared<const List>());
  number(breakpoints);
  std::lock_guard lock(mutex_);
  if (breakpoints.empty()) {
    list_ = none;
    hits_.clear();
    changed();
    return;
  }
  std::vector<std::uint64_t> hits;
  for (const Breakpoint& breakpoint : breakpoints) {
    hits.push_back(0);
    for (std::size_t i = 0; i < list_->size(); ++i) {
      const Breakpoint& before = (*list_)[i];
      if (before.id == breakpoint.id && before.means_same(breakpoint)) hits.back() = hits_[i];
    }
  }
  list_ = std::make_shared<const List>(std::move(breakpoints));
  hits_ = std::move(hits);
  changed();
}

std::vector<Breakpoint> Breakpoints::get() const {
  std::lock_guard lock(mutex_);
  List list = *list_;
  for (std::size_t i = 0; i < list.size(); ++i) list[i].hits = hits_[i];
  return list;
}

void Breakpoints::add_once(Breakpoint breakpoint) {
  std::lock_guard lock(mutex_);
  once_ = std::move(breakpoint);
  once_->id = kOnce;
  changed();
}

void Breakpoints::forget_once() {
  std::lock_guard lock(mutex_);
  if (!once_) return;
  once_.reset();
  changed();
}

void Breakpoints::forget_hits() {
  std::lock_guard lock(mutex_);
  hits_.assign(list_->size(), 0);
  changed();
}

// Conditions are judged without the lock: sums take their time, and others read the hits meanwhile.
template <class Meets>
std::optional<Breakpoint> Breakpoints::count(Meets meets) {
  std::shared_ptr<const List> list;
  std::optional<Breakpoint> once;
  {
    std::lock_guard lock(mutex_);
    list = list_;
    once = once_;
  }
  std::vector<std::size_t> met;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].enabled && meets((*list)[i])) met.push_back(i);
  }
  if (once && !meets(*once)) once.reset();
  if (met.empty()) return once;
  std::optional<Breakpoint> stop;
  std::lock_guard lock(mutex_);
  for (const std::size_t place : met) {
    // Others may have been set in the meantime.
    const Breakpoint& breakpoint = (*list)[place];
    const auto still = std::find_if(list_->begin(), list_->end(), [&](const Breakpoint& b) {
      return b.id == breakpoint.id && b.enabled && b.means_same(breakpoint);
    });
    if (still == list_->end()) continue;
    const std::uint64_t hits = ++hits_[static_cast<std::size_t>(still - list_->begin())];
    if (stop || hits < breakpoint.from_hit) continue;
    stop = breakpoint;
    stop->hits = hits;
  }
  changed();
  return stop ? stop : once;
}

std::optional<Breakpoint> Breakpoints::meet(const GatePoint& point, const FrameSource& source,
                                            std::uint64_t place) {
  Arrival arrival(point, source, names_, place);
  return count([&](const Breakpoint& breakpoint) { return arrival.meets(breakpoint); });
}

std::optional<Breakpoint> Breakpoints::meet(Kind kind, const std::string& name, TensorId id,
                                            const FrameSource& source) {
  return count([&](const Breakpoint& breakpoint) {
    if (breakpoint.kind != kind || breakpoint.source.empty()) return breakpoint.kind == kind;
    source.sources(names_);
    return names_.text(name, id) == breakpoint.source;
  });
}

}  // namespace tapescope
