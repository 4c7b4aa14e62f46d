// The rows of the Gradients panel: status, reason and norms of each source.
#include "viewer/store/gradient_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/events/records/gradients.h"
#include "engine/events/records/values.h"
#include "engine/explain/explain_zero.h"
#include "engine/explain/history.h"
#include "engine/explain/python_words.h"
#include "engine/explain/words.h"
#include "viewer/store/op_rows.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {
namespace {

int rank_of(GradientStatus status) {
  switch (status) {
    case GradientStatus::nonfinite: return 0;
    case GradientStatus::none: return 1;
    case GradientStatus::unconnected_zero: return 2;
    case GradientStatus::zero: return 3;
    default: return 4;
  }
}

// Among the sources of its call: two of one name are two.
std::uint32_t place_of(const GradientRow& row, const StepView& view) {
  const auto answer = std::find_if(view.answers.begin(), view.answers.end(), [&](const GradientAnswer& a) {
    return a.call == row.call && a.source == row.source_id;
  });
  return answer == view.answers.end() ? 0 : answer->index;
}

// Nothing but that the source was not used.
bool says_little(const GradientRow& row) {
  return row.status == GradientStatus::none && (row.reason == "unused" || row.reason == "independent");
}

// In rounds of a program without marks ops have other numbers in each: "Mean_4".
std::string asked_in_any_step(const GradientRow& row, const StepView& view) {
  const std::string& target = row.op_as_target.empty() ? row.target : row.op_as_target;
  return fmt::format("{}\n{}\n{}\n{}", place_of(row, view), row.source, target, row.asked_at);
}

// Each run of a trace asks the same; so does another trace of the function, as where the first made
// variables.
std::string asked_in_trace(std::string_view asked_at, TensorId source) {
  return fmt::format("{}\n{}", asked_at, source);
}

// Why there is none follows from the program; why it is zero from the branches of a step.
std::string question(const GradientRow& row, const StepView& view) {
  const std::string asked = asked_in_any_step(row, view);
  return row.status == GradientStatus::zero ? fmt::format("{}\n{}", asked, view.step) : asked;
}

void put_stats(GradientRow& row, const TensorStats& stats, const StepView& view) {
  row.has_stats = true;
  row.norm = stats.norm;
  row.nonfinite = stats.nans + stats.infinities;
  row.zero_share = stats.count ? static_cast<double>(stats.zeros) / static_cast<double>(stats.count) : 0;
  row.min = stats.min;
  row.max = stats.max;
  row.mean = stats.mean;
  if (row.status != GradientStatus::value) return;
  if (row.nonfinite > 0) {
    row.status = GradientStatus::nonfinite;
  } else if (stats.count > 0 && stats.zeros == stats.count) {
    row.status = GradientStatus::zero;
    ZeroReason zero = zero_reason(view, row.target_id, row.source_id, row.source);
    row.reason = std::move(zero.reason);
    row.message = std::move(zero.message);
    row.location = std::move(zero.location);
    row.fix = std::move(zero.fix);
  }
}

bool is_zero_reason(const Explanation& found) {
  return found.reason != Reason::none || !found.zero_reason.empty();
}

void put_explanation(GradientRow& row, const Explanation& found) {
  row.reason = found.zero_reason.empty() ? name_of(found.reason) : found.zero_reason;
  row.message = found.message;
  row.location = found.location;
  row.fix = found.fix;
  row.path = found.path;
  row.edge = found.edge;
  row.guess = found.guess;
}

// Whether a branch of a function's graph ran in the step, whose records may say why a gradient is zero.
bool chose_branches(const StepView& view) {
  constexpr std::array<std::string_view, 4> kNodes{"StatelessIf", "If", "StatelessCase", "Case"};
  return std::any_of(view.ops.begin(), view.ops.end(), [&](const OpRow& op) {
    return std::find(kNodes.begin(), kNodes.end(), op.op) != kNodes.end();
  });
}

// Of the ops that ran in the step.
TensorId first_tensor(const StepView& view) {
  TensorId first = ~TensorId{0};
  for (const OpRow& op : view.ops) {
    if (op.output != 0 && !(op.flags & OpRecord::kTraced)) first = std::min(first, op.output);
  }
  return first;
}

// All but those of one thread.
void feed(const std::vector<Segment>& segments, std::uint32_t but, History& history) {
  for (const Segment& segment : segments) {
    if (segment.thread != but && !segment.records.empty()) history.add(segment.thread, segment.records);
  }
}

// What the engine calls a source.
std::string source_name(TensorId tensor, NameId given) {
  return given ? std::string(name_text(given)) : fmt::format("tensor:{}", tensor);
}

// A name for a tensor: what the program gave, else its op's.
std::string tensor_label(const StepView& view, TensorId tensor, NameId given) {
  const std::string_view name = name_text(given);
  // Older recordings have "tensor:12" where the program gave none.
  if (!name.empty() && !name.starts_with("tensor:")) return std::string(name);
  if (const VariableRow* variable = view.variable(tensor)) return std::string(variable->name);
  const std::uint32_t op = view.op_of_tensor(tensor);
  if (op != kNoOp)
    return view.ops[op].tensor_name.empty() ? view.ops[op].name : std::string(view.ops[op].tensor_name);
  return source_name(tensor, given);
}

// The op that made the tensor and its line, where the program has no name for it; else empty. Tensors of a
// trace carry the names of their ops, "block/Mean_1", and have no line.
std::string op_as_name(const StepView& view, TensorId tensor, std::string_view label, bool traced) {
  if (const std::uint32_t op = view.op_of_tensor(tensor); op != kNoOp) {
    const OpRow& made = view.ops[op];
    if (!made.tensor_name.empty() || made.name != label) return {};
    return made.location.empty() ? std::string(made.op) : fmt::format("{} at {}", made.op, made.location);
  }
  if (!traced || view.variable(tensor) != nullptr) return {};
  label.remove_prefix(label.rfind('/') + 1);
  const std::size_t number = label.rfind('_');
  if (number != std::string_view::npos &&
      label.find_first_not_of("0123456789", number + 1) == std::string_view::npos)
    label = label.substr(0, number);
  return row_of_op(label) != nullptr ? std::string(label) : std::string();
}

}  // namespace

