// State as JSON: read by scripts and checks that know nothing of the code.
#include "viewer/window/state_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "engine/core/slices.h"
#include "viewer/debugger/breakpoint_text.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/job_json.h"
#include "viewer/export/report_json.h"
#include "viewer/panels/gradients.h"
#include "viewer/panels/inspector.h"
#include "viewer/panels/jobs.h"
#include "viewer/panels/source.h"

namespace tapescope::ui {
namespace {

constexpr std::int64_t kMostElements = 4096;  // of a tensor; larger ones have shape and norm alone

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(std::string(text)); }

using List = record::PlacedDigest::List;

// Of the tensor, or what a recording keeps of it; nothing for None.
std::optional<TensorStats> stats_of(const FrameView& view, List which, std::size_t index,
                                    const Tensor& value) {
  if (!value) {
    const record::TensorDigest* digest = record::digest_of(view.digests, which, index);
    return digest && digest->stats.type ? std::optional(digest->stats) : std::nullopt;
  }
  const bool has_elements = value.raw() != nullptr || slices_of(value.impl()) != nullptr;
  TensorStats stats = has_elements ? tensor_stats(value) : TensorStats{};
  stats.type = &value.type();  // of rows the whole they are of
  return stats;
}

Json tensors(const FrameView& view, List which, const std::vector<FrameTensor>& list) {
  Json all = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const FrameTensor& item = list[i];
    Json one{
        {"name", item.name}, {"dtype", nullptr}, {"shape", nullptr}, {"norm", nullptr}, {"value", nullptr}};
    if (item.value && item.value.dtype() == DType::resource) {
      one["dtype"] = std::string(name_of(DType::resource));
    } else if (const auto stats = stats_of(view, which, i, item.value)) {
      one["dtype"] = std::string(name_of(stats->type->dtype));
      const auto dims = stats->type->shape.dims();
      one["shape"] = std::vector<std::int64_t>(dims.begin(), dims.end());
      one["norm"] = json_number(stats->norm);
      if (item.value && stats->count > 0 && item.value.numel() <= kMostElements)
        one["value"] = json_values(item.value);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json frame_json(const Workbench& w) {
  if (!w.status.frame) return nullptr;
  const FrameView& view_of = *w.status.frame;
  const Frame& frame = view_of.frame;
  Json to{{"op", text_or_null(op_name_text(frame.op))},
          {"forward_op", nullptr},
          {"location", text_or_null(location_text(site_with_id(frame.site)))},
          {"cotangents_in", tensors(view_of, List::cotangents_in, frame.cotangents_in)},
          {"cotangents_out", tensors(view_of, List::cotangents_out, frame.cotangents_out)},
          {"inputs", tensors(view_of, List::inputs, frame.inputs)},
          {"outputs", tensors(view_of, List::outputs, frame.outputs)},
          {"accumulated", tensors(view_of, List::accumulated, frame.accumulated)},
          {"breakpoint", text_or_null(view_of.breakpoint)}};
  const auto view = w.a ? (w.a->complete ? w.a->complete : w.a->current) : nullptr;
  // Sources of one name are called what their rows are.
  for (const GradientRow& row :
       w.a ? std::span<const GradientRow>(w.a->gradients) : std::span<const GradientRow>()) {
    const Arrived* const arrived = arrived_at(view_of.arrived, frame, row, view.get());
    if (arrived == nullptr) continue;
    for (const std::uint32_t item : arrived->items) to["accumulated"][item]["name"] = row.source;
  }
  if (frame.backward) {
    to["forward_op"] = std::string(op_name_text(frame.op));
    const std::uint32_t op = view ? view->op_of_tensor(frame.output) : kNoOp;
    if (op != kNoOp) to["forward_op"] = view->ops[op].name;
  }
  return to;
}

// As the panel has them: while the program stands in a step, what arrived there so far; what has not is
// pending.
Json gradients_so_far(const Workbench& w) {
  Json list = gradients_json(w.a->gradients, true);
  if (!w.status.frame || w.status.frame->cursor >= w.status.frame->cursor_count) return list;
  const auto view = w.a->shown();
  const FrameView& stand = *w.status.frame;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const GradientRow& row = w.a->gradients[i];
    const GradientLook look = describe_gradient(row, &stand, view.get()).look;
    list[i]["pending"] = look == GradientLook::pending;
    if (look != GradientLook::pending && look != GradientLook::value) continue;
    for (const char* figure : {"norm", "zero_share", "nonfinite"}) list[i][figure] = nullptr;
    const Arrived* const arrived = arrived_at(stand.arrived, stand.frame, row, view.get());
    if (look == GradientLook::value && arrived != nullptr) list[i]["norm"] = json_number(arrived->sum.norm);
  }
  return list;
}

// One of several open programs.
Json json_of_program(const ProgramRow& program) {
  return {{"title", program.title},
          {"process", text_or_null(program.process)},
          {"mode", std::string(name_of(program.status.mode))},
          {"step", program.status.step},
          {"rank", program.place.rank ? Json(*program.place.rank) : Json(nullptr)},
          {"shown_as", program.in_focus ? Json("A")
                       : program.beside ? Json("B")
                                        : Json(nullptr)},
          {"offset_us", program.on_clock.offset_us ? Json(*program.on_clock.offset_us) : Json(nullptr)},
          {"offset_error_us",
           program.on_clock.offset_us ? Json(program.on_clock.error_us) : Json(nullptr)}};
}

// The comparison's document, and the advice, come from the same run as the command line's.
HeadlessRun run_of(const Workbench& w) {
  HeadlessRun run = w.debuggee.so_far();
  run.snapshots[0] = w.a;
  run.snapshots[1] = w.debuggee.second() != nullptr ? nullptr : w.b;
  return run;
}

// B apart from A was measured in another run, and B in turn with A in the same one.
Json comparison_json(const Workbench& w) {
  if (const ShownProgram* second = w.debuggee.second()) {
    return second->at_rest() ? json_of(compare_recordings(run_of(w), second->so_far())) : Json(nullptr);
  }
  return w.comparing() && w.b ? json_of(comparison_of(run_of(w))) : Json(nullptr);
}

// "64×10" as [64, 10]; null for what is not known.
Json dims_of(std::string_view text) {
  if (text.empty() || text == "?") return nullptr;
  Json dims = Json::array();
  constexpr std::string_view kTimes = "×";
  for (std::string_view left = text == "scalar" ? "" : text; !left.empty();) {
    std::int64_t dim = 0;
    const std::size_t end = left.find(kTimes);
    const std::string_view word = left.substr(0, end);
    std::from_chars(word.data(), word.data() + word.size(), dim);
    dims.push_back(dim);
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + kTimes.size());
  }
  return dims;
}

// What the inspector shows of the selected op, or the one at the cursor.
Json values_json(const Workbench& w) {
  Json list = Json::array();
  const auto* inspector = dynamic_cast<const InspectorPanel*>(w.panel("inspector"));
  if (inspector == nullptr) return list;
  for (const OpValue& value : inspector->values()) {
    Json one{{"role", value.role},
             {"name", value.name},
             {"shape", value.none ? Json(nullptr) : dims_of(value.shape)},
             {"dtype", text_or_null(value.dtype)},
             {"kept", value.stats.has_value()}};
    for (const char* figure : {"min", "max", "norm", "nonfinite"}) one[figure] = nullptr;
    if (value.stats) {
      const TensorStats& s = *value.stats;
      const bool finite = s.count > s.nans + s.infinities;
      one["min"] = finite ? json_number(s.min) : Json(nullptr);
      one["max"] = finite ? json_number(s.max) : Json(nullptr);
      one["norm"] = json_number(s.norm);
      one["nonfinite"] = s.nans + s.infinities;
    }
    list.push_back(std::move(one));
  }
  return list;
}

// How many steps had ended there.
std::uint64_t shown_step(const Workbench& w) {
  if (const std::optional<std::uint64_t> looked = w.looked_at()) return *looked + 1;
  return w.status.frame ? w.status.frame->step : w.status.step;
}

// The line that the source panel shows.
Json source_json(const Workbench& w) {
  const StepAtCursor step = step_at_cursor(w.a.get(), w.state.cursor, w.status);
  const std::string looked_at = place_looked_at(w.a.get(), step, w.state.selection(), w.op_in_focus());
  const SourcePlace place = source_place(looked_at);
  return place.line == 0 ? Json(nullptr) : Json{{"file", std::string(place.file)}, {"line", place.line}};
}

// The call that was stepped into, while the program stands in it: its ops that ran, with their times.
Json expansion_json(const Workbench& w) {
  const StepAtCursor step = w.step_drawn();
  if (!step.expanded) return nullptr;
  Json ops = Json::array();
  for (const OpRow& row : step.view->ops) {
    ops.push_back({{"op", std::string(row.op)},
                   {"name", row.name},
                   {"scope", std::string(row.scope)},
                   {"location", text_or_null(row.location)},
                   {"us", whole_us(row)}});
  }
  return {{"function", std::string(name_text(step.function))},
          {"op", step.position},
          {"us", step.view->step_us},
          {"ops", std::move(ops)}};
}

// A text: readers of JSON do not agree about large integers.
Json frame_hash(const Workbench& w) {
  return w.status.frame ? Json(fmt::format("{:016x}", w.status.frame->hash)) : Json(nullptr);
}

}  // namespace

