// Which findings of a run become alerts.
#include "viewer/store/alerts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/store/function_row.h"

namespace tapescope {
namespace {

std::size_t steps_of(double count) { return static_cast<std::size_t>(std::max(1.0, count)); }

void point_at(AlertRow& alert, const StepView* view, std::uint32_t op) {
  if (!view || op == kNoOp) return;
  const OpRow& row = view->ops[op];
  alert.op_index = op;
  alert.op = row.name;
  alert.op_type = row.op;
  alert.node = row.node;
  if (row.direction == Direction::backward && row.backward_step != kNoOp) {
    alert.node = view->backward_steps[row.backward_step].node;
  }
  if (alert.location.empty()) alert.location = row.location;
}

const GradientRow* row_of(const AlertInputs& in, TensorId source) {
  for (const GradientRow& row : in.gradients) {
    if (row.source_id == source) return &row;
  }
  return nullptr;
}

void add_nonfinite(const AlertInputs& in, std::vector<AlertRow>& alerts) {
  std::vector<GradientTable::NonFinite> gradients = in.table->nonfinite();
  std::set<std::uint64_t> skipped;  // steps
  std::erase_if(gradients, [&](const GradientTable::NonFinite& entry) {
    if (!in.skipped_sources || !in.skipped_sources->contains(entry.source)) return false;
    skipped.insert(entry.step);
    return true;
  });
  const std::uint64_t gradient_step = gradients.empty() ? ~std::uint64_t{0} : gradients.front().step;
  for (const MetricSeries& metric : in.metrics) {
    if (metric.name == "loss" && metric.nonfinite && metric.nonfinite->step <= gradient_step &&
        !skipped.contains(metric.nonfinite->step)) {
      const MetricPoint& point = *metric.nonfinite;
      AlertRow alert;
      alert.kind = "nonfinite";
      alert.subject = "loss";
      alert.direction = "forward";
      alert.value = std::isnan(point.value) ? "nan" : point.value > 0 ? "inf" : "-inf";
      alert.step = point.step;
      alert.message = fmt::format("the loss of step {} is {}", point.step + in.step_base, alert.value);
      alert.fix =
          "step to the first op whose output is not finite (break nonfinite) and keep its input in range";
      if (in.view && in.view->holds(point.step)) {
        if (!in.view->calls.empty() && !in.view->calls.front().targets.empty()) {
          point_at(alert, in.view, in.view->op_of_tensor(in.view->calls.front().targets.front()));
        }
      }
      alerts.push_back(std::move(alert));
    }
  }
  std::map<TensorId, bool> seen;
  for (const auto& entry : gradients) {
    if (!seen.emplace(entry.source, true).second) continue;
    AlertRow alert;
    alert.kind = "nonfinite";
    const GradientRow* const row = row_of(in, entry.source);
    alert.subject = row ? row->source : std::string(name_text(entry.name));
    alert.direction = "backward";
    alert.value = entry.nan ? "nan" : "inf";
    alert.step = entry.step;
    alert.message = fmt::format("the gradient of {} at step {} holds {}", alert.subject,
                                entry.step + in.step_base, entry.nan ? "NaN" : "infinities");
    alert.fix = "step backward to the first cotangent that is not finite (break nonfinite) and guard that op";
    if (in.view && in.view->holds(entry.step))
      point_at(alert, in.view, in.view->op_of_tensor(entry.gradient));
    alerts.push_back(std::move(alert));
  }
}

void add_nones(const AlertInputs& in, std::vector<AlertRow>& alerts) {
  for (const GradientRow& row : in.gradients) {
    if (row.status != GradientStatus::none) continue;
    AlertRow alert;
    alert.kind = "none";
    alert.subject = row.source;
    alert.message = row.message.empty() ? fmt::format("the gradient of {} is None", row.source) : row.message;
    alert.location = row.location;
    alert.fix = row.fix;
    alert.path = row.path;
    alert.edge = row.edge;
    alert.op = row.edge.name;
    alert.op_type = row.edge.op;
    // The step in which it began: later ones are like it.
    const auto since = in.table ? in.table->none_since(row.source_id) : std::nullopt;
    alert.step = std::min(row.step, since.value_or(row.step));
    if (in.view && row.edge.output != 0) {
      point_at(alert, in.view, in.view->op_of_tensor(row.edge.output));
      if (!row.edge.name.empty()) alert.op = row.edge.name;
      if (!row.edge.op.empty()) alert.op_type = row.edge.op;
    }
    alerts.push_back(std::move(alert));
  }
  if (!in.view) return;
  for (const GradientCall& call : in.view->calls) {
    if (!call.sources.empty()) continue;
    AlertRow alert;
    alert.kind = "empty_sources";
    alert.subject = "gradient";
    alert.location = call.location;
    alert.step = in.view->step;
    const auto& variables = in.view->variables;
    const bool frozen = !variables.empty() && std::ranges::none_of(variables, &VariableRow::trainable);
    alert.message = fmt::format("gradient at {} was asked for no sources, so it answers nothing{}",
                                call.location, frozen ? "; no variable that the step used is trainable" : "");
    const bool python = is_python(call.location);
    alert.fix =
        frozen ? fmt::format("unfreeze what is to be trained before its trainable variables are listed: {}",
                             python ? "layer.trainable = True" : "set_trainable(true)")
               : "name the variables or watched tensors; a list that is empty was mostly filled too early: "
                 "build the model, or call it once, before its variables are listed";
    alerts.push_back(std::move(alert));
  }
}

float median_norm(const std::deque<NormHistory::Point>& points) {
  std::vector<float> norms;
  for (const auto& point : points) {
    if (std::isfinite(point.norm)) norms.push_back(point.norm);
  }
  if (norms.empty()) return 0;
  std::nth_element(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2), norms.end());
  return norms[norms.size() / 2];
}

AlertRow about_source(const AlertInputs& in, std::string kind, TensorId source, const NormHistory& history) {
  AlertRow alert;
  alert.kind = std::move(kind);
  alert.subject = name_text(history.name);
  alert.step = history.points.back().step;
  if (const GradientRow* row = row_of(in, source)) {
    alert.subject = row->source;
    if (in.view) {
      // The op that reads the source is where its gradient comes from.
      for (std::uint32_t i = 0; i < in.view->ops.size() && alert.op_index == kNoOp; ++i) {
        const auto inputs = in.view->inputs_of(in.view->ops[i]);
        if (std::find(inputs.begin(), inputs.end(), source) != inputs.end()) point_at(alert, in.view, i);
      }
    }
  }
  return alert;
}

// The layer that a variable's name begins with; the whole name where it has none.
std::string_view layer_of(NameId name) {
  const std::string_view text = name_text(name);
  return text.substr(0, text.rfind('/'));
}

void add_norms(const AlertInputs& in, std::vector<AlertRow>& alerts) {
  const AlertThresholds& limits = in.thresholds;
  float largest = 0;
  const NormHistory* strongest = nullptr;
  std::map<std::string_view, float> layers;  // the largest norm in each
  for (const auto& [source, history] : in.table->sources()) {
    if (history.points.empty() || !std::isfinite(history.points.back().norm)) continue;
    float& most = layers[layer_of(history.name)];
    most = std::max(most, history.points.back().norm);
  }
  for (const auto& [source, history] : in.table->sources()) {
    if (history.points.empty() || !std::isfinite(history.points.back().norm)) continue;
    if (history.points.back().norm > largest) {
      largest = history.points.back().norm;
      strongest = &history;
    }
  }
  std::vector<AlertRow> found;
  for (const auto& [source, history] : in.table->sources()) {
    const auto& points = history.points;
    const auto last = [&](std::size_t count, auto&& holds) {
      return points.size() >= count &&
             std::all_of(points.end() - static_cast<std::ptrdiff_t>(count), points.end(), holds);
    };
    const float usual = median_norm(history.first);
    if (usual > 0 && last(steps_of(limits.exploding_steps), [&](const NormHistory::Point& point) {
          return point.norm > limits.exploding_growth * usual && point.norm > limits.exploding_norm;
        })) {
      AlertRow alert = about_source(in, "exploding", source, history);
      alert.message = fmt::format("the gradient of {} has grown from a norm of {:.3g} to {:.3g}",
                                  alert.subject, usual, points.back().norm);
      alert.fix = "clip by global norm, or lower the learning rate";
      found.push_back(std::move(alert));
    }
    // What reaches a layer reaches all of its variables: one alone, such as the bias of keys under a softmax,
    // is small by its own formula.
    if (strongest && strongest != &history &&
        layers[layer_of(history.name)] < limits.vanishing_ratio * largest &&
        last(steps_of(limits.vanishing_steps), [&](const NormHistory::Point& point) {
          return point.norm > 0 && point.norm < limits.vanishing_ratio * largest && point.zero_share < 1;
        })) {
      AlertRow alert = about_source(in, "vanishing", source, history);
      alert.message = fmt::format("the gradient of {} has a norm of {:.3g}, that of {} {:.3g}", alert.subject,
                                  points.back().norm, name_text(strongest->name), largest);
      alert.fix = "use relu-like activations, normalization or residual connections on the way to it";
      found.push_back(std::move(alert));
    }
    if (last(steps_of(limits.dead_steps),
             [&](const NormHistory::Point& point) { return point.zero_share >= limits.dead_share; })) {
      AlertRow alert = about_source(in, "dead", source, history);
      alert.message = fmt::format("{:.0f} % of the gradient of {} was zero in each of the last {} steps",
                                  100 * points.back().zero_share, alert.subject, limits.dead_steps);
      alert.fix = "look for units that never activate; lower the learning rate or use leaky_relu";
      // Units die one by one; a gradient that is zero as a whole has another cause.
      if (last(steps_of(limits.dead_steps),
               [](const NormHistory::Point& point) { return point.zero_share >= 1; })) {
        alert.value = "all";
        alert.fix = "its row among the gradients says why it is zero";
      }
      found.push_back(std::move(alert));
    }
  }
  std::sort(found.begin(), found.end(), [](const AlertRow& a, const AlertRow& b) {
    return std::tie(a.kind, a.subject) < std::tie(b.kind, b.subject);
  });
  alerts.insert(alerts.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

void add_tapes_and_functions(const AlertInputs& in, std::vector<AlertRow>& alerts) {
  constexpr std::uint64_t kPiledUp = 8;  // rounds; a few blocks of one tape may belong together
  for (const TapesOfLine& place : in.tapes) {
    // A few tapes of many are kept on purpose, and so are those that are asked again later.
    const bool held = place.most_held >= steps_of(in.thresholds.leaked_tapes) &&
                      place.most_held * 2 >= place.made && !place.reused;
    if (!held && place.piled_up < kPiledUp) continue;
    AlertRow alert;
    alert.kind = "leak";
    alert.subject = fmt::format("tape at {}", place.location);
    alert.location = place.location;
    alert.step = place.last_step;
    if (held) {
      alert.message = fmt::format(
          "memory grows with each step: {} persistent tapes made at {} were held at one time, with all they "
          "saved, though none was asked again",
          place.most_held, place.location);
      alert.fix =
          "let each tape go out of scope once its gradients are taken, do not keep it in a list, or leave "
          "persistent off";
    } else {
      alert.message = fmt::format(
          "memory grows with each step: the persistent tape made at {} recorded {} rounds one after the "
          "other "
          "and still holds what it saved for all of them",
          place.location, place.piled_up + 1);
      alert.fix =
          "make a new tape for each step, not persistent where one gradient is taken, or begin its block "
          "with "
          "reset(), so that what it keeps is released";
    }
    alerts.push_back(std::move(alert));
  }
  for (const FunctionRow& function : in.functions) {
    if (function.library) continue;
    if (function.retraces.size() < steps_of(in.thresholds.retraces) && !function.would_warn) continue;
    AlertRow alert;
    alert.kind = "retrace";
    alert.subject = function.name;
    alert.message =
        fmt::format("{} was traced {} times in {} calls", function.name, function.traces, function.calls);
    std::vector<const Retrace*> retraces;
    for (const Retrace& retrace : function.retraces) retraces.push_back(&retrace);
    if (const RetraceCauses causes = causes_of(retraces); causes.main != nullptr) {
      alert.location = causes.main->location;
      alert.fix = causes.fix;
      alert.message += fmt::format(", because {}", causes.text);
    }
    alerts.push_back(std::move(alert));
  }
}

}  // namespace

std::span<const ThresholdText> threshold_texts() {
  using T = AlertThresholds;
  static constexpr ThresholdText kTexts[] = {
      {"exploding-growth", "Explodes: norm over that of the first steps", &T::exploding_growth, 1, 1e12,
       false},
      {"exploding-norm", "and at least", &T::exploding_norm, 0, 1e30, false},
      {"exploding-steps", "for steps", &T::exploding_steps, 1, 64, true},
      {"vanishing-ratio", "Vanishes: norm over the largest of the step", &T::vanishing_ratio, 0, 1, false},
      {"vanishing-steps", "for steps", &T::vanishing_steps, 1, 64, true},
      {"dead-share", "Dead: share of zeros", &T::dead_share, 0, 1, false},
      {"dead-steps", "for steps", &T::dead_steps, 1, 64, true},
      {"leaked-tapes", "Leak: steps whose persistent tapes are held", &T::leaked_tapes, 1, 1e6, true},
      {"retraces", "Retraces of a function", &T::retraces, 1, 1e6, true},
  };
  return kTexts;
}

std::vector<AlertRow> make_alerts(const AlertInputs& inputs) {
  std::vector<AlertRow> alerts;
  add_nonfinite(inputs, alerts);
  add_nones(inputs, alerts);
  add_norms(inputs, alerts);
  add_tapes_and_functions(inputs, alerts);
  return alerts;
}

}  // namespace tapescope