bool saw_values(const StepData& data) {
  return std::any_of(data.segments.begin(), data.segments.end(), [](const Segment& segment) {
    return std::any_of(segment.records.begin(), segment.records.end(),
                       [](const Record& record) { return record.is<TensorValuesRecord>(); });
  });
}

bool GradientTable::take(const StatsEntry& entry) {
  const auto found = sources_.find(entry.source_id);
  if (found == sources_.end()) return false;
  NormHistory& history = found->second;
  history.name = entry.source;
  const TensorStats& stats = entry.stats;
  const double count = static_cast<double>(std::max<std::int64_t>(stats.count, 1));
  NormHistory::Point point{entry.step, static_cast<float>(stats.norm),
                           static_cast<float>(static_cast<double>(stats.zeros) / count), stats.nans,
                           stats.infinities};
  // A source asked about twice in a step shows its last answer.
  if (!history.points.empty() && history.points.back().step == entry.step) history.points.pop_back();
  history.points.push_back(point);
  if (history.points.size() > kRecentSteps) history.points.pop_front();
  history.last = stats;
  constexpr std::size_t kFirst = 8;
  if (history.first.size() < kFirst && (history.first.empty() || history.first.back().step != entry.step)) {
    history.first.push_back(point);
  }
  if (stats.nans + stats.infinities > 0 && nonfinite_.size() < kRecentSteps) {
    nonfinite_.push_back({entry.step, entry.source_id, stats.tensor, entry.source, stats.nans > 0});
  }
  // Each run of a function summarizes the same gradients of its trace.
  if (stats_.insert_or_assign(stats.tensor, stats).second) order_.push_back(stats.tensor);
  if (order_.size() > kMaxTensors) {
    stats_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

void GradientTable::learn_source(TensorId source, bool lasting) {
  const auto [found, fresh] = sources_.try_emplace(source);
  NormHistory& history = found->second;
  history.asked = ++asked_;
  if (fresh) {
    learned_ = true;
    history.lasting = lasting;
    passing_ += !lasting;
  }
  if (passing_ <= 2 * kMaxPassing) return;
  // Rarely, so that a question costs the same however many there were. What was asked lately stays.
  passing_ -= std::erase_if(sources_, [&](const auto& entry) {
    return !entry.second.lasting && entry.second.asked + kMaxPassing <= asked_;
  });
}

void GradientTable::add_stats(std::span<const StatsEntry> entries) {
  // Those that wait do so for their source alone.
  if (std::exchange(learned_, false))
    std::erase_if(pending_, [&](const StatsEntry& entry) { return take(entry); });
  for (const StatsEntry& entry : entries) {
    if (!take(entry)) pending_.push_back(entry);
  }
  while (pending_.size() > kMaxPending) pending_.pop_front();
}

std::vector<GradientRow> GradientTable::rows(const StepView& view, const StepData& data,
                                             const std::vector<Segment>* prologue, bool may_explain) {
  std::vector<GradientRow> rows;
  bool unexplained = false;
  const bool provable = chose_branches(view) || saw_values(data);
  for (const GradientAnswer& answer : view.answers) {
    const GradientCall& call = view.calls[answer.call];
    // A call that still runs has not answered; one that raised has a row for each source.
    if (!answer.answered && !data.complete && !call.raised && answer.call + 1 == view.calls.size()) continue;
    GradientRow row;
    row.source = tensor_label(view, answer.source, answer.name);
    row.name = source_name(answer.source, answer.given);
    row.source_id = answer.source;
    row.index = answer.index;
    row.sources = static_cast<std::uint32_t>(call.sources.size());
    row.target_id = call.targets.empty() ? 0 : call.targets.front();
    row.target = tensor_label(view, row.target_id, call.target_names.empty() ? 0 : call.target_names.front());
    row.op_as_source = !op_as_name(view, answer.source, row.source, call.traced).empty();
    row.op_as_target = op_as_name(view, row.target_id, row.target, call.traced);
    row.tensor = answer.gradient;
    row.tape = call.tape;
    row.call = answer.call;
    row.asked_at = call.location;
    row.step = view.step_of_call(answer.call);
    if (!answer.answered || answer.kind == ResultKind::none) {
      row.status = GradientStatus::none;
    } else if (answer.kind == ResultKind::unconnected_zero) {
      row.status = GradientStatus::unconnected_zero;
    }
    if (row.status != GradientStatus::value) {
      const auto known = known_.find(question(row, view));
      if (known == known_.end()) {
        unexplained = true;
      } else {
        put_explanation(row, known->second);
      }
    }
    if (const auto found = stats_.find(answer.gradient); found != stats_.end() && answer.gradient != 0) {
      put_stats(row, found->second, view);
    }
    if (call.traced) renew(row, view);
    if (row.status == GradientStatus::zero && !call.traced) {
      const auto known = known_.find(question(row, view));
      if (known != known_.end()) {
        if (is_zero_reason(known->second)) put_explanation(row, known->second);
      } else if (provable) {
        unexplained = true;
      } else if (const auto before = zeros_.find(asked_in_any_step(row, view)); before != zeros_.end()) {
        put_explanation(row, before->second);
      }
    }
    if (const auto found = sources_.find(answer.source); found != sources_.end() && !call.traced) {
      for (const auto& point : found->second.points) row.norms.push_back(point.norm);
      row.health.assign(found->second.points.begin(), found->second.points.end());
    }
    rows.push_back(std::move(row));
  }
  if (unexplained || may_explain) explain(rows, view, data, prologue);
  // A question that raised for a reason that records do not show, as for a list without a shape, is
  // unanswered.
  std::erase_if(rows, [&](const GradientRow& row) {
    return view.calls[row.call].raised && row.status == GradientStatus::none &&
           row.reason == name_of(Reason::none);
  });
  sort(rows);
  return rows;
}

void GradientTable::learn_zeros(std::vector<std::shared_ptr<const StepData>>& steps,
                                const std::vector<Segment>* prologue) {
  constexpr std::size_t kMost = 8;  // steps that wait for summaries, which may have been dropped
  if (steps.size() > kMost) steps.erase(steps.begin(), steps.end() - kMost);
  std::erase_if(steps, [&](const std::shared_ptr<const StepData>& step) {
    const std::vector<GradientRow> found = rows(*make_step_view(*step), *step, prologue, true);
    return std::all_of(found.begin(), found.end(), [](const GradientRow& row) {
      return row.has_stats || row.status == GradientStatus::none ||
             row.status == GradientStatus::unconnected_zero;
    });
  });
}

void GradientTable::sort(std::vector<GradientRow>& rows) {
  // In the first rounds of a loop a source may have been of no use yet: the round that says more comes first.
  std::set<std::string_view> explained;
  for (const GradientRow& row : rows) {
    if (row.status == GradientStatus::none && !says_little(row)) explained.insert(row.source);
  }
  const auto rank = [&](const GradientRow& row) {
    return 2 * rank_of(row.status) + (says_little(row) && explained.contains(row.source));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const GradientRow& a, const GradientRow& b) { return rank(a) < rank(b); });
}

void GradientTable::renew(GradientRow& row, const StepView& view) const {
  row.step = view.starts.empty() ? view.step : view.starts.back().step;
  if (row.status == GradientStatus::none || row.status == GradientStatus::unconnected_zero) return;
  row.status = GradientStatus::value;
  row.has_stats = false;
  row.reason.clear(), row.message.clear(), row.location.clear(), row.fix.clear();
  row.norms.clear();
  const auto found = sources_.find(row.source_id);
  if (found == sources_.end() || found->second.points.empty()) return;
  for (const auto& point : found->second.points) row.norms.push_back(point.norm);
  const std::uint64_t step = found->second.points.back().step;
  // Not each call of a Python framework's function is looked at: the last look counts.
  if (!view.holds(step) && !is_python(row.asked_at)) return;
  if (!view.holds(step)) row.step = step;
  put_stats(row, found->second.last, view);
}

void GradientTable::explain(std::vector<GradientRow>& rows, const StepView& view, const StepData& data,
                            const std::vector<Segment>* prologue) {
  explain_after(nullptr, rows, view, data, prologue);
  // What seems of no use may have gone into a tensor that the program kept from the step before.
  const std::shared_ptr<const StepData> former = data.former.lock();
  if (!former || std::ranges::none_of(rows, says_little)) return;
  const double first = explain_seconds_;
  explain_after(former.get(), rows, view, data, prologue);
  explain_seconds_ += first;
}

void GradientTable::explain_after(const StepData* former, std::vector<GradientRow>& rows,
                                  const StepView& view, const StepData& data,
                                  const std::vector<Segment>* prologue) {
  const bool branches = chose_branches(view), provable = branches || saw_values(data);
  const auto is_explained = [&](const GradientRow& row) {
    if (former) return says_little(row);
    return row.status == GradientStatus::none || row.status == GradientStatus::unconnected_zero ||
           (row.status == GradientStatus::zero && provable && !view.calls[row.call].traced);
  };
  if (std::none_of(rows.begin(), rows.end(), is_explained)) return;
  const auto begin = std::chrono::steady_clock::now();
  History history;
  if (prologue) feed(*prologue, 0, history);
  if (former) feed(former->segments, 0, history);
  feed(data.before, 0, history);
  feed(data.segments, data.home, history);
  const auto answer_call = [&](std::uint32_t call, bool little_said = false) {
    for (GradientRow& row : rows) {
      if (row.call != call || !is_explained(row) || (little_said && !says_little(row))) continue;
      const bool zero = row.status == GradientStatus::zero;
      Explanation found;
      if (!zero) {
        found = explain_none(history, row.tape, row.target_id, row.source_id);
      } else {
        if (branches)
          found = explain_zero(history, row.tape, row.target_id, row.source_id, first_tensor(view), false);
        if (found.reason == Reason::none)
          found = find_zero(history, view.calls[call].id, row.target_id, row.source_id);
        if (is_zero_reason(found)) zeros_[asked_in_any_step(row, view)] = found;
        else if (const auto before = zeros_.find(asked_in_any_step(row, view)); before != zeros_.end())
          found = before->second;
      }
      if (!zero || is_zero_reason(found)) put_explanation(row, found);
      remember(question(row, view), std::move(found));
    }
  };
  // Each call is explained with the history up to its answers: what came later did not cause them.
  std::uint32_t call = 0;
  for (const Segment& segment : data.segments) {
    if (segment.thread != data.home) {
      for (const Record& record : segment.records) call += record.is<GradientAskRecord>();
      continue;
    }
    std::size_t fed = 0;
    const auto feed_to = [&](std::size_t end) {
      history.add(segment.thread, std::span(segment.records).subspan(fed, end - fed));
      fed = end;
    };
    // A gradient by hand may ask within the walk of a call, whose own answers come later.
    struct Open {
      std::uint32_t call;
      bool walking = false;
    };
    std::vector<Open> open;
    std::size_t answered = 0;  // records up to the last one that belongs to an answer
    const auto close_answered = [&] {
      for (; !open.empty() && !open.back().walking; open.pop_back()) {
        feed_to(std::max(answered, fed));
        answer_call(open.back().call);
      }
    };
    for (std::size_t i = 0; i < segment.records.size(); ++i) {
      const Record& record = segment.records[i];
      const bool asks = record.is<GradientAskRecord>(), ends = record.is<BackwardEndRecord>();
      if (asks || ends) close_answered();
      if (asks) open.push_back({.call = call++});
      if (!open.empty() && (ends || record.is<BackwardBeginRecord>())) open.back().walking = !ends;
      if (asks || ends || record.is<TargetRecord>() || record.is<SourceRecord>() ||
          record.is<ResultRecord>() || record.is<StepResultRecord>() || record.is<TensorValuesRecord>())
        answered = i + 1;
    }
    for (Open& left : open) left.walking = false;
    close_answered();
    feed_to(segment.records.size());
  }
  // Calls of other threads: with everything known.
  for (std::uint32_t other = 0; other < view.calls.size(); ++other) {
    const bool missing = std::any_of(rows.begin(), rows.end(), [&](const GradientRow& row) {
      return row.call == other && row.reason.empty() && row.status != GradientStatus::value;
    });
    if (missing) answer_call(other);
    // What a function is given shows in its call, which follows the questions in its trace.
    if (view.calls[other].traced && std::ranges::any_of(rows, [&](const GradientRow& row) {
          return row.call == other && says_little(row);
        }))
      answer_call(other, true);
  }
  explain_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void GradientTable::learn_traced_zeros(const StepData& data, const std::vector<Segment>* prologue) {
  const auto ran = [](const Segment& segment) {
    return std::ranges::any_of(segment.records, [](const Record& r) { return r.is<GraphAskRecord>(); });
  };
  if (std::ranges::none_of(data.segments, ran)) return;
  History history;
  if (prologue) feed(*prologue, 0, history);
  feed(data.before, 0, history);
  feed(data.segments, 0, history);
  for (const Question& question : history.questions()) {
    if (question.targets.empty()) continue;
    for (const Question::Source& source : question.sources) {
      const TensorId target = question.targets.front();
      const Explanation found = find_zero(history, question.call, target, source.id);
      if (is_zero_reason(found)) zeros_[asked_in_trace(place_text(question.site), source.id)] = found;
    }
  }
}

// The whole step counts: a tape inside a function answers when the function has run.
void GradientTable::explain_traced_zeros(std::vector<GradientRow>& rows, const StepView& view,
                                         const StepData& data, const std::vector<Segment>* prologue) {
  for (GradientRow& row : rows) {
    const bool traced = row.call == kNoOp || view.calls[row.call].traced;
    if (row.status != GradientStatus::zero || !traced) continue;
    if (const auto known = zeros_.find(asked_in_trace(row.asked_at, row.source_id)); known != zeros_.end())
      put_explanation(row, known->second);
  }
  if (!chose_branches(view)) return;
  std::optional<History> history;
  for (GradientRow& row : rows) {
    const bool traced = row.call == kNoOp || view.calls[row.call].traced;
    if (row.status != GradientStatus::zero || !traced) continue;
    auto known = known_.find(question(row, view));
    if (known == known_.end()) {
      if (!history) {
        history.emplace();
        if (prologue) feed(*prologue, 0, *history);
        feed(data.before, 0, *history);
        feed(data.segments, 0, *history);
      }
      remember(question(row, view),
               explain_zero(*history, row.tape, row.target_id, row.source_id, first_tensor(view), true));
      known = known_.find(question(row, view));
    }
    if (known->second.reason != Reason::none) put_explanation(row, known->second);
  }
}

void GradientTable::remember(std::string asked, Explanation explanation) {
  constexpr std::size_t kMaxKnown = 4096;
  if (known_.size() > kMaxKnown) known_.clear();
  if (zeros_.size() > kMaxKnown) zeros_.clear();
  known_[std::move(asked)] = std::move(explanation);
}

bool GradientTable::was_finite(TensorId source, std::uint64_t from, std::size_t steps) const {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return false;
  const auto finite = [&](const NormHistory::Point& point) {
    return point.step >= from && point.nans + point.infinities == 0;
  };
  const auto& points = found->second.points;
  if (points.size() < steps)
    return std::ranges::any_of(points, finite) || std::ranges::any_of(found->second.first, finite);
  return std::any_of(points.end() - static_cast<std::ptrdiff_t>(steps), points.end(), finite);
}

void GradientTable::learn_result(TensorId source, bool none, std::uint64_t step) {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return;
  std::optional<std::uint64_t>& since = found->second.none_since;
  if (!none) since.reset();
  else if (!since) since = step;
}

std::optional<std::uint64_t> GradientTable::none_since(TensorId source) const {
  const auto found = sources_.find(source);
  return found != sources_.end() ? found->second.none_since : std::nullopt;
}

void GradientTable::forget_from(std::uint64_t step) {
  for (auto& [source, history] : sources_) {
    if (history.none_since && *history.none_since >= step) history.none_since.reset();
    while (!history.points.empty() && history.points.back().step >= step) history.points.pop_back();
    while (!history.first.empty() && history.first.back().step >= step) history.first.pop_back();
  }
  std::erase_if(nonfinite_, [&](const NonFinite& entry) { return entry.step >= step; });
}

void GradientTable::clear() { *this = GradientTable(); }

}  // namespace tapescope