std::string selection_text(const Selection& selection) {
  switch (selection.kind) {
    case Selection::Kind::none: return "none";
    case Selection::Kind::op: return fmt::format("op {}", selection.index);
    case Selection::Kind::source: return "source " + selection.name;
    case Selection::Kind::alert: return fmt::format("alert {}", selection.index);
    case Selection::Kind::line: return "line " + selection.name;
  }
  return "none";
}

std::string state_json(const Workbench& w) {
  Json to;
  to["mode"] = std::string(name_of(w.status.mode));
  to["sample"] = w.choice.sample;
  to["variant"] = w.choice.options.variant;
  to["step"] = shown_step(w);
  to["steps"] = w.status.steps;
  to["cursor"] = w.state.cursor.position;
  to["cursor_count"] = w.state.cursor.count;
  to["inside"] =
      w.status.frame ? w.status.frame->frame.inner : 0;  // ops run inside the function after the cursor
  to["frame_hash"] = frame_hash(w);
  to["frame"] = frame_json(w);
  to["expansion"] = expansion_json(w);
  const NameId why = w.step_drawn().why;
  to["expansion_stopped"] = why == 0 ? Json(nullptr) : Json(std::string(name_text(why)));
  to["error"] = text_or_null(w.status.error);
  Json loss = Json::array();
  if (w.a) {
    for (const MetricSeries& series : w.a->metrics) {
      if (series.name != "loss") continue;
      for (std::size_t i = 0; i < series.points.size(); ++i)
        loss.push_back(json_number(series.points[i].value));
    }
  }
  to["loss"] = std::move(loss);
  const bool shown = w.a != nullptr;
  // The runner writes its results until it rests.
  const bool rest = shown && w.debuggee.at_rest();
  if (std::vector<double> times = rest ? w.debuggee.so_far().programs[0].step_us : std::vector<double>();
      !times.empty()) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    to["time"] = {{"step", {{"median", *middle}}}};
  } else {
    to["time"] = nullptr;
  }
  to["gradients"] = shown ? gradients_so_far(w) : Json::array();
  to["functions"] = shown ? functions_json(w.a->functions) : Json::array();
  to["alerts"] = shown ? alerts_json(w.a->alerts) : Json::array();
  to["advice"] = rest ? advice_json(report_of(run_of(w), 0).advice) : Json::array();
  to["compare"] = rest ? comparison_json(w) : Json(nullptr);
  to["breakpoints"] = Json::array();
  for (const Breakpoint& breakpoint : w.debuggee.breakpoints()) {
    to["breakpoints"].push_back({{"number", breakpoint.id},
                                 {"when", text_of(breakpoint)},
                                 {"enabled", breakpoint.enabled},
                                 {"hits", breakpoint.hits}});
  }
  for (const ThresholdText& text : threshold_texts()) {
    to["thresholds"][std::string(text.id)] = w.settings.thresholds.*(text.value);
  }
  to["programs"] = Json::array();
  for (const ProgramRow& program : w.programs) to["programs"].push_back(json_of_program(program));
  std::vector<std::size_t> places;
  const std::vector<JobRank> ranks = ranks_in_focus(w.programs, places);
  to["job"] = ranks.empty() ? Json(nullptr) : json_of(report_of_job(ranks));
  to["selection"] = selection_text(w.state.selection());
  to["source"] = source_json(w);
  to["values"] = values_json(w);
  to["filter"] = w.state.filter();
  to["panel"] = w.state.panel;
  to["dropped_events"] = w.debuggee.dropped();
  const Thinned thinned = w.a ? w.a->thinned : Thinned{};
  to["thinned"] = {{"steps", thinned.steps}, {"events", thinned.records}, {"every", thinned.every}};
  return json_text(to);
}

std::string ui_map_json(const Workbench& w) {
  Json items = Json::array();
  for (const UiItem& item : w.map.items()) {
    items.push_back({{"id", item.id},
                     {"label", item.label},
                     {"x", item.x},
                     {"y", item.y},
                     {"w", item.w},
                     {"h", item.h},
                     {"enabled", item.enabled}});
  }
  return json_text({{"frame", w.map.frame()},
                    {"state",
                     {{"mode", std::string(name_of(w.status.mode))},
                      {"sample", w.choice.sample},
                      {"variant", w.choice.options.variant},
                      {"step", shown_step(w)},
                      {"cursor", w.state.cursor.position},
                      {"cursor_count", w.state.cursor.count},
                      {"frame_hash", frame_hash(w)},
                      {"selection", selection_text(w.state.selection())},
                      {"panel", w.state.panel}}},
                    {"items", std::move(items)}});
}

}  // namespace tapescope::ui
